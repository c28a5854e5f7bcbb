"""What work waits for: an open request holds it back everywhere, and no circle is closed by whatever way."""

import pytest

from ledger.ids import MemberId
from ledger.projections.documents import READERS
from ledger.projections.verdict import goal_verdict
from ledger.rules.common import Caller
from ledger.rules.quota import decide_should_run
from tests.support.request_ladders import ONE, adopt, brief, commit, send
from tests.support.world import DOCS, World, parse

WORK = {"goal_id": DOCS, "todo_id": "todo_one"}
LEASE = WORK | {"idempotency_key": "run-1"}


@pytest.fixture
def world() -> World:
    """A goal with two todos; the first waits for a request that the builder sent to the helper."""
    made = World()
    made.activate(review="owner")
    made.add("todo_one", priority="P0")
    send(made, blocks_todo_id="todo_one")
    return made


def _read(world: World, action: str, who: str = "builder", **params: object) -> dict[str, object]:
    caller = Caller(member_id=MemberId(who), kind="agent", surface="cli")
    return READERS[action](world.state, caller, parse(action, params), world.now_ms)


def _ready(world: World) -> list[str]:
    return [row["todo_id"] for row in _read(world, "todo.ready", goal_id=DOCS)["todos"]]


def _reject(world: World) -> None:
    world.do("helper", "request.respond", **ONE, decision="reject", reason="Not mine")


def _withdraw(world: World) -> None:
    world.do("builder", "request.withdraw", **ONE)


def _return(world: World) -> None:
    adopt(world)
    asked = {"label": "found", "sha256": "a" * 64, "size_bytes": 3}
    (event,) = world.do("helper", "artifact.submit", goal_id=DOCS, **asked)
    world.do("helper", "request.return", **ONE, artifact=[str(event.facts.artifact_id)], summary="Found")


def test_work_that_a_request_stands_before_is_not_ready_and_should_run_names_the_request(world):
    assert _ready(world) == []
    document = _read(world, "quota.should-run", goal_id=DOCS)
    assert (document["state"], document["should_run"], document["reason_codes"]) == ("waiting", False, ["request_open"])
    assert document["notices"] == [{"kind": "request_open", "goal_id": DOCS, "request_id": "request_one"}]
    world.add("todo_two")
    assert _ready(world) == ["todo_two"]
    assert _read(world, "quota.should-run", goal_id=DOCS)["selected_todo"]["todo_id"] == "todo_two"


@pytest.mark.parametrize(
    ("action", "asked", "code"),
    [
        ("todo.claim", WORK, "request_holds"),
        ("task-lease.acquire", LEASE, "request_holds"),
        ("quota.reserve", {"goal_id": DOCS, "turn_instance_id": "turn-1"}, "turn_not_admitted"),
    ],
)
def test_nobody_begins_what_a_request_stands_before(world, action, asked, code):
    for who in ("builder", "helper"):
        assert world.outcome(who, action, **asked) == code


@pytest.mark.parametrize("end", [_reject, _withdraw, _return])
def test_the_end_of_the_request_lets_the_work_begin(world, end):
    end(world)
    assert _ready(world) == ["todo_one"]
    assert decide_should_run(world.state, DOCS, MemberId("builder"), world.now_ms).todo.todo_id == "todo_one"
    assert world.outcome("builder", "todo.claim", **WORK) == "committed"


def test_a_request_that_was_taken_on_or_put_off_still_stands_before_the_work(world):
    world.do("helper", "request.respond", **ONE, decision="defer", reason="After lunch")
    assert world.outcome("builder", "todo.claim", **WORK) == "request_holds"
    adopt(world)
    commit(world)
    assert world.outcome("builder", "todo.claim", **WORK) == "request_holds"


def test_work_in_hand_is_kept_and_not_finished_while_its_request_is_open(world):
    world.add("todo_two")
    world.lease("todo_two")
    proof = world.submit("todo_two")
    send(world, name="two", blocks_todo_id="todo_two")
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
    asked = {"goal_id": DOCS, "todo_id": "todo_two", "evidence": [proof]} | fence
    assert world.outcome("builder", "todo.complete", **asked) == "request_holds"
    assert world.goal().leases["todo_two"].status == "active"
    world.do("builder", "request.withdraw", goal_id=DOCS, request_id="request_two")
    assert world.outcome("builder", "todo.complete", **asked) == "committed"


def test_the_request_that_was_sent_first_is_the_one_that_is_named(world):
    send(world, name="earlier", blocks_todo_id="todo_one")
    refusal = world.decide("builder", "todo.claim", **WORK)
    assert refusal.details["request_id"] == "request_one"


# A deferral that is over is over for everybody who reads, as a lease that has run out is.


def _until_later(world: World) -> str:
    return "time:2026-10-01T00:00:00Z"


