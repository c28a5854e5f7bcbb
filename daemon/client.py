"""A client for programs: ask the daemon and get what it answered, as values.

It knows the wire and no more of the daemon. A refusal is a value (`Reply.ok` is false, `Reply.code` says why); a
daemon that cannot be reached, or an answer that never came whole, is an exception of `daemon.wire`, because only the
caller knows what to do then: ask again with the same request key. A client that was given patience does just that.
Everything a program needs is named in `__all__`; `daemon.aclient` has the same for asyncio.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from daemon import wire
from daemon.paths import find_home
from daemon.patience import Patience
from daemon.sse import ChunkParser, FeedEvent, FeedMalformed, FeedParser
from daemon.wire import Dropped, NobodyListens, NotOurs, TooSlow, WireFault

__all__ = [
    "Asked", "Client", "Document", "Dropped", "FeedEvent", "NobodyListens", "NotOurs", "Params", "Refused", "Reply",
    "TooSlow", "WireFault", "new_request_key",
]  # fmt: skip

Document = dict[str, object]
Scalar = str | int | bool | None
Params = Mapping[str, Scalar | Sequence[str] | Sequence[int]]

FEED_SILENT_MS_MAX = 45_000
"""Three heartbeats; a feed that is silent for longer has lost its daemon."""
HTTP_OK = 200
HTTP_BUSY = 503
RESUME_S = (0.1, 0.5, 1.0, 2.0, 5.0)
"""How long to wait before following a broken feed again, longer each time in vain."""
AGAIN = (NobodyListens, Dropped, TooSlow)
"""Faults after which the same may be asked again: nothing was sent, or the request key settles what was done."""
TOKEN_VARIABLE = "FRONTSTAGE_TOKEN"  # noqa: S105  (the name of a variable)


@dataclass(frozen=True)
class Reply:
    """One answer. `exit_code` is what the command line would have ended with."""

    ok: bool
    status: int
    exit_code: int
    body: Document
    retry_after_s: float | None = None

    @property
    def code(self) -> str:
        """The refusal's code, or nothing."""
        code = self.body.get("code")
        return code if isinstance(code, str) and not self.ok else ""

    @property
    def seq(self) -> int | None:
        """Where the ledger stood."""
        seq = self.body.get("seq")
        return seq if isinstance(seq, int) else None

    def or_raise(self) -> Self:
        """Itself, where it was no refusal. Raises Refused."""
        if not self.ok:
            raise Refused(self.status, self.code, self.retry_after_s, str(self.body.get("message", "")))
        return self


@dataclass(frozen=True)
class Asked:
    """One action of many; with no key one is made."""

    action: str
    params: Mapping[str, object]
    request_key: str | None = None


class Refused(Exception):
    """The daemon said no, where there is no reply to say it in or it was asked to be raised."""

    def __init__(self, status: int, code: str = "", retry_after_s: float | None = None, message: str = "") -> None:
        super().__init__(message or f"refused with HTTP {status}" + (f" ({code})" if code else ""))
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


def new_request_key() -> str:
    """A key for one write: time first, so that receipts made together lie together; then 64 random bits."""
    return f"k{time.time_ns() // 1_000_000:012x}-{os.urandom(8).hex()}"


def action_headers(token: str | None, surface: str, locale: str, request_key: str | None) -> dict[str, str]:
    """What goes with every request."""
    headers = {"Accept": "application/json", "X-Frontstage-Surface": surface, "X-Frontstage-Locale": locale}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if request_key is not None:
        headers["Idempotency-Key"] = request_key
    return headers


def query_of(params: Params) -> str:
    """Parameters of a read as a query string; lists repeat their name, None is left out."""
    pairs: list[str] = []
    for name, value in params.items():
        if value is None:
            continue
        many = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
        for one in many:
            text = str(one).lower() if isinstance(one, bool) else str(one)
            pairs.append(f"{wire.quote(name)}={wire.quote(text)}")
    return "?" + "&".join(pairs) if pairs else ""


def body_of(params: Mapping[str, object]) -> bytes:
    """Parameters of a write as JSON; None is left out, since absent and null mean the same."""
    return json.dumps({name: value for name, value in params.items() if value is not None}).encode("ascii")


def reply_of(status: int, headers: Mapping[str, str], body: bytes) -> Reply:
    """An HTTP answer as a reply; header names are lower case. Raises wire.NotOurs."""
    if status == HTTP_BUSY and not body:
        # A connection too many is turned away before anybody reads it.
        body = b'{"ok":false,"code":"busy"}'
    try:
        document = json.loads(body)
    except ValueError as error:
        raise wire.NotOurs("the answer is not JSON") from error
    if not isinstance(document, dict):
        raise wire.NotOurs("the answer is not an object")
    done = status == HTTP_OK
    exit_text = headers.get("x-frontstage-exit", "0" if done else "")
    if exit_text not in set("012345678"):
        raise wire.NotOurs("the answer carries no exit code")
    retry_text = headers.get("retry-after", "")
    return Reply(
        ok=done,
        status=status,
        exit_code=int(exit_text),
        body=document,
        retry_after_s=float(retry_text) if retry_text.isascii() and retry_text.isdigit() else None,
    )


def _code_in(body: bytes) -> str:
    try:
        code = json.loads(body)["code"]
    except (ValueError, KeyError, TypeError):
        return ""
    return code if isinstance(code, str) else ""


