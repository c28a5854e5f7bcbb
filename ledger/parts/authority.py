"""The rights of members beyond their registration: profiles and grants."""

import msgspec

from ledger.ids import GoalId, MemberId
from ledger.parts.base import Part


class MemberGrant(msgspec.Struct, frozen=True, kw_only=True):
    """What an owner granted to an agent, and until when. An empty list says nothing of its subject."""

    grant_id: str
    member_id: MemberId
    goal_ids: tuple[GoalId, ...]
    """Empty: every goal that the agent has."""
    action_kinds: tuple[str, ...]
    write_scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    until_ms: int | None
    granted_by: MemberId
    seq: int
    ended: bool = False


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent describes itself (`agent_profile_v1`). `scope_summary` is words; nothing here grants anything."""

    agent_id: MemberId
    default_task_classes: tuple[str, ...]
    preferred_action_kinds: tuple[str, ...]
    avoid_action_kinds: tuple[str, ...]
    scope_summary: str
    seq: int


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """What a member had before anything was granted: it stays when grants end."""

    goals: tuple[str, ...]
    capabilities: tuple[str, ...]


class Authority(Part):
    """The rights of members beyond their registration: profiles and grants."""

    grants: dict[str, MemberGrant] = msgspec.field(default_factory=dict)
    of_member: dict[MemberId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """All grants a member ever had, those that ended included: they say what is limited to what is granted."""
    registrations: dict[MemberId, Registration] = msgspec.field(default_factory=dict)
    profiles: dict[MemberId, Profile] = msgspec.field(default_factory=dict)
    codes: dict[MemberId, int] = msgspec.field(default_factory=dict)
    """By person: the number of their enrolment for one-time codes; the codes of an earlier one are good no more."""
    code_steps: dict[MemberId, int] = msgspec.field(default_factory=dict)
    """By person: the time step of the last one-time code that counted."""
    until: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """The ends of grants that have not ended yet, in their order."""
