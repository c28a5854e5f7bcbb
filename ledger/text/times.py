"""Moments as text: RFC 3339 in UTC, to the second, with milliseconds only where there are any.

Inside, time is whole milliseconds since the epoch. The arithmetic is done on integers here: no clock, no zone
table and no float comes near it.
"""

import functools

_DAY_MS = 86_400_000


@functools.lru_cache(maxsize=512)
def _date(day: int) -> str:
    """The date of a day counted from 1970-01-01, in the calendar of RFC 3339."""
    # Days are counted from 1 March of year 0, so that a leap day is the last of its year.
    era, of_era = divmod(day + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{year:04d}-{month:02d}-{of_year - (153 * from_march + 2) // 5 + 1:02d}"


@functools.lru_cache(maxsize=4096)
def rfc3339(at_ms: int) -> str:
    """`2026-06-20T00:30:00Z`; `…:00.250Z` where the moment is not a whole second."""
    day, rest = divmod(at_ms, _DAY_MS)
    seconds, ms = divmod(rest, 1000)
    tail = f".{ms:03d}Z" if ms else "Z"
    return f"{_date(day)}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{tail}"


def rfc3339_or_none(at_ms: int | None) -> str | None:
    """The moment as text, where there is one."""
    return None if at_ms is None else rfc3339(at_ms)


def short_utc(moment: int | str) -> str:
    """A moment as a person reads it in a line: `2026-06-20 00:30 UTC`. Text must be RFC 3339 in UTC."""
    text = rfc3339(moment) if isinstance(moment, int) else moment
    return f"{text[:10]} {text[11:16]} UTC"


NEAR_MS = 600_000
"""Moments that are no further apart than ten minutes are told apart by their seconds."""


def near_utc(at_ms: int, from_ms: int | None) -> str:
    """A moment as it is read beside another: with seconds where they are near, so that a short span is seen as one."""
    if from_ms is None or abs(at_ms - from_ms) > NEAR_MS:
        return short_utc(at_ms)
    return second_utc(at_ms)


def second_utc(moment: int | str) -> str:
    """A moment to the second: `2026-06-20 00:30:05 UTC`. Text must be RFC 3339 in UTC."""
    text = rfc3339(moment) if isinstance(moment, int) else moment
    return f"{text[:10]} {text[11:19]} UTC"
