"""Who holds what: claims and leases read from the indexes, as one row for each todo.

A soft claim and a lease on one todo are one hold that says which it is. A lease that has passed its end holds
nothing, whether or not its end is written yet.
"""

from heapq import nsmallest
from typing import Literal, NamedTuple

from ledger.ids import MemberId
from ledger.records import CLOSED, Lease, Todo
from ledger.rules.leases import effective_lease
from ledger.state import Goal, Workspace

HOLDS_MAX = 50
TODOS_LISTED_MAX = 50
MEMBERS_MAX = 8


class Hold(NamedTuple):
    """Whoever has a todo now; `lease` is set where it is more than a soft claim."""

    kind: Literal["none", "soft", "lease"]
    owner: MemberId | None
    lease: Lease | None


_FREE = Hold("none", None, None)


def hold_of(goal: Goal, todo: Todo, now_ms: int) -> Hold:
    """The one hold on a todo."""
    if todo.claimed_by is None:
        return _FREE
    lease = effective_lease(goal, todo.todo_id, now_ms)
    if lease is not None:
        return Hold("lease", lease.owner, lease)
    return _FREE if todo.claim_from_lease else Hold("soft", todo.claimed_by, None)


def held_todos(goal: Goal, now_ms: int) -> list[tuple[Todo, Hold]]:
    """The most urgent todos that somebody holds, best first."""
    claimed = (goal.todos[todo_id] for mine in goal.mine.values() for todo_id in mine)
    held = ((todo, hold_of(goal, todo, now_ms)) for todo in claimed)
    return nsmallest(HOLDS_MAX, (row for row in held if row[1].owner is not None), key=_rank)


def _rank(row: tuple[Todo, Hold]) -> tuple[str, int]:
    return (row[0].priority, row[0].seq)


def holders(held: list[tuple[Todo, Hold]]) -> tuple[MemberId, ...]:
    """Who holds work, in the order of its urgency, each once."""
    found = dict.fromkeys(hold.owner for _, hold in held if hold.owner is not None)
    return tuple(found)[:MEMBERS_MAX]


def claimed_until_ms(goal: Goal, now_ms: int) -> int | None:
    """When the last lease of now ends; None where nothing is leased."""
    if goal.state in CLOSED or not goal.due:
        return None
    last = goal.due[-1][0]
    return last if last > now_ms else None


class Counts(NamedTuple):
    """How many todos there are in each status; what is only proposed is no work and counts in none."""

    open: int
    blocked: int
    deferred: int
    done: int
    cancelled: int
    all: int


class Listed(NamedTuple):
    """The todos a projection lists: open and blocked ones, most urgent first, and how many there are of each."""

    todos: list[Todo]
    counts: Counts
    blocked: list[Todo]


def listed_todos(goal: Goal, limit: int = TODOS_LISTED_MAX) -> Listed:
    """Take the open ones and the blocked ones from their indexes."""
    everything, open_total = len(goal.todos), len(goal.by_priority)
    first = [goal.todos[todo_id] for _, _, todo_id in goal.by_priority[:limit]]
    blocked = [goal.todos[todo_id] for _, _, todo_id in goal.blocked]
    if blocked:
        first = sorted([*first, *blocked[:limit]], key=_urgency)[:limit]
    deferred, proposed = len(goal.handoffs.deferrals), len(goal.handoffs.proposals)
    cancelled = everything - open_total - goal.done_total - len(blocked) - deferred - proposed
    counts = Counts(open_total, len(blocked), deferred, goal.done_total, cancelled, everything - proposed)
    return Listed(first, counts, blocked)


def _urgency(todo: Todo) -> tuple[str, int]:
    return (todo.priority, todo.seq)


def name_of(workspace: Workspace, member_id: MemberId) -> str:
    """What a member is called, or their id where they have no name here."""
    member = workspace.members.get(member_id)
    return member_id if member is None else member.display_name


def names_of(workspace: Workspace, member_ids: tuple[MemberId, ...]) -> tuple[str, ...]:
    """What they are called."""
    return tuple(name_of(workspace, member_id) for member_id in member_ids)


def people_of(workspace: Workspace, member_ids: tuple[MemberId, ...]) -> list[dict[str, object]]:
    """Members as a document names them: by id and by the name they were given here."""
    return [{"member_id": member_id, "display_name": name_of(workspace, member_id)} for member_id in member_ids]
