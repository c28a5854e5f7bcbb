"""The goal's page over a world in memory: the facts of the document, every panel, each kind of goal, each moment."""

import asyncio

import msgspec
import pytest

from ledger.refusals import Refusal
from tests.support.views import busy, view
from tests.support.world import World
from tests.web.page_facts import Page, differing
from tests.web.pure_reads import page_of

SEED = (
    "decision_frame", "quota", "user_todos", "agent_todos", "open_gates", "active_leases", "recent_events",
    "source_warnings", "interaction_contract",
)  # fmt: skip
ANSWERS = (
    "objective", "responsible", "claimed_until", "active_leases[0].todo_id", "active_leases[0].lease_until",
    "active_leases[0].write_scope", "cause", "next_safe_action",
)  # fmt: skip


def html(world, path="goals/docs", **query):
    """A page that must be there."""
    found = asyncio.run(page_of(world, path, **query))
    assert isinstance(found, str), found
    return found


def document(world, action="goal.show", who="operator", **params):
    """What the wire says."""
    return msgspec.to_builtins(view(world, action, who, **{"goal_id": "docs", **params}))


@pytest.fixture(scope="module")
def world():
    return busy()


@pytest.fixture(scope="module")
def page(world):
    return Page(html(world))


def test_every_fact_is_the_documents_own(world, page):
    gate = document(world, "gate.show", gate_id="gate_publish")
    (plan,) = document(world, "plan.list")["plans"]
    documents = {
        "goal.show": document(world),
        "gate.show gate_id=gate_publish": gate,
        f"plan.show plan_id={plan['plan_id']}": document(world, "plan.show", plan_id=plan["plan_id"]),
        "todo.list": document(world, "todo.list"),
        "usage.show": document(world, "usage.show"),
    }
    assert differing(page, documents) == []
    assert {fact.document for fact in page.facts} == documents.keys()
    assert len(page.facts) > 80


def test_the_six_answers_are_there_and_every_panel_of_the_projection(page):
    assert {fact.path for fact in page.facts if fact.panel == "six_answers"} >= set(ANSWERS)
    assert set(SEED) <= set(page.panels)
    assert len(page.ids) == len(set(page.ids))


def test_nothing_on_it_writes_and_every_line_carries_its_basis(world, page):
    methods = {given.get("method") for tag, given in page.elements if tag == "form"}
    lines = [given["data-copy"] for tag, given in page.elements if "data-copy" in given]
    gate = document(world, "gate.show", gate_id="gate_publish")
    assert methods == {"get"}
    assert not [given for _, given in page.elements if any(name.startswith(("on", "style")) for name in given)]
    assert f"frontstage gate approve --goal-id docs --gate-id gate_publish --basis {gate['basis']}" in lines
    assert f"frontstage goal confirm --goal-id docs --basis {document(world)['basis']['confirm']}" in lines


def test_an_earlier_moment_shows_what_was_and_offers_no_line(world):
    past = html(world, at=world.goal().created_seq + 1)
    shown = Page(past)
    assert "gate_publish" not in past
    assert [given for tag, given in shown.elements if "data-copy" in given] == []
    assert [given["href"] for _, given in shown.elements if given.get("rel") == "next"]
    before = html(world, at=1)
    assert Page(before).panels == ["truth_contract", "not_yet", "moment"]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("goals/unknown", {}),
        ("goals/DOCS", {}),
        ("goals/docs", {"at": 9_999}),
        ("goals/docs", {"todos": "lost"}),
        ("goals/docs", {"todos_after": "x"}),
        ("goals/docs", {"todos_after": "todo_unknown"}),
    ],
)
def test_what_is_not_there_is_refused_plainly(world, path, query):
    assert isinstance(asyncio.run(page_of(world, path, **query)), Refusal)


@pytest.mark.parametrize("end", ["accept", "stop", "decline"])
def test_a_goal_that_is_over_says_so_and_asks_nothing(end):
    over = World()
    match end:
        case "accept":
            over.delivered()
            over.do("ann", "goal.accept", goal_id="docs", basis=over.goal().delivery.basis)
        case "stop":
            over.activate()
            over.do("ann", "goal.stop", goal_id="docs")
        case "decline":
            over.propose()
            over.do("ann", "goal.decline", goal_id="docs", basis=over.goal().intents[0].basis, reason="Not now")
    shown = Page(html(over))
    assert differing(shown, {"goal.show": document(over)}) == []
    assert [given for _, given in shown.elements if "data-copy" in given] == []
