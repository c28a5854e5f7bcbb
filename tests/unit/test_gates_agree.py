"""However a gate stands, every view and should-run say the same of it: who may still decide, or what to do instead."""

from collections.abc import Callable

import pytest

from ledger.refusals import Refusal
from ledger.rules.amendments import amendment_basis
from ledger.text.documents import render
from tests.support.views import basis, view
from tests.support.world import World

GATE = {"goal_id": "docs", "gate_id": "gate_a"}
TARGETS = [{"blocks_todo": ["todo_one"]}, {"blocks_goal": True}]


def asked(target: dict[str, object], **policy: object) -> World:
    world = World()
    for member_id in ("ben", "cara"):
        world.do("operator", "member.add", member_id=member_id, kind="person", display_name=member_id.title())
    world.activate(approver=["ann", "ben", "cara"])
    world.add("todo_one")
    world.do("builder", "gate.open", **GATE, question="May it?", **({"approver": ["ben"]} | policy | target))
    return world


def decided(choice: str) -> Callable[[dict[str, object]], World]:
    def make(target: dict[str, object]) -> World:
        world = asked(target)
        world.do("ben", f"gate.{choice}", **GATE, basis=basis(world, "gate_a"))
        return world

    return make


def voted(target: dict[str, object]) -> World:
    world = asked(target, approver=["ben", "cara"], quorum=2)
    world.do("ben", "gate.approve", **GATE, basis=basis(world, "gate_a"))
    return world


def lent(target: dict[str, object]) -> World:
    world = asked(target)
    world.do("ben", "gate.delegate", **GATE, to="cara", for_seconds=600)
    return world


def gone(target: dict[str, object]) -> World:
    world = asked(target)
    world.do("operator", "member.revoke", member_id="ben")
    return world


def lent_to_somebody_who_left(target: dict[str, object]) -> World:
    world = lent(target)
    world.do("operator", "member.revoke", member_id="cara")
    return world


def voted_for_by_somebody_who_left(target: dict[str, object]) -> World:
    """A vote that was given in a seat counts no more when its giver has gone; the seat is there to be asked again."""
    world = asked(target, approver=["ben", "ann"], quorum=2)
    world.do("ben", "gate.delegate", **GATE, to="cara", for_seconds=600)
    world.do("cara", "gate.approve", **GATE, basis=basis(world, "gate_a"))
    world.do("operator", "member.revoke", member_id="cara")
    return world


def too_few(target: dict[str, object]) -> World:
    world = asked(target, approver=["ben", "cara"], quorum=2)
    world.do("operator", "member.revoke", member_id="cara")
    return world


def too_few_after_a_vote(target: dict[str, object]) -> World:
    world = voted(target)
    world.do("operator", "member.revoke", member_id="ben")
    return world


def over(target: dict[str, object]) -> World:
    world = asked(target, expires_in_seconds=60, on_expiry="deny")
    world.now_ms += 60_000
    return world


def expired(target: dict[str, object]) -> World:
    world = over(target)
    world.do("daemon", "gate.expire", **GATE)
    return world


OPEN = {
    "asked": (asked, ["ben"]),
    "voted": (voted, ["cara"]),
    "lent": (lent, ["cara"]),
    "deferred": (decided("defer"), ["ben"]),
    "lent to somebody who left": (lent_to_somebody_who_left, ["ben"]),
    "voted for by somebody who left": (voted_for_by_somebody_who_left, ["ben", "ann"]),
}
SHUT = {
    "rejected": (decided("reject"), "gate_rejected"),
    "cancelled": (decided("cancel"), "gate_cancelled"),
    "expired": (expired, "gate_expired"),
    "gone": (gone, "gate_waits_for_nobody"),
    "too few": (too_few, "gate_quorum_unreachable"),
    "too few after a vote": (too_few_after_a_vote, "gate_quorum_unreachable"),
}


