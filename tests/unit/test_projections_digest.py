"""What changed since an event: the material facts of now, and an empty page where there are none."""

import msgspec
import pytest

from ledger.refusals import Refusal
from tests.support.views import basis, busy, credential, try_view, view
from tests.support.world import World


def active() -> World:
    world = World()
    world.activate()
    world.add("todo_one")
    return world


def digest(world: World, who: str = "ann", **params: object) -> dict:
    return view(world, "digest.show", who, **params)


def rows(world: World, since: int, **params: object) -> list[tuple[str, str, str]]:
    changes = digest(world, since=since, **params)["changes"]
    return [(change["kind"], change["subject"], change["now"]) for change in changes]


def gate(world: World, **given: object) -> None:
    asked = {"goal_id": "docs", "gate_id": "gate_a", "question": "May it?", "approver": ["ann"]}
    asked |= {"remind_every_seconds": 600, "blocks_goal": True}
    world.do("builder", "gate.open", **(asked | given))


def _decide(world: World, action: str, **given: object) -> None:
    world.do("ann", f"gate.{action}", goal_id="docs", gate_id="gate_a", basis=basis(world, "gate_a"), **given)


def test_where_nothing_changed_the_digest_is_empty_and_says_so():
    world = busy()
    document = digest(world, since=world.state.seq)
    assert (document["unchanged"], document["changes"], document["total"]) == (True, [], 0)
    assert document["needs_you"] == 7
    assert document["head"]["seq"] == world.state.seq


def test_events_that_change_nothing_material_leave_it_empty():
    world = active()
    world.lease("todo_one", ttl_seconds=60)
    gate(world)
    before = world.state.seq
    world.do(
        "builder", "task-lease.renew", goal_id="docs", todo_id="todo_one", idempotency_key="run-1", expected_version=1
    )
    world.do("builder", "usage.report", goal_id="docs", source="provider", tokens_in=1, tokens_out=1)
    credential(world, "helper")
    world.now_ms += 600_000
    world.do("daemon", "gate.remind", goal_id="docs", gate_id="gate_a")
    assert world.state.seq == before + 4
    assert digest(world, since=before)["unchanged"] is True
    assert digest(world, since=before)["head"]["seq"] == before + 4


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (lambda w: w.do("ann", "goal.pause", goal_id="docs"), ("goal", "docs", "paused")),
        (lambda w: w.do("ann", "goal.revise", goal_id="docs", budget="less"), ("revision", "2", "open")),
        (lambda w: w.add("todo_two"), ("todo", "todo_two", "open")),
        (
            lambda w: w.do("builder", "todo.block", goal_id="docs", todo_id="todo_one", reason="Stuck"),
            ("todo", "todo_one", "blocked"),
        ),
        (lambda w: w.do("ann", "todo.cancel", goal_id="docs", todo_id="todo_one"), ("todo", "todo_one", "cancelled")),
        (
            lambda w: w.do("ann", "todo.defer", goal_id="docs", todo_id="todo_one", resume_when="pr_merged:41"),
            ("todo", "todo_one", "deferred"),
        ),
        (gate, ("gate", "gate_a", "waiting_on_user")),
        (
            lambda w: w.do("ann", "plan.propose", goal_id="docs", lane=[{"lane_id": "links", "title": "Links"}]),
            ("plan", "plan_000011", "open"),
        ),
    ],
)
def test_each_material_change_is_a_row_from_the_event_that_made_it(act, expected):
    world = active()
    before = world.state.seq
    act(world)
    found = rows(world, before)
    if expected[0] == "plan":
        assert [row[0] for row in found] == ["plan"]
    else:
        assert found == [expected]
    assert rows(world, before, goal_id="docs") == found
    assert rows(world, world.state.seq) == []


