"""The bot's routes. Only the bot's own principal may call them, and they let it do nothing of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from aiohttp import web
from pydantic import ValidationError

from daemon.api.actions import BODY_SECONDS_MAX
from daemon.api.edge import Principal, malformed, prove
from daemon.api.envelope import refused, respond
from daemon.api.meta import Meta
from daemon.api.routes import Routes
from daemon.relay.deliveries import Deliveries
from daemon.relay.leader import Leader
from daemon.relay.message import Messages
from daemon.relay.people import home_tenant
from daemon.relay.press import Presses
from daemon.relay.refusals import RelayRefusal
from daemon.relay.slots import desired
from daemon.relay.view import Views
from daemon.relay.wire import BotHealth, Delivery, Lead, Message, Press
from daemon.service import Service
from ledger.params import Params
from ledger.ports import DeliveryRow, JournalRow
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.writer import Keep

_P = TypeVar("_P", bound=Params)
_Document = dict[str, object]
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger("frontstage.relay")


class RelayRoutes:
    """Everything under `/v1/relay`."""

    def __init__(
        self,
        service: Service,
        own_uid: int,
        presses: Presses,
        messages: Messages,
        views: Views,
        deliveries: Deliveries,
        leader: Leader,
        meta: Meta,
        tenant_key: str,
    ) -> None:
        self._service = service
        self._own_uid = own_uid
        self._presses = presses
        self._messages = messages
        self._views = views
        self._deliveries = deliveries
        self._leader = leader
        self._meta = meta
        self._tenant_key = tenant_key

    def add_to(self, routes: Routes) -> None:
        """Add the routes."""
        routes.add("POST", "/v1/relay/press", self._guarded(Press, self._press))
        routes.add("POST", "/v1/relay/message", self._guarded(Message, self._message))
        routes.add("PUT", "/v1/relay/deliveries", self._guarded(Delivery, self._put_delivery))
        routes.add("POST", "/v1/relay/leader", self._guarded(Lead, self._lead))
        routes.add("PUT", "/v1/relay/health", self._guarded(BotHealth, self._health))
        routes.add("GET", "/v1/relay/slots", self._reading(self._slots))
        routes.add("GET", "/v1/relay/view", self._reading(self._view))
        routes.add("GET", "/v1/relay/deliveries", self._reading(self._all_deliveries))

    def _bot(self, request: web.Request) -> Principal | Refusal:
        principal = prove(request, self._service, self._own_uid)
        if isinstance(principal, Refusal):
            return principal
        return principal if principal.caller.kind == "bot" else refuse(RelayRefusal.RELAY_ONLY)

    def _guarded(
        self, model: type[_P], act: Callable[[_P], Awaitable[_Document]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            principal = self._bot(request)
            if isinstance(principal, Refusal):
                return refused(request, "relay", principal, self._service.committed.seq)
            try:
                async with asyncio.timeout(BODY_SECONDS_MAX):
                    ask = model.model_validate_json(await request.read())
            except ValidationError as error:
                return self._malformed(request, malformed(error))
            except TimeoutError:
                late = refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="the body did not arrive in time")
                return self._malformed(request, late)
            return respond(await act(ask), 0, 200)

        return handle

    def _reading(
        self, read: Callable[[web.Request], _Document | Refusal]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            principal = self._bot(request)
            document = principal if isinstance(principal, Refusal) else read(request)
            if isinstance(document, Refusal):
                return refused(request, "relay", document, self._service.committed.seq)
            return respond(document, 0, 200)

        return handle

    def _malformed(self, request: web.Request, refusal: Refusal) -> web.Response:
        self._service.counters.malformed += 1
        return refused(request, "relay", refusal, self._service.committed.seq)

    async def _press(self, ask: Press) -> _Document:
        self._remember_tenant(ask.tenant_key)
        return await self._once(ask.app_id, f"card:{ask.event_id}", lambda: self._presses.press(ask))

    async def _message(self, ask: Message) -> _Document:
        self._remember_tenant(ask.tenant_key)
        return await self._once(ask.app_id, f"message:{ask.message_id}", lambda: self._messages.message(ask))

    async def _once(self, app_id: str, key: str, act: Callable[[], Awaitable[_Document]]) -> _Document:
        """A redelivered event gets its first outcome again, unless that was a fault or `busy`."""
        known = self._service.reader.journal_entry(app_id, key)
        if known is not None and known.answer is not None:
            return dict(msgspec.json.decode(known.answer, type=dict[str, object]))
        at_ms = self._service.clock.now_ms()
        if known is None:
            kept = await self._service.submit(Keep(journal=(JournalRow(app_id, key, at_ms, None),)))
            if kept.refusal is not None:
                _log.warning("an inbound event could not be recorded", extra={"code": kept.refusal.code.value})
        document = await act()
        if not _passing(document):
            await self._service.submit(Keep(journal=(JournalRow(app_id, key, at_ms, _encode(document)),)))
        return document

    async def _put_delivery(self, ask: Delivery) -> _Document:
        row = DeliveryRow(ask.slot, ask.chat_id, ask.message_id, ask.digest, ask.version, ask.sent_at_ms, ask.state)
        return {"ok": await self._deliveries.put(row)}

    async def _lead(self, ask: Lead) -> _Document:
        return self._leader.claim(ask.holder, ask.ttl_ms, self._service.clock.now_ms())

    async def _health(self, ask: BotHealth) -> _Document:
        self._meta.bot = ask.model_dump()
        self._meta.bot_seen_ms = self._service.clock.now_ms()
        return {"ok": True}

    def _slots(self, request: web.Request) -> _Document | Refusal:
        goal_id = request.query.get("goal_id")
        slots = [slot.document() for slot in desired(self._service.committed, goal_id)]
        return {"seq": self._service.committed.seq, "slots": slots}

    def _view(self, request: web.Request) -> _Document | Refusal:
        slot = request.query.get("slot", "")
        view = self._views.view(slot, home_tenant(self._service.committed) or self._tenant_key)
        if view is None:
            return refuse(GeneralRefusal.UNKNOWN_ACTION, slot=slot[:200])
        return {"seq": self._service.committed.seq, **msgspec.to_builtins(view)}

    def _all_deliveries(self, _request: web.Request) -> _Document:
        return {"deliveries": [row._asdict() for row in self._deliveries.all()]}

    def _remember_tenant(self, tenant_key: str) -> None:
        """One app belongs to one workspace: the first tenant that is heard is the tenant of every card."""
        if not self._tenant_key:
            self._tenant_key = tenant_key


def _passing(document: _Document) -> bool:
    """Whether the outcome is one that a redelivery should try again."""
    envelope = document.get("envelope")
    code = envelope.get("code") if isinstance(envelope, dict) else None
    return code in {"busy", "storage_full", "shutting_down", "fault"}
