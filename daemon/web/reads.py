"""The page's way to the ledger: the same documents that the command line, HTTP and MCP read, and nothing beside them.

It reads as the operator does, who administers and has no part in any goal: what is private in a goal is withheld here
as it is from a chat, whoever sits before the browser.
"""

from collections.abc import Callable, Mapping

from daemon.api.past import Past
from daemon.service import Service
from daemon.web.proving import Proving
from ledger.catalogue import ACTIONS
from ledger.ids import OPERATOR, GoalId
from ledger.projections.documents import READERS, Document
from ledger.projections.history import Asking
from ledger.projections.members import member_from
from ledger.projections.outlet import Reader, filtered, through_the_filter
from ledger.projections.overview import overview_from
from ledger.projections.readings import Readings
from ledger.projections.stored import STORED_READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.text.say import Locale
from ledger.text.times import rfc3339

FROM_READINGS: Mapping[str, Callable[[Readings], Reader]] = {"overview.show": overview_from, "member.show": member_from}
"""Documents of every goal at once."""
CALLER = Caller(member_id=OPERATOR, kind="operator", surface="http")


class Reads:
    """Documents by the name of their action, as of now or of an earlier event."""

    def __init__(
        self,
        service: Service,
        past: Past,
        locale: Locale,
        at: int | None = None,
        readings: Readings | None = None,
        proving: Proving | None = None,
    ) -> None:
        """`readings` are what is known already of the open goals as they are now, `proving` proofs of the chain."""
        self.proving = proving
        self._service = service
        self._readings = readings
        self._past = past
        self._locale = locale
        self._at = at

    @property
    def head(self) -> int:
        """The last event there is, whatever moment is read."""
        return self._service.committed.seq

    @property
    def seq(self) -> int:
        """The event that everything read here is true at."""
        return self.head if self._at is None else self._at

    def now(self) -> "Reads":
        """The same way to the ledger as it is now, for what an earlier moment cannot know."""
        return Reads(self._service, self._past, self._locale)

    async def document(self, action: str, /, **asked: object) -> Document | Refusal:
        """A document; parameters that are no parameters of this action are a mistake of ours and raise."""
        params = ACTIONS[action].params.model_validate(
            {name: value for name, value in asked.items() if value is not None}, strict=False
        )
        goal_id = GoalId(str(asked["goal_id"])) if ACTIONS[action].goal_bound else None
        committed = self._service.committed
        state = committed if self._at is None else await self._past.state(self._at, goal_id)
        if isinstance(state, Refusal):
            return state
        now_ms = self._service.clock.now_ms() if self._at is None else state.at_ms
        if action not in STORED_READERS:
            document = self._reader(action)(state, CALLER, params, now_ms)
            return document if self._at is None else filtered(self._service.committed, CALLER, params, document)
        reading = STORED_READERS[action](Asking(state, CALLER, self.seq, now_ms, self._locale), params)
        if isinstance(reading, Refusal):
            return reading
        if action == "search.find":
            await self._past.catch_up(self.seq)
        return filtered(self._service.committed, CALLER, params, await self._past.read(reading))

    async def moment(self) -> str:
        """The moment that everything read here is true at: now, or when the last event of then was written."""
        state = None if self._at is None else await self._past.state(self._at, None)
        now_ms = self._service.clock.now_ms() if state is None or isinstance(state, Refusal) else state.at_ms
        return rfc3339(now_ms)

    def _reader(self, action: str) -> Reader:
        """What makes a document: of the whole workspace as of now, from what is known already of its goals."""
        made_from = FROM_READINGS.get(action)
        if made_from is None or self._at is not None or self._readings is None:
            return READERS[action]
        self._readings.registry_seq = self._service.registry_seq
        return through_the_filter(made_from(self._readings))
