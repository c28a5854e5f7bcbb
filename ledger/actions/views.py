"""Reads across goals: members, overview, digest, review packet, attention; search and history: numbers 140 to 149."""

from ledger.actions.base import ANYONE, Action
from ledger.rules import view_params

ROWS: tuple[Action, ...] = (
    Action(
        name="member.show",
        number=140,
        params=view_params.ShowMember,
        who=ANYONE,
        example="member show --agent-id builder --goal-id docs",
    ),
    Action(name="overview.show", number=141, params=view_params.ShowOverview, who=ANYONE, example="overview"),
    Action(
        name="digest.show",
        number=142,
        params=view_params.ShowDigest,
        who=ANYONE,
        example="digest --goal-id docs --since 12",
    ),
    Action(
        name="review-packet.show",
        number=143,
        params=view_params.ShowReviewPacket,
        who=ANYONE,
        example="review-packet --goal-id docs",
    ),
    Action(name="attention.show", number=147, params=view_params.ShowAttention, who=ANYONE, example="attention"),
)
