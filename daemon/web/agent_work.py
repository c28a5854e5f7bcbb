"""What an agent did, gathered from the books of several goals into one list of each kind, the newest first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from daemon.web.tones import tone_of_artifact
from daemon.web.workload import Books
from ledger.parts.runs import NEUTRAL, PROGRESS
from ledger.text.pieces import Doc, rows_of

ROWS_MAX: Final = 12


class Rows(NamedTuple):
    """The newest rows of a kind, and how many more were found."""

    rows: list[Doc]
    more: int


def runs_of(agent_id: str, books: Mapping[str, Books]) -> Rows:
    """What its turns came to."""
    return _newest(
        {"goal_id": goal_id, "tone": _run_tone(run), **run}
        for goal_id, book in books.items()
        for run in rows_of(book.runs, "runs")
        if run.get("agent_id") == agent_id
    )


def _run_tone(run: Doc) -> str:
    outcome = run.get("delivery_outcome")
    return "go" if outcome in PROGRESS else "past" if outcome in NEUTRAL else "wait"


def artifacts_of(agent_id: str, books: Mapping[str, Books]) -> Rows:
    """What it handed in, each with how its review ended."""
    return _newest(
        {"goal_id": goal_id, "tone": tone_of_artifact(str(one.get("status"))), **one}
        for goal_id, book in books.items()
        for one in rows_of(book.artifacts, "artifacts")
        if one.get("submitted_by") == agent_id
    )


def requests_of(agent_id: str, found: Sequence[Doc]) -> Rows:
    """What it was asked and what it asked; a request to itself is one request."""
    each = {(one.get("goal_id"), one.get("request_id")): one for one in found}
    return _newest({"to_it": one.get("receiver") == agent_id, **one} for one in each.values())


def _newest(rows: Iterable[Doc]) -> Rows:
    """Rows of one document share the order of their seq, which is the ledger's own, over all goals."""
    found = sorted(rows, key=_seq, reverse=True)
    return Rows(found[:ROWS_MAX], max(0, len(found) - ROWS_MAX))


def _seq(row: Doc) -> tuple[int, str]:
    seq = row.get("seq")
    return (seq if isinstance(seq, int) else 0, str(row.get("submitted_at", "")))


class Used(NamedTuple):
    """What was reported as used. What nobody knows is counted as unknown, and never as nothing."""

    reports: list[Doc]
    more: int
    tokens: int | None
    """What is known of it; None where no report knows anything."""
    tokens_unknown: int
    cost_micros: int | None
    cost_unknown: int
    partly: bool


def usage_of(agent_id: str, documents: Mapping[str, Doc]) -> Used:
    """What an agent is reported to have used, over the goals that were read."""
    found = _newest(
        {"goal_id": goal_id, **report}
        for goal_id, document in documents.items()
        for report in rows_of(document, "reports")
        if report.get("agent_id") == agent_id
    )
    every = [
        report
        for document in documents.values()
        for report in rows_of(document, "reports")
        if report.get("agent_id") == agent_id
    ]
    tokens = [part for report in every for part in tokens_of(report) if part is not None]
    costs = [cost for report in every if isinstance(cost := report.get("cost_micros"), int)]
    return Used(
        reports=found.rows,
        more=found.more,
        tokens=sum(tokens) if tokens else None,
        tokens_unknown=sum(None in tokens_of(report) for report in every),
        cost_micros=sum(costs) if costs else None,
        cost_unknown=len(every) - len(costs),
        partly=any(_cut(document) for document in documents.values()),
    )


def tokens_of(report: Doc) -> tuple[int | None, int | None]:
    """What was read and what was written, as far as a report says; None is unknown."""
    read, written = report.get("tokens_in"), report.get("tokens_out")
    return (read if isinstance(read, int) else None, written if isinstance(written, int) else None)


def _cut(document: Doc) -> bool:
    total = document.get("total")
    return isinstance(total, int) and total > len(rows_of(document, "reports"))
