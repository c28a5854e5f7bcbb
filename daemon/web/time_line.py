"""The picture of leases over time: a row for each todo, a bar for each holder's time on it.

A function of terms and of the moment that the page is true at. What lies ahead is drawn as what it is: what would be if
nobody did anything. The axis is in UTC and says so; the table under the picture has every moment once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from daemon.web.fitted import cut, cut_front, width_of
from daemon.web.lease_terms import Term, moment_ms
from ledger.text.times import rfc3339

ROWS_MAX = 24
"""Todos of one picture: those whose leases were the latest to change."""
TERMS_MAX = 120
"""Bars of one picture, and lines of its table; the latest."""
RENEWALS_DRAWN_MAX = 60
"""Ticks of one bar, the latest."""
TICKS_MAX = 8
WIDE, NAMES_LONG, RIGHT = 10_000, 1_800, 200
"""Places along the line are ten-thousandths of its width: it takes what there is, and letters stay as they are."""
LEAST_PIXELS = 800
"""The width below which it is scrolled, and that words are fitted for."""
NAME_LETTERS_MAX = 10.4
"""Of a name at the left, which ends at the bars."""
ROW_HIGH, BAR_HIGH, AXIS_HIGH, FOOT = 36, 22, 46, 10
BAR_LONG_MIN = 30
EPOCH_LONG = 7
"""The width of the word for an epoch with its number, in letters."""
LETTER = 13
BAR_ROOM, WORDS_LEAST = 1.8, 3.0
"""What is left free beside a name or in a bar, and what of a name says anything, in letters."""
ROOM_MS = 20
"""A part of this of the time shown is left free at either side."""

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
STEPS_MS = (
    *(_SECOND * step for step in (1, 2, 5, 10, 15, 30)),
    *(_MINUTE * step for step in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * step for step in (1, 2, 3, 6, 12)),
    *(_DAY * step for step in (1, 2, 7, 14, 28, 91, 182, 364)),
)
"""What lies between two ticks of the axis: something that people count in."""


WordsAt = Literal["inside", "right", "left"]


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A term in its place."""

    term: Term
    x: int
    long: int
    ahead: int
    """How much of it lies ahead, at its right end."""
    ticks: tuple[int, ...]
    """Where it was renewed."""
    words: str
    """The holder, as far as it fits."""
    words_at: WordsAt
    """Beside the bar where that is too short for them and there is room."""
    epoch_fits: bool
    """Whether there is room for the epoch behind the holder."""
    begun_at: str
    last_at: str
    renewed_at: str | None
    """The last time."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One todo and who had it."""

    goal_id: str
    todo_id: str
    name: str
    y: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A round moment of the axis."""

    x: int
    at: str
    words: str
    day: str
    """The date, where it is another one than at the tick before."""


@dataclass(frozen=True, kw_only=True)
class TimeLine:
    """The whole picture."""

    high: int
    least: int
    foot: int
    """Where the rows end."""
    rows: tuple[Row, ...] = ()
    ticks: tuple[Tick, ...] = ()
    now_x: int | None = None
    """None where what is shown was over long before now."""
    now_at: str = ""
    left_out: int = 0
    """Terms that are older than what is shown."""
    signs: frozenset[str] = frozenset()

    @property
    def of_several_goals(self) -> bool:
        """Whether a todo has to be told with its goal."""
        return len({row.goal_id for row in self.rows}) > 1

    @property
    def bars(self) -> tuple[tuple[Row, Bar], ...]:
        """All bars, the latest first."""
        pairs = [(row, bar) for row in self.rows for bar in row.bars]
        return tuple(sorted(pairs, key=lambda pair: (pair[1].term.begun_ms, pair[1].term.last_ms), reverse=True))


@dataclass(frozen=True)
class _Scale:
    """From moments to places."""

    first_ms: int
    last_ms: int

    def x(self, at_ms: int) -> int:
        span = max(1, self.last_ms - self.first_ms)
        at = min(max(at_ms, self.first_ms), self.last_ms) - self.first_ms
        return NAMES_LONG + at * (WIDE - NAMES_LONG - RIGHT) // span


def time_line(terms: Sequence[Term], now: str) -> TimeLine:
    """The picture of these terms, as of a moment."""
    now_ms = moment_ms(now)
    latest = sorted(terms, key=lambda term: (term.last_ms, term.begun_ms), reverse=True)[:TERMS_MAX]
    todos = list(dict.fromkeys((term.goal_id, term.todo_id) for term in latest))[:ROWS_MAX]
    shown = [term for term in latest if (term.goal_id, term.todo_id) in set(todos)]
    scale = _scale(shown, now_ms)
    rows = tuple(_row(todo, at, shown, scale, now_ms) for at, todo in enumerate(todos))
    foot = AXIS_HIGH + ROW_HIGH * len(rows)
    return TimeLine(
        high=foot + FOOT,
        least=LEAST_PIXELS,
        foot=foot,
        rows=rows,
        ticks=_ticks(scale) if rows else (),
        now_x=scale.x(now_ms) if scale.first_ms <= now_ms <= scale.last_ms else None,
        now_at=rfc3339(now_ms // _SECOND * _SECOND),
        left_out=len(terms) - len(shown),
        signs=_signs(shown, now_ms),
    )


def _scale(terms: Sequence[Term], now_ms: int) -> _Scale:
    """The time that is shown: all of the terms, and now with them unless it would leave most of the picture empty."""
    first = min((term.begun_ms for term in terms), default=now_ms)
    last = max((term.last_ms for term in terms), default=now_ms)
    if now_ms - last <= max(last - first, _HOUR):
        last = max(last, now_ms)
    room = max(_SECOND, (last - first) // ROOM_MS)
    return _Scale(first - room, last + room)


def _row(todo: tuple[str, str], at: int, terms: Sequence[Term], scale: _Scale, now_ms: int) -> Row:
    own = sorted((term for term in terms if (term.goal_id, term.todo_id) == todo), key=lambda term: term.begun_ms)
    spans = [_span(term, scale) for term in own]
    limits = [(NAMES_LONG, NAMES_LONG), *spans, (WIDE, WIDE)]
    free = [(x - before[1], after[0] - end) for before, (x, end), after in zip(limits, spans, limits[2:], strict=False)]
    return Row(
        goal_id=todo[0],
        todo_id=todo[1],
        name=cut_front(todo[1], NAME_LETTERS_MAX),
        y=AXIS_HIGH + ROW_HIGH * at,
        bars=tuple(_bar(term, span, room, scale, now_ms) for term, span, room in zip(own, spans, free, strict=True)),
    )


def _letters(long: int) -> float:
    """How many letters a length has room for."""
    return long * LEAST_PIXELS / WIDE / LETTER


def _span(term: Term, scale: _Scale) -> tuple[int, int]:
    x = NAMES_LONG if term.begun == "earlier" else scale.x(term.begun_ms)
    return x, max(scale.x(term.last_ms), x + BAR_LONG_MIN)


def _words(term: Term, long: int, left: int, right: int) -> tuple[str, WordsAt]:
    """The holder's name, whole where there is room for it: in the bar, or else beside it."""
    width = width_of(term.owner)
    if _letters(long) - BAR_ROOM < width:
        if _letters(right) - BAR_ROOM >= width:
            return term.owner, "right"
        if _letters(left) - BAR_ROOM >= width:
            return term.owner, "left"
    return (cut(term.owner, _letters(long) - BAR_ROOM) if _letters(long) - BAR_ROOM >= WORDS_LEAST else ""), "inside"


