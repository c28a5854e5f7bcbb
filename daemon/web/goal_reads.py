"""What a goal's page reads beside the goal itself, each list no longer than the page shows.

A goal may have thousands of todos, runs and events: what is read here are the newest few of each, and how many there
are. The rest is a page further on, or in the history.
"""

from dataclasses import dataclass, field

from daemon.web.reads import Reads
from ledger.projections.documents import Document
from ledger.refusals import Refusal
from ledger.text.pieces import Doc, number, rows_of

TODOS_MAX = 20
GATES_OPEN_MAX = 8
GATES_PAST_MAX = 5
PLANS_MAX = 5
AMENDMENTS_MAX = 5
REQUESTS_MAX = 8
RUNS_MAX = 8
USAGE_MAX = 50
ARTIFACTS_MAX = 60
"""Artifacts that are looked through for evidence, the newest."""
EVENTS_MAX = 8
LEASE_EVENTS_MAX = 40
REVISIONS_MAX = 10
REVISIONS_SHOWN = 2
"""The revision in force and the one that waits, each with what it changed; the others are told by their events."""
DRAWN_WHOLE_MAX = 60
"""A goal with no more todos than this is drawn whole."""
DRAWN_OPEN_MAX = 50
DRAWN_OTHERS_MAX = 20
"""Of a larger one: what is open, the most urgent first, and what is blocked."""


@dataclass(frozen=True)
class Beside:
    """Documents about one goal."""

    gates_open: list[Doc]
    gates_open_total: int
    gates_past: list[Doc]
    gates_past_total: int
    plans: Document
    plan: Doc | None
    """The plan that waits for a decision; where none does, the newest one."""
    amendments: list[Doc]
    amendments_total: int
    requests: Document
    runs: Document
    usage: Document
    artifacts: Document
    events: list[Doc] = field(default_factory=list)
    """The newest events, the newest first."""
    lease_events: list[Doc] = field(default_factory=list)
    drawn: list[Doc] = field(default_factory=list)
    """The todos that the picture of the work is of."""
    revised: list[Doc] = field(default_factory=list)
    """The events that put revisions forward, the newest first, where there are more than are shown."""
    documents: list[Document] = field(default_factory=list)
    """All that was read, as it was read."""


async def read_beside(reads: Reads, goal_id: str, todos_total: int, revisions: int) -> Beside | Refusal:
    """Everything beside a goal of so many todos and revisions; the first refusal ends it."""
    read = _Reading(reads, goal_id)
    waiting = await read.one("gate.list", status="open", limit=GATES_OPEN_MAX)
    past = await read.one("gate.list", status="closed", limit=GATES_PAST_MAX)
    plans = await read.one("plan.list", limit=PLANS_MAX)
    amendments = await read.one("amendment.list", limit=AMENDMENTS_MAX)
    rows = rows_of(plans, "plans")
    chosen = next((row for row in rows if row.get("status") == "open"), rows[0] if rows else None)
    events = await read.one("history.list", limit=EVENTS_MAX)
    found = Beside(
        gates_open=await read.each("gate.show", "gate_id", waiting, "gates"),
        gates_open_total=number(waiting.get("total")),
        gates_past=await read.each("gate.show", "gate_id", past, "gates"),
        gates_past_total=number(past.get("total")),
        plans=plans,
        plan=None if chosen is None else await read.one("plan.show", plan_id=chosen.get("plan_id")),
        amendments=await read.each("amendment.show", "amendment_id", amendments, "amendments"),
        amendments_total=number(amendments.get("total")),
        requests=await read.one("request.list", limit=REQUESTS_MAX),
        runs=await read.one("run.list", limit=RUNS_MAX),
        usage=await read.one("usage.show", limit=USAGE_MAX),
        artifacts=await read.one("artifact.list", limit=ARTIFACTS_MAX),
        events=rows_of(events, "events"),
        lease_events=rows_of(await read.one("history.list", kind="lease", limit=LEASE_EVENTS_MAX), "events"),
        drawn=await _drawn(read, todos_total),
        revised=await _revised(read, revisions),
    )
    found.documents.extend(read.documents)
    return found if read.refused is None else read.refused


async def _revised(read: "_Reading", revisions: int) -> list[Doc]:
    """How the promise came to be, where that is more than what is shown of it."""
    if revisions <= REVISIONS_SHOWN:
        return []
    return rows_of(await read.one("history.list", kind="goal.revised", limit=REVISIONS_MAX), "events")


async def _drawn(read: "_Reading", todos_total: int) -> list[Doc]:
    """The todos that are drawn: all of them, or those that something can still come of."""
    if todos_total <= DRAWN_WHOLE_MAX:
        return rows_of(await read.one("todo.list", limit=DRAWN_WHOLE_MAX), "todos")
    open_ones = await read.one("todo.list", status="open", limit=DRAWN_OPEN_MAX)
    blocked = await read.one("todo.list", status="blocked", limit=DRAWN_OTHERS_MAX)
    return rows_of(open_ones, "todos") + rows_of(blocked, "todos")


class _Reading:
    """Reads about one goal; after a refusal nothing more is read."""

    def __init__(self, reads: Reads, goal_id: str) -> None:
        self._reads = reads
        self._goal_id = goal_id
        self.refused: Refusal | None = None
        self.documents: list[Document] = []

    async def one(self, action: str, /, **asked: object) -> Document:
        """A document, or an empty one where something was refused."""
        if self.refused is not None:
            return {}
        document = await self._reads.document(action, goal_id=self._goal_id, **asked)
        if isinstance(document, Refusal):
            self.refused = document
            return {}
        self.documents.append(document)
        return document

    async def each(self, action: str, name: str, listed: Document, rows: str) -> list[Doc]:
        """Each row of a list, in full."""
        return [await self.one(action, **{name: row[name]}) for row in rows_of(listed, rows)]


@dataclass(frozen=True)
class Moments:
    """Where in the history the page stands, and where one can go from there."""

    head: int
    here: int
    before: Doc | None
    """The event of this goal before the one that is shown."""
    after: Doc | None
    """The next one, where the page shows an earlier moment."""


async def read_moments(reads: Reads, at: int | None, goal_id: str, newest: list[Doc]) -> Moments:
    """The neighbours among this goal's own events. `newest` are the latest ones at the moment that is shown."""
    earlier = newest[1:2] if at is None or (newest and newest[0].get("seq") == at) else newest[:1]
    after: list[Doc] = []
    if at is not None:
        later = await reads.now().document("history.list", goal_id=goal_id, order="oldest", from_seq=at + 1, limit=1)
        after = [] if isinstance(later, Refusal) else rows_of(later, "events")
    return Moments(
        head=reads.head,
        here=reads.seq,
        before=earlier[0] if earlier else None,
        after=after[0] if after else None,
    )
