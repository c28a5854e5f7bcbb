"""Folds of the quota of a goal: its settings, admissions and spends."""

from collections.abc import Callable
from typing import cast

from ledger.events import Facts, Recorded
from ledger.parts.slots import Admission, QuotaSettings, Spend, turn_key
from ledger.rules import slot_events
from ledger.state import Goal


def _reserved(goal: Goal, event: Recorded) -> None:
    facts = cast("slot_events.AdmissionReserved", event.facts)
    goal.slots.admit(
        Admission(
            admission_id=facts.admission_id,
            agent_id=facts.agent_id,
            todo_id=facts.todo_id,
            turn_instance_id=facts.turn_instance_id,
            slots=facts.slots,
            expires_at_ms=facts.expires_at_ms,
            seq=event.seq,
        )
    )


def _released(goal: Goal, event: Recorded) -> None:
    goal.slots.end(cast("slot_events.AdmissionReleased", event.facts).todo_id)


def _expired(goal: Goal, event: Recorded) -> None:
    goal.slots.end(cast("slot_events.AdmissionExpired", event.facts).todo_id)


def _spent(goal: Goal, event: Recorded) -> None:
    facts = cast("slot_events.SlotSpent", event.facts)
    if goal.slots.turns.get(turn_key(facts.agent_id, facts.turn_instance_id)) == facts.todo_id:
        goal.slots.end(facts.todo_id)  # What was reserved is spent now and must not count twice.
    goal.slots.spend(
        Spend(
            spend_id=facts.spend_id,
            agent_id=facts.agent_id,
            todo_id=facts.todo_id,
            turn_instance_id=facts.turn_instance_id,
            run_id=facts.run_id,
            slots=facts.slots,
            seq=event.seq,
            at_ms=event.at_ms,
        )
    )


def _voided(goal: Goal, event: Recorded) -> None:
    goal.slots.void(cast("slot_events.SlotVoided", event.facts).spend_id, event.seq)


def _set(goal: Goal, event: Recorded) -> None:
    facts = cast("slot_events.QuotaSet", event.facts)
    goal.slots.settings = QuotaSettings(
        compute_permille=facts.compute_permille,
        window_hours=facts.window_hours,
        slot_minutes=facts.slot_minutes,
        allowed_slots=facts.allowed_slots,
        seq=event.seq,
        set_by=event.actor,
    )


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    slot_events.AdmissionReserved: _reserved,
    slot_events.AdmissionReleased: _released,
    slot_events.AdmissionExpired: _expired,
    slot_events.SlotSpent: _spent,
    slot_events.SlotVoided: _voided,
    slot_events.QuotaSet: _set,
}
