"""The pages: which address shows what, made when it is asked for and kept for as long as it is true.

A page is a function of the ledger and of what is asked, so one that was made is good for every reader of the same
address until something is committed or time goes on. A person who opens a page gets it as of now. A page that follows
by itself may get one that is older, where those that follow have had their share of the daemon's time: it says as of
which event it is, and asks again.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import NamedTuple, cast

from daemon.api.past import Past
from daemon.service import Service
from daemon.web.asked import Asked
from daemon.web.fragments import Fragments
from daemon.web.frame import draw, refusal_context
from daemon.web.known import Known
from daemon.web.pace import Pace
from daemon.web.proving import Proving
from daemon.web.reads import CALLER, Reads
from daemon.web.views import agents, compose, goal, history, workspace
from ledger.params import Params
from ledger.projections.documents import Document
from ledger.projections.outlet import filtered
from ledger.projections.overview import SHORT_HASH_BYTES
from ledger.refusals import Refusal
from ledger.text.pieces import as_map
from ledger.text.say import Locale, say
from ledger.text.times import rfc3339

KEPT_MAX, KEPT_BYTES_MAX = 256, 16 << 20
"""Pages kept in memory, and what they may take together."""
FOLLOWING_AGE_MS_MAX = 10_000
"""How old a page may be that is asked for by a page that follows, where the daemon has much else to do."""
UNCHANGED_AGE_MS_MAX = 5_000
"""How long a page is kept while nothing is committed: leases run out and windows move on by time alone."""

View = Callable[[Reads, Asked, Mapping[str, str]], Awaitable[Document | Refusal]]


_Key = tuple[str, Locale, str | None, int | None, tuple[tuple[str, str], ...]]


class _Page(NamedTuple):
    path: re.Pattern[str]
    template: str
    view: View


PAGES = (
    _Page(re.compile(r""), "workspace.html", workspace.view),
    _Page(re.compile(r"goals/(?P<goal_id>[^/]{1,64})"), "goal.html", goal.view),
    _Page(re.compile(r"history"), "history.html", history.view),
    _Page(re.compile(r"agents"), "agents.html", agents.view),
    _Page(re.compile(r"agents/(?P<agent_id>[^/]{1,80})"), "agent.html", agents.view_one),
    _Page(re.compile(r"compose"), "compose.html", compose.view),
)


@dataclass(frozen=True)
class Made:
    """A page as it was made."""

    status: int
    body: bytes
    seq: int
    at_ms: int
    moving: bool = False
    """Whether it shows what goes on without a commit: then it is good for nobody else."""


class Pages:
    """All pages of one daemon."""

    def __init__(self, service: Service, past: Past, health: Callable[[], Document], pace: Pace) -> None:
        self._pace = pace
        self._service = service
        self._health = health
        self._past = past
        self._kept: dict[_Key, Made] = {}
        self._kept_bytes = 0
        self._known = Known(service)
        self._fragments = Fragments()
        self._erasures = service.erasures
        self._proving = Proving(service)

    def close(self) -> None:
        """Nobody reads them any longer."""
        self._proving.close()

    async def page(self, asked: Asked, *, following: bool) -> Made:
        """The page at an address; a place where there is none is answered by a page that says so."""
        key = (asked.path, asked.locale, asked.theme, asked.at, tuple(sorted(asked.query.items())))
        self._forget_erased()
        found, now_s = self._kept.get(key), asyncio.get_running_loop().time()
        if found is not None and self._holds(found, waits=following and not self._pace.may_make(now_s)):
            return found
        erasures = self._service.erasures
        with self._pace.making(now_s) if following else nullcontext():
            made = await self._make(asked)
        if erasures != self._service.erasures:
            # Words that were erased meanwhile may be in it, and in what was kept on the way.
            self._forget()
            return await self.page(asked, following=following)
        self._keep(key, made)
        return made

    def _keep(self, key: _Key, made: Made) -> None:
        """Keep a page in the place of its last one; those that were made longest ago go."""
        before = self._kept.pop(key, None)
        self._kept_bytes += len(made.body) - (0 if before is None else len(before.body))
        self._kept[key] = made
        while len(self._kept) > KEPT_MAX or self._kept_bytes > KEPT_BYTES_MAX:
            self._kept_bytes -= len(self._kept.pop(next(iter(self._kept))).body)

    def _holds(self, made: Made, *, waits: bool) -> bool:
        """Whether it is true now, or nearly so where its reader waits for a turn."""
        service = self._service
        age_ms = service.clock.now_ms() - made.at_ms
        if made.moving:
            return False
        if waits and age_ms < FOLLOWING_AGE_MS_MAX:
            return True
        return made.seq == service.committed.seq and age_ms < UNCHANGED_AGE_MS_MAX

    def _forget_erased(self) -> None:
        """Words that were erased are on no page that is kept."""
        if self._erasures != self._service.erasures:
            self._forget()
            self._erasures = self._service.erasures

    def _forget(self) -> None:
        self._kept.clear()
        self._kept_bytes = 0
        self._known.forget()
        self._fragments.forget()

    async def _make(self, asked: Asked) -> Made:
        seq, at_ms = self._service.committed.seq, self._service.clock.now_ms()
        page, names = _find(asked.path)
        frame = self._frame(asked, at_ms)
        if page is None:
            nowhere = {"code": "no_such_page", "message": say("page.bad_address", asked.locale), "hint": ""}
            return Made(404, draw("refused.html", {**frame, **nowhere}, asked, self._fragments), seq, at_ms)
        reads = Reads(self._service, self._past, self._known, self._proving, asked.locale, asked.at)
        made = await page.view(reads, asked, names)
        if isinstance(made, Refusal):
            body = draw("refused.html", {**frame, **refusal_context(made, asked.locale)}, asked, self._fragments)
            return Made(made.status.http_status, body, seq, at_ms)
        body = draw(page.template, {**frame, **made}, asked, self._fragments)
        return Made(cast("int", made.get("http_status", 200)), body, seq, at_ms, moving=made.get("moving") is True)

    def _frame(self, asked: Asked, now_ms: int) -> Document:
        """What stands on every page: which ledger this is, as of which event, and how it is."""
        service = self._service
        committed = service.committed
        named = filtered(committed, CALLER, Params(), {"workspace": {"name": committed.name}})
        assert not isinstance(named, Refusal), "it was made here"
        return {
            "ledger": {
                "name": as_map(named["workspace"])["name"],
                "seq": committed.seq,
                "short_hash": committed.hash[:SHORT_HASH_BYTES].hex(),
                "event_at": rfc3339(committed.at_ms),
                "made_at": rfc3339(now_ms // 1_000 * 1_000),
                "writable": service.writable,
            },
            "health": self._health(),
            "at": asked.at,
        }


def _find(path: str) -> tuple[_Page | None, Mapping[str, str]]:
    for page in PAGES:
        found = page.path.fullmatch(path)
        if found is not None:
            return page, found.groupdict()
    return None, {}
