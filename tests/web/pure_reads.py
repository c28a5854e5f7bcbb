"""The page's reads over a world in memory: what a view makes, without a daemon, a socket or a clock that runs."""

from dataclasses import dataclass

from daemon.web.asked import parse
from daemon.web.fragments import Fragments
from daemon.web.frame import draw
from daemon.web.pages import _find
from daemon.web.reads import CALLER
from daemon.web.shapes import Shapes
from ledger.catalogue import ACTIONS
from ledger.ids import GoalId
from ledger.past import state_at
from ledger.projections.documents import READERS
from ledger.projections.history import Asking
from ledger.projections.outlet import filtered
from ledger.projections.stored import STORED_READERS
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.text.times import rfc3339

BASE = "/key"


@dataclass
class PureReads:
    """Documents of a world as of now or of an earlier event, as the page asks for them."""

    world: object
    locale: str = "en"
    at: int | None = None

    @property
    def head(self):
        """The last event."""
        return self.world.state.seq

    @property
    def seq(self):
        """The event that is read at."""
        return self.head if self.at is None else self.at

    def now(self):
        """The same without an earlier moment."""
        return PureReads(self.world, self.locale)

    def of_many_goals(self):
        """The same."""
        return self

    async def moment(self, goal_id=None):
        """The moment that is read at."""
        scope = None if goal_id is None else GoalId(goal_id)
        return rfc3339(self.world.now_ms if self.at is None else state_at(self.world.store, self.at, scope).at_ms)

    def shaped(self, key, documents, make):
        """What is made of documents."""
        return Shapes().of(key, documents, make)

    async def document(self, action, /, **asked):
        """A document, as the daemon would answer."""
        given = {name: value for name, value in asked.items() if value is not None}
        params = ACTIONS[action].params.model_validate(given, strict=False)
        state, now_ms = self.world.state, self.world.now_ms
        if self.at is not None:
            if not 1 <= self.at <= self.head:
                return refuse(GeneralRefusal.SEQ_NOT_REACHED, seq=self.at, head=self.head)
            state = state_at(self.world.store, self.at, GoalId(asked["goal_id"]) if "goal_id" in asked else None)
            now_ms = state.at_ms
        if action not in STORED_READERS:
            document = READERS[action](state, CALLER, params, now_ms)
            return document if isinstance(document, Refusal) else filtered(self.world.state, CALLER, params, document)
        reading = STORED_READERS[action](Asking(state, CALLER, self.seq, now_ms, self.locale), params)
        return (
            reading
            if isinstance(reading, Refusal)
            else filtered(self.world.state, CALLER, params, reading(self.world.store))
        )


async def page_of(world, path, fragments=None, **query):
    """The HTML of a page, or the refusal that is answered instead; `fragments` are what was drawn before."""
    asked = parse(BASE, path, {name: str(value) for name, value in query.items()}, "en", twice=False)
    assert not isinstance(asked, Refusal), asked
    page, names = _find(asked.path)
    made = await page.view(PureReads(world, asked.locale, asked.at), asked, names)
    if isinstance(made, Refusal):
        return made
    at = rfc3339(world.now_ms)
    ledger = {
        "name": "Docs team", "seq": world.state.seq, "short_hash": "00000000", "event_at": at, "made_at": at,
        "writable": True,
    }  # fmt: skip
    frame = {"ledger": ledger, "at": asked.at, "health": {"ok": True}}
    return draw(page.template, {**frame, **made}, asked, Fragments() if fragments is None else fragments).decode()
