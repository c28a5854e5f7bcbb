"""The workspace on one page: paged, bounded, and no goal of it lost between two pages."""

import msgspec
import pytest

from ledger.refusals import Refusal
from tests.support.views import basis, busy, credential, try_view, view
from tests.support.world import World

PAGE_BYTES_MAX = 400_000


def overview(world: World, **params: object) -> dict:
    return view(world, "overview.show", **params)


def row(world: World, goal_id: str = "docs") -> dict:
    return {one["goal_id"]: one for one in overview(world, closed=True)["goals"]}[goal_id]


def test_goals_come_in_pages_the_newest_first_and_none_is_lost():
    world = World()
    for number in range(7):
        world.propose(f"goal-{number}")
    seen, after = [], None
    while True:
        page = overview(world, limit=3, **({} if after is None else {"after": after}))
        seen += [one["goal_id"] for one in page["goals"]]
        after = page["next_after"]
        if after is None:
            break
        assert after == seen[-1]
        if len(seen) == 3:
            world.propose("goal-new")  # It comes before all of them and moves none.
    assert seen == [f"goal-{number}" for number in reversed(range(7))]


def test_a_page_goes_on_after_a_goal_that_was_closed_since():
    world = World()
    for number in range(4):
        world.propose(f"goal-{number}")
    after = overview(world, limit=2)["next_after"]
    world.do("ann", "goal.withdraw", goal_id=after)
    rest = overview(world, limit=2, after=after)
    assert [one["goal_id"] for one in rest["goals"]] == ["goal-1", "goal-0"]
    assert rest["next_after"] is None


def test_closed_goals_are_counted_and_shown_only_to_those_who_ask():
    world = busy()
    world.do("ann", "goal.accept", goal_id="done", basis=world.goal("done").delivery.basis)
    page = overview(world)
    assert [one["goal_id"] for one in page["goals"]] == ["docs", "asked"]
    assert (page["goals_listed"], page["goals_total"]) == (2, 3)
    assert page["goals_by_state"] == {"active": 1, "clarifying": 1, "accepted": 1}
    page = overview(world, closed=True)
    assert [one["goal_id"] for one in page["goals"]] == ["docs", "asked", "done"]
    assert (page["goals"][2]["severity"], page["goals"][2]["needs_total"]) == ("info", 0)


def test_going_on_after_nothing_is_not_a_first_page():
    found = try_view(World(), "overview.show", after="nowhere")
    assert isinstance(found, Refusal)
    assert found.code == "goal_not_found"


def test_a_row_says_who_has_it_until_when_and_for_how_long_it_has_been_so():
    world = World()
    world.activate()
    world.add("todo_one")
    world.lease("todo_one", ttl_seconds=600)
    world.now_ms += 90_000
    shown = row(world)
    assert [one["member_id"] for one in shown["responsible"]] == ["builder"]
    assert (shown["age_seconds"], shown["state"], shown["claimed_until"]) == (90, "active", "2026-09-21T14:23:20Z")
    assert shown["todos"] == {"open": 1, "blocked": 0, "done": 0, "total": 1}


def test_gates_that_wait_are_named_with_whom_they_wait_for():
    world = busy()
    shown = row(world)
    assert shown["gates_waiting_total"] == 1
    assert shown["gates_waiting"] == [{"gate_id": "gate_publish", "severity": "high", "waits_for": ["ann", "bob"]}]
    world.do("ann", "gate.approve", goal_id="docs", gate_id="gate_publish", basis=basis(world, "gate_publish"))
    assert row(world)["gates_waiting"][0]["waits_for"] == ["bob"]


def test_the_queue_on_the_page_is_everybodys_attention():
    world = busy()
    whole = view(world, "attention.show", everybody=True)
    queue = overview(world)["attention_queue"]
    assert (queue["items"], queue["total"], queue["by_severity"]) == (
        whole["items"],
        whole["total"],
        whole["by_severity"],
    )


def test_the_head_is_the_last_event_and_names_its_hash():
    world = busy()
    head = overview(world)["head"]
    assert (head["seq"], head["short_hash"]) == (world.state.seq, world.state.hash[:4].hex())


@pytest.mark.parametrize("limit", [1, 50])
def test_a_page_is_bounded_whatever_the_workspace_holds(limit):
    world = World()
    for agent in ("builder", "helper"):
        credential(world, agent)
    for number in range(60):
        world.activate(f"goal-{number:02}", objective="O" * 5_000, title="T" * 120)
        for part in range(3):
            world.add(f"todo_{part:03}", f"goal-{number:02}", text="W" * 400)
        world.do("ann", "todo.block", goal_id=f"goal-{number:02}", todo_id="todo_000", reason="R" * 2_000)
    page = overview(world, limit=limit)
    assert len(page["goals"]) == limit == len(page["attention_queue"]["items"])
    assert page["attention_queue"]["total"] == 60
    assert len(msgspec.json.encode(page)) < PAGE_BYTES_MAX


def test_the_bot_and_those_who_left_are_no_members_of_the_page():
    world = World()
    world.do("operator", "member.revoke", member_id="helper")
    page = overview(world)
    assert [one["member_id"] for one in page["members"]] == ["ann", "bob", "builder", "stranger"]
    assert page["members_total"] == 4
