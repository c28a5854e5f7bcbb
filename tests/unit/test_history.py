"""What happened and why: every event has a sentence in both languages, pages lose nothing, a chain explains a state."""

import string

import msgspec
import pytest

from ledger.catalogue import ACTIONS
from ledger.codec import decode_event
from ledger.events import ERASED
from ledger.ids import MemberId
from ledger.ports import Erasure, Group
from ledger.projections import explained, history
from ledger.projections.explained import CHAIN_MAX
from ledger.projections.history import SCANNED_MAX, Asking
from ledger.projections.stored import STORED_READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.rules.gates import gate_basis
from ledger.text.documents import render
from ledger.text.say import LOCALES, has, placeholders, say
from ledger.wire import all_kinds
from tests.replay.script import everything
from tests.support.world import DOCS, World

ANN = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
PARTS = {"gate_id": "gates", "plan_id": "plans", "amendment_id": "amendments", "request_id": "requests"}


@pytest.fixture(scope="module")
def played():
    return everything()


def ask(world, action, locale="en", at=None, **params):
    through = world.state.seq if at is None else at
    reading = STORED_READERS[action](
        Asking(world.state, ANN, through, world.now_ms, locale), ACTIONS[action].params.model_validate(params)
    )
    return reading if isinstance(reading, Refusal) else msgspec.to_builtins(reading(world.store))


def listed(world, **params):
    return ask(world, "history.list", **params)


def pages(world, **params):
    seen, after = [], None
    while True:
        page = listed(world, **params, **({} if after is None else {"after": after}))
        seen += page["events"]
        after = page["next_after"]
        if after is None:
            return seen


@pytest.mark.parametrize("locale", LOCALES)
def test_every_event_explains_itself(played, locale):
    told = pages(played, locale=locale, limit=200, order="oldest")
    assert [event["seq"] for event in told] == list(range(1, played.state.seq + 1))
    for event in told:
        assert has(f"history.{event['kind']}"), event["kind"]
        assert event["sentence"].strip()
        assert "{" not in event["sentence"]
        assert not event["sentence"].startswith("-")


def test_an_event_that_was_told_before_is_told_alike_and_what_is_kept_of_it_is_bounded(played, monkeypatch):
    known = {}
    monkeypatch.setattr(history, "KNOWN_MAX", 100)
    for params in ({"limit": 30}, {"limit": 60}, {"kind": "todo"}, {"limit": 60, "order": "oldest"}):
        for locale in LOCALES:
            asked = ACTIONS["history.list"].params.model_validate(params)
            asking = Asking(played.state, ANN, played.state.seq, played.now_ms, locale, known)
            read = msgspec.to_builtins(STORED_READERS["history.list"](asking, asked)(played.store))
            assert read == listed(played, locale=locale, **params)
            assert 0 < len(known) <= 100


def test_every_kind_has_a_sentence_whose_facts_it_has():
    for kind in all_kinds():
        key = f"history.{kind.name}"
        assert has(key) or has(f"event.{kind.name}"), kind.name
        for name in placeholders(key) if has(key) and kind.upcast is None else ():
            facts = kind.facts.__struct_fields__
            assert name == "actor" or {name, f"{name}_ms", f"{name.removesuffix('_at')}_ms"} & {*facts}, (
                kind.name,
                name,
            )


def test_the_sentence_has_the_words_and_says_who_did_it_and_how_it_was_proved(played):
    event = next(one for one in pages(played, kind="goal.paused") if one["goal_id"] == "docs")
    assert event["sentence"] == "ann paused the goal. “Lunch”"
    assert (event["actor"], event["surface"], event["on_behalf_of"]) == ("ann", "cli", None)
    assert event["proof"] == {"kind": "token", "token_id": "tok-ann", "relayed_by": None, "stepped_up": False}
    row = next(played.store.events(event["seq"] - 1, limit=1))
    assert row.hash.hex().startswith(event["hash"])
    assert (len(event["hash"]), event["words_erased"]) == (12, [])


def test_an_event_of_a_lease_says_whose_it_is_and_until_when_and_keeps_its_key(played):
    told = {event["kind"]: event for event in pages(played, kind="lease")}
    assert set(told) >= {"lease.acquired", "lease.renewed", "lease.released", "lease.expired", "lease.transferred"}
    acquired, expired = told["lease.acquired"]["lease"], told["lease.expired"]["lease"]
    assert acquired["owner"]
    assert acquired["lease_epoch"] >= 1
    assert acquired["ended_at"] is None
    assert told["lease.renewed"]["lease"]["expires_at"] > told["lease.renewed"]["at"]
    assert told["lease.released"]["lease"]["ended_at"] == told["lease.released"]["at"]
    assert expired["ended_at"] <= told["lease.expired"]["at"]
    assert all(set(event["lease"]) == set(acquired) for event in told.values())
    assert "idempotency_key" not in acquired
    assert {event["lease"] for event in pages(played, kind="todo")} == {None}


