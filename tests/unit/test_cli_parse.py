"""The command line's parser: what a line means, and what is said of one that means nothing."""

import json
import shlex

import pytest

from daemon.cli import generate, manual, pages_zh
from daemon.cli.catalogue import ACTIONS
from daemon.cli.local import together
from daemon.cli.main import run
from daemon.cli.parse import (
    ARGUMENT_CHARS_MAX,
    GLOBAL_PARAMETERS,
    MISTAKES,
    REPEATS_MAX,
    Command,
    UsageError,
    flag_of,
    parse,
    wants_json,
)
from ledger.catalogue import ACTIONS as TABLE
from ledger.text.say import placeholders, say

NOUNS = together(ACTIONS)
EVERY_VERB = [(noun, name, verb) for noun, verbs in NOUNS.items() for name, verb in verbs.items()]
CLAIM = ["todo", "claim", "--goal-id", "docs", "--todo-id", "todo_000012"]


def read(*argv: str) -> Command:
    return parse(list(argv), NOUNS)


def test_the_catalogue_is_what_the_table_of_actions_says():
    assert generate.TARGET.read_text(encoding="utf-8") == generate.render(), "run: python -m daemon.cli.generate"


def test_every_action_that_is_not_hidden_is_a_command_and_nothing_else_is():
    commands = {f"{noun}.{name}" for noun, verbs in ACTIONS.items() for name in verbs}
    assert commands == {action.name for action in TABLE.values() if not action.hidden}


def test_a_write_is_a_write_on_the_command_line_too():
    for noun, verbs in ACTIONS.items():
        for name, verb in verbs.items():
            action = TABLE[f"{noun}.{name}"]
            assert verb.get("writes", False) == action.writes
            assert set(verb["parameters"]) == set(action.params.model_fields)


@pytest.mark.parametrize(("noun", "name", "verb"), EVERY_VERB)
def test_every_example_is_a_command_line_of_its_command(noun, name, verb):
    line = shlex.split(verb["example"].replace("b1:…", "b1:" + "0" * 32).replace("…", "0" * 64))
    command = read(*line)
    assert (command.noun, command.verb_name, command.verb) == (noun, name, verb)


@pytest.mark.parametrize(("noun", "name", "verb"), EVERY_VERB)
def test_no_flag_means_two_things(noun, name, verb):
    assert not set(verb["parameters"]) & set(GLOBAL_PARAMETERS)


@pytest.mark.parametrize(("noun", "name", "verb"), EVERY_VERB)
def test_the_manual_names_every_flag_and_gives_an_example(noun, name, verb):
    page = manual.Manual("en").of_verb(noun, name, verb)
    assert f"  frontstage {verb['example']}" in page.splitlines()
    for field, parameter in verb["parameters"].items():
        assert flag_of(field) in page
        assert parameter["help"], f"{noun} {name} {field} has no help"
        if parameter.get("required"):
            assert flag_of(field) in page.split("NEEDED")[0]
    for choice in (one for parameter in verb["parameters"].values() for one in parameter.get("choices", ())):
        assert choice in page
    assert max(map(len, page.splitlines())) <= 200


@pytest.mark.parametrize(("noun", "name", "verb"), [one for one in EVERY_VERB if "run" in one[2]])
def test_the_flags_that_a_local_command_lists_are_those_it_takes(noun, name, verb):
    """What is listed can be given; any flag of another command, common or not, is a mistake that names it."""
    page = manual.Manual("en").of_verb(noun, name, verb).partition("USAGE")[2].partition("EXAMPLE")[0]
    listed = {word for line in page.splitlines() if line.startswith("  --") for word in line.split()[:1]}
    everywhere = {field: one for _, _, other in EVERY_VERB for field, one in other["parameters"].items()}
    required = {one: what for one, what in verb["parameters"].items() if what.get("required")}
    needed = [f"{flag_of(one)}={(*what.get('choices', ()), 'x')[0]}" for one, what in required.items()]
    taken = set()
    for field, parameter in {**everywhere, **GLOBAL_PARAMETERS, **verb["parameters"]}.items():
        value = "1" if parameter.get("kind") == "integer" else (*parameter.get("choices", ()), "x")[0]
        given = [flag_of(field)] if parameter.get("kind") == "switch" else [flag_of(field), value]
        try:
            read(
                *[word for word in (noun, name) if word],
                *(one for one in needed if not one.startswith(f"{given[0]}=")),
                *given,
            )
        except UsageError:
            continue
        taken.add(flag_of(field))
    assert taken == listed


