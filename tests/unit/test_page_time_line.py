"""The picture of leases over time: terms from events, and bars that stand where the terms say."""

import pytest

from daemon.web.lease_terms import moment_ms, terms_of
from daemon.web.time_line import RIGHT, ROWS_MAX, TERMS_MAX, TICKS_MAX, WIDE, time_line
from ledger.text.times import rfc3339
from tests.unit.pictures_drawn import drawn, of_class, read

DAY_MS = moment_ms("2026-06-20T00:00:00Z")


def at(minutes):
    """A moment, minutes into the day."""
    return rfc3339(DAY_MS + int(minutes * 60_000))


def event(seq, minutes, kind, todo="todo_1", goal="docs", actor="agent_one", **lease):
    """An event of `history.list`, as far as it is read; the moments of the lease are minutes."""
    moments = {key: at(value) for key, value in lease.items() if key.endswith("_at")}
    part = {"todo_id": todo, "owner": None, "from_owner": None, "lease_epoch": None, "version": seq} | lease | moments
    empty = {"expires_at": None, "ended_at": None}
    return {"seq": seq, "at": at(minutes), "kind": f"lease.{kind}", "goal_id": goal, "actor": actor,
            "lease": empty | part}  # fmt: skip


def acquired(seq, minutes, owner, epoch, until, **more):
    return event(seq, minutes, "acquired", owner=owner, lease_epoch=epoch, expires_at=until, **more)


def told(events, now, **more):
    """Terms as rows: who, epoch, how begun, from, to, how ended."""
    return [
        (term.owner, term.lease_epoch, term.begun, *((ms - DAY_MS) / 60_000 for ms in (term.begun_ms, term.last_ms)),
         term.ended)
        for term in terms_of(events, at(now), **more)
    ]  # fmt: skip


