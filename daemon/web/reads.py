"""The page's way to the ledger: the same documents that the command line, HTTP and MCP read, and nothing beside them.

It reads as the operator does, who administers and has no part in any goal: what is private in a goal is withheld here
as it is from a chat, whoever sits before the browser.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from pydantic import ValidationError

from daemon.api.edge import malformed
from daemon.api.past import Past
from daemon.service import Service
from daemon.web.known import Known
from daemon.web.proving import Proving
from daemon.web.shapes import Shape
from ledger.catalogue import ACTIONS
from ledger.ids import OPERATOR, GoalId
from ledger.params import Params
from ledger.projections.documents import READERS, Document
from ledger.projections.history import Asking
from ledger.projections.members import member_from
from ledger.projections.outlet import Reader, filtered, through_the_filter
from ledger.projections.overview import overview_from
from ledger.projections.readings import Readings, attention_from
from ledger.projections.slots import plan_from
from ledger.projections.stored import STORED_READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.state import Workspace
from ledger.text.say import Locale
from ledger.text.times import rfc3339

FROM_READINGS: Mapping[str, Callable[[Readings], Reader]] = {
    "attention.show": attention_from,
    "overview.show": overview_from,
    "member.show": member_from,
    "quota.plan": plan_from,
}
"""Documents of every goal at once."""
OF_A_GOAL = frozenset({"history.list", "member.show"})
"""Documents of the whole workspace that are of one goal where one is named."""
CALLER = Caller(member_id=OPERATOR, kind="operator", surface="http")


class Reads:
    """Documents by the name of their action, as of now or of an earlier event."""

    def __init__(
        self,
        service: Service,
        past: Past,
        known: Known,
        proving: Proving,
        locale: Locale,
        at: int | None = None,
        *,
        whole: bool = False,
    ) -> None:
        """`whole` folds an earlier moment for all goals at once, and not for each one that is read."""
        self.proving = proving
        self._service = service
        self._known = known
        self._past = past
        self._locale = locale
        self._at = at
        self._whole = whole

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
        return Reads(self._service, self._past, self._known, self.proving, self._locale)

    def of_many_goals(self) -> "Reads":
        """The same for a page that looks into many goals: an earlier moment is folded once for all, not for each."""
        return Reads(self._service, self._past, self._known, self.proving, self._locale, self._at, whole=True)

    def shaped(self, key: object, documents: Sequence[object], make: Callable[[], Document]) -> Shape:
        """What is made of documents at this place of this moment, now or before."""
        return self._known.shapes.of((key, self._locale, self._at), documents, make)

    async def document(self, action: str, /, **asked: object) -> Document | Refusal:
        """A document; a value that its parameter cannot have came from an address and is refused.

        Parameters that are no parameters of this action are a mistake of ours and raise.
        """
        given = {name: value for name, value in asked.items() if value is not None}
        try:
            params = ACTIONS[action].params.model_validate(given, strict=False)
        except ValidationError as error:
            if any(one["type"] == "extra_forbidden" for one in error.errors()):
                raise
            return malformed(error)
        goal_id = GoalId(str(asked["goal_id"])) if ACTIONS[action].goal_bound else None
        if self._at is not None:
            return await self._of_then(action, params, goal_id)
        bound = getattr(params, "goal_id", None) if action in OF_A_GOAL else goal_id
        if bound is None:
            return await self._of_now(action, params)
        key = (action, GoalId(bound), self._locale, msgspec.json.encode(asked))
        now_ms = self._service.clock.now_ms()
        found = self._known.find(key, now_ms)
        if found is not None:
            return found
        truth = self._known.truth(GoalId(bound), now_ms)
        made = await self._of_now(action, params)
        if not isinstance(made, Refusal):
            self._known.keep(key, made, truth)
        return made

    async def _of_now(self, action: str, params: Params) -> Document | Refusal:
        committed, now_ms = self._service.committed, self._service.clock.now_ms()
        if action in STORED_READERS:
            return await self._stored(action, params, committed, now_ms)
        made_from = FROM_READINGS.get(action)
        reader = READERS[action] if made_from is None else through_the_filter(made_from(self._known.readings))
        return reader(committed, CALLER, params, now_ms)

    async def _of_then(self, action: str, params: Params, goal_id: GoalId | None) -> Document | Refusal:
        assert self._at is not None, "it is asked for"
        state = await self._past.state(self._at, None if self._whole else goal_id)
        if isinstance(state, Refusal):
            return state
        if action in STORED_READERS:
            return await self._stored(action, params, state, state.at_ms)
        return filtered(self._service.committed, CALLER, params, READERS[action](state, CALLER, params, state.at_ms))

    async def _stored(self, action: str, params: Params, state: Workspace, now_ms: int) -> Document | Refusal:
        reading = STORED_READERS[action](
            Asking(state, CALLER, self.seq, now_ms, self._locale, self._known.told), params
        )
        if isinstance(reading, Refusal):
            return reading
        if action == "search.find":
            await self._past.catch_up(self.seq)
        return filtered(self._service.committed, CALLER, params, await self._past.read(reading))

    async def moment(self, goal_id: str | None = None) -> str:
        """The moment that everything read here is true at: now, or when the last event of then was written.

        A page of one goal names it, so that no more than that goal is folded.
        """
        scope = None if goal_id is None else GoalId(goal_id)
        state = None if self._at is None else await self._past.state(self._at, scope)
        now_ms = self._service.clock.now_ms() if state is None or isinstance(state, Refusal) else state.at_ms
        return rfc3339(now_ms)
