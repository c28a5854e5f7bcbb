"""Where to connect: one question to the platform before each long connection, and what a refusal means.

The SDK asks this without a time-out (a hung answer left a public bot deaf for days) and blocks its loop meanwhile;
so it is asked here, and the SDK is given the answer. A refusal is either *for now* (busy, a proxy's error page,
silence) or *fatal*: the app is on the other domain, its credentials are wrong, it has too many connections. Fatal
ones get a sentence that an operator can act on and are retried only rarely.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_faults import kind_of, read_answer

ENDPOINT_PATH: Final = "/callback/ws/endpoint"
PING_INTERVAL_S_MAX: Final = 86_400
PING_INTERVAL_S_DEFAULT: Final = 120

CODE_WRONG_DOMAIN: Final = 1000040351
CODE_TOO_MANY_CONNECTIONS: Final = 1000040350
CODE_FORBIDDEN: Final = 403
CODE_AUTH_FAILED: Final = 514
_BUSY_CODES: Final = frozenset({1, 1000040343})

_FATAL_TEXTS: Final[Mapping[int, str]] = {
    CODE_WRONG_DOMAIN: "the app belongs to the other domain: use https://open.feishu.cn for a Feishu app and "
    "https://open.larksuite.com for a Lark app",
    CODE_TOO_MANY_CONNECTIONS: "the app has as many long connections as it may (50): stop other bots of this app",
    1000040344: "the platform saw no credentials: check app_id and app_secret",
    CODE_FORBIDDEN: "the platform forbids this app a long connection: check that it is a custom app that is published "
    "and subscribes to events by long connection",
    CODE_AUTH_FAILED: "the platform did not accept the app's credentials: check app_id and app_secret",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """The address of one connection (it contains credentials: never log it) and the ping interval asked for."""

    url: str
    ping_interval_s: int


async def discover(http: httpx.AsyncClient, *, domain: str, app_id: str, app_secret: str, user_agent: str) -> Endpoint:
    """Ask for an address; raises a LarkFault of kind FATAL or one that passes. Time-outs are the client's."""
    try:
        answer = await http.post(
            domain + ENDPOINT_PATH,
            headers={"locale": "zh", "User-Agent": user_agent},
            json={"AppID": app_id, "AppSecret": app_secret},
        )
    except httpx.HTTPError as error:
        raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason=f"endpoint: {type(error).__name__}") from None
    try:
        body = read_answer(answer.status_code, answer.headers, answer.content)
    except LarkFault as fault:
        raise connection_fault(fault.code, answer.status_code) if fault.code else fault from None
    found = body.get("data")
    data = found if isinstance(found, dict) else {}
    url = data.get("URL")
    if not isinstance(url, str) or not _is_address(url):
        raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="the endpoint answer holds no usable address")
    config = data.get("ClientConfig")
    return Endpoint(url=url, ping_interval_s=ping_interval_s(config if isinstance(config, dict) else {}))


def connection_fault(code: int, status: int = 200) -> LarkFault:
    """Classify a refusal of the endpoint or of the handshake: busy and 5xx pass, everything else is fatal."""
    text = _FATAL_TEXTS.get(code)
    if text is not None:
        return LarkFault(LarkFaultKind.FATAL, code=code, reason=text)
    if code in _BUSY_CODES or status >= 500 or status == 429 or 500 <= code < 600:
        return LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, code=code, reason="the platform is busy")
    kind = kind_of(code, status)
    if kind in (LarkFaultKind.RATE_LIMITED, LarkFaultKind.UNKNOWN_OUTCOME):
        return LarkFault(kind, code=code)
    return LarkFault(LarkFaultKind.FATAL, code=code, reason="the platform refused the long connection")


def ping_interval_s(config: Mapping[str, Any]) -> int:
    """Read the interval the server asks for; what is missing or absurd (it would spin or never ping) is the default."""
    asked = config.get("PingInterval")
    if isinstance(asked, int) and not isinstance(asked, bool) and 0 < asked <= PING_INTERVAL_S_MAX:
        return asked
    return PING_INTERVAL_S_DEFAULT


def _is_address(url: str) -> bool:
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    service = query.get("service_id", [""])[0]
    return (
        parts.scheme in ("ws", "wss")
        and bool(parts.hostname)
        and "device_id" in query
        and service.isascii()
        and service.isdigit()
    )
