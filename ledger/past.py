"""The past: the state as it was after an event, folded from the log once more.

An event of a goal changes that goal and nothing else, and no event of one goal is needed to fold another. So what a
document of one goal showed is made from the events of the workspace and of that goal alone; a document of the workspace
needs the whole log up to there. Time is the event's own: leases, gates and deferrals read as they stood. Words that
were erased since are gone from the past as well.
"""

from collections.abc import Iterator
from heapq import merge
from itertools import takewhile

from ledger.codec import decode_body, decode_event
from ledger.ids import GoalId
from ledger.ports import EventRow, Store
from ledger.reduce import fold
from ledger.state import Workspace


def state_at(store: Store, seq: int, goal_id: GoalId | None = None, earlier: Workspace | None = None) -> Workspace:
    """The state after the event `seq`, which is recorded; of one goal and the workspace where a goal is named.

    `earlier` is a state of the same scope that was folded up to an event not after `seq`; it is not changed.
    """
    workspace = Workspace() if earlier is None else earlier.copy()
    for row in takewhile(lambda row: row.seq <= seq, _events(store, workspace.seq, goal_id)):
        fold(workspace, decode_event(row.body, row.words, row.hash))
    if workspace.seq != seq:
        # The event is another goal's: it changed nothing here, but the moment is its own.
        at = next(store.events(seq - 1, limit=1))
        workspace.seq, workspace.hash, workspace.at_ms = seq, at.hash, decode_body(at.body).at_ms
    return workspace


def _events(store: Store, after_seq: int, goal_id: GoalId | None) -> Iterator[EventRow]:
    if goal_id is None:
        return store.events(after_seq)
    own = store.events(after_seq, goal_id=goal_id)
    return merge(store.workspace_events(after_seq), own, key=lambda row: row.seq)
