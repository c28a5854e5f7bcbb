"""Folds of summaries, digests and quiet hours."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.parts.summaries import (
    MARKS_KEPT_MAX,
    SUMMARIES_KEPT_MAX,
    Mark,
    Outcome,
    QuietHours,
    Schedule,
    Summaries,
    Summary,
    in_chat,
    told_key,
)
from ledger.rules import summary_events
from ledger.state import Workspace


def _posted(workspace: Workspace, event: Recorded) -> None:
    facts, part = cast("summary_events.SummaryPosted", event.facts), workspace.summaries
    words = event.words
    text = words.text if isinstance(words, summary_events.PostedWords) else ERASED if facts.has_text else ""
    part.by_id[facts.summary_id] = Summary(
        summary_id=facts.summary_id,
        about=facts.about,
        goal_id=facts.goal_id,
        channels=tuple(one.channel_id for one in facts.fates),
        posted_by=event.actor,
        seq=event.seq,
        at_ms=event.at_ms,
        since=facts.since,
        until=facts.until,
        head_hash=facts.head_hash,
        head_at_ms=facts.head_at_ms,
        material=facts.material,
        total=facts.total,
        goals=facts.goals,
        goals_left_out=facts.goals_left_out,
        scheduled_for_ms=facts.scheduled_for_ms,
        has_text=facts.has_text,
        text=text,
    )
    for one in facts.fates:
        key = in_chat(facts.summary_id, one.channel_id)
        part.outcomes[key] = Outcome(status=one.fate, because=one.because, seq=event.seq, at_ms=event.at_ms)
        if one.fate == "queued":
            part.queued[key] = None
            told = in_chat(told_key(facts.about, facts.goal_id), one.channel_id)
            mark = Mark(summary_id=facts.summary_id, until=facts.until, material=facts.material)
            part.marks[told] = (*part.marks.get(told, ()), mark)[-MARKS_KEPT_MAX:]
    _forget(part)


def _settled(workspace: Workspace, event: Recorded) -> None:
    facts, part = cast("summary_events.SummarySettled", event.facts), workspace.summaries
    key = in_chat(facts.summary_id, facts.channel_id)
    part.queued.pop(key, None)
    part.outcomes[key] = Outcome(status=facts.outcome, because=facts.because, seq=event.seq, at_ms=event.at_ms)
    summary = part.by_id[facts.summary_id]
    told = in_chat(told_key(summary.about, summary.goal_id), facts.channel_id)
    if facts.outcome == "failed":
        # What did not arrive was not told: the next one begins where the one before it ended.
        part.marks[told] = tuple(mark for mark in part.marks.get(told, ()) if mark.summary_id != facts.summary_id)
        if not part.marks[told]:
            del part.marks[told]
    _forget(part)


def _forget(part: Summaries) -> None:
    """The oldest that wait for nothing give way when there are too many."""
    if len(part.by_id) <= SUMMARIES_KEPT_MAX:
        return
    for summary in list(part.by_id.values()):
        keys = [in_chat(summary.summary_id, channel_id) for channel_id in summary.channels]
        if any(key in part.queued for key in keys):
            continue
        del part.by_id[summary.summary_id]
        for key in keys:
            part.outcomes.pop(key, None)
        if len(part.by_id) <= SUMMARIES_KEPT_MAX:
            return


def _scheduled(workspace: Workspace, event: Recorded) -> None:
    facts = cast("summary_events.DigestScheduled", event.facts)
    workspace.summaries.schedules[facts.channel_id] = Schedule(
        channel_id=facts.channel_id,
        cron=facts.cron,
        time_zone=facts.time_zone,
        quiet_from=facts.quiet_from,
        quiet_until=facts.quiet_until,
        set_by=event.actor,
        seq=event.seq,
        at_ms=event.at_ms,
    )


def _unscheduled(workspace: Workspace, event: Recorded) -> None:
    workspace.summaries.schedules.pop(cast("summary_events.DigestUnscheduled", event.facts).channel_id, None)


def _ticked(workspace: Workspace, event: Recorded) -> None:
    facts, schedules = cast("summary_events.DigestTicked", event.facts), workspace.summaries.schedules
    before = schedules[facts.channel_id]
    schedules[facts.channel_id] = replace(
        before, due_at_ms=facts.due_at_ms, outcome=facts.outcome, ticked_seq=event.seq
    )


def _quiet(workspace: Workspace, event: Recorded) -> None:
    facts = cast("summary_events.QuietHoursSet", event.facts)
    workspace.summaries.quiet[facts.member_id] = QuietHours(
        member_id=facts.member_id,
        time_zone=facts.time_zone,
        quiet_from=facts.quiet_from,
        quiet_until=facts.quiet_until,
        seq=event.seq,
    )


def _loud(workspace: Workspace, event: Recorded) -> None:
    workspace.summaries.quiet.pop(cast("summary_events.QuietHoursEnded", event.facts).member_id, None)


FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {
    summary_events.SummaryPosted: _posted,
    summary_events.SummarySettled: _settled,
    summary_events.DigestScheduled: _scheduled,
    summary_events.DigestUnscheduled: _unscheduled,
    summary_events.DigestTicked: _ticked,
    summary_events.QuietHoursSet: _quiet,
    summary_events.QuietHoursEnded: _loud,
}
