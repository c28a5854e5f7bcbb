"""Five fields that say when: minute, hour, day, month and day of the week.

What cannot be read, never comes or comes too often is found out here, from the fields alone; when a schedule is due is
a matter of zones and calendars, which the ledger has none of. Days of the week count from Sunday, which is 0 and 7. The
day of the month and the day of the week exclude each other, because programs differ in what both together mean.
"""

from collections.abc import Mapping, Sequence
from typing import Final

MINUTES_BETWEEN_MIN: Final = 60
DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FIELDS: Final = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("day_of_week", 0, 7))


class CronError(ValueError):
    """Five fields that cannot be read; says which and why."""


def fields_of(cron: str) -> Mapping[str, Sequence[int]]:
    """The values that each field allows. Raises CronError."""
    given = cron.lower().split()
    if len(given) != len(_FIELDS):
        raise CronError(f"{len(given)} fields instead of {len(_FIELDS)}")
    fields = {name: _values(name, text, low, high) for text, (name, low, high) in zip(given, _FIELDS, strict=True)}
    if given[2] != "*" and given[4] != "*":
        raise CronError("day and day of the week exclude each other: one of them must be *")
    fields["day_of_week"] = sorted({value % 7 for value in fields["day_of_week"]})
    return fields


def ever_comes(fields: Mapping[str, Sequence[int]]) -> bool:
    """Whether any of the months has any of the days."""
    return any(day <= _LONGEST[month - 1] for month in fields["month"] for day in fields["day"])


def comes_too_often(fields: Mapping[str, Sequence[int]]) -> bool:
    """Whether two times are less than an hour apart."""
    return len(fields["minute"]) > 1


def _values(name: str, text: str, low: int, high: int) -> list[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, by = part.partition("/")
        step = _number(name, by, 1, high) if "/" in part else 1
        first, dash, last = span.partition("-")
        if span == "*":
            begin, end = low, high if name != "day_of_week" else high - 1
        else:
            begin = _number(name, first, low, high)
            end = _number(name, last, low, high) if dash else high if "/" in part else begin
        if end < begin:
            raise CronError(f"{name}: {span} ends before it begins")
        found.update(range(begin, end + 1, step))
    return sorted(found)


def _number(name: str, text: str, low: int, high: int) -> int:
    named = {"month": MONTHS, "day_of_week": DAYS}.get(name, ())
    if text in named:
        return named.index(text) + low
    if not text.isascii() or not text.isdigit() or len(text) > 2 or not low <= int(text) <= high:
        raise CronError(f"{name}: {text or 'nothing'} is not a number from {low} to {high}")
    return int(text)