def steps(world: World) -> list[dict]:
    """The next step as each view has it."""
    (row,) = view(world, "overview.show")["goals"]
    (item,) = view(world, "status.show")["attention_queue"]["items"]
    shown = view(world, "goal.show", goal_id="docs")
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    packet = view(world, "review-packet.show", goal_id="docs")
    for one in (row, shown, packet):
        assert one["decision_frame"] == asks["decision_frame"]
        assert one["interaction_contract"] == asks["interaction_contract"]
    assert asks["requires_user_action"] == asks["decision_frame"]["user_action_required"]
    return [
        one["next_safe_action"] for one in (row, item["goal_channel_projection"], shown, asks)
    ]  # fmt: skip


def texts(world: World, locale: str = "en") -> dict[str, str]:
    """Every view as people read it."""
    given = {
        "status.show": {},
        "overview.show": {},
        "attention.show": {"everybody": True},
        "goal.show": {"goal_id": "docs"},
        "review-packet.show": {"goal_id": "docs"},
        "quota.should-run": {"goal_id": "docs", "agent_id": "builder"},
    }
    return {action: render(action, view(world, action, **params), locale) for action, params in given.items()}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("make", "people"), OPEN.values(), ids=OPEN)
def test_an_open_gate_is_for_those_to_decide_whom_it_still_waits_for(make, people, target):
    world = make(target)
    found = steps(world)
    assert all(one == found[0] for one in found)
    assert (found[0]["action"], found[0]["members"], found[0]["subject"]) == ("gate.show", people, GATE)
    (item,) = view(world, "attention.show", everybody=True)["items"]
    assert (item["kind"], item["gate_id"], item["waits_for"]) == ("gate", "gate_a", people)
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    assert (asks["requires_user_action"], asks["reason_codes"]) == (True, ["gate_blocks"])
    for who in people:
        given = world.decide(who, "gate.approve", **GATE, basis=basis(world, "gate_a"))
        assert not isinstance(given, Refusal)
    (todo,) = view(world, "todo.list", goal_id="docs")["todos"]
    assert todo["held_by"] == [{"code": "gate_blocks", "id": "gate_a", "waits_for": people}]
    for text in texts(world).values():
        assert "ann" in people or "ann: Decide" not in text
    assert f"{', '.join(people)}: Decide the gate gate_a." in texts(world)["status.show"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("make", "code"), SHUT.values(), ids=SHUT)
def test_a_gate_that_nobody_decides_any_more_says_how_it_stands_and_what_to_do(make, code, target):
    world = make(target)
    found = steps(world)
    assert all(one == found[0] for one in found)
    assert (found[0]["code"], found[0]["members"], found[0]["subject"]) == (code, ["ann"], GATE)
    (item,) = view(world, "attention.show", everybody=True)["items"]
    assert (item["reason_code"], item["gate_id"], item["waits_for"]) == (code, "gate_a", ["ann"])
    assert (item["action"], item["text"]) == (found[0]["action"], "May it?")
    assert item["opened_at"] is not None
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    assert (asks["requires_user_action"], asks["reason_codes"]) == (True, [code, "gate_blocks"])
    (todo,) = view(world, "todo.list", goal_id="docs")["todos"]
    assert todo["held_by"] == [{"code": code, "id": "gate_a", "waits_for": []}]
    for locale, wrong in (
        ("en", ("Decide the gate", "waits for a decision")),
        ("zh", ("决定关卡 gate_a。", "等待决定")),
    ):
        for text in texts(world, locale).values():
            assert not any(one in text for one in wrong), text
    said = view(world, "overview.show")["goals"][0]["next_action"]
    assert said == item["recommended_action"]
    assert all(said in texts(world)[name] for name in ("status.show", "overview.show", "goal.show", "attention.show"))
    assert all(said in texts(world)[name] for name in ("review-packet.show", "quota.should-run"))


@pytest.mark.parametrize("target", TARGETS)
def test_while_the_end_of_a_gate_is_not_written_nobody_is_asked_for_anything(target):
    world = over(target)
    found = steps(world)
    assert all(one == found[0] for one in found)
    assert (found[0]["code"], found[0]["action"], found[0]["members"]) == ("gate_time_over", None, [])
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    assert (asks["requires_user_action"], asks["reason_codes"]) == (False, ["gate_time_over", "gate_blocks"])
    assert view(world, "attention.show", everybody=True)["items"] == []