def test_an_identity_of_the_platform_is_never_said(played):
    said = msgspec.json.encode([pages(played, locale=locale) for locale in LOCALES])
    for secret in (b"ou_1", b"on_1", b"cli_1", b"oc_docs", b"secret_digest"):
        assert secret not in said


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("goal_id", [None, DOCS])
@pytest.mark.parametrize("limit", [1, 7, 200])
def test_pages_lose_nothing_and_repeat_nothing(played, order, goal_id, limit):
    about = {} if goal_id is None else {"goal_id": goal_id}
    seqs = [event["seq"] for event in pages(played, **about, order=order, limit=limit)]
    expected = [row.seq for row in played.store.events(0, goal_id=goal_id)]
    assert seqs == (expected if order == "oldest" else expected[::-1])


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        ({"kind": "lease"}, lambda row, _: row.kind.startswith("lease.")),
        ({"kind": "todo.claimed"}, lambda row, _: row.kind == "todo.claimed"),
        ({"actor": "helper"}, lambda _, event: event.actor == "helper"),
        ({"todo_id": "todo_person"}, lambda row, _: b'"todo_person"' in row.body),
        ({"goal_id": "gated", "gate_id": "gate_broad"}, lambda row, _: b'"gate_broad"' in row.body),
        ({"from_seq": 30, "to_seq": 34}, lambda row, _: 30 <= row.seq <= 34),
        ({"todo_id": "todo_links", "kind": "lease", "actor": "builder"}, None),
    ],
)
def test_a_filter_keeps_what_fits_and_nothing_else(played, asked, fits):
    found = [event["seq"] for event in pages(played, **asked, order="oldest", limit=3)]
    assert found
    if fits is None:
        assert {event["kind"].partition(".")[0] for event in pages(played, **asked)} == {"lease"}
        assert {event["actor"] for event in pages(played, **asked)} == {"builder"}
        return
    rows = played.store.events(0, goal_id=asked.get("goal_id"))
    assert found == [row.seq for row in rows if fits(row, decode_event(row.body, row.words, row.hash))]


def test_a_call_looks_at_a_bounded_number_of_events_and_says_where_to_go_on(played, monkeypatch):
    monkeypatch.setattr(history, "SCANNED_MAX", 20)
    page = listed(played, kind="workspace.created")
    assert (page["events"], page["scanned"], page["next_after"]) == ([], 20, played.state.seq - 19)
    assert [event["seq"] for event in pages(played, kind="workspace.created")] == [1]
    assert SCANNED_MAX <= 10_000


def test_history_of_a_moment_ends_there(played):
    assert listed(played, at=40)["events"][0]["seq"] == 40
    assert [event["seq"] for event in listed(played, at=40, from_seq=39, order="oldest")["events"]] == [39, 40]


def test_what_cannot_be_asked_is_refused(played):
    assert listed(played, goal_id="nowhere").code == "goal_not_found"
    refused = listed(played, from_seq=9, to_seq=8)
    assert (refused.code, refused.details["field"]) == ("malformed_params", "from_seq")
    twice = ask(played, "history.explain", goal_id=DOCS, todo_id="todo_links", gate_id="gate_1")
    assert (twice.code, twice.details["field"]) == ("malformed_params", "gate_id")
    assert ask(played, "history.explain", goal_id=DOCS, lease=True).details["field"] == "lease"
    for name, value in (("todo_id", "todo_none"), ("gate_id", "gate_none"), ("plan_id", "plan_none")):
        assert ask(played, "history.explain", goal_id=DOCS, **{name: value}).code == name.replace("_id", "_not_found")


def test_words_that_were_erased_are_said_to_be():
    world = everything()
    paused = next(row.seq for row in world.store.events(0) if row.kind == "goal.paused")
    world.stored.append(world.writer._term, Group(erasures=[Erasure(world.state.seq, seqs=(paused,))]))
    (event,) = listed(world, from_seq=paused, to_seq=paused)["events"]
    assert (event["sentence"], event["words_erased"]) == ("ann paused the goal. Its words were erased.", ["reason"])
    assert ERASED not in event["sentence"]


@pytest.mark.parametrize("locale", LOCALES)
def test_everything_there_is_can_be_explained(played, locale):
    for goal in played.state.goals.values():
        asked = [{}, *({"todo_id": todo_id, "lease": lease} for todo_id in goal.todos for lease in (False, True))]
        asked += [{name: one} for name, part in PARTS.items() for one in getattr(goal, part).by_id]
        for about in asked:
            told = ask(played, "history.explain", locale, goal_id=goal.goal_id, **about)
            assert told["complete"], about
            assert told["next"], about
            assert all(one["sentence"].strip() and "{" not in one["sentence"] for one in told["next"])
            assert told["chain"] or about.get("lease") or "plan_id" in about
            seqs = [event["seq"] for event in told["chain"]]
            assert seqs == sorted(set(seqs))
            assert render("history.explain", told, locale)


