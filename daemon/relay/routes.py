"""The bot's routes. Only the bot's own principal may call them, and they let it do nothing of its own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from aiohttp import web
from pydantic import ValidationError

from daemon.api.actions import BODY_SECONDS_MAX
from daemon.api.edge import Principal, given_twice, malformed, prove
from daemon.api.envelope import refused, respond
from daemon.api.meta import Meta
from daemon.api.routes import Routes
from daemon.relay.deliveries import Deliveries
from daemon.relay.heard import HeardEvents
from daemon.relay.leader import Leader
from daemon.relay.message import Messages
from daemon.relay.once import Once
from daemon.relay.people import home_tenant
from daemon.relay.press import Presses
from daemon.relay.refusals import RelayRefusal
from daemon.relay.view import Views
from daemon.relay.wire import Answered, BotHealth, Delivery, Heard, Lead, Message, Press
from daemon.service import Service
from ledger.params import NamedTwice, Params, require_named_once
from ledger.ports import DeliveryRow
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse

_P = TypeVar("_P", bound=Params)
_Document = dict[str, object]


class RelayRoutes:
    """Everything under `/v1/relay`."""

    def __init__(
        self,
        service: Service,
        own_uid: int,
        presses: Presses,
        messages: Messages,
        heard_events: HeardEvents,
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
        self._heard_events = heard_events
        self._views = views
        self._deliveries = deliveries
        self._leader = leader
        self._once = Once(service)
        self._meta = meta
        self._tenant_key = tenant_key

    def add_to(self, routes: Routes) -> None:
        """Add the routes."""
        routes.add("POST", "/v1/relay/press", self._guarded(Press, self._press))
        routes.add("POST", "/v1/relay/message", self._guarded(Message, self._message))
        routes.add("POST", "/v1/relay/answered", self._guarded(Answered, self._answered_message))
        routes.add("POST", "/v1/relay/heard", self._guarded(Heard, self._heard))
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
        self, model: type[_P], act: Callable[[_P], Awaitable[_Document | Refusal]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            principal = self._bot(request)
            if isinstance(principal, Refusal):
                return refused(request, "relay", principal, self._service.committed.seq)
            try:
                async with asyncio.timeout(BODY_SECONDS_MAX):
                    body = await request.read()
                ask = model.model_validate_json(body)
                require_named_once(body)
            except ValidationError as error:
                return self._malformed(request, malformed(error))
            except NamedTwice as error:
                return self._malformed(request, given_twice(error.field))
            except TimeoutError:
                late = refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="the body did not arrive in time")
                return self._malformed(request, late)
            return self._answered(request, await act(ask))

        return handle

    def _reading(
        self, read: Callable[[web.Request], _Document | Refusal]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            principal = self._bot(request)
            return self._answered(request, principal if isinstance(principal, Refusal) else read(request))

        return handle

    def _answered(self, request: web.Request, document: _Document | Refusal) -> web.StreamResponse:
        if isinstance(document, Refusal):
            return refused(request, "relay", document, self._service.committed.seq)
        return respond(document, 0, 200)

    def _malformed(self, request: web.Request, refusal: Refusal) -> web.StreamResponse:
        self._service.counters.malformed += 1
        return refused(request, "relay", refusal, self._service.committed.seq)

    async def _press(self, ask: Press) -> _Document:
        self._remember_tenant(ask.tenant_key)
        return await self._once.act(ask.app_id, f"card:{ask.event_id}", lambda: self._pressed(ask))

    async def _pressed(self, ask: Press) -> _Document:
        """Act on a press. The bot that relays it may not be the one that sends: that one is told of its cards too."""
        document = await self._presses.press(ask)
        slots = document.get("slots", ())
        if isinstance(slots, list | tuple):
            self._leader.touched(slot for slot in slots if isinstance(slot, str))
        return document

    async def _message(self, ask: Message) -> _Document:
        self._remember_tenant(ask.tenant_key)
        return await self._once.act(ask.app_id, f"message:{ask.message_id}", lambda: self._messages.message(ask))

    async def _answered_message(self, ask: Answered) -> _Document:
        return {"ok": await self._once.settle(ask.app_id, f"message:{ask.message_id}", {"reply": None})}

    async def _heard(self, ask: Heard) -> _Document:
        return await self._once.act(ask.app_id, f"heard:{ask.event_id}", lambda: self._heard_events.heard(ask))

    async def _put_delivery(self, ask: Delivery) -> _Document | Refusal:
        row = DeliveryRow(ask.slot, ask.chat_id, ask.message_id, ask.digest, ask.version, ask.sent_at_ms, ask.state)
        kept = await self._deliveries.put(row)
        return kept if isinstance(kept, Refusal) else {"ok": kept}

    async def _lead(self, ask: Lead) -> _Document:
        return await self._leader.claim(ask.holder, ask.ttl_ms)

    async def _health(self, ask: BotHealth) -> _Document:
        self._meta.bot = ask.model_dump()
        self._meta.bot_seen_ms = self._service.clock.now_ms()
        return {"ok": True}

    def _slots(self, request: web.Request) -> _Document | Refusal:
        goal_id = request.query.get("goal_id")
        slots = [slot.document() for slot in self._views.slots(goal_id)]
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
