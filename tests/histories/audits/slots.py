"""Quota and runs: admitted within what is allowed, paid once and only for what was delivered."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.model import Admitted, Paid
from tests.histories.audits.work import begins

PROGRESS = frozenset({"outcome_progress", "primary_goal_outcome"})


def _reserved(case: Case) -> None:
    facts, promise, model = case.facts, case.promise, case.model
    assert facts.agent_id == case.event.actor
    begins(case, facts.agent_id)
    assert facts.todo_id not in promise.admissions, "two admissions to one todo"
    assert not obliged(case, facts.agent_id), "admitted without the new plan that was due"
    assert promise.settings[0], "admitted while nothing may be done"
    taken = model.spent(promise) + model.reserved(promise) + facts.slots
    assert taken <= model.allowed(promise), f"{taken} of {model.allowed(promise)} slots are given away"
    cap = promise.intent.token_cap
    assert cap is None or promise.tokens < cap, "admitted beyond the hard cap"
    ends_at_ms = facts.expires_at_ms
    promise.admissions[facts.todo_id] = Admitted(
        facts.admission_id, facts.agent_id, facts.turn_instance_id, facts.slots, ends_at_ms
    )


def _admission_ended(case: Case) -> None:
    one = case.promise.admissions.pop(case.facts.todo_id)
    assert one.admission_id == case.facts.ended_admission_id
    if case.event.kind == "admission.expired":
        assert one.ends_at_ms <= case.event.at_ms, "expired before its end"
    elif case.facts.cause == "given_back":
        assert case.owns or case.event.actor == one.agent


def _spent(case: Case) -> None:
    facts, promise = case.facts, case.promise
    key = (facts.agent_id, facts.todo_id, facts.turn_instance_id)
    work = promise.work[facts.todo_id]
    assert facts.agent_id == case.event.actor
    assert (work.status, work.completed_by) == ("done", facts.agent_id), "paid for nothing that was delivered"
    assert promise.runs[facts.run_id][0] == key, "paid by another turn's run"
    assert promise.runs[facts.run_id][1] in PROGRESS, "paid for a turn that came to nothing"
    assert all(one.key != key for one in promise.spends.values()), "one turn was paid for twice"
    admission = promise.admissions.get(facts.todo_id)
    if admission is not None and (admission.agent, admission.turn) == (facts.agent_id, facts.turn_instance_id):
        del promise.admissions[facts.todo_id]
    promise.spends[facts.spend_id] = Paid(key, facts.slots, case.event.at_ms)


def _voided(case: Case) -> None:
    one = case.promise.spends[case.facts.spend_id]
    assert not one.voided, "taken back twice"
    assert case.owns or case.event.actor == one.key[0]
    assert case.facts.slots == one.slots
    one.voided = True


def _set(case: Case) -> None:
    facts = case.facts
    case.promise.settings = (facts.compute_permille, facts.window_hours, facts.slot_minutes, facts.allowed_slots)


def obliged(case: Case, agent: str) -> bool:
    """Whether the agent must look at its plan before it goes on."""
    return owes(case.promise.streaks.get(agent), case.promise.plan_seq)


def owes(streak: tuple[str, int, int, bool] | None, plan_seq: int) -> bool:
    """Two turns without progress, or a monitor that sees the same too long; a plan or a change since then is one."""
    return streak is not None and plan_seq <= streak[2] and (streak[3] or streak[1] >= 2)


def _reported(case: Case) -> None:
    facts, promise, agent = case.facts, case.promise, case.facts.agent_id
    assert agent == case.event.actor
    assert facts.run_id not in promise.runs, "a run was reported twice"
    work = promise.work[facts.todo_id]
    if facts.delivery_outcome in PROGRESS:
        holder = work.completed_by if work.status == "done" else case.model.claimant(promise, work.todo_id)
        assert holder == agent, "progress on somebody else's work"
        assert facts.evidence, "progress without evidence"
    assert all(promise.proofs[one].todo_id == facts.todo_id for one in facts.evidence)
    promise.runs[facts.run_id] = ((agent, facts.todo_id, facts.turn_instance_id), facts.delivery_outcome)
    turn, turns, seq, unchanged = promise.streaks.get(agent, ("", 0, 0, False))
    if promise.plan_seq > seq:
        turn, turns, unchanged = "", 0, False
        promise.streaks.pop(agent, None)
    if facts.delivery_outcome in PROGRESS:
        promise.streaks.pop(agent, None)
    elif facts.delivery_outcome != "observed" and facts.turn_instance_id != turn:
        promise.streaks[agent] = (facts.turn_instance_id, turns + 1, case.event.seq, unchanged)


def _replanned(case: Case) -> None:
    assert obliged(case, case.facts.agent_id), "replanned where nothing was due"
    assert case.facts.agent_id == case.event.actor
    case.promise.streaks.pop(case.facts.agent_id, None)


def _observed(case: Case) -> None:
    facts, work = case.facts, case.work
    assert (work.task_class, work.status) == ("continuous_monitor", "open")
    last, unchanged = work.seen
    unchanged = unchanged + 1 if last == facts.result_hash else 0
    due = work.replan_after is not None and unchanged >= work.replan_after
    assert facts.replan == due, "looked too long at what does not change"
    work.seen = (facts.result_hash, 0 if due else unchanged)
    assert facts.consecutive_no_change == work.seen[1]
    assert facts.next_due_at_ms > case.event.at_ms
    work.due_ms = facts.next_due_at_ms
    if due:
        case.promise.streaks[facts.agent_id] = ("", 0, case.event.seq, True)


def _due(case: Case) -> None:
    work = case.work
    assert (work.task_class, work.status) == ("continuous_monitor", "open")
    assert case.facts.due_at_ms == work.due_ms <= case.event.at_ms, "due before its time"
    assert work.rung_ms != work.due_ms, "said to be due twice"
    work.rung_ms = work.due_ms


def _used(case: Case) -> None:
    case.promise.tokens += (case.facts.tokens_in or 0) + (case.facts.tokens_out or 0)


CHECKS: dict[str, Callable[[Case], None]] = {
    "admission.reserved": _reserved,
    "admission.released": _admission_ended,
    "admission.expired": _admission_ended,
    "slot.spent": _spent,
    "slot.voided": _voided,
    "quota.set": _set,
    "run.reported": _reported,
    "run.replanned": _replanned,
    "monitor.observed": _observed,
    "monitor.due": _due,
    "usage.reported": _used,
}
