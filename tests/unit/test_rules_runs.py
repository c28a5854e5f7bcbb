"""Runs, monitors and usage: what is reported counts once, and what is unknown is not taken for nothing."""

import pytest

from ledger.ids import GoalId, MemberId
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from ledger.rules.amendments import amendment_basis
from ledger.rules.quota import decide_should_run
from ledger.rules.runs import replan_cause, replan_due
from tests.support.world import DOCS, World, digest, parse

BUILDER = MemberId("builder")


def _world(**changes: object) -> World:
    world = World()
    world.activate(**changes)
    world.add("todo_one")
    return world


def _run(turn: str, outcome: str = "no_progress", **changes: object) -> dict[str, object]:
    return {
        "goal_id": DOCS, "todo_id": "todo_one", "turn_instance_id": turn, "delivery_outcome": outcome,
    } | changes  # fmt: skip


def _read(world: World, action: str, **params: object):
    document = READERS[action](world.state, world.caller("builder"), parse(action, params), world.now_ms)
    assert not isinstance(document, Refusal)
    return document


def _turns(world: World, *outcomes: str) -> bool:
    for number, outcome in enumerate(outcomes):
        world.do("builder", "run.report", **_run(f"turn-{world.state.seq}-{number}", outcome))
    return replan_due(world.goal(), BUILDER)


@pytest.mark.parametrize(
    ("outcomes", "due"),
    [
        (["no_progress"], False),
        (["no_progress", "surface_only"], True),
        (["outcome_gap", "observed", "no_progress"], True),
        (["observed", "observed", "observed"], False),
    ],
)
def test_two_turns_in_a_row_without_progress_oblige_to_replan(outcomes, due):
    assert _turns(_world(), *outcomes) is due


def test_a_turn_counts_once_however_many_runs_it_reports():
    world = _world()
    for _ in range(3):
        world.do("builder", "run.report", **_run("turn-1"))
    assert not replan_due(world.goal(), BUILDER)


def test_progress_ends_the_row_and_concerns_no_other_agent():
    world = _world()
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    evidence = [world.submit("todo_one")]
    _turns(world, "no_progress")
    world.do("builder", "run.report", **_run("turn-2", "outcome_progress", evidence=evidence))
    assert not _turns(world, "no_progress")
    assert _turns(world, "no_progress")
    assert not replan_due(world.goal(), MemberId("helper"))


def test_replanning_meets_the_obligation_and_counts_anew():
    world = _world()
    asked = {"goal_id": DOCS, "summary": "One section at a time."}
    assert world.outcome("builder", "run.replan", **asked) == "replan_not_due"
    assert _turns(world, "no_progress", "no_progress")
    world.do("builder", "run.replan", **asked)
    assert not _turns(world, "no_progress")
    assert _turns(world, "no_progress")


def test_a_run_is_reported_once_under_its_id():
    world = _world()
    (event,) = world.do("builder", "run.report", **_run("turn-1", run_id="run_one"))
    assert world.ask("builder", "run.report", **_run("turn-1", run_id="run_one")).held.seq == event.seq
    other = _run("turn-1", "surface_only", run_id="run_one")
    assert world.outcome("builder", "run.report", **other) == "run_id_reused"
    assert world.outcome("helper", "run.report", **_run("turn-1", run_id="run_one")) == "run_id_reused"
    assert [row["run_id"] for row in _read(world, "run.list", goal_id=DOCS)["runs"]] == ["run_one"]
    assert _read(world, "run.list", goal_id=DOCS, agent_id="helper")["runs"] == []


def test_progress_is_reported_with_evidence_of_the_todo_by_whoever_has_it():
    world = _world()
    world.add("todo_two", excluded_agent=["builder"])
    progress = _run("turn-1", "outcome_progress")
    assert world.outcome("stranger", "run.report", **_run("turn-1")) == "actor_not_registered"
    assert world.outcome("builder", "run.report", **(progress | {"todo_id": "todo_none"})) == "todo_not_found"
    assert world.outcome("builder", "run.report", **(progress | {"todo_id": "todo_two"})) == "actor_excluded"
    assert world.outcome("builder", "run.report", **progress) == "claim_owner_mismatch"
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    assert world.outcome("builder", "run.report", **progress) == "evidence_required"
    assert world.outcome("builder", "run.report", evidence=["art_none"], **progress) == "artifact_not_found"
    foreign = world.submit(None)
    assert world.outcome("builder", "run.report", evidence=[foreign], **progress) == "artifact_of_another_todo"
    assert world.outcome("builder", "run.report", evidence=[world.submit("todo_one")], **progress) == "committed"


def _monitored(**changes: object) -> World:
    world = World()
    world.activate()
    world.add("todo_look", task_class="continuous_monitor", cadence_seconds=60, **changes)
    return world


def _look(seen: str = "same") -> dict[str, object]:
    return {"goal_id": DOCS, "todo_id": "todo_look", "result_hash": digest(seen)}


