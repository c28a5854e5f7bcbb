"""Plans: confirmed as shown, all lanes at once, each a todo of its own; gaps are named and never passed over."""

import json

import msgspec
import pytest

from ledger.parts.plans import todo_id_of
from ledger.projections.documents import READERS
from ledger.rules.order import in_order
from ledger.rules.plans import LANE_FIELD_CLASS, PlanRefusal
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.plans import PLAN, confirm, lane, propose, shown_basis
from tests.support.world import DOCS, World, parse, replay

STALE = "b1:" + "0" * 32
GAP = lane("gap", agent="nobody")


@pytest.fixture
def world():
    made = World()
    made.activate()
    return made


def show(world, plan_id=PLAN):
    asked = parse("plan.show", {"goal_id": DOCS, "plan_id": plan_id})
    document = READERS["plan.show"](world.state, world.caller("ann"), asked, world.now_ms)
    return json.loads(msgspec.json.encode(document))


def steward(world, policy="steward"):
    world.activate(plan_approval=policy)
    world.do("operator", "member.add", member_id="sam", kind="agent", display_name="Sam", profile_role="steward")


def rung(code, **changes):
    return Rung(code=PlanRefusal(code), **changes)


def base(world, goal):
    world.activate(**goal)
    propose(world, lane("links"))


def revised(world):
    propose(world, lane("pages"))


def decided(world):
    confirm(world)


def squat(world):
    """The work was there before the plan that would make it."""
    world.add("todo_plan_docs_taken")
    propose(world, lane("taken"))


CONFIRM = Ladder(
    action="plan.confirm",
    who="ann",
    base=base,
    params={"goal_id": DOCS, "plan_id": PLAN, "basis": shown_basis},
    rungs=(
        rung("not_an_owner", who="bob"),
        rung("plan_not_found", params={"plan_id": "plan_none", "basis": STALE}, alone=True),
        rung("plan_decided", world=lambda w: w.do("ann", "plan.reject", goal_id=DOCS, plan_id=PLAN)),
        rung("goal_closed", world=lambda w: w.do("ann", "goal.stop", goal_id=DOCS), late=True),
        rung("basis_required", params={"basis": None}, alone=True),
        rung("stale_basis", params={"basis": STALE}),
        rung("all_gap", world=lambda w: propose(w, GAP), alone=True),
        rung("todo_exists", world=squat),
    ),
)
PROPOSE = Ladder(
    action="plan.propose",
    who="builder",
    base=base,
    params={"goal_id": DOCS, "plan_id": PLAN, "lane": [lane("links")]},
    rungs=(
        rung("actor_not_registered", who="stranger", alone=True),
        rung("not_an_owner", who="bob", alone=True),
        rung("not_the_proposer", who="helper"),
        rung("plan_decided", world=decided),
        rung("goal_closed", world=lambda w: w.do("ann", "goal.stop", goal_id=DOCS), late=True),
        rung("lane_repeated", params={"lane": [lane("a"), lane("a")]}, alone=True),
        rung("lane_not_found", params={"lane": [lane("a", depends_on=["b"])]}, alone=True),
        rung("lane_cycle", params={"lane": [lane("a", depends_on=["b"]), lane("b", depends_on=["a"])]}, alone=True),
        rung("invalid_write_scope", params={"lane": [lane("a", write_scope=["../x"], enforce=["title"])]}, alone=True),
        rung("enforcement_not_supported", params={"lane": [lane("a", enforce=["title"])]}),
    ),
)
WITHDRAW = Ladder(
    action="plan.withdraw",
    who="builder",
    base=base,
    params={"goal_id": DOCS, "plan_id": PLAN},
    rungs=(
        rung("plan_not_found", params={"plan_id": "plan_none"}, alone=True),
        rung("not_the_proposer", who="helper"),
        rung("plan_decided", world=decided),
    ),
)
LADDERS = (PROPOSE, CONFIRM, WITHDRAW)
CASES = cases(*LADDERS)
OTHERWISE = {"goal_not_confirmed", "goal_not_executable", "too_many_plans", "too_many_todos"}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda one: one.action)
def test_the_order_is_the_one_that_is_listed(ladder):
    check_order(ladder)


def test_every_refusal_is_reached():
    assert {code.value for code in untested(PlanRefusal, *LADDERS)} == OTHERWISE


def test_a_plan_of_a_goal_that_nobody_confirmed_is_refused():
    world = World()
    world.propose()
    assert world.outcome("builder", "plan.propose", goal_id=DOCS, lane=[lane("a")]) == "goal_not_confirmed"


