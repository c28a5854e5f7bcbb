"""Folds of the amendments of a goal."""

from collections.abc import Callable
from typing import Literal, cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.folds.work import add_todo, cancel_todo, change_todo, rewire_todo
from ledger.parts.amendments import Amendment, Hold, Operation
from ledger.rules import amendment_events
from ledger.rules.amendments import adoption_key
from ledger.state import Goal


def _submitted(goal: Goal, event: Recorded) -> None:
    facts, words = cast("amendment_events.AmendmentSubmitted", event.facts), event.words
    known = isinstance(words, amendment_events.AmendmentWords)
    said = words.operations if isinstance(words, amendment_events.AmendmentWords) else ()
    erased = (None,) * len(facts.operations)
    goal.amendments.by_id[facts.amendment_id] = Amendment(
        amendment_id=facts.amendment_id,
        amendment_class=facts.amendment_class,
        submitted_by=event.actor,
        at_ms=event.at_ms,
        seq=event.seq,
        status="open",
        operations=facts.operations,
        titles=tuple(one.title for one in said) if known else erased,
        acceptances=tuple(one.acceptance for one in said) if known else erased,
        dispositions=facts.dispositions,
        seen=facts.seen,
        gate_id=facts.gate_id,
        digest=event.hash.hex(),
        why=words.why if isinstance(words, amendment_events.AmendmentWords) else ERASED,
    )


def _rebased(goal: Goal, event: Recorded) -> None:
    facts = cast("amendment_events.AmendmentRebased", event.facts)
    goal.amendments.by_id[facts.amendment_id] = replace(
        goal.amendments.by_id[facts.amendment_id],
        dispositions=facts.dispositions,
        seen=facts.seen,
        digest=event.hash.hex(),
        rebased_seq=event.seq,
    )


def _committed(goal: Goal, event: Recorded) -> None:
    facts = cast("amendment_events.AmendmentCommitted", event.facts)
    amendment = goal.amendments.by_id[facts.amendment_id]
    at = {one.todo_id: number for number, one in enumerate(facts.operations) if one.op == "add"}
    for todo in facts.todos:
        number = at[todo.todo_id]
        add_todo(goal, event, todo, amendment.titles[number] or ERASED, amendment.acceptances[number] or "")
    for number, one in enumerate(facts.operations):
        _apply(goal, one, amendment.titles[number], amendment.acceptances[number])
    for disposition in facts.dispositions:
        if disposition.choice != "continue" and goal.todos[disposition.todo_id].status != "cancelled":
            goal.amendments.held[disposition.todo_id] = Hold(
                amendment_id=facts.amendment_id, choice=disposition.choice, agent_id=disposition.agent_id
            )
    goal.amendments.graph_seq = event.seq
    goal.amendments.by_id[facts.amendment_id] = replace(
        amendment,
        status="committed",
        basis=facts.basis,
        decided_by=event.actor,
        decided_seq=event.seq,
        decided_at_ms=event.at_ms,
    )


def _apply(goal: Goal, one: Operation, title: str | None, acceptance: str | None) -> None:
    todo = goal.todos[one.todo_id]
    match one.op:
        case "add":
            pass  # Entered before, each after those it waits for.
        case "cancel":
            cancel_todo(goal, one.todo_id, "")
            goal.amendments.held.pop(one.todo_id, None)
        case "reprioritise":
            change_todo(goal, one.todo_id, priority=one.priority or todo.priority)
        case "rewire":
            rewire_todo(goal, one.todo_id, one.depends_on or ())
        case "rebind":
            change_todo(goal, one.todo_id, bound_agent=one.agent)
        case "rescope":
            change_todo(goal, one.todo_id, required_write_scopes=one.write_scopes or ())
        case "restate":
            given = todo.acceptance if acceptance is None else acceptance
            change_todo(goal, one.todo_id, title=title or todo.title, acceptance=given)


def _rejected(goal: Goal, event: Recorded) -> None:
    _end(goal, event, cast("amendment_events.AmendmentRejected", event.facts).amendment_id, "rejected")


def _withdrawn(goal: Goal, event: Recorded) -> None:
    _end(goal, event, cast("amendment_events.AmendmentWithdrawn", event.facts).amendment_id, "withdrawn")


def _end(goal: Goal, event: Recorded, amendment_id: str, status: Literal["rejected", "withdrawn"]) -> None:
    reason = event.words.reason if isinstance(event.words, amendment_events.AmendmentReasonWords) else ""
    goal.amendments.by_id[amendment_id] = replace(
        goal.amendments.by_id[amendment_id],
        status=status,
        decided_by=event.actor,
        decided_seq=event.seq,
        decided_at_ms=event.at_ms,
        reason=reason,
    )


def _adopted(goal: Goal, event: Recorded) -> None:
    facts = cast("amendment_events.AmendmentAdopted", event.facts)
    goal.amendments.held.pop(facts.todo_id, None)
    goal.amendments.adopted[adoption_key(facts.amendment_id, facts.todo_id, facts.agent_id)] = event.seq


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    amendment_events.AmendmentSubmitted: _submitted,
    amendment_events.AmendmentRebased: _rebased,
    amendment_events.AmendmentCommitted: _committed,
    amendment_events.AmendmentRejected: _rejected,
    amendment_events.AmendmentWithdrawn: _withdrawn,
    amendment_events.AmendmentAdopted: _adopted,
}