def _decision(world: World) -> str:
    return decide_should_run(world.state, GoalId(DOCS), BUILDER, world.now_ms).decision.value


def test_a_monitor_is_looked_at_when_it_is_due_and_left_alone_until_then():
    world = _monitored()
    assert _decision(world) == "observe"
    world.do("builder", "run.observe", **_look())
    assert _decision(world) == "skip"
    world.now_ms += 59_999
    assert _decision(world) == "skip"
    world.now_ms += 1
    assert _decision(world) == "observe"


def test_a_quiet_look_is_free_and_a_change_is_counted_from_the_start():
    world = _monitored()
    for seen, unchanged in (("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1)):
        (event,) = world.do("builder", "run.observe", **_look(seen))
        assert event.facts.consecutive_no_change == unchanged
    assert (world.goal().slots.spends, replan_due(world.goal(), BUILDER)) == ({}, False)


def test_too_many_looks_without_a_change_oblige_to_replan():
    world = _monitored(max_no_change_before_replan=2)
    for _ in range(2):
        world.do("builder", "run.observe", **_look())
    assert _decision(world) == "skip"
    world.do("builder", "run.observe", **_look())
    assert _decision(world) == "replan"
    world.do("builder", "run.replan", goal_id=DOCS, summary="Ask less often.")
    assert _decision(world) == "skip"


def test_only_a_monitor_that_is_open_is_looked_at_and_only_by_whoever_may():
    world = _monitored(bound_agent="helper")
    world.add("todo_one")
    assert world.outcome("stranger", "run.observe", **_look()) == "actor_not_registered"
    assert world.outcome("builder", "run.observe", **(_look() | {"todo_id": "todo_none"})) == "todo_not_found"
    assert world.outcome("builder", "run.observe", **(_look() | {"todo_id": "todo_one"})) == "not_a_monitor"
    assert world.outcome("builder", "run.observe", **_look()) == "actor_excluded"
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_look")
    assert world.outcome("helper", "run.observe", **_look()) == "todo_not_open"
    assert world.goal().runs.due == []
    world.do("ann", "goal.pause", goal_id=DOCS)
    assert world.outcome("helper", "run.observe", **_look()) == "goal_not_executable"


def _use(**figures: int) -> dict[str, object]:
    return {"goal_id": DOCS, "source": "provider"} | figures


def test_unknown_usage_stays_unknown_and_is_said_beside_the_verdict():
    world = _world(token_cap=100, cost_cap_micros=1000)
    world.do("builder", "usage.report", **_use(tokens_in=40))
    world.do("builder", "usage.report", **_use(tokens_in=20, tokens_out=10, cost_micros=5))
    usage = _read(world, "usage.show", goal_id=DOCS)
    assert (usage["tokens_known"], usage["tokens_unknown_reports"]) == (70, 1)
    assert (usage["cost_known_micros"], usage["cost_unknown_reports"]) == (5, 1)
    assert usage["reports"][1]["tokens_out"] is None
    verdict = decide_should_run(world.state, GoalId(DOCS), BUILDER, world.now_ms)
    assert verdict.reason_codes == ("work_ready", "usage_unknown")
    world.do("builder", "usage.report", **_use(tokens_in=15, tokens_out=15))
    assert decide_should_run(world.state, GoalId(DOCS), BUILDER, world.now_ms).reason_codes == (
        "token_cap_reached",
        "usage_unknown",
    )


def test_usage_is_counted_once_under_its_id_and_keeps_its_age():
    world = _world()
    (event,) = world.do("builder", "usage.report", usage_id="usage_one", age_seconds=60, **_use(tokens_in=1))
    assert event.facts.measured_at_ms == world.now_ms - 60_000
    assert world.outcome("builder", "usage.report", usage_id="usage_one", **_use(tokens_in=1)) == "held"
    assert world.outcome("builder", "usage.report", usage_id="usage_one", **_use(tokens_in=2)) == "usage_id_reused"
    assert world.outcome("builder", "usage.report", run_id="run_none", **_use(tokens_in=2)) == "run_not_found"
    assert world.goal().runs.tokens == 1


def test_a_change_to_the_graph_that_was_committed_is_a_replan():
    world = _world()
    assert _turns(world, "no_progress", "no_progress")
    assert replan_cause(world.goal(), "builder") == "turns_without_progress"
    operation = [{"op": "reprioritise", "todo_id": "todo_one", "priority": "P0"}]
    asked = {"goal_id": DOCS, "amendment_class": "lane_route", "why": "Another order", "operation": operation}
    (event,) = world.do("ann", "amendment.submit", **asked)
    amendment_id = event.facts.amendment_id
    assert replan_cause(world.goal(), "builder") == "turns_without_progress"
    basis = amendment_basis(world.goal(), world.goal().amendments.by_id[amendment_id])
    world.do("ann", "amendment.commit", goal_id=DOCS, amendment_id=amendment_id, basis=basis)
    assert replan_cause(world.goal(), "builder") is None
    assert decide_should_run(world.state, DOCS, "builder", world.now_ms).decision.value == "run"
