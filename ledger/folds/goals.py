"""Folds of a goal's own events: its promise, its question, its deliveries and its life."""

from collections.abc import Callable
from typing import Literal, cast

from msgspec.structs import replace

from ledger.canonical import basis_of
from ledger.events import ERASED, Facts, Recorded
from ledger.folds.work import recheck_all
from ledger.records import Delivery, EventNote, GoalState, Intent, Question
from ledger.rules import goal_events
from ledger.scope_index import index_for
from ledger.state import Goal


def note_of(event: Recorded) -> EventNote:
    """What a projection says of an event."""
    subject = getattr(event.facts, "todo_id", None) or event.goal_id or ""
    # By position: this is made for every event of every replay, and names would double its price.
    return EventNote(event.seq, event.kind, event.actor, event.at_ms, event.hash[:4].hex(), subject)


def _proposed(goal: Goal, event: Recorded) -> None:
    goal.intents.append(_intent(event))
    # No revision changes this, so that scopes entered one way are never looked for the other.
    goal.scopes = index_for(fold_case=goal.intent.fold_case)


def _revised(goal: Goal, event: Recorded) -> None:
    last = goal.intents[-1]
    if last.status == "open":
        goal.intents[-1] = replace(last, status="superseded", note=note_of(event))
    goal.intents.append(_intent(event))


def _intent(event: Recorded) -> Intent:
    facts = cast("goal_events.GoalProposed", event.facts)
    words = (
        event.words if isinstance(event.words, goal_events.IntentWords) else _erased_intent(len(facts.criterion_ids))
    )
    return Intent(
        number=facts.revision,
        proposed_by=event.actor,
        at_ms=event.at_ms,
        status="open",
        priority=facts.priority,
        criterion_ids=facts.criterion_ids,
        write_scopes=facts.write_scopes,
        capabilities=facts.capabilities,
        owners=facts.owners,
        approvers=facts.approvers,
        handoff_mode=facts.handoff_mode,
        allowed_slots=facts.allowed_slots,
        enforce=facts.enforce,
        review=facts.review,
        plan_approval=facts.plan_approval,
        token_cap=facts.token_cap,
        cost_cap_micros=facts.cost_cap_micros,
        fold_case=facts.fold_case,
        private=facts.private,
        # The event's hash covers facts and words alike, so this basis stands for exactly this promise.
        basis=basis_of("confirm", facts.goal_id, facts.revision, event.hash.hex()),
        title=words.title,
        objective=words.objective,
        criteria=words.criteria,
        non_goals=words.non_goals,
        constraints=words.constraints,
        budget=words.budget,
        stop_conditions=words.stop_conditions,
        note=note_of(event),
    )


def _erased_intent(criteria: int) -> goal_events.IntentWords:
    return goal_events.IntentWords(
        title=ERASED,
        objective=ERASED,
        criteria=(ERASED,) * criteria,
        non_goals=(),
        constraints=(),
        budget="",
        stop_conditions=(),
    )


def _asked(goal: Goal, event: Recorded) -> None:
    facts, words = cast("goal_events.ClarificationAsked", event.facts), event.words
    text, options = (words.question, words.options) if isinstance(words, goal_events.QuestionWords) else (ERASED, ())
    goal.question = Question(question_id=facts.question_id, asked_by=event.actor, text=text, options=options)
    _enter(goal, "clarifying", event)


def _answered(goal: Goal, event: Recorded) -> None:
    goal.question = None
    _enter(goal, "proposed", event)


def _confirmed(goal: Goal, event: Recorded) -> None:
    facts = cast("goal_events.GoalConfirmed", event.facts)
    if goal.confirmed:
        goal.intents[goal.confirmed - 1] = replace(
            goal.intents[goal.confirmed - 1], status="superseded", note=note_of(event)
        )
    _decide_revision(goal, event, facts.revision, "confirmed")
    first, before = not goal.confirmed, goal.intent.review
    goal.confirmed = facts.revision
    if goal.intent.review != before:
        recheck_all(goal)
    if first:
        goal.first_confirmed = facts.revision
        _enter(goal, "active", event)


