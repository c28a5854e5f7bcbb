"""What is due follows from the state: nothing is forgotten, nothing is done twice."""

from datetime import UTC, datetime

import pytest

from daemon.due import Agenda, Asked, Source
from ledger.codec import decode_event
from ledger.rules.quota import decide_should_run
from tests.support.world import DOCS, World

TTL_MS = 30_000


@pytest.fixture
def world():
    made = World()
    made.activate()
    for todo_id in ("todo_one", "todo_two"):
        made.add(todo_id)
    return made


def recent(world, last=10_000):
    rows = list(world.store.events(0))[-last:]
    return [decode_event(row.body, row.words, row.hash) for row in rows]


def refreshed(agenda, world, last=10_000):
    agenda.refresh(world.state, 0, recent(world, last))
    return agenda


def lapse(todo_id):
    return Asked("task-lease.expire", {"goal_id": DOCS, "todo_id": todo_id})


def test_a_lease_is_due_at_its_end_and_not_a_millisecond_before(world):
    agenda = refreshed(Agenda(), world)
    assert agenda.next_ms() is None
    world.lease("todo_one", ttl_seconds=TTL_MS // 1000)
    refreshed(agenda, world)
    end_ms = world.now_ms + TTL_MS
    assert agenda.next_ms() == end_ms
    assert agenda.take(world.state, end_ms - 1, 10) == []
    assert agenda.take(world.state, end_ms, 10) == [lapse("todo_one")]


def test_a_renewed_or_released_lease_is_due_at_its_new_end_or_never(world):
    agenda = Agenda()
    world.lease("todo_one", ttl_seconds=TTL_MS // 1000)
    refreshed(agenda, world)
    world.now_ms += 10_000
    one = {"goal_id": DOCS, "todo_id": "todo_one", "idempotency_key": "run-1"}
    world.do("builder", "task-lease.renew", **one, expected_version=1)
    assert refreshed(agenda, world).next_ms() == world.goal().due[0][0]
    assert agenda.take(world.state, world.now_ms + TTL_MS - 10_000, 10) == []
    world.do("builder", "task-lease.release", **one, expected_version=2)
    assert refreshed(agenda, world).next_ms() is None


def test_events_that_are_no_longer_in_memory_are_caught_up(world):
    agenda = refreshed(Agenda(), world)
    world.lease("todo_one", ttl_seconds=TTL_MS // 1000)
    world.activate("site")
    for number in range(2):
        world.add(f"todo_more_{number}", "site")
    assert {event.goal_id for event in recent(world, last=2)} == {"site"}
    assert refreshed(agenda, world, last=2).next_ms() == world.now_ms + TTL_MS


def test_an_agenda_that_grew_equals_one_that_is_new(world):
    grown = Agenda()
    for todo_id, seconds in (("todo_one", 60), ("todo_two", 20)):
        world.lease(todo_id, key=todo_id, ttl_seconds=seconds)
        refreshed(grown, world)
    late_ms = world.now_ms + 60_000
    new = refreshed(Agenda(), world)
    assert new.next_ms() == grown.next_ms() == world.now_ms + 20_000
    assert (
        grown.take(world.state, late_ms, 10)
        == new.take(world.state, late_ms, 10)
        == [lapse("todo_two"), lapse("todo_one")]
    )
    assert len(grown.take(world.state, late_ms, 1)) == 1


def test_what_is_done_twice_is_recorded_once(world):
    world.lease("todo_one", ttl_seconds=TTL_MS // 1000)
    world.now_ms += 10 * TTL_MS
    (asked,) = refreshed(Agenda(), world).take(world.state, world.now_ms, 10)
    first = world.ask("daemon", asked.action, **asked.params)
    again = world.ask("daemon", asked.action, **asked.params)
    assert len(first.events) == 1
    assert (again.events, again.refusal) == ((), None) or again.refusal is not None
    assert refreshed(Agenda(), world).take(world.state, world.now_ms, 10) == []


def test_each_source_has_a_say(world):
    sources = (
        Source("late", lambda _w, _g: 500, lambda _w, _g, now_ms: [Asked("late", {})] if now_ms >= 500 else []),
        Source("soon", lambda _w, _g: 100, lambda _w, _g, _now_ms: [Asked("soon", {})]),
    )
    agenda = refreshed(Agenda(sources), world)
    assert agenda.next_ms() == 100
    assert [asked.action for asked in agenda.take(world.state, 100, 10)] == ["soon"]
    assert [asked.action for asked in agenda.take(world.state, 500, 10)] == ["late", "soon"]


def test_work_put_off_until_a_time_is_woken_by_itself(world):
    moment_ms = world.now_ms + 60_000
    text = "time:" + datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat()
    world.do("ann", "todo.defer", goal_id=DOCS, todo_id="todo_one", resume_when=text, reason="Later")
    agenda = refreshed(Agenda(), world)
    assert agenda.next_ms() == moment_ms
    (asked,) = agenda.take(world.state, moment_ms, 10)
    world.now_ms = moment_ms
    world.do("daemon", asked.action, **asked.params)
    assert world.todo("todo_one").status == "open"
    assert refreshed(agenda, world).next_ms() is None


def gate(world, gate_id, **policy):
    asked = {
        "goal_id": DOCS,
        "gate_id": gate_id,
        "question": "May it?",
        "blocks_todo": ["todo_one"],
        "approver": ["ann"],
    }
    world.do("builder", "gate.open", **asked, **policy)


def settled(world, agenda):
    """Ask for all that is due now until nothing more is, and say what was asked for and changed something."""
    done = []
    for _ in range(10):
        asked = refreshed(agenda, world).take(world.state, world.now_ms, 10)
        if not asked:
            return done
        for one in asked:
            world.do("daemon", one.action, **one.params)
            done.append(one.action)
    raise AssertionError("what is due never ends")


def test_a_gate_is_reminded_of_and_expires_once_each_and_a_missed_tick_is_caught_up(world):
    agenda = Agenda()
    gate(world, "gate_one", on_expiry="deny", expires_in_seconds=600, remind_every_seconds=300)
    world.now_ms += 299_999
    assert settled(world, agenda) == []
    world.now_ms += 1
    assert settled(world, agenda) == ["gate.remind"]
    world.now_ms += 3_600_000
    assert settled(world, agenda) == ["gate.expire"]
    assert world.goal().gates.by_id["gate_one"].status == "expired"
    assert refreshed(agenda, world).next_ms() is None


def test_reminders_that_were_missed_are_one_reminder(world):
    agenda = Agenda()
    gate(world, "gate_one", remind_every_seconds=300)
    world.now_ms += 3_000_000
    assert settled(world, agenda) == ["gate.remind"]
    assert refreshed(agenda, world).next_ms() > world.now_ms


def test_a_gate_that_waits_beyond_its_time_is_never_due(world):
    agenda = Agenda()
    gate(world, "gate_one", on_expiry="wait", expires_in_seconds=600)
    world.now_ms += 600_000
    assert settled(world, agenda) == []
    assert world.goal().gates.by_id["gate_one"].is_open


def ring(todo_id="todo_watch"):
    return Asked("run.ring", {"goal_id": DOCS, "todo_id": todo_id})


def run_due(agenda, world):
    """What a sweep of the daemon does; the kinds of the events that it made."""
    asked = refreshed(agenda, world).take(world.state, world.now_ms, 10)
    return [event.kind for one in asked for event in world.ask("daemon", one.action, **one.params).events]


def test_a_monitor_that_is_due_is_said_once_however_many_ticks_were_missed(world):
    agenda = Agenda()
    world.add("todo_watch", task_class="continuous_monitor", cadence_seconds=60)
    assert run_due(agenda, world) == ["monitor.due"]
    assert run_due(agenda, world) == []
    look = {"goal_id": DOCS, "todo_id": "todo_watch", "result_hash": "a" * 64}
    world.do("builder", "run.observe", **look)
    assert refreshed(agenda, world).next_ms() == world.now_ms + 60_000
    world.now_ms += 10 * 60_000
    assert refreshed(Agenda(), world).take(world.state, world.now_ms, 10) == [ring()]
    assert run_due(agenda, world) == ["monitor.due"]
    assert run_due(Agenda(), world) == []
    for todo_id in ("todo_one", "todo_two"):
        world.do("helper", "todo.claim", goal_id=DOCS, todo_id=todo_id)
    verdict = decide_should_run(world.state, DOCS, "builder", world.now_ms)
    assert (verdict.decision.value, verdict.todo.todo_id) == ("observe", "todo_watch")
    assert refreshed(agenda, world).next_ms() is None


def test_a_monitor_of_a_goal_at_rest_is_due_when_the_goal_goes_on(world):
    agenda = Agenda()
    world.add("todo_watch", task_class="continuous_monitor", cadence_seconds=60)
    world.do("ann", "goal.pause", goal_id=DOCS)
    assert run_due(agenda, world) == []
    assert world.ask("daemon", "run.ring", goal_id=DOCS, todo_id="todo_watch").held is not None
    world.do("ann", "goal.resume", goal_id=DOCS)
    assert run_due(agenda, world) == ["monitor.due"]


def test_a_monitor_that_was_blocked_or_is_over_is_due_no_more(world):
    agenda = Agenda()
    world.add("todo_watch", task_class="continuous_monitor", cadence_seconds=60)
    world.do("ann", "todo.block", goal_id=DOCS, todo_id="todo_watch", reason="Down")
    assert run_due(agenda, world) == []
    world.do("ann", "todo.update", goal_id=DOCS, todo_id="todo_watch", status="open")
    assert run_due(agenda, world) == ["monitor.due"]
    world.do("ann", "todo.block", goal_id=DOCS, todo_id="todo_watch", reason="Down")
    world.do("ann", "todo.update", goal_id=DOCS, todo_id="todo_watch", status="open")
    assert run_due(agenda, world) == []
