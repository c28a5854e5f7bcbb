"""Routes of the actions: `POST` writes, `GET` reads, one route a row of the table."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
from aiohttp import HttpVersion11, web

from daemon.api.cache import ReadCache
from daemon.api.edge import AT, BODY_BYTES_MAX, Principal, parse_body, parse_query, prove, request_key
from daemon.api.envelope import answered, locale_of, refused, respond_text, wants_text
from daemon.api.past import Past, asked_seq, now_only
from daemon.api.routes import Routes
from daemon.api.whole import Whole, good
from daemon.repeats import Again
from daemon.service import Service
from ledger.catalogue import ACTIONS, Action
from ledger.decide import may_ask
from ledger.ids import GoalId
from ledger.params import Params
from ledger.projections.documents import READERS
from ledger.projections.history import Asking
from ledger.projections.outlet import filtered
from ledger.projections.stored import STORED_READERS
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.tokens import is_scoped, out_of_scope
from ledger.text.documents import render
from ledger.text.say import Locale, say
from ledger.text.times import short_utc
from ledger.writer import Request

BODY_SECONDS_MAX = 15.0
_encode = msgspec.json.Encoder().encode
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


STATUS_READ = "status.show"


class ActionRoutes:
    """The table of actions as HTTP."""

    def __init__(
        self, service: Service, own_uid: int, past: Past, channel_line: Callable[[Locale], str] = lambda _: ""
    ) -> None:
        """`channel_line` says what stands under a status that is read by a person, if anything."""
        self._service = service
        self._own_uid = own_uid
        self._channel_line = channel_line
        self._cache = ReadCache(service)
        self._past = past

    def add_to(self, routes: Routes) -> None:
        """Add a route for every action that may be called from outside."""
        for action in ACTIONS.values():
            if action.hidden:
                continue
            path = f"/v1/actions/{action.name}"
            if action.writes:
                routes.add("POST", path, self._writer_of(action))
            else:
                routes.add("GET", path, self._reader_of(action))

    def _writer_of(self, action: Action) -> _Handler:
        async def write(request: web.Request) -> web.StreamResponse:
            service = self._service
            principal = prove(request, service, self._own_uid)
            if isinstance(principal, Refusal):
                return refused(request, action.name, principal, service.committed.seq)
            params = now_only(request) or await self._params(request, action)
            if isinstance(params, Refusal):
                return await self._refuse(request, action, principal, params)
            key = request_key(request)
            if isinstance(key, Refusal):
                return await self._refuse(request, action, principal, key)
            answer = await service.submit(
                Request(action=action, params=params, caller=principal.caller, proof=principal.proof, request_key=key)
            )
            return answered(request, service, action, params, answer)

        return write

    async def _params(self, request: web.Request, action: Action) -> Params | Refusal:
        if request.content_length is not None and request.content_length > BODY_BYTES_MAX:
            return refuse(GeneralRefusal.BODY_TOO_LARGE, limit_bytes=BODY_BYTES_MAX)
        try:
            if request.content.is_eof():
                body = request.content.read_nowait()  # It came with its head, as nearly all do: nothing to wait for.
            else:
                async with asyncio.timeout(BODY_SECONDS_MAX):
                    body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return refuse(GeneralRefusal.BODY_TOO_LARGE, limit_bytes=BODY_BYTES_MAX)
        except TimeoutError:
            return refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="the body did not arrive in time")
        except web.RequestPayloadError:
            return refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="cannot be decoded")
        if len(body) > BODY_BYTES_MAX:
            # Sent in pieces or packed, so that its head did not say how large it is.
            return refuse(GeneralRefusal.BODY_TOO_LARGE, limit_bytes=BODY_BYTES_MAX)
        return parse_body(action, body)

    async def _refuse(self, request: web.Request, action: Action, principal: Principal, refusal: Refusal) -> Whole:
        """A refusal reached at the edge by a proved caller; it is audited like any other."""
        self._service.counters.malformed += 1
        job = Request(
            action=action,
            params=Params(),
            caller=principal.caller,
            proof=principal.proof,
            request_key=None,
            refused=refusal,
        )
        answer = await self._service.submit(job)
        return refused(request, action.name, answer.refusal or refusal, answer.seq)

    def _reader_of(self, action: Action) -> _Handler:
        async def read(request: web.Request) -> web.StreamResponse:
            service = self._service
            principal = prove(request, service, self._own_uid)
            if isinstance(principal, Refusal):
                return refused(request, action.name, principal, service.committed.seq)
            key = (action.name, principal.caller.member_id, request.query_string)
            # A document is kept for its member; a narrower credential of theirs is asked about its scope first.
            narrow = is_scoped(service.committed, principal.caller)
            body = None if narrow or wants_text(request) else self._cache.find(key)
            if body is not None:
                response = Whole(body)
                if principal.proof.kind == "token" and request.keep_alive and request.version >= HttpVersion11:
                    response.again = self._again(principal.until_ms, key)
                return response
            params = parse_query(action, request)
            if isinstance(params, Refusal):
                return await self._refuse(request, action, principal, params)
            if action.name in STORED_READERS:
                return await self._read_stored(request, action, principal, params)
            if AT in request.query:
                return await self._read_past(request, action, principal, params)
            return self._read(request, action, principal, params, key)

        return read

    def _again(self, until_ms: int | None, key: tuple[str, str, str]) -> Again:
        """How a read that was found in memory is answered again: while its caller is who they were, and from there."""
        service, cache, registry_seq = self._service, self._cache, self._service.registry_seq

        def again() -> bytes | None:
            if service.registry_seq != registry_seq or (until_ms is not None and service.clock.now_ms() >= until_ms):
                return None
            body = cache.find(key)
            return None if body is None else good(body)

        return again

    def _read(
        self, request: web.Request, action: Action, principal: Principal, params: Params, key: tuple[str, str, str]
    ) -> Whole:
        service = self._service
        now_ms = service.clock.now_ms()
        if (broken := self._may_not(action, principal, params)) is not None:
            return refused(request, action.name, broken, service.committed.seq)
        document = READERS[action.name](service.committed, principal.caller, params, now_ms)
        if isinstance(document, Refusal):
            return refused(request, action.name, document, service.committed.seq)
        if wants_text(request):
            locale = locale_of(request)
            under = self._channel_line(locale) if action.name == STATUS_READ else ""
            return respond_text("\n".join(filter(None, (render(action.name, document, locale), under))), 0, 200)
        return Whole(self._cache.keep(key, _encode(document), getattr(params, "goal_id", None), now_ms))

    def _may_not(self, action: Action, principal: Principal, params: Params) -> Refusal | None:
        """Why this caller may not ask, by what holds now."""
        committed, caller = self._service.committed, principal.caller
        broken = out_of_scope(committed, caller, action.name, getattr(params, "goal_id", None))
        if broken is not None or may_ask(committed, action, caller):
            return broken
        return refuse(GeneralRefusal.NOT_PERMITTED, action=action.name)

    async def _read_past(self, request: web.Request, action: Action, principal: Principal, params: Params) -> Whole:
        """A document as it was after an event; nothing of it is kept but the state it was read from."""
        service = self._service
        seq = asked_seq(request)
        if isinstance(seq, Refusal):
            return await self._refuse(request, action, principal, seq)
        broken = self._may_not(action, principal, params)
        goal_id = GoalId(params.goal_id) if action.goal_bound else None  # type: ignore[attr-defined]  # as goal_bound says
        state = broken or await self._past.state(seq, goal_id)
        if isinstance(state, Refusal):
            return refused(request, action.name, state, service.committed.seq)
        document = READERS[action.name](state, principal.caller, params, state.at_ms)
        document = filtered(service.committed, principal.caller, params, document)
        if isinstance(document, Refusal):
            return refused(request, action.name, document, seq)
        if not wants_text(request):
            return Whole(_encode({"ok": True, "seq": seq, **document}))
        locale = locale_of(request)
        then = say("cli.at", locale, seq=seq, at=short_utc(state.at_ms))
        return respond_text(f"{then}\n{render(action.name, document, locale)}", 0, 200)

    async def _read_stored(self, request: web.Request, action: Action, principal: Principal, params: Params) -> Whole:
        """A document that is read from the log: the state is looked at here, the log beside the loop."""
        service, locale = self._service, locale_of(request)
        seq = asked_seq(request) if AT in request.query else service.committed.seq
        if isinstance(seq, Refusal):
            return await self._refuse(request, action, principal, seq)
        broken = self._may_not(action, principal, params)
        goal_id = GoalId(params.goal_id) if action.goal_bound else None  # type: ignore[attr-defined]  # as goal_bound says
        past = AT in request.query
        state = broken or (await self._past.state(seq, goal_id) if past else service.committed)
        if isinstance(state, Refusal):
            return refused(request, action.name, state, service.committed.seq)
        now_ms = state.at_ms if past else service.clock.now_ms()
        reading = STORED_READERS[action.name](Asking(state, principal.caller, seq, now_ms, locale), params)
        if action.name == "search.find" and not isinstance(reading, Refusal):
            await self._past.catch_up(seq)
        made = reading if isinstance(reading, Refusal) else await self._past.read(reading)
        document = filtered(service.committed, principal.caller, params, made)
        if isinstance(document, Refusal):
            return refused(request, action.name, document, seq)
        if wants_text(request):
            return respond_text(render(action.name, document, locale), 0, 200)
        return Whole(_encode({"ok": True, "seq": seq, **document}))
