"""Commands of one word are called so wherever they are named, and `search` takes its words as they are first typed."""

import pytest

from daemon.cli.catalogue import ACTIONS
from daemon.cli.parse import BARE, UsageError, line_of, parse
from ledger.catalogue import ACTIONS as TABLE


def read(*argv):
    return parse(list(argv), ACTIONS)


@pytest.mark.parametrize(
    ("argv", "values"),
    [
        (["search", "glossary"], {"query": "glossary"}),
        (["search", "broken link", "--kind", "todo"], {"query": "broken link", "kind": "todo"}),
        (["search", "--kind", "todo", "链接"], {"query": "链接", "kind": "todo"}),
        (["search", "find", "glossary", "--limit", "3"], {"query": "glossary", "limit": 3}),
        (["search", "--query", "glossary"], {"query": "glossary"}),
        (["search", "find", "--query", "find"], {"query": "find"}),
    ],
)
def test_a_search_takes_its_words_without_a_flag(argv, values):
    command = read(*argv)
    assert (command.action, command.values) == ("search.find", values)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["search", "broken", "link"], "'link' stands where a flag was expected"),
        (["search", "glossary", "--query", "index"], "--query is given twice"),
        (["search", "--query", "glossary", "index"], "'index' stands where a flag was expected"),
        (["search", "a\udcff"], "--query is not valid UTF-8 text"),
        (["search"], "frontstage search needs --query"),
        (["review-packet"], "frontstage review-packet needs --goal-id"),
        (["history", "glossary"], "history has no 'glossary'"),
        (["history", "explain"], "frontstage history explain needs --goal-id"),
        (["todo", "claim", "todo_one"], "'todo_one' stands where a flag was expected"),
    ],
)
def test_what_cannot_be_meant_is_a_mistake_that_names_the_command_as_it_is_typed(argv, message):
    with pytest.raises(UsageError) as caught:
        read(*argv)
    assert message in caught.value.message
    assert "search find" not in caught.value.hint
    assert "review-packet show" not in caught.value.hint


def test_an_example_has_no_more_words_than_are_needed():
    for action in TABLE.values():
        if action.noun in {"history", "search", "review-packet", "status", "attention", "overview", "digest"}:
            line = line_of(action.noun, action.verb, ACTIONS[action.noun])
            assert f"frontstage {action.example} ".startswith(f"{line} "), action.name
            assert (action.verb in line) == (action.verb == "explain")


def test_what_is_taken_bare_is_a_parameter_that_the_command_needs():
    for noun, name in BARE.items():
        (verb,) = ACTIONS[noun].values()
        assert verb["parameters"][name]["required"]