def _until_work_is_done(world: World) -> str:
    world.add("todo_first", priority="P3")
    return "todo_done:todo_first"


def _until_somebody_can(world: World) -> str:
    return "capability_available:gpu"


def _time_passes(world: World) -> None:
    world.now_ms += 30 * 24 * 3_600_000


def _work_is_done(world: World) -> None:
    world.finish("todo_first", by="helper")


def _somebody_can(world: World) -> None:
    world.do("operator", "member.add", member_id="gpu", kind="agent", display_name="GPU", capability=["gpu"])


@pytest.mark.parametrize(
    ("condition", "comes_true"),
    [(_until_later, _time_passes), (_until_work_is_done, _work_is_done), (_until_somebody_can, _somebody_can)],
)
def test_a_deferral_that_is_over_is_offered_before_anybody_wrote_so(condition, comes_true):
    world = World()
    world.activate()
    world.add("todo_later", priority="P0")
    world.do("ann", "todo.defer", goal_id=DOCS, todo_id="todo_later", resume_when=condition(world))
    assert "todo_later" not in _ready(world)
    comes_true(world)
    assert world.todo("todo_later").status == "deferred"
    assert _ready(world)[0] == "todo_later"
    document = _read(world, "quota.should-run", goal_id=DOCS)
    assert (document["decision"], document["selected_todo"]["todo_id"]) == ("run", "todo_later")
    assert document["selected_todo"]["status"] == "open"
    given = goal_verdict(world.state, world.goal(), world.now_ms)
    assert given.verdict.todo.todo_id == "todo_later"
    world.do("builder", "quota.reserve", goal_id=DOCS, turn_instance_id="turn-1")
    kinds = [event.kind for event in world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_later")]
    assert kinds == ["todo.resumed", "todo.claimed"]


# No circle: whoever adds the last edge of one is refused, by whatever family it is added.


@pytest.fixture
def fulfilled(world) -> str:
    """The work that fulfils the request which `todo_one` waits for."""
    adopt(world)
    return commit(world)


def test_work_for_a_request_is_not_put_off_until_what_waits_for_it(world, fulfilled):
    asked = {"goal_id": DOCS, "todo_id": fulfilled, "resume_when": "todo_done:todo_one"}
    assert world.outcome("helper", "todo.defer", **asked) == "resume_would_cycle"


def test_a_decision_before_the_work_of_a_request_cannot_wait_for_what_waits_for_that_work(world, fulfilled):
    decision = {"role": "user", "task_class": "user_gate", "text": "Go on?", "unblocks_todo_id": fulfilled}
    asked = {"goal_id": DOCS, "depends_on": ["todo_one"]} | decision
    assert world.outcome("ann", "todo.add", **asked) == "unblocked_comes_first"
    assert world.outcome("ann", "todo.add", **(asked | {"depends_on": []})) == "committed"


def test_an_amendment_does_not_wire_the_work_of_a_request_behind_what_waits_for_it(world, fulfilled):
    asked = {"goal_id": DOCS, "amendment_class": "shared_work_graph", "why": "Order"}
    wired = [{"op": "rewire", "todo_id": fulfilled, "depends_on": ["todo_one"]}]
    assert world.outcome("ann", "amendment.submit", **asked, operation=wired) == "dependency_cycle"


def test_an_amendment_does_not_wire_work_behind_a_decision_that_waits_for_that_work(world):
    world.add("todo_base")
    world.add("todo_after")
    decision = {"role": "user", "task_class": "user_gate", "unblocks_todo_id": "todo_after"}
    world.add("todo_decision", depends_on=["todo_base"], **decision)
    asked = {"goal_id": DOCS, "amendment_class": "shared_work_graph", "why": "Order"}
    wired = [{"op": "rewire", "todo_id": "todo_base", "depends_on": ["todo_after"]}]
    assert world.outcome("ann", "amendment.submit", **asked, operation=wired) == "dependency_cycle"


def test_a_request_is_not_fulfilled_by_work_that_was_put_off_until_what_it_holds_back(world):
    world.add("todo_later")
    world.do("ann", "todo.defer", goal_id=DOCS, todo_id="todo_later", resume_when="todo_done:todo_one")
    adopt(world)
    assert world.outcome("helper", "request.commit", **ONE, todo_id="todo_later") == "request_cycle"


def test_whoever_waits_by_a_deferral_is_found_before_a_request_to_them_is_sent(world):
    adopt(world)
    work = commit(world)
    world.add("todo_before")
    world.do("helper", "todo.defer", goal_id=DOCS, todo_id=work, resume_when="todo_done:todo_before")
    asked = brief("two", to="builder", blocks_todo_id="todo_before")
    assert world.outcome("helper", "request.send", **asked) == "request_cycle"
