"""What `frontstage lark doctor` makes of what it found out: pure functions from facts to lines.

A line has one of four states. `ok` and `fail` are known; `warn` works and somebody should know; `unknown` is what
cannot be asked, and is never shown as if it were good: that a permission was granted, an event subscribed to or a
callback configured counts only when the platform says so or when one has arrived.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_endpoint import CODE_WRONG_DOMAIN
from bot.lark_needs import NEEDS
from bot.lark_seal import WINDOW_MS
from ledger.text.say import Locale, say

State = Literal["ok", "warn", "fail", "unknown"]
CODE_APP_ID: Final = 10003
CODE_APP_SECRET: Final = 10014
CODE_BOT_OFF: Final = 230006
CLOCK_MS_MAX: Final = 30_000
GOALS_SHOWN_MAX: Final = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One thing that was looked at; its words are those of `key`."""

    subject: str
    state: State
    key: str
    parts: Mapping[str, str] = field(default_factory=dict)

    def said(self, locale: Locale) -> str:
        """What was found."""
        return say(f"lark.doctor.{self.key}", locale, **self._parts(locale))

    def means(self, locale: Locale) -> str:
        """What that means; empty where nothing is wrong."""
        return "" if self.state == "ok" else say(f"lark.doctor.{self.key}.means", locale, **self._parts(locale))

    def step(self, locale: Locale) -> str:
        """What to do next; empty where nothing is to be done."""
        return "" if self.state == "ok" else say(f"lark.doctor.{self.key}.next", locale, **self._parts(locale))

    def _parts(self, locale: Locale) -> dict[str, str]:
        # What a permission is for is a sentence itself.
        return {name: say(part, locale) if name == "why" else part for name, part in self.parts.items()}


def credentials(fault: LarkFault | None, domain: str) -> Line:
    """Whether the platform takes the app's id and secret."""
    if fault is None:
        return Line(subject="credentials", state="ok", key="credentials.ok", parts={"domain": domain})
    if fault.code in (CODE_APP_ID, CODE_APP_SECRET):
        key = "credentials.app_id" if fault.code == CODE_APP_ID else "credentials.secret"
        return Line(subject="credentials", state="fail", key=key, parts={"domain": domain})
    if fault.code:
        return Line(subject="credentials", state="fail", key="credentials.refused", parts={"code": str(fault.code)})
    return Line(subject="credentials", state="unknown", key="credentials.unreachable", parts={"domain": domain})


def connection(fault: LarkFault | None, domain: str) -> list[Line]:
    """Whether the platform would connect this app, which also tells whether it lives on this domain."""
    if fault is None:
        return [
            Line(subject="domain", state="ok", key="domain.ok", parts={"domain": domain}),
            Line(subject="connection", state="ok", key="connection.ok"),
        ]
    if fault.code == CODE_WRONG_DOMAIN:
        return [Line(subject="domain", state="fail", key="domain.other", parts={"domain": domain})]
    if fault.kind is LarkFaultKind.FATAL:
        return [Line(subject="connection", state="fail", key="connection.refused", parts={"code": str(fault.code)})]
    return [Line(subject="connection", state="unknown", key="connection.unknown")]


def bot_ability(fault: LarkFault | None) -> Line:
    """Whether the app has a bot."""
    if fault is None:
        return Line(subject="bot", state="ok", key="bot.ok")
    state: State = "fail" if fault.code == CODE_BOT_OFF else "unknown"
    return Line(subject="bot", state=state, key="bot.off" if state == "fail" else "bot.unknown")


def scopes(found: Mapping[str, bool] | None) -> list[Line]:
    """One line for each permission; None: the platform does not tell us."""
    lines = []
    for need in (one for one in NEEDS if one.kind == "scope"):
        parts = {"name": need.name, "why": need.why}
        if found is None:
            lines.append(Line(subject="scope", state="unknown", key="scope.unknown", parts=parts))
        elif found.get(need.name):
            lines.append(Line(subject="scope", state="ok", key="scope.ok", parts=parts))
        else:
            state: State = "warn" if need.optional else "fail"
            lines.append(Line(subject="scope", state=state, key="scope.missing", parts=parts))
    return lines


def subscriptions(seen: Iterable[str], last_callback_at_ms: int | None, *, proven: bool) -> list[Line]:
    """One line for each event and for the presses: proved by one that arrived, and by nothing else."""
    came, lines = frozenset(seen), []
    for need in (one for one in NEEDS if one.kind == "event"):
        state: State = "ok" if need.name in came else "unknown"
        key = "event.ok" if state == "ok" else "event.unknown"
        lines.append(Line(subject="event", state=state, key=key, parts={"name": need.name, "why": need.why}))
    if proven and last_callback_at_ms is not None:
        parts = {"at": shown_time(last_callback_at_ms)}
        return [*lines, Line(subject="callback", state="ok", key="callback.ok", parts=parts)]
    return [*lines, Line(subject="callback", state="unknown", key="callback.unknown")]


def running(told: Mapping[str, object] | None) -> Line:
    """How the bot last said it is; None: the daemon could not be asked."""
    if told is None:
        return Line(subject="running", state="unknown", key="running.daemon")
    if told.get("state") != "up":
        return Line(subject="running", state="warn", key="running.absent")
    if told.get("fatal"):
        return Line(subject="running", state="fail", key="running.fatal", parts={"reason": str(told["fatal"])})
    if told.get("send_fault"):
        return Line(subject="running", state="fail", key="running.mute", parts={"reason": str(told["send_fault"])})
    if not told.get("stream_ready"):
        return Line(subject="running", state="warn", key="running.not_ready")
    at_ms = told.get("last_frame_at_ms")
    parts = {"at": shown_time(at_ms) if isinstance(at_ms, int) else "-", "transport": str(told.get("transport", "ws"))}
    return Line(subject="running", state="ok", key="running.ok", parts=parts)


def chats_unknown() -> Line:
    """Nobody said in which chats cards are wanted, or nothing could be asked of the platform."""
    return Line(subject="chats", state="unknown", key="chats.nobody")


def chats(count: int, out: Sequence[str], unasked: int) -> Line:
    """Whether the bot is in every chat that cards are wanted in; `out` are the goals whose chat it is not in."""
    if out:
        shown = ", ".join(out[:GOALS_SHOWN_MAX]) + ("…" if len(out) > GOALS_SHOWN_MAX else "")
        return Line(subject="chats", state="fail", key="chats.out", parts={"goals": shown, "count": str(len(out))})
    if unasked:
        parts = {"count": str(count), "unasked": str(unasked)}
        return Line(subject="chats", state="unknown", key="chats.unknown", parts=parts)
    key = "chats.ok" if count else "chats.none"
    return Line(subject="chats", state="ok", key=key, parts={"count": str(count)})


def clock(skew_ms: int | None, *, by_webhook: bool) -> Line:
    """How far the platform's clock is from ours; by webhook a request outside its window is refused."""
    if skew_ms is None:
        return Line(subject="clock", state="unknown", key="clock.unknown")
    parts = {"seconds": f"{abs(skew_ms) / 1_000:.0f}"}
    if by_webhook and abs(skew_ms) > WINDOW_MS:
        return Line(subject="clock", state="fail", key="clock.far", parts=parts)
    state: State = "warn" if abs(skew_ms) > CLOCK_MS_MAX else "ok"
    return Line(subject="clock", state=state, key="clock.off" if state == "warn" else "clock.ok", parts=parts)


def shown_time(at_ms: int) -> str:
    """A moment as a person reads it, in the one zone that everybody can convert from."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).strftime("%Y-%m-%d %H:%M UTC")
