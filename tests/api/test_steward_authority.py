"""What the steward may not do, and how it runs: each thing it asks for is refused to whoever does not have the goal."""

import asyncio

from daemon.aclient import AsyncClient
from daemon.agents.steward import Setting, Steward, serve
from daemon.agents.steward_facts import WISHED
from ledger.store.memory import Records
from tests.support.homes import CHAT, secret_of
from tests.support.served import WAIT_S_MAX, HandClock, home_in_memory, serving, until
from tests.support.stewarded import FIRST, NOTE, SECOND, TEAM, Room, blocked, both_parts, room, seed


async def test_without_the_goal_it_asks_for_nothing():
    async with room(apart=("guide",)) as there:
        grant = (await there.daemon.do("member.grant", {"member_id": "guide", "goal_id": ["docs"]}))["result"]
        await there.look()
        await there.evidence("builder", FIRST, "links", ["c1"])
        await there.daemon.do("member.revoke-grant", {"grant_id": grant["grant_id"]})
        seq, audited = there.daemon.seq, len(there.daemon.audited())
        assert not await there.look()
        assert (there.daemon.seq, len(there.daemon.audited())) == (seq, audited)
        await there.daemon.do("member.revoke", {"member_id": "guide"}, who=None)
        assert not await there.look()
        assert there.told[-1] == "goal.list was refused: credential_revoked"


def story(**more):
    """What happens in a room that is made like this."""

    def told(play):
        play.more = more
        return play

    return told


@story()
async def delivers(there):
    await there.daemon.do("channel.bind", {"goal_id": "docs", "channel_id": CHAT})
    links, heads = await both_parts(there)
    note = await there.evidence("helper", NOTE, "note", input=[links, heads])
    await there.look()
    await there.judge(note)
    await there.look()
    assert await there.state() == "delivered"


@story()
async def does_again(there):
    links, heads = await both_parts(there)
    await there.add("todo_last", depends_on=[NOTE])
    note = await there.evidence("helper", NOTE, "note", input=[links, heads])
    await there.look()
    await there.hand_in("builder", None, "links, with one more", ["c1"], revises=links)
    await there.daemon.do("member.revoke", {"member_id": "helper"}, who=None)
    await there.look()
    assert (await there.artifact(note))["status"] == "invalidated"
    todos = await there.todos()
    assert todos["todo_last"]["depends_on"] == [f"{NOTE}-r2"]


@story(write_scope=(), confirm=False)
async def is_asked_and_revised(there):
    await there.look()
    await there.do("ann", "goal.clarify", answer="No")
    await there.do("ann", "goal.revise", write_scope=["reports/**"])
    basis = (await there.read("goal.show"))["basis"]["confirm"]
    await there.do("ann", "goal.confirm", basis=basis)
    await there.look()
    assert "todo_plan_r2d0n1_work-1" in await there.todos()


@story()
async def sends_back(there):
    await there.look()
    await blocked(there, "turn-1")
    await there.look()
    (gate,) = await there.gates()
    await there.approve(gate)
    await there.look()
    assert (await there.todos())[FIRST]["status"] == "open"


@story()
async def relieves(there):
    await there.look()
    await there.daemon.do("member.revoke", {"member_id": "helper"}, who=None)
    await there.look()
    assert (await there.todos())[SECOND]["bound_agent"] == "builder"


@story(capability=("web",))
async def withdraws(there):
    await there.look()
    (gate,) = await there.gates()
    for who in ("builder", "helper", "judge", "guide"):
        await there.daemon.do("member.grant", {"member_id": who, "capability": ["web"]})
    await there.look()
    assert await there.gates() == []
    assert gate["kind"] == "resource"


OF_STRANGERS = {
    "posting_not_granted",
    "actor_not_registered",
    "goal_not_granted",
    "not_an_owner",
    "gate_not_yours",
    "request_not_yours",
}


async def test_each_thing_it_does_is_refused_to_whoever_does_not_have_the_goal():
    """Every wish of these stories is first asked for by an agent without the grant, word for word."""
    doubted = {}
    for story in (delivers, does_again, is_asked_and_revised, sends_back, relieves, withdraws):
        async with room(apart=("stranger",), doubted=doubted, **story.more) as there:
            await story(there)
    assert set(doubted) == set(WISHED)
    assert {action: codes - OF_STRANGERS for action, codes in doubted.items()} == {action: set() for action in doubted}


async def test_it_wakes_by_the_feed_outlives_a_daemon_and_ends_when_told():
    records, told, stop = Records(), [], asyncio.Event()
    with home_in_memory(records, seed()) as (made, now_ms):
        made.tokens |= {who: secret_of(who) for who in TEAM}
        clock = HandClock(now_ms)
        async with AsyncClient(made.home.socket, secret_of("guide")) as client, asyncio.TaskGroup() as group:
            steward = Steward(client, Setting(agent_id="guide"), told.append)
            running = group.create_task(serve(steward, stop))
            await until(lambda: any("the daemon is not there" in line for line in told))
            async with serving(made, records, clock) as daemon:
                await until(lambda: any("confirm: plan.confirm" in line for line in told))
                await daemon.do("member.add", {"member_id": "late", "kind": "agent", "display_name": "Late"}, who=None)
                there = Room(daemon, client, ())
                await there.evidence("builder", FIRST, "links", ["c1"])
                await until(lambda: any("review: request.send" in line for line in told))
            count = len(told)
            async with serving(made, records, clock) as daemon:
                there = Room(daemon, client, ())
                await there.evidence("helper", SECOND, "headings", ["c2"])
                await until(lambda: any("review: request.send" in line for line in told[count:]))
                stop.set()
                await asyncio.wait_for(running, WAIT_S_MAX)
    done = [line for line in told if "the daemon is not there" not in line]
    assert len(done) == len(set(done))
    assert steward.refusals == 0
