"""Identities and chats in every state their cards can be in, for the goldens and the budget tests."""

from collections.abc import Callable

import msgspec

from ledger.projections.causes import Cause
from ledger.projections.identity_views import (
    AwayView,
    ChannelView,
    IdentityView,
    InvitationView,
    InviteView,
    PairingView,
    ShownView,
    UnshownView,
)
from ledger.projections.views import CardView

DAY_MS = 86_400_000
WORST = "名" * 119 + "!"
PAIRING = ("how", "paired", "already", "wrong", "expired", "wait", "elsewhere", "foreign")


def identity_cards(tokens: Callable[..., dict[str, str]], now_ms: int) -> dict[str, CardView]:
    """Every state, by the name of its golden file."""
    offered = _offered(now_ms)
    cause = offered.cause
    views: dict[str, tuple[IdentityView, tuple[str, ...]]] = {
        "invitation_open": (offered, ("invitation.accept", "invitation.decline")),
        "invitation_worst": (
            msgspec.structs.replace(
                offered, workspace=WORST, name=WORST, invited_by=WORST, roles=("owner", "approver", "viewer")
            ),
            ("invitation.accept", "invitation.decline"),
        ),
        "invite_open": (InviteView(values={}, problem_code=None, problem_details={}, sent=None), ("member.invite",)),
        "invite_refused": (
            InviteView(
                values={"member_id": "zoe-wu", "display_name": "Zoe Wu", "role": "approver"},
                problem_code="identity_bound_to_another",
                problem_details={},
                sent=None,
            ),
            ("member.invite",),
        ),
        "invite_sent": (
            InviteView(values={}, problem_code=None, problem_details={}, sent=offered),
            ("member.withdraw-invitation",),
        ),
        **_ended(offered, cause),
        **{f"pairing_{state}": (PairingView(state=state, name="Ann Li"), ()) for state in PAIRING},  # type: ignore[arg-type]  # each is one
        **_channels(),
        "unshown": (UnshownView(title="Docs that can be followed"), ()),
        **_away(cause),
    }
    direct = ("invitation", "away", "pairing")
    return {
        f"identity_{name}": CardView(
            kind="identity",
            audience="direct" if name.startswith(direct) else "group",
            tokens=tokens(*offers),
            identity=view,
        )
        for name, (view, offers) in views.items()
    }


def _away(cause: Cause) -> dict[str, tuple[IdentityView, tuple[str, ...]]]:
    """Somebody who cannot be reached, by each reason, who is back, and who is bound no more."""
    return {
        "away_left_chat": (
            AwayView(name="Bob Ray", why="left_chat", bound=True, cause=_of(cause, "member.away", "bob", "Bob Ray")),
            (),
        ),
        "away_resigned": (
            AwayView(name=WORST, why="resigned", bound=True, cause=_of(cause, "member.away", "bob", WORST)),
            (),
        ),
        "away_back": (
            AwayView(name="Bob Ray", why=None, bound=True, cause=_of(cause, "member.back", "bob", "Bob Ray")),
            (),
        ),
        "away_gone": (AwayView(name="Bob Ray", why=None, bound=False, cause=None), ()),
    }


def _offered(now_ms: int) -> InvitationView:
    """An invitation that waits for its answer."""
    cause = Cause(
        seq=41,
        kind="invitation.offered",
        actor_id="ann",
        actor_name="Ann Li",
        at_ms=now_ms - DAY_MS,
        short_hash="5ac1e0b2",
    )
    return InvitationView(
        workspace="Docs team",
        state="open",
        name="Zoe Wu",
        member_id="zoe-wu",
        roles=("approver",),
        invited_by="Ann Li",
        expires_at_ms=now_ms + 2 * DAY_MS,
        cause=cause,
    )


def _of(cause: Cause, kind: str, actor_id: str, actor_name: str) -> Cause:
    """An event as it is told: an answer is the invited person's, whoever carried it."""
    return msgspec.structs.replace(cause, kind=kind, actor_id=actor_id, actor_name=actor_name)


def _ended(offered: InvitationView, cause: Cause) -> dict[str, tuple[IdentityView, tuple[str, ...]]]:
    zoe, ann = ("zoe-wu", "Zoe Wu"), ("ann", "Ann Li")
    causes = {
        "accepted": _of(cause, "invitation.accepted", *zoe),
        "declined": _of(cause, "invitation.ended", *zoe),
        "withdrawn": _of(cause, "invitation.ended", *ann),
        "expired": _of(cause, "invitation.ended", "daemon", "daemon"),
        "void": cause,
    }
    found: dict[str, tuple[IdentityView, tuple[str, ...]]] = {}
    for state, ended in causes.items():
        over = msgspec.structs.replace(offered, state=state, roles=(), cause=ended)
        found[f"invitation_{state}"] = (over, ())
        found[f"invite_{state}"] = (InviteView(values={}, problem_code=None, problem_details={}, sent=over), ())
    return found


def _channels() -> dict[str, tuple[IdentityView, tuple[str, ...]]]:
    docs = ShownView(goal_id="docs", title="Docs that can be followed")
    site = ShownView(goal_id="site", title="The new site")
    workspace = ShownView(goal_id="*", title="")
    many = tuple(ShownView(goal_id=f"goal-{number:04d}", title=WORST) for number in range(50))
    both = ("channel.bind", "channel.unbind")
    return {
        "channel_new": (ChannelView(shown=(), may_bind=(docs, workspace), may_let_go=(), more=0), both[:1]),
        "channel_bound": (
            ChannelView(shown=(workspace, docs), may_bind=(site,), may_let_go=(workspace, docs), more=0),
            both,
        ),
        "channel_nothing": (ChannelView(shown=(docs,), may_bind=(), may_let_go=(), more=0), ()),
        "channel_worst": (ChannelView(shown=many, may_bind=many, may_let_go=many, more=12), both),
    }
