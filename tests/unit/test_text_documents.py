"""What a person reads at a terminal: lines that line up, say what the document says, and show text literally."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from ledger.catalogue import ACTIONS
from ledger.records import GoalState
from ledger.text.documents import render
from ledger.text.lines import committed_line, held_line, reason_line, step_line
from ledger.text.say import LOCALES
from ledger.text.tables import pairs, table, width
from ledger.text.times import rfc3339, rfc3339_or_none, short_utc
from tests.support.ledger_script import START_MS, Script, script_in

STATES = get_args(GoalState)
HOSTILE = "**b** <at id=all></at>\x1b[31m \u202egnp.exe\nInjected: yes\r\x07"


def text_of(script, action, locale="en", reader="ann", **params):
    return render(action, script.read(reader, action, **params), locale)


def everything(script):
    """Every reading action with parameters that suit the script."""
    todo_id = next(iter(script.goal().todos), None)
    yield "status.show", {}
    yield "goal.list", {}
    yield "member.list", {}
    for action in ("goal.show", "todo.list", "todo.ready", "artifact.list"):
        yield action, {"goal_id": "docs"}
    yield "quota.should-run", {"goal_id": "docs", "agent_id": "builder"}
    if todo_id is not None:
        yield "task-lease.inspect", {"goal_id": "docs", "todo_id": todo_id}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("state", STATES)
def test_every_document_reads_as_lines_in_both_languages(state, locale):
    script = script_in(state)
    for action, params in everything(script):
        text = text_of(script, action, locale, **params)
        assert text.strip(), action
        assert not any(line != line.rstrip() for line in text.split("\n")), action
        assert not any(mark in text for mark in ("{", "}", "None", "[]")), (action, text)


def test_a_document_from_the_wire_reads_the_same():
    script = script_in("active")
    for action, params in everything(script):
        document = script.read("ann", action, **params)
        assert render(action, msgspec.json.decode(msgspec.json.encode(document)), "en") == render(
            action, document, "en"
        )


@pytest.mark.parametrize("locale", LOCALES)
def test_hostile_text_neither_colours_nor_reorders_nor_begins_a_line(locale):
    script = Script(name=HOSTILE[:100])
    script.add_agent("builder", HOSTILE)
    script.propose(title=HOSTILE, objective=HOSTILE, criterion=(HOSTILE,), budget=HOSTILE)
    script.do("ann", "goal.clarify", goal_id="docs", question=HOSTILE, option=(HOSTILE,))
    asked = text_of(script, "goal.show", locale, goal_id="docs")
    script.do("ann", "goal.clarify", goal_id="docs", answer=HOSTILE)
    script.confirm()
    script.do("ann", "todo.block", goal_id="docs", todo_id=script.add_todo(HOSTILE), reason=HOSTILE)
    script.finish(script.add_todo(HOSTILE), "builder")
    texts = [asked, *(text_of(script, action, locale, **params) for action, params in everything(script))]
    for text in texts:
        assert not {"\x1b", "\x07", "\r", "\u202e"} & set(text)
        assert not any(line.startswith("Injected") for line in text.split("\n"))
    assert "<at id=all></at>␛[31m" in asked


def test_a_goal_says_the_six_things_an_owner_asks():
    script = script_in("active")
    todo_id = script.goal().by_priority[0][2]
    script.do(
        "builder", "task-lease.acquire", goal_id="docs", todo_id=todo_id, idempotency_key="run-1", ttl_seconds=900
    )
    text = text_of(script, "goal.show", goal_id="docs")
    for said in (
        "docs · Active · Revision 1 · P2",
        "Every page of docs/ can be followed from top to bottom.",
        "Responsible          Builder",
        "Claimed until        2026-05-28 20:41 UTC",
        f"{todo_id}  P2  Open  leased to builder until 2026-05-28 20:41 UTC  Check the headings",
        "May write            reports/**",
        f"builder: Go on with {todo_id} and complete it with evidence.",
        f"Lease taken by Builder · seq {script.seen.seq}",
    ):
        assert said in text


def test_the_basis_to_decide_on_is_printed():
    script = script_in("proposed")
    assert f"Confirm  {script.goal().intents[0].basis}" in text_of(script, "goal.show", goal_id="docs")
    script = script_in("delivered")
    assert f"Accept  {script.goal().delivery.basis}" in text_of(script, "goal.show", goal_id="docs")


def test_a_revision_that_waits_says_what_it_would_change():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", criterion=("Every anchor works",), budget="one day")
    text = text_of(script, "goal.show", goal_id="docs")
    assert "c1  Every link works" in text
    assert "Revision 2           Waiting for a decision" in text
    assert "Acceptance criteria: Every anchor works" in text
    assert "Budget: one day" in text
    assert "Objective: " not in text


def test_a_page_says_how_to_go_on_and_a_whole_list_says_nothing():
    script = Script()
    script.activate()
    ids = [script.add_todo() for _ in range(3)]
    assert text_of(script, "todo.list", goal_id="docs", limit=2).endswith(f"2 of 3 shown; continue after {ids[1]}.")
    assert "shown" not in text_of(script, "todo.list", goal_id="docs")
    assert text_of(script, "todo.ready", goal_id="docs", limit=2).count("\n") == 2


def test_nothing_is_said_to_be_nothing():
    script = Script()
    assert text_of(script, "goal.list") == "No goals."
    assert text_of(script, "status.show").endswith("Nothing needs anybody.")
    script.activate()
    assert text_of(script, "todo.list", goal_id="docs") == "No todos."
    assert text_of(script, "artifact.list", "zh", goal_id="docs") == "尚无交付物。"


def test_a_verdict_is_its_decision_and_reason_first():
    script = script_in("paused")
    assert text_of(script, "quota.should-run", goal_id="docs", agent_id="builder").startswith(
        "Stay quiet · The goal is paused.\n"
    )


def test_an_action_without_a_form_of_its_own_is_shown_as_json():
    assert render("new.thing", {"a": "\x1b"}, "en") == '{\n  "a": "\\u001b"\n}'


COMMITTED = [
    (
        "todo.claim",
        "todo.claimed",
        {"todo_id": "todo_000012", "agent_id": "builder"},
        "Claimed todo_000012 for builder.",
    ),
    (
        "task-lease.acquire",
        "lease.acquired",
        {
            "todo_id": "todo_000012",
            "owner": "builder",
            "version": 1,
            "expires_at_ms": START_MS,
            "lease": {"version": 1},
        },
        "Leased todo_000012 to builder until 2026-05-28 20:26 UTC (version 1).",
    ),
    ("goal.clarify", "goal.question_asked", {"question_id": "q_8", "goal_id": "docs"}, "Asked question q_8 on docs."),
    (
        "goal.clarify",
        "goal.question_answered",
        {"question_id": "q_8", "goal_id": "docs"},
        "Answered question q_8 on docs.",
    ),
    (
        "todo.complete",
        "todo.completed",
        {"todo_id": "todo_000012", "successor_todo_id": None},
        "Completed todo_000012.",
    ),
    (
        "todo.complete",
        "todo.completed",
        {"todo_id": "todo_000012", "successor_todo_id": "todo_000020"},
        "Completed todo_000012; todo_000020 follows.",
    ),
    (
        "plan.confirm",
        "plan.confirmed",
        {"plan_id": "plan_12", "outcome": "committed", "todos": [{}, {}], "gaps": []},
        "Confirmed plan plan_12: its lanes are todos now, 2 in all.",
    ),
    (
        "plan.confirm",
        "plan.confirmed",
        {"plan_id": "plan_12", "outcome": "partial", "todos": [{}, {}], "gaps": [{}]},
        "Confirmed plan plan_12 in part. Lanes that are todos now: 2; lanes with a gap: 1.",
    ),
    (
        "gate.delegate",
        "gate.delegated",
        {"gate_id": "gate_12", "seat": "cara", "delegate": "dan", "until_ms": START_MS},
        "On gate gate_12, dan votes in place of cara until 2026-05-28 20:26 UTC.",
    ),
    (
        "gate.delegate",
        "gate.delegation_ended",
        {"gate_id": "gate_12", "seat": "cara", "delegate": "dan"},
        "On gate gate_12, cara votes in person again.",
    ),
    ("goal.confirm", "goal.confirmed", {}, "goal.confirmed #12"),
    ("new.thing", "thing.made", {"x": 1}, "thing.made #12"),
]


@pytest.mark.parametrize(("action", "kind", "result", "line"), COMMITTED)
def test_one_line_says_what_was_committed(action, kind, result, line):
    document = {"events": [{"seq": 12, "kind": kind}], "result": result, "replayed": False}
    assert committed_line(action, document, "en") == line
    replayed = committed_line(action, document | {"replayed": True}, "en")
    assert replayed == f"{line} (Done before; nothing was done twice.)"
    assert committed_line(action, document, "zh")


def test_every_writing_action_has_a_line_of_its_own():
    script = Script()
    script.add_agent("builder")
    goal = script.activate()
    todo_id = script.add_todo()
    moves = [
        ("ann", "goal.pause", {}),
        ("ann", "goal.resume", {}),
        ("ann", "goal.revise", {"budget": "less"}),
        ("ann", "goal.decline", {"basis": lambda: goal.intents[-1].basis}),
        ("ann", "goal.revise", {"budget": "more"}),
        ("ann", "goal.withdraw", {}),
        ("builder", "todo.claim", {"todo_id": todo_id}),
        ("builder", "todo.release", {"todo_id": todo_id}),
        ("ann", "todo.block", {"todo_id": todo_id, "reason": "Stuck"}),
        ("ann", "todo.update", {"todo_id": todo_id, "status": "open"}),
        ("builder", "task-lease.acquire", {"todo_id": todo_id, "idempotency_key": "run-1"}),
        ("builder", "task-lease.renew", {"todo_id": todo_id, "idempotency_key": "run-1", "expected_version": 1}),
        ("builder", "task-lease.release", {"todo_id": todo_id, "idempotency_key": "run-1", "expected_version": 2}),
        ("ann", "todo.cancel", {"todo_id": todo_id}),
        ("ann", "goal.stop", {}),
    ]
    for actor, action, params in moves:
        given = {name: value() if callable(value) else value for name, value in params.items()}
        events = script.do(actor, action, goal_id="docs", **given)
        result = {"goal_id": "docs"}
        for event in events:
            result |= msgspec.structs.asdict(event.facts)
        document = {"events": [{"seq": event.seq, "kind": event.kind} for event in events], "result": result}
        for locale in LOCALES:
            line = committed_line(action, document, locale)
            assert "#" not in line, (action, line)
            assert "docs" in line or todo_id in line


def test_a_value_in_a_line_is_data():
    document = {"events": [], "result": {"todo_id": "x\n{agent_id}\x1b", "agent_id": "b"}}
    assert committed_line("todo.claim", document, "en") == "Claimed x {agent_id}\u241b for b."


def test_what_already_holds_names_its_event():
    assert held_line("todo.claim", 12, "en") == "Nothing to do: it is so since event 12."
    assert "12" in held_line("todo.claim", 12, "zh")


def test_an_unknown_reason_names_its_code():
    assert reason_line("brand_new", "en") == "Decided by rule brand_new."
    assert step_line("goal.confirm", {}, "en") == "Read revision - and confirm it, or decline it."


def test_columns_line_up_whatever_the_letters():
    lines = table([("a", "第二个目标", "x"), ("bcd", "e\u0301", "y"), ("longer", "", "z")])
    assert len({width(line[: line.index(mark)]) for line, mark in zip(lines, "xyz", strict=True)}) == 1
    assert table([]) == []
    assert table([("only", "")]) == ["only"]
    assert pairs([("目标", ["one", "two"]), ("a", "b")]) == ["  目标  one", "        two", "  a     b"]


def test_a_wide_cell_is_cut_with_a_mark_and_the_last_is_not():
    (line,) = table([("x" * 100, "y" * 100)])
    assert line == "x" * 71 + "…  " + "y" * 100


@pytest.mark.parametrize(
    ("at_ms", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_780_000_000_000, "2026-05-28T20:26:40Z"),
        (1_780_000_000_250, "2026-05-28T20:26:40.250Z"),
        (1_709_164_799_000, "2024-02-28T23:59:59Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00Z"),
        (1_709_251_200_000, "2024-03-01T00:00:00Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_moments_are_rfc_3339_in_utc(at_ms, text):
    assert rfc3339(at_ms) == text
    assert rfc3339_or_none(at_ms) == text
    assert short_utc(at_ms) == short_utc(text) == f"{text[:10]} {text[11:16]} UTC"


def test_every_day_of_four_centuries_follows_the_one_before():
    months = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    day = 0
    for year in range(1970, 2371):
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        for month, days in enumerate(months, start=1):
            for of_month in range(1, days + (leap and month == 2) + 1):
                if of_month in {1, 28, 29, 30, 31}:
                    assert rfc3339(day * 86_400_000)[:10] == f"{year:04d}-{month:02d}-{of_month:02d}"
                day += 1
    assert rfc3339_or_none(None) is None


def test_every_line_is_of_an_action_that_there_is():
    """A key that names no action is a sentence that nobody reads."""
    folder = Path(__file__).parents[2] / "ledger" / "text" / "locale" / "en" / "LC_MESSAGES"
    keys = {key for po in folder.glob("*.po") for key in re.findall(r'msgid "cli\.done\.(.+)"', po.read_text("utf-8"))}
    actions = {action.name.replace("-", "_") for action in ACTIONS.values()}
    assert len(keys) > 50
    assert {key for key in keys if ".".join(key.split(".")[:2]) not in actions} == set()