def test_nothing_is_planned_behind_a_delivery():
    world = World()
    world.delivered()
    assert world.outcome("builder", "plan.propose", goal_id=DOCS, lane=[lane("a")]) == "goal_not_executable"


def test_a_plan_is_one_event_and_each_lane_a_todo_as_it_was_shown(world):
    lanes = [
        lane(
            "build", priority="P0", write_scope=["docs/a/**"], agent="builder", action_kind="edit", validator=["links"]
        ),
        lane("check", depends_on=["build"], capability=["docs"], acceptance="All green", priority="P3"),
    ]
    propose(world, *lanes)
    events = world.do("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=shown_basis(world))
    assert [event.kind for event in events] == ["plan.confirmed"]
    build, check_ = world.todo("todo_plan_docs_build"), world.todo("todo_plan_docs_check")
    assert (build.priority, build.required_write_scopes, build.bound_agent) == ("P0", ("docs/a/**",), "builder")
    assert (build.action_kind, build.validators, build.title) == ("edit", ("links",), "Do build")
    assert (check_.depends_on, check_.required_capabilities) == (("todo_plan_docs_build",), ("docs",))
    assert (check_.acceptance, check_.priority) == ("All green", "P3")
    assert [entry[2] for entry in world.goal().ready] == ["todo_plan_docs_build"]


def test_an_urgent_lane_loses_its_priority_when_it_becomes_work(world):
    propose(world, lane("later", priority="P3"), lane("now", priority="P0"))
    confirm(world)
    assert {row["lane_id"]: row["priority"] for row in show(world)["lanes"]} == {"later": "P3", "now": "P0"}
    assert world.goal().by_priority[0] == ("P0", world.todo("todo_plan_docs_now").seq, "todo_plan_docs_now")


def test_nobody_takes_the_todo_of_a_lane_while_its_plan_is_open(world):
    asked = {"goal_id": DOCS, "text": "Mine", "todo_id": "todo_plan_docs_build"}
    assert world.outcome("helper", "todo.add", **asked) == "committed"
    propose(world, lane("build"))
    refusal = world.ask("helper", "todo.add", **asked).refusal
    assert (refusal.code, refusal.details["plan_id"]) == ("todo_id_reserved", PLAN)
    operation = json.dumps({"op": "add", "todo_id": "todo_plan_docs_build", "title": "Mine"})
    amended = {"goal_id": DOCS, "amendment_class": "shared_work_graph", "why": "Mine", "operation": [operation]}
    assert world.outcome("helper", "amendment.submit", **amended) == "todo_id_reserved"
    assert world.outcome("helper", "todo.add", **(asked | {"todo_id": "todo_plan_docs_other"})) == "committed"
    confirm(world)
    assert world.todo("todo_plan_docs_build").title == "Do build"
    assert world.outcome("helper", "todo.add", **asked) == "todo_exists"


def test_a_plan_that_was_rejected_reserves_nothing(world):
    propose(world, lane("build"))
    world.do("ann", "plan.reject", goal_id=DOCS, plan_id=PLAN)
    world.add("todo_plan_docs_build")


def test_a_plan_of_gaps_alone_is_reported_as_a_success(world):
    basis, before = propose(world, GAP, lane("wide", write_scope=["src/**"])), world.state.seq
    answer = world.ask("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis)
    assert answer.refusal is not None
    assert (answer.refusal.code, answer.refusal.status.outcome) == ("all_gap", "all_gap")
    assert (world.state.seq, len(world.goal().todos), show(world)["status"]) == (before, 0, "open")


def test_two_lanes_with_the_same_words_are_merged_into_one_todo(world):
    propose(world, lane("one", title="Check"), lane("two", title="Check"))
    basis = shown_basis(world)
    for _ in range(2):
        world.ask("ann", "plan.confirm", key="yes", goal_id=DOCS, plan_id=PLAN, basis=basis)
    assert [todo.title for todo in world.goal().todos.values()] == ["Check", "Check"]
    assert len(replay(world.store).goals[DOCS].todos) == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"agent": "nobody"}, "agent_not_registered"),
        ({"agent": "ann"}, "agent_not_registered"),
        ({"agent": "stranger"}, "audience_not_authorized"),
        ({"agent": "builder", "capability": ["flying"]}, "capability_not_granted"),
        ({"capability": ["flying"]}, "capability_not_granted"),
        ({"write_scope": ["src/**"]}, "scope_outside_boundary"),
        ({"depends_on": ["gap"]}, "lane_waits_for_gap"),
    ],
)
def test_each_gap_is_named_when_the_plan_is_proposed_and_when_it_is_shown(world, changes, reason):
    propose(world, lane("one", **changes), GAP, lane("free"))
    named = {gap.lane_id: gap.reason for gap in world.goal().plans.by_id[PLAN].gaps}
    assert named == {"one": reason, "gap": "agent_not_registered"}
    assert {row["lane_id"]: row["gap"] for row in show(world)["lanes"]} == {**named, "free": None}
    confirm(world)
    assert list(world.goal().todos) == ["todo_plan_docs_free"]
    assert world.goal().plans.by_id[PLAN].outcome == "partial"


