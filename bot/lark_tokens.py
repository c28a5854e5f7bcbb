"""Tenant tokens: fetched asynchronously, shared by all calls, renewed before they end, dropped when refused.

The SDK fetches them synchronously inside the event loop, caches them for the whole process without the domain in
the key, lets a hundred callers fetch at once, and goes on using a token that the platform has refused. Hence this
client: one fetch at a time for all who wait (its failure is shared too, so an outage is one call and not a
hundred), and a token that is still good keeps being used while its successor cannot be had.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import httpx

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_faults import read_answer

TOKEN_PATH: Final = "/open-apis/auth/v3/tenant_access_token/internal"  # noqa: S105 - a path
# The platform issues a new token only in the last half hour of the old one; until then it returns the same.
RENEW_BEFORE_MS: Final = 10 * 60_000
# A token this close to its end may end on its way to the platform.
UNUSABLE_BEFORE_MS: Final = 30_000
# While the old token is good, a failed renewal is tried again no sooner than this.
RENEW_PAUSE_MS: Final = 30_000
EXPIRE_S_MAX: Final = 24 * 3_600
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    token: str
    renew_at_ms: int
    unusable_at_ms: int


async def with_token(tokens: "TenantTokens", call: Callable[[str], Awaitable[_Answer]]) -> _Answer:
    """Call once; once more, with a fresh token, if the token was refused; a second refusal is the caller's."""
    token = await tokens.get()
    try:
        return await call(token)
    except LarkFault as fault:
        if fault.kind is not LarkFaultKind.TOKEN:
            raise
    tokens.invalidate(token)
    return await call(await tokens.get())


class TenantTokens:
    """The one source of tenant tokens of one app on one domain; used from one event loop."""

    def __init__(
        self, http: httpx.AsyncClient, *, domain: str, app_id: str, app_secret: str, now_ms: Callable[[], int]
    ) -> None:
        """`now_ms` must not go backwards; time-outs are the http client's."""
        self._http = http
        self._url = domain + TOKEN_PATH
        self._credentials = {"app_id": app_id, "app_secret": app_secret}
        self._now_ms = now_ms
        self._held: _Held | None = None
        self._lock = asyncio.Lock()
        self._attempts = 0
        self._last_fault: LarkFault | None = None
        self._renew_not_before_ms = 0

    async def get(self) -> str:
        """Return a usable token, fetching one if need be; raises the fault of the fetch."""
        held = self._usable()
        if held is not None and not self._is_renewal_due(held):
            return held.token
        attempts_seen = self._attempts
        async with self._lock:
            held = self._usable()
            if held is not None and not self._is_renewal_due(held):
                return held.token
            if self._attempts > attempts_seen and self._last_fault is not None and held is None:
                # A fetch that ended while we waited failed: its failure is ours.
                raise self._last_fault
            try:
                self._held = await self._fetch()
            except LarkFault as fault:
                self._attempts += 1
                self._last_fault = fault
                self._renew_not_before_ms = self._now_ms() + RENEW_PAUSE_MS
                if held is None:
                    raise
                return held.token
            self._attempts += 1
            self._last_fault = None
            return self._held.token

    def invalidate(self, token: str) -> None:
        """Forget this token, which the platform refused; a newer one that somebody fetched meanwhile stays."""
        if self._held is not None and self._held.token == token:
            self._held = None

    def _usable(self) -> _Held | None:
        held = self._held
        return held if held is not None and self._now_ms() < held.unusable_at_ms else None

    def _is_renewal_due(self, held: _Held) -> bool:
        return self._now_ms() >= max(held.renew_at_ms, self._renew_not_before_ms)

    async def _fetch(self) -> _Held:
        asked_at_ms = self._now_ms()
        try:
            answer = await self._http.post(self._url, json=self._credentials)
        except httpx.HTTPError as error:
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason=f"token: {type(error).__name__}") from None
        body = read_answer(answer.status_code, answer.headers, answer.content)
        token, expire_s = body.get("tenant_access_token"), body.get("expire")
        if not isinstance(token, str) or not token or not isinstance(expire_s, int) or expire_s <= 0:
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="the token answer holds no token")
        life_ms = min(expire_s, EXPIRE_S_MAX) * 1_000
        return _Held(
            token=token,
            renew_at_ms=asked_at_ms + life_ms - min(RENEW_BEFORE_MS, life_ms // 2),
            unusable_at_ms=asked_at_ms + life_ms - min(UNUSABLE_BEFORE_MS, life_ms // 4),
        )