@pytest.mark.parametrize(
    ("action", "now"),
    [("approve", "approved"), ("reject", "rejected"), ("defer", "deferred"), ("cancel", "cancelled")],
)
def test_a_decided_gate_is_a_row(action, now):
    world = active()
    gate(world)
    before = world.state.seq
    _decide(world, action)
    assert rows(world, before) == [("gate", "gate_a", now)]


def test_a_gate_that_asks_anew_is_a_row_and_so_is_one_that_comes_back():
    world = active()
    gate(world)
    before = world.state.seq
    world.do("builder", "gate.revise", goal_id="docs", gate_id="gate_a", question="May it now?")
    assert rows(world, before) == [("gate", "gate_a", "waiting_on_user")]
    _decide(world, "defer", remind_in_seconds=60)
    before = world.state.seq
    world.now_ms += 60_000
    world.do("daemon", "gate.remind", goal_id="docs", gate_id="gate_a")
    assert rows(world, before) == [("gate", "gate_a", "waiting_on_user")]


def test_what_came_and_went_since_is_one_row_in_its_last_state():
    world = active()
    before = world.state.seq
    world.finish("todo_one")
    found = rows(world, before)
    assert ("todo", "todo_one", "done") in found
    assert [row[0] for row in found] == ["artifact", "todo"]


def test_a_delivery_and_its_end_are_told_as_they_are_now():
    world = World()
    world.delivered()
    before = world.state.seq
    world.do("ann", "goal.accept", goal_id="docs", basis=world.goal().delivery.basis)
    assert sorted(rows(world, before)) == [("delivery", "1", "accepted"), ("goal", "docs", "accepted")]


def test_rows_come_in_the_order_of_the_ledger_and_the_newest_are_kept():
    world = busy()
    whole = digest(world, limit=200)
    seqs = [change["seq"] for change in whole["changes"]]
    assert seqs == sorted(seqs)
    assert (whole["total"], whole["earlier"]) == (len(seqs), 0)
    short = digest(world, limit=3)
    assert short["changes"] == whole["changes"][-3:]
    assert short["earlier"] == whole["total"] - 3


def test_a_digest_of_one_goal_is_of_that_goal_alone_and_its_head_too():
    world = busy()
    document = digest(world, goal_id="done")
    assert {change["goal_id"] for change in document["changes"]} == {"done"}
    assert document["head"]["seq"] == world.goal("done").last_seq < world.state.seq
    assert document["needs_you"] == document["needs_somebody"] == 1


def test_what_is_needed_is_counted_for_whoever_asks():
    world = busy()
    asked = {who: digest(world, who)["needs_you"] for who in ("ann", "bob", "builder", "stranger", "operator")}
    assert asked == {"ann": 7, "bob": 2, "builder": 1, "stranger": 0, "operator": 8}
    assert digest(world)["needs_somebody"] == 8


def test_grants_of_the_workspace_are_rows_without_a_goal():
    world = active()
    before = world.state.seq
    world.do("ann", "member.grant", member_id="builder", goal_id=["docs"], capability=["gpu"])
    (change,) = digest(world, since=before)["changes"]
    assert (change["goal_id"], change["kind"], change["now"], change["text"]) == (None, "grant", "in_force", "builder")
    assert digest(world, since=before, goal_id="docs")["unchanged"] is True


def test_a_moment_that_has_not_come_is_refused_and_an_unknown_goal_is_not_found():
    world = active()
    found = try_view(world, "digest.show", since=world.state.seq + 1)
    assert isinstance(found, Refusal)
    assert (found.code, found.details["field"]) == ("malformed_params", "since")
    found = try_view(world, "digest.show", goal_id="nowhere")
    assert isinstance(found, Refusal)
    assert found.code == "goal_not_found"


def test_private_words_are_withheld():
    world = active()
    world.add("todo_secret", text="Read /home/ann/notes.txt")
    document = digest(world)
    assert "/home/ann" not in msgspec.json.encode(document).decode()
    (warning,) = document["source_warnings"]
    assert warning["reason"] == "absolute_path"
