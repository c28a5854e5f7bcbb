"""Slots: a turn is admitted once, spent once for a delivery, taken back once, and explained by its receipts."""

import pytest
from pydantic import ValidationError

from ledger.ids import GoalId, MemberId, TodoId
from ledger.projections.documents import READERS, valid_until_ms
from ledger.refusals import Refusal
from ledger.rules.quota import decide_should_run
from ledger.rules.slots import allowed_slots, next_due, reserved_by_another
from tests.support.world import DOCS, World, digest, parse

HOUR_MS = 3_600_000


def _world(**changes: object) -> World:
    world = World()
    world.activate(**changes)
    world.add("todo_one")
    return world


def _turn(todo_id: str = "todo_one", turn: str = "turn-1") -> dict[str, object]:
    return {"goal_id": DOCS, "todo_id": todo_id, "turn_instance_id": turn}


def _report(world: World, outcome: str = "outcome_progress", **changes: object):
    asked = _turn() | {"delivery_outcome": outcome}
    evidence = list(world.todo("todo_one").evidence)
    return world.ask("builder", "run.report", **(asked | {"evidence": evidence} | changes))


def _paid(world: World, todo_id: str = "todo_one", turn: str = "turn-1", slots: int = 1) -> str:
    evidence = [world.finish(todo_id)]
    asked = _turn(todo_id, turn)
    world.do("builder", "run.report", delivery_outcome="outcome_progress", evidence=evidence, **asked)
    (event,) = world.do("builder", "quota.spend-slot", slots=slots, **asked)
    return event.facts.spend_id


def _asked(world: World, turn: str) -> str:
    """What came of asking for a spend; one that may be made is made."""
    answer = world.ask("builder", "quota.spend-slot", **_turn(turn=turn))
    return "committed" if answer.refusal is None else answer.refusal.code.value


def _read(world: World, action: str, who: str = "builder", **params: object):
    document = READERS[action](world.state, world.caller(who), parse(action, params), world.now_ms)
    assert not isinstance(document, Refusal)
    return document


def _spent(world: World) -> int:
    return _read(world, "quota.status", goal_id=DOCS)["spent_slots"]


def test_a_spend_whose_answer_was_lost_is_not_charged_again():
    world = _world()
    spend_id = _paid(world, slots=2)
    for _ in range(3):
        answer = world.ask("builder", "quota.spend-slot", slots=2, **_turn())
        assert (answer.events, answer.held.facts["spend_id"]) == ((), spend_id)
    assert _spent(world) == 2


def test_one_delivery_is_paid_for_once_whatever_its_turns_are_called():
    world = _world()
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    more = world.submit("todo_one")
    again = world.submit("todo_one")
    world.finish("todo_one")
    turns = {"turn-1": [again], "turn-2": [again], "turn-3": [again, more], "turn-4": [more]}
    for turn, evidence in turns.items():
        _report(world, turn_instance_id=turn, evidence=evidence)
    asked = [_asked(world, turn) for turn in turns]
    assert asked == ["committed", "delivery_already_paid", "committed", "delivery_already_paid"]
    assert _spent(world) == 2


def test_the_same_bytes_under_another_name_are_not_paid_for_again():
    world = _world()
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    sha256 = digest("the same")
    first, second = (world.submit("todo_one", sha256=sha256, label=label) for label in ("one.json", "two.json"))
    world.finish("todo_one")
    for turn, artifact_id in (("turn-1", first), ("turn-2", second)):
        _report(world, turn_instance_id=turn, evidence=[artifact_id])
    assert [_asked(world, turn) for turn in ("turn-1", "turn-2")] == ["committed", "delivery_already_paid"]


def test_what_was_taken_back_may_be_paid_for_in_another_turn():
    world = _world()
    spend_id = _paid(world)
    world.do("ann", "quota.void-slot", goal_id=DOCS, spend_id=spend_id, reason="Wrong turn.")
    _report(world, turn_instance_id="turn-2")
    assert world.outcome("builder", "quota.spend-slot", **_turn(turn="turn-2")) == "committed"


def test_no_more_is_spent_than_the_turn_reserved_or_the_window_has_left():
    world = _world(allowed_slots=5)
    world.add("todo_two")
    world.do("builder", "quota.reserve", **RESERVE)
    world.do("helper", "quota.reserve", **RESERVE)
    world.finish("todo_one")
    _report(world)
    assert world.outcome("builder", "quota.spend-slot", slots=4, **_turn()) == "slots_exhausted"
    world.do("ann", "quota.set", goal_id=DOCS, allowed_slots=1)
    assert world.outcome("builder", "quota.spend-slot", slots=3, **_turn()) == "slots_exhausted"
    # What was reserved stays good, however little is allowed since.
    assert world.outcome("builder", "quota.spend-slot", slots=2, **_turn()) == "committed"


