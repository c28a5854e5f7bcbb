"""Authority: what a member may do beyond what its registration says, until when, and by whose word.

A grant adds a goal or a capability, and it limits: an agent whose action kinds or write scopes an owner has ever named
for a goal is held to those that are named and in force. When the last of them ends, nothing of that subject is left,
never everything. An agent of whom nothing was named may do what the goal's boundary allows. Rank grants nothing.
"""

from collections.abc import Iterator
from typing import Literal

from ledger.ids import GoalId, MemberId
from ledger.parts.authority import MemberGrant
from ledger.records import Todo
from ledger.rules.common import registered
from ledger.rules.leases import effective_claim
from ledger.scopes import within
from ledger.state import Goal, Workspace

ANY_KIND = "*"
PROPOSER = "dreaming_proposer"
DelegatedAction = Literal["complete", "supersede", "update"]


def forbids(workspace: Workspace, member_id: MemberId, goal_id: GoalId, todo: Todo, now_ms: int) -> str | None:
    """The refusal code of the grant that this agent lacks for this work, or None."""
    named = tuple(_about(workspace, member_id, goal_id))
    alive = [grant for grant in named if _in_force(grant, now_ms)]
    if only_proposes(workspace, member_id, goal_id, now_ms):
        return "proposer_only"
    if member_id not in workspace.authority.registrations:
        return None
    return (
        _goal_ended(workspace, member_id, goal_id, alive)
        or _kind_missing(named, alive, todo)
        or scopes_forbidden(workspace, member_id, goal_id, todo.required_write_scopes, now_ms)
        or _capability_ended(workspace, member_id, goal_id, todo, alive)
    )


def only_proposes(workspace: Workspace, member_id: MemberId, goal_id: GoalId, now_ms: int) -> bool:
    """Whether all that this member adds to the goal is a proposal: its profile says so, and no grant lifts it."""
    member = registered(workspace, member_id)
    if member is None or member.profile_role != PROPOSER:
        return False
    return not any(_in_force(grant, now_ms) for grant in _about(workspace, member_id, goal_id))


def scopes_forbidden(
    workspace: Workspace, member_id: MemberId, goal_id: GoalId, scopes: tuple[str, ...], now_ms: int
) -> str | None:
    """The refusal code where one of these scopes is outside what the agent may write, or None."""
    named = [grant for grant in _about(workspace, member_id, goal_id) if grant.write_scopes]
    if not named or not scopes:
        return None
    goal = workspace.goals[goal_id]
    allowed = tuple(scope for grant in named if _in_force(grant, now_ms) for scope in grant.write_scopes)
    fold_case = goal.intent.fold_case
    inside = all(within(scope, allowed, fold_case=fold_case) for scope in scopes)
    return None if inside else "write_scope_not_granted"


def delegated(
    workspace: Workspace, goal: Goal, todo: Todo, member_id: MemberId, action: DelegatedAction, now_ms: int
) -> str | None:
    """The id of the delegation by which this agent may do this to another's todo, or None. Exclusion always wins."""
    grants = goal.handoffs.of_delegate.get(member_id)
    if not grants or member_id in todo.excluded_agents or registered(workspace, member_id) is None:
        return None
    holder = todo.completed_by if todo.status == "done" else effective_claim(goal, todo, now_ms)
    whose = holder or todo.bound_agent
    for grant_id in grants:
        grant = goal.handoffs.delegations[grant_id]
        if action not in grant.actions or now_ms >= grant.until_ms or whose != grant.on_behalf_of:
            continue
        if todo.bound_agent not in {None, grant.on_behalf_of}:
            continue
        if todo.todo_id in grant.todo_ids or todo.action_kind in grant.action_kinds:
            return grant_id
    return None


def holds_kind(workspace: Workspace, member_id: MemberId, goal_id: GoalId | None, kind: str, now_ms: int) -> bool:
    """Whether an owner granted this kind of action by its name: for this goal, or for all where none is given."""
    for grant_id in workspace.authority.of_member.get(member_id, ()):
        grant = workspace.authority.grants[grant_id]
        about = not grant.goal_ids or goal_id in grant.goal_ids
        if about and kind in grant.action_kinds and _in_force(grant, now_ms):
            return True
    return False


def _about(workspace: Workspace, member_id: MemberId, goal_id: GoalId) -> Iterator[MemberGrant]:
    """Every grant that this member ever had for this goal."""
    for grant_id in workspace.authority.of_member.get(member_id, ()):
        grant = workspace.authority.grants[grant_id]
        if not grant.goal_ids or goal_id in grant.goal_ids:
            yield grant


def _in_force(grant: MemberGrant, now_ms: int) -> bool:
    return not grant.ended and (grant.until_ms is None or now_ms < grant.until_ms)


def _goal_ended(workspace: Workspace, member_id: MemberId, goal_id: GoalId, alive: list[MemberGrant]) -> str | None:
    """A goal that came by a grant goes with it, whether or not its end is written yet."""
    before = workspace.authority.registrations[member_id].goals
    granted = any(goal_id in grant.goal_ids for grant in alive)
    return None if granted or "*" in before or goal_id in before else "goal_not_granted"


def _kind_missing(named: tuple[MemberGrant, ...], alive: list[MemberGrant], todo: Todo) -> str | None:
    if not any(grant.action_kinds for grant in named):
        return None
    kinds = {kind for grant in alive for kind in grant.action_kinds}
    return None if ANY_KIND in kinds or todo.action_kind in kinds else "action_kind_not_granted"


def _capability_ended(
    workspace: Workspace, member_id: MemberId, goal_id: GoalId, todo: Todo, alive: list[MemberGrant]
) -> str | None:
    before = workspace.authority.registrations[member_id].capabilities
    has = {*before, *(name for grant in alive for name in grant.capabilities)}
    needed = (*workspace.goals[goal_id].intent.capabilities, *todo.required_capabilities)
    return None if has.issuperset(needed) else "capability_missing"
