"""What the goal's page is shaped from: differences of texts, claims, votes, warnings beside their place, and lines."""

from itertools import pairwise

import pytest

from daemon.api.envelope import command_line
from daemon.web.diffs import WORDS_MAX, list_diff, word_diff
from daemon.web.goal_acts import Waiting, acts_of, gate_acts, next_line
from daemon.web.goal_parts import Warnings, claims_of, criteria_of, gaps_first, sentences, votes_of
from daemon.web.lines import line
from ledger.catalogue import ACTIONS
from ledger.projections.privacy import WITHHELD
from tests.support.world import parse


def told(change):
    """A change in one line: `-went-` and `+came+`."""
    marks = {"same": "", "went": "-", "came": "+"}
    return "".join(f"{marks[piece.kind]}{piece.text}{marks[piece.kind]}" for piece in change)


@pytest.mark.parametrize(
    ("was", "becomes", "shown"),
    [
        ("the same", "the same", "the same"),
        ("", "new words", "+new words+"),
        ("old words", "", "-old words-"),
        ("Every link works", "Every new link works", "Every+ new+ link works"),
        ("beyond 2,000 words", "beyond 1,500 words", "beyond- 2,000-+ 1,500+ words"),
        ("每个链接有效", "每个标题有效", "每个-链接-+标题+有效"),
        ("a <b>", "a <i>", "a <-b-+i+>"),
    ],
)
def test_a_difference_is_told_word_by_word(was, becomes, shown):
    change = word_diff(was, becomes)
    assert told(change) == shown
    assert "".join(piece.text for piece in change if piece.kind != "came") == was
    assert "".join(piece.text for piece in change if piece.kind != "went") == becomes


def test_texts_too_long_to_compare_are_shown_whole():
    long = "word " * (WORDS_MAX + 1)
    assert [piece.kind for piece in word_diff(long, long + "end")] == ["went", "came"]


def test_entries_that_are_alike_are_one_entry_that_changed():
    entries = list_diff(("Every link works", "No typo"), ("Every link works well", "中文完整", "No typo"))
    assert [told(entry) for entry in entries] == ["Every link works+ well+", "+中文完整+", "No typo"]


LEASE = {
    "todo_id": "todo_one", "owner_agent": "builder", "lease_until": "2026-06-20T00:30:00Z", "write_scope": ["docs/**"],
    "kind": "hard_lease",
}  # fmt: skip


def test_a_claim_says_what_who_until_when_and_where():
    soft = {**LEASE, "todo_id": "todo_two", "lease_until": None, "write_scope": [], "kind": "soft_claim"}
    goal = {
        "active_leases": [LEASE, soft],
        "agent_todos": [{"todo_id": "todo_one", "title": "Check"}],
        "user_todos": [],
    }
    first, second = claims_of(goal)
    assert (first.title, first.title_path, first.owner) == ("Check", "agent_todos[0].title", "builder")
    assert (first.until, first.scopes) == ("2026-06-20T00:30:00Z", ("docs/**",))
    assert (second.title, second.until, second.kind) == (None, None, "soft_claim")


def test_votes_are_told_with_how_many_count_of_how_many():
    votes = [
        {"seat": "ann", "voter": "ann", "counts": True, "seq": 4, "at": "2026-06-20T00:30:00Z"},
        {"seat": "bob", "voter": "cleo", "counts": False, "seq": 5, "at": "2026-06-20T00:31:00Z"},
    ]
    counted, quorum, given = votes_of({"votes": votes, "votes_counted": 1, "policy": {"quorum": 2}})
    assert (counted, quorum) == (1, 2)
    assert [(vote.voter, vote.counts) for vote in given] == [("ann", True), ("cleo", False)]


@pytest.mark.parametrize(
    ("path", "place", "beside"),
    [
        ("objective", "objective", True),
        ("open_gates[2].question", "open_gates", True),
        ("review.fields[0].items[1]", "review.fields", True),
        ("objectives", "objective", False),
        ("view.objective", "objective", False),
    ],
)
def test_a_warning_stands_beside_what_it_affects(path, place, beside):
    warnings = Warnings({"source_warnings": [{"field_path": path, "reason": "credential"}]})
    assert (warnings.reasons(place) == ["credential"]) is beside


def test_an_event_whose_sentence_is_withheld_is_told_by_its_kind():
    assert sentences([{"seq": 1, "sentence": WITHHELD}, {"seq": 2, "sentence": "said"}]).keys() == {2}


