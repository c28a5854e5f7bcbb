"""What waits for whom: every open decision once, by its own rules, most urgent first, and nothing that is over."""

import random

import msgspec
import pytest

from ledger.projections.documents import valid_until_ms
from ledger.refusals import Refusal
from tests.support.views import basis, busy, try_view, view
from tests.support.walk import Walker
from tests.support.world import World, digest


def items(world: World, who: str = "ann", **params: object) -> list[dict]:
    return view(world, "attention.show", who, **params)["items"]


def kinds(world: World, who: str = "ann", **params: object) -> list[tuple[str, str]]:
    return [(item["goal_id"], item["kind"]) for item in items(world, who, **params)]


def active() -> World:
    world = World()
    world.activate(approver=["ann", "bob"])
    world.add("todo_one")
    return world


def gate(world: World, gate_id: str = "gate_a", **given: object) -> None:
    asked = {"goal_id": "docs", "gate_id": gate_id, "question": f"May {gate_id}?", "blocks_todo": ["todo_one"]}
    world.do("builder", "gate.open", **(asked | given))


def test_an_owner_sees_each_of_their_decisions_once_and_the_urgent_ones_first():
    assert kinds(busy()) == [
        ("docs", "confirmation"),
        ("docs", "todo"),
        ("docs", "blocked"),
        ("docs", "gate"),
        ("docs", "plan"),
        ("done", "acceptance"),
        ("asked", "question"),
    ]


def test_nobody_else_sees_what_they_can_neither_decide_nor_do():
    world = busy()
    assert kinds(world, "bob") == [("docs", "gate"), ("asked", "question")]
    assert kinds(world, "helper") == [("docs", "request")]
    assert kinds(world, "builder") == [("docs", "request")]
    assert kinds(world, "stranger") == []


def test_everybodys_items_are_for_owners_and_the_operator():
    world = busy()
    whole = view(world, "attention.show", everybody=True)
    assert whole["member_id"] is None
    assert whole["total"] == len(whole["items"]) == 8
    assert view(world, "attention.show", "operator") == whole
    assert view(world, "attention.show", member_id="bob")["items"] == items(world, "bob")
    for asked in ({"everybody": True}, {"member_id": "ann"}):
        found = try_view(world, "attention.show", "bob", **asked)
        assert isinstance(found, Refusal)
        assert found.code == "not_permitted"


def test_asking_for_nobody_and_for_both_is_refused_by_name():
    world = busy()
    found = try_view(world, "attention.show", member_id="nobody")
    assert isinstance(found, Refusal)
    assert found.code == "member_not_found"
    found = try_view(world, "attention.show", member_id="bob", everybody=True)
    assert isinstance(found, Refusal)
    assert (found.code, found.details["field"]) == ("malformed_params", "everybody")


def test_a_gate_waits_for_those_whose_vote_is_missing_and_for_nobody_else():
    world = active()
    gate(world, approver=["ann", "bob"], quorum=2)
    assert (kinds(world, "ann"), kinds(world, "bob")) == ([("docs", "gate")], [("docs", "gate")])
    world.do("ann", "gate.approve", goal_id="docs", gate_id="gate_a", basis=basis(world, "gate_a"))
    assert (kinds(world, "ann"), kinds(world, "bob")) == ([], [("docs", "gate")])
    world.do("bob", "gate.approve", goal_id="docs", gate_id="gate_a", basis=basis(world, "gate_a"))
    assert items(world, everybody=True) == []


def test_a_delegate_sees_the_gate_until_the_delegation_ends_and_a_kept_document_no_longer():
    world = active()
    world.do("operator", "member.add", member_id="carl", kind="person", display_name="Carl")
    gate(world, approver=["ann"])
    world.do("ann", "gate.delegate", goal_id="docs", gate_id="gate_a", to="carl", for_seconds=60)
    assert (kinds(world, "carl"), kinds(world, "ann")) == ([("docs", "gate")], [])
    assert valid_until_ms(world.state, "docs", world.now_ms) == world.now_ms + 60_000
    world.now_ms += 60_000
    assert (kinds(world, "carl"), kinds(world, "ann")) == ([], [("docs", "gate")])


def test_a_gate_whose_approvers_are_gone_is_the_owners_to_know_of():
    world = active()
    gate(world, approver=["bob"])
    world.do("operator", "member.revoke", member_id="bob")
    assert kinds(world, "ann") == [("docs", "gate")]


@pytest.mark.parametrize(
    ("severity", "priority", "expected"),
    [("normal", "P2", "action"), ("low", "P0", "high"), ("high", "P2", "high"), ("critical", "P3", "high")],
)
def test_severity_follows_the_gate_and_the_goal(severity, priority, expected):
    world = World()
    world.activate(priority=priority)
    world.add("todo_one")
    gate(world, severity=severity)
    assert [item["severity"] for item in items(world)] == [expected]


def test_what_was_put_off_is_watched_and_comes_back_with_its_reminder():
    world = active()
    gate(world, approver=["ann"])
    about = {"goal_id": "docs", "gate_id": "gate_a"}
    world.do("ann", "gate.defer", **about, basis=basis(world, "gate_a"), remind_in_seconds=60)
    assert [item["severity"] for item in items(world)] == ["watch"]
    world.now_ms += 60_000
    world.do("daemon", "gate.remind", **about)
    assert [item["severity"] for item in items(world)] == ["action"]


