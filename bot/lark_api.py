"""The gateway on the vendor's SDK. Nothing else may import `lark_oapi` (2 s, 160 MB) or know that it exists.

What is the SDK's: request models, HTTP calls, the protobuf frames and the websocket. What is ours, because the
SDK's own was measured to fail: tokens (`lark_tokens`), reading every answer's code from its raw body
(`lark_faults`), asking for the endpoint (`lark_endpoint`), the reconnect loop and its thread (`lark_connection`),
and the handling of data frames, which hands over and acknowledges without blocking anything (`lark_courier`). The
private names this rests on are listed in `PRIVATE_NAMES`, and a test compares them and the exact version with what
is installed.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

import httpx
import lark_oapi
import orjson
from lark_oapi.api.im.v1 import (
    CreateMessageRequest,
    CreateMessageRequestBody,
    PatchMessageRequest,
    PatchMessageRequestBody,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
)
from lark_oapi.core.utils.user_agent import build_user_agent
from lark_oapi.ws import client as sdk_ws
from lark_oapi.ws.exception import ClientException, ServerException
from websockets.exceptions import WebSocketException

from bot.clock import SystemClock
from bot.lark import (
    BotInfo,
    Handlers,
    LarkFault,
    LarkFaultKind,
    LarkHealth,
    ReceiveIdType,
    SentMessage,
    checked_message,
    checked_reply,
    checked_send,
)
from bot.lark_connection import RunningLoop, in_own_thread, keep_connected, note_fault
from bot.lark_courier import Courier
from bot.lark_endpoint import (
    CODE_AUTH_FAILED,
    CODE_TOO_MANY_CONNECTIONS,
    Endpoint,
    connection_fault,
    discover,
    ping_interval_s,
)
from bot.lark_faults import bot_identity, read_answer, sent_message
from bot.lark_frames import Pieces
from bot.lark_log import silence_sdk
from bot.lark_pulse import Pulse
from bot.lark_settings import LarkSettings, WebhookSettings
from bot.lark_text import literal_text
from bot.lark_tokens import TenantTokens, with_token
from bot.lark_webhook import Listening, Receiver, listen

# A value of the SDK, which has no types.
Sdk: TypeAlias = Any

SDK_VERSION: Final = "1.7.5"
# Every private name of the SDK that this file calls, overrides or sets.
PRIVATE_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "methods": (
        "_configure",
        "_connect",
        "_disconnect",
        "_get_conn_url",
        "_handle_control_frame",
        "_handle_data_frame",
        "_handle_message",
        "_ping_loop",
        "_receive_message_loop",
        "_write_message",
    ),
    "attributes": ("_cache", "_conn", "_ping_interval"),
}

HTTP_S_MAX: Final = 10.0
CALL_S_MAX: Final = 15.0
HANDSHAKE_S_MAX: Final = 10.0
CLOSE_S_MAX: Final = 2.0
# Handlers that still run when the bot stops get this long to finish.
DRAIN_S_MAX: Final = 3.0


@asynccontextmanager
async def open_lark(
    settings: LarkSettings,
    *,
    now_ms: Callable[[], int],
    chance: Callable[[], float] = random.random,
    wall_ms: Callable[[], int] | None = None,
) -> AsyncIterator["LarkApi"]:
    """Open the gateway on the running loop.

    `now_ms` must not go backwards; `chance` spreads reconnects (0 to 1); `wall_ms` is the wall's time, the machine's
    if not said.
    """
    async with _http() as http:
        yield LarkApi(settings, http, now_ms=now_ms, chance=chance, wall_ms=wall_ms or SystemClock().now_ms)


class LarkApi:
    """The `Lark` port on the SDK."""

    def __init__(
        self,
        settings: LarkSettings,
        http: httpx.AsyncClient,
        *,
        now_ms: Callable[[], int],
        chance: Callable[[], float],
        wall_ms: Callable[[], int],
    ) -> None:
        """`http` belongs to the running loop and carries the token calls; raises ValueError on an unusable domain."""
        silence_sdk()
        self._settings = settings
        self._now_ms = now_ms
        self._chance = chance
        self._wall_ms = wall_ms
        self._pulse = Pulse(now_ms, "ws" if settings.webhook is None else "webhook")
        # The SDK's client never learns the secret, so it cannot fall back to its own, blocking and shared, token cache.
        self._client = (
            lark_oapi.Client.builder()
            .app_id(settings.app_id)
            .domain(settings.domain)
            .enable_set_token(True)  # noqa: FBT003 - the SDK's signature
            .timeout(HTTP_S_MAX)
            .log_level(lark_oapi.LogLevel.WARNING)
            .build()
        )
        self._tokens = TenantTokens(
            http, domain=settings.domain, app_id=settings.app_id, app_secret=settings.app_secret, now_ms=now_ms
        )
        self._bot: BotInfo | None = None

    async def send_card(self, receive_id: str, receive_id_type: ReceiveIdType, card: bytes, uuid: str) -> SentMessage:
        """Post a card."""
        return await self._create(receive_id, receive_id_type, "interactive", card.decode(), uuid)

    async def reply_card(self, message_id: str, card: bytes, uuid: str, in_thread: bool) -> SentMessage:  # noqa: FBT001
        """Post a card as a reply."""
        return await self._reply(message_id, "interactive", card.decode(), uuid, in_thread=in_thread)

    async def send_text(self, receive_id: str, receive_id_type: ReceiveIdType, text: str, uuid: str) -> SentMessage:
        """Post a text, literally."""
        return await self._create(receive_id, receive_id_type, "text", _text_content(text), uuid)

    async def reply_text(self, message_id: str, text: str, uuid: str, in_thread: bool) -> SentMessage:  # noqa: FBT001
        """Post a text as a reply, literally."""
        return await self._reply(message_id, "text", _text_content(text), uuid, in_thread=in_thread)

    async def patch_card(self, message_id: str, card: bytes) -> None:
        """Replace a card of ours."""
        checked_message(message_id)
        body = PatchMessageRequestBody({"content": card.decode()})
        await self._call(lambda: PatchMessageRequest.builder().message_id(message_id).request_body(body).build())

    async def bot_info(self) -> BotInfo:
        """Ask who the bot is."""
        return bot_identity(await self._call(_bot_info_request))

    def health(self) -> LarkHealth:
        """How the gateway hears now."""
        return self._pulse.health()

    async def run(self, handlers: Handlers) -> None:
        """Listen until cancelled. Learns first who the bot is: without it no mention is ours."""
        bot = await self._identify()
        courier = Courier(
            handlers,
            asyncio.get_running_loop(),
            self._pulse,
            bot_open_id=bot.open_id,
            locale=self._settings.locale,
        )
        try:
            hook = self._settings.webhook
            if hook is None:
                await in_own_thread(lambda: self._stay_connected(courier), name="lark-long-connection")
            else:
                await in_own_thread(lambda: self._stay_listening(courier, hook), name="lark-webhook")
        finally:
            self._pulse.disconnected()
            await courier.drain(DRAIN_S_MAX)

    async def _stay_connected(self, courier: Courier) -> None:
        settings = self._settings
        async with _http() as http:

            async def dial() -> _SdkLink:
                endpoint = await discover(
                    http,
                    domain=settings.domain,
                    app_id=settings.app_id,
                    app_secret=settings.app_secret,
                    user_agent=build_user_agent(),
                )
                link = _SdkLink(settings.app_id, endpoint, courier, self._pulse, self._now_ms)
                await link.open()
                self._pulse.connected(endpoint.ping_interval_s * 1_000)
                return link

            await keep_connected(dial, pulse=self._pulse, now_ms=self._now_ms, chance=self._chance)

    async def _stay_listening(self, courier: Courier, hook: WebhookSettings) -> None:
        receiver = Receiver(self._settings, hook, courier, self._pulse, wall_ms=self._wall_ms)

        async def dial() -> Listening:
            return await listen(receiver, hook, self._pulse)

        await keep_connected(dial, pulse=self._pulse, now_ms=self._now_ms, chance=self._chance)

    async def _identify(self) -> BotInfo:
        failures = 0
        while self._bot is None:
            try:
                self._bot = await self.bot_info()
            except LarkFault as fault:
                failures += 1
                delay_s = note_fault(self._pulse, fault).delay_s(failures, self._chance())
                await asyncio.sleep(max(fault.retry_after_s or 0.0, delay_s))
        return self._bot

    async def _create(
        self, receive_id: str, receive_id_type: ReceiveIdType, msg_type: str, content: str, uuid: str
    ) -> SentMessage:
        checked_send(receive_id, receive_id_type, uuid)
        body = CreateMessageRequestBody(
            {"receive_id": receive_id, "msg_type": msg_type, "content": content, "uuid": uuid}
        )
        builder = CreateMessageRequest.builder
        return sent_message(
            await self._call(lambda: builder().receive_id_type(receive_id_type).request_body(body).build())
        )

    async def _reply(self, message_id: str, msg_type: str, content: str, uuid: str, *, in_thread: bool) -> SentMessage:
        checked_reply(message_id, uuid)
        body = ReplyMessageRequestBody(
            {"msg_type": msg_type, "content": content, "reply_in_thread": in_thread, "uuid": uuid}
        )
        builder = ReplyMessageRequest.builder
        return sent_message(await self._call(lambda: builder().message_id(message_id).request_body(body).build()))

    async def _call(self, build: Callable[[], Sdk]) -> Mapping[str, Any]:
        """Call, and note how it went. The SDK changes requests, so each try builds its own."""
        return await self._pulse.watched(with_token(self._tokens, lambda token: self._call_once(build(), token)))

    async def _call_once(self, request: Sdk, token: str) -> Mapping[str, Any]:
        option = lark_oapi.RequestOption.builder().tenant_access_token(token).build()
        try:
            async with asyncio.timeout(CALL_S_MAX):
                raw = (await self._client.arequest(request, option)).raw
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            # ValueError: the SDK may try to parse a gateway's error page. The request may have been carried out.
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason=type(error).__name__) from None
        return read_answer(raw.status_code, raw.headers, raw.content)


sdk_ws.loop = RunningLoop()


class _SdkLink(sdk_ws.Client):  # type: ignore[misc]  # the SDK has no types
    """One connection: the SDK's client, used once, with its way of handling frames replaced.

    A new object for each connection: nothing of the last one (locks that leaked, half a message) reaches the next.
    """

    def __init__(
        self, app_id: str, endpoint: Endpoint, courier: Courier, pulse: Pulse, now_ms: Callable[[], int]
    ) -> None:
        super().__init__(app_id, "", log_level=lark_oapi.LogLevel.WARNING, auto_reconnect=False)
        # The SDK's store of message pieces runs a task that nobody stops; ours needs none.
        self._cache._cron.cancel()  # noqa: SLF001 - see PRIVATE_NAMES
        self._endpoint = endpoint
        self._ping_interval = endpoint.ping_interval_s
        self._courier = courier
        self._pulse = pulse
        self._now_ms = now_ms
        self._pieces = Pieces(now_ms)
        self._ended = asyncio.Event()
        self._receiving: asyncio.Task[Any] | None = None

    async def open(self) -> None:
        """Connect, or raise a LarkFault that says whether trying again makes sense."""
        try:
            async with asyncio.timeout(HANDSHAKE_S_MAX):
                await self._connect()
        except ClientException as error:
            # Under 514 the SDK tells too many connections (this class) from bad credentials (the next).
            code = CODE_TOO_MANY_CONNECTIONS if error.code == CODE_AUTH_FAILED else error.code
            raise connection_fault(code) from None
        except ServerException as error:
            raise connection_fault(error.code) from None
        except (WebSocketException, OSError, TimeoutError, ValueError, TypeError) as error:
            # TypeError and ValueError: the SDK reads numbers from handshake headers that may be absent.
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason=f"handshake: {type(error).__name__}") from None

    async def until_ended(self) -> None:
        """Ping until the connection is over."""
        async with asyncio.TaskGroup() as group:
            pinging = group.create_task(self._ping_loop())
            await self._ended.wait()
            pinging.cancel()

    async def close(self) -> None:
        """Say goodbye, but not for longer than a moment; then cut the line."""
        connection = self._conn
        if self._receiving is not None:
            # Otherwise the SDK would report our own goodbye as an error.
            self._receiving.cancel()
        try:
            async with asyncio.timeout(CLOSE_S_MAX):
                await self._disconnect()
        except (TimeoutError, RuntimeError, WebSocketException, OSError):
            # RuntimeError: the SDK releases a lock it may not hold when its wait for it is given up.
            pass
        finally:
            if connection is not None:
                connection.transport.abort()

    def _get_conn_url(self) -> str:
        return self._endpoint.url

    def _configure(self, conf: Sdk) -> None:
        # The SDK takes any value, and a missing one ends its pings.
        self._ping_interval = ping_interval_s(vars(conf))
        self._pulse.ping_interval(self._ping_interval * 1_000)

    async def _receive_message_loop(self) -> None:
        self._receiving = asyncio.current_task()
        try:
            await super()._receive_message_loop()
        except Exception:  # noqa: BLE001, S110 - the top of a task; the SDK has logged why, and the end is what counts
            pass
        finally:
            self._ended.set()

    async def _handle_message(self, msg: bytes) -> None:
        self._pulse.frame()
        await super()._handle_message(msg)

    async def _handle_control_frame(self, frame: Sdk) -> None:
        if any(header.key == "type" and header.value == "pong" for header in frame.headers):
            self._pulse.pong()
        await super()._handle_control_frame(frame)

    async def _handle_data_frame(self, frame: Sdk) -> None:
        """Hand the event over and acknowledge it. Each frame is a task of its own: a slow one delays no other."""
        started_ms = self._now_ms()
        headers = {header.key: header.value for header in frame.headers}
        frame_id = headers.get("message_id", "")
        try:
            total, index = int(headers.get("sum") or 1), int(headers.get("seq") or 0)
            payload = self._pieces.add(frame_id, total, index, bytes(frame.payload))
        except ValueError:
            # Numbers that make no sense: the courier finds it unreadable, keeps note of it and acknowledges it.
            payload = b""
        if payload is None:
            return
        frame.payload = await self._courier.take(payload, is_card=headers.get("type") == "card", frame_id=frame_id)
        spent = frame.headers.add()
        spent.key, spent.value = "biz_rt", str(self._now_ms() - started_ms)
        await self._write_message(frame.SerializeToString())


def _http() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=HTTP_S_MAX)


def _text_content(text: str) -> str:
    return orjson.dumps({"text": literal_text(text)}).decode()


def _bot_info_request() -> Sdk:
    return (
        lark_oapi.BaseRequest.builder()
        .http_method(lark_oapi.HttpMethod.GET)
        .uri("/open-apis/bot/v3/info")
        .token_types({lark_oapi.AccessTokenType.TENANT})
        .build()
    )
