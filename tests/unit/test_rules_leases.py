"""Leases: every refusal, its place among the others, and what is granted to the millisecond."""

import pytest

from ledger.rules.leases import (
    LeaseAcquired,
    LeaseExpired,
    LeaseReleased,
    LeaseRenewed,
    effective_claim,
    effective_lease,
)
from ledger.rules.leases import LeaseRefusal as R
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.world import DOCS, START_MS, World

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}


def _work(world: World, goal: dict[str, object]) -> None:
    world.activate(capability=["docs"], **goal)
    world.add("todo_one", required_write_scope=["reports/one"])
    world.add("todo_two", required_write_scope=["reports/two"])
    world.add("todo_barred", excluded_agent=["builder", "stranger"])
    world.add("todo_hard", required_capability=["gpu"], required_write_scope=["reports/hard"])


def _held(world: World, goal: dict[str, object]) -> None:
    _work(world, goal)
    world.lease("todo_one", ttl_seconds=60)


def _claimed_by_helper(world: World) -> None:
    for todo_id in ("todo_one", "todo_barred"):
        world.do("helper", "todo.claim", goal_id=DOCS, todo_id=todo_id)


def _key_retired(world: World) -> None:
    world.lease("todo_one", key="run-1", ttl_seconds=1)
    world.now_ms += 1_000


def _revised(world: World) -> None:
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Better docs")
    world.confirm()


ACQUIRE = Ladder(
    action="task-lease.acquire",
    who="builder",
    base=_work,
    params=ONE | {"idempotency_key": "run-1", "ttl_seconds": 60},
    rungs=(
        Rung(code=R.INVALID_WRITE_SCOPE, params={"write_scope": ["src/**", "reports/../.."]}),
        Rung(code=R.SCOPE_OUTSIDE_BOUNDARY, params={"write_scope": ["src/**"]}),
        Rung(code=R.HANDOFF_MODE_FORBIDS_LEASE, goal={"handoff_mode": "soft_claim"}),
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=R.TODO_NOT_OPEN, world=lambda w: w.do("ann", "todo.block", **ONE, reason="The site is down")),
        Rung(code=R.INVALID_OWNER, params={"owner": "nobody"}),
        Rung(code=R.OWNER_NOT_REGISTERED, who="stranger"),
        Rung(code=R.OWNER_EXCLUDED_FROM_TODO, params={"todo_id": "todo_barred"}),
        Rung(code=R.OWNER_CONFLICTS_WITH_CLAIM, world=_claimed_by_helper),
        Rung(code=R.TODO_NOT_EXECUTABLE, world=lambda w: w.do("ann", "goal.pause", goal_id=DOCS), late=True),
        Rung(code=R.VERSION_MISMATCH, params={"expected_version": 7}),
        Rung(code=R.TODO_LEASE_CONFLICT, world=lambda w: w.lease("todo_one", "helper", "run-8")),
        Rung(code=R.IDEMPOTENCY_KEY_REUSE, world=_key_retired),
        Rung(code=R.OBJECTIVE_REVIEW_REQUIRED, world=_revised, late=True),
        Rung(code=R.CAPABILITY_MISSING, params={"todo_id": "todo_hard"}),
        Rung(
            code=R.WRITE_SCOPE_CONFLICT,
            world=lambda w: w.lease("todo_two", "helper", "run-8", write_scope=["reports/*"]),
        ),
    ),
)
RENEW = Ladder(
    action="task-lease.renew",
    who="builder",
    base=_held,
    params=ONE | {"idempotency_key": "run-1", "expected_version": 1},
    rungs=(
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}),
        Rung(code=R.VERSION_REQUIRED, params={"expected_version": None}, alone=True),
        Rung(code=R.VERSION_MISMATCH, params={"expected_version": 2}),
        Rung(code=R.LEASE_CAS_MISMATCH, params={"idempotency_key": "run-2"}),
        Rung(code=R.LEASE_NOT_ACTIVE, world=lambda w: setattr(w, "now_ms", w.now_ms + 60_000)),
    ),
)
RELEASE = Ladder(
    action="task-lease.release",
    who="builder",
    base=_held,
    params=ONE | {"idempotency_key": "run-1", "expected_version": 1},
    rungs=RENEW.rungs[:-1],
)
LADDERS = (ACQUIRE, RENEW, RELEASE)
CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    assert untested(R, *LADDERS) == set()


