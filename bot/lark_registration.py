"""Making an app by QR code: the accounts site's device flow, as the vendor's SDK 1.7.5 speaks it.

The site is asked what it can do (`init`), gives a code and an address to open (`begin`), and is then asked again and
again (`poll`) until whoever opened the address has approved, denied, or let the code run out. The address carries what
the app needs, so that permissions, events and callbacks are filled in already; they come from the table in
`lark_needs`. The protocol is small and the SDK's own client has no time-out where it matters, fails on an answer that
is no JSON, and costs two seconds to load; so this is ours.

What comes back is a secret: it is returned to the caller, and neither logged nor shown.
"""

import base64
import gzip
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx

from bot.lark_needs import DOMAINS, accounts_url, names

REGISTRATION_PATH: Final = "/oauth/v1/app/registration"
ASK_S_MAX: Final = 10.0
INTERVAL_S_MAX: Final = 30
INTERVAL_S_DEFAULT: Final = 5
EXPIRES_S_MAX: Final = 900
FAILURES_MAX: Final = 5
"""Answers in a row that cannot be read before the attempt is given up."""
SLOWER_S: Final = 5
Ending = Literal["denied", "expired", "unsupported", "unreachable", "refused"]


class RegistrationEnded(Exception):
    """No app was made; `why` says which sentence tells it."""

    def __init__(self, why: Ending) -> None:
        """`why` is one of a few words of ours: what the site said is not repeated."""
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, kw_only=True, slots=True)
class Registered:
    """An app that was made, on the domain its company lives on."""

    app_id: str
    app_secret: str = field(repr=False)
    domain: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """What the operator is to open, and for how long it can be."""

    url: str
    expires_s: int


async def register(
    http: httpx.AsyncClient,
    *,
    domain: str,
    show: Callable[[Begun], None],
    sleep: Callable[[float], Awaitable[None]],
) -> Registered:
    """Have an app made; `show` is called once, with what to open. Raises RegistrationEnded."""
    site = accounts_url(domain)
    started = await _ask(http, site, {"action": "init"})
    methods = started.get("supported_auth_methods")
    if not isinstance(methods, list) or "client_secret" not in methods:
        raise RegistrationEnded("unsupported")
    begun = await _ask(
        http,
        site,
        {
            "action": "begin",
            "archetype": "PersonalAgent",
            "auth_method": "client_secret",
            "request_user_info": "open_id",
        },
    )
    code, url = begun.get("device_code"), begun.get("verification_uri_complete")
    if not isinstance(code, str) or not isinstance(url, str) or urlsplit(url).scheme not in ("http", "https"):
        raise RegistrationEnded("refused")
    expires_s = _bounded(begun.get("expires_in"), EXPIRES_S_MAX, EXPIRES_S_MAX)
    show(Begun(url=page_url(url), expires_s=expires_s))
    wait = _Wait(interval_s=_bounded(begun.get("interval"), INTERVAL_S_DEFAULT, INTERVAL_S_MAX), left_s=expires_s)
    return await _approved(http, domain, code, wait, sleep)


@dataclass(slots=True)
class _Wait:
    interval_s: int
    left_s: float


async def _approved(
    http: httpx.AsyncClient, domain: str, code: str, wait: _Wait, sleep: Callable[[float], Awaitable[None]]
) -> Registered:
    failures = 0
    while wait.left_s > 0:
        try:
            told = await _ask(http, accounts_url(domain), {"action": "poll", "device_code": code})
        except RegistrationEnded:
            failures += 1
            if failures > FAILURES_MAX:
                raise
            told = {"error": "authorization_pending"}
        else:
            failures = 0
        user = told.get("user_info")
        brand = user.get("tenant_brand") if isinstance(user, dict) else None
        if brand == "lark" and domain == DOMAINS["feishu"]:
            # The company lives in the other world, and only its site gives the secret.
            domain = DOMAINS["lark"]
        app_id, secret = told.get("client_id"), told.get("client_secret")
        if isinstance(app_id, str) and app_id and isinstance(secret, str) and secret:
            return Registered(app_id=app_id, app_secret=secret, domain=domain)
        match told.get("error"):
            case "access_denied":
                raise RegistrationEnded("denied")
            case "expired_token":
                raise RegistrationEnded("expired")
            case "slow_down":
                wait.interval_s = min(INTERVAL_S_MAX, wait.interval_s + SLOWER_S)
            case "authorization_pending" | None | "":
                pass
            case _:
                raise RegistrationEnded("refused")
        await sleep(wait.interval_s)
        wait.left_s -= wait.interval_s
    raise RegistrationEnded("expired")


async def _ask(http: httpx.AsyncClient, site: str, form: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        answer = await http.post(site + REGISTRATION_PATH, data=dict(form), timeout=ASK_S_MAX)
        told = answer.json()
    except (httpx.HTTPError, ValueError):
        raise RegistrationEnded("unreachable") from None
    if not isinstance(told, dict):
        raise RegistrationEnded("unreachable")
    return told


def page_url(url: str) -> str:
    """The address to open, with what the app needs filled in."""
    parts = urlsplit(url)
    query = [*parse_qsl(parts.query, keep_blank_values=True), ("from", "sdk"), ("tp", "sdk")]
    query += [("source", "frontstage"), ("addons", addons())]
    return urlunsplit(parts._replace(query=urlencode(query)))


def addons() -> str:
    """Permissions, events and callbacks as the page takes them: JSON, compressed, in the alphabet of addresses."""
    wanted = {
        "scopes": {"tenant": list(names("scope"))},
        "events": {"items": {"tenant": list(names("event"))}},
        "callbacks": {"items": list(names("callback"))},
    }
    packed = gzip.compress(json.dumps(wanted, separators=(",", ":")).encode(), mtime=0)
    return base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def _bounded(value: object, default: int, most: int) -> int:
    usable = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return min(value, most) if usable and isinstance(value, int) else default
