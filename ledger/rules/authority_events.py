"""What happened to the rights of members: profiles and grants."""

from ledger.events import Facts, Kind, Words
from ledger.ids import GoalId, MemberId


class MemberGranted(Facts, frozen=True, kw_only=True):
    """An owner granted something to an agent."""

    grant_id: str
    member_id: MemberId
    goal_ids: tuple[GoalId, ...]
    action_kinds: tuple[str, ...]
    write_scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    until_ms: int | None


class GrantWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


class GrantEnded(Facts, frozen=True, kw_only=True):
    """A grant ended: by an owner's word, or because its time was over."""

    grant_id: str
    member_id: MemberId
    lapsed: bool


class MemberProfiled(Facts, frozen=True, kw_only=True):
    """An agent's profile is what it says now; it grants nothing."""

    member_id: MemberId
    profile_role: str | None
    default_task_classes: tuple[str, ...]
    preferred_action_kinds: tuple[str, ...]
    avoid_action_kinds: tuple[str, ...]


class ProfileWords(Words, frozen=True, kw_only=True):
    """What the agent is for, in its own words."""

    scope_summary: str


KINDS: tuple[Kind, ...] = (
    Kind("member.granted", 1, MemberGranted, GrantWords),
    Kind("member.grant_ended", 1, GrantEnded, GrantWords),
    Kind("member.profiled", 1, MemberProfiled, ProfileWords),
)