def test_what_another_turn_reserved_is_spent_by_no_other():
    world = _world(allowed_slots=2)
    world.do("builder", "quota.reserve", **(RESERVE | {"turn_instance_id": "turn-2"}))
    world.finish("todo_one")
    _report(world)
    assert world.outcome("builder", "quota.spend-slot", **_turn()) == "slots_exhausted"
    world.now_ms += 60_000
    assert world.outcome("builder", "quota.spend-slot", slots=3, **_turn()) == "slots_exhausted"
    assert world.outcome("builder", "quota.spend-slot", slots=2, **_turn()) == "committed"


def test_a_turn_that_only_watched_is_not_charged():
    world = _world()
    world.finish("todo_one")
    for outcome in ("observed", "surface_only", "outcome_gap", "no_progress"):
        assert _report(world, outcome).refusal is None
        assert world.outcome("builder", "quota.spend-slot", **_turn()) == "outcome_earns_no_spend"
    assert _spent(world) == 0


def test_nothing_is_spent_without_a_delivery():
    world = _world()
    assert world.outcome("builder", "quota.spend-slot", **_turn("todo_none")) == "todo_not_found"
    assert world.outcome("builder", "quota.spend-slot", agent_id="helper", **_turn()) == "claim_actor_mismatch"
    assert world.outcome("builder", "quota.spend-slot", **_turn()) == "delivery_required"
    world.finish("todo_one")
    assert world.outcome("helper", "quota.spend-slot", **_turn()) == "delivery_required"
    assert world.outcome("builder", "quota.spend-slot", **_turn()) == "run_not_reported"
    _report(world)
    assert world.outcome("builder", "quota.spend-slot", **_turn(turn="turn-2")) == "run_not_reported"
    assert world.outcome("builder", "quota.spend-slot", **_turn()) == "committed"


@pytest.mark.parametrize("end", ["goal.stop", "goal.pause", "deliver"])
def test_a_writeback_before_the_goal_ended_is_settled_after_it(end):
    world = _world()
    world.finish("todo_one")
    if end == "deliver":
        world.deliver()
    else:
        world.do("ann", end, goal_id=DOCS)
    assert _report(world).refusal is None
    world.do("builder", "quota.spend-slot", **_turn())
    assert _spent(world) == 1


def test_raising_the_quota_of_a_stopped_goal_does_not_revive_it():
    world = _world()
    world.do("ann", "quota.set", goal_id=DOCS, compute_permille=0)
    assert _read(world, "quota.status", goal_id=DOCS)["pause_cause"] == "compute_quota_zero"
    world.do("ann", "goal.stop", goal_id=DOCS)
    world.do("ann", "quota.set", goal_id=DOCS, compute_permille=1000, allowed_slots=9)
    verdict = decide_should_run(world.state, GoalId(DOCS), MemberId("builder"), world.now_ms)
    assert (verdict.decision.value, verdict.reason_codes) == ("skip", ("goal_stopped",))
    assert _read(world, "quota.status", goal_id=DOCS)["pause_cause"] == "goal_stopped"


def test_a_share_of_zero_pauses_and_a_share_more_goes_on_while_a_stop_is_another_thing():
    world = _world()
    world.do("ann", "quota.set", goal_id=DOCS, compute="0")
    assert _read(world, "quota.status", goal_id=DOCS)["pause_cause"] == "compute_quota_zero"
    world.do("ann", "quota.set", goal_id=DOCS, compute="0.25")
    assert _read(world, "quota.status", goal_id=DOCS)["pause_cause"] is None
    assert decide_should_run(world.state, DOCS, MemberId("builder"), world.now_ms).decision.value == "run"
    assert parse("quota.set", {"goal_id": DOCS, "compute": None, "window_hours": 12}).permille is None
    for share, allowed in (("1", 1440), ("0.5", 720), ("1.000", 1440), ("0.001", 1), (0.5, 720), (1, 1440)):
        world.do("ann", "quota.set", goal_id=DOCS, compute=share)
        assert allowed_slots(world.goal()) == allowed


@pytest.mark.parametrize("share", ["2", "1.5", "-0.5", "0.0001", ".5", "half", "1.001", "", 1.5, 0.12345, True])
def test_a_share_is_a_number_from_zero_to_one(share):
    with pytest.raises(ValidationError, match="compute"):
        parse("quota.set", {"goal_id": DOCS, "compute": share})


