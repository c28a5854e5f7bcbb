"""What is read for the pages about members: how many documents at most, and which.

A page about everybody must not cost more the more there is: each list of goals and agents that is walked here has an
end, and what was walked is said beside what was found.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from daemon.web.agent_shapes import leased
from daemon.web.reads import Reads
from daemon.web.workload import Books, Refused, Untaken, may_take, refused_in, untaken
from ledger.refusals import Refusal
from ledger.text.pieces import Doc, as_map, number, rows_of

GOALS_MAX: Final = 24
"""Goals whose books are opened for one page."""
LEASE_GOALS_MAX: Final = 6
"""Goals whose leases are drawn over time."""
LEASES_MAX: Final = 100
"""The latest events of leases in each of them."""
ASKED_MAX: Final = 160
"""How often agents are asked, for one page, what they could begin."""
FREE_MAX: Final = 20
OWN_MAX: Final = 100
ROWS_MAX: Final = 200


async def given(reads: Reads, action: str, /, **asked: object) -> Doc:
    """A document; one that is refused counts as one that says nothing, because the page is about something else."""
    document = await reads.document(action, **asked)
    return {} if isinstance(document, Refusal) else document


async def leases_of(reads: Reads, shown: Sequence[Doc]) -> dict[tuple[str, str], Doc]:
    """The record of each lease that these agents are shown to hold."""
    found: dict[tuple[str, str], Doc] = {}
    for goal_id, todo_id in dict.fromkeys(pair for one in shown for pair in leased(one)):
        if lease := await given(reads, "task-lease.inspect", goal_id=goal_id, todo_id=todo_id):
            found[goal_id, todo_id] = lease
    return found


async def books_of(reads: Reads, goal_ids: Iterable[str]) -> dict[str, Books]:
    """What the first of these goals say was spent, run and handed in."""
    found: dict[str, Books] = {}
    for goal_id in list(dict.fromkeys(goal_ids))[:GOALS_MAX]:
        found[goal_id] = Books(
            quota=await given(reads, "quota.status", goal_id=goal_id, limit=ROWS_MAX),
            runs=await given(reads, "run.list", goal_id=goal_id, limit=ROWS_MAX),
            artifacts=await given(reads, "artifact.list", goal_id=goal_id),
        )
    return found


async def refused_of(reads: Reads) -> Refused:
    """Whose writes were refused of late, and how often."""
    return refused_in(await given(reads, "refusal.list", limit=ROWS_MAX))


def goals_worked_in(shown: Sequence[Doc]) -> list[str]:
    """The goals in which these agents have done or hold something, in the order of the documents."""
    return [
        str(row.get("goal_id"))
        for one in shown
        for row in rows_of(one, "goals")
        if row.get("last_action") is not None or rows_of(row, "current_claims")
    ]


class LeaseEvents(NamedTuple):
    """What happened to the leases of some goals."""

    events: list[Doc]
    from_seq: int | None
    """The event since which all of it is known; None where all of it was read."""


async def lease_events(reads: Reads, goal_ids: Sequence[str]) -> LeaseEvents:
    """The latest events of leases, whoever made them: one that somebody else ended is not held to its planned end."""
    events: list[Doc] = []
    since: list[int] = []
    for goal_id in goal_ids[:LEASE_GOALS_MAX]:
        page = await given(reads, "history.list", goal_id=goal_id, kind="lease", limit=LEASES_MAX)
        events += rows_of(page, "events")
        since += [after] if isinstance(after := page.get("next_after"), int) else []
    return LeaseEvents(events, max(since, default=None))


class Unplaced(NamedTuple):
    """What could begin and nobody may take, over the goals that were looked at."""

    rows: list[Untaken]
    untold: int
    """Active goals of which it is not known, because asking has an end."""


async def unplaced(reads: Reads, members: Sequence[Doc]) -> Unplaced:
    """Ready work of active goals that no agent could begin. What cannot be known for sure is not claimed.

    An agent is asked by its own list of ready work, so that no rule is told here a second time. Mostly the first one
    could take everything; only where something is left over are the others asked.
    """
    active = await given(reads, "goal.list", state="active", limit=ROWS_MAX)
    goals = [str(goal.get("goal_id")) for goal in reversed(rows_of(active, "goals"))][:GOALS_MAX]
    rows: list[Untaken] = []
    told, left = 0, ASKED_MAX
    for goal_id in goals:
        free = rows_of(await given(reads, "todo.ready", goal_id=goal_id, limit=FREE_MAX), "todos")
        takers = may_take(members, goal_id) if free else []
        taken, left = await _taken(reads, goal_id, free, takers, left)
        told += taken is not None
        rows += [] if taken is None else untaken(goal_id, free, takers, taken)
    return Unplaced(rows, number(active.get("total")) - told)


async def _taken(
    reads: Reads, goal_id: str, free: Sequence[Doc], takers: Sequence[Doc], left: int
) -> tuple[set[str] | None, int]:
    """What of the free work somebody could take, and how often may still be asked; None where it cannot be told."""
    taken: set[str] = set()
    wanted = {str(todo.get("todo_id")) for todo in free}
    for agent in takers:
        if wanted <= taken:
            break
        if left == 0:
            return None, left
        left -= 1
        own = await given(reads, "todo.ready", goal_id=goal_id, agent_id=agent.get("member_id"), limit=OWN_MAX)
        taken |= {str(todo.get("todo_id")) for todo in rows_of(own, "todos")}
        if not own or (own.get("more") and not wanted <= taken):
            return None, left
    return taken, left


async def presences(reads: Reads) -> dict[str, object]:
    """The presence of each member over all goals, as the overview says it."""
    overview = await given(reads, "overview.show", limit=1)
    return {str(one.get("member_id")): one.get("presence") for one in rows_of(overview, "members")}


async def binding_of(reads: Reads, agent_id: str) -> Doc:
    """How an agent is connected, with everything that was proven."""
    rows = rows_of(await given(reads, "agent.list", agent_id=agent_id), "agents")
    return as_map(rows[0].get("binding")) if rows else {}