@pytest.mark.parametrize("left", [["ben"], ["ben", "cara"]])
@pytest.mark.parametrize("on_expiry", ["deny", "escalate", "wait"])
def test_whatever_becomes_of_a_gate_without_enough_approvers_somebody_who_can_act_is_told(on_expiry, left):
    """Before its end, when its time is over, and after that was written: an owner has it, and may do what it names."""
    world = asked(TARGETS[0], approver=left, quorum=len(left), on_expiry=on_expiry, expires_in_seconds=60)
    world.do("operator", "member.revoke", member_id="ben")
    (item,) = view(world, "attention.show", member_id="ann")["items"]
    assert (item["gate_id"], item["action"], item["waits_for"]) == ("gate_a", "gate.withdraw", ["ann"])
    assert not isinstance(world.decide("ann", item["action"], **item["subject"]), Refusal)
    world.now_ms += 60_000
    if on_expiry != "wait":
        world.do("daemon", "gate.expire", **GATE)
    (item,) = view(world, "attention.show", member_id="ann")["items"]
    assert item["gate_id"] == "gate_a"
    assert "ann" in item["waits_for"]
    expected = {"deny": "gate.show", "escalate": "gate.approve", "wait": "gate.withdraw"}
    assert item["action"] == expected[on_expiry]
    if on_expiry == "escalate":
        assert not isinstance(world.decide("ann", "gate.approve", **GATE, basis=basis(world, "gate_a")), Refusal)


def test_a_gate_that_is_still_open_does_not_hide_one_that_said_no():
    world = decided("reject")({"blocks_todo": ["todo_one"]})
    world.add("todo_two")
    opened = {"question": "And this?", "blocks_todo": ["todo_two"], "approver": ["cara"]}
    world.do("builder", "gate.open", goal_id="docs", gate_id="gate_b", **opened)
    told = {item["gate_id"]: item["waits_for"] for item in view(world, "attention.show", everybody=True)["items"]}
    assert told == {"gate_a": ["ann"], "gate_b": ["cara"]}
    assert view(world, "goal.show", goal_id="docs")["next_safe_action"]["subject"] == GATE


def test_a_gate_that_was_withdrawn_or_said_yes_is_in_nobodys_way():
    world = asked(TARGETS[0])
    world.do("builder", "gate.withdraw", **GATE)
    assert view(world, "todo.list", goal_id="docs")["todos"][0]["held_by"] == []
    assert all(one["action"] == "todo.claim" for one in steps(world))
    world = decided("approve")(TARGETS[0])
    assert all(one["action"] == "todo.claim" for one in steps(world))


