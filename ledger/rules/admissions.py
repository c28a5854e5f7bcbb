"""Admissions: a turn reserves its slots and its work before it begins, on the strength of one verdict.

While an admission lasts nobody else is offered its todo, on whatever host they are: the ledger is shared. It ends by
itself, so that nobody has to be alive for it to end.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.parts.slots import Admission, turn_key
from ledger.rules.common import Caller, Decision, Held, is_owner, next_seq, refuse
from ledger.rules.quota import QuotaDecision, decide_should_run
from ledger.rules.slot_events import AdmissionExpired, AdmissionReleased, AdmissionReserved
from ledger.rules.slot_params import ExpireAdmission, ReleaseAdmission, ReserveTurn
from ledger.rules.slots import allowed_slots, reserved_slots
from ledger.state import Goal, Workspace


class AdmissionRefusal(StrEnum):
    """Why a turn is not admitted, in order of precedence."""

    CLAIM_ACTOR_MISMATCH = "claim_actor_mismatch"
    TURN_NOT_ADMITTED = "turn_not_admitted"
    SLOTS_EXHAUSTED = "slots_exhausted"
    ADMISSION_NOT_FOUND = "admission_not_found"
    ADMISSION_IN_FORCE = "admission_in_force"


def decide_reserve(workspace: Workspace, caller: Caller, ask: ReserveTurn, now_ms: int) -> Decision:
    """Admit the turn to the work that the verdict selects; the same turn again reads back what it has."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if ask.agent_id not in {None, caller.member_id}:
        return refuse(AdmissionRefusal.CLAIM_ACTOR_MISMATCH, agent_id=ask.agent_id)
    before = _of_turn(goal, caller.member_id, ask.turn_instance_id)
    if before is not None and before.expires_at_ms > now_ms:
        return _held(before)
    verdict = decide_should_run(workspace, goal.goal_id, caller.member_id, now_ms)
    if verdict.decision is not QuotaDecision.RUN or verdict.todo is None:
        return refuse(
            AdmissionRefusal.TURN_NOT_ADMITTED,
            should_run=False,
            decision=verdict.decision.value,
            state=verdict.state.value,
            reason_codes=list(verdict.reason_codes),
            todo_id=None if verdict.todo is None else verdict.todo.todo_id,
        )
    todo_id = verdict.todo.todo_id
    last = goal.slots.admissions.get(todo_id)
    # What its agent was admitted to on other work is given away as well; only what ends here is free again.
    freed = 0 if last is None or last.expires_at_ms <= now_ms else last.slots
    taken = goal.slots.spent(now_ms) + reserved_slots(goal, None, now_ms) - freed
    if taken + ask.slots > allowed_slots(goal):
        return refuse(AdmissionRefusal.SLOTS_EXHAUSTED, taken=taken, allowed_slots=allowed_slots(goal))
    ended = () if last is None else (_end(goal, last, now_ms),)
    facts = AdmissionReserved(
        admission_id=f"adm_{next_seq(workspace, len(ended)):06d}",
        agent_id=caller.member_id,
        todo_id=todo_id,
        turn_instance_id=ask.turn_instance_id,
        slots=ask.slots,
        decision="run",
        state="eligible",
        reason_codes=verdict.reason_codes,
        expires_at_ms=now_ms + 1_000 * ask.ttl_seconds,
    )
    return (*ended, Draft(facts=facts, goal_id=goal.goal_id))


def _of_turn(goal: Goal, agent_id: MemberId, turn_instance_id: str) -> Admission | None:
    todo_id = goal.slots.turns.get(turn_key(agent_id, turn_instance_id))
    return None if todo_id is None else goal.slots.admissions[todo_id]


def _held(admission: Admission) -> Held:
    facts: dict[str, object] = {
        "admission_id": admission.admission_id,
        "agent_id": admission.agent_id,
        "todo_id": admission.todo_id,
        "turn_instance_id": admission.turn_instance_id,
        "slots": admission.slots,
        "expires_at_ms": admission.expires_at_ms,
    }
    return Held(seq=admission.seq, facts=facts)


def _end(goal: Goal, admission: Admission, now_ms: int) -> Draft:
    """What stood on a todo ends before anything else may."""
    if admission.expires_at_ms <= now_ms:
        expired = AdmissionExpired(
            ended_admission_id=admission.admission_id,
            todo_id=admission.todo_id,
            expired_at_ms=admission.expires_at_ms,
        )
        return Draft(facts=expired, goal_id=goal.goal_id)
    released = AdmissionReleased(
        ended_admission_id=admission.admission_id, todo_id=admission.todo_id, cause="another_turn"
    )
    return Draft(facts=released, goal_id=goal.goal_id)


def decide_release(workspace: Workspace, caller: Caller, ask: ReleaseAdmission, _now_ms: int) -> Decision:
    """Give back what a turn reserved: by its agent, or by an owner who names the agent."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    agent_id = MemberId(ask.agent_id or caller.member_id)
    if agent_id != caller.member_id and not is_owner(goal, caller.member_id, workspace):
        return refuse(AdmissionRefusal.CLAIM_ACTOR_MISMATCH, agent_id=ask.agent_id)
    admission = _of_turn(goal, agent_id, ask.turn_instance_id)
    if admission is None:
        return refuse(AdmissionRefusal.ADMISSION_NOT_FOUND, turn_instance_id=ask.turn_instance_id)
    facts = AdmissionReleased(ended_admission_id=admission.admission_id, todo_id=admission.todo_id, cause="given_back")
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def decide_expire(workspace: Workspace, _caller: Caller, ask: ExpireAdmission, now_ms: int) -> Decision:
    """Write off what has passed its end; the sweep asks, and what is in force or gone stays so."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    admission = goal.slots.admissions.get(TodoId(ask.todo_id))
    if admission is None:
        return refuse(AdmissionRefusal.ADMISSION_NOT_FOUND, todo_id=ask.todo_id)
    if admission.expires_at_ms > now_ms:
        return refuse(AdmissionRefusal.ADMISSION_IN_FORCE, todo_id=ask.todo_id)
    return (_end(goal, admission, now_ms),)
