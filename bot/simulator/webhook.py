"""Pushing events and callbacks to an app's own address, as the platform does where no long connection is used.

    POST /_control/webhook {"app_id"?, "url", "encrypt_key"?, "resigns"?}   ask the challenge, then push there
    POST /_control/webhook {"app_id"?, "off": true}                         push over the long connection again
    GET  /_control/webhook[?app_id=…]                                       where to, and the verification token

With an encrypt key the content is encrypted (AES-256-CBC, its key being the digest of the encrypt key) and the request
is signed over its raw bytes; without one it is plain and unsigned. The challenge is never signed. Whether a repeated
push is signed anew is not documented, so `resigns` says which of the two is simulated. Redirects are not followed.
"""

import asyncio
import base64
import hashlib
from collections import OrderedDict

import aiohttp
from Crypto.Cipher import AES
from Crypto.Util.Padding import pad

from bot.simulator.clock import SimClock
from bot.simulator.ids import Ids
from bot.simulator.longlink import Ack
from bot.simulator.model import App, Webhook
from bot.simulator.wire import JsonObject, dump, parse_object

CHALLENGE_WITHIN_MS = 1_000
ANSWER_WITHIN_MS = 3_000
CONNECT_S_MAX = 2.0
ANSWER_BYTES_MAX = 256 * 1024
SIGNED_MAX = 2_000


class ChallengeFailedError(Exception):
    """The address did not answer the challenge, so the console does not take it; says what came instead."""


class Webhooks:
    """The sender of all apps that have an address."""

    def __init__(self, clock: SimClock, ids: Ids) -> None:
        self._clock = clock
        self._ids = ids
        self._signed: OrderedDict[bytes, dict[str, str]] = OrderedDict()

    async def adopt(self, app: App, hook: Webhook) -> None:
        """Ask the challenge and, if it is answered, push there from now on. Raises ChallengeFailedError."""
        challenge = self._ids.fresh("")
        question: JsonObject = {
            "challenge": challenge,
            "token": app.verification_token,
            "type": "url_verification",
        }
        outcome = await self._send(
            hook.url, _sealed(dump(question), hook.encrypt_key, self._ids), {}, CHALLENGE_WITHIN_MS
        )
        if isinstance(outcome, str):
            raise ChallengeFailedError(f"the address gave no answer: {outcome}")
        if outcome.code != 200 or _challenge_in(outcome.data or b"") != challenge:
            raise ChallengeFailedError(f"the address answered HTTP {outcome.code} and not the challenge")
        app.webhook = hook

    async def push(self, app: App, hook: Webhook, payload: bytes) -> Ack | str:
        """One push: HTTP status and body as an ack, or why there is none (`timeout`, `lost`)."""
        del app
        key = hashlib.sha256(payload).digest()
        body = _sealed(payload, hook.encrypt_key, self._ids)
        headers: dict[str, str] = {}
        if hook.encrypt_key and not hook.resigns and key in self._signed:
            before = dict(self._signed[key])
            body = before.pop("body").encode()
            headers = before
        elif hook.encrypt_key:
            headers = self._signature(hook.encrypt_key, body)
            self._signed[key] = {**headers, "body": body.decode()}
            while len(self._signed) > SIGNED_MAX:
                self._signed.popitem(last=False)
        return await self._send(hook.url, body, headers, ANSWER_WITHIN_MS)

    def _signature(self, encrypt_key: str, body: bytes) -> dict[str, str]:
        timestamp, nonce = str(self._clock.now_ms() // 1000), self._ids.fresh("")
        digest = hashlib.sha256(f"{timestamp}{nonce}{encrypt_key}".encode() + body)
        return {
            "X-Lark-Request-Timestamp": timestamp,
            "X-Lark-Request-Nonce": nonce,
            "X-Lark-Signature": digest.hexdigest(),
        }

    async def _send(self, url: str, body: bytes, headers: dict[str, str], within_ms: int) -> Ack | str:
        sending = asyncio.ensure_future(_post(url, body, headers))
        try:
            if not await self._clock.within(sending, within_ms):
                return "timeout"
            return sending.result()
        finally:
            sending.cancel()


async def _post(url: str, body: bytes, headers: dict[str, str]) -> Ack | str:
    timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_S_MAX)
    given = {"Content-Type": "application/json; charset=utf-8", **headers}
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(url, data=body, headers=given, allow_redirects=False) as answer,
        ):
            return Ack(answer.status, await answer.content.read(ANSWER_BYTES_MAX))
    except TimeoutError:
        return "timeout"
    except (aiohttp.ClientError, OSError, ValueError):
        return "lost"


def _sealed(payload: bytes, encrypt_key: str, ids: Ids) -> bytes:
    """The body as it is sent: encrypted where the app has a key."""
    if not encrypt_key:
        return payload
    start = bytes.fromhex(ids.fresh(""))
    cipher = AES.new(hashlib.sha256(encrypt_key.encode()).digest(), AES.MODE_CBC, iv=start)
    return dump({"encrypt": base64.b64encode(start + cipher.encrypt(pad(payload, AES.block_size))).decode()})


def _challenge_in(raw: bytes) -> object:
    try:
        return parse_object(raw).get("challenge")
    except ValueError:
        return None
