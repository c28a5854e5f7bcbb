"""The history as it is asked for and drawn: addresses that say everything, rows that lead on, words that are marked."""

import pytest

from daemon.web.asked import parse
from daemon.web.history_asked import EVENTS_MAX, wanted
from daemon.web.history_rows import by_day, found_row, links, marked, newest_first, why_url
from ledger.refusals import Refusal

ASKED = parse("/key", "history", {"lang": "zh", "at": "9", "actor": "ann"}, "", twice=False)
KEPT = "?lang=zh&at=9"


def event(kind="todo.claimed", at="2026-06-20T00:30:00Z", goal_id="docs", **subjects):
    return {"seq": 7, "at": at, "kind": kind, "goal_id": goal_id, "subjects": subjects}


def test_what_a_form_leaves_empty_says_nothing_and_blanks_around_a_word_do_not_count():
    want = wanted({"goal_id": " docs ", "actor": "", "kind": "  ", "query": ""})
    assert want.said == {"goal_id": "docs"}
    assert (want.events.goal_id, want.events.actor, want.events.kind) == ("docs", None, None)
    assert (want.events.limit, want.found, want.why, want.filtered) == (EVENTS_MAX, None, None, True)


def test_every_filter_of_the_action_can_be_asked_for():
    asked = {
        "goal_id": "docs", "actor": "ann", "kind": "todo", "from_seq": "2", "to_seq": "9", "order": "oldest",
        "todo_id": "todo_one", "gate_id": "gate_1", "plan_id": "plan_1", "amendment_id": "amd_1",
        "request_id": "request_1", "artifact_id": "art_000001", "member_id": "bob", "after": "5",
    }  # fmt: skip
    events = wanted(asked).events
    assert {name: str(getattr(events, name)) for name in asked} == asked


@pytest.mark.parametrize(
    "query",
    [{"kind": "!!"}, {"from_seq": "0"}, {"from_seq": "x"}, {"order": "sideways"}, {"actor": "a b"}, {"back": "-1"}],
)
def test_what_cannot_be_understood_is_refused_and_what_was_typed_is_kept(query):
    want = wanted({"goal_id": "docs", **query})
    assert isinstance(want.events, Refusal)
    assert want.said["goal_id"] == "docs"


def test_the_page_before_is_read_the_other_way_round_and_turned_back():
    want = wanted({"back": "40"})
    assert (want.events.order, want.events.after, want.backwards) == ("oldest", 40, True)
    assert wanted({"back": "40", "order": "oldest"}).events.order == "newest"
    rows = [{"seq": 41}, {"seq": 42}]
    assert [row["seq"] for row in newest_first(rows, backwards=True)] == [42, 41]
    assert [row["seq"] for row in newest_first(rows, backwards=False)] == [41, 42]


@pytest.mark.parametrize(
    ("why", "about", "asked"),
    [
        ("goal", {}, {}),
        ("todo", {"todo_id": "todo_one"}, {"todo_id": "todo_one"}),
        ("lease", {"todo_id": "todo_one"}, {"todo_id": "todo_one", "lease": True}),
        ("gate", {"gate_id": "gate_1"}, {"gate_id": "gate_1"}),
        ("request", {"request_id": "request_1"}, {"request_id": "request_1"}),
    ],
)
def test_one_may_ask_why_a_thing_is_so(why, about, asked):
    found = wanted({"goal_id": "docs", "why": why, **about}).why
    assert found.model_dump(exclude_unset=True) == {"goal_id": "docs", **asked}


@pytest.mark.parametrize("query", [{"why": "todo", "goal_id": "docs"}, {"why": "goal"}, {"why": "weather"}])
def test_why_needs_a_thing_that_it_is_asked_of(query):
    assert isinstance(wanted(query).why, Refusal)


def test_an_event_leads_to_all_that_it_names_with_what_the_reader_chose():
    row = event(todo_id="todo_one", gate_id="gate_1", agent_id="builder", member_id="bob", plan_id="plan_1")
    assert {one.name: one.url for one in links(row, ASKED)} == {
        "goal_id": f"/key/goals/docs{KEPT}",
        "todo_id": f"/key/goals/docs{KEPT}#todo-todo_one",
        "gate_id": f"/key/goals/docs{KEPT}#gate-gate_1",
        "plan_id": f"/key/goals/docs{KEPT}#plan-plan_1",
        "agent_id": f"/key/agents/builder{KEPT}",
        "member_id": f"/key/history{KEPT}&member_id=bob",
    }
    assert links(event(goal_id=None, todo_id="todo_one"), ASKED) == []


@pytest.mark.parametrize(
    ("row", "url"),
    [
        (event(), "&goal_id=docs&why=goal"),
        (event(todo_id="todo_one"), "&goal_id=docs&why=todo&todo_id=todo_one"),
        (event("lease.acquired", todo_id="todo_one"), "&goal_id=docs&why=lease&todo_id=todo_one"),
        (event("gate.opened", todo_id="todo_one", gate_id="gate_1"), "&goal_id=docs&why=gate&gate_id=gate_1"),
    ],
)
def test_each_event_asks_why_the_thing_it_is_about_is_so(row, url):
    assert why_url(row, ASKED) == f"/key/history{KEPT}{url}"
    assert why_url({**row, "goal_id": None}, ASKED) is None


def test_events_stand_under_their_days_in_their_order():
    rows = [event(at="2026-06-21T00:00:00Z"), event(at="2026-06-20T23:59:59.999Z"), event(at="2026-06-20T00:00:00Z")]
    days = by_day(rows)
    assert [(day, [row["at"] for row in of_day]) for day, of_day in days] == [
        ("2026-06-21", [rows[0]["at"]]),
        ("2026-06-20", [rows[1]["at"], rows[2]["at"]]),
    ]


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("A broken Link, a link", "LINK", "A broken [Link], a [link]"),
        ("linkage", "link age", "[link][age]"),
        ("abcabc", "abc bca", "[abc][a][bc]"),
        ("修好每一个链接", "链接", "修好每一个[链接]"),
        ("nothing", "else", "nothing"),
        ("STRASSE straße", "strasse", "STRASSE straße"),
        ("<b>x</b>\nlink", "link", "<b>x</b> [link]"),
        ("", "x", ""),
    ],
)
def test_the_words_that_were_looked_for_are_marked_and_the_text_stays_what_it_was(text, query, shown):
    assert "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in marked(text, query)) == shown


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("goal", f"/key/goals/docs{KEPT}"),
        ("todo", f"/key/goals/docs{KEPT}#todo-x"),
        ("artifact", f"/key/goals/docs{KEPT}#artifact-x"),
        ("event", f"/key/history{KEPT}&from_seq=7&to_seq=7"),
    ],
)
def test_what_was_found_leads_to_where_it_is(kind, url):
    assert found_row({"kind": kind, "id": "x", "goal_id": "docs", "seq": 7, "snippet": ""}, "x", ASKED)["url"] == url
