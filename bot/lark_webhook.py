"""The webhook transport: the same events as the long connection brings, as requests to an address of ours.

Theory of operation. Whatever arrives is somebody's bytes until it has proved to be the platform's, by a signature over
exactly these bytes (`lark_seal`), inside a window of time, naming our app. One request alone comes unsigned: the
question (`url_verification`) that the platform asks when the address is entered; it must know the verification token.
What proved itself goes to the same courier as a frame of the long connection, on the connection's own thread, so that a
presser is answered in time even while the bot's loop stands still.

Every answer is a JSON object within the platform's three seconds:

    200  taken; for a press, the answer that the presser sees    401  unproven: unsigned, forged, or not of now
    503  not taken yet: the platform delivers it again           403  proven, and not for us: token, app, old callback
    400  no usable challenge; 404, 405, 408, 413                 409  a nonce that was used for something else

What proved itself and cannot be read, or is of an unknown kind, is acknowledged and counted (parked): an event that
keeps failing may hold up all that follow it. A request that is sent again, with the same nonce and content, gets the
acknowledgement it got, and no second effect. One that was not taken is owed: it is tried again when it comes again,
even later than its window, as nobody documents whether the platform signs its repeats anew.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from aiohttp import web

from bot.lark import PRESS_ANSWER_MS_MAX, LarkFault, LarkFaultKind
from bot.lark_courier import Courier, Heard
from bot.lark_pulse import Pulse
from bot.lark_seal import WINDOW_MS, Proof, SealedError, StaleError, UnprovenError, is_signed, opened, prove, same_text
from bot.lark_settings import LarkSettings, WebhookSettings

BODY_BYTES_MAX: Final = 1024 * 1024
BODY_S_MAX: Final = 1.0
# The platform waits three seconds from where it stands; the way there and back wants some of them.
ANSWER_S_MAX: Final = PRESS_ANSWER_MS_MAX / 1_000
CHALLENGE_CHARS_MAX: Final = 1_000
NONCES_MAX: Final = 20_000
# A nonce must be known for as long as its timestamp is taken: from five minutes early to five minutes late.
NONCE_LIFE_MS: Final = 2 * WINDOW_MS
# The platform's last repeat comes some six hours after the first push.
OWED_LIFE_MS: Final = 8 * 3_600_000
OWED_MAX: Final = 2_000
# Waited for twice while a handler is stuck; with the grace of handlers it is still a stop within five seconds.
CLOSE_S_MAX: Final = 0.4
OLD_PRESS_EVENT: Final = "card.action.trigger_v1"

_log = logging.getLogger("frontstage.lark")
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class _Known:
    digest: bytes
    since_ms: int
    heard: "asyncio.Future[Heard]"


class Nonces:
    """What was asked under which nonce and how it ended; bounded in number and time."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._owed: OrderedDict[Proof, int] = OrderedDict()

    def find(self, proof: Proof, now_ms: int) -> "asyncio.Future[Heard] | None":
        """How the same request ended, or will; None if it is new. Raises ValueError if the nonce named another."""
        while self._known and next(iter(self._known.values())).since_ms < now_ms - NONCE_LIFE_MS:
            self._known.popitem(last=False)
        known = self._known.get(proof.nonce)
        if known is None:
            return None
        if known.digest != proof.digest:
            raise ValueError("the nonce was used for another request")
        return known.heard

    def remember(self, proof: Proof, now_ms: int) -> "asyncio.Future[Heard]":
        """Keep a place for how this one ends."""
        heard: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()
        self._known[proof.nonce] = _Known(proof.digest, now_ms, heard)
        if len(self._known) > NONCES_MAX:
            self._known.popitem(last=False)
        return heard

    def owe(self, proof: Proof, now_ms: int) -> None:
        """It was not taken: the same request is to be tried again, whenever it comes."""
        self._known.pop(proof.nonce, None)
        self._owed.setdefault(proof, now_ms)
        if len(self._owed) > OWED_MAX:
            self._owed.popitem(last=False)

    def settle(self, proof: Proof) -> None:
        """It was taken."""
        self._owed.pop(proof, None)

    def is_owed(self, proof: Proof | None, now_ms: int) -> bool:
        """Whether exactly this was asked in its time and not taken."""
        since_ms = self._owed.get(proof) if proof is not None else None
        return since_ms is not None and now_ms - since_ms <= OWED_LIFE_MS


