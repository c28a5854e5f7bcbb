"""Every document has a form for people: in both languages, with hostile text shown literally, within its limits."""

import shlex
from typing import get_args

import msgspec
import pytest

from daemon.cli.catalogue import ACTIONS as COMMANDS
from daemon.cli.parse import parse
from ledger.catalogue import ACTIONS
from ledger.parts import amendments, gates, plans, requests
from ledger.projections import needs, presence
from ledger.projections.digest import MATERIAL
from ledger.projections.documents import READERS
from ledger.projections.members import Assignment
from ledger.records import EXECUTABLE
from ledger.refusals import Refusal
from ledger.text import documents, views_text
from ledger.text.documents import render
from ledger.text.packet_text import CHARS_MAX, LINES_MAX, command_line
from ledger.text.say import LOCALES, has
from tests.replay.script import everything
from tests.support.readings import CALLERS, queries
from tests.support.views import basis, busy, credential, view
from tests.support.world import World, digest

HOSTILE = "**b** <at id=all></at>\x1b[31m \u202egnp.exe\nInjected: yes\r\x07 $(rm -rf x) `id` {name}"


def shown(world: World, action: str, locale: str = "en", who: str = "ann", **params: object) -> str:
    return render(action, view(world, action, who, **params), locale)


def everything_that_can_be_read(world: World):
    """Each document with the name of its action."""
    for question, params in queries(world.state).items():
        action = question.partition(" ")[0]
        for caller in CALLERS:
            found = READERS[action](world.state, caller, params, world.now_ms)
            if not isinstance(found, Refusal):
                yield action, found


def test_every_reading_action_has_a_form_for_people():
    assert {action.name for action in ACTIONS.values() if not action.writes} == documents._RENDERERS.keys()


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("make", [busy, everything])
def test_every_document_reads_as_lines(make, locale):
    met = set()
    for action, document in everything_that_can_be_read(make()):
        text = render(action, document, locale)
        met.add(action)
        assert text.strip(), action
        assert not any(line != line.rstrip() for line in text.split("\n")), (action, text)
        assert not any(mark in text for mark in ("{", "}", "None", "[]", "True", "False")), (action, text)
        assert render(action, msgspec.json.decode(msgspec.json.encode(document)), locale) == text
    assert make is busy or met == READERS.keys()


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("cli.gate.status", get_args(gates.GateStatus)),
        ("cli.gate.kind", get_args(gates.GateKind)),
        ("cli.gate.on_expiry", get_args(gates.OnExpiry)),
        ("cli.severity", (*get_args(gates.Severity), *get_args(needs.Severity))),
        ("cli.kind", (*get_args(needs.Kind), *MATERIAL)),
        ("cli.need", get_args(needs.Kind)),
        ("cli.gap", get_args(plans.GapReason)),
        ("cli.amendment.class", get_args(amendments.AmendmentClass)),
        ("cli.amendment.op", get_args(amendments.OperationName)),
        ("cli.amendment.choice", get_args(amendments.Choice)),
        ("cli.request.answer", get_args(requests.Answer)),
        ("cli.request.relation", get_args(requests.Relation)),
        ("cli.request.outcome", get_args(requests.ReturnOutcome)),
        ("cli.presence", get_args(presence.PresenceName)),
        ("cli.handoff.status", get_args(Assignment)),
    ],
)
def test_every_name_of_the_wire_that_is_shown_has_a_sentence(family, names):
    assert [name for name in names if not has(f"{family}.{name}")] == []


def test_each_kind_of_change_knows_where_its_states_are_named():
    assert views_text.STATES.keys() == set(MATERIAL)


def hostile() -> World:
    """A world in which every text that people and agents may write is hostile."""
    world = World()
    credential(world, "builder")
    changes = {"title": HOSTILE[:100], "objective": HOSTILE, "criterion": [HOSTILE], "budget": HOSTILE}
    world.activate(approver=["ann", "bob"], **changes)
    world.add("todo_one", text=HOSTILE)
    world.add("todo_two", text=HOSTILE)
    world.do("builder", "member.profile", scope_summary=HOSTILE[:100])
    world.do("builder", "todo.block", goal_id="docs", todo_id="todo_two", reason=HOSTILE)
    asked = {"question": HOSTILE, "option": [HOSTILE, "no"], "default": HOSTILE, "blocks_todo": ["todo_one"]}
    world.do("builder", "gate.open", goal_id="docs", gate_id="gate_a", evidence_digest=digest("x"), **asked)
    world.do("builder", "gate.open", goal_id="docs", gate_id="gate_b", **asked)
    about = {"goal_id": "docs", "gate_id": "gate_b"}
    world.do("ann", "gate.reject", **about, basis=basis(world, "gate_b"), reason=HOSTILE)
    world.add("todo_three", text=HOSTILE)
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_three")
    left = {"context": HOSTILE, "remaining_work": HOSTILE}
    world.do("builder", "todo.handoff", goal_id="docs", todo_id="todo_three", to_agent="helper", **left)
    lane = {"lane_id": "links", "title": HOSTILE[:100], "acceptance": HOSTILE}
    world.do("builder", "plan.propose", goal_id="docs", lane=[lane])
    operation = {"op": "restate", "todo_id": "todo_two", "title": HOSTILE, "acceptance": HOSTILE}
    given = {"amendment_class": "lane_route", "why": HOSTILE, "operation": [operation]}
    world.ask("builder", "amendment.submit", goal_id="docs", **given)
    brief = {"purpose": HOSTILE, "context": HOSTILE, "constraint": [HOSTILE], "acceptance": [HOSTILE]}
    world.do("builder", "request.send", goal_id="docs", to="helper", return_requirement=HOSTILE, **brief)
    return world


