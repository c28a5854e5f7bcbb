"""Folds of the plans of a goal."""

from collections.abc import Callable
from typing import Literal, cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.folds.work import add_todo
from ledger.parts.plans import Plan
from ledger.rules import plan_events
from ledger.state import Goal


def _proposed(goal: Goal, event: Recorded) -> None:
    facts, words = cast("plan_events.PlanProposed", event.facts), event.words
    lanes = words.lanes if isinstance(words, plan_events.PlanWords) else ()
    before = goal.plans.by_id.get(facts.plan_id)
    goal.plans.by_id[facts.plan_id] = Plan(
        plan_id=facts.plan_id,
        revision=facts.revision,
        proposed_by=event.actor,
        at_ms=event.at_ms,
        seq=event.seq,
        status="open",
        lanes=facts.lanes,
        titles=tuple(lane.title for lane in lanes) or (ERASED,) * len(facts.lanes),
        acceptances=tuple(lane.acceptance for lane in lanes) or ("",) * len(facts.lanes),
        gaps=facts.gaps,
        digests=(*(() if before is None else before.digests), event.hash.hex()),
    )


def _confirmed(goal: Goal, event: Recorded) -> None:
    facts = cast("plan_events.PlanConfirmed", event.facts)
    plan = goal.plans.by_id[facts.plan_id]
    words = dict(
        zip((lane.lane_id for lane in plan.lanes), zip(plan.titles, plan.acceptances, strict=True), strict=True)
    )
    for todo in facts.todos:
        title, acceptance = words[todo.lane_id or ""]
        add_todo(goal, event, todo, title, acceptance)
    goal.plans.by_id[facts.plan_id] = replace(
        plan,
        status="confirmed",
        outcome=facts.outcome,
        basis=facts.basis,
        gaps=facts.gaps,
        todo_ids=tuple(todo.todo_id for todo in facts.todos),
        decided_by=event.actor,
        decided_seq=event.seq,
        decided_at_ms=event.at_ms,
    )


def _rejected(goal: Goal, event: Recorded) -> None:
    _end(goal, event, cast("plan_events.PlanRejected", event.facts).plan_id, "rejected")


def _withdrawn(goal: Goal, event: Recorded) -> None:
    _end(goal, event, cast("plan_events.PlanWithdrawn", event.facts).plan_id, "withdrawn")


def _end(goal: Goal, event: Recorded, plan_id: str, status: Literal["rejected", "withdrawn"]) -> None:
    reason = event.words.reason if isinstance(event.words, plan_events.PlanReasonWords) else ""
    goal.plans.by_id[plan_id] = replace(
        goal.plans.by_id[plan_id],
        status=status,
        decided_by=event.actor,
        decided_seq=event.seq,
        decided_at_ms=event.at_ms,
        reason=reason,
    )


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    plan_events.PlanProposed: _proposed,
    plan_events.PlanConfirmed: _confirmed,
    plan_events.PlanRejected: _rejected,
    plan_events.PlanWithdrawn: _withdrawn,
}
