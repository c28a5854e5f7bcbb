"""What people report of approvals: one test for each fault, named by the fault; its docstring says what is expected."""

import pytest

from ledger.codec import decode_body
from ledger.ids import MemberId
from ledger.projections.documents import READERS
from ledger.rules.gates import gate_basis
from tests.support.world import DOCS, World, parse

GATE = {"goal_id": DOCS, "gate_id": "gate_publish"}
NEED = "publish:action:site"


@pytest.fixture
def world() -> World:
    """A goal with two todos that need decisions, and a third person who may decide."""
    made = World()
    made.activate(owner=["ann"])
    made.do("operator", "member.add", member_id="cara", kind="person", display_name="Cara")
    made.add("todo_site", required_decision_scope=[NEED])
    made.add("todo_shop", required_decision_scope=["publish:action:shop"])
    made.add("todo_free")
    return made


def _open(world: World, by: str = "builder", **more: object) -> None:
    asked = GATE | {"question": "May it go out?", "kind": "publish", "blocks_todo": ["todo_site"]}
    world.do(by, "gate.open", **(asked | {"approver": ["ann"], "decision_scope": NEED} | more))


def _seen(world: World) -> str:
    return gate_basis(world.goal(), world.goal().gates.by_id["gate_publish"])


def _press(world: World, who: str, verb: str, **more: object) -> str:
    answer = world.ask(who, f"gate.{verb}", **GATE, **({"basis": _seen(world)} | more))
    return "committed" if answer.events else (answer.refusal.code.value if answer.refusal else "held")


def _claim(world: World, todo_id: str, who: str = "builder") -> str:
    return world.outcome(who, "todo.claim", goal_id=DOCS, todo_id=todo_id)


def _should_run(world: World, who: str) -> dict[str, object]:
    asked = parse("quota.should-run", {"goal_id": DOCS, "agent_id": who})
    return READERS["quota.should-run"](world.state, world.caller(who), asked, world.now_ms)


def test_the_owner_approved_and_the_work_is_still_blocked(world):
    """A yes covers exactly the needs it was given for: that work may begin, and what it does not cover waits on."""
    _open(world)
    assert _claim(world, "todo_site") == "gate_blocks"
    assert _press(world, "ann", "approve") == "committed"
    assert _claim(world, "todo_site") == "committed"
    assert _claim(world, "todo_shop") == "decision_scope_unapproved"


@pytest.mark.parametrize("verb", ["reject", "cancel"])
def test_a_no_lets_the_blocked_work_go_on(world, verb):
    """Only a yes is a yes: after a no or a cancelled question the work stays blocked, by the gate's name."""
    _open(world)
    assert _press(world, "ann", verb) == "committed"
    assert _claim(world, "todo_site") == "gate_blocks"
    assert world.goal().gates.by_id["gate_publish"].resolved_by == "ann"


@pytest.mark.parametrize("outcome", ["reject", "cancel"])
def test_finishing_a_decision_counts_as_approval_whatever_it_was(world, outcome):
    """A decision that is asked for as a todo says how it came out, and only a yes lets what waits for it begin."""
    gate = {"role": "user", "task_class": "user_gate", "unblocks_todo_id": "todo_free"}
    world.add("todo_decide", **gate)
    assert world.outcome("ann", "todo.complete", goal_id=DOCS, todo_id="todo_decide") == "decision_outcome_required"
    world.do("ann", "todo.complete", goal_id=DOCS, todo_id="todo_decide", decision_outcome=outcome)
    assert _claim(world, "todo_free") == "dependency_unmet"


def test_one_agents_question_stalls_agents_that_it_does_not_concern(world):
    """A gate holds up what it names; whoever has other work goes on with it."""
    _open(world)
    assert _should_run(world, "helper")["selected_todo"]["todo_id"] == "todo_free"
    assert _claim(world, "todo_free", "helper") == "committed"


def test_a_question_that_names_no_work_stops_everybody(world):
    """Among several agents a gate says what it blocks, or that it means the whole goal, or is refused."""
    asked = {"goal_id": DOCS, "question": "May it go out?", "approver": ["ann"]}
    assert world.outcome("builder", "gate.open", **asked) == "gate_unscoped"
    assert world.outcome("builder", "gate.open", **asked, blocks_goal=True) == "committed"


