"""What `lark setup` and `lark doctor` ask the platform: a few reads, each bounded, that change nothing there.

An answer is a fact or a `LarkFault`; whoever asked decides what a fault leaves unknown. The long connection is not
opened for it: asking where to connect already tells whether app, secret and domain belong together.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_endpoint import discover
from bot.lark_faults import read_answer
from bot.lark_tokens import TenantTokens, with_token

ASK_S_MAX: Final = 8.0
SCOPES_PATH: Final = "/open-apis/application/v6/scopes"
CHAT_PATH: Final = "/open-apis/im/v1/chats/{chat_id}/members/is_in_chat"
USER_AGENT: Final = "frontstage-doctor"
_GRANTED: Final = 1


@asynccontextmanager
async def open_asking(
    *, domain: str, app_id: str, app_secret: str, wall_ms: Callable[[], int], steady_ms: Callable[[], int]
) -> AsyncIterator["Asking"]:
    """Ask as one app on one domain; the two clocks are the wall's and one that does not go backwards."""
    async with httpx.AsyncClient(timeout=ASK_S_MAX, follow_redirects=False) as http:
        yield Asking(http, domain=domain, app_id=app_id, app_secret=app_secret, wall_ms=wall_ms, steady_ms=steady_ms)


class Asking:
    """One app that asks. Every method raises LarkFault."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        domain: str,
        app_id: str,
        app_secret: str,
        wall_ms: Callable[[], int],
        steady_ms: Callable[[], int],
    ) -> None:
        """`http` is open and bounded in time."""
        self._http = http
        self._domain = domain
        self._app_id = app_id
        self._app_secret = app_secret
        self._wall_ms = wall_ms
        self._tokens = TenantTokens(http, domain=domain, app_id=app_id, app_secret=app_secret, now_ms=steady_ms)
        self.skew_ms: int | None = None
        """How far the platform's clock is ahead of ours, as the last answer's `Date` says; None when none said."""
        http.event_hooks["response"].append(self._compare_clocks)

    async def credentials(self) -> None:
        """Whether the platform takes the app's id and secret on this domain."""
        await self._tokens.get()

    async def long_connection(self) -> None:
        """Whether the platform would give this app a long connection."""
        await discover(
            self._http,
            domain=self._domain,
            app_id=self._app_id,
            app_secret=self._app_secret,
            user_agent=USER_AGENT,
        )

    async def bot_is_on(self) -> None:
        """Whether the app has a bot."""
        await self._get("/open-apis/bot/v3/info")

    async def scopes(self) -> Mapping[str, bool]:
        """Which permissions the app asked for, and whether each is granted to the app itself."""
        data = (await self._get(SCOPES_PATH)).get("data")
        rows = data.get("scopes") if isinstance(data, dict) else None
        if not isinstance(rows, list):
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="the answer holds no permissions")
        found: dict[str, bool] = {}
        for row in rows:
            # The same name may stand for the app and for its users; ours are all the app's.
            if isinstance(row, dict) and row.get("scope_type") in ("tenant", None):
                found[str(row.get("scope_name"))] = row.get("grant_status") == _GRANTED
        return found

    async def is_in_chat(self, chat_id: str) -> bool:
        """Whether the bot is a member of this chat."""
        data = (await self._get(CHAT_PATH.format(chat_id=chat_id))).get("data")
        is_in = data.get("is_in_chat") if isinstance(data, dict) else None
        if not isinstance(is_in, bool):
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="the answer does not say")
        return is_in

    async def _get(self, path: str) -> Mapping[str, Any]:
        return await with_token(self._tokens, lambda token: self._get_once(path, token))

    async def _get_once(self, path: str, token: str) -> Mapping[str, Any]:
        try:
            answer = await self._http.get(self._domain + path, headers={"Authorization": f"Bearer {token}"})
        except httpx.HTTPError as error:
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason=type(error).__name__) from None
        return read_answer(answer.status_code, answer.headers, answer.content)

    async def _compare_clocks(self, answer: httpx.Response) -> None:
        try:
            told = parsedate_to_datetime(answer.headers.get("Date", ""))
        except ValueError:
            return
        # The header has whole seconds: on average it is half a second behind.
        self.skew_ms = round(told.timestamp() * 1_000) + 500 - self._wall_ms()