def test_a_criterion_is_met_by_evidence_that_counts_and_gaps_come_first():
    artifacts = [
        {"artifact_id": "art_1", "criterion_ids": ["c1"], "counts": False},
        {"artifact_id": "art_2", "criterion_ids": ["c1"], "counts": True},
        {"artifact_id": "art_3", "criterion_ids": ["c2"], "counts": False},
    ]
    review = {"criteria": [{"criterion_id": name, "text": name} for name in ("c1", "c2", "c3")]}
    found = criteria_of(review, artifacts)
    assert [(one.met, [art["artifact_id"] for art in one.artifacts]) for one in found] == [
        (True, ["art_2", "art_1"]),
        (False, ["art_3"]),
        (False, []),
    ]
    lanes = [
        {"lane_id": "a", "gap": None},
        {"lane_id": "b", "gap": "agent_not_registered"},
        {"lane_id": "c", "gap": None},
    ]
    assert [lane["lane_id"] for lane in gaps_first({"lanes": lanes})] == ["b", "a", "c"]


KNOWN = {
    "goal.confirm": {"goal_id": "docs", "basis": "b1:" + "0" * 32},
    "gate.approve": {"goal_id": "docs", "gate_id": "gate_one", "basis": "b1:" + "0" * 32},
    "task-lease.acquire": {"goal_id": "docs", "todo_id": "todo_one", "idempotency_key": "run-1"},
    "todo.add": {"goal_id": "docs", "text": "It's two words; $(date)"},
}


@pytest.mark.parametrize("action", KNOWN)
def test_a_line_with_everything_known_is_the_products_own(action):
    assert line(action, {**KNOWN[action], "nothing": "x"}) == command_line(
        ACTIONS[action], parse(action, KNOWN[action])
    )


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_a_line_names_everything_that_is_still_to_be_said(action):
    words = line(action, {}).split(" ")
    fields = ACTIONS[action].params.model_fields
    needed = {"--" + name.replace("_", "-") for name, field in fields.items() if field.is_required()}
    needed -= {"--" + str(ACTIONS[action].mints).replace("_", "-"), *({"--code"} if ACTIONS[action].takes_code else ())}
    assert needed <= {word for word, after in pairwise(words) if after == f"<{word[2:]}>"}


def step(**more):
    """A goal with a next safe action."""
    action = {"action": "quota.set", "subject": {"goal_id": "docs"}, "by": "owner", "members": ["ann"], "basis": None}
    return {"goal_id": "docs", "state": "active", "basis": {"state": "b1:s"}, "next_safe_action": {**action, **more}}


def test_the_next_safe_action_leads_and_nothing_is_told_twice():
    goal = step(action="goal.pause", basis="b1:s")
    acts = acts_of(goal, Waiting([], [], []))
    assert [act.action for act in acts] == ["goal.pause", "goal.stop"]
    assert acts[0].members == ("ann",)
    asked = step(action="goal.revise", subject={"goal_id": "docs", "field": "allowed_slots"})
    assert next_line(asked) == "frontstage goal revise --goal-id docs --allowed-slots <allowed-slots>"
    assert next_line(step(action=None)) is None


def test_a_gate_is_answered_by_those_it_waits_for_and_only_while_it_is_open():
    gate = {"gate_id": "gate_one", "status": "waiting_on_user", "basis": "b1:g", "waits_for": ["ann", "bob"]}
    acts = gate_acts("docs", gate)
    assert [act.line for act in acts][:1] == ["frontstage gate approve --goal-id docs --gate-id gate_one --basis b1:g"]
    assert {act.members for act in acts} == {("ann", "bob")}
    assert gate_acts("docs", {**gate, "status": "approved"}) == []


def test_completing_under_a_lease_asks_for_its_key_and_names_its_version():
    goal = step(action="todo.complete", subject={"goal_id": "docs", "todo_id": "todo_one"}, basis=None)
    alone = "frontstage todo complete --goal-id docs --todo-id todo_one --evidence <evidence>"
    goal["active_leases"] = [{"todo_id": "todo_one", "kind": "soft_claim", "version": None}]
    assert next_line(goal) == alone
    goal["active_leases"] = [{"todo_id": "todo_two", "kind": "hard_lease", "version": 4}]
    assert next_line(goal) == alone
    goal["active_leases"] = [{"todo_id": "todo_one", "kind": "hard_lease", "version": 3}]
    words = next_line(goal)
    assert "--task-lease-idempotency-key <task-lease-idempotency-key>" in words
    assert "--task-lease-expected-version 3" in words