@pytest.mark.parametrize("locale", LOCALES)
def test_hostile_text_neither_colours_nor_reorders_nor_begins_a_line(locale):
    count = 0
    for action, document in everything_that_can_be_read(hostile()):
        text = render(action, document, locale)
        count += "gnp.exe" in text
        assert not any(sign in text for sign in "\x1b\x07\r\u202e"), action
        assert not any(line.startswith("Injected") for line in text.split("\n")), (action, text)
    assert count > 12


def within(text: str) -> bool:
    return len(text.split("\n")) <= LINES_MAX and len(text) <= CHARS_MAX


def largest() -> World:
    """Every text and list of a gate as long as it may be."""
    world = World()
    long_id = "g" * 64
    world.activate(long_id, title="T" * 120)
    wide = "W" * 400
    for number in range(20):
        world.add(f"todo_{number:03}", long_id)
    world.do(
        "builder", "gate.open", goal_id=long_id, gate_id="gate_" + "g" * 58, question=wide, option=[wide] * 8,
        default=wide, blocks_todo=[f"todo_{number:03}" for number in range(20)], evidence_digest=digest("x"),
    )  # fmt: skip
    return world


@pytest.mark.parametrize("locale", LOCALES)
def test_a_packet_fits_its_limits_and_says_what_it_left_out(locale):
    world = largest()
    text = shown(world, "review-packet.show", locale, goal_id="g" * 64)
    assert within(text)
    assert f"--gate-id gate_{'g' * 58}" in text
    assert text.count("frontstage gate approve") == text.count("frontstage gate reject") == 1
    for make in (busy, hostile):
        for goal_id in make().state.goals:
            assert within(shown(make(), "review-packet.show", locale, goal_id=goal_id))


def test_evidence_without_room_is_counted():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    proofs = [world.submit("todo_one", label="L" * 100, sha256=digest(f"e{at}")) for at in range(30)]
    world.do("builder", "todo.complete", goal_id="docs", todo_id="todo_one", evidence=proofs)
    world.deliver()
    text = shown(world, "review-packet.show", goal_id="docs")
    assert within(text)
    listed = text.count("sha256")
    assert 1 <= listed < 30
    (more,) = [line for line in text.split("\n") if line.endswith("more") or "more" in line.split()]
    assert any(char.isdigit() for char in more)
    assert text.split("\n")[-2].startswith("frontstage goal accept")


def test_the_lines_of_a_packet_are_command_lines_of_the_program():
    """What the renderer draws from names and subjects, a shell takes as it stands."""
    world = busy()
    lines = []
    for goal_id in world.state.goals:
        lines += shown(world, "review-packet.show", goal_id=goal_id).split("\n")
    commands = [line.removeprefix("Read: ") for line in lines if "frontstage " in line]
    assert len(commands) >= 8
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "frontstage"
        assert parse(words[1:], COMMANDS).verb is not None


def test_a_question_that_looks_like_an_answer_is_quoted():
    world = World()
    world.activate()
    world.add("todo_one")
    forged = "frontstage gate approve --goal-id docs --gate-id gate_other --basis b1:" + "0" * 32
    asked = {"question": forged, "option": [forged], "default": forged, "blocks_todo": ["todo_one"]}
    world.do("builder", "gate.open", goal_id="docs", gate_id="gate_a", **asked)
    lines = shown(world, "review-packet.show", goal_id="docs").split("\n")
    answers = [line for line in lines if line.startswith("frontstage")]
    assert len(answers) == 2
    assert all("--gate-id gate_a " in line for line in answers)


@pytest.mark.parametrize("value", ["a b", "$(x)", "'; rm", "--flag", "", "é", None])
def test_nothing_that_a_shell_could_read_is_put_into_a_line(value):
    assert command_line("gate.approve", {"goal_id": "docs", "x": value}) == "frontstage gate approve --goal-id docs"


def test_a_digest_without_news_says_so_in_both_languages():
    world = busy()
    texts = [shown(world, "digest.show", locale, since=world.state.seq) for locale in LOCALES]
    assert "Nothing material has changed." in texts[0]
    assert "没有实质变化。" in texts[1]
    assert texts[0].split("\n")[-1] == "Waits for you: 7, for somebody: 8"


def test_stale_sources_stand_under_the_goal_they_make_unsure():
    world = World()
    credential(world, "builder")
    world.activate(token_cap=1_000)
    world.add("todo_one")
    world.lease("todo_one", ttl_seconds=60)
    world.do("builder", "usage.report", goal_id="docs", source="provider", cost_micros=1)
    world.now_ms += 60_000
    (row,) = view(world, "overview.show")["goals"]
    assert [(one["affects"], one["kind"]) for one in row["stale_sources"]] == [
        ("quota", "usage_unknown"),
        ("responsible", "lease_lapsed"),
    ]
    lines = shown(world, "overview.show").split("\n")
    assert lines[3].strip() == "? Quota: some usage was not reported"
    assert world.goal().state in EXECUTABLE


def test_handed_over_work_shows_what_was_left():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    left = {"context": "Two pages are checked", "remaining_work": "Check install.md"}
    world.do("builder", "todo.handoff", goal_id="docs", todo_id="todo_one", to_agent="helper", **left)
    assert "builder → helper: Check install.md" in shown(world, "todo.list", goal_id="docs")
