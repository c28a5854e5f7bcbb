"""The same input by every surface has the same outcome, events and codes. The inputs are written out by hand.

Each surface has a ledger of its own, made alike, and is given the inputs in the same order. What no card can do is said
by HTTP there, so that the ledgers stay alike. A fourth ledger is given nothing but the command lines that the answers
on the first carry: they must do the same.
"""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.refusals import STATUS, class_of
from ledger.store.sqlite import open_sqlite_reader
from tests.support.daemons import daemon_on_fresh_home, proved
from tests.support.homes import CHAT, activate, person, sha256
from tests.support.wire_surfaces import CardSurface, CliSurface, HttpSurface

DOCS = {"goal_id": "docs"}
ONE = {"todo_id": "todo_000"}
NASTY = "--reason 'x'; $(rm -rf ~) \"q\" `w` \\ \t目标 😀 <at id=all></at> **b** #!"
MANY_LINES = "first\n  second\n\n--third"
STALE = "b1:" + "0" * 32


class Input(NamedTuple):
    """One input: who, what, with which parameters, and what must come of it."""

    who: str
    action: str
    params: dict[str, object]
    expected: str
    """The outcome, or the code of the refusal."""
    basis: str | None = None
    """Which basis to add, as the goal shows it at that moment."""
    again: bool = False
    """Asked under the key of the one before it."""


# ruff: noqa: E501  (one input, one line)
INPUTS = (
    Input("ann", "goal.propose", {"objective": MANY_LINES, "criterion": ["It works", NASTY], "title": NASTY}, "committed"),
    Input("ann", "goal.propose", {"objective": "Two", "criterion": ["x"], "goal_id": "docs"}, "goal_id_taken"),
    Input("ann", "goal.propose", {"objective": "Two", "criterion": ["x"], "write_scope": ["../x"]}, "invalid_write_scope"),
    Input("builder", "goal.propose", {"objective": "B", "criterion": ["x"], "goal_id": "two", "priority": "P0"}, "committed"),
    Input("builder", "goal.clarify", {"goal_id": "two", "question": "Which?", "option": ["a", "-b"]}, "committed"),
    Input("ann", "goal.confirm", {"goal_id": "two"}, "question_open", basis="confirm"),
    Input("ann", "goal.clarify", {"goal_id": "two", "answer": NASTY}, "committed"),
    Input("ann", "goal.confirm", {"goal_id": "two"}, "basis_required"),
    Input("ann", "goal.confirm", {"goal_id": "two", "basis": STALE}, "stale_basis"),
    Input("ann", "goal.confirm", {"goal_id": "nowhere", "basis": STALE}, "goal_not_found"),
    Input("bob", "goal.confirm", {"goal_id": "two"}, "not_an_owner", basis="confirm"),
    Input("ann", "goal.confirm", {"goal_id": "two"}, "committed", basis="confirm"),
    Input("ann", "goal.decline", {"goal_id": "two", "reason": "Late"}, "nothing_to_confirm", basis="state"),
    Input("ann", "goal.pause", {**DOCS, "reason": NASTY}, "committed", basis="state"),
    Input("ann", "goal.pause", DOCS, "goal_state_forbids", basis="state"),
    Input("ann", "goal.resume", {**DOCS, "basis": STALE}, "stale_basis"),
    Input("ann", "goal.resume", DOCS, "committed", basis="state"),
    Input("builder", "todo.claim", {**DOCS, **ONE}, "committed"),
    Input("builder", "todo.claim", {**DOCS, **ONE}, "committed", again=True),
    Input("builder", "todo.claim", {**DOCS, "todo_id": "todo_001"}, "idempotency_conflict", again=True),
    Input("builder", "todo.claim", {**DOCS, **ONE}, "noop"),
    Input("helper", "todo.claim", {**DOCS, **ONE}, "claim_owner_mismatch"),
    Input("builder", "todo.update", {**DOCS, **ONE, "note": MANY_LINES, "priority": "P1"}, "committed"),
    Input("builder", "task-lease.acquire", {**DOCS, **ONE, "idempotency_key": "run/1", "ttl_seconds": 600}, "committed"),
    Input("helper", "task-lease.acquire", {**DOCS, **ONE, "idempotency_key": "run/2"}, "todo_lease_conflict"),
    Input("builder", "task-lease.renew", {**DOCS, **ONE, "idempotency_key": "run/1", "expected_version": 7}, "version_mismatch"),
    Input("builder", "task-lease.renew", {**DOCS, **ONE, "idempotency_key": "run/1"}, "version_required"),
    Input("builder", "artifact.submit", {**DOCS, **ONE, "label": NASTY, "sha256": sha256("a"), "size_bytes": 0}, "committed"),
    Input("builder", "todo.complete", {**DOCS, **ONE}, "lease_fence_required"),
    Input("builder", "todo.complete", {**DOCS, "todo_id": "todo_none"}, "todo_not_found"),
    Input("ann", "todo.cancel", {**DOCS, "todo_id": "todo_001", "reason": "-"}, "committed"),
    Input("builder", "goal.deliver", {**DOCS, "summary": "Done"}, "work_open"),
    Input("builder", "goal.confirm", {**DOCS, "basis": STALE}, "not_permitted"),
    Input("ann", "goal.accept", {**DOCS, "basis": STALE}, "goal_state_forbids"),
    Input("ann", "goal.request-changes", {**DOCS, "basis": STALE, "reason": "More"}, "goal_state_forbids"),
    Input("ann", "member.add", {"member_id": "carl", "kind": "person", "display_name": NASTY, "role": ["viewer"]}, "committed"),
    Input("ann", "member.add", {"member_id": "carl", "kind": "agent", "display_name": "Carl"}, "member_exists"),
    Input("ann", "button-key.rotate", {"grace_seconds": 3_600}, "committed"),
    Input("ann", "todo.add", {**DOCS, "text": "x", "bound_agent": None, "acceptance": ""}, "committed"),
    Input("ann", "quota.set", {**DOCS, "compute_permille": 500, "window_hours": 48}, "committed"),
    Input("bob", "quota.set", {**DOCS, "compute_permille": 1000}, "not_an_owner"),
    Input("builder", "quota.reserve", {**DOCS, "turn_instance_id": "turn/1", "slots": 2}, "committed"),
    Input("helper", "quota.reserve", {**DOCS, "turn_instance_id": "turn/2", "agent_id": "builder"}, "claim_actor_mismatch"),
    Input("builder", "run.report", {**DOCS, **ONE, "turn_instance_id": "turn/1", "delivery_outcome": "surface_only", "summary": NASTY}, "committed"),
    Input("builder", "quota.spend-slot", {**DOCS, **ONE, "turn_instance_id": "turn/1"}, "delivery_required"),
    Input("builder", "run.replan", {**DOCS, "summary": MANY_LINES}, "replan_not_due"),
    Input("builder", "usage.report", {**DOCS, "source": "provider", "tokens_in": 0, "usage_id": "usage_1"}, "committed"),
    Input("builder", "usage.report", {**DOCS, "source": "provider", "usage_id": "usage_1"}, "usage_id_reused"),
    Input("ann", "quota.void-slot", {**DOCS, "spend_id": "spend_000001", "reason": NASTY}, "spend_not_found"),
    Input("ann", "goal.stop", {**DOCS, "reason": MANY_LINES}, "committed", basis="state"),
    Input("ann", "goal.resume", DOCS, "goal_state_forbids"),
)  # fmt: skip
VARYING_TEXT = re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b|\bb1:[0-9a-f]{32}")
MOMENTS = ("_at", "_at_ms", "_until_ms")
VARIES = frozenset({"at_ms", "surface", "proof", "cause", "words_digest"})
"""When, by which surface, by which proof and under which receipt: what makes surfaces surfaces."""


