"""Whose work an event ended, where the event does not say: a lease or a claim ends by the name of its todo alone.

The holder is read from the log, from the last event before it by which somebody came to hold the todo. Where somebody
else than the holder ended it, the other events of the same request say why: an amendment, a cancellation, a revocation.
"""

from collections.abc import Iterable, Mapping, Sequence

from ledger.codec import decode_body
from ledger.ports import EventRow, Store
from ledger.projections.told import Told, told_of
from ledger.text.happened import Ended, told_plainly
from ledger.text.say import Locale

ENDS = frozenset({"lease.released", "todo.released"})
_BEGINS = {
    "lease.acquired": "owner",
    "lease.transferred": "owner",
    "todo.claimed": "agent_id",
    "todo.handed_off": "to_agent",
    "todo.adopted": "to_agent",
}
"""Events by which somebody comes to hold a todo, with the fact that says who."""
_FOLLOWS = ENDS | {"lease.expired", "todo.resumed"}
LOOKED_BACK_MAX = 5_000
"""Events of a goal that are looked through for holders, once for all the ends of a page."""
BESIDE_MAX = 32
"""Events to either side of an end that are looked at for why it came."""


def ends_of(store: Store, events: Sequence[Told], locale: Locale) -> dict[int, Ended]:
    """For each event that ended what somebody held: who held it and, where another ended it, what did."""
    ended = [told for told in events if told.row.kind in ENDS]
    found: dict[int, Ended] = {}
    for goal_id in {told.row.goal_id for told in ended}:
        holders = _holders(store, goal_id, [told for told in ended if told.row.goal_id == goal_id])
        for told in ended:
            holder = holders.get(told.row.seq)
            if told.row.goal_id == goal_id:
                because = _because(store, told, locale) if holder not in {None, told.event.actor} else None
                found[told.row.seq] = Ended(holder, because)
    return found


def _holders(store: Store, goal_id: str | None, ended: Iterable[Told]) -> dict[int, str]:
    waiting: dict[str, list[int]] = {}
    for told in ended:
        waiting.setdefault(str(told.facts.get("todo_id")), []).append(told.row.seq)
    last = max(max(seqs) for seqs in waiting.values())
    holders: dict[int, str] = {}
    for looked_at, row in enumerate(store.events_before(last, goal_id=goal_id)):
        if looked_at == LOOKED_BACK_MAX or not waiting:
            break
        if row.kind in _BEGINS:
            _resolve(row, waiting, holders)
    return holders


def _resolve(row: EventRow, waiting: dict[str, list[int]], holders: dict[int, str]) -> None:
    """Whoever began to hold here is the holder of all later ends that have none yet."""
    facts: Mapping[str, object] = told_of(row).facts
    todo_id = str(facts.get("todo_id"))
    for seq in [seq for seq in waiting.get(todo_id, ()) if seq > row.seq]:
        holders[seq] = str(facts[_BEGINS[row.kind]])
        waiting[todo_id].remove(seq)
    if not waiting.get(todo_id, True):
        del waiting[todo_id]


def _because(store: Store, told: Told, locale: Locale) -> str | None:
    """What else the same request did in this goal or to the whole workspace, as a sentence."""
    seq, cause = told.row.seq, told.body.cause
    if cause is None:
        return None
    for row in store.events(max(0, seq - BESIDE_MAX - 1), limit=2 * BESIDE_MAX + 1):
        if row.kind in _FOLLOWS or row.goal_id not in {None, told.row.goal_id} or decode_body(row.body).cause != cause:
            continue
        other = told_of(row)
        return told_plainly(row.kind, other.facts, other.event.actor, locale, at_ms=other.event.at_ms)
    return None
