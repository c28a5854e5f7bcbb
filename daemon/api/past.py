"""Reads of the past: `at=SEQ` beside a read's parameters answers with the document of then.

Folding may take a while, so it runs in a thread, one fold at a time; whoever asks for the same moment waits for the
fold that is under way and finds its state. A few states are kept, because whoever looks back looks more than once.
Who may ask is settled by the present before anything is folded: a right that ended shows nothing of the past either.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from aiohttp import web

from daemon.api.edge import AT
from daemon.api.resting import Resting
from daemon.service import Service
from ledger.ids import GoalId
from ledger.past import state_at
from ledger.ports import Store
from ledger.projections.history import Document, Reading
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.state import Workspace

STATES_MAX = 8
"""Folded states kept in memory."""
WHOLE_STATES_MAX = 2
"""Of these, states of every goal: each is as large as what the daemon serves from."""
WAITING_MAX = 32
"""Reads of the log that may be under way or wait for a fold."""
BUSY_RETRY_AFTER_S = 5
PIECE_EVENTS = 128
"""Events whose words become searchable at once; commits wait for one piece at most."""
PIECES_MAX = 128
"""Pieces that one search waits for; what is older than that is found by the next."""
SEQ_DIGITS_MAX = 16
_Read = TypeVar("_Read")
_Key = tuple[GoalId | None, int]


def asked_seq(request: web.Request) -> int | Refusal:
    """The seq that a read names."""
    given = request.query.getall(AT)
    digits = given[0].removeprefix("-")
    if len(given) > 1:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field=AT, problem="given more than once")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= SEQ_DIGITS_MAX):
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field=AT, problem="must be the seq of an event")
    return int(given[0])


def now_only(request: web.Request) -> Refusal | None:
    """Why a write may not go on: it happens now, and whoever names another moment means something else."""
    if AT not in request.query:
        return None
    return refuse(GeneralRefusal.MALFORMED_PARAMS, field=AT, problem="a write happens now; only a read may name a seq")


class Past:
    """The states of earlier moments, for as long as somebody looks at them."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._states: OrderedDict[_Key, Workspace] = OrderedDict()
        self._folding = asyncio.Lock()
        self._waiting = 0
        self._erasures = 0
        self._indexing = asyncio.Lock()
        self._indexed = 0

    async def state(self, seq: int, goal_id: GoalId | None) -> Workspace | Refusal:
        """The state after the event `seq`; whoever gets it changes nothing in it."""
        head = self._service.committed.seq
        if not 1 <= seq <= head:
            return refuse(GeneralRefusal.SEQ_NOT_REACHED, seq=seq, head=head)
        if (found := self._find((goal_id, seq))) is not None:
            return found
        if self._waiting >= WAITING_MAX:
            self._service.counters.busy += 1
            return refuse(GeneralRefusal.BUSY, retry_after_s=BUSY_RETRY_AFTER_S)
        self._waiting += 1
        try:
            async with self._folding:
                return await self._folded((goal_id, seq))
        finally:
            self._waiting -= 1

    async def catch_up(self, seq: int) -> None:
        """Make the words up to an event searchable, as far as one call may; it is done between commits, in pieces."""
        async with self._indexing:
            for _ in range(PIECES_MAX):
                if self._indexed >= seq or not self._service.writable:
                    return
                through = await self._service.beside_commits(lambda writer: writer.index_words(PIECE_EVENTS))
                if through <= self._indexed:
                    return  # The disk has no room: what is searchable stays so.
                self._indexed = through

    async def read(self, reading: Reading) -> Document | Refusal:
        """Have something read from the store, beside the loop; few may wait for it at a time."""
        if self._waiting >= WAITING_MAX:
            self._service.counters.busy += 1
            return refuse(GeneralRefusal.BUSY, retry_after_s=BUSY_RETRY_AFTER_S)
        self._waiting += 1
        try:
            return await asyncio.to_thread(self._with_reader, reading)
        finally:
            self._waiting -= 1

    async def _folded(self, key: _Key) -> Workspace:
        """The state, folded unless somebody has just done it."""
        while (found := self._find(key)) is None:
            erasures = self._service.erasures
            state = await asyncio.to_thread(self._fold, key, self._earlier(key))
            # Words that were erased meanwhile may be in it: then it is folded again.
            if erasures == self._service.erasures:
                self._keep(key, state)
        return found

    def _keep(self, key: _Key, state: Workspace) -> None:
        self._states[key] = state
        of_all_goals = [kept for kept in self._states if kept[0] is None]
        if len(of_all_goals) > WHOLE_STATES_MAX:
            del self._states[of_all_goals[0]]
        if len(self._states) > STATES_MAX:
            self._states.popitem(last=False)

    def _find(self, key: _Key) -> Workspace | None:
        if self._erasures != self._service.erasures:
            self._states.clear()
            self._erasures = self._service.erasures
        if key in self._states:
            self._states.move_to_end(key)
        return self._states.get(key)

    def _earlier(self, key: _Key) -> Workspace | None:
        """The latest state that is kept of the same scope and not after that moment."""
        goal_id, seq = key
        before = [known for scope, known in self._states if scope == goal_id and known <= seq]
        return self._states[goal_id, max(before)] if before else None

    def _fold(self, key: _Key, earlier: Workspace | None) -> Workspace:
        return self._with_reader(lambda store: state_at(Resting(store, self._service), key[1], key[0], earlier))

    def _with_reader(self, read: Callable[[Store], _Read]) -> _Read:
        reader = self._service.store.reader()
        try:
            return read(reader)
        finally:
            reader.close()
