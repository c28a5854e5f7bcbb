"""Quota: one closed verdict in the contract's order, and the work that it selects."""

import pytest

from ledger.ids import GoalId, MemberId
from ledger.outlines import put_away
from ledger.ports import StoreFault
from ledger.projections.documents import READERS, valid_until_ms
from ledger.rules.quota import QuotaDecision as D
from ledger.rules.quota import QuotaState as S
from ledger.rules.quota import decide_should_run
from tests.support.world import DOCS, World, parse


def _verdict(world: World, agent: str = "builder", goal_id: str = DOCS):
    return decide_should_run(world.state, GoalId(goal_id), MemberId(agent), world.now_ms)


def _todo(**changes: object):
    return lambda world: world.add(f"todo_number_{world.state.seq}", **changes)


def _persons_todo(world: World) -> None:
    world.add("todo_person", role="user", task_class="user_action")


def _goal(**changes: object):
    return lambda world: world.activate(**changes)


def _pause(world: World) -> None:
    world.do("ann", "goal.pause", goal_id=DOCS)


def _stop(world: World) -> None:
    world.do("ann", "goal.stop", goal_id=DOCS)


def _revise(world: World) -> None:
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Better docs")
    world.confirm()


def _finish(world: World) -> None:
    for todo_id in [todo.todo_id for todo in world.goal().todos.values()]:
        world.finish(todo_id)


def _deliver(world: World) -> None:
    world.deliver()


def _accept(world: World) -> None:
    world.do("ann", "goal.accept", goal_id=DOCS, basis=world.goal().delivery.basis)


def _grant_docs_only(world: World) -> None:
    world.do("ann", "member.grant", member_id="builder", write_scope=["docs/**"])


def _barren(world: World) -> None:
    """Two turns in a row came to nothing."""
    world.add("todo_barren", priority="P0")
    for turn in ("turn-a", "turn-b"):
        asked = {"turn_instance_id": turn, "delivery_outcome": "no_progress", "classification": "failed"}
        world.do("builder", "run.report", goal_id=DOCS, todo_id="todo_barren", **asked)


def _compute_zero(world: World) -> None:
    world.do("ann", "quota.set", goal_id=DOCS, compute_permille=0)


def _gate(world: World) -> None:
    asked = {"kind": "owner_decision", "question": "Go on?", "blocks_goal": True}
    world.do("helper", "gate.open", goal_id=DOCS, gate_id="gate_one", **asked)


def _spend_all(world: World) -> None:
    world.do("ann", "quota.set", goal_id=DOCS, allowed_slots=1)
    world.add("todo_paid", priority="P0")
    artifact_id = world.finish("todo_paid")
    turn = {"todo_id": "todo_paid", "turn_instance_id": "turn-paid"}
    world.do("builder", "run.report", goal_id=DOCS, delivery_outcome="outcome_progress", evidence=[artifact_id], **turn)
    world.do("builder", "quota.spend-slot", goal_id=DOCS, **turn)


def _use(tokens_in: int | None, cost_micros: int | None = None):
    asked = {"tokens_in": tokens_in, "tokens_out": 0, "cost_micros": cost_micros}
    asked = {name: value for name, value in asked.items() if value is not None}
    return lambda world: world.do("builder", "usage.report", goal_id=DOCS, source="provider", **asked)


def _reserve_elsewhere(world: World) -> None:
    world.do("helper", "quota.reserve", goal_id=DOCS, turn_instance_id="turn-h")


