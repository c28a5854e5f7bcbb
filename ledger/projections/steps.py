"""The next safe step: which action on which subject moves a goal along, and whose step it is.

A step names the action and its subject, never a command line: whoever renders it draws the line, the button or the
sentence. It follows from the goal's state and from one verdict of the quota, and from nothing else.
"""

from typing import Literal, NamedTuple

import msgspec

from ledger.ids import MemberId
from ledger.projections.holds import Listed, hold_of
from ledger.records import CLOSED
from ledger.rules.common import lacking, owners_of
from ledger.rules.gates import CODES, GATE_OVER, awaited
from ledger.rules.goals import state_basis
from ledger.rules.intents import erased_fields
from ledger.rules.quota import QuotaState, Verdict
from ledger.state import Goal, Workspace

By = Literal["owner", "agent", "operator", "nobody"]


class Given(NamedTuple):
    """A verdict and the agent it was given to."""

    agent_id: MemberId | None
    verdict: Verdict


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step. `key` names its sentence (`cli.next.<key>`); without an action it says why none is needed."""

    key: str
    action: str | None
    by: By
    members: tuple[MemberId, ...] = ()
    subject: dict[str, object] = {}
    basis: str | None = None

    def document(self) -> dict[str, object]:
        """As it stands in a projection."""
        return {
            "code": self.key,
            "action": self.action,
            "subject": self.subject,
            "by": self.by,
            "members": list(self.members),
            "basis": self.basis,
        }


def next_step(workspace: Workspace, goal: Goal, given: Given, listed: Listed, now_ms: int) -> Step:
    """The step that follows from where the goal stands and from one agent's verdict."""
    owners, agent_id = owners_of(goal, workspace), given.agent_id
    if goal.state in CLOSED:
        return Step(key="closed", action=None, by="nobody", subject={"goal_id": goal.goal_id})
    if (decision := _owners_step(goal, owners)) is not None:
        return decision
    match given.verdict.state:
        case QuotaState.ELIGIBLE:
            return _work(goal, given, now_ms)
        case QuotaState.OBJECTIVE_REVIEW_REQUIRED:
            return _step("goal.adopt", "agent", _only(agent_id), goal_id=goal.goal_id, revision=goal.confirmed)
        case QuotaState.REPLAN_REQUIRED:
            return _step("run.replan", "agent", _only(agent_id), goal_id=goal.goal_id)
        case QuotaState.MONITOR_DUE if given.verdict.todo is not None:
            todo_id = given.verdict.todo.todo_id
            return _step("run.observe", "agent", _only(agent_id), goal_id=goal.goal_id, todo_id=todo_id)
        case QuotaState.PAUSED:
            return _step("quota.set", "owner", owners, goal_id=goal.goal_id)
        case QuotaState.WORKSPACE_GUARD:
            return _step("member.grant", "owner", owners, goal_id=goal.goal_id, member_id=agent_id)
        case QuotaState.OPERATOR_GATE if given.verdict.gate_id is not None or given.verdict.reason_codes[0] in CODES:
            return _at_a_gate(workspace, goal, given.verdict, owners, now_ms)
        case QuotaState.CAPABILITY_MISSING:
            lacks = _missing(workspace, goal, agent_id)
            return _step("member.add", "operator", (), goal_id=goal.goal_id, capabilities=lacks)
        case QuotaState.THROTTLED:
            return _step("goal.revise", "owner", owners, goal_id=goal.goal_id, field="allowed_slots")
        case _:
            return _without_work(goal, given, owners, listed)


def _owners_step(goal: Goal, owners: tuple[MemberId, ...]) -> Step | None:
    if goal.state == "paused":
        return _step("goal.resume", "owner", owners, state_basis(goal), goal_id=goal.goal_id)
    if goal.state == "delivered" and goal.delivery is not None:
        return _step(
            "goal.accept", "owner", owners, goal.delivery.basis, goal_id=goal.goal_id, delivery=goal.delivery.number
        )
    if goal.question is not None:
        people = tuple(dict.fromkeys((*owners, goal.proposed_by)))
        return _step("goal.clarify", "owner", people, goal_id=goal.goal_id, question_id=goal.question.question_id)
    if not goal.confirmed and goal.pending:
        intent = goal.intents[goal.pending - 1]
        if erased_fields(intent):
            return _step("promise_erased", "owner", owners, goal_id=goal.goal_id, revision=intent.number)
        return _step("goal.confirm", "owner", owners, intent.basis, goal_id=goal.goal_id, revision=intent.number)
    return None


