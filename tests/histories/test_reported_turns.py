"""What people report of turns and of work that changes hands: one test for each fault, named by the fault."""

import pytest

from ledger.ids import MemberId
from ledger.projections.documents import READERS
from ledger.rules.quota import decide_should_run
from tests.support.surfaces import AnswerLostError, WriterSurface
from tests.support.world import DOCS, World, parse

TURN = {"goal_id": DOCS, "todo_id": "todo_one", "turn_instance_id": "turn-1"}
ONE = {"goal_id": DOCS, "todo_id": "todo_one"}


@pytest.fixture
def world() -> World:
    """A goal with one todo to do."""
    made = World()
    made.activate(owner=["ann"])
    made.add("todo_one", required_write_scope=["docs/one/**"])
    return made


def _delivered(world: World, outcome: str = "outcome_progress") -> None:
    evidence = [world.finish("todo_one")] if world.todo("todo_one").status != "done" else []
    world.do("builder", "run.report", **TURN, delivery_outcome=outcome, evidence=evidence)


def _status(world: World) -> dict[str, object]:
    asked = parse("quota.status", {"goal_id": DOCS})
    return READERS["quota.status"](world.state, world.caller("builder"), asked, world.now_ms)


def test_output_that_was_lost_makes_an_agent_pay_twice(world):
    """A spend is one per delivery, however often and under whatever key it is asked for; a read shows it."""
    _delivered(world)
    world.do("builder", "quota.spend-slot", **TURN)
    for number in range(3):
        again = world.ask("builder", "quota.spend-slot", key=f"again-{number}", **TURN)
        assert (again.refusal, again.held.facts["spend_id"]) == (None, _status(world)["receipts"][0]["spend_id"])
    assert (_status(world)["spent_slots"], _status(world)["receipts_total"]) == (1, 1)


def test_turns_that_only_watch_use_up_the_quota(world):
    """A slot is spent for a delivery that is accounted for; watching, gates and notices are free."""
    world.do("builder", "run.report", **TURN, delivery_outcome="observed")
    assert world.outcome("builder", "quota.spend-slot", **TURN) == "delivery_required"
    world.finish("todo_one")
    assert world.outcome("builder", "quota.spend-slot", **TURN) == "outcome_earns_no_spend"
    assert _status(world)["spent_slots"] == 0