def test_a_list_of_work_calls_nothing_free_that_may_not_be_taken():
    world = asked(TARGETS[0])
    for number in ("two", "three"):
        world.add(f"todo_{number}")
    brief = {"purpose": "Look", "acceptance": ["A list"], "return_requirement": "A list"}
    world.do("ann", "request.send", goal_id="docs", to="helper", blocks_todo_id="todo_two", **brief)
    profile = {"kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    world.do("operator", "member.add", member_id="dreamer", **profile)
    world.do("dreamer", "todo.add", goal_id="docs", todo_id="todo_idea", text="Check the anchors")
    text = render("todo.list", view(world, "todo.list", goal_id="docs"), "en")
    rows = {line.split()[0]: line for line in text.splitlines()}
    assert "waits for gate_a (ben)" in rows["todo_one"]
    assert "(helper)" in rows["todo_two"]
    assert "free" in rows["todo_three"]
    assert "waits to be let in" in rows["todo_idea"]
    assert text.count("free") == 1
    assert "等待 gate_a（ben）" in render("todo.list", view(world, "todo.list", goal_id="docs"), "zh")


def test_work_that_an_amendment_holds_back_is_not_called_free():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    operation = [{"op": "reprioritise", "todo_id": "todo_one", "priority": "P0"}]
    given = {"goal_id": "docs", "amendment_id": "amend_a"}
    wish = {"amendment_class": "shared_acceptance", "why": "It must", "rebase_todo": ["todo_one"]}
    world.do("builder", "amendment.submit", **given, **wish, operation=operation)
    seen = amendment_basis(world.goal(), world.goal().amendments.by_id["amend_a"])
    world.do("ann", "amendment.commit", **given, basis=seen)
    document = view(world, "todo.list", goal_id="docs")
    assert document["todos"][0]["held_by"] == [{"code": "amendment_holds", "id": "amend_a", "waits_for": []}]
    assert "claimed by builder, held back by amend_a" in render("todo.list", document, "en")


def test_where_all_goals_are_closed_it_is_said_plainly():
    world = World()
    world.activate()
    world.do("ann", "goal.stop", goal_id="docs")
    text = render("overview.show", view(world, "overview.show"), "en")
    assert "No open goals; 1 closed." in text
    assert "0 of" not in text
    assert "没有未结束的目标；已结束 1 个。" in render("overview.show", view(world, "overview.show"), "zh")
    assert "1 of 1" in render("overview.show", view(world, "overview.show", closed=True), "en")


def test_a_closed_goal_has_no_lines_with_nothing_in_them():
    world = World()
    world.activate()
    assert "Claimed until" not in render("goal.show", view(world, "goal.show", goal_id="docs"), "en")
    world.do("ann", "goal.stop", goal_id="docs")
    text = render("goal.show", view(world, "goal.show", goal_id="docs"), "en")
    assert "Responsible" not in text
    first, second = render("review-packet.show", view(world, "review-packet.show", goal_id="docs"), "en").splitlines()
    assert "nothing" not in first
    assert second == "Nothing waits for a decision."


def test_a_decision_that_no_gate_asks_for_says_since_when_and_what_for():
    world = World()
    world.activate()
    world.add("todo_one", required_decision_scope=["publish:action:site"])
    (item,) = view(world, "attention.show", everybody=True)["items"]
    assert (item["reason_code"], item["text"]) == ("decision_scope_unapproved", "Do todo_one")
    assert item["opened_at"] is not None
    found = steps(world)
    assert all(one == found[0] for one in found)
    assert (found[0]["action"], found[0]["members"]) == ("gate.open", ["ann"])


def test_what_may_be_written_is_what_the_work_may_write():
    world = World()
    world.activate(write_scope=["docs/**", "links/**", "reports/**"])
    world.add("todo_one", required_write_scope=["links/**"], priority="P0")
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    assert asks["goal_boundary"]["write_scopes"] == ["links/**"]
    text = render("quota.should-run", asks, "en")
    assert "docs/**" not in text
    world.do("ann", "todo.cancel", goal_id="docs", todo_id="todo_one")
    world.add("todo_two")
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    assert asks["goal_boundary"]["write_scopes"] == ["docs/**", "links/**", "reports/**"]


@pytest.mark.parametrize("same_name", [False, True], ids=["none by its name", "one by its name"])
def test_a_standing_no_of_another_goal_holds_work_up_here_and_names_no_gate_of_there(same_name):
    """The gate is the other goal's: whatever has its name here has nothing to do with it."""
    world = World()
    world.activate()
    world.activate("site")
    scope = {"decision_scope": "publish:project:*", "approver": ["ann"]}
    world.do("builder", "gate.open", goal_id="site", gate_id="gate_a", question="Ever?", **scope)
    seen = basis(world, "gate_a", "site")
    world.do("ann", "gate.reject", goal_id="site", gate_id="gate_a", basis=seen)
    world.add("todo_one", required_decision_scope=["publish:action:site"])
    if same_name:
        world.do(
            "builder", "gate.open", **GATE, question="Another matter?", blocks_todo=[], decision_scope="spend:goal:*"
        )
    asks = view(world, "quota.should-run", goal_id="docs", agent_id="builder")
    assert (asks["reason_codes"], asks["next_safe_action"]["action"]) == (["decision_scope_unapproved"], "gate.open")
    for text in texts(world).values():
        assert text
    (todo,) = view(world, "todo.list", goal_id="docs")["todos"]
    assert [row["code"] for row in todo["held_by"]] == ["decision_scope_unapproved"]
    assert world.outcome("builder", "todo.claim", goal_id="docs", todo_id="todo_one") == "decision_scope_unapproved"