FIRST = acquired(1, 0, "agent_one", 1, 45)
COURSES = {
    "it runs": ([FIRST], 30, [("agent_one", 1, "acquired", 0, 45, "running")]),
    "it is over at its end to the millisecond": ([FIRST], 45, [("agent_one", 1, "acquired", 0, 45, "expired")]),
    "it is over though nothing was written": ([FIRST], 300, [("agent_one", 1, "acquired", 0, 45, "expired")]),
    "its end was written late": (
        [FIRST, event(2, 90, "expired", owner="agent_one", lease_epoch=1, ended_at=45)], 300,
        [("agent_one", 1, "acquired", 0, 45, "expired")],
    ),
    "it was renewed": (
        [FIRST, event(2, 30, "renewed", expires_at=75)], 60, [("agent_one", 1, "acquired", 0, 75, "running")],
    ),
    "it was given back": (
        [FIRST, event(2, 20, "released", ended_at=20)], 60, [("agent_one", 1, "acquired", 0, 20, "released")],
    ),
    "it was given back after its end": (
        [FIRST, event(2, 50, "released", ended_at=50)], 60, [("agent_one", 1, "acquired", 0, 45, "expired")],
    ),
    "it was passed on": (
        [FIRST, event(2, 20, "transferred", owner="agent_two", from_owner="agent_one", lease_epoch=2, expires_at=65)],
        30,
        [("agent_one", 1, "acquired", 0, 20, "transferred"), ("agent_two", 2, "transferred", 20, 65, "running")],
    ),
    "another took it over": (
        [FIRST, event(2, 50, "expired", owner="agent_one", lease_epoch=1, ended_at=45),
         acquired(3, 60, "agent_two", 2, 105)], 70,
        [("agent_one", 1, "acquired", 0, 45, "expired"), ("agent_two", 2, "taken_over", 60, 105, "running")],
    ),
    "its holder acquired it again": (
        [FIRST, event(2, 20, "released", ended_at=20), acquired(3, 30, "agent_one", 2, 75)], 40,
        [("agent_one", 1, "acquired", 0, 20, "released"), ("agent_one", 2, "acquired", 30, 75, "running")],
    ),
    "what was read begins in the middle": (
        [event(7, 10, "renewed", expires_at=55)], 20, [("agent_one", None, "earlier", 10, 55, "running")],
    ),
    "all that was read is an end by another": (
        [event(7, 10, "released", actor="ann", ended_at=10)], 20, [("", None, "earlier", 10, 10, "released")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("course", COURSES)
def test_events_tell_who_held_it_from_when_to_when(course):
    events, now, terms = COURSES[course]
    assert told(events, now) == terms
    assert told(reversed(events), now) == terms


def test_terms_of_one_holder_are_told_apart_by_todo_and_goal():
    events = [FIRST, acquired(2, 5, "agent_two", 1, 50, goal="other"), acquired(3, 6, "agent_one", 1, 51, goal="third")]
    assert [row[0] for row in told(events, 10)] == ["agent_one", "agent_two", "agent_one"]
    assert {row[2] for row in told(events, 10)} == {"acquired"}
    assert told(events, 10, owner="agent_two") == [("agent_two", 1, "acquired", 5, 50, "running")]
    assert told([{**FIRST, "kind": "todo.claimed", "lease": None}], 10) == []


def line(events, now):
    return time_line(terms_of(events, at(now)), at(now))


def test_a_bar_stands_where_its_moments_are_and_what_lies_ahead_is_told_apart():
    drawing = line(
        [FIRST, event(2, 30, "renewed", expires_at=90), acquired(3, 60, "agent_two", 1, 105, todo="todo_2")], 70
    )
    (second, later), (first, earlier) = ((row, row.bars[0]) for row in drawing.rows)
    assert (second.todo_id, first.todo_id) == ("todo_2", "todo_1")
    minute = (later.x - earlier.x) / 60
    assert earlier.long == pytest.approx(90 * minute, abs=2)
    assert earlier.ahead == pytest.approx(20 * minute, abs=2)
    assert drawing.now_x == pytest.approx(earlier.x + 70 * minute, abs=2)
    assert earlier.ticks == (pytest.approx(earlier.x + 30 * minute, abs=2),)
    assert (earlier.begun_at, earlier.last_at, earlier.renewed_at) == (at(0), at(90), at(30))
    assert line([FIRST], 50).rows[0].bars[0].ahead == 0


def test_a_holder_is_named_in_the_bar_or_beside_it_and_never_over_another_bar():
    drawing = line([FIRST, acquired(2, 2_000, "agent_two", 2, 2_010), acquired(3, 2_011, "agent_three", 3, 2_650),
                    acquired(4, 3_250, "agent_four", 4, 3_260)], 3_260)  # fmt: skip
    bars = drawing.rows[0].bars
    assert [bar.words for bar in bars] == ["agent_one", "agent_two", "agent_three", "agent_four"]
    assert [bar.words_at for bar in bars] == ["right", "left", "inside", "left"]
    tree = read(drawn("lines.time_line(line)", line=drawing))
    assert {one.text.strip() for one in of_class(tree, "owner")} == {bar.words for bar in bars}
    crowd = line([acquired(at, at, "agent_one", at, at + 1) for at in range(1, 120)], 119)
    assert {bar.words for bar in crowd.rows[0].bars[:-1]} == {""}


@pytest.mark.parametrize(
    ("minutes", "first", "step"),
    [
        (0.1, "00:00:00", 2),
        (1, "00:00:00", 10),
        (45, "00:00", 600),
        (200, "00:00", 1_800),
        (1_440, "00:00", 6 * 3_600),
        (10_000, "2026-06-20", 86_400),
        (400_000, "2026-07-23", 91 * 86_400),
    ],
)
def test_the_axis_has_a_few_round_moments(minutes, first, step):
    drawing = line([acquired(1, 0, "agent_one", 1, minutes)], minutes)
    moments = [moment_ms(tick.at) for tick in drawing.ticks]
    assert (drawing.ticks[0].words, moments[1] - moments[0]) == (first, step * 1_000)
    assert 3 <= len(moments) <= TICKS_MAX
    assert all(moment % (step * 1_000) == 0 for moment in moments)
    assert [tick.day for tick in drawing.ticks].count("2026-06-20") == (step < 86_400)


def test_what_was_over_long_ago_is_shown_without_now():
    assert line([FIRST], 50).now_x is not None
    assert line([FIRST], 5_000).now_x is None
    assert line([FIRST], 5_000).rows[0].bars[0].long > WIDE / 2


def test_more_leases_than_a_picture_holds_are_counted_and_the_latest_are_shown():
    events = [acquired(at, at, "agent_one", 1, at + 45, todo=f"todo_{at}") for at in range(1, 200)]
    drawing = line(events, 300)
    assert [row.todo_id for row in drawing.rows] == [f"todo_{at}" for at in range(199, 199 - ROWS_MAX, -1)]
    assert drawing.left_out == 199 - ROWS_MAX
    again = [part for at in range(150) for part in (
        acquired(2 * at + 1, 2 * at, "agent_one", at + 1, 2 * at + 1),
        event(2 * at + 2, 2 * at + 1, "released", ended_at=2 * at + 1),
    )]  # fmt: skip
    assert len(line(again, 400).bars) == TERMS_MAX
    assert line(again, 400).left_out == 150 - TERMS_MAX


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_the_drawing_is_sound_and_its_table_says_the_same(locale):
    events = [event for events, _, _ in COURSES.values() for event in events]
    events = [{**event, "seq": at, "goal_id": f"goal_{at % 3}"} for at, event in enumerate(events)]
    drawing = line(events, 70)
    html = drawn("lines.time_line(line)", locale, line=drawing)
    assert html == drawn("lines.time_line(line)", locale, line=line(events, 70))
    tree = read(html)
    shown = sum(len(row.bars) for row in drawing.rows)
    lines = [one for one in tree.iter("tr") if one.get("data-ended")]
    assert len(lines) == shown
    for row in drawing.rows:
        assert all(bar.long >= 30 and bar.x + bar.long <= WIDE - RIGHT + 30 for bar in row.bars)
    assert not any(key == "style" for one in tree.iter() for key in one.attrib)
    assert len(of_class(tree, "now")) == 1
    bars = [one for one in of_class(tree, "bar") if one.get("data-owner") is not None]
    assert all(bar.find("title").text.startswith("goal_") for bar in bars), "todos of several goals are told apart"
    assert len(bars) == shown


def test_no_leases_are_no_picture():
    assert of_class(read(drawn("lines.time_line(line)", line=line([], 0))), "empty")
