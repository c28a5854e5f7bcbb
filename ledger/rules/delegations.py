"""Delegations: an owner lets one agent finish, withdraw or change another's todos, with a reason and an end.

Whoever was excluded from a todo stays excluded; a delegation gives nobody a right they were denied.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, granted, is_owner, next_seq, refuse, registered
from ledger.rules.handoff_events import DelegationEnded, TodoDelegated
from ledger.rules.handoff_params import DelegateTodo, UndelegateTodo
from ledger.rules.todo_events import ReasonWords
from ledger.state import Goal, Workspace

DELEGATIONS_MAX = 256
"""Delegations of one goal that have not been ended."""


class DelegationRefusal(StrEnum):
    """Why nothing is delegated, in order of precedence."""

    GOAL_CLOSED = "goal_closed"
    NOT_AN_OWNER = "not_an_owner"
    DELEGATION_NOT_FOUND = "delegation_not_found"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    DELEGATE_IS_HOLDER = "delegate_is_holder"
    DELEGATION_NAMES_NOTHING = "delegation_names_nothing"
    TODO_NOT_FOUND = "todo_not_found"
    ACTOR_EXCLUDED = "actor_excluded"
    TOO_MANY_DELEGATIONS = "too_many_delegations"


def decide_delegate(workspace: Workspace, caller: Caller, ask: DelegateTodo, now_ms: int) -> Decision:
    """Delegate exactly what is named, until it ends."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if goal.state in CLOSED:
        return refuse(DelegationRefusal.GOAL_CLOSED, state=goal.state)
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(DelegationRefusal.NOT_AN_OWNER)
    if (broken := _agents(workspace, goal, ask) or _subject(goal, ask)) is not None:
        return broken
    if len(goal.handoffs.delegations) >= DELEGATIONS_MAX:
        return refuse(DelegationRefusal.TOO_MANY_DELEGATIONS, limit=DELEGATIONS_MAX)
    facts = TodoDelegated(
        grant_id=f"dlg_{next_seq(workspace)}",
        agent_id=MemberId(ask.agent_id),
        on_behalf_of=MemberId(ask.on_behalf_of),
        todo_ids=tuple(dict.fromkeys(map(TodoId, ask.todo_id))),
        action_kinds=tuple(dict.fromkeys(ask.action_kind)),
        actions=tuple(dict.fromkeys(ask.allowed_action)),
        until_ms=now_ms + ask.ttl_seconds * 1000,
    )
    return (Draft(facts=facts, words=ReasonWords(reason=ask.reason), goal_id=goal.goal_id),)


def decide_undelegate(workspace: Workspace, caller: Caller, ask: UndelegateTodo, _now_ms: int) -> Decision:
    """End one at once."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(DelegationRefusal.NOT_AN_OWNER)
    found = goal.handoffs.delegations.get(ask.grant_id)
    if found is None:
        return refuse(DelegationRefusal.DELEGATION_NOT_FOUND, grant_id=ask.grant_id)
    words = ReasonWords(reason=ask.reason) if ask.reason else None
    facts = DelegationEnded(grant_id=found.grant_id, agent_id=found.agent_id)
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def _agents(workspace: Workspace, goal: Goal, ask: DelegateTodo) -> Refusal | None:
    for agent_id in (ask.agent_id, ask.on_behalf_of):
        member = registered(workspace, MemberId(agent_id))
        if member is None or member.kind != "agent" or not granted(member, goal.goal_id):
            return refuse(DelegationRefusal.ACTOR_NOT_REGISTERED, member_id=agent_id)
    if ask.agent_id == ask.on_behalf_of:
        return refuse(DelegationRefusal.DELEGATE_IS_HOLDER, agent_id=ask.agent_id)
    return None


def _subject(goal: Goal, ask: DelegateTodo) -> Refusal | None:
    if not ask.todo_id and not ask.action_kind:
        return refuse(DelegationRefusal.DELEGATION_NAMES_NOTHING)
    found = {todo_id: goal.todos.get(TodoId(todo_id)) for todo_id in ask.todo_id}
    for todo_id, todo in found.items():
        if todo is None:
            return refuse(DelegationRefusal.TODO_NOT_FOUND, todo_id=todo_id)
        if ask.agent_id in todo.excluded_agents:
            return refuse(DelegationRefusal.ACTOR_EXCLUDED, member_id=ask.agent_id)
    return None