def _adopted(goal: Goal, event: Recorded) -> None:
    facts = cast("goal_events.RevisionAdopted", event.facts)
    goal.adopted[facts.agent_id] = facts.revision


def _declined(goal: Goal, event: Recorded) -> None:
    _decide_revision(goal, event, cast("goal_events.GoalDeclined", event.facts).revision, "declined")
    if not goal.confirmed:
        goal.question = None
        _enter(goal, "declined", event)


def _withdrawn(goal: Goal, event: Recorded) -> None:
    _decide_revision(goal, event, cast("goal_events.GoalWithdrawn", event.facts).revision, "withdrawn")
    if not goal.confirmed:
        goal.question = None
        _enter(goal, "withdrawn", event)


def _decide_revision(
    goal: Goal, event: Recorded, number: int, status: Literal["confirmed", "declined", "withdrawn"]
) -> None:
    goal.intents[number - 1] = replace(
        goal.intents[number - 1],
        status=status,
        decided_by=event.actor,
        decided_at_ms=event.at_ms,
        reason=_reason(event),
        note=note_of(event),
    )


def _paused(goal: Goal, event: Recorded) -> None:
    goal.resume_to = goal.state
    _enter(goal, "paused", event)


def _resumed(goal: Goal, event: Recorded) -> None:
    _enter(goal, goal.resume_to, event)


def _stopped(goal: Goal, event: Recorded) -> None:
    if goal.pending:
        goal.intents[-1] = replace(goal.intents[-1], status="superseded", note=note_of(event))
    if goal.state == "delivered":
        goal.deliveries[-1] = replace(goal.deliveries[-1], status="superseded", note=note_of(event))
    _enter(goal, "stopped", event)


def _delivered(goal: Goal, event: Recorded) -> None:
    facts, words = cast("goal_events.GoalDelivered", event.facts), event.words
    goal.deliveries.append(
        Delivery(
            number=facts.delivery,
            revision=facts.revision,
            delivered_by=event.actor,
            at_ms=event.at_ms,
            status="open",
            artifact_ids=tuple(artifact_id for artifact_id, _ in facts.artifacts),
            basis=basis_of(
                "accept", goal.goal_id, goal.intent.basis, facts.delivery, facts.artifacts, event.hash.hex()
            ),
            summary=words.summary if isinstance(words, goal_events.SummaryWords) else ERASED,
            note=note_of(event),
        )
    )
    _enter(goal, "delivered", event)


def _accepted(goal: Goal, event: Recorded) -> None:
    _decide_delivery(goal, event, "accepted")
    _enter(goal, "accepted", event)


def _changes_requested(goal: Goal, event: Recorded) -> None:
    _decide_delivery(goal, event, "changes_requested")
    _enter(goal, "changes_requested", event)


def _decide_delivery(goal: Goal, event: Recorded, status: Literal["accepted", "changes_requested"]) -> None:
    goal.deliveries[-1] = replace(
        goal.deliveries[-1],
        status=status,
        decided_by=event.actor,
        decided_at_ms=event.at_ms,
        reason=_reason(event),
        note=note_of(event),
    )


def _reason(event: Recorded) -> str:
    return event.words.reason if isinstance(event.words, goal_events.GoalReasonWords) else ""


def _enter(goal: Goal, state: GoalState, event: Recorded) -> None:
    goal.state = state
    goal.state_seq = event.seq
    goal.state_note = note_of(event)
    goal.reason = _reason(event)


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    goal_events.GoalProposed: _proposed,
    goal_events.GoalRevised: _revised,
    goal_events.ClarificationAsked: _asked,
    goal_events.ClarificationAnswered: _answered,
    goal_events.GoalConfirmed: _confirmed,
    goal_events.RevisionAdopted: _adopted,
    goal_events.GoalDeclined: _declined,
    goal_events.GoalWithdrawn: _withdrawn,
    goal_events.GoalPaused: _paused,
    goal_events.GoalResumed: _resumed,
    goal_events.GoalStopped: _stopped,
    goal_events.GoalDelivered: _delivered,
    goal_events.GoalAccepted: _accepted,
    goal_events.ChangesRequested: _changes_requested,
}
