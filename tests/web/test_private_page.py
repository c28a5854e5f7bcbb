"""Private material is in no page's source: not of now, not of then, not in what is hidden or carried along."""

import re

import pytest

from tests.support.daemons import DaemonProcess
from tests.support.homes import short_folder
from tests.web.hostile import AGENTS, PLANTED, WORK_MARK, Marks, hostile_home
from tests.web.looking import Looked
from tests.web.raw import got
from tests.web.scene import page_of

GOALS = ("docs", "delivered", "paused", "stopped", "declined", "withdrawn")
PEOPLE = ("ann", "bob", *AGENTS)


@pytest.fixture(scope="module")
def private():
    """A workspace all goals of which are private, with marks in every field."""
    with short_folder() as folder, DaemonProcess(hostile_home(folder, Marks())) as daemon:
        yield Looked(daemon, page_of(daemon))


def places(head):
    """Every page, as of now and as of moments all along."""
    for at in ("", *(f"at={seq}" for seq in range(10, head, 41))):
        for path in ("", *(f"goals/{one}" for one in GOALS), "history", "agents", *(f"agents/{one}" for one in PEOPLE)):
            yield f"{path}?{at}"
    for asked in (
        "order=oldest",
        "goal_id=docs",
        "goal_id=delivered",
        f"query={WORK_MARK}",
        "query=ann.li",
        "actor=builder",
    ):
        yield f"history?{asked}"
    for asked in (
        "action=gate.approve&goal_id=docs&gate_id=gate_open",
        "action=todo.update&goal_id=docs&todo_id=todo_000",
    ):
        yield f"compose?{asked}"


def test_nothing_private_is_in_the_source_of_any_page(private):
    head = private.client().read("status.show").seq
    shown = set()
    for place in places(head):
        answer = got(private, place)
        source = answer.text
        found = re.findall(rf"{WORK_MARK}\d+", source.replace(f'value="{WORK_MARK}"', ""))
        assert (found, place) == ([], place)
        assert [one for one in PLANTED if one in source] == [], place
        shown.update(re.findall(r"public\d+part", source))
    # The promise itself is for everybody to see, so the pages are not merely empty.
    assert len(shown) > 4
    owner = private.client().read("todo.list", {"goal_id": "docs"}).body
    assert WORK_MARK in str(owner), "whoever has a part in it reads it"


def test_no_identity_of_the_platform_and_no_secret_is_in_the_source_of_any_page(looked):
    made = looked.daemon.made
    secrets = [*made.tokens.values(), (made.path / "bot.token").read_text().strip(), str(made.path)]
    for place in ("", "goals/handbook", "history", "agents", *(f"agents/{who}" for who in made.tokens), "compose"):
        source = got(looked, place).text
        assert [one for one in secrets if one in source] == [], place
        assert not re.search(r"\b(ou|on|oc|om)_[0-9a-zA-Z]{6,}", source), place
