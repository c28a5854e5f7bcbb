"""`frontstage lark doctor`: looks at everything between the platform and the bot, changes nothing, and says what to do.

It runs in a process of its own beside the bot, asks the platform as the app (`lark_asking`) and the daemon for what the
bot last said of itself. What was found about the ledger's own machine is handed over by the command line, which alone
may look there. Exit code 0: nothing failed (which is not: everything is known); 1: something did.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot import lark_checks as checks
from bot.backend import BackendFault
from bot.clock import SystemClock
from bot.config import ConfigError, bot_token, lark_settings, load
from bot.daemon_backend import open_backend
from bot.lark import LarkFault, LarkFaultKind
from bot.lark_asking import Asking, open_asking
from bot.lark_checks import Line
from bot.lark_config_file import has_lark, read_text
from bot.lark_log import silence_sdk
from bot.lark_settings import LarkSettings
from bot.routes import slot_goal
from daemon.aclient import AsyncClient
from daemon.wire import WireFault
from ledger.text.say import LOCALES, Locale, one_line

CHATS_MAX: Final = 50
BESIDE_CHARS_MAX: Final = 20_000
DAEMON_MS_MAX: Final = 5_000
EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
_GONE_CODES: Final = frozenset({232006, 232009, 232011})


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What the daemon says: the bot's health, and the goals by the chat in which their cards are wanted."""

    bot: Mapping[str, object] | None = None
    chats: Mapping[str, tuple[str, ...]] | None = None


def main() -> int:
    """Look at everything; the exit code says whether something failed."""
    given = _arguments().parse_args()
    locale: Locale = given.locale
    silence_sdk()
    lines = asyncio.run(examine(Path(given.home), given.socket))
    beside = read_beside(given.beside)
    failed = any(line.state == "fail" for line in lines) or any(one["state"] == "fail" for one in beside)
    rows = [*(_row(line, locale) for line in lines), *beside]
    if given.json:
        qualified = any(line.subject == "callback" and line.state == "ok" for line in lines)
        document = {
            "schema_version": "frontstage_lark_doctor_v1",
            "ok": not failed,
            "qualified": qualified,
            "findings": rows,
        }
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(shown(rows))
    return EXIT_FAILED if failed else EXIT_OK


async def examine(home: Path, socket: str) -> list[Line]:
    """Every check in order."""
    try:
        if not has_lark(read_text(home)):
            return [Line(subject="settings", state="fail", key="settings.none", parts={})]
        settings = lark_settings(home, load(home).lark)
    except ConfigError as error:
        return [Line(subject="settings", state="fail", key="settings.bad", parts={"reason": str(error)})]
    told = await _ask_daemon(home, socket)
    clock = SystemClock()
    async with open_asking(
        domain=settings.domain,
        app_id=settings.app_id,
        app_secret=settings.app_secret,
        wall_ms=clock.now_ms,
        steady_ms=clock.steady_ms,
    ) as asking:
        lines = await _ask_platform(asking, settings, told)
    by_webhook = settings.webhook is not None
    bot = told.bot or {}
    seen, called_ms = bot.get("events_seen"), bot.get("last_callback_at_ms")
    return [
        *lines,
        checks.clock(asking.skew_ms, by_webhook=by_webhook),
        checks.running(told.bot),
        *checks.subscriptions(
            [str(one) for one in seen] if isinstance(seen, list) else (),
            called_ms if isinstance(called_ms, int) else None,
            proven=bot.get("callback_proven") is True,
        ),
    ]


async def _ask_platform(asking: Asking, settings: LarkSettings, told: Told) -> list[Line]:
    refused = await _fault_of(asking.credentials)
    lines = [checks.credentials(refused, settings.domain)]
    if settings.webhook is None and (refused is None or refused.kind is not LarkFaultKind.FATAL):
        lines += checks.connection(await _fault_of(asking.long_connection), settings.domain)
    if refused is not None:
        # Without a token nothing else can be asked; nothing of it is thereby known.
        return [*lines, checks.bot_ability(refused), *checks.scopes(None), checks.chats_unknown()]
    try:
        found = await asking.scopes()
    except LarkFault:
        found = None
    return [
        *lines,
        checks.bot_ability(await _fault_of(asking.bot_is_on)),
        *checks.scopes(found),
        await _ask_chats(asking, told),
    ]


async def _ask_chats(asking: Asking, told: Told) -> Line:
    if told.chats is None:
        return checks.chats_unknown()
    out: set[str] = set()
    unasked = max(0, len(told.chats) - CHATS_MAX)
    for chat_id in sorted(told.chats)[:CHATS_MAX]:
        try:
            is_in = await asking.is_in_chat(chat_id)
        except LarkFault as fault:
            if fault.kind is not LarkFaultKind.CHAT_LOST and fault.code not in _GONE_CODES:
                unasked += 1
                continue
            is_in = False
        if not is_in:
            out.update(told.chats[chat_id])
    return checks.chats(len(told.chats), sorted(out), unasked)


async def _ask_daemon(home: Path, socket: str) -> Told:
    """What the daemon says; whatever it does not say stays unknown."""
    try:
        token = bot_token(home)
        async with AsyncClient(socket, token, surface="http", answer_ms_max=DAEMON_MS_MAX) as client:
            body = (await client.get("/healthz")).body
            bot = body.get("bot")
        async with open_backend(socket, token) as backend:
            slots = (await backend.slots()).slots
    except (ConfigError, WireFault, BackendFault):
        return Told()
    chats: dict[str, set[str]] = {}
    for slot in slots:
        if slot.receive_id_type == "chat_id":
            chats.setdefault(slot.chat_id, set()).add(slot_goal(slot.slot) or "*")
    return Told(
        bot=bot if isinstance(bot, dict) else None,
        chats={chat_id: tuple(sorted(goals)) for chat_id, goals in chats.items()},
    )


async def _fault_of(ask: Callable[[], Awaitable[object]]) -> LarkFault | None:
    try:
        await ask()
    except LarkFault as fault:
        return fault
    return None


def read_beside(text: str) -> list[dict[str, str]]:
    """What the command line found out beside us: rows with the same fields as ours."""
    names = ("subject", "state", "said", "means", "next")
    found = json.loads(text[:BESIDE_CHARS_MAX]) if text else []
    return [{name: str(row.get(name, "")) for name in names} for row in found]


def _row(line: Line, locale: Locale) -> dict[str, str]:
    return {
        "subject": line.subject,
        "state": line.state,
        "said": line.said(locale),
        "means": line.means(locale),
        "next": line.step(locale),
    }


def shown(rows: Sequence[Mapping[str, str]]) -> str:
    """The lines as a person reads them; what several of one subject mean alike stands once, under the last."""
    text = ""
    for row, after in zip(rows, [*rows[1:], {}], strict=True):
        text += f"{row['state']:<8} {row['subject']:<12} {one_line(row['said'])}\n"
        if all(row[name] == after.get(name) for name in ("subject", "state", "means", "next")):
            continue
        for name, sign in (("means", "   "), ("next", "-> ")):
            if row[name]:
                text += f"{'':<22}{sign}{one_line(row[name])}\n"
    return text


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.lark_doctor")
    parser.add_argument("--home", required=True)
    parser.add_argument("--socket", default=os.environ.get("FRONTSTAGE_SOCKET", ""))
    parser.add_argument("--locale", choices=LOCALES, default="en")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--beside", default="", help="rows that the command line found out, as JSON")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
