"""Every read is as fresh as the last acknowledged event: what is kept encoded is what would be made anew."""

import json
from random import Random

import msgspec
import pytest

from daemon import jobs
from daemon.api import cache
from ledger.catalogue import ACTIONS
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from tests.support.homes import activate, sha256
from tests.support.served import served

KINDS = {"ann": "person", "bob": "person", "builder": "agent"}
GOALS = ("docs", "site")
STEPS = 150


def reads():
    """What everybody may ask about both goals."""
    for goal_id in GOALS:
        for action in ("goal.show", "todo.list", "todo.ready", "artifact.list", "quota.should-run"):
            yield action, {"goal_id": goal_id}
        yield "todo.ready", {"goal_id": goal_id, "agent_id": "helper"}
        yield "quota.should-run", {"goal_id": goal_id, "agent_id": "builder"}
        yield "task-lease.inspect", {"goal_id": goal_id, "todo_id": "todo_000"}


READS = tuple(reads())


def fresh(daemon, who, action, params):
    """The document made anew, as it is encoded."""
    caller = Caller(member_id=who, kind=KINDS[who], surface="http")
    asked = ACTIONS[action].params.model_validate(params)
    made = READERS[action](daemon.service.committed, caller, asked, daemon.service.clock.now_ms())
    return None if isinstance(made, Refusal) else json.loads(msgspec.json.encode(made))


async def compare(daemon):
    for who in KINDS:
        for action, params in READS:
            query = "?" + "&".join(f"{name}={value}" for name, value in params.items())
            told = (await daemon.read(action, query, who=who)).document
            made = fresh(daemon, who, action, params)
            if made is None:
                assert told["ok"] is False
                continue
            assert told == {"ok": True, "seq": daemon.seq, **made}, (who, action, params)


def step(rng, goals):
    """Something somebody may try; most of it is taken, some is refused."""
    goal_id = rng.choice(GOALS)
    todo = {"goal_id": goal_id, "todo_id": f"todo_{rng.randrange(3):03d}"}
    agent = rng.choice(["builder", "helper"])
    state = goals[goal_id]
    return rng.choice(
        [
            (agent, "todo.claim", todo),
            (agent, "todo.release", todo),
            (agent, "task-lease.acquire", todo | {"idempotency_key": f"run-{rng.randrange(99)}", "ttl_seconds": 30}),
            ("ann", "todo.update", todo | {"priority": rng.choice(["P0", "P1", "P3"])}),
            ("ann", "todo.block", todo | {"reason": "Waits"}),
            ("ann", "todo.update", todo | {"status": "open"}),
            ("ann", "todo.add", {"goal_id": goal_id, "text": f"More {rng.randrange(99)}"}),
            ("ann", "goal.pause", {"goal_id": goal_id}),
            ("ann", "goal.resume", {"goal_id": goal_id}),
            ("ann", "goal.revise", {"goal_id": goal_id, "objective": f"Better {rng.randrange(99)}"}),
            ("ann", "goal.confirm", {"goal_id": goal_id, "basis": state.intents[-1].basis}),
            (agent, "goal.adopt", {"goal_id": goal_id, "revision": max(1, state.confirmed)}),
            (agent, "artifact.submit", todo | {"label": "r", "sha256": sha256(str(rng.random())), "size_bytes": 1}),
            ("ann", "member.add", {"member_id": f"m{rng.randrange(999)}", "kind": "agent", "display_name": "New"}),
        ]
    )


@pytest.mark.parametrize(("seed", "entries_max"), [(0, 1_000), (1, 1_000), (2, 5), (3, 1)])
async def test_whatever_happens_every_document_is_the_one_of_now(seed, entries_max, monkeypatch):
    """With room for all of them, and with so little that they push each other out."""
    rng = Random(seed)
    monkeypatch.setattr(cache, "ENTRIES_MAX", entries_max)

    def both(scribe):
        for goal_id in GOALS:
            activate(scribe, goal_id, todos=3)

    taken = 0
    async with served(both) as daemon:
        for _ in range(STEPS):
            who, action, params = step(rng, daemon.service.committed.goals)
            taken += (await daemon.act(action, params, who=who)).status == 200
            if rng.random() < 0.1:
                await jobs.sweep(daemon.service)
            if rng.random() < 0.2:
                await compare(daemon)
                daemon.clock.advance(rng.choice([1, 1_000, 29_999, 30_000]))
                await compare(daemon)
        await compare(daemon)
        await daemon.do("member.revoke", {"member_id": "helper"})
        await compare(daemon)
        assert taken > STEPS // 3