def test_opposite_presses_from_two_chats_both_count(world):
    """The first valid decision is what happened; the other one is told who decided, when and how."""
    for first, second, status in (("approve", "reject", "approved"), ("reject", "approve", "rejected")):
        made = World()
        made.activate(owner=["ann"])
        made.add("todo_site")
        _open(made, decision_scope=None)
        seen = _seen(made)
        yes, no = (made.request("ann", f"gate.{verb}", **GATE, basis=seen) for verb in (first, second))
        won, lost = made.drain(yes, no)
        assert (len(won.events), lost.events) == (1, ())
        assert lost.refusal.code.value == "gate_already_resolved"
        assert (lost.refusal.details["resolved_by"], lost.refusal.details["status"]) == ("ann", status)


def test_an_approval_that_timed_out_is_a_silent_no(world):
    """Each gate declares what its end does: one that waits is never decided by time, one that denies says so."""
    _open(world, expires_in_seconds=60)
    world.now_ms += 60_000
    assert world.outcome("daemon", "gate.expire", **GATE) == "held"
    assert world.goal().gates.by_id["gate_publish"].status == "waiting_on_user"
    _open(world, gate_id="gate_denies", supersedes="gate_publish", expires_in_seconds=60, on_expiry="deny")
    world.now_ms += 60_000
    (event,) = world.do("daemon", "gate.expire", goal_id=DOCS, gate_id="gate_denies")
    assert (event.kind, event.facts.effect) == ("gate.expired", "deny")


def test_a_person_who_only_sits_in_the_chat_approves(world):
    """The gate's policy authorises; admission to a chat authorises nothing."""
    _open(world)
    assert _press(world, "bob", "approve") == "not_an_approver"


def test_one_of_two_approvers_is_enough_and_one_voting_twice_are_two(world):
    """A quorum of two is two people; the asker does not count, and a repeated vote counts once."""
    _open(world, by="ann", approver=["bob", "cara", "ann"], quorum=2)
    assert _press(world, "ann", "approve") == "gate_proposer_excluded"
    assert [_press(world, "bob", "approve") for _ in range(2)] == ["committed", "held"]
    assert _claim(world, "todo_site") == "gate_blocks"
    assert _press(world, "cara", "approve") == "committed"
    assert _claim(world, "todo_site") == "committed"


def test_nobody_can_tell_who_approved_and_under_which_rule(world):
    """Every vote has its voter and its seat, the event has its actor and its proof, and the reader shows them."""
    _open(world, by="ann", approver=["bob", "cara"], quorum=2)
    _press(world, "bob", "approve")
    (event,) = world.do("cara", "gate.approve", **GATE, basis=_seen(world))
    stored = decode_body(list(world.store.events(0))[-1].body)
    assert (event.actor, event.facts.votes, event.facts.quorum, stored.proof.reference) == ("cara", 2, 2, "tok-cara")
    asked = parse("gate.show", GATE)
    shown = READERS["gate.show"](world.state, world.caller("ann"), asked, world.now_ms)
    assert [(vote["seat"], vote["voter"]) for vote in shown["votes"]] == [("bob", "bob"), ("cara", "cara")]
    assert world.goal().gates.by_id["gate_publish"].resolved_by == "cara"


def test_a_press_on_yesterdays_card_runs_as_if_it_were_todays(world):
    """New evidence is a new generation: a press that was queued while nobody was connected is stale."""
    _open(world, evidence_digest="a" * 64)
    queued = _seen(world)
    world.do("builder", "gate.revise", **GATE, evidence_digest="b" * 64)
    assert _press(world, "ann", "approve", basis=queued) == "gate_stale"
    assert _claim(world, "todo_site") == "gate_blocks"


def test_a_goal_that_was_resumed_does_not_say_by_whom(world):
    """Pausing and resuming name their actor; resuming what is not paused is refused and is no silent success."""
    assert world.outcome("ann", "goal.resume", goal_id=DOCS) == "goal_state_forbids"
    world.do("ann", "goal.pause", goal_id=DOCS)
    (event,) = world.do("ann", "goal.resume", goal_id=DOCS)
    assert (event.kind, event.actor, world.goal().cause.actor) == ("goal.resumed", "ann", MemberId("ann"))
