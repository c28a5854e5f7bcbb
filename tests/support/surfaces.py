"""A surface as a scenario sees it: somebody acts with a request key, somebody reads a document. Nothing else.

The scenarios of the four faults are written against this protocol, so that the same one runs on the writer itself, over
HTTP, through the command line and by pressing buttons. A surface that can lose its connection or its disk in the
middle of a command says so by being a `FrailSurface`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from ledger.canonical import canonical
from ledger.ports import StoreFault
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from ledger.testing import Failure
from ledger.writer import Answer
from tests.support.world import World, parse, replay

Document = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What came of an act, whatever it came through."""

    outcome: str
    """`committed`, `noop`, or what a refusal's class says: `rejected`, `stale`, `denied`, `waiting`."""
    code: str | None = None
    receipt_id: str | None = None
    replayed: bool = False
    events: tuple[tuple[int, str], ...] = ()
    """Seq and kind of each event."""
    basis: str | None = None
    details: Document = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it is a success."""
        return self.outcome in {"committed", "noop"}

    @property
    def kinds(self) -> list[str]:
        """The kinds of its events."""
        return [kind for _, kind in self.events]


class AnswerLostError(Exception):
    """The connection or the process was gone before an answer came: whether it was done is not known."""


class Surface(Protocol):
    """Where somebody acts and reads."""

    def act(self, action: str, params: Document, who: str, request_key: str) -> Reply:
        """Ask for a change. The same key asks for the same change again."""
        ...

    def read(self, action: str, params: Document, who: str) -> Document:
        """Read a document."""
        ...

    def history(self) -> Sequence[tuple[int, str]]:
        """Seq and kind of every event that is stored."""
        ...


class FrailSurface(Surface, Protocol):
    """A surface whose next act can be made to fail in the middle."""

    def lose_next(self, *, stored: bool) -> None:
        """The next act raises `AnswerLostError`, before or after its change was stored; then all is well again."""
        ...


class WriterSurface:
    """The writer itself. Documents are read from a state made anew from the stored bytes, never from one that grew."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or World()

    def act(self, action: str, params: Document, who: str, request_key: str) -> Reply:
        """Hand the command to the writer."""
        request = self.world.request(who, action, request_key, **params)
        try:
            (answer,) = self.world.drain(request)
        except StoreFault as fault:
            self.world.restart()
            raise AnswerLostError from fault
        return reply_of(answer)

    def read(self, action: str, params: Document, who: str) -> Document:
        """Read the document from what is stored."""
        state = replay(self.world.store)
        found = READERS[action](state, self.world.caller(who), parse(action, params), self.world.now_ms)
        assert not isinstance(found, Refusal), found
        document: Document = json.loads(msgspec.json.encode(found))
        return document

    def history(self) -> list[tuple[int, str]]:
        """What the store has."""
        return [(row.seq, row.kind) for row in self.world.store.events(0)]

    def lose_next(self, *, stored: bool) -> None:
        """The power fails before or after the commit."""
        self.world.store.fail(Failure(StoreFault("no power"), stored=stored))


def reply_of(answer: Answer) -> Reply:
    """The reply that an answer of the writer is."""
    if answer.refusal is not None:
        refusal = answer.refusal
        details: Document = json.loads(canonical(refusal.details))
        return Reply(outcome=refusal.status.outcome, code=refusal.code.value, basis=refusal.basis, details=details)
    if answer.held is not None:
        held: Document = json.loads(canonical(answer.held.facts))
        return Reply(outcome="noop", events=((answer.held.seq, "held"),), details=held)
    return Reply(
        outcome="committed",
        receipt_id=answer.receipt_id,
        replayed=answer.replayed,
        events=tuple((event.seq, event.kind) for event in answer.events),
    )