class Outcome(NamedTuple):
    """What came of one input, without what may differ."""

    envelope: dict[str, object]
    receipt: bool
    events: list[dict[str, object]]


def run(surface):
    """Give a surface all inputs; the outcomes, the exit codes and the command lines."""
    outcomes, exits, lines = [], [], []
    key = ""
    for number, one in enumerate(INPUTS):
        before = len(surface.history())
        key = key if one.again else f"input-{number}"
        params = dict(one.params)
        if one.basis is not None:
            shown = surface.read("goal.show", {"goal_id": params["goal_id"]}, "ann")
            params["basis"] = shown["basis"][one.basis]
        surface.act(one.action, params, one.who, key)
        outcomes.append(outcome(surface, before))
        exits.append(surface.exit_code)
        lines.append((one, key, surface.told.get("cli")))
    return outcomes, exits, lines


def outcome(surface, before):
    told = dict(surface.told)
    receipt = told.pop("receipt_id", None) is not None
    return Outcome(alike(told), receipt, events(surface, before))


def events(surface, before):
    """The new events as they are stored, words included, without what varies."""
    store = open_sqlite_reader(Path(surface.made.home.ledger))
    try:
        rows = list(store.events(before))
    finally:
        store.close()
    found = []
    for row in rows:
        body = {name: value for name, value in json.loads(row.body).items() if name not in VARIES}
        found.append(alike(body) | {"words": json.loads(row.words or b"null")})
    return found