def _bar(term: Term, span: tuple[int, int], free: tuple[int, int], scale: _Scale, now_ms: int) -> Bar:
    x, end = span
    words, words_at = _words(term, end - x, *free)
    room = _letters(end - x) - BAR_ROOM
    return Bar(
        term=term,
        x=x,
        long=end - x,
        ahead=min(end - x, max(0, end - scale.x(now_ms))) if term.ended == "running" else 0,
        ticks=tuple(dict.fromkeys(scale.x(at) for at in term.renewed_ms[-RENEWALS_DRAWN_MAX:])),
        words=words,
        words_at=words_at,
        epoch_fits=term.lease_epoch is not None and words_at == "inside" and room - width_of(words) > EPOCH_LONG,
        begun_at=rfc3339(term.begun_ms),
        last_at=rfc3339(term.last_ms),
        renewed_at=rfc3339(term.renewed_ms[-1]) if term.renewed_ms else None,
    )


def _ticks(scale: _Scale) -> tuple[Tick, ...]:
    """Round moments, no more of them than can be read."""
    span = scale.last_ms - scale.first_ms
    step = next((step for step in STEPS_MS if span // step < TICKS_MAX), span)
    first = -(-scale.first_ms // step) * step
    ticks: list[Tick] = []
    day = ""
    for at_ms in range(first, scale.last_ms + 1, step):
        at = rfc3339(at_ms)
        words = at[:10] if step >= _DAY else at[11:16] if step >= _MINUTE else at[11:19]
        new_day = at[:10] if step < _DAY and at[:10] != day else ""
        ticks.append(Tick(x=scale.x(at_ms), at=at, words=words, day=new_day))
        day = at[:10]
    return tuple(ticks)


def _signs(terms: Sequence[Term], now_ms: int) -> frozenset[str]:
    """What the key of the picture has to tell."""
    found = {f"ended.{'released' if term.ended == 'transferred' else term.ended}" for term in terms} | {
        f"begun.{term.begun}" for term in terms
    }
    if any(term.renewed_ms for term in terms):
        found.add("renewed")
    if any(term.ended == "running" and term.expires_ms > now_ms for term in terms):
        found.add("ahead")
    return frozenset(found)
