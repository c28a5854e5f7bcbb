"""The example of every action works: typed as it stands, by whom it is for, at a daemon that is asked over its socket.

What an example leaves to its reader is filled in as a reader would: a basis comes from what is shown, a digest is a
digest, and the id of something that the ledger names is the one that it gave.
"""

import asyncio
import re
import shlex

import pytest

from daemon.cli.main import run
from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.codec import decode_event
from ledger.store.memory import MemoryStore, Records
from tests.support.example_scenes import MADE_HERE, PLAYED, Stage, ids_made
from tests.support.homes import sha256
from tests.support.served import served

OUTWARD = {name: action for name, action in ACTIONS.items() if not action.hidden}
MADE = re.compile(rf"\b({'|'.join(MADE_HERE)})\d+")
BARE = re.compile(r"\{|[a-z_-]+\.[a-z_-]+ #\d")
"""JSON, or an event's name: what is printed where nobody wrote a sentence."""
SHOWN_BY = {"plan": "plan_id", "gate": "gate_id", "amendment": "amendment_id"}


def test_every_action_has_an_example_and_a_scene_for_it():
    assert {name for name, action in OUTWARD.items() if action.example} == OUTWARD.keys()
    assert PLAYED.keys() == OUTWARD.keys()


@pytest.mark.parametrize("name", sorted(OUTWARD))
async def test_the_example_works(name, capfd, monkeypatch):
    played, records = PLAYED[name], Records()

    def seed(scribe):
        stage = Stage(scribe)
        for scene in played.scenes:
            scene(stage)

    async with served(seed, records=records) as daemon:
        seq = daemon.seq
        for variable in ("FRONTSTAGE_TOKEN", "FRONTSTAGE_LOCALE"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("FRONTSTAGE_HOME", daemon.made.home.path + "-of-nobody")
        if played.who is not None:
            monkeypatch.setenv("FRONTSTAGE_TOKEN", daemon.made.tokens[played.who])
        argv = await filled_in(name, daemon, records)
        code = await asyncio.to_thread(run, [*argv, "--socket", daemon.made.home.socket])
        printed = capfd.readouterr()
        assert (code, printed.err) == (0, ""), f"frontstage {shlex.join(argv)}\n{printed.err}"
        assert printed.out.strip()
        assert not BARE.match(printed.out), "a sentence says what was done, or lines what there is"
        # What writes has changed something, and what only looks has not.
        assert (daemon.seq > seq) is OUTWARD[name].writes, printed.out


async def filled_in(name, daemon, records):
    """The words of the example, with what differs from ledger to ledger."""
    store = MemoryStore(records)
    made = ids_made([decode_event(row.body, row.words, row.hash).facts for row in store.events(0)])
    state, words = replay(store), []
    for word in shlex.split(OUTWARD[name].example):
        text = MADE.sub(lambda found: made[found[1]], word)
        if words[-1:] == ["--seq"]:
            text = str(state.goals["docs"].created_seq)
        if text == "b1:…":
            text = await shown_basis(name, daemon, state)
        words.append(sha256("report") if text == "…" else text)
    return words


async def shown_basis(name, daemon, state):
    """The basis that whoever looks at it now is shown."""
    action, goal = OUTWARD[name], state.goals["docs"]
    if action.noun == "goal":
        shown = (await daemon.read("goal.show", "?goal_id=docs")).document["basis"]
        return shown[{"intent": "confirm", "delivery": "accept", "state": "state"}[action.basis]]
    field = SHOWN_BY[action.noun]
    (subject,) = {"plan": goal.plans, "gate": goal.gates, "amendment": goal.amendments}[action.noun].by_id
    answer = await daemon.read(f"{action.noun}.show", f"?goal_id=docs&{field}={subject}")
    return answer.document["basis"]