def test_a_share_that_is_given_twice_is_the_same_share():
    assert parse("quota.set", {"goal_id": DOCS, "compute": "0.5", "compute_permille": 500}).permille == 500
    with pytest.raises(ValidationError, match="compute"):
        parse("quota.set", {"goal_id": DOCS, "compute": "0.5", "compute_permille": 501})


def test_what_is_over_is_given_no_slots():
    world = _world()
    world.over()
    refusal = world.ask("ann", "quota.set", goal_id=DOCS, compute="0.5").refusal
    assert (refusal.code, refusal.details) == ("goal_state_forbids", {"goal_id": DOCS, "state": "accepted"})


def test_a_spend_leaves_the_window_at_its_end_and_not_before():
    world = _world()
    world.add("todo_two")
    _paid(world, slots=2)
    first_ms = world.now_ms
    world.now_ms += HOUR_MS
    _paid(world, "todo_two", "turn-2", slots=3)
    assert _spent(world) == 5
    assert valid_until_ms(world.state, DOCS, world.now_ms) == first_ms + 24 * HOUR_MS
    world.now_ms = first_ms + 24 * HOUR_MS - 1
    assert _spent(world) == 5
    world.now_ms += 1
    assert _spent(world) == 3
    world.do("ann", "quota.set", goal_id=DOCS, window_hours=48)
    assert _spent(world) == 5


def test_a_void_takes_one_spend_back_once_and_leaves_the_others():
    world = _world()
    world.add("todo_two")
    spend_id = _paid(world, slots=2)
    other = _paid(world, "todo_two", "turn-2", slots=3)
    asked = {"goal_id": DOCS, "spend_id": spend_id, "reason": "Wrong turn."}
    assert world.outcome("helper", "quota.void-slot", **asked) == "not_the_spender"
    assert world.outcome("builder", "quota.void-slot", **(asked | {"spend_id": "spend_999999"})) == "spend_not_found"
    (event,) = world.do("ann", "quota.void-slot", **asked)
    assert world.ask("builder", "quota.void-slot", **asked).held.seq == event.seq
    status = _read(world, "quota.status", goal_id=DOCS)
    assert (status["spent_slots"], [row["spend_id"] for row in status["receipts"]]) == (3, [other])
    # What was taken back was that turn's: it is not paid for a second time, and nobody says that it is paid for.
    refusal = world.ask("builder", "quota.spend-slot", **_turn()).refusal
    assert (refusal.code, refusal.details) == ("spend_voided", {"spend_id": spend_id, "seq": event.seq})


def test_the_receipts_explain_the_sum():
    world = _world()
    spend_id = _paid(world, slots=2)
    status = _read(world, "quota.status", goal_id=DOCS)
    (row,) = status["receipts"]
    assert (row["spend_id"], row["slots"], row["seq"]) == (spend_id, 2, world.state.seq)
    assert (status["allowed_slots"], status["left_slots"]) == (1440, 1438)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"compute_permille": 500}, 720),
        ({"compute_permille": 1}, 1),
        ({"window_hours": 1, "slot_minutes": 7}, 9),
        ({"allowed_slots": 3, "compute_permille": 500}, 3),
    ],
)
def test_what_is_allowed_follows_from_the_settings(settings, expected):
    world = _world()
    world.do("ann", "quota.set", goal_id=DOCS, **settings)
    assert allowed_slots(world.goal()) == expected
    assert world.outcome("ann", "quota.set", goal_id=DOCS, **settings) == "held"
    assert world.outcome("bob", "quota.set", goal_id=DOCS, **settings) == "not_an_owner"


def test_a_number_of_slots_that_was_set_can_be_forgotten_again():
    world = _world()
    world.do("ann", "quota.set", goal_id=DOCS, allowed_slots=3, compute_permille=500)
    world.do("ann", "quota.set", goal_id=DOCS, unset_allowed_slots=True)
    assert world.goal().slots.settings.allowed_slots is None
    assert allowed_slots(world.goal()) == 720
    assert world.outcome("ann", "quota.set", goal_id=DOCS, unset_allowed_slots=True) == "held"
    with pytest.raises(ValidationError, match="unset_allowed_slots"):
        parse("quota.set", {"goal_id": DOCS, "allowed_slots": 3, "unset_allowed_slots": True})


def test_nothing_is_set_where_nothing_changes():
    assert _world().outcome("ann", "quota.set", goal_id=DOCS, window_hours=24) == "nothing_to_change"


RESERVE = {"goal_id": DOCS, "turn_instance_id": "turn-1", "slots": 2, "ttl_seconds": 60}


