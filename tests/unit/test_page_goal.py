"""The goal's page over a world in memory: the facts of the document, every panel, each kind of goal, each moment."""

import asyncio

import msgspec
import pytest

from daemon.web.fragments import Fragments
from daemon.web.shapes import SHAPES_MAX, Shapes
from ledger.refusals import Refusal
from tests.support.views import basis, busy, view
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


def changes():
    """What may happen to a goal, one thing after the other."""
    yield lambda world: None
    yield lambda world: world.do(
        "ann", "gate.approve", goal_id="docs", gate_id="gate_publish", basis=basis(world, "gate_publish")
    )
    yield lambda world: world.do(
        "builder",
        "artifact.submit",
        goal_id="docs",
        label="a.md",
        kind="report",
        sha256="a" * 64,
        size_bytes=1,
        criterion=["c1"],
    )
    yield lambda world: world.do("ann", "todo.update", goal_id="docs", todo_id="todo_one", priority="P0")
    yield lambda world: world.do(
        "builder",
        "run.report",
        goal_id="docs",
        todo_id="todo_one",
        turn_instance_id="t1",
        classification="delivery",
        delivery_outcome="surface_only",
        summary="Looked",
    )
    yield lambda world: world.do(
        "ann", "goal.decline", goal_id="docs", basis=world.goal().intents[1].basis, reason="Not now"
    )
    yield lambda world: world.do("ann", "goal.pause", goal_id="docs")


def test_what_was_drawn_before_is_drawn_again_only_where_it_is_the_same():
    """A page that follows shows every change, though most of it is found again."""
    changed, kept, pages = busy(), Fragments(), []
    for happens in changes():
        happens(changed)
        # Each shape of a goal has another number; here every page is of the first one.
        followed = asyncio.run(page_of(changed, "goals/docs", fragments=_Renumbered(kept, len(pages))))
        assert followed == html(changed)
        pages.append(followed)
    assert len(set(pages)) == len(pages)


class _Renumbered:
    """Fragments that know each shape by another number than the one before."""

    def __init__(self, kept, number):
        self._kept = kept
        self._number = number

    def piece(self, where, draw, *shown):
        """The piece, by its values."""
        return self._kept.piece((*where, self._number) if where[0].startswith("goal_") else where, draw, *shown)


def test_a_shape_is_found_again_while_its_documents_are_the_same():
    shapes, one, other = Shapes(), {"goal": 1}, {"goal": 1}
    first = shapes.of("docs", [one], lambda: {"made": 1})
    assert shapes.of("docs", [one], lambda: {"made": 2}) is first
    second = shapes.of("docs", [other], lambda: {"made": 3})
    assert (second.number != first.number, second.values) == (True, {"made": 3})
    assert shapes.of("links", [one], lambda: {"made": 4}).values == {"made": 4}
    for number in range(SHAPES_MAX):
        shapes.of(number, [one], dict)
    assert len(shapes) == SHAPES_MAX
    shapes.forget()
    assert len(shapes) == 0


def test_every_revision_is_told_and_leads_to_what_it_changed():
    changed = busy()
    for hours in ("four hours", "five hours"):
        changed.do("ann", "goal.revise", goal_id="docs", budget=hours, basis=changed.goal().intents[-1].basis)
    shown = Page(html(changed))
    links = [given["href"] for tag, given in shown.elements if given.get("href", "").endswith("#panel-revisions")]
    moments = [link.partition("at=")[2].partition("#")[0] for link in links if "at=" in link]
    assert len(moments) == 3
    assert "three hours" in html(changed, at=moments[-1])
    assert "four hours" not in html(changed, at=moments[-1])
