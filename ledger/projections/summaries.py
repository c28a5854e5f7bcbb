"""Summaries for readers: the list, one of them with what it says, and the view that its card is drawn from.

What a summary says of the ledger is in its event, but for words: those are looked up when it is read, so that what was
erased since is gone here as well.
"""

from collections.abc import Callable, Iterator
from typing import cast

from ledger.ids import MemberId
from ledger.params import Params
from ledger.parts.summaries import FactRow, GoalRows, Summary, in_chat
from ledger.projections.chat_views import DigestGoal, DigestRow, DigestView
from ledger.projections.digest import words_of, workspace_words_of
from ledger.projections.holds import name_of
from ledger.projections.outlet import rights_of
from ledger.projections.privacy import Screen, clip, screened
from ledger.projections.summary_views import SummaryView
from ledger.refusals import Refusal
from ledger.rules.channels import channel_name
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.material import Fact
from ledger.rules.summaries import SummaryRefusal
from ledger.rules.summary_params import ListSummaries, ShowSummary
from ledger.state import Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
TITLE_CHARS_MAX = 120
ROW_CHARS_MAX = 160
TEXT_CHARS_MAX = 2_000


def summary_view(workspace: Workspace, summary: Summary) -> SummaryView:
    """What the card of a summary is drawn from."""
    digest = DigestView(
        since=summary.since,
        goals=tuple(_digest_goal(workspace, one) for one in summary.goals),
        total=summary.total,
        goals_left_out=summary.goals_left_out,
        needs_somebody=0,
        head_seq=summary.until,
        head_hash=summary.head_hash,
        head_at_ms=summary.head_at_ms,
    )
    return SummaryView(
        summary_id=summary.summary_id,
        goal_id=summary.goal_id,
        text=summary.text,
        posted_by="" if summary.scheduled_for_ms is not None else name_of(workspace, summary.posted_by),
        scheduled=summary.scheduled_for_ms is not None,
        digest=digest,
    )


def rows_in_chat(workspace: Workspace, goals: tuple[GoalRows, ...]) -> list[Document]:
    """The rows of a summary as a chat is shown them, words included: what a preview shows before anything is posted."""
    screen = Screen()
    rows = [_goal_row(workspace, one, screen, f"goals[{at}]") for at, one in enumerate(goals)]
    return screened(rows, rights_of(workspace, None))


def _digest_goal(workspace: Workspace, told: GoalRows) -> DigestGoal:
    goal = None if told.goal_id is None else workspace.goals.get(told.goal_id)
    return DigestGoal(
        goal_id=told.goal_id or "",
        title="" if goal is None else clip(goal.intent.title, TITLE_CHARS_MAX),
        state="" if goal is None else _state_then(told) or goal.state,
        rows=tuple(
            DigestRow(
                seq=row.seq,
                kind=row.kind,
                subject=row.subject,
                now=row.now,
                actor="" if row.actor is None else name_of(workspace, MemberId(row.actor)),
                text=clip(_words(workspace, told, row), ROW_CHARS_MAX),
            )
            for row in told.rows
        ),
        earlier=told.earlier,
    )


def _state_then(told: GoalRows) -> str:
    """The goal's state as it was told, where that is among what was new."""
    return next((row.now for row in reversed(told.rows) if row.kind == "goal"), "")


def _words(workspace: Workspace, told: GoalRows, row: FactRow) -> str:
    fact = Fact(row.seq, row.kind, row.subject, row.now, row.actor)
    if told.goal_id is None:
        return workspace_words_of(workspace, fact)
    goal = workspace.goals.get(told.goal_id)
    return "" if goal is None else words_of(goal, fact)


def _list(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("ListSummaries", asked)
    if ask.goal_id is not None and ask.goal_id not in {held.goal_id for held in workspace.goals.held()}:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    every = reversed(workspace.summaries.by_id.values())
    found = [one for one in every if ask.goal_id in {None, one.goal_id}]
    return {
        "schema_version": "frontstage_summary_list_v1",
        "summaries": [_row(workspace, one) for one in found[: ask.limit]],
        "total": len(found),
    }


def _show(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("ShowSummary", asked)
    summary = workspace.summaries.by_id.get(ask.summary_id)
    if summary is None:
        return refuse(SummaryRefusal.SUMMARY_NOT_FOUND, summary_id=ask.summary_id)
    screen = Screen()
    return {
        "schema_version": "frontstage_summary_v1",
        **_row(workspace, summary),
        "text": screen.show(summary.text, TEXT_CHARS_MAX, "text"),
        "goals": [_goal_row(workspace, one, screen, f"goals[{at}]") for at, one in enumerate(summary.goals)],
        "goals_left_out": summary.goals_left_out,
        "source_warnings": screen.warnings,
    }


def _goal_row(workspace: Workspace, told: GoalRows, screen: Screen, path: str) -> Document:
    return {
        "goal_id": told.goal_id,
        "rows": [
            {
                "seq": row.seq,
                "kind": row.kind,
                "subject": row.subject,
                "now": row.now,
                "actor": row.actor,
                "text": screen.show(_words(workspace, told, row), ROW_CHARS_MAX, f"{path}.rows[{at}].text"),
            }
            for at, row in enumerate(told.rows)
        ],
        "earlier": told.earlier,
    }


def _row(workspace: Workspace, one: Summary) -> Document:
    return {
        "summary_id": one.summary_id,
        "about": one.about,
        "goal_id": one.goal_id,
        "posted_by": one.posted_by,
        "at": rfc3339(one.at_ms),
        "scheduled_at": rfc3339_or_none(one.scheduled_for_ms),
        "seq": one.seq,
        "since": one.since,
        "head": {"seq": one.until, "short_hash": one.head_hash, "at": rfc3339(one.head_at_ms)},
        "total": one.total,
        "channels": list(_channels(workspace, one)),
    }


def _channels(workspace: Workspace, one: Summary) -> Iterator[Document]:
    for channel_id in one.channels:
        outcome = workspace.summaries.outcomes[in_chat(one.summary_id, channel_id)]
        yield {
            "channel": channel_name(channel_id),
            "status": outcome.status,
            "because": outcome.because,
            "at": rfc3339(outcome.at_ms),
            "seq": outcome.seq,
        }


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {
    "summary.list": _list,
    "summary.show": _show,
}
"""By the name of the action."""
