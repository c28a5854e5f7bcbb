"""What was refused can be read again: by whom, what, why and how often, the newest first, for whoever administers."""

import msgspec
import pytest

from ledger.audit import WINDOW_MS
from ledger.catalogue import ACTIONS
from ledger.decide import may_ask
from ledger.ids import MemberId
from ledger.projections import refused
from ledger.projections.history import Asking
from ledger.projections.stored import STORED_READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.text.documents import render
from ledger.text.say import LOCALES
from tests.support.world import DOCS, World

ANN = Caller(member_id=MemberId("ann"), kind="person", surface="cli")


@pytest.fixture(scope="module")
def world():
    """Four confirmations by who may not, a minute in which a fifth is made, a wish that holds, one that is unknown."""
    made = World()
    made.activate()
    for _ in range(4):
        made.ask("builder", "goal.confirm", goal_id=DOCS, basis="b1:" + "0" * 32)
    made.now_ms += WINDOW_MS
    made.ask("helper", "goal.pause", goal_id=DOCS, basis="b1:" + "0" * 32)
    made.add("todo_000")
    made.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_000")
    made.ask("builder", "todo.claim", goal_id=DOCS, todo_id="todo_000")
    made.ask("ann", "goal.stop", goal_id="nowhere", basis="b1:" + "0" * 32)
    return made


def ask(world, locale="en", now_ms=None, **params):
    asking = Asking(world.state, ANN, world.state.seq, world.now_ms if now_ms is None else now_ms, locale)
    reading = STORED_READERS["refusal.list"](asking, ACTIONS["refusal.list"].params.model_validate(params))
    return reading if isinstance(reading, Refusal) else msgspec.to_builtins(reading(world.store))


def tried(document):
    return [(row["actor"], row["action"], row["code"], row["times"]) for row in document["refusals"]]


def test_the_newest_stands_first_repeats_are_counted_and_a_wish_that_held_is_no_refusal(world):
    assert tried(ask(world)) == [
        ("ann", "goal.stop", "goal_not_found", 1),
        ("helper", "goal.pause", "not_permitted", 1),
        ("builder", "goal.confirm", "not_permitted", 3),
        ("builder", "goal.confirm", "not_permitted", 1),
    ]
    assert "held" in world.codes()


@pytest.mark.parametrize(
    ("params", "numbers"),
    [
        ({"actor": "builder"}, [2, 1]),
        ({"action": "goal.pause"}, [3]),
        ({"code": "goal_not_found"}, [5]),
        ({"goal_id": DOCS}, [3, 2, 1]),
        ({"actor": "bob"}, []),
    ],
)
def test_it_can_be_asked_for_some_of_them(world, params, numbers):
    assert [row["number"] for row in ask(world, **params)["refusals"]] == numbers


@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("member.add", {"member_id": "other", "kind": "agent", "display_name": "Other"}),
        ("member.grant", {"member_id": "builder"}),
        ("token.issue", {"member_id": "builder", "secret_digest": "a" * 64}),
    ],
)
@pytest.mark.parametrize("goals", [[], [DOCS]])
def test_a_request_that_names_a_list_of_goals_is_kept_and_told_and_is_of_no_goal(action, params, goals):
    made = World()
    made.activate()
    made.ask("builder", action, goal_id=goals, **params)
    assert [msgspec.json.decode(row.body)["goal_id"] for row in made.store.refusals(0)] == [None]
    (row,) = ask(made)["refusals"]
    assert (row["actor"], row["action"], row["goal_id"]) == ("builder", action, None)


def test_pages_lose_nothing_and_a_call_looks_at_a_bounded_number_of_rows(world, monkeypatch):
    def walked(**params):
        seen, after = [], None
        while True:
            page = ask(world, **params, **({} if after is None else {"after": after}))
            seen += [row["number"] for row in page["refusals"]]
            after = page["next_after"]
            if after is None:
                return seen

    assert walked(limit=1) == [5, 3, 2, 1]
    monkeypatch.setattr(refused, "SCANNED_MAX", 2)
    assert ask(world, actor="builder") | {"source_warnings": []} == {
        "schema_version": "frontstage_refusals_v1",
        "refusals": [],
        "next_after": 4,
        "source_warnings": [],
    }
    assert walked(actor="builder") == [2, 1]


def test_of_an_earlier_moment_it_tells_what_had_been_tried_by_then(world):
    assert [row["number"] for row in ask(world, now_ms=world.now_ms - 1)["refusals"]] == [2, 1]


def test_a_goal_that_is_not_there_is_not_found(world):
    assert ask(world, goal_id="nowhere").code == "goal_not_found"


@pytest.mark.parametrize("locale", LOCALES)
def test_the_reason_is_a_sentence_that_leaves_open_what_only_the_request_knew(world, locale):
    document = ask(world, locale)
    for row in document["refusals"]:
        assert row["statement"].strip()
        assert "{" not in row["statement"]
        assert not row["statement"].endswith("….")
    assert "nowhere" in document["refusals"][0]["statement"]
    shown = render("refusal.list", document, locale)
    for row in document["refusals"]:
        assert row["statement"] in shown
    assert render("refusal.list", document | {"refusals": []}, locale).strip()


@pytest.mark.parametrize(("who", "may"), [("ann", True), ("operator", True), ("bob", False), ("builder", False)])
def test_only_owners_and_the_operator_may_ask(world, who, may):
    assert may_ask(world.state, ACTIONS["refusal.list"], world.caller(who)) is may