class Receiver:
    """Answers the platform's requests for one app. Lives on the connection's loop."""

    def __init__(
        self,
        settings: LarkSettings,
        hook: WebhookSettings,
        courier: Courier,
        pulse: Pulse,
        *,
        wall_ms: Callable[[], int],
    ) -> None:
        """`wall_ms` is the wall's time: the platform's timestamps are compared with it."""
        self._app_id = settings.app_id
        self._hook = hook
        self._courier = courier
        self._pulse = pulse
        self._wall_ms = wall_ms
        self._nonces = Nonces()

    def application(self) -> web.Application:
        """The one route, and an answer of ours for whatever else is asked."""
        app = web.Application(client_max_size=BODY_BYTES_MAX, middlewares=[_in_json])
        app.router.add_post(self._hook.path, self.receive)
        return app

    async def receive(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        give_up_s = asyncio.get_running_loop().time() + ANSWER_S_MAX
        try:
            async with asyncio.timeout(BODY_S_MAX):
                body = await request.read()
        except TimeoutError:
            return _answer(408, "the body did not arrive in time")
        if not is_signed(request.headers):
            return self._unsigned(body)
        now_ms = self._wall_ms()
        try:
            proof = self._proof(request.headers, body, now_ms)
            before = self._nonces.find(proof, now_ms)
        except UnprovenError as error:
            return self._turned_away(401, error.why)
        except ValueError:
            return self._turned_away(409, "this nonce was used for another request")
        if before is not None:
            return await self._again(before, give_up_s)
        return await self._proven(body, proof, now_ms, give_up_s)

    def _proof(self, headers: Mapping[str, str], body: bytes, now_ms: int) -> Proof:
        """What the request proves itself with. Raises UnprovenError."""
        try:
            return prove(headers, body, encrypt_key=self._hook.encrypt_key, now_ms=now_ms)
        except StaleError as late:
            if not self._nonces.is_owed(late.proof, now_ms):
                raise
            return late.proof

    def _unsigned(self, body: bytes) -> web.StreamResponse:
        """Only the challenge may come unsigned, and only with the right token."""
        try:
            content = _read(body, self._hook.encrypt_key)
        except SealedError:
            return self._turned_away(401, "unsigned")
        if content.get("type") != "url_verification":
            return self._turned_away(401, "unsigned")
        return self._challenged(content)

    def _challenged(self, content: Mapping[str, Any]) -> web.StreamResponse:
        challenge = content.get("challenge")
        if not same_text(_text(content, "token"), self._hook.verification_token):
            return self._turned_away(403, "the verification token is another")
        if not isinstance(challenge, str) or not 0 < len(challenge) <= CHALLENGE_CHARS_MAX:
            return self._turned_away(400, "there is no usable challenge")
        self._pulse.frame()
        self._pulse.proved()
        return _json(200, {"challenge": challenge})

    async def _proven(self, body: bytes, proof: Proof, now_ms: int, give_up_s: float) -> web.StreamResponse:
        self._pulse.frame()
        try:
            content = _read(body, self._hook.encrypt_key)
        except SealedError:
            # Signed by the platform, and no event that anybody can read: it is kept note of and not asked for again.
            content = {}
        if content.get("type") == "url_verification":
            return self._challenged(content)
        refusal = self._not_for_us(content) if content else None
        if refusal is not None:
            return refusal
        self._pulse.proved()
        place = self._nonces.remember(proof, now_ms)
        heard = Heard(taken=False)
        try:
            payload = orjson.dumps(content) if content else b""
            left_s = give_up_s - asyncio.get_running_loop().time()
            heard = await self._courier.hear(payload, frame_id=proof.nonce, within_s=left_s)
        finally:
            if heard.taken:
                self._nonces.settle(proof)
            else:
                self._nonces.owe(proof, now_ms)
            if not place.done():
                place.set_result(heard)
        return _told(heard)

    def _not_for_us(self, content: Mapping[str, Any]) -> web.StreamResponse | None:
        """Whether a proven request carries another token, is another app's or tenant's, or is of the old kind."""
        header = content.get("header")
        header = header if isinstance(header, dict) else {}
        event_type = _text(header, "event_type")
        if event_type == OLD_PRESS_EVENT or (not header and "open_message_id" in content):
            return self._turned_away(403, "the old card callback is subscribed; subscribe to card.action.trigger alone")
        if not same_text(_text(header, "token") or _text(content, "token"), self._hook.verification_token):
            return self._turned_away(403, "the verification token is another")
        event = content.get("event")
        app_id = _text(header, "app_id") or _text(event if isinstance(event, dict) else {}, "app_id")
        if app_id != self._app_id:
            return self._turned_away(403, "the event is for another app")
        tenant = _text(header, "tenant_key") or _text(event if isinstance(event, dict) else {}, "tenant_key")
        if not tenant or (self._hook.tenant_key and tenant != self._hook.tenant_key):
            return self._turned_away(403, "the event is of another tenant")
        return None

    async def _again(self, before: "asyncio.Future[Heard]", give_up_s: float) -> web.StreamResponse:
        """The same request once more: what it was answered, waiting for that if it is still being worked on."""
        try:
            async with asyncio.timeout_at(give_up_s):
                return _told(await asyncio.shield(before))
        except TimeoutError:
            return _told(Heard(taken=False))

    def _turned_away(self, status: int, why: str) -> web.StreamResponse:
        self._pulse.turned_away()
        _log.warning("a request was turned away with %d: %s", status, why)
        return _answer(status, why)


class Listening:
    """A socket that listens; the webhook's link."""

    def __init__(self, runner: web.AppRunner, pulse: Pulse, port: int) -> None:
        self._runner = runner
        self._pulse = pulse
        self.port = port

    async def until_ended(self) -> None:
        """A socket does not end by itself."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Stop listening; what is being answered has a moment."""
        self._pulse.listening(on=False)
        await self._runner.cleanup()


async def listen(receiver: Receiver, hook: WebhookSettings, pulse: Pulse) -> Listening:
    """Open the socket. Raises a LarkFault: fatal where an operator must choose another address."""
    runner = web.AppRunner(receiver.application(), access_log=None, shutdown_timeout=CLOSE_S_MAX)
    await runner.setup()
    try:
        await web.TCPSite(runner, hook.host, hook.port).start()
    except OSError as error:
        await runner.cleanup()
        reason = f"nothing can listen on {hook.host}:{hook.port}: {error.strerror or type(error).__name__}"
        raise LarkFault(LarkFaultKind.FATAL, reason=reason) from None
    pulse.listening(on=True)
    return Listening(runner, pulse, int(runner.addresses[0][1]))


@web.middleware
async def _in_json(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Whatever goes wrong is answered with an object, too: platform and device read nothing else."""
    try:
        return await handler(request)
    except web.HTTPException as refusal:
        return _answer(refusal.status, "there is nothing here" if refusal.status in (404, 405) else "refused")
    except Exception as error:  # noqa: BLE001 - the top of a request
        _log.error("answering a request failed: %s", type(error).__name__)
        return _answer(500, "failed")


def _told(heard: Heard) -> web.StreamResponse:
    if not heard.taken:
        return _answer(503, "not taken yet; deliver it again")
    return web.Response(body=heard.answer or b"{}", content_type="application/json")


def _answer(status: int, why: str) -> web.StreamResponse:
    return _json(status, {"code": status, "msg": why})


def _json(status: int, content: Mapping[str, object]) -> web.StreamResponse:
    return web.Response(body=orjson.dumps(content), status=status, content_type="application/json")


def _read(body: bytes, encrypt_key: str) -> dict[str, Any]:
    """The content of a body, opened if it is sealed; raises SealedError on whatever is not an object."""
    content = _object(body)
    sealed = content.get("encrypt")
    return _object(opened(sealed, encrypt_key=encrypt_key)) if isinstance(sealed, str) else content


def _object(raw: bytes) -> dict[str, Any]:
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise SealedError from error
    if not isinstance(content, dict):
        raise SealedError
    return content


def _text(parent: Mapping[str, Any], name: str) -> str:
    value = parent.get(name)
    return value if isinstance(value, str) else ""
