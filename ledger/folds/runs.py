"""Folds of the runs, monitors and usage of a goal."""

from collections.abc import Callable
from typing import cast

from ledger.events import ERASED, Facts, Recorded
from ledger.parts.runs import PROGRESS, Monitor, Run, Streak, Usage
from ledger.parts.slots import spend_key
from ledger.rules import run_events
from ledger.rules.runs import replanned_since
from ledger.state import Goal


def _reported(goal: Goal, event: Recorded) -> None:
    facts = cast("run_events.RunReported", event.facts)
    run = Run(
        run_id=facts.run_id,
        agent_id=facts.agent_id,
        todo_id=facts.todo_id,
        turn_instance_id=facts.turn_instance_id,
        classification=facts.classification,
        delivery_outcome=facts.delivery_outcome,
        evidence=facts.evidence,
        summary=event.words.summary if isinstance(event.words, run_events.RunWords) else ERASED,
        seq=event.seq,
        at_ms=event.at_ms,
    )
    runs = goal.runs
    runs.runs[run.run_id] = run
    key = spend_key(run.agent_id, run.todo_id, run.turn_instance_id)
    before = runs.by_turn.get(key)
    if before is None or runs.runs[before].delivery_outcome not in PROGRESS:
        runs.by_turn[key] = run.run_id
    if (streak := runs.streaks.get(run.agent_id)) is not None and replanned_since(goal, streak.seq):
        del runs.streaks[run.agent_id]
    runs.turn_ended(run)


def _replanned(goal: Goal, event: Recorded) -> None:
    goal.runs.streaks.pop(cast("run_events.RunReplanned", event.facts).agent_id, None)


def _observed(goal: Goal, event: Recorded) -> None:
    facts = cast("run_events.MonitorObserved", event.facts)
    goal.runs.observed(
        Monitor(
            todo_id=facts.todo_id,
            next_due_ms=facts.next_due_at_ms,
            last_checked_at_ms=event.at_ms,
            result_hash=facts.result_hash,
            consecutive_no_change=facts.consecutive_no_change,
            seq=event.seq,
        )
    )
    if facts.replan:
        goal.runs.streaks[facts.agent_id] = Streak(
            turn_instance_id="", turns=0, seq=event.seq, unchanged_monitor=facts.todo_id
        )


def _due(goal: Goal, event: Recorded) -> None:
    facts = cast("run_events.MonitorDue", event.facts)
    goal.runs.rung(facts.todo_id, facts.due_at_ms)


def _used(goal: Goal, event: Recorded) -> None:
    facts = cast("run_events.UsageReported", event.facts)
    goal.runs.used(
        Usage(
            usage_id=facts.usage_id,
            agent_id=facts.agent_id,
            run_id=facts.run_id,
            source=facts.source,
            tokens_in=facts.tokens_in,
            tokens_out=facts.tokens_out,
            cost_micros=facts.cost_micros,
            measured_at_ms=facts.measured_at_ms,
            seq=event.seq,
            at_ms=event.at_ms,
        )
    )


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    run_events.RunReported: _reported,
    run_events.RunReplanned: _replanned,
    run_events.MonitorObserved: _observed,
    run_events.MonitorDue: _due,
    run_events.UsageReported: _used,
}