@pytest.fixture
def world():
    world = World()
    _work(world, {})
    return world


@pytest.fixture
def held(world):
    """Builder holds todo_one until the sixtieth second."""
    world.lease("todo_one", ttl_seconds=60)
    return world


@pytest.mark.parametrize(
    ("after_ms", "who", "key", "expected"),
    [
        (59_999, "helper", "run-2", R.TODO_LEASE_CONFLICT),
        (60_000, "helper", "run-2", "committed"),
        (59_999, "builder", "run-1", "held"),
        (60_000, "builder", "run-1", R.IDEMPOTENCY_KEY_REUSE),
        (60_000, "builder", "run-2", "committed"),
    ],
)
def test_builder_holds_until_the_last_millisecond_of_the_sixtieth_second(held, after_ms, who, key, expected):
    held.now_ms += after_ms
    assert held.outcome(who, "task-lease.acquire", **ONE, idempotency_key=key, ttl_seconds=60) == expected


def test_a_first_grant_has_version_one_and_epoch_one_and_brings_the_claim(world):
    (event,) = world.do("builder", "task-lease.acquire", **ONE, idempotency_key="run-1", ttl_seconds=60)
    assert event.facts == LeaseAcquired(
        todo_id="todo_one",
        owner="builder",
        idempotency_key="run-1",
        write_scopes=("reports/one",),
        acquire_ttl_seconds=60,
        version=1,
        lease_epoch=1,
        expires_at_ms=START_MS + 60_000,
    )
    assert (world.todo("todo_one").claimed_by, world.todo("todo_one").claim_from_lease) == ("builder", True)


def test_a_lease_lasts_2700_seconds_unless_said_otherwise(world):
    world.lease("todo_one")
    assert world.goal().leases["todo_one"].expires_at_ms == world.now_ms + 2_700_000


def test_taking_over_writes_the_expiry_first_and_continues_version_and_epoch(held):
    held.now_ms += 90_000
    expired, acquired = held.do("helper", "task-lease.acquire", **ONE, idempotency_key="run-2", ttl_seconds=60)
    assert expired.facts == LeaseExpired(
        todo_id="todo_one", owner="builder", lease_epoch=1, expired_at_ms=START_MS + 60_000
    )
    assert (acquired.facts.version, acquired.facts.lease_epoch, acquired.facts.owner) == (2, 2, "helper")


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"ttl_seconds": 60}, "held"),
        ({"ttl_seconds": 61}, R.IDEMPOTENCY_KEY_REUSE),
        ({"ttl_seconds": 60, "write_scope": ["reports/other"]}, R.IDEMPOTENCY_KEY_REUSE),
        ({"ttl_seconds": 60, "write_scope": ["./reports//one"]}, "held"),
        ({"ttl_seconds": 60, "expected_version": 1}, "held"),
    ],
)
def test_the_same_execution_asking_again_reads_its_lease_back_or_is_told_what_differs(held, params, expected):
    assert held.outcome("builder", "task-lease.acquire", **ONE, idempotency_key="run-1", **params) == expected


def test_the_order_of_scopes_does_not_make_another_request(world):
    asked = {"idempotency_key": "run-1", "ttl_seconds": 60}
    world.do("builder", "task-lease.acquire", **ONE, **asked, write_scope=["reports/a", "reports/b"])
    again = world.outcome("builder", "task-lease.acquire", **ONE, **asked, write_scope=["reports/b", "reports/a"])
    assert again == "held"


def test_somebody_else_with_the_holders_key_is_told_that_the_key_is_used(held):
    outcome = held.outcome("helper", "task-lease.acquire", **ONE, idempotency_key="run-1", ttl_seconds=60)
    assert outcome == R.IDEMPOTENCY_KEY_REUSE


