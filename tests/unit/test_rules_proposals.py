"""Proposals: what a member who may only propose adds is nobody's work until it is admitted."""

import pytest

from ledger.catalogue import ACTIONS
from ledger.ids import MemberId
from ledger.projections.documents import READERS
from ledger.rules.common import Caller
from ledger.rules.proposals import ProposalRefusal as R
from ledger.rules.todos import PROPOSALS_MAX
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.plans import PLAN, lane, propose
from tests.support.world import DOCS, World, parse, replay

IDEA = {"goal_id": DOCS, "todo_id": "todo_idea"}


def dreamer(world: World, **more: object) -> None:
    added = {"member_id": "dreamer", "kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    world.do("operator", "member.add", **(added | more))


def proposed(world: World, goal: dict[str, object] | None = None) -> None:
    """A goal with one idea in it and nothing else."""
    world.activate(**({"owner": ["ann"]} | (goal or {})))
    dreamer(world)
    world.add("todo_idea", by="dreamer", priority="P0")


@pytest.fixture
def world() -> World:
    made = World()
    proposed(made)
    return made


def _read(world: World, action: str, who: str = "builder", **params: object) -> dict[str, object]:
    caller = Caller(member_id=MemberId(who), kind="agent", surface="cli")
    return READERS[action](world.state, caller, parse(action, params), world.now_ms)


def _ready(world: World) -> list[str]:
    return [row["todo_id"] for row in _read(world, "todo.ready", goal_id=DOCS)["todos"]]


def _stop(world: World) -> None:
    world.do("ann", "goal.stop", goal_id=DOCS, reason="x")


def _deliver(world: World) -> None:
    world.add("todo_proved")
    world.finish("todo_proved")
    world.deliver()


def _admit(world: World) -> None:
    world.do("ann", "todo.admit", **IDEA)


def _on_top(world: World) -> None:
    world.add("todo_more", by="dreamer", depends_on=["todo_idea"])


def _base_is_gone(world: World) -> None:
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_base")


def _based(world: World, goal: dict[str, object]) -> None:
    world.activate(**({"owner": ["ann"]} | goal))
    dreamer(world)
    world.add("todo_base")
    world.add("todo_idea", by="dreamer", depends_on=["todo_base"])


CLOSED = Rung(code=R.GOAL_CLOSED, world=_stop, late=True)
UNKNOWN = Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"})
DENIED = Rung(code=R.PROPOSAL_NEEDS_OWNER, who="builder")
DECIDED = Rung(code=R.TODO_NOT_PROPOSED, world=_admit, alone=True)
LADDERS = (
    Ladder(
        action="todo.admit",
        who="ann",
        base=_based,
        params=IDEA,
        rungs=(CLOSED, UNKNOWN, DENIED, DECIDED, Rung(code=R.DEPENDENCY_NOT_FOUND, world=_base_is_gone)),
    ),
    Ladder(
        action="todo.admit",
        who="ann",
        base=proposed,
        params=IDEA,
        rungs=(Rung(code=R.GOAL_NOT_EXECUTABLE, world=_deliver), UNKNOWN),
    ),
    Ladder(
        action="todo.decline",
        who="ann",
        base=proposed,
        params=IDEA,
        rungs=(CLOSED, UNKNOWN, DENIED, DECIDED, Rung(code=R.TODO_HAS_DEPENDENTS, world=_on_top)),
    ),
)
CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=[ladder.action for ladder in LADDERS])
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_given_by_some_rung():
    assert not untested(R, *LADDERS)


def test_an_idea_is_kept_apart_and_is_nobodys_work(world):
    assert world.todo("todo_idea").status == "proposed"
    assert _ready(world) == []
    document = _read(world, "quota.should-run", goal_id=DOCS)
    assert (document["should_run"], document["decision"], document["selected_todo"]) == (False, "skip", None)
    shown = _read(world, "goal.show", goal_id=DOCS)
    assert shown["agent_todos"] == []
    assert [(row["todo_id"], row["proposed_by"][0]["member_id"]) for row in shown["proposals"]] == [
        ("todo_idea", "dreamer")
    ]
    assert (shown["proposals_total"], shown["todo_totals"]["all"]) == (1, 0)
    assert shown["next_safe_action"]["action"] == "todo.admit"
    assert replay(world.store).goals[DOCS].handoffs.proposals == {"todo_idea": None}


@pytest.mark.parametrize("who", ["builder", "dreamer"])
@pytest.mark.parametrize(
    ("action", "asked"),
    [
        ("todo.claim", {}),
        ("task-lease.acquire", {"idempotency_key": "run-1"}),
        ("todo.complete", {"evidence": []}),
        ("todo.update", {"text": "Mine"}),
        ("todo.block", {"reason": "x"}),
        ("todo.cancel", {}),
        ("todo.defer", {"resume_when": "pr_merged:one"}),
        ("todo.resume", {}),
        ("todo.admit", {}),
    ],
)
def test_no_agent_takes_up_or_changes_what_was_only_proposed(world, who, action, asked):
    assert world.outcome(who, action, **IDEA, **asked) not in {"committed", "held"}


@pytest.mark.parametrize("who", ["builder", "helper", "dreamer"])
def test_the_words_that_were_let_in_are_changed_by_no_agent(world, who):
    """Whoever let it in said yes to what it said then."""
    _admit(world)
    for action, asked in (("todo.update", {"text": "Mine"}), ("todo.update", {"priority": "P3"}), ("todo.cancel", {})):
        assert world.outcome(who, action, **IDEA, **asked) == "amendment_required"
        assert world.outcome("ann", action, **IDEA, **asked) == "committed"
    assert world.outcome("builder", "todo.update", **IDEA, note="Half done") == "committed"
    assert world.outcome("builder", "todo.claim", **IDEA) == "committed"


