"""The daemon behind the `Backend` protocol: its own client, its documents as values, its faults as kinds."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final, TypeVar, cast

import msgspec

from bot.backend import (
    BackendFault,
    BackendFaultKind,
    BotHealth,
    Delivery,
    FeedEvent,
    Lease,
    PressResult,
    Reply,
    SlotList,
    SlotView,
    Toast,
)
from bot.heard import HeardEvent
from bot.lark import InboundMessage, InboundPress, LarkUser
from daemon import wire
from daemon.aclient import AsyncClient
from daemon.client import Refused
from ledger.projections.views import CardView

# Longer than any press is worth waiting for, shorter than the gateway lets a handler run.
ANSWER_MS_MAX: Final = 20_000
_HTTP_REFUSED: Final = frozenset({400, 404, 409, 413, 422})
_HTTP_BUSY: Final = frozenset({423, 429, 503})
_T = TypeVar("_T")


class _PressDocument(msgspec.Struct):
    envelope: dict[str, object]
    toast: Toast
    slots: tuple[str, ...] = ()


class _MessageDocument(msgspec.Struct):
    reply: Reply | None = None


class _DeliveriesDocument(msgspec.Struct):
    deliveries: tuple[Delivery, ...] = ()


@asynccontextmanager
async def open_backend(socket: str, token: str) -> AsyncIterator["DaemonBackend"]:
    """The daemon at a socket, asked as the bot's own principal."""
    async with AsyncClient(socket, token, surface="http", answer_ms_max=ANSWER_MS_MAX) as client:
        yield DaemonBackend(client)


class DaemonBackend:
    """One daemon."""

    def __init__(self, client: AsyncClient) -> None:
        """`client` is open and carries the bot's credential."""
        self._client = client

    async def press(self, event: InboundPress) -> PressResult:
        """Relay a press."""
        body = {
            "event_id": event.event_id,
            "app_id": event.app_id,
            "tenant_key": event.tenant_key,
            "operator": _person(event.operator),
            "chat_id": event.chat_id,
            "message_id": event.message_id,
            "token": event.token,
            "form": {name: _typed(value) for name, value in event.form.items()},
            "locale": event.locale,
        }
        answer = _read(await _asked(self._client.relay_press(body)), _PressDocument)
        return PressResult(ok=answer.envelope.get("ok") is True, toast=answer.toast, slots=answer.slots)

    async def message(self, event: InboundMessage) -> Reply | None:
        """Relay a message."""
        body = {
            "event_id": event.event_id,
            "message_id": event.message_id,
            "app_id": event.app_id,
            "tenant_key": event.tenant_key,
            "sender": _person(event.sender),
            "chat_id": event.chat_id,
            "chat_type": event.chat_type,
            "thread_id": event.thread_id,
            "kind": event.kind,
            "text": event.text,
            "mentioned": event.mentioned,
            "create_time_ms": event.create_time_ms,
            "locale": event.locale,
        }
        return _read(await _asked(self._client.relay_message(body)), _MessageDocument).reply

    async def answered(self, event: InboundMessage) -> None:
        """Say that a message has its answer."""
        await _asked(self._client.relay_answered(event.app_id, event.message_id))

    async def heard(self, event: HeardEvent) -> Reply | None:
        """Relay what the platform says of people and chats."""
        body = msgspec.to_builtins(event)
        return _read(await _asked(self._client.relay_heard(body)), _MessageDocument).reply

    async def slots(self, goal_id: str | None = None) -> SlotList:
        """Which cards should be where."""
        return _read(await _asked(self._client.slots(goal_id)), SlotList)

    async def view(self, slot: str) -> SlotView | None:
        """What a slot's card shows now."""
        document = await _asked(self._client.view(slot))
        if document is None:
            return None
        return SlotView(
            seq=_read(document.get("seq"), int),
            view=_read(document, CardView),
            button_key_id=_read(document.get("button_key_id", 0), int),
        )

    async def deliveries(self) -> tuple[Delivery, ...]:
        """What was delivered."""
        return _read(await _asked(self._client.deliveries()), _DeliveriesDocument).deliveries

    async def put_delivery(self, delivery: Delivery) -> None:
        """Remember a delivery."""
        await _asked(self._client.put_delivery(msgspec.structs.asdict(delivery)))

    async def leader(self, holder: str, ttl_ms: int) -> Lease:
        """Ask to lead."""
        return _read(await _asked(self._client.leader(holder, ttl_ms)), Lease)

    async def feed(self, after: int) -> AsyncGenerator[FeedEvent, None]:
        """Everything committed after `after`, then what comes."""
        events = self._client.feed(after)
        try:
            # It is a generator, whatever its annotation promises; closing it is what ends the connection.
            async with aclosing(cast("AsyncGenerator[object, None]", events)):
                async for event in events:
                    yield FeedEvent(seq=event.seq, kind=event.kind, goal_id=event.goal_id)
        except (wire.WireFault, Refused) as error:
            raise _fault(error) from None

    async def put_health(self, health: BotHealth) -> None:
        """Tell the daemon how the bot is."""
        await _asked(self._client.put_health(msgspec.structs.asdict(health)))


async def _asked(call: Awaitable[_T]) -> _T:
    try:
        return await call
    except (wire.WireFault, Refused) as error:
        raise _fault(error) from None


def _fault(error: wire.WireFault | Refused) -> BackendFault:
    if isinstance(error, Refused):
        if error.status in _HTTP_BUSY:
            kind = BackendFaultKind.BUSY
        elif error.status in _HTTP_REFUSED:
            kind = BackendFaultKind.REFUSED
        else:
            # A credential that is not accepted is an operator's to mend; until then nothing may be thrown away.
            kind = BackendFaultKind.FAULT
        return BackendFault(kind, code=error.code or f"http_{error.status}", retry_after_s=error.retry_after_s)
    if isinstance(error, wire.NobodyListens):
        return BackendFault(BackendFaultKind.UNREACHABLE)
    if isinstance(error, wire.NotOurs):
        return BackendFault(BackendFaultKind.FAULT, code="not_our_daemon")
    return BackendFault(BackendFaultKind.UNKNOWN, code=type(error).__name__)


def _read(document: object, kind: type[_T]) -> _T:
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError:
        # Its text may quote what somebody wrote.
        raise BackendFault(BackendFaultKind.FAULT, code="unreadable_answer") from None


def _person(user: LarkUser) -> Mapping[str, object]:
    return {"open_id": user.open_id, "union_id": user.union_id}


def _typed(value: object) -> str:
    """What was put into one field of a form, as the text it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "\n".join(str(one) for one in value)
    return str(value)