def test_a_mistake_is_told_in_the_readers_language(capfd, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_LOCALE", "zh")
    assert run(["gat"]) == 2
    assert capfd.readouterr().err == "frontstage: 没有命令 'gat'\n  是否想输入 gate？\n"
    assert run(["todo", "release", "--json"]) == 2
    assert json.loads(capfd.readouterr().out)["message"] == "frontstage todo release 需要 --goal-id、--todo-id"
    assert run(["todo", "release", "--locale", "en"]) == 2
    assert "needs --goal-id and --todo-id" in capfd.readouterr().err


def test_every_mistake_has_a_sentence_in_each_language():
    for name, text in MISTAKES.items():
        key = f"manual.mistake.{name}"
        assert say(key, "en", **{one: "{" + one + "}" for one in placeholders(key)}) == text
        assert name in pages_zh.MISTAKES


def test_a_decision_that_is_refused_without_its_basis_says_that_it_is_needed():
    for name in generate.DECIDES_ON_BASIS:
        noun, _, verb = name.partition(".")
        page = manual.Manual("en").of_verb(noun, verb, NOUNS[noun][verb])
        assert "--basis TEXT" in page.partition("NEEDED")[2].partition("OPTIONS")[0]
        assert "--basis TEXT" in page.partition("USAGE")[2].splitlines()[1]


def test_the_first_page_names_every_noun():
    page = manual.Manual("en").overview()
    for noun in NOUNS:
        assert f"\n  {noun} " in page


@pytest.mark.parametrize(
    ("argv", "values"),
    [
        (CLAIM, {"goal_id": "docs", "todo_id": "todo_000012"}),
        (["todo", "claim", "--goal-id=docs", "--todo-id=todo_1"], {"goal_id": "docs", "todo_id": "todo_1"}),
        (["todo", "list", "--goal-id", "docs", "--limit", "7"], {"goal_id": "docs", "limit": 7}),
        (
            ["todo", "add", "--goal-id", "d", "--text", "a", "--depends-on", "todo_aaa", "--depends-on=todo_bbb"],
            {"goal_id": "d", "text": "a", "depends_on": ["todo_aaa", "todo_bbb"]},
        ),
        (["todo", "add", "--goal-id", "d", "--text", ""], {"goal_id": "d", "text": ""}),
        (["todo", "add", "--goal-id", "d", "--text=--x=y"], {"goal_id": "d", "text": "--x=y"}),
        (["todo", "add", "--goal-id", "d", "--text", "-5"], {"goal_id": "d", "text": "-5"}),
        (["todo", "add", "--goal-id", "d", "--text", "修好链接 🙂"], {"goal_id": "d", "text": "修好链接 🙂"}),
        (["--json", "todo", "--locale", "zh", *CLAIM[1:]], {"goal_id": "docs", "todo_id": "todo_000012"}),
        (["status"], {}),
        (["status", "show", "--limit", "3"], {"limit": 3}),
        (["status", "--limit=3"], {"limit": 3}),
        (["ledger", "tail", "--follow", "--after", "0"], {"follow": True, "after": 0}),
        (["ledger", "tail", "--follow=false"], {"follow": False}),
    ],
)
def test_a_line_means_these_values(argv, values):
    assert read(*argv).values == values


@pytest.mark.parametrize(
    ("argv", "message", "hint", "field"),
    [
        (["tood", "list"], "there is no command 'tood'", "did you mean todo?", None),
        (["todo", "clam"], "todo has no 'clam'", "did you mean todo claim?", None),
        (["zzz"], "there is no command 'zzz'", "see frontstage --help", None),
        ([*CLAIM, "--agentid", "a"], "there is no flag '--agentid' here", "did you mean --agent-id?", None),
        ([*CLAIM, "--agent_id", "a"], "there is no flag '--agent_id' here", "did you mean --agent-id?", None),
        ([*CLAIM, "-x"], "there is no flag '-x' here", "known flags: --goal-id", None),
        ([*CLAIM, "--"], "there is no flag '--' here", "known flags", None),
        ([*CLAIM, "more"], "'more' stands where a flag was expected", "todo claim --help", None),
        (["todo", "release"], "needs --goal-id and --todo-id", "for example: frontstage todo release", "goal_id"),
        (["todo", "release", "--goal-id", "docs"], "needs --todo-id", "for example", "todo_id"),
        ([*CLAIM, "--goal-id", "docs"], "--goal-id is given twice", "one value", "goal_id"),
        ([*CLAIM, "--agent-id"], "--agent-id needs a value", "--agent-id=--", "agent_id"),
        ([*CLAIM, "--agent-id", "--json"], "--agent-id needs a value", "--agent-id=--", "agent_id"),
        (["todo", "list", "--goal-id", "d", "--limit", "x"], "--limit is a whole number, not 'x'", "", "limit"),
        (["todo", "list", "--goal-id", "d", "--limit", "1_0"], "--limit is a whole number", "", "limit"),
        (["todo", "list", "--goal-id", "d", "--limit", "٣"], "--limit is a whole number", "", "limit"),
        (["todo", "list", "--goal-id", "d", "--limit", "9" * 17], "--limit is a whole number", "", "limit"),
        (["todo", "list", "--goal-id", "d", "--limit="], "--limit is a whole number", "", "limit"),
        (["todo", "list", "--goal-id", "d", "--status", "opne"], "not 'opne'", "did you mean open?", "status"),
        (["ledger", "tail", "--follow=maybe"], "--follow is true or false", "", "follow"),
        (["todo", "add", "--goal-id", "d", "--text", "a\udcff"], "--text is not valid UTF-8", "encoding", "text"),
        (["todo", "add", "--goal-id", "d", "--text", "x" * (ARGUMENT_CHARS_MAX + 1)], "is longer than", "", "text"),
        ([*CLAIM, "--request-key", "a b"], "--request-key is 1 to 160", "", "request_key"),
        ([*CLAIM, "--request-key", "a\r\nX: y"], "--request-key is 1 to 160", "", "request_key"),
        ([*CLAIM, "--request-key", "k" * 161], "--request-key is 1 to 160", "", "request_key"),
        ([*CLAIM, "--locale", "fr"], "--locale is en or zh, not 'fr'", "", "locale"),
        ([*CLAIM, "--home", "/a", "--home", "/b"], "--home is given twice", "", "home"),
        ([*CLAIM, "--bad\x1b[31m\u202e"], "'--bad\ufffd[31m\ufffd'", "known flags", None),
    ],
)
def test_a_mistake_is_named_with_what_was_meant(argv, message, hint, field):
    with pytest.raises(UsageError) as caught:
        read(*argv)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.field == field


def test_a_flag_is_repeated_so_often_and_no_more():
    head = ["todo", "add", "--goal-id", "d", "--text", "t"]
    many = ["--depends-on=todo_aaa"] * REPEATS_MAX
    assert len(read(*head, *many).values["depends_on"]) == REPEATS_MAX
    with pytest.raises(UsageError, match="more than"):
        read(*head, *many, "--depends-on=todo_aaa")


def test_help_is_understood_everywhere_and_excuses_what_is_missing():
    for argv in (["-h"], ["todo", "-h"], ["todo", "claim", "-h"], ["--help", "todo", "claim"], [*CLAIM, "--help"]):
        assert read(*argv).options.help
    assert read("todo").verb is None
    assert read().noun == ""


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--json"], True),
        (["--format", "json"], True),
        (["--format=json"], True),
        (["--format", "text"], False),
        ([], False),
    ],
)
def test_whether_a_broken_line_wants_json(argv, expected):
    assert wants_json(["todo", "clam", *argv]) is expected


@pytest.mark.parametrize("argv", [[*CLAIM, "--at", "3"], ["ledger", "verify", "--at=3"], ["version", "--at", "3"]])
def test_whatever_does_something_or_asks_no_daemon_takes_no_moment(argv):
    with pytest.raises(UsageError, match="takes no --at") as refused:
        parse(argv, together(ACTIONS))
    assert refused.value.field == "at"