def test_a_reserved_todo_is_offered_to_nobody_else_until_it_ends():
    world = _world()
    (event,) = world.do("builder", "quota.reserve", **RESERVE)
    assert (event.facts.todo_id, event.facts.decision) == ("todo_one", "run")
    assert reserved_by_another(world.goal(), TodoId("todo_one"), MemberId("helper"), world.now_ms) == "builder"
    assert world.outcome("helper", "quota.reserve", **RESERVE) == "turn_not_admitted"
    world.now_ms += 60_000
    assert reserved_by_another(world.goal(), TodoId("todo_one"), MemberId("helper"), world.now_ms) is None
    expired, reserved = world.do("helper", "quota.reserve", **RESERVE)
    assert (expired.kind, reserved.facts.agent_id) == ("admission.expired", "helper")


def test_what_is_reserved_is_not_left_until_it_ends():
    world = _world(allowed_slots=5)
    world.do("builder", "quota.reserve", **RESERVE)
    assert _read(world, "quota.status", goal_id=DOCS)["left_slots"] == 3
    world.now_ms += 60_000
    assert _read(world, "quota.status", goal_id=DOCS)["left_slots"] == 5


def test_the_same_turn_reads_back_what_it_reserved():
    world = _world()
    world.add("todo_two")
    (event,) = world.do("builder", "quota.reserve", **RESERVE)
    answer = world.ask("builder", "quota.reserve", **(RESERVE | {"slots": 9}))
    assert (answer.events, answer.held.facts["admission_id"]) == ((), event.facts.admission_id)


def test_a_turn_that_may_not_run_reserves_nothing():
    world = _world()
    world.do("ann", "goal.pause", goal_id=DOCS)
    refusal = world.ask("builder", "quota.reserve", **RESERVE).refusal
    assert (refusal.code.value, refusal.status.outcome) == ("turn_not_admitted", "waiting")
    assert (refusal.details["should_run"], refusal.details["reason_codes"]) == (False, ["goal_paused"])
    assert world.goal().slots.admissions == {}


def test_no_more_slots_are_reserved_than_are_left():
    world = _world(allowed_slots=3)
    world.add("todo_two")
    world.do("builder", "quota.reserve", **RESERVE)
    assert world.outcome("helper", "quota.reserve", **RESERVE) == "slots_exhausted"
    assert world.outcome("helper", "quota.reserve", **(RESERVE | {"slots": 1})) == "committed"


def test_what_was_reserved_is_spent_and_counts_once():
    world = _world(allowed_slots=3)
    world.do("builder", "quota.reserve", **RESERVE)
    _paid(world, slots=2)
    assert (_spent(world), world.goal().slots.admissions, next_due(world.goal())) == (2, {}, None)


def test_another_turn_of_the_same_agent_takes_the_reservation_over():
    world = _world()
    world.do("builder", "quota.reserve", **RESERVE)
    released, _ = world.do("builder", "quota.reserve", **(RESERVE | {"turn_instance_id": "turn-2"}))
    assert released.facts.cause == "another_turn"
    assert world.outcome("builder", "quota.release", goal_id=DOCS, turn_instance_id="turn-1") == "admission_not_found"


def test_a_reservation_is_given_back_by_its_agent_or_an_owner():
    world = _world()
    world.do("builder", "quota.reserve", **RESERVE)
    asked = {"goal_id": DOCS, "turn_instance_id": "turn-1"}
    assert world.outcome("helper", "quota.release", agent_id="builder", **asked) == "claim_actor_mismatch"
    world.do("ann", "quota.release", agent_id="builder", **asked)
    assert world.outcome("helper", "quota.reserve", **RESERVE) == "committed"


def test_the_sweep_writes_off_a_reservation_at_its_end_once():
    world = _world()
    world.do("builder", "quota.reserve", **RESERVE)
    asked = {"goal_id": DOCS, "todo_id": "todo_one"}
    assert world.outcome("daemon", "quota.expire-admission", **asked) == "admission_in_force"
    assert next_due(world.goal()) == world.now_ms + 60_000
    world.now_ms += 60_000
    world.do("daemon", "quota.expire-admission", **asked)
    assert world.outcome("daemon", "quota.expire-admission", **asked) == "admission_not_found"


def test_the_next_goal_is_the_most_urgent_one_that_can_run():
    world = World()
    for goal_id, priority in (("later", "P3"), ("sooner", "P1"), ("idle", "P0")):
        world.activate(goal_id, priority=priority)
    world.add("todo_one", "later")
    world.add("todo_two", "sooner")
    plan = _read(world, "quota.plan")
    assert (plan["next_goal_id"], [row["goal_id"] for row in plan["goals"]]) == ("sooner", ["sooner", "later", "idle"])
