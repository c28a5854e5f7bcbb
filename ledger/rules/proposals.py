"""Proposals: work that somebody thinks of who may only propose.

A proposal is nobody's work: it is never ready, nobody can claim it, and nothing that was decided waits for it. Those
who may decide a plan of the goal let it in or turn it down; whoever proposed it may take it back.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, TodoId
from ledger.records import CLOSED, Todo
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, refuse
from ledger.rules.decisions import cannot_unblock, not_there
from ledger.rules.plans import may_decide
from ledger.rules.todo_events import ReasonWords, TodoAdmitted, TodoDeclined
from ledger.rules.todo_params import AdmitTodo, DeclineTodo
from ledger.state import Goal, Workspace


class ProposalRefusal(StrEnum):
    """Why a proposal is not admitted or declined, in order of precedence."""

    GOAL_CLOSED = "goal_closed"
    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    TODO_NOT_FOUND = "todo_not_found"
    PROPOSAL_NEEDS_OWNER = "proposal_needs_owner"
    TODO_NOT_PROPOSED = "todo_not_proposed"
    DEPENDENCY_NOT_FOUND = "dependency_not_found"
    TODO_HAS_DEPENDENTS = "todo_has_dependents"


def decide_admit(workspace: Workspace, caller: Caller, ask: AdmitTodo, _now_ms: int) -> Decision:
    """Let it become work, if all it waits for is work and it would not come to wait for itself."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if goal.state not in CLOSED and goal.state == "delivered":
        # Work let in behind a delivery would be accepted unseen.
        return refuse(ProposalRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    todo = _proposal(goal, ask.todo_id)
    if isinstance(todo, Refusal):
        return todo
    if not may_decide(workspace, goal, caller.member_id):
        return refuse(ProposalRefusal.PROPOSAL_NEEDS_OWNER, todo_id=todo.todo_id)
    if todo.status != "proposed":
        return refuse(ProposalRefusal.TODO_NOT_PROPOSED, todo_id=todo.todo_id, status=todo.status)
    if missing := not_there(goal, todo.depends_on, proposed=False):
        return refuse(ProposalRefusal.DEPENDENCY_NOT_FOUND, depends_on=missing)
    if (broken := cannot_unblock(goal, todo.unblocks_todo_id, todo.depends_on)) is not None:
        return broken
    return (Draft(facts=TodoAdmitted(todo_id=todo.todo_id), goal_id=goal.goal_id),)


def decide_decline(workspace: Workspace, caller: Caller, ask: DeclineTodo, _now_ms: int) -> Decision:
    """Turn it down: what else was proposed on top of it goes first."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = _proposal(goal, ask.todo_id)
    if isinstance(todo, Refusal):
        return todo
    if caller.member_id != todo.proposed_by and not may_decide(workspace, goal, caller.member_id):
        return refuse(ProposalRefusal.PROPOSAL_NEEDS_OWNER, todo_id=todo.todo_id)
    if todo.status != "proposed":
        return refuse(ProposalRefusal.TODO_NOT_PROPOSED, todo_id=todo.todo_id, status=todo.status)
    if dependents := sorted(goal.waiting.get(todo.todo_id, ())):
        return refuse(ProposalRefusal.TODO_HAS_DEPENDENTS, dependents=dependents)
    words = ReasonWords(reason=ask.reason) if ask.reason else None
    return (Draft(facts=TodoDeclined(todo_id=todo.todo_id), words=words, goal_id=goal.goal_id),)


def _proposal(goal: Goal, todo_id: str) -> Todo | Refusal:
    if goal.state in CLOSED:
        return refuse(ProposalRefusal.GOAL_CLOSED, state=goal.state)
    todo = goal.todos.get(TodoId(todo_id))
    return refuse(ProposalRefusal.TODO_NOT_FOUND, todo_id=todo_id) if todo is None else todo