@pytest.mark.parametrize("stored", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.parametrize("cut_at", range(4))
def test_work_is_written_back_and_its_settlement_is_refused_because_the_goal_ended(cut_at, stored):
    """Completion, report and spend converge wherever the power fails between them, though the goal is over by then."""
    surface = WriterSurface()
    world = surface.world
    world.activate(owner=["ann"])
    world.add("todo_one")
    world.do("builder", "todo.claim", **ONE)
    proof = [world.submit("todo_one")]
    steps = [
        ("builder", "todo.complete", ONE | {"evidence": proof}),
        ("ann", "goal.stop", {"goal_id": DOCS}),
        ("builder", "run.report", TURN | {"delivery_outcome": "outcome_progress", "evidence": proof}),
        ("builder", "quota.spend-slot", TURN),
    ]
    for number, (who, action, asked) in enumerate(steps):
        if number == cut_at:
            surface.lose_next(stored=stored)
            with pytest.raises(AnswerLostError):
                surface.act(action, asked, who, f"step-{number}")
        assert surface.act(action, asked, who, f"step-{number}").outcome == "committed", action
    assert world.goal().slots.spent(world.now_ms) == 1
    kinds = [kind for _, kind in surface.history()]
    assert [kinds.count(kind) for kind in ("todo.completed", "run.reported", "slot.spent")] == [1, 1, 1]


def test_more_quota_revives_a_goal_that_was_stopped(world):
    """Stopped is stopped, and says so; only a goal whose quota is nothing is one that more quota sets going."""
    world.do("ann", "quota.set", goal_id=DOCS, compute_permille=0)
    assert decide_should_run(world.state, DOCS, MemberId("builder"), world.now_ms).reason_codes == (
        "compute_quota_zero",
    )
    world.do("ann", "goal.stop", goal_id=DOCS)
    world.do("ann", "quota.set", goal_id=DOCS, compute_permille=1_000, allowed_slots=99)
    verdict = decide_should_run(world.state, DOCS, MemberId("builder"), world.now_ms)
    assert (verdict.state.value, verdict.reason_codes) == ("paused", ("goal_stopped",))
    assert world.outcome("ann", "goal.resume", goal_id=DOCS) == "goal_state_forbids"


def test_a_done_without_any_check_is_recorded(world):
    """Where a check is asked for, only its recorded pass on this very evidence counts; a worker's word does not."""
    world.add("todo_two", validator=["links"])
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_two")
    done = {"goal_id": DOCS, "todo_id": "todo_two", "evidence": [world.submit("todo_two")], "note": "All passed"}
    assert world.outcome("builder", "todo.complete", **done) == "validator_required"


def test_work_of_a_session_that_died_can_never_be_taken_over(world):
    """When the lease has run out another adopts it, with the notes that were left; who returns is fenced."""
    world.lease("todo_one", key="run-1", ttl_seconds=60)
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
    world.do("builder", "todo.handoff", **ONE, **fence, context="Half is done", remaining_work="install.md")
    adopt = {"idempotency_key": "run-9", "expected_version": 1}
    assert world.outcome("helper", "todo.adopt", **ONE, **adopt) == "todo_not_orphaned"
    world.now_ms += 60_000
    kinds = [event.kind for event in world.do("helper", "todo.adopt", **ONE, **adopt)]
    assert kinds == ["lease.expired", "lease.acquired", "todo.adopted"]
    note = world.goal().handoffs.notes["todo_one"]
    assert (note.context, note.remaining_work, note.adopted_by) == ("Half is done", "install.md", "helper")
    late = world.ask("builder", "todo.complete", **ONE, **fence, evidence=[world.submit("todo_one", by="helper")])
    assert late.refusal is not None
    assert world.outcome("builder", "task-lease.renew", **ONE, idempotency_key="run-1", expected_version=1) in {
        "version_mismatch",
        "lease_cas_mismatch",
    }


@pytest.mark.parametrize("stored", [False, True], ids=["before the commit", "after the commit"])
def test_two_hosts_that_lost_their_answers_both_have_the_work(stored):
    """Each asks again with its own key: one reads back its first receipt, and the other is told who has it."""
    surface = WriterSurface()
    surface.world.activate()
    surface.world.add("todo_one")
    surface.lose_next(stored=stored)
    with pytest.raises(AnswerLostError):
        surface.act("todo.claim", ONE, "builder", "host-one")
    other = surface.act("todo.claim", ONE, "helper", "host-two")
    again = surface.act("todo.claim", ONE, "builder", "host-one")
    won, lost = (again, other) if stored else (other, again)
    assert (won.outcome, won.replayed, lost.code) == ("committed", stored, "claim_owner_mismatch")
    assert [kind for _, kind in surface.history()].count("todo.claimed") == 1


def test_an_idle_agent_burns_tokens_by_asking_what_to_do(world):
    """A wait has an event at its end; asking in between is a read that records nothing and says when it changes."""
    world.do("helper", "todo.claim", **ONE)
    before = world.state.seq
    for _ in range(100):
        verdict = decide_should_run(world.state, DOCS, MemberId("builder"), world.now_ms)
        assert verdict.decision.value == "skip"
    assert (world.state.seq, list(world.store.refusals(0))) == (before, [])


def test_work_that_waits_for_somebody_is_nowhere_to_be_seen(world):
    """What a request, a gate or a dead worker holds up is said by name in should-run, and reaches a person."""
    brief = {"to": "helper", "purpose": "Check", "acceptance": ["Checked"], "return_requirement": "A list"}
    world.do("builder", "request.send", goal_id=DOCS, request_id="request_one", blocks_todo_id="todo_one", **brief)
    verdict = decide_should_run(world.state, DOCS, MemberId("builder"), world.now_ms)
    assert (verdict.reason_codes, verdict.request_id) == (("request_open",), "request_one")