def test_a_todo_is_explained_by_all_that_made_it_what_it_is(played):
    told = ask(played, "history.explain", goal_id=DOCS, todo_id="todo_links")
    assert (told["subject"], told["state"]) == ({"kind": "todo", "id": "todo_links"}, "done")
    assert told["sentence"] == "Todo todo_links is done."
    kinds = [event["kind"] for event in told["chain"]]
    assert kinds[:3] == ["todo.added", "todo.claimed", "todo.released"]
    assert {"lease.expired", "artifact.submitted", "todo.completed"} <= {*kinds}
    assert [one["code"] for one in told["next"]] == ["settled"]


def test_a_gate_that_waits_names_whose_vote_is_needed():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("builder", "gate.open", goal_id=DOCS, gate_id="gate_go", question="Go on?", blocks_todo=["todo_one"])
    about = {"goal_id": DOCS, "todo_id": "todo_one"}
    (need,) = ask(world, "history.explain", **about)["next"]
    assert (need["code"], need["members"]) == ("gate", ["ann"])
    assert need["sentence"] == "Needed from ann: a decision on gate_go; votes so far: 0 of 1."
    basis = gate_basis(world.goal(), world.goal().gates.by_id["gate_go"])
    world.do("ann", "gate.reject", goal_id=DOCS, gate_id="gate_go", basis=basis, reason="Not like this")
    told = ask(world, "history.explain", goal_id=DOCS, gate_id="gate_go")
    assert [event["kind"] for event in told["chain"]] == ["gate.opened", "gate.refused"]
    assert [one["code"] for one in told["next"]] == ["another_gate"]
    assert [one["code"] for one in ask(world, "history.explain", **about)["next"]] == ["another_gate"]


def test_a_long_chain_is_its_beginning_and_its_latest_events():
    world = World()
    world.activate()
    world.add("todo_one")
    for _ in range(CHAIN_MAX):
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
        world.do("builder", "todo.release", goal_id=DOCS, todo_id="todo_one")
    told = ask(world, "history.explain", goal_id=DOCS, todo_id="todo_one")
    seqs = [event["seq"] for event in told["chain"]]
    assert (len(seqs), told["left_out"]) == (CHAIN_MAX, CHAIN_MAX + 1)
    assert told["chain"][0]["kind"] == "todo.added"
    assert seqs[1:] == list(range(world.state.seq - CHAIN_MAX + 2, world.state.seq + 1))
    assert str(CHAIN_MAX + 1) in render("history.explain", told, "en")


def test_an_explanation_looks_at_a_bounded_number_of_events(monkeypatch):
    world = World()
    world.activate()
    for number in range(9):
        world.add(f"todo_{number:03}")
    monkeypatch.setattr(explained, "SCANNED_MAX", 5)
    assert ask(world, "history.explain", goal_id=DOCS, todo_id="todo_000")["complete"] is False
    assert ask(world, "history.explain", goal_id=DOCS, todo_id="todo_008")["complete"] is True


def test_both_languages_have_room_for_the_same():
    for kind in all_kinds():
        key = f"history.{kind.name}"
        if has(key):
            sample = dict.fromkeys(placeholders(key), "x")
            for locale in LOCALES:
                assert [name for _, name, _, _ in string.Formatter().parse(say(key, locale, **sample)) if name] == []


def _codes(world, **about):
    return [one["code"] for one in ask(world, "history.explain", goal_id=DOCS, **about)["next"]]


def test_what_is_needed_next_is_what_the_rules_ask_for():
    world = World()
    world.activate()
    world.add("todo_person", role="user", task_class="user_action")
    world.add("todo_free")
    world.add("todo_after", depends_on=["todo_free"])
    assert _codes(world, todo_id="todo_person") == ["person"]
    assert _codes(world, todo_id="todo_free") == ["take"]
    assert _codes(world, todo_id="todo_after") == ["depends"]
    world.lease("todo_free")
    assert _codes(world, todo_id="todo_free", lease=True) == ["lease"]
    assert _codes(world, todo_id="todo_free") == ["hold"]
    released = {"owner": "builder", "idempotency_key": "run-1", "expected_version": 1}
    world.do("builder", "task-lease.release", goal_id=DOCS, todo_id="todo_free", **released)
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_free")
    world.do("builder", "todo.block", goal_id=DOCS, todo_id="todo_free", reason="No shell")
    assert _codes(world, todo_id="todo_free") == ["unblock"]
    world.do("ann", "goal.pause", goal_id=DOCS, reason="Lunch")
    assert _codes(world, todo_id="todo_after") == ["goal", "depends"]
    world.do("ann", "goal.stop", goal_id=DOCS, reason="Enough")
    assert _codes(world, todo_id="todo_after") == ["settled"]
