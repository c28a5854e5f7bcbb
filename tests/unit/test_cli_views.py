"""Views are asked for by their name alone: `frontstage overview` means what `frontstage overview show` means."""

import pytest

from daemon.cli.catalogue import ACTIONS
from daemon.cli.completion import _words
from daemon.cli.parse import UsageError, parse

ALONE = ("status", "overview", "digest", "attention", "review-packet")


@pytest.mark.parametrize("noun", ALONE)
def test_a_view_is_asked_for_by_its_name(noun):
    flags = ["--goal-id", "docs"] if noun == "review-packet" else []
    short, long = (parse([noun, *verb, *flags, "--json"], ACTIONS) for verb in ([], ["show"]))
    assert short.action == long.action == f"{noun}.show"
    assert (short.values, short.options.json) == (long.values, long.options.json)


def test_a_view_that_needs_a_goal_says_so():
    with pytest.raises(UsageError) as refused:
        parse(["review-packet"], ACTIONS)
    assert refused.value.field == "goal_id"


def test_a_verb_that_a_view_has_not_is_not_taken_for_a_flag():
    with pytest.raises(UsageError):
        parse(["overview", "docs"], ACTIONS)


@pytest.mark.parametrize("noun", ALONE)
def test_completion_knows_the_flags_behind_the_name_alone(noun):
    patterns = {words[0]: words[1] for words in _words(noun, ACTIONS[noun])}
    assert patterns[noun] == patterns[f"{noun} show"]
    assert "--json" in patterns[noun]