MONITOR = {"task_class": "continuous_monitor", "cadence_seconds": 60}
OUTSIDE = {"required_write_scope": ["reports/a"]}
HARD = {"required_capability": ["gpu"]}
# Each script makes its own condition true and those after it, where both can hold, so that a wrong order shows.
CONDITIONS = {
    "an agent of another goal is told nothing more": (
        "stranger",
        [_goal(), _todo(**HARD), _pause],
        (S.BLOCKED_HEALTH, D.SKIP, "agent_not_granted"),
    ),
    "a stopped goal is stopped, whatever its slots": (
        "builder",
        [_goal(allowed_slots=9), _todo(), _stop],
        (S.PAUSED, D.SKIP, "goal_stopped"),
    ),
    "a paused goal waits, whatever else is true": (
        "builder",
        [_goal(allowed_slots=0), _todo(), _revise, _pause],
        (S.PAUSED, D.SKIP, "goal_paused"),
    ),
    "a proposal waits for its owner": (
        "builder",
        [lambda world: world.propose()],
        (S.OPERATOR_GATE, D.ASK_USER, "goal_not_confirmed"),
    ),
    "a delivery waits for its owner": (
        "builder",
        [_goal(), _todo(), _finish, _deliver],
        (S.OPERATOR_GATE, D.ASK_USER, "delivery_waits"),
    ),
    "an accepted goal is over": (
        "builder",
        [_goal(), _todo(), _finish, _deliver, _accept],
        (S.TERMINAL_NO_FOLLOWUP, D.SKIP, "goal_accepted"),
    ),
    "a promise that changed is read before work that cannot be done": (
        "builder",
        [_goal(allowed_slots=0), _todo(**HARD), _revise],
        (S.OBJECTIVE_REVIEW_REQUIRED, D.REPAIR, "revision_not_adopted"),
    ),
    "no share of compute pauses a goal before anything else is asked": (
        "builder",
        [_goal(), _todo(), _barren, _revise, _compute_zero],
        (S.PAUSED, D.SKIP, "compute_quota_zero"),
    ),
    "a stopped goal is called stopped and not short of compute": (
        "builder",
        [_goal(), _todo(), _compute_zero, _stop],
        (S.PAUSED, D.SKIP, "goal_stopped"),
    ),
    "a promise that changed is read before the work is replanned": (
        "builder",
        [_goal(), _barren, _revise],
        (S.OBJECTIVE_REVIEW_REQUIRED, D.REPAIR, "revision_not_adopted"),
    ),
    "two turns without progress come before work that cannot be done": (
        "builder",
        [_goal(allowed_slots=0), _barren, _todo(**HARD)],
        (S.REPLAN_REQUIRED, D.REPLAN, "turns_without_progress"),
    ),
    "what an agent may not write is repaired before slots are counted": (
        "builder",
        [_goal(allowed_slots=0), _grant_docs_only, _todo(**OUTSIDE)],
        (S.WORKSPACE_GUARD, D.REPAIR, "write_scope_not_granted"),
    ),
    "what was spent counts against what is allowed": (
        "builder",
        [_goal(), _spend_all, _todo()],
        (S.THROTTLED, D.SKIP, "slots_exhausted"),
    ),
    "a cap on tokens stops work": (
        "builder",
        [_goal(token_cap=100), _todo(), _use(100)],
        (S.THROTTLED, D.SKIP, "token_cap_reached"),
    ),
    "a cap on cost stops work": (
        "builder",
        [_goal(cost_cap_micros=100), _todo(), _use(1, 100)],
        (S.THROTTLED, D.SKIP, "cost_cap_reached"),
    ),
    "slots that another turn has reserved are not given twice": (
        "builder",
        [_goal(allowed_slots=1), _todo(), _todo(), _reserve_elsewhere],
        (S.THROTTLED, D.SKIP, "slots_reserved"),
    ),
    "a gate on all of it asks people, whatever is due to be looked at": (
        "builder",
        [_goal(), _todo(), _todo(**MONITOR), _gate],
        (S.OPERATOR_GATE, D.ASK_USER, "gate_blocks"),
    ),
    "a monitor is looked at when nothing else can be done": (
        "builder",
        [_goal(), _persons_todo, _todo(**MONITOR)],
        (S.MONITOR_DUE, D.OBSERVE, "monitor_due"),
    ),
    "work that another turn has reserved is waited for": (
        "builder",
        [_goal(), _todo(), _reserve_elsewhere],
        (S.WAITING, D.SKIP, "todo_reserved"),
    ),
    "a lacking capability is repaired before slots are counted": (
        "builder",
        [_goal(allowed_slots=0), _todo(**HARD)],
        (S.CAPABILITY_MISSING, D.REPAIR, "capability_missing"),
    ),
    "a capability that the goal asks for counts as much": (
        "builder",
        [_goal(capability=["gpu"]), _todo()],
        (S.CAPABILITY_MISSING, D.REPAIR, "capability_missing"),
    ),
    "no slots, no run": ("builder", [_goal(allowed_slots=0), _todo()], (S.THROTTLED, D.SKIP, "slots_exhausted")),
    "ready work is run": ("builder", [_goal(), _todo(**HARD), _todo()], (S.ELIGIBLE, D.RUN, "work_ready")),
    "work that waits for other work waits": (
        "builder",
        [_goal(), _persons_todo, _todo(depends_on=["todo_person"])],
        (S.WAITING, D.SKIP, "dependency_unmet"),
    ),
    "work of a person waits for the person": (
        "builder",
        [_goal(), _persons_todo],
        (S.WAITING, D.SKIP, "user_todo_open"),
    ),
    "nothing more to do ends it": (
        "builder",
        [_goal(), _todo(), _finish],
        (S.TERMINAL_NO_FOLLOWUP, D.SKIP, "all_done"),
    ),
    "a goal without work for this agent is waited on": (
        "builder",
        [_goal(), _todo(excluded_agent=["builder"])],
        (S.FOCUS_WAIT, D.SKIP, "no_work_for_agent"),
    ),
}


@pytest.mark.parametrize(("agent", "script", "expected"), CONDITIONS.values(), ids=CONDITIONS)
def test_the_first_condition_that_holds_is_the_verdict(agent, script, expected):
    world = World()
    for step in script:
        step(world)
    verdict = _verdict(world, agent)
    assert (verdict.state, verdict.decision, verdict.reason_codes) == (*expected[:2], (expected[2],))
    assert (verdict.todo is not None) == (verdict.decision in {D.RUN, D.OBSERVE})


def test_every_state_that_exists_so_far_is_reached():
    assert {expected[0] for _, _, expected in CONDITIONS.values()} == set(S)


