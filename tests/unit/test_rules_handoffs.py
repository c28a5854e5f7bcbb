"""Handoffs, adoption, deferrals, delegations and the mode of holding: who may, in which order, and what follows."""

import pytest

from ledger.rules.authority import delegated
from ledger.rules.handoffs import HandoffRefusal as H
from ledger.rules.lease_transfer import ModeRefusal as M
from ledger.rules.leases import LeaseRefusal as R
from tests.support.ladder import Ladder, Rung, cases, check, check_order
from tests.support.world import DOCS, World

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}
OLD = {"idempotency_key": "run-1", "expected_version": 1}
FENCE = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
GIVE = ONE | OLD | {"new_owner": "helper", "new_idempotency_key": "run-2"}


def _held(world, goal):
    world.activate(capability=["docs"], **goal)
    world.add("todo_one", required_write_scope=["reports/one"])
    world.add("todo_two", required_write_scope=["reports/two"])
    world.lease("todo_one", ttl_seconds=60)


def _over(world):
    world.now_ms += 60_000


TRANSFER = Ladder(
    action="task-lease.transfer",
    who="builder",
    base=_held,
    params=GIVE,
    rungs=(
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=R.VERSION_REQUIRED, params={"expected_version": None}, alone=True),
        Rung(code=R.VERSION_MISMATCH, params={"expected_version": 2}),
        Rung(code=R.LEASE_CAS_MISMATCH, params={"idempotency_key": "run-9"}),
        Rung(code=R.LEASE_NOT_ACTIVE, world=_over),
        Rung(code=R.IDEMPOTENCY_KEY_REUSE, params={"new_idempotency_key": "run-1"}),
    ),
)
MODE = Ladder(
    action="goal.set-handoff-mode",
    who="ann",
    base=_held,
    params={"goal_id": DOCS, "handoff_mode": "hard_lease"},
    rungs=(
        Rung(code=M.GOAL_CLOSED, world=lambda w: w.do("ann", "goal.stop", goal_id=DOCS), alone=True),
        Rung(code=M.NOT_AN_OWNER, who="bob"),
        Rung(code=M.REVISION_WAITS, world=lambda w: w.do("ann", "goal.revise", goal_id=DOCS, objective="Better")),
    ),
    expected=M.HANDOFF_MODE_NOT_QUIESCENT.value,
)
HAND_OFF = Ladder(
    action="todo.handoff",
    who="builder",
    base=_held,
    params=ONE | FENCE | {"to_agent": "helper", "context": "Half is done"},
    rungs=(
        Rung(code=H.GOAL_CLOSED, world=lambda w: w.do("ann", "goal.stop", goal_id=DOCS), late=True, alone=True),
        Rung(code=H.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=H.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        Rung(code=H.NOT_AN_OWNER, who="bob", alone=True),
        Rung(code=H.TODO_NOT_OPEN, world=lambda w: w.do("ann", "todo.block", **ONE, reason="Down"), alone=True),
        Rung(code=H.TODO_NOT_HELD, params={"todo_id": "todo_two"}, alone=True),
        Rung(code=H.CLAIM_OWNER_MISMATCH, who="helper"),
        Rung(code=H.HANDOFF_TO_SELF, params={"to_agent": "builder"}),
        Rung(code=H.ARTIFACT_NOT_FOUND, params={"artifact_id": ["art_none"]}),
    ),
)
LADDERS = (TRANSFER, MODE, HAND_OFF)
CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


def test_the_mode_and_the_handoff_check_in_the_order_they_list():
    for ladder in (MODE, HAND_OFF):
        check_order(ladder)


@pytest.fixture
def world():
    world = World()
    _held(world, {})
    return world


def test_a_transfer_moves_lease_claim_and_fence_in_one_event(world):
    (event,) = world.do("builder", "task-lease.transfer", **GIVE)
    lease, todo = world.goal().leases["todo_one"], world.todo("todo_one")
    assert event.kind == "lease.transferred"
    assert (lease.owner, lease.version, lease.lease_epoch, todo.claimed_by) == ("helper", 2, 2, "helper")
    assert world.outcome("builder", "task-lease.renew", **ONE, **OLD) == "version_mismatch"
    assert (
        world.outcome("helper", "task-lease.renew", **ONE, idempotency_key="run-2", expected_version=2) == "committed"
    )


def test_a_stale_completion_does_not_end_the_lease_of_the_new_worker(world):
    artifact_id = world.submit("todo_one")
    world.do("builder", "task-lease.transfer", **GIVE)
    assert world.outcome("builder", "todo.complete", **ONE, **FENCE, evidence=[artifact_id]) == "claim_owner_mismatch"
    assert world.goal().leases["todo_one"].status == "active"


def test_a_returning_worker_of_the_same_name_is_fenced_by_its_retired_key(world):
    world.do("builder", "task-lease.release", **ONE, **OLD)
    assert world.outcome("builder", "task-lease.acquire", **ONE, idempotency_key="run-1") == "idempotency_key_reuse"
    world.lease("todo_one", key="run-3")
    artifact_id = world.submit("todo_one")
    assert world.outcome("builder", "todo.complete", **ONE, **FENCE, evidence=[artifact_id]) == "lease_cas_mismatch"


def test_a_handoff_takes_claim_lease_and_notes_over_together(world):
    artifact_id = world.submit("todo_one")
    asked = FENCE | {"to_agent": "helper", "context": "Two pages", "artifact_id": [artifact_id]}
    events = world.do("builder", "todo.handoff", **ONE, **asked, remaining_work="install.md")
    assert [event.kind for event in events] == ["lease.transferred", "todo.handed_off"]
    note = world.goal().handoffs.notes["todo_one"]
    assert (note.to_agent, note.context, note.artifact_ids) == ("helper", "Two pages", (artifact_id,))
    assert world.todo("todo_one").claimed_by == "helper"


def test_a_soft_claim_is_handed_over_and_the_old_worker_is_late():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("builder", "todo.claim", **ONE)
    world.do("builder", "todo.handoff", **ONE, to_agent="helper", context="Half")
    assert world.todo("todo_one").claimed_by == "helper"
    assert world.outcome("builder", "todo.release", **ONE) == "claim_owner_mismatch"


def test_orphaned_work_is_adopted_with_its_notes_and_the_old_worker_is_fenced(world):
    world.do("builder", "todo.handoff", **ONE, **FENCE, context="Two pages are checked")
    adopt = ONE | {"idempotency_key": "run-2", "expected_version": 1}
    assert world.outcome("helper", "todo.adopt", **adopt) == "todo_not_orphaned"
    _over(world)
    assert world.outcome("helper", "todo.adopt", **adopt | {"expected_version": 0}) == "version_mismatch"
    world.do("helper", "todo.adopt", **adopt)
    note = world.goal().handoffs.notes["todo_one"]
    assert (note.adopted_by, note.context) == ("helper", "Two pages are checked")
    assert world.outcome("builder", "task-lease.renew", **ONE, **OLD) == "version_mismatch"


def test_the_mode_changes_when_nothing_is_held(world):
    world.do("builder", "task-lease.release", **ONE, **OLD)
    world.do("ann", "goal.set-handoff-mode", goal_id=DOCS, handoff_mode="hard_lease")
    assert world.outcome("builder", "todo.claim", **ONE) == "handoff_mode_requires_lease"


def _deferred(when):
    world = World()
    world.activate()
    world.add("todo_one")
    world.add("todo_two")
    world.do("ann", "todo.defer", **ONE, resume_when=when)
    assert world.outcome("builder", "todo.claim", **ONE) == "todo_not_open"
    return world


def test_work_put_off_until_another_is_done_is_claimed_at_once_then():
    world = _deferred("todo_done:todo_two")
    assert world.outcome("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_two") == "todo_has_dependents"
    back = {"goal_id": DOCS, "todo_id": "todo_two", "resume_when": "todo_done:todo_one"}
    assert world.outcome("ann", "todo.defer", **back) == "resume_would_cycle"
    world.finish("todo_two")
    events = world.do("builder", "todo.claim", **ONE)
    assert [event.kind for event in events] == ["todo.resumed", "todo.claimed"]


def test_work_put_off_until_a_time_opens_at_its_millisecond():
    world = _deferred("time:2026-12-01T00:00:00Z")
    due_ms = world.goal().handoffs.deferrals["todo_one"].due_ms
    world.now_ms = due_ms - 1
    assert world.outcome("daemon", "todo.wake", **ONE) == "held"
    world.now_ms = due_ms
    world.do("daemon", "todo.wake", **ONE)
    assert [entry[2] for entry in world.goal().ready] == ["todo_one", "todo_two"]
    assert world.goal().handoffs.due == []


def test_what_nobody_can_see_from_here_needs_a_word():
    world = _deferred("pr_merged:acme/docs#12")
    world.do("builder", "todo.resume", **ONE, reason="Merged")
    assert world.outcome("builder", "todo.claim", **ONE) == "committed"


def test_an_exclusion_wins_over_a_delegation_and_its_end_ends_it():
    world = World()
    world.activate()
    world.add("todo_one", action_kind="check")
    world.add("todo_barred", action_kind="check", excluded_agent=["helper"])
    for todo_id in ("todo_one", "todo_barred"):
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id=todo_id)
    asked = {"agent_id": "helper", "on_behalf_of": "builder", "allowed_action": ["complete"], "action_kind": ["check"]}
    assert world.outcome("bob", "todo.delegate", goal_id=DOCS, **asked, reason="Away") == "not_an_owner"
    (event,) = world.do("ann", "todo.delegate", goal_id=DOCS, **asked, reason="Away", ttl_seconds=60)
    goal = world.goal()

    def may(todo_id, action="complete"):
        return delegated(world.state, goal, goal.todos[todo_id], "helper", action, world.now_ms)

    assert may("todo_one") == event.facts.grant_id
    assert (may("todo_barred"), may("todo_one", "update")) == (None, None)
    artifact_id = world.submit("todo_one")
    (done,) = world.do("helper", "todo.complete", **ONE, evidence=[artifact_id])
    assert (done.facts.completed_by, done.facts.on_behalf_of) == ("helper", "builder")
    world.now_ms += 60_000
    assert may("todo_one") is None