def test_a_set_of_gaps_that_changed_makes_the_yes_stale_and_says_so(world):
    basis = propose(world, lane("one", agent="helper"), lane("two"))
    world.do("operator", "member.revoke", member_id="helper")
    refusal = world.ask("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis).refusal
    assert (refusal.code, refusal.details["changed"]) == ("stale_basis", ["gaps"])
    confirm(world, refusal.basis)
    assert list(world.goal().todos) == ["todo_plan_docs_two"]


def test_a_yes_to_one_revision_is_none_to_the_next(world):
    basis = propose(world, lane("one"))
    propose(world, lane("two"))
    refusal = world.ask("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis).refusal
    assert (refusal.code, refusal.details["changed"]) == ("stale_basis", ["plan"])


def test_a_yes_under_another_promise_is_stale(world):
    basis = propose(world, lane("one"))
    world.do("ann", "goal.revise", goal_id=DOCS, criterion=["Another"])
    world.confirm()
    refusal = world.ask("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis).refusal
    assert (refusal.code, refusal.details["changed"]) == ("stale_basis", ["revision"])


def test_the_words_of_a_lane_are_part_of_what_is_confirmed(world):
    first = propose(world, lane("one"))
    assert first != propose(world, lane("one", title="Something else"))


def test_confirming_again_reads_back_what_happened_whatever_became_of_it(world):
    basis = propose(world, lane("one"), GAP)
    confirm(world, basis)
    seq = world.state.seq
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_plan_docs_one")
    answer = world.ask("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis)
    assert (answer.held.seq, answer.held.facts["outcome"]) == (seq, "partial")
    assert answer.held.facts["todo_ids"] == ["todo_plan_docs_one"]
    assert world.outcome("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=STALE) == "plan_decided"


@pytest.mark.parametrize(
    ("policy", "who", "expected"),
    [
        ("owner", "sam", "not_an_owner"),
        ("steward", "sam", "committed"),
        ("steward", "helper", "not_an_owner"),
        ("steward", "ann", "committed"),
    ],
)
def test_a_steward_confirms_where_the_goal_says_so_and_nowhere_else(policy, who, expected):
    world = World()
    steward(world, policy)
    basis = propose(world, lane("one"))
    assert world.outcome(who, "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis) == expected


def test_the_todos_of_different_plans_and_lanes_never_meet():
    pairs = [("plan_a", "b-c"), ("plan_a-b", "c"), ("plan_a", "b"), ("plan_a-b", "c-d")]
    assert len({todo_id_of(*pair) for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("name", [name for name, kind in LANE_FIELD_CLASS.items() if kind != "enforced"])
def test_a_claim_to_enforce_what_is_only_kept_is_refused_before_anybody_confirms(world, name):
    asked = lane("one", enforce=[name])
    assert world.outcome("builder", "plan.propose", goal_id=DOCS, lane=[asked]) == "enforcement_not_supported"


def test_a_page_may_end_among_the_todos_of_one_plan(world):
    propose(world, *(lane(name) for name in "cab"))
    confirm(world)
    seen, after = [], None
    while True:
        asked = parse("todo.list", {"goal_id": DOCS, "limit": 1} | ({"after": after} if after else {}))
        page = READERS["todo.list"](world.state, world.caller("ann"), asked, world.now_ms)
        seen += [row["todo_id"] for row in page["todos"]]
        if (after := page["next_after"]) is None:
            break
    assert seen == list(world.goal().todos)


@pytest.mark.parametrize(
    ("waits_for", "expected"),
    [
        ({}, ()),
        ({"a": ("b",), "b": ()}, ("b", "a")),
        ({"a": ("elsewhere",)}, ("a",)),
        ({"a": ("a",)}, None),
        ({"a": ("b",), "b": ("c",), "c": ("a",)}, None),
    ],
)
def test_what_waits_comes_after_what_it_waits_for(waits_for, expected):
    assert in_order(waits_for) == expected