def batch_body(asked: Sequence[Asked], *, stop_on_refusal: bool) -> dict[str, object]:
    """Many actions as the body of one request; each without a key gets one."""
    actions = [
        {
            "action": one.action,
            "request_key": one.request_key or new_request_key(),
            "params": {name: value for name, value in one.params.items() if value is not None},
        }
        for one in asked
    ]
    return {"actions": actions, "stop_on_refusal": stop_on_refusal}


class Client:
    """One daemon, asked from ordinary code. Safe to share between threads: each call has its own connection.

    With `patience_s` a call that got no whole answer, or found the daemon busy, is made again for as long, under the
    same request key. It may be used in a `with` block, which closes nothing: no connection outlives its call.
    """

    def __init__(
        self,
        socket: str,
        token: str | None = None,
        *,
        surface: str = "http",
        locale: str = "en",
        answer_ms_max: int = wire.ANSWER_MS_MAX,
        patience_s: float = 0.0,
    ) -> None:
        self._socket = socket
        self._token = token
        self._surface = surface
        self._locale = locale
        self._answer_ms_max = answer_ms_max
        self._patience_s = patience_s

    @classmethod
    def of_environment(cls, *, patience_s: float = 0.0) -> Self:
        """The daemon and credential that the environment names, as it does for whatever a worker runs.

        `FRONTSTAGE_SOCKET`, or the socket of `FRONTSTAGE_HOME`; `FRONTSTAGE_TOKEN`, or none. Raises HomeUnclear.
        """
        return cls(find_home().socket, os.environ.get(TOKEN_VARIABLE), patience_s=patience_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is open between two calls."""

    def act(self, name: str, params: Params, request_key: str | None = None) -> Reply:
        """Do something. With no key one is made; give one to be able to ask again. Raises wire.WireFault."""
        key = request_key or new_request_key()
        return self._patiently("POST", f"/v1/actions/{name}", body_of(params), key)

    def read(self, name: str, params: Params | None = None, *, at: int | None = None) -> Reply:
        """Ask for a document, of now or as it was after the event `at`. Raises wire.WireFault."""
        return self._patiently("GET", f"/v1/actions/{name}{query_of({**(params or {}), 'at': at})}", None, None)

    def batch(self, asked: Sequence[Asked], *, stop_on_refusal: bool = False) -> Reply:
        """Do many things, each for itself; `answers` are in their order, each with its `exit_code`.

        The reply is `ok` when the daemon took the batch, whatever came of its parts: the body's `ok` says that.
        Raises wire.WireFault.
        """
        return self._patiently("POST", "/v1/batch", body_of(batch_body(asked, stop_on_refusal=stop_on_refusal)), None)

    def get(self, path: str) -> Reply:
        """Ask for one of the daemon's own pages: `/healthz`, `/readyz`, `/capabilities`. Raises wire.WireFault."""
        return self._ask("GET", path, None, None)

    def post(self, path: str, document: Mapping[str, object]) -> Reply:
        """Tell one of the daemon's own pages something that may be told twice. Raises wire.WireFault."""
        return self._ask("POST", path, body_of(document), None)

    def _patiently(self, method: str, target: str, body: bytes | None, key: str | None) -> Reply:
        patience = Patience(self._patience_s)
        while True:
            try:
                reply = self._ask(method, target, body, key)
            except AGAIN:
                pause_s = patience.pause_s()
                if pause_s is None:
                    raise
            else:
                pause_s = patience.pause_s(reply.retry_after_s) if reply.status == HTTP_BUSY else None
                if pause_s is None:
                    return reply
            time.sleep(pause_s)

    def _ask(self, method: str, target: str, body: bytes | None, key: str | None) -> Reply:
        headers = action_headers(self._token, self._surface, self._locale, key)
        answer = wire.ask(self._socket, wire.request_bytes(method, target, headers, body), self._answer_ms_max)
        return reply_of(answer.status, answer.headers, answer.body)

    def feed(self, after: int) -> Iterator[FeedEvent]:
        """Everything committed past `after`, then what comes, until the daemon ends it. Raises wire.WireFault."""
        headers = action_headers(self._token, self._surface, self._locale, None)
        sock = wire.connect(self._socket)
        try:
            request = wire.request_bytes("GET", f"/v1/feed?after={after}", headers, None)
            answer = wire.begin(sock, request, self._answer_ms_max)
            if answer.status != HTTP_OK:
                # What is not whole of such an answer is only less to say about it.
                raise Refused(answer.status, _code_in(answer.body))
            chunks, parser, part = ChunkParser(), FeedParser(), answer.body
            while True:
                yield from parser.receive(chunks.receive(part))
                if chunks.ended:
                    return
                part = wire.more(sock, FEED_SILENT_MS_MAX)
                if not part:
                    raise wire.Dropped("the feed broke off")
        except FeedMalformed as error:
            raise wire.NotOurs(str(error)) from error
        finally:
            sock.close()

    def follow(self, after: int, broke: Callable[[WireFault], None] = lambda _: None) -> Iterator[FeedEvent]:
        """The feed without an end: when it breaks, `broke` is told and it goes on after the last seq that came.

        Raises Refused.
        """
        failures = 0
        while True:
            try:
                for event in self.feed(after):
                    after, failures = event.seq, 0
                    yield event
            except WireFault as fault:
                broke(fault)
            time.sleep(RESUME_S[min(failures, len(RESUME_S) - 1)])
            failures += 1
