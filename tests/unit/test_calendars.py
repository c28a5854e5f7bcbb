"""Calendars: when a schedule is due in its zone, on the days when the clocks change too, and when it is quiet there."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from daemon.calendars import is_quiet, is_zone, latest_due, next_due
from ledger.parts.summaries import Schedule

HOUR_MS = 3_600_000


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000


def schedule(cron: str, zone: str = "Europe/Berlin", since: str = "2026-03-01 00:00", **given: object) -> Schedule:
    hours: dict[str, object] = {"quiet_from": None, "quiet_until": None} | given
    return Schedule(channel_id="oc_1", cron=cron, time_zone=zone, set_by="ann", seq=7, at_ms=ms(since), **hours)


def following(one: Schedule, after: str, count: int) -> list[str]:
    found, at_ms = [], ms(after)
    for _ in range(count):
        due = next_due(one, at_ms)
        assert due is not None
        found.append(datetime.fromtimestamp(due / 1000, UTC).strftime("%m-%d %H:%M"))
        at_ms = due
    return found


@pytest.mark.parametrize(
    ("cron", "zone", "after", "expected"),
    [
        ("0 9 * * 1-5", "Asia/Shanghai", "2026-03-05 00:00", ["03-05 01:00", "03-06 01:00", "03-09 01:00"]),
        ("0 9 * * 0", "UTC", "2026-03-05 00:00", ["03-08 09:00", "03-15 09:00"]),
        # Forward: 02:30 does not exist on the 29th, and comes an hour later by the clock on the wall.
        ("30 2 * * *", "Europe/Berlin", "2026-03-27 12:00", ["03-28 01:30", "03-29 01:30", "03-30 00:30"]),
        # Back: 02:30 comes twice on the 25th, and counts once.
        ("30 2 * * *", "Europe/Berlin", "2026-10-23 12:00", ["10-24 00:30", "10-25 00:30", "10-26 01:30"]),
        ("0 9 29 2 *", "UTC", "2026-03-01 00:00", ["02-29 09:00"]),
    ],
)
def test_the_next_times(cron, zone, after, expected):
    assert following(schedule(cron, zone), after, len(expected)) == expected


@pytest.mark.parametrize("cron", ["0 0 * * *", "30 0 * * *", "30 1 * * *", "30 2 * * *", "0 3 * * *"])
@pytest.mark.parametrize(
    ("zone", "forward", "back"),
    [
        ("Europe/Berlin", (3, 29), (10, 25)),
        ("America/New_York", (3, 8), (11, 1)),
        ("America/Santiago", (9, 6), (4, 5)),
        ("Africa/Cairo", (4, 24), (10, 30)),
        ("Australia/Lord_Howe", (10, 4), (4, 5)),
    ],
)
def test_no_day_is_passed_over_when_the_clocks_change(cron, zone, forward, back):
    for month, day in (forward, back):
        night = datetime(2026, month, day, tzinfo=ZoneInfo(zone))
        # Whoever asks in the gap itself, or in the hour that comes twice, is given a time like everybody.
        for begin in (night - timedelta(days=3), night.astimezone(UTC) + timedelta(hours=2, minutes=10)):
            at, days = int(begin.timestamp()) * 1000, []
            for _ in range(6):
                at = next_due(schedule(cron, zone), at)
                days.append(datetime.fromtimestamp(at / 1000, ZoneInfo(zone)).date())
            assert {later - sooner for sooner, later in pairwise(days)} == {timedelta(days=1)}, days


def test_a_time_that_is_left_out_comes_as_much_later_also_for_who_asks_after_it():
    zone = ZoneInfo("Europe/Berlin")
    after = datetime(2026, 3, 29, 3, 10, tzinfo=zone)
    due = next_due(schedule("30 2 * * *", "Europe/Berlin"), int(after.timestamp()) * 1000)
    assert datetime.fromtimestamp(due / 1000, zone) == datetime(2026, 3, 29, 3, 30, tzinfo=zone)


def test_nine_in_the_morning_stays_nine_on_the_wall():
    one = schedule("0 9 * * *")
    assert following(one, "2026-03-28 12:00", 2) == ["03-29 07:00", "03-30 07:00"]
    assert following(one, "2026-10-24 12:00", 2) == ["10-25 08:00", "10-26 08:00"]


def test_however_many_were_missed_the_last_one_stands_for_all():
    one = schedule("0 9 * * *", "UTC")
    assert latest_due(one, ms("2026-03-01 08:59")) is None
    assert latest_due(one, ms("2026-03-01 09:00")) == ms("2026-03-01 09:00")
    assert latest_due(one, ms("2026-03-20 08:00")) == ms("2026-03-19 09:00")
    hourly = schedule("0 * * * *", "UTC")
    assert latest_due(hourly, ms("2029-03-20 08:30")) == ms("2029-03-20 08:00")


@pytest.mark.parametrize(
    ("begin", "end", "at", "expected"),
    [
        (22, 7, "2026-01-10 20:59", False),
        (22, 7, "2026-01-10 21:00", True),
        (22, 7, "2026-01-11 05:59", True),
        (22, 7, "2026-01-11 06:00", False),
        (12, 13, "2026-01-10 11:30", True),
        (12, 13, "2026-01-10 12:00", False),
        # In summer the same hours are an hour earlier.
        (22, 7, "2026-07-10 20:00", True),
        (22, 7, "2026-07-11 05:00", False),
    ],
)
def test_quiet_hours_go_over_midnight_in_their_own_zone(begin, end, at, expected):
    one = schedule("0 9 * * *", quiet_from=begin * 60, quiet_until=end * 60)
    assert is_quiet(one, ms(at)) is expected


def test_without_hours_it_is_never_quiet():
    assert not any(is_quiet(schedule("0 9 * * *"), hour * HOUR_MS) for hour in range(24))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Asia/Shanghai", True), ("UTC", True), ("Asia/Nowhere", False), ("../etc/passwd", False), ("/etc/passwd", False),
     ("Asia", False), ("", False)],
)  # fmt: skip
def test_a_zone_is_one_that_iana_has(name, expected):
    assert is_zone(name) is expected