@pytest.mark.parametrize(
    ("action", "more", "allowed"),
    [
        ("todo.complete", {"evidence": ["art_none"]}, "complete"),
        ("todo.cancel", {}, "supersede"),
        ("todo.block", {"reason": "Down"}, "update"),
        ("todo.defer", {"resume_when": "pr_merged:one"}, "update"),
    ],
)
def test_a_delegate_ends_a_live_lease_of_another_by_its_key_and_version_and_not_without(action, more, allowed):
    world = World()
    _held(world, {})
    asked = {"agent_id": "helper", "on_behalf_of": "builder", "allowed_action": [allowed], "todo_id": ["todo_one"]}
    world.do("ann", "todo.delegate", goal_id=DOCS, **asked, reason="Away")
    if action == "todo.complete":
        more = {"evidence": [world.submit("todo_one")]}

    def outcome(who="helper", **fence):
        return world.outcome(who, action, **ONE, **more, **fence)

    assert outcome() == "lease_fence_required"
    assert outcome(**(FENCE | {"task_lease_idempotency_key": "run-9"})) == "lease_cas_mismatch"
    assert outcome(task_lease_idempotency_key="run-1") == "version_required"
    assert outcome(**(FENCE | {"task_lease_expected_version": 2})) == "version_mismatch"
    world.do("operator", "member.add", member_id="third", kind="agent", display_name="Third", capability=["docs"])
    assert outcome("third", **FENCE) == "claim_owner_mismatch"
    events = world.do("helper", action, **ONE, **more, **FENCE)
    assert events[0].kind == "lease.released"
    assert world.goal().leases["todo_one"].status == "released"