def alike(value, name=""):
    """Moments and what rests on them (a basis is of one ledger alone) as what they are."""
    if isinstance(value, dict):
        return {key: alike(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [alike(part) for part in value]
    if name.endswith(MOMENTS):
        return "a moment"
    return VARYING_TEXT.sub("…", value) if isinstance(value, str) else value


def seed(scribe):
    activate(scribe, todos=2)


@pytest.fixture(scope="module")
def ran():
    """Each surface with what came of the inputs."""
    results = {}
    for name, make in (("http", HttpSurface), ("cli", CliSurface), ("card", CardSurface)):
        with daemon_on_fresh_home(seed) as daemon:
            surface = make(daemon)
            results[name] = run(surface)
            surface.close()
            assert daemon.stop() == 0
            assert proved(daemon.made).holds
    return results


def names():
    return [f"{number}-{one.action}-{one.expected}" for number, one in enumerate(INPUTS)]


@pytest.mark.parametrize("number", range(len(INPUTS)), ids=names())
@pytest.mark.parametrize("surface", ["http", "cli", "card"])
def test_each_input_comes_to_what_was_written_down(ran, surface, number):
    envelope = ran[surface][0][number].envelope
    assert envelope.get("code", envelope["outcome"]) == INPUTS[number].expected


@pytest.mark.parametrize("number", range(len(INPUTS)), ids=names())
@pytest.mark.parametrize("surface", ["cli", "card"])
def test_each_input_comes_to_the_same_as_by_http(ran, surface, number):
    assert ran[surface][0][number] == ran["http"][0][number]


@pytest.mark.parametrize("number", range(len(INPUTS)), ids=names())
def test_the_exit_code_of_the_command_line_is_the_one_of_the_table(ran, number):
    expected = INPUTS[number].expected
    code = 0 if expected in {"committed", "noop"} else STATUS[class_of(expected)].exit_code
    assert (ran["cli"][1][number], ran["http"][1][number]) == (code, code)


def test_what_is_refused_leaves_no_event_and_what_is_committed_leaves_one(ran):
    for outcomes, _, _ in ran.values():
        for one, came in zip(INPUTS, outcomes, strict=True):
            assert bool(came.events) is (one.expected == "committed" and not one.again), one
            assert came.receipt is (one.expected == "committed"), one


def test_the_command_line_of_each_answer_does_the_same(ran):
    """Somebody copies the lines from one ledger's answers into a shell beside another."""
    outcomes, _, lines = ran["http"]
    with daemon_on_fresh_home(seed) as daemon:
        surface = CliSurface(daemon)
        for (one, key, line), came in zip(lines, outcomes, strict=True):
            if line is None or one.again:
                continue
            before = len(surface.history())
            words = shlex.split(line)
            assert words[0] == "frontstage"
            if one.basis is not None:
                # Seen on one ledger, it says nothing on another: here it is read anew.
                shown = surface.read("goal.show", {"goal_id": one.params["goal_id"]}, "ann")
                words[words.index("--basis") + 1] = shown["basis"][one.basis]
            said, code = surface.run(one.who, *words[1:], "--request-key", key)
            assert code == 0, (line, said)
            assert events(surface, before) == came.events
        surface.close()


def test_a_proposal_by_its_form_is_the_one_by_the_command_line():
    """What a form can say: typed into a card here, given as flags there."""
    form = {
        "title": NASTY.replace("\t", " "),
        "objective": "Every page can be followed\nfrom top to bottom",
        "criteria": "Every link works\nEvery command runs\n\n",
        "non_goals": "Style",
        "write_scopes": "reports/**\ndocs/a.md",
        "constraints": "",
        "budget": "two hours",
        "stop_conditions": "The site is gone",
    }
    flags = {
        "title": form["title"],
        "objective": form["objective"],
        "criterion": ["Every link works", "Every command runs"],
        "non_goal": ["Style"],
        "write_scope": ["reports/**", "docs/a.md"],
        "budget": "two hours",
        "stop_condition": ["The site is gone"],
    }
    with daemon_on_fresh_home() as daemon:
        card = CardSurface(daemon)
        said = {"sender": person("ann"), "chat_type": "p2p", "text": "/propose x", "create_time_ms": 4_000_000_000_000}
        card.relay("message", {"event_id": "m", "message_id": "om_form"} | said)
        token = card.client("bot").get(f"/v1/relay/view?slot=form:om_form@{CHAT}").body["tokens"]["goal.propose"]
        before = len(card.history())
        pressed = card.press(token, form)
        assert pressed["envelope"]["ok"], pressed
        by_card = (pressed["envelope"], events(card, before))
        card.close()
    with daemon_on_fresh_home() as daemon:
        shell = CliSurface(daemon)
        before = len(shell.history())
        shell.act("goal.propose", flags, "ann", "one")
        by_shell = (shell.told, events(shell, before))
        shell.close()
    (proposed, shown_in), (typed,) = by_card[1], by_shell[1]
    assert proposed == typed
    # What is proposed in a chat is shown in that chat: the one thing that a shell has not.
    assert (shown_in["kind"], shown_in["facts"]) == ("channel.bound", {"channel_id": CHAT})
    for name in ("action", "outcome", "replayed", "result", "cli"):
        assert by_card[0][name] == by_shell[0][name], name