def _work(goal: Goal, given: Given, now_ms: int) -> Step:
    todo, agent_id = given.verdict.todo, given.agent_id
    assert todo is not None, "a verdict to run names its todo"
    if hold_of(goal, todo, now_ms).owner == agent_id:
        action = "todo.complete"
    elif goal.intent.handoff_mode == "hard_lease":
        action = "task-lease.acquire"
    else:
        action = "todo.claim"
    return _step(action, "agent", _only(agent_id), goal_id=goal.goal_id, todo_id=todo.todo_id)


def _at_a_gate(workspace: Workspace, goal: Goal, verdict: Verdict, owners: tuple[MemberId, ...], now_ms: int) -> Step:
    """Those who may still decide it decide; where nobody may, the owners ask again, mend it or take the work out."""
    code, subject = verdict.reason_codes[0], {"goal_id": goal.goal_id, "gate_id": verdict.gate_id}
    gate = None if verdict.gate_id is None else goal.gates.by_id[verdict.gate_id]
    if gate is None:
        return Step(key=code, action="gate.open", by="owner", members=owners, subject={"goal_id": goal.goal_id})
    if code == GATE_OVER:
        return Step(key=code, action=None, by="nobody", subject={**subject})
    if code == "gate_blocks":
        return _step("gate.show", "owner", awaited(workspace, gate, now_ms), **subject)
    action = "gate.withdraw" if gate.is_open else "gate.show"
    return Step(key=code, action=action, by="owner", members=owners, subject={**subject})


def _without_work(goal: Goal, given: Given, owners: tuple[MemberId, ...], listed: Listed) -> Step:
    """What unlocks a goal in which nobody can begin anything."""
    for todo in listed.todos:
        if todo.role == "user" and todo.status == "open" and todo.todo_id not in goal.unmet:
            return _step("todo.complete_user", "owner", owners, goal_id=goal.goal_id, todo_id=todo.todo_id)
    if listed.blocked:
        return _step(
            "todo.update", "owner", owners, goal_id=goal.goal_id, todo_id=listed.blocked[0].todo_id, status="open"
        )
    if given.verdict.reason_codes == ("no_agent_granted",):
        return _step("member.add_agent", "operator", (), goal_id=goal.goal_id, kind="agent")
    if not listed.counts.open and (proposed := next(iter(goal.handoffs.proposals), None)) is not None:
        return _step("todo.admit", "owner", owners, goal_id=goal.goal_id, todo_id=proposed)
    if listed.counts.open:
        return Step(key="wait", action=None, by="nobody", subject={"goal_id": goal.goal_id})
    if _deliverable(goal):
        return _step("goal.deliver", "agent", _only(given.agent_id), goal_id=goal.goal_id)
    return _step("todo.add", "agent", _only(given.agent_id), goal_id=goal.goal_id)


def _deliverable(goal: Goal) -> bool:
    """Whether something is proved that no delivery has put before the owners yet."""
    delivered = frozenset(() if goal.delivery is None else goal.delivery.artifact_ids)
    return any(
        todo.status == "done" and not delivered.issuperset(todo.evidence) for todo in reversed(goal.todos.values())
    )


def _missing(workspace: Workspace, goal: Goal, agent_id: MemberId | None) -> list[str]:
    """What the agent lacks for the most urgent work it was passed over for."""
    member = None if agent_id is None else workspace.members.get(agent_id)
    if member is None:
        return []
    for _, _, todo_id in goal.ready:
        if lacks := lacking(goal, goal.todos[todo_id], member):
            return lacks
    return []


def _only(agent_id: MemberId | None) -> tuple[MemberId, ...]:
    return () if agent_id is None else (agent_id,)


def _step(key: str, by: By, members: tuple[MemberId, ...], basis: str | None = None, **subject: object) -> Step:
    action = {
        "todo.complete_user": "todo.complete",
        "member.add_agent": "member.add",
        "promise_erased": "goal.revise",
    }.get(key, key)
    return Step(key=key.replace("-", "_"), action=action, by=by, members=members, subject=subject, basis=basis)
