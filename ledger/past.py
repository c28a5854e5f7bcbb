"""The past: the state as it was after an event, folded from the log once more.

An event of a goal changes that goal and nothing else, and no event of one goal is needed to fold another. So what a
document of one goal showed is made from the events of the workspace and of that goal alone; a document of the workspace
needs the whole log up to there. Time is the event's own: leases, gates and deferrals read as they stood. Words that
were erased since are gone from the past as well.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain, takewhile
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from ledger.codec import decode_body, decode_row
from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.params import Params
from ledger.ports import Erasure, EventRow, Group, Store
from ledger.reduce import fold
from ledger.rules.erasures import KINDS, Mentioned
from ledger.state import WORKSPACE_PARTS, Goal, Workspace

_ERASED_KIND = KINDS[0].name
_NO_GOAL = GoalId("")
"""The id of no goal: a state folded for it is the workspace without goals."""


class Log(Protocol):
    """The events of a store, as far as a fold needs them."""

    def events(self, after_seq: int, *, goal_id: str | None = None, limit: int | None = None) -> Iterator[EventRow]:
        """Events with `seq > after_seq` in order."""
        ...

    def workspace_events(self, after_seq: int, *, limit: int | None = None) -> Iterator[EventRow]:
        """Events of no goal with `seq > after_seq` in order."""
        ...


def state_at(store: Log, seq: int, goal_id: GoalId | None = None, earlier: Workspace | None = None) -> Workspace:
    """The state after the event `seq`, which is recorded; of one goal and the workspace where a goal is named.

    `earlier` is a state of the same scope that was folded up to an event not after `seq`; it is not changed.
    """
    workspace = Workspace() if earlier is None else earlier.copy()
    for row in takewhile(lambda row: row.seq <= seq, _events(store, workspace.seq, goal_id)):
        fold(workspace, decode_row(row))
    if workspace.seq != seq:
        # The event is another goal's: it changed nothing here, but the moment is its own.
        at = next(store.events(seq - 1, limit=1))
        workspace.seq, workspace.hash, workspace.at_ms = seq, at.hash, decode_body(at.body).at_ms
    return workspace


def _events(store: Log, after_seq: int, goal_id: GoalId | None) -> Iterator[EventRow]:
    if goal_id is None:
        return store.events(after_seq)
    own = store.events(after_seq, goal_id=goal_id)
    return merge(store.workspace_events(after_seq), own, key=lambda row: row.seq)


_REGISTRY = (
    "name", "members", "tokens", "tokens_by_id", "pairings", "identities", "addresses", "button_keys", *WORKSPACE_PARTS,
)  # fmt: skip
"""All of a workspace but its goals and the place of its last event: what events of no goal make."""


class Refolded(NamedTuple):
    """Parts of a state that were folded from the log anew, because words are gone from it."""

    goals: tuple[Goal, ...]
    registry: Workspace | None
    """A workspace of which everything but the goals counts; None where nothing of it changed."""
    seqs: frozenset[int]
    """The events whose words are gone."""

    def swap_into(self, workspace: Workspace) -> None:
        """Put copies of these in the place of what the state has; it is of the same event."""
        for goal in self.goals:
            workspace.goals[goal.goal_id] = goal.copy()
        if self.registry is not None:
            twin = self.registry.copy()
            # Which one-time codes have counted is said by events of goals, too, and by no words.
            twin.authority.code_steps = dict(workspace.authority.code_steps)
            for name in _REGISTRY:
                setattr(workspace, name, getattr(twin, name))


def refolded(store: Store, events: Sequence[EventRow], erasures: Sequence[Erasure]) -> Refolded:
    """What lost words in a group that is durable: the goals and, where it did, the workspace, as the log makes them."""
    scopes = {row.goal_id for row in events if row.kind == _ERASED_KIND}
    last = events[-1].seq
    goals = [state_at(store, last, GoalId(goal_id)).goals[GoalId(goal_id)] for goal_id in scopes if goal_id is not None]
    registry = state_at(store, last, _NO_GOAL) if None in scopes else None
    return Refolded(tuple(goals), registry, frozenset(seq for erasure in erasures for seq in erasure.seqs))


def forget_words(events: deque[Recorded], seqs: frozenset[int]) -> None:
    """Take the words of these events out of what is kept in memory."""
    for at, event in enumerate(events):
        if event.seq in seqs:
            events[at] = replace(event, words=None)


def named_events(store: Store, params: Params, waiting: Group) -> dict[int, Mentioned]:
    """What the log, and the group that is still to be written, say of the events that a command names by `seq`."""
    found: dict[int, Mentioned] = {}
    gone = {seq for erasure in waiting.erasures for seq in erasure.seqs}
    for seq in params.seq:  # type: ignore[attr-defined]  # whoever names events has this field
        rows = chain(store.events(seq - 1, limit=1), waiting.events)
        row = next((row for row in rows if row.seq == seq), None)
        if row is not None:
            found[seq] = Mentioned(row.goal_id, row.words is not None and seq not in gone)
    return found
