"""Folds of work of a goal that was handed over, put off or delegated."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.folds.work import change_todo, move_lease
from ledger.parts.handoffs import Deferral, Delegation, HandoffNote
from ledger.rules import handoff_events
from ledger.rules.todo_events import ReasonWords
from ledger.state import Goal


def _lease_transferred(goal: Goal, event: Recorded) -> None:
    move_lease(goal, event, cast("handoff_events.LeaseTransferred", event.facts))


def _handed_off(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.TodoHandedOff", event.facts)
    if goal.todos[facts.todo_id].claimed_by != facts.to_agent:
        # Where a lease went over, the claim went with it.
        change_todo(goal, facts.todo_id, claimed_by=facts.to_agent, claim_seq=event.seq, claim_from_lease=False)
    context, remaining_work = _words(event)
    goal.handoffs.notes[facts.todo_id] = HandoffNote(
        todo_id=facts.todo_id,
        from_agent=facts.from_agent,
        to_agent=facts.to_agent,
        artifact_ids=facts.artifact_ids,
        context=context,
        remaining_work=remaining_work,
        seq=event.seq,
        at_ms=event.at_ms,
    )


def _prepared(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.HandoffPrepared", event.facts)
    context, remaining_work = _words(event)
    goal.handoffs.notes[facts.todo_id] = HandoffNote(
        todo_id=facts.todo_id,
        from_agent=facts.from_agent,
        to_agent=None,
        artifact_ids=facts.artifact_ids,
        context=context,
        remaining_work=remaining_work,
        seq=event.seq,
        at_ms=event.at_ms,
    )


def _adopted(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.TodoAdopted", event.facts)
    note = goal.handoffs.notes.get(facts.todo_id) or HandoffNote(
        todo_id=facts.todo_id,
        from_agent=facts.from_agent,
        to_agent=None,
        artifact_ids=(),
        context="",
        remaining_work="",
        seq=event.seq,
        at_ms=event.at_ms,
    )
    goal.handoffs.notes[facts.todo_id] = replace(note, adopted_by=facts.to_agent, adopted_seq=event.seq)


def _mode_set(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.HandoffModeSet", event.facts)
    at = facts.revision - 1
    goal.intents[at] = replace(goal.intents[at], handoff_mode=facts.handoff_mode)


def _deferred(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.TodoDeferred", event.facts)
    goal.handoffs.put_off(
        Deferral(
            todo_id=facts.todo_id,
            condition=facts.condition,
            reference=facts.reference,
            due_ms=facts.due_ms,
            deferred_by=event.actor,
            seq=event.seq,
            at_ms=event.at_ms,
        )
    )
    changes = {"status": "deferred", "claimed_by": None, "claim_from_lease": False, "reason": _reason(event)}
    change_todo(goal, facts.todo_id, **changes)


def _resumed(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.TodoResumed", event.facts)
    goal.handoffs.taken_up(facts.todo_id)
    change_todo(goal, facts.todo_id, status="open", reason="")


def _delegated(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.TodoDelegated", event.facts)
    goal.handoffs.delegations[facts.grant_id] = Delegation(
        grant_id=facts.grant_id,
        agent_id=facts.agent_id,
        on_behalf_of=facts.on_behalf_of,
        todo_ids=facts.todo_ids,
        action_kinds=facts.action_kinds,
        actions=facts.actions,
        until_ms=facts.until_ms,
        granted_by=event.actor,
        reason=_reason(event),
        seq=event.seq,
    )
    earlier = goal.handoffs.of_delegate.get(facts.agent_id, ())
    goal.handoffs.of_delegate[facts.agent_id] = (*earlier, facts.grant_id)


def _delegation_ended(goal: Goal, event: Recorded) -> None:
    facts = cast("handoff_events.DelegationEnded", event.facts)
    del goal.handoffs.delegations[facts.grant_id]
    left = tuple(grant_id for grant_id in goal.handoffs.of_delegate[facts.agent_id] if grant_id != facts.grant_id)
    if left:
        goal.handoffs.of_delegate[facts.agent_id] = left
    else:
        del goal.handoffs.of_delegate[facts.agent_id]


def _words(event: Recorded) -> tuple[str, str]:
    if isinstance(event.words, handoff_events.HandoffWords):
        return event.words.context, event.words.remaining_work
    return ERASED, ERASED


def _reason(event: Recorded) -> str:
    return event.words.reason if isinstance(event.words, ReasonWords) else ""


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    handoff_events.LeaseTransferred: _lease_transferred,
    handoff_events.TodoHandedOff: _handed_off,
    handoff_events.HandoffPrepared: _prepared,
    handoff_events.TodoAdopted: _adopted,
    handoff_events.HandoffModeSet: _mode_set,
    handoff_events.TodoDeferred: _deferred,
    handoff_events.TodoResumed: _resumed,
    handoff_events.TodoDelegated: _delegated,
    handoff_events.DelegationEnded: _delegation_ended,
}
