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

from ledger.catalogue import ACTIONS
from ledger.ids import DAEMON
from ledger.refusals import STATUS, class_of
from ledger.store.sqlite import open_sqlite_reader
from tests.api.parity_inputs import INPUTS, LATER, LEFT, NASTY, WHOLE
from tests.support.daemons import daemon_on_fresh_home, proved
from tests.support.homes import CHAT, activate, person
from tests.support.mcp_surface import McpSurface
from tests.support.wire_surfaces import CardSurface, CliSurface, HttpSurface

MADE = {
    "@artifact": ("artifact.list", LATER, "artifacts", "artifact_id"),
    "@result": ("artifact.list", WHOLE, "artifacts", "artifact_id"),
    "@spend": ("quota.status", WHOLE, "receipts", "spend_id"),
    "@delegation": ("todo.delegations", LATER, "delegations", "grant_id"),
    "@grant": ("member.grants", {}, "grants", "grant_id"),
    "@invitation": ("member.invitations", {}, "invitations", "invitation_id"),
    "@standing": ("gate.show", {**LATER, "gate_id": "gate_wide"}, "standing_grants", "grant_id"),
    "@token": ("token.list", {"member_id": "carl"}, "tokens", "token_id"),
    "@builders": ("token.list", {"member_id": "builder"}, "tokens", "token_id"),
}
"""Where the ids that only the ledger makes are listed."""
VARYING_TEXT = re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b|\bb1:[0-9a-f]{32}")
MOMENTS = ("_at", "_at_ms", "until_ms")
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
        params = {name: named(surface, value) for name, value in one.params.items()}
        if one.basis is not None:
            params["basis"] = basis(surface, one.basis, params)
        surface.act(one.action, params, one.who, key)
        outcomes.append(outcome(surface, before))
        exits.append(surface.exit_code)
        lines.append((one, key, surface.told.get("cli")))
    return outcomes, exits, lines


def basis(surface, of, params):
    """What the goal, or the gate, plan or amendment that the parameters name, shows at that moment."""
    about = {"goal_id": params["goal_id"]}
    if of in {"gate", "plan", "amendment"}:
        return surface.read(f"{of}.show", about | {f"{of}_id": params[f"{of}_id"]}, "ann")["basis"]
    return surface.read("goal.show", about, "ann")["basis"][of]


def named(surface, value):
    """The newest id that the ledger made of a kind, where `@` and the kind stand for it."""
    if isinstance(value, list):
        return [named(surface, one) for one in value]
    if not isinstance(value, str) or value not in MADE:
        return value
    action, params, rows, name = MADE[value]
    found = surface.read(action, params, "ann")
    return max((row[name] for row in found[rows]), key=lambda one: int(one.rpartition("_")[2]))


def outcome(surface, before):
    told = dict(surface.told)
    told.pop("secret", None)  # Of one home alone, and never in the answer to a press.
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
    if name in {"short_hash", "head_hash"}:
        return "a hash"  # It covers moments, and is of one ledger alone.
    if name == "origin_surface":
        return "a surface"  # Where a request was sent from goes with it, so that its return comes back there.
    return VARYING_TEXT.sub("…", value) if isinstance(value, str) else value


def test_every_action_of_people_and_agents_is_among_the_inputs_taken_and_refused():
    asked = {(one.action, one.expected in {"committed", "noop"}) for one in INPUTS}
    open_to_all = [action.name for action in ACTIONS.values() if action.writes and not action.hidden]
    asked |= {("run.observe", True)}  # The daemon itself writes that a monitor is due, at a moment of its own.
    missing = [(name, taken) for name in open_to_all for taken in (True, False) if (name, taken) not in asked]
    assert missing == []


def seed(scribe):
    """A goal with work, and another whose only todo was left by an agent whose lease ran out."""
    activate(scribe, todos=2)
    activate(scribe, "left")
    scribe.do("builder", "task-lease.acquire", **LEFT, idempotency_key="run/0", ttl_seconds=1)
    scribe.now_ms += 1_000
    scribe.do(DAEMON, "task-lease.expire", **LEFT)


@pytest.fixture(scope="module")
def ran():
    """Each surface with what came of the inputs."""
    results = {}
    for name, make in (("http", HttpSurface), ("cli", CliSurface), ("card", CardSurface), ("mcp", McpSurface)):
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
@pytest.mark.parametrize("surface", ["http", "cli", "card", "mcp"])
def test_each_input_comes_to_what_was_written_down(ran, surface, number):
    envelope = ran[surface][0][number].envelope
    assert envelope.get("code", envelope["outcome"]) == INPUTS[number].expected


@pytest.mark.parametrize("number", range(len(INPUTS)), ids=names())
@pytest.mark.parametrize("surface", ["cli", "card", "mcp"])
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
            if ACTIONS[one.action].mints is not None:
                # A line never carries a secret: the shell makes another one.
                surface.act(
                    one.action, {name: named(surface, value) for name, value in one.params.items()}, one.who, key
                )
                continue
            before = len(surface.history())
            words = shlex.split(line)
            assert words[0] == "frontstage"
            if one.basis is not None:
                # Seen on one ledger, it says nothing on another: here it is read anew.
                words[words.index("--basis") + 1] = basis(surface, one.basis, one.params)
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