@pytest.mark.parametrize("agent", ["nobody", "ann"])
def test_nobody_but_an_agent_runs(agent):
    world = World()
    world.activate()
    assert _verdict(world, agent).state == S.BLOCKED_HEALTH
    assert _verdict(world, "builder", "none").reason_codes == ("goal_unknown",)


def test_a_revoked_agent_does_not_run():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("operator", "member.revoke", member_id="builder")
    assert _verdict(world).state == S.BLOCKED_HEALTH


def _selected(world: World, agent: str = "builder") -> str | None:
    todo = _verdict(world, agent).todo
    return None if todo is None else todo.todo_id


def test_ones_own_work_comes_first_then_priority_then_order_of_creation():
    world = World()
    world.activate()
    for todo_id, priority in (("todo_late", "P2"), ("todo_later", "P2"), ("todo_urgent", "P0"), ("todo_mine", "P4")):
        world.add(todo_id, priority=priority)
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_mine")
    assert (_selected(world), _selected(world, "helper")) == ("todo_mine", "todo_urgent")
    world.finish("todo_mine")
    assert _selected(world) == "todo_urgent"
    world.finish("todo_urgent")
    assert _selected(world) == "todo_late"


@pytest.mark.parametrize("take", ["claim", "lease"])
def test_work_that_another_holds_is_not_offered(take):
    world = World()
    world.activate()
    world.add("todo_one")
    if take == "claim":
        world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    else:
        world.lease("todo_one", "helper", ttl_seconds=60)
    assert (_selected(world), _selected(world, "helper")) == (None, "todo_one")


def test_work_whose_lease_has_ended_is_offered_before_anybody_wrote_the_expiry():
    world = World()
    world.activate()
    world.add("todo_one")
    world.add("todo_two")
    world.lease("todo_one", "helper", ttl_seconds=60)
    assert _selected(world) == "todo_two"
    world.now_ms += 60_000
    assert _selected(world) == "todo_one"


def test_work_bound_to_one_agent_is_offered_to_that_agent_alone():
    world = World()
    world.activate()
    world.add("todo_one", bound_agent="helper")
    assert (_selected(world), _selected(world, "helper")) == (None, "todo_one")


def test_work_that_fits_is_found_behind_any_amount_of_work_that_does_not():
    world = World()
    world.activate()
    requests = [
        world.request("ann", "todo.add", goal_id=DOCS, text="Train it", priority="P0", required_capability=["gpu"])
        for _ in range(300)
    ]
    world.drain(*requests)
    world.add("todo_mine", priority="P4")
    assert _selected(world) == "todo_mine"


def test_what_is_offered_can_be_claimed_and_leased():
    world = World()
    world.activate(capability=["docs"])
    world.add("todo_one", depends_on=[])
    todo_id = _selected(world)
    assert world.outcome("builder", "todo.claim", goal_id=DOCS, todo_id=todo_id) == "committed"
    asked = {"goal_id": DOCS, "todo_id": todo_id, "idempotency_key": "run-1"}
    assert world.outcome("builder", "task-lease.acquire", **asked) == "committed"


def test_work_whose_files_are_leased_for_other_work_is_passed_over():
    world = World()
    world.activate(handoff_mode="hard_lease", write_scope=["**"])
    world.add("todo_first", required_write_scope=["docs/a"])
    world.add("todo_meets", required_write_scope=["docs/**"], priority="P0")
    world.add("todo_free")
    world.lease("todo_first")
    assert _verdict(world, "helper").todo.todo_id == "todo_free"
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_free")
    verdict = _verdict(world, "helper")
    assert (verdict.state, verdict.decision, verdict.reason_codes) == (S.WAITING, D.SKIP, ("write_scope_busy",))


def test_a_goal_that_cannot_be_read_back_is_no_reason_to_run_and_no_fault():
    world = World()
    world.activate()
    _stop(world)

    def unreadable(_goal_id, _last_seq):
        raise StoreFault("a page of the ledger is damaged")

    world.state.goals.loader = unreadable
    assert put_away(world.state, 0, world.state.seq, 1)
    verdict = _verdict(world)
    assert (verdict.state, verdict.decision, verdict.reason_codes) == (S.BLOCKED_HEALTH, D.SKIP, ("goal_unreadable",))
    asked = parse("quota.should-run", {"goal_id": DOCS})
    document = READERS["quota.should-run"](world.state, world.caller("builder"), asked, world.now_ms)
    assert (document["should_run"], document["state"]) == (False, "blocked_health")
    assert document["decision_frame"]["quiet_noop_allowed"] is True
    assert document["next_safe_action"]["by"] == "operator"
    assert document.keys() == _whole_document().keys()
    assert valid_until_ms(world.state, DOCS, world.now_ms) == world.now_ms


def _whole_document() -> dict[str, object]:
    world = World()
    world.activate()
    asked = parse("quota.should-run", {"goal_id": DOCS})
    return READERS["quota.should-run"](world.state, world.caller("builder"), asked, world.now_ms)
