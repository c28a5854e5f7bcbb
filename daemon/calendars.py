"""Calendars: when a schedule is due in its time zone, and whether it is quiet there now.

The ledger keeps five fields and the name of a zone; what they come to takes a zone table and a calendar, and those are
here. A zone that is in no table is refused before it is queued. In a schedule that stands, the trigger of apscheduler
says the next time; an hour that the clocks show twice counts once, and a time that they leave out comes as much later
as they were put forward.
"""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from ledger.parts.summaries import QuietHours, Schedule
from ledger.rules.common import refuse
from ledger.rules.cron import DAYS, fields_of
from ledger.rules.digest_schedules import ScheduleRefusal
from ledger.rules.summary_params import SetDigest, SetQuietHours
from ledger.writer import Keep, Request

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

TIMES_AT_ONCE_MAX: Final = 2_000
"""Missed times that are gone through one by one; of a schedule with more of them the last week is enough."""
LEFT_OUT_MAX: Final = timedelta(hours=3)
"""More than clocks are put forward by: a time that they leave out may lie so far behind what they show."""
FAR_MS: Final = 8 * 86_400_000


def checked(request: Request | Keep) -> Request | Keep:
    """The same command, refused where its time zone is none."""
    if isinstance(request, Keep) or request.refused is not None:
        return request
    params = request.params
    if not isinstance(params, SetDigest | SetQuietHours) or params.off or is_zone(params.time_zone):
        return request
    return replace(request, refused=refuse(ScheduleRefusal.TIME_ZONE_UNKNOWN, time_zone=params.time_zone))


def latest_due(one: Schedule, now_ms: int) -> int | None:
    """The last time of a schedule that has come and was not decided on: however many were missed, it stands for all."""
    last_ms = one.at_ms if one.due_at_ms is None else one.due_at_ms
    found: int | None = None
    for _ in range(TIMES_AT_ONCE_MAX):
        due_ms = next_due(one, last_ms)
        if due_ms is None or due_ms > now_ms:
            return found
        found = last_ms = due_ms
    return latest_due(replace(one, due_at_ms=max(last_ms, now_ms - FAR_MS)), now_ms) or found


def next_due(one: Schedule, after_ms: int) -> int | None:
    """The first time of a schedule after a moment."""
    zone = _zone(one.time_zone)
    # The trigger counts on a clock that is never put forward or back: on one that is, it passes over whole days.
    trigger = _trigger(one.cron)
    shown = datetime.fromtimestamp(after_ms / 1000, zone).replace(tzinfo=UTC, fold=0) - LEFT_OUT_MAX
    while (found := trigger.get_next_fire_time(None, shown)) is not None:
        due_ms = int(found.replace(tzinfo=zone).timestamp()) * 1000
        if due_ms > after_ms:
            return due_ms
        shown = found + timedelta(seconds=1)
    return None


def is_quiet(hours: Schedule | QuietHours, now_ms: int) -> bool:
    """Whether these are quiet hours; those that begin later in the day than they end go over midnight."""
    begin, end = hours.quiet_from, hours.quiet_until
    if begin is None or end is None:
        return False
    there = datetime.fromtimestamp(now_ms / 1000, _zone(hours.time_zone))
    minute = there.hour * 60 + there.minute
    return begin <= minute < end if begin < end else minute >= begin or minute < end


def is_zone(name: str) -> bool:
    """Whether there is a time zone of this name."""
    try:
        _zone(name)
    except (ValueError, OSError):
        return False
    return True


@cache
def _zone(name: str) -> ZoneInfo:
    """The zone of this name. Raises ValueError or OSError; ZoneInfoNotFoundError is a KeyError, and made one here."""
    try:
        return ZoneInfo(name)
    except KeyError as error:
        raise ValueError(f"no zone {name}") from error


@cache
def _trigger(cron: str) -> "CronTrigger":
    # A tenth of a second of imports that only those pay for who have a schedule.
    from apscheduler.triggers.cron import CronTrigger  # noqa: PLC0415

    fields = fields_of(cron)
    days = ",".join(DAYS[value] for value in fields["day_of_week"])
    listed = {name: ",".join(map(str, values)) for name, values in fields.items() if name != "day_of_week"}
    return CronTrigger(**listed, day_of_week=days, second=0, timezone=UTC)
