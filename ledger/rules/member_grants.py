"""Grants and profiles of agents: what an owner lets an agent do, until when, and how an agent describes itself.

A grant is an owner's word and never the operator's. Whoever owns the workspace may grant anything in it; whoever owns a
goal may grant what concerns that goal and no other.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledger.events import Draft
from ledger.ids import GoalId, MemberId
from ledger.params import (
    LIST_MAX,
    Capabilities,
    CapabilityText,
    GoalIdText,
    MemberIdText,
    OptionalReason,
    Params,
    Scopes,
)
from ledger.records import CLOSED, Member
from ledger.refusals import Refusal
from ledger.rules.authority_events import GrantEnded, GrantWords, MemberGranted, MemberProfiled, ProfileWords
from ledger.rules.common import Caller, Decision, Held, is_owner, next_seq, refuse, registered
from ledger.rules.members import ProfileRole, living
from ledger.scopes import canonical_scope
from ledger.state import Workspace

GRANT_SECONDS_MAX = 400 * 86_400
GRANTS_MAX = 64
"""Grants of one member, those that ended included."""
SUMMARY_CHARS_MAX = 320

_Kinds = Annotated[
    tuple[Annotated[str, Field(pattern=r"^(\*|[a-z][a-z0-9_:-]{0,63})$")], ...], Field(max_length=LIST_MAX)
]
GrantId = Annotated[str, Field(pattern=r"^grant_[0-9]{1,16}$")]
TaskClass = Literal["advancement_task", "continuous_monitor", "user_gate", "user_action", "blocker"]


class GrantRefusal(StrEnum):
    """Why nothing is granted, in order of precedence."""

    GRANT_NOT_FOUND = "grant_not_found"
    MEMBER_NOT_FOUND = "member_not_found"
    MEMBER_REVOKED = "member_revoked"
    NOT_AN_AGENT = "not_an_agent"
    GRANT_GOAL_NOT_FOUND = "grant_goal_not_found"
    NOT_AN_OWNER = "not_an_owner"
    GOAL_STATE_FORBIDS = "goal_state_forbids"
    GRANT_NAMES_NOTHING = "grant_names_nothing"
    INVALID_WRITE_SCOPE = "invalid_write_scope"
    TOO_MANY_GRANTS = "too_many_grants"
    GRANT_ALREADY_ENDED = "grant_already_ended"
    PROFILE_ROLE_NOT_YOURS = "profile_role_not_yours"


class GrantMember(Params):
    """Let an agent do something on top of what it was registered for, or hold it to what is named."""

    member_id: Annotated[MemberIdText, Field(description="Which agent.")]
    goal_id: Annotated[
        tuple[GoalIdText, ...], Field(max_length=LIST_MAX, description="On which goals; on all it has when absent.")
    ] = ()
    action_kind: Annotated[
        _Kinds, Field(description="Kinds of todos it may do; from then on no others. `*` is every kind.")
    ] = ()
    write_scope: Annotated[Scopes, Field(description="What it may write; from then on nothing else.")] = ()
    capability: Annotated[Capabilities, Field(description="What it is able to do besides.")] = ()
    ttl_seconds: Annotated[
        int | None, Field(ge=1, le=GRANT_SECONDS_MAX, description="How long, in seconds; without end when absent.")
    ] = None
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class RevokeGrant(Params):
    """End a grant at once."""

    grant_id: Annotated[GrantId, Field(description="Which grant ends.")]
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class EndGrant(Params):
    """Write that a grant's time is over; the daemon's own."""

    grant_id: GrantId


class ListGrants(Params):
    """What was granted to agents, and until when."""

    member_id: Annotated[MemberIdText | None, Field(description="Only this agent's.")] = None


class ProfileMember(Params):
    """Say what an agent is for; a profile grants nothing."""

    member_id: Annotated[MemberIdText | None, Field(description="Which agent; the caller when absent.")] = None
    profile_role: Annotated[ProfileRole | None, Field(description="Advisory role; as before when absent.")] = None
    scope_summary: Annotated[
        str, Field(max_length=SUMMARY_CHARS_MAX, description="What it is for, in a few words.")
    ] = ""
    default_task_class: Annotated[
        tuple[TaskClass, ...], Field(max_length=8, description="Classes of todos it usually does.")
    ] = ()
    preferred_action_kind: Annotated[
        tuple[CapabilityText, ...], Field(max_length=LIST_MAX, description="Kinds of todos it likes best.")
    ] = ()
    avoid_action_kind: Annotated[
        tuple[CapabilityText, ...], Field(max_length=LIST_MAX, description="Kinds of todos it would rather not do.")
    ] = ()


def decide_grant(workspace: Workspace, caller: Caller, ask: GrantMember, now_ms: int) -> Decision:
    """Record exactly what is granted, and until when."""
    member = _agent(workspace, ask.member_id)
    if isinstance(member, Refusal):
        return member
    if (broken := _may_grant(workspace, caller, tuple(map(GoalId, ask.goal_id)))) is not None:
        return broken
    if (
        over := next((goal_id for goal_id in map(GoalId, ask.goal_id) if _is_over(workspace, goal_id)), None)
    ) is not None:
        return refuse(GrantRefusal.GOAL_STATE_FORBIDS, goal_id=over, state=workspace.goals[over].state)
    if not (ask.goal_id or ask.action_kind or ask.write_scope or ask.capability):
        return refuse(GrantRefusal.GRANT_NAMES_NOTHING)
    scopes: list[str] = []
    for text in ask.write_scope:
        if (scope := canonical_scope(text)) is None:
            return refuse(GrantRefusal.INVALID_WRITE_SCOPE, write_scope=text)
        scopes.append(scope)
    if len(workspace.authority.of_member.get(member.member_id, ())) >= GRANTS_MAX:
        return refuse(GrantRefusal.TOO_MANY_GRANTS, limit=GRANTS_MAX)
    facts = MemberGranted(
        grant_id=f"grant_{next_seq(workspace)}",
        member_id=member.member_id,
        goal_ids=tuple(dict.fromkeys(map(GoalId, ask.goal_id))),
        action_kinds=tuple(dict.fromkeys(ask.action_kind)),
        write_scopes=tuple(dict.fromkeys(scopes)),
        capabilities=tuple(dict.fromkeys(ask.capability)),
        until_ms=None if ask.ttl_seconds is None else now_ms + ask.ttl_seconds * 1000,
    )
    return (Draft(facts=facts, words=GrantWords(reason=ask.reason) if ask.reason else None),)


def decide_revoke_grant(workspace: Workspace, caller: Caller, ask: RevokeGrant, _now_ms: int) -> Decision:
    """End what an owner granted; whoever could have granted it may end it."""
    grant = workspace.authority.grants.get(ask.grant_id)
    if grant is None:
        return refuse(GrantRefusal.GRANT_NOT_FOUND, grant_id=ask.grant_id)
    if (broken := _may_grant(workspace, caller, grant.goal_ids)) is not None:
        return broken
    if grant.ended:
        return refuse(GrantRefusal.GRANT_ALREADY_ENDED, grant_id=ask.grant_id)
    words = GrantWords(reason=ask.reason) if ask.reason else None
    return (Draft(facts=GrantEnded(grant_id=grant.grant_id, member_id=grant.member_id, lapsed=False), words=words),)


def decide_end_grant(workspace: Workspace, _caller: Caller, ask: EndGrant, now_ms: int) -> Decision:
    """Write off a grant whose time is over."""
    grant = workspace.authority.grants.get(ask.grant_id)
    if grant is None or grant.ended or grant.until_ms is None or now_ms < grant.until_ms:
        return Held(seq=workspace.seq, facts={"grant_id": ask.grant_id})
    return (Draft(facts=GrantEnded(grant_id=grant.grant_id, member_id=grant.member_id, lapsed=True)),)


def decide_profile(workspace: Workspace, caller: Caller, ask: ProfileMember, _now_ms: int) -> Decision:
    """An agent describes itself; what it is called by rank is for those who administer."""
    member = _agent(workspace, ask.member_id or caller.member_id)
    if isinstance(member, Refusal):
        return member
    if caller.kind == "agent" and member.member_id != caller.member_id:
        return refuse(GrantRefusal.NOT_AN_OWNER)
    role = ask.profile_role or member.profile_role
    if caller.kind == "agent" and role != member.profile_role:
        return refuse(GrantRefusal.PROFILE_ROLE_NOT_YOURS, profile_role=role)
    facts = MemberProfiled(
        member_id=member.member_id,
        profile_role=role,
        default_task_classes=tuple(dict.fromkeys(ask.default_task_class)),
        preferred_action_kinds=tuple(dict.fromkeys(ask.preferred_action_kind)),
        avoid_action_kinds=tuple(dict.fromkeys(ask.avoid_action_kind)),
    )
    return (Draft(facts=facts, words=ProfileWords(scope_summary=ask.scope_summary)),)


def _agent(workspace: Workspace, member_id: str) -> Member | Refusal:
    member = living(workspace, member_id)
    if isinstance(member, Refusal) or member.kind == "agent":
        return member
    return refuse(GrantRefusal.NOT_AN_AGENT, member_id=member_id)


def _is_over(workspace: Workspace, goal_id: GoalId) -> bool:
    return workspace.goals[goal_id].state in CLOSED


def _may_grant(workspace: Workspace, caller: Caller, goal_ids: tuple[GoalId, ...]) -> Refusal | None:
    """An owner of the workspace may; an owner of every goal that is named may as well."""
    unknown = [goal_id for goal_id in goal_ids if goal_id not in workspace.goals]
    if unknown:
        return refuse(GrantRefusal.GRANT_GOAL_NOT_FOUND, goal_id=unknown[0])
    member = registered(workspace, MemberId(caller.member_id))
    if member is not None and "owner" in member.roles:
        return None
    owned = [is_owner(workspace.goals[goal_id], caller.member_id, workspace) for goal_id in goal_ids]
    return None if owned and all(owned) else refuse(GrantRefusal.NOT_AN_OWNER)
