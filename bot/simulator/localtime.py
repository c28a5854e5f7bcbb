"""`<local_datetime>`: a moment shown in the reader's zone and language, in the platform's formats."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.simulator.model import Language

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS_ZH = "一二三四五六日"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def zone(name: str) -> tzinfo:
    """A time zone by name; UTC on a machine that does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def local_datetime(at_ms: int, form: str, language: Language, timezone: str) -> str:
    """The moment in one of the platform's eight formats; an unknown one is `date_num`, as there."""
    at = datetime.fromtimestamp(at_ms / 1000, zone(timezone))
    chinese = language == "zh_cn"
    day = at.weekday()
    match form:
        case "date_short":
            return f"{at.month}月{at.day}日" if chinese else f"{_MONTHS[at.month - 1]} {at.day}"
        case "date":
            return f"{at.year}年{at.month}月{at.day}日" if chinese else f"{_MONTHS[at.month - 1]} {at.day}, {at.year}"
        case "week":
            return f"星期{_WEEKDAYS_ZH[day]}" if chinese else _WEEKDAYS[day]
        case "week_short":
            return f"周{_WEEKDAYS_ZH[day]}" if chinese else _WEEKDAYS[day][:3]
        case "time":
            return f"{at:%H:%M}"
        case "time_sec":
            return f"{at:%H:%M:%S}"
        case "timezone":
            minutes = int((at.utcoffset() or at - at).total_seconds()) // 60
            return f"GMT{'-' if minutes < 0 else '+'}{abs(minutes) // 60}:{abs(minutes) % 60:02d}"
        case _:
            return f"{at:%Y-%m-%d}"