def test_an_execution_key_is_refused_for_ever_however_many_generations_ago_it_was_used(world):
    for number in range(1, 5):
        world.lease("todo_one", key=f"run-{number}")
        world.do("builder", "task-lease.release", **ONE, idempotency_key=f"run-{number}", expected_version=number)
    for number in range(1, 5):
        outcome = world.outcome("helper", "task-lease.acquire", **ONE, idempotency_key=f"run-{number}")
        assert outcome == R.IDEMPOTENCY_KEY_REUSE


def test_a_key_used_on_one_todo_is_free_on_another(held):
    other = ONE | {"todo_id": "todo_two"}
    assert held.outcome("builder", "task-lease.acquire", **other, idempotency_key="run-1") == "committed"


def test_renewing_raises_the_version_and_not_the_epoch_and_counts_from_now(held):
    held.now_ms += 30_000
    (event,) = held.do("builder", "task-lease.renew", **ONE, idempotency_key="run-1", expected_version=1)
    assert event.facts == LeaseRenewed(todo_id="todo_one", version=2, expires_at_ms=held.now_ms + 60_000)
    assert held.goal().leases["todo_one"].lease_epoch == 1


def test_a_renewed_lease_outlives_its_first_end(held):
    held.now_ms += 30_000
    held.do("builder", "task-lease.renew", **ONE, idempotency_key="run-1", expected_version=1, ttl_seconds=90)
    held.now_ms += 89_999
    assert effective_lease(held.goal(), "todo_one", held.now_ms) is not None
    held.now_ms += 1
    assert effective_lease(held.goal(), "todo_one", held.now_ms) is None


def test_somebody_else_cannot_renew_even_with_key_and_version(held):
    asked = ONE | {"idempotency_key": "run-1", "expected_version": 1}
    assert held.outcome("helper", "task-lease.renew", **asked) == R.LEASE_CAS_MISMATCH
    assert held.outcome("helper", "task-lease.renew", **asked, owner="builder") == R.LEASE_CAS_MISMATCH


def test_releasing_keeps_version_and_epoch_and_ends_the_claim_it_set(held):
    (event,) = held.do("builder", "task-lease.release", **ONE, idempotency_key="run-1", expected_version=1)
    assert event.facts == LeaseReleased(todo_id="todo_one", version=1, lease_epoch=1)
    assert held.todo("todo_one").claimed_by is None
    lease = held.goal().leases["todo_one"]
    assert (lease.status, lease.version, lease.lease_epoch, lease.released_at_ms) == ("released", 1, 1, held.now_ms)


def test_releasing_twice_reads_the_released_record_back(held):
    asked = ONE | {"idempotency_key": "run-1", "expected_version": 1}
    held.do("builder", "task-lease.release", **asked)
    again = held.ask("builder", "task-lease.release", **asked).held
    assert (again.facts["status"], again.seq) == ("released", held.goal().leases["todo_one"].seq)


def test_releasing_ignores_the_end_of_the_lease(held):
    held.now_ms += 600_000
    assert (
        held.outcome("builder", "task-lease.release", **ONE, idempotency_key="run-1", expected_version=1) == "committed"
    )


def test_releasing_what_never_was_says_that_it_is_missing(world):
    answer = world.ask("builder", "task-lease.release", **ONE, idempotency_key="run-1", expected_version=0)
    assert answer.held.facts == {"todo_id": "todo_one", "missing": True}


def test_a_late_execution_cannot_release_the_lease_that_came_after_it(held):
    held.now_ms += 60_000
    held.lease("todo_one", key="run-2")
    late = ONE | {"idempotency_key": "run-1", "expected_version": 1}
    assert held.outcome("builder", "task-lease.release", **late) == R.VERSION_MISMATCH
    assert held.outcome("builder", "task-lease.release", **(late | {"expected_version": 2})) == R.LEASE_CAS_MISMATCH