def test_nothing_that_was_decided_waits_for_an_idea(world):
    world.add("todo_work")
    after = {"goal_id": DOCS, "text": "After", "depends_on": ["todo_idea"]}
    assert world.outcome("builder", "todo.add", **after) == "dependency_not_found"
    later = {"goal_id": DOCS, "todo_id": "todo_work", "resume_when": "todo_done:todo_idea"}
    assert world.outcome("ann", "todo.defer", **later) == "resume_todo_not_found"
    wired = [{"op": "rewire", "todo_id": "todo_work", "depends_on": ["todo_idea"]}]
    asked = {"goal_id": DOCS, "amendment_class": "shared_work_graph", "why": "x", "operation": wired}
    assert world.outcome("ann", "amendment.submit", **asked) == "dependency_not_found"


def test_an_idea_holds_up_neither_the_end_of_work_nor_a_delivery(world):
    world.add("todo_work")
    world.add("todo_on_top", by="dreamer", depends_on=["todo_work"])
    assert world.outcome("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_work") == "committed"
    world.finish("todo_work")
    assert world.outcome("builder", "goal.deliver", goal_id=DOCS, summary="Done") == "committed"
    document = _read(world, "quota.should-run", goal_id=DOCS)
    assert document["state"] == "terminal_no_followup"


def test_a_decision_that_was_only_proposed_holds_up_no_work_until_it_is_admitted(world):
    world.add("todo_work")
    decision = {"role": "user", "task_class": "user_gate", "unblocks_todo_id": "todo_work"}
    world.add("todo_decision", by="dreamer", **decision)
    assert _ready(world) == ["todo_work"]
    world.do("ann", "todo.admit", goal_id=DOCS, todo_id="todo_decision")
    assert _ready(world) == []


def test_an_owner_lets_an_idea_in_and_it_is_work_like_any_other(world):
    (event,) = world.do("ann", "todo.admit", **IDEA)
    assert event.kind == "todo.admitted"
    assert _ready(world) == ["todo_idea"]
    assert world.outcome("builder", "todo.claim", **IDEA) == "committed"
    assert world.goal().handoffs.proposals == {}


def test_a_steward_lets_an_idea_in_only_where_the_goal_lets_stewards_decide():
    for policy, outcome in (("owner", "proposal_needs_owner"), ("steward", "committed")):
        world = World()
        proposed(world, {"plan_approval": policy})
        steward = {"member_id": "steward", "kind": "agent", "display_name": "Steward", "profile_role": "steward"}
        world.do("operator", "member.add", **steward)
        assert world.outcome("steward", "todo.admit", **IDEA) == outcome


def test_whoever_proposed_may_take_it_back_and_nobody_else(world):
    assert world.outcome("helper", "todo.decline", **IDEA) == "proposal_needs_owner"
    world.do("dreamer", "todo.decline", **IDEA, reason="Too early")
    assert world.todo("todo_idea").status == "cancelled"
    assert world.goal().handoffs.proposals == {}


def test_ideas_on_top_of_each_other_are_let_in_from_the_bottom(world):
    _on_top(world)
    assert world.outcome("ann", "todo.admit", goal_id=DOCS, todo_id="todo_more") == "dependency_not_found"
    _admit(world)
    world.do("ann", "todo.admit", goal_id=DOCS, todo_id="todo_more")
    assert _ready(world) == ["todo_idea"]


def test_a_grant_lets_a_proposer_add_work(world):
    world.do("ann", "member.grant", member_id="dreamer", goal_id=[DOCS])
    world.add("todo_granted", by="dreamer")
    assert world.todo("todo_granted").status == "open"


def test_the_lanes_of_a_proposers_plan_are_no_todos_until_an_owner_confirms_them(world):
    basis = propose(world, lane("one"), by="dreamer")
    assert list(world.goal().todos) == ["todo_idea"]
    assert world.outcome("dreamer", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis) == "not_an_owner"
    world.do("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis)
    assert [todo.status for todo in world.goal().todos.values()] == ["proposed", "open"]


def test_work_for_a_request_that_a_proposer_took_on_is_proposed(world):
    brief = {"to": "dreamer", "purpose": "Think", "acceptance": ["Thought"], "return_requirement": "A list"}
    world.do("builder", "request.send", goal_id=DOCS, request_id="request_one", **brief)
    world.do("dreamer", "request.respond", goal_id=DOCS, request_id="request_one", decision="adopt")
    world.do("dreamer", "request.commit", goal_id=DOCS, request_id="request_one", text="Think")
    assert world.todo(world.goal().requests.by_id["request_one"].todo_id).status == "proposed"


def test_more_ideas_than_anybody_reads_are_refused(world):
    for number in range(PROPOSALS_MAX - 1):
        world.add(f"todo_idea_{number}", by="dreamer")
    assert world.outcome("dreamer", "todo.add", goal_id=DOCS, text="One more") == "too_many_todos"
    assert world.outcome("builder", "todo.add", goal_id=DOCS, text="Work") == "committed"


def test_the_numbers_of_the_actions_stay():
    assert (ACTIONS["todo.admit"].number, ACTIONS["todo.decline"].number) == (153, 154)