def test_an_agent_that_must_replan_is_told_and_so_are_the_owners():
    world = active()
    for turn in ("t1", "t2"):
        about = {"goal_id": "docs", "todo_id": "todo_one", "turn_instance_id": turn}
        world.do("builder", "run.report", **about, delivery_outcome="surface_only", summary="Nothing yet")
    (item,) = items(world)
    assert (item["kind"], item["waiting_on"], item["waits_for"]) == ("replan", "codex", ["builder"])
    assert item["reason_code"] == "turns_without_progress"
    assert kinds(world, "builder") == [("docs", "replan")]
    assert kinds(world, "helper") == []


def test_a_question_goes_before_the_promise_it_is_about():
    world = World()
    world.propose()
    assert kinds(world) == [("docs", "confirmation")]
    world.do("builder", "goal.clarify", goal_id="docs", question="Which folder?")
    assert kinds(world) == [("docs", "question")]


def test_blocked_work_is_one_item_that_says_how_much_there_is():
    world = active()
    world.add("todo_two", priority="P0")
    for todo_id in ("todo_one", "todo_two"):
        world.do("builder", "todo.block", goal_id="docs", todo_id=todo_id, reason="The site is down")
    (item,) = items(world)
    assert (item["kind"], item["subject"]) == ("blocked", {"goal_id": "docs", "todo_id": "todo_two", "todos": 2})


def test_an_amendment_that_waits_for_a_gate_is_the_gates_item_alone():
    world = active()
    world.do("ann", "todo.update", goal_id="docs", todo_id="todo_one", note="x")
    operation = {"op": "restate", "todo_id": "todo_one", "acceptance": "All of them"}
    given = {"amendment_class": "shared_acceptance", "why": "Clearer", "operation": [operation]}
    world.do("builder", "amendment.submit", goal_id="docs", **given)
    found = kinds(world, everybody=True)
    assert len(found) == 1
    assert found[0][1] in {"amendment", "gate"}


def test_a_goal_without_slots_or_agents_is_somebodys_to_settle():
    world = World()
    world.activate(allowed_slots=0)
    world.add("todo_one")
    assert [(item["kind"], item["action"]) for item in items(world)] == [("quota", "goal.revise")]
    world = World()
    world.activate("docs", capability=["gpu"])
    world.add("todo_one")
    assert [(item["kind"], item["action"]) for item in items(world)] == [("staffing", "member.add")]


def test_a_gate_that_was_refused_goes_on_holding_work_up_and_says_so():
    world = active()
    gate(world, approver=["ann"])
    world.do("ann", "gate.reject", goal_id="docs", gate_id="gate_a", basis=basis(world, "gate_a"))
    (item,) = items(world)
    assert (item["kind"], item["gate_id"], item["action"]) == ("decision", "gate_a", "gate.show")


def test_paused_goals_are_watched_and_closed_ones_need_nothing():
    world = active()
    world.do("ann", "goal.pause", goal_id="docs", reason="Lunch")
    assert [(item["kind"], item["severity"]) for item in items(world)] == [("resume", "watch")]
    world.do("ann", "goal.stop", goal_id="docs")
    assert items(world, everybody=True) == []


def test_a_limit_leaves_out_the_least_urgent_and_the_total_still_counts_them():
    document = view(busy(), "attention.show", limit=2)
    assert [item["kind"] for item in document["items"]] == ["confirmation", "todo"]
    assert document["total"] == 7
    assert document["by_severity"] == {"high": 5, "action": 2, "watch": 0, "info": 0}


def test_no_two_items_of_any_walk_are_about_one_thing():
    for seed in range(12):
        world, generator = World(), random.Random(seed)
        walker = Walker(world, generator.choice)
        for _ in range(150):
            move = walker.next()
            world.ask(move.who, move.action, **move.params)
            world.now_ms += generator.choice((0, 1_000, 120_000))
        found = items(world, everybody=True, limit=200)
        about = [(item["goal_id"], item["kind"], str(item["subject"])) for item in found]
        assert len(about) == len(set(about))
        assert all(item["recommended_action"] and "{" not in item["recommended_action"] for item in found)
        ranks = [("high", "action", "watch", "info").index(item["severity"]) for item in found]
        assert ranks == sorted(ranks)


def test_private_text_is_withheld_beside_what_it_was_about():
    world = active()
    gate(world, question="May I read https://acme.feishu.cn/docx/abc?", evidence_digest=digest("x"))
    document = view(world, "attention.show")
    assert "feishu" not in msgspec.json.encode(document).decode()
    assert [warning["field_path"] for warning in document["source_warnings"]] == ["items[0].text"]


def test_what_was_only_proposed_waits_for_those_who_may_let_it_in():
    world = active()
    profile = {"kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    world.do("operator", "member.add", member_id="dreamer", **profile)
    for number in range(2):
        world.do("dreamer", "todo.add", goal_id="docs", todo_id=f"todo_idea_{number}", text="Check the anchors")
    (item,) = items(world)
    assert (item["kind"], item["severity"], item["waits_for"]) == ("proposal", "watch", ["ann"])
    assert item["subject"] == {"goal_id": "docs", "todo_id": "todo_idea_0", "todos": 2}
    world.do("ann", "todo.admit", goal_id="docs", todo_id="todo_idea_0")
    world.do("ann", "todo.decline", goal_id="docs", todo_id="todo_idea_1")
    assert items(world) == []