def test_a_conflict_names_every_scope_that_meets(world):
    world.lease("todo_one", "helper", "run-8", write_scope=["reports/a", "docs/**"])
    refusal = world.ask(
        "builder",
        "task-lease.acquire",
        goal_id=DOCS,
        todo_id="todo_two",
        idempotency_key="run-1",
        write_scope=["docs/x", "reports/a/b", "reports/c"],
    ).refusal
    assert refusal.details == {
        "conflicts": [
            {"todo_id": "todo_one", "write_scope": "docs/**", "asked": "docs/x"},
            {"todo_id": "todo_one", "write_scope": "reports/a", "asked": "reports/a/b"},
        ],
        "conflicts_total": 2,
    }


@pytest.mark.parametrize("end", ["released", "expired", "completed", "blocked"])
def test_a_lease_that_is_over_blocks_no_scope(world, end):
    world.lease("todo_one", "helper", "run-8", ttl_seconds=60, write_scope=["reports/**"])
    fence = {"task_lease_idempotency_key": "run-8", "task_lease_expected_version": 1}
    match end:
        case "released":
            world.do("helper", "task-lease.release", **ONE, idempotency_key="run-8", expected_version=1)
        case "expired":
            world.now_ms += 60_000
        case "completed":
            evidence = [world.submit("todo_one", "helper")]
            world.do("helper", "todo.complete", **ONE, evidence=evidence, **fence)
        case _:
            world.do("helper", "todo.block", **ONE, reason="The site is down", **fence)
    other = ONE | {"todo_id": "todo_two"}
    assert world.outcome("builder", "task-lease.acquire", **other, idempotency_key="run-1") == "committed"


def test_an_expired_lease_frees_its_claim_before_anybody_wrote_the_expiry(held):
    held.now_ms += 60_000
    assert effective_claim(held.goal(), held.todo("todo_one"), held.now_ms) is None


def test_the_sweep_writes_an_expiry_once_and_leaves_a_renewed_lease_alone(held):
    assert held.outcome("daemon", "task-lease.expire", **ONE) == "held"
    held.now_ms += 60_000
    (event,) = held.do("daemon", "task-lease.expire", **ONE)
    assert event.facts.expired_at_ms == START_MS + 60_000
    assert held.outcome("daemon", "task-lease.expire", **ONE) == "held"
    assert held.todo("todo_one").claimed_by is None


def test_ones_own_soft_claim_does_not_stand_in_the_way_of_ones_lease(world):
    world.do("builder", "todo.claim", **ONE)
    world.lease("todo_one")
    world.do("builder", "task-lease.release", **ONE, idempotency_key="run-1", expected_version=1)
    assert world.todo("todo_one").claimed_by is None


def test_whoever_holds_the_lease_goes_on_with_it_when_the_promise_changes(held):
    _revised(held)
    again = {"idempotency_key": "run-1", "ttl_seconds": 60}
    assert held.outcome("builder", "task-lease.acquire", **ONE, **again) == "held"
    assert (
        held.outcome("builder", "task-lease.renew", **ONE, idempotency_key="run-1", expected_version=1) == "committed"
    )
    next_one = ONE | {"todo_id": "todo_two"}
    assert (
        held.outcome("builder", "task-lease.acquire", **next_one, idempotency_key="run-1")
        == R.OBJECTIVE_REVIEW_REQUIRED
    )
    held.do("builder", "goal.adopt", goal_id=DOCS, revision=2)
    assert held.outcome("builder", "task-lease.acquire", **next_one, idempotency_key="run-1") == "committed"


def test_a_renewed_lease_lapses_at_its_new_end_and_not_at_its_old_one():
    world = World()
    world.activate()
    world.add("todo_work")
    world.lease("todo_work", ttl_seconds=60)
    first_end_ms = world.goal().leases["todo_work"].expires_at_ms
    world.now_ms += 30_000
    asked = {"goal_id": DOCS, "todo_id": "todo_work", "idempotency_key": "run-1", "expected_version": 1}
    world.do("builder", "task-lease.renew", ttl_seconds=600, **asked)
    new_end_ms = world.goal().leases["todo_work"].expires_at_ms
    assert new_end_ms > first_end_ms
    assert list(world.goal().lapsed(first_end_ms)) == []
    assert list(world.goal().lapsed(new_end_ms)) == ["todo_work"]
