"""Verdicts: who is told to run may, who is told not to could not, and no two answers of one verdict contradict."""

from ledger.ids import GoalId, MemberId
from ledger.projections.verdict import should_run_document
from ledger.rules.quota import QuotaDecision, Verdict, decide_should_run
from ledger.state import Workspace
from tests.histories.audits.beliefs import Model
from tests.histories.audits.model import ENDED, Promise, Work, decides
from tests.histories.audits.slots import owes

CONSERVATIVE = frozenset({"write_scope_not_granted"})
"""A reason that compares scopes by their beginnings, where the auditor tries paths: it may be careful."""
HELD_FOR_ALL = frozenset({"throttled", "replan_required", "objective_review_required", "paused", "blocked_health"})
"""What stands before any work; each of these has a check of its own."""


def check(model: Model, state: Workspace, goal_id: str, agent: str, at_ms: int) -> Verdict:
    """Hold one verdict against what the events say. The work of a verdict is what may be begun."""
    verdict = decide_should_run(state, GoalId(goal_id), MemberId(agent), at_ms)
    promise = model.promises.get(goal_id)
    if promise is None or (being := model.living(agent)) is None or being.kind != "agent":
        assert verdict.decision is QuotaDecision.SKIP, "what cannot be read is a no"
        return verdict
    runs = verdict.decision is QuotaDecision.RUN
    assert (verdict.todo is not None) == (verdict.decision in {QuotaDecision.RUN, QuotaDecision.OBSERVE})
    if promise.state in ENDED or promise.state == "paused" or not promise.settings[0]:
        assert verdict.decision is QuotaDecision.SKIP, f"{promise.state} and told to {verdict.decision}"
    if runs:
        assert verdict.todo is not None
        _may_run(model, promise, promise.work[verdict.todo.todo_id], agent)
    elif verdict.state.value == "throttled":
        _is_throttled(model, promise, agent)
    elif verdict.state.value == "replan_required":
        assert owes(promise.streaks.get(agent), promise.plan_seq)
    elif verdict.state.value == "objective_review_required":
        assert model.unread(promise, agent)
    elif verdict.state.value not in HELD_FOR_ALL and not CONSERVATIVE & {*verdict.reason_codes}:
        free = [one.todo_id for one in promise.work.values() if _is_free(model, promise, one, agent)]
        assert not free, f"{agent} could do {free} and was told {verdict.reason_codes}"
    if verdict.gate_id is not None:
        _gate_is_in_the_way(model, promise, verdict.gate_id, agent)
    return verdict


def _may_run(model: Model, promise: Promise, work: Work, agent: str) -> None:
    broken = model.why_not(promise, work, agent)
    assert broken is None, f"{agent} was told to do {work.todo_id}: {broken}"
    assert not owes(promise.streaks.get(agent), promise.plan_seq), "told to run without the new plan that was due"
    assert model.spent(promise) < model.allowed(promise), "told to run with nothing left"
    cap = promise.intent.token_cap
    assert cap is None or promise.tokens < cap, "told to run beyond the hard cap"


def _is_throttled(model: Model, promise: Promise, agent: str) -> None:
    others = sum(
        one.slots for one in promise.admissions.values() if one.agent != agent and one.ends_at_ms > model.at_ms
    )
    used_up = model.spent(promise) + others >= model.allowed(promise)
    intent = promise.intent
    capped = intent.token_cap is not None and promise.tokens >= intent.token_cap
    assert used_up or capped, "throttled with something left"


def _is_free(model: Model, promise: Promise, work: Work, agent: str) -> bool:
    if work.task_class != "advancement_task" or model.why_not(promise, work, agent) is not None:
        return False
    leased = (
        hold.paths
        for other, hold in promise.holds.items()
        if other != work.todo_id and model.effective(promise, other) is not None
    )
    granted = any(one.scopes for one in model.rights.values() if one.about(agent, promise.goal_id))
    # Where scopes are compared by their beginnings the ledger may be careful; it must not be where none are named.
    return not (work.scopes and (granted or any(leased)))


def _gate_is_in_the_way(model: Model, promise: Promise, gate_id: str, agent: str) -> None:
    """A gate that is the reason holds up the whole goal, or work that this agent would otherwise begin."""
    standing = {one.gate.gate_id: one.gate for one in model.standing.values() if not one.yes and not one.revoked}
    gate = promise.gates.get(gate_id) or standing[gate_id]
    assert gate.status not in {"approved", "withdrawn", "superseded"}, "held up by a gate that is none any more"
    if gate.whole_goal:
        return
    mine = [
        work
        for work in promise.work.values()
        if model.is_open(promise, work)
        and agent not in work.excluded
        and work.bound in {None, agent}
        and model.claimant(promise, work.todo_id) in {None, agent}
        and (work.todo_id in gate.todos or any(decides(gate.scope or "none:action:-", need) for need in work.decisions))
    ]
    assert mine, "another's gate stopped work that it does not name"


def no_contradiction(state: Workspace, goal_id: str, agent: str, at_ms: int) -> None:
    """Every boolean of the answer follows from its one decision."""
    goal = state.goals[GoalId(goal_id)]
    answer = should_run_document(state, goal, MemberId(agent), at_ms)
    decision, frame = answer["decision"], answer["decision_frame"]
    contract = answer["interaction_contract"]
    assert isinstance(frame, dict)
    assert isinstance(contract, dict)
    channel, user = contract["agent_channel"], contract["user_channel"]
    assert answer["should_run"] == (decision == "run") == channel["delivery_allowed"]
    assert answer["requires_user_action"] == frame["user_action_required"] == user["action_required"]
    assert answer["requires_user_action"] == (decision == "ask_user")
    assert frame["quiet_noop_allowed"] == channel["quiet_noop_allowed"] == (decision == "skip")
    assert not (channel["must_attempt"] and user["action_required"]), "told to wait and to go on"
    assert (user["notify"] == "NOTIFY") == user["action_required"]
    assert (answer["selected_todo"] is None) == (decision not in {"run", "observe"})
