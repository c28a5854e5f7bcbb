"""Hooks inside a daemon: in order, at least once, each for itself, and never in anybody's way."""

import asyncio
import json

import pytest

from daemon.hooks.telling import SUBJECTS
from ledger.ports import StoreFull
from ledger.testing import Failure
from tests.support.homes import activate
from tests.support.hooks import FAILED, followed, hook
from tests.support.served import served, until

PRIVATE = "Nobody but Ann may read this sentence"


@pytest.fixture
async def daemon():
    async with served(lambda scribe: activate(scribe, todos=3)) as running:
        yield running


async def add(daemon, name):
    return await daemon.do("todo.add", {"goal_id": "docs", "todo_id": name, "text": f"Do {name}"})


async def test_what_is_committed_is_told_in_order_with_what_a_receiver_needs(daemon):
    async with followed(daemon, hook(kinds=["todo.*"])) as (hooks, carriers):
        carrier = carriers["build"]
        first = await add(daemon, "todo_part_a")
        await daemon.do("member.add", {"member_id": "scout", "kind": "agent", "display_name": "Scout"})
        second = await add(daemon, "todo_part_b")
        await until(lambda: len(carrier.carried) == 2)
        assert carrier.seqs == [first["seq"], second["seq"]]
        document = carrier.carried[0]
        event = daemon.service.recent[-3]
        assert document == {
            "schema_version": "frontstage_hook_delivery_v0",
            "hook": "build",
            "delivery_id": carrier.orders[0].delivery_id,
            "attempt": 1,
            "seq": event.seq,
            "hash": event.hash.hex(),
            "kind": "todo.added",
            "goal_id": "docs",
            "actor": "ann",
            "at": document["at"],
            "subject": {"todo_id": "todo_part_a"},
        }
        await until(lambda: hooks.followers["build"].behind_events == 0)
        assert hooks.document()["hooks"][0]["delivered"] == 2


async def test_words_are_never_told(daemon):
    async with followed(daemon, hook(**{"from": "start"})) as (hooks, carriers):
        await daemon.do(
            "goal.propose",
            {"goal_id": "quiet", "objective": PRIVATE, "criterion": [PRIVATE], "private": True},
        )
        await until(lambda: hooks.followers["build"].behind_events == 0)
        told = json.dumps(carriers["build"].carried)
        assert PRIVATE not in told
        assert "Every page of the docs" not in told
        assert len(carriers["build"].carried) == daemon.seq
        for document in carriers["build"].carried:
            assert set(document["subject"]) <= set(SUBJECTS)


async def test_a_new_hook_begins_now_or_where_it_is_told(daemon):
    begin = daemon.seq
    settings = (hook("now"), hook("start", **{"from": "start"}), hook("some", **{"from": begin - 2}))
    async with followed(daemon, *settings) as (_, carriers):
        await until(lambda: len(carriers["start"].carried) == begin and len(carriers["some"].carried) == 2)
        assert carriers["now"].carried == []
        await add(daemon, "todo_part_a")
        await until(lambda: all(carrier.seqs and carrier.seqs[-1] == daemon.seq for carrier in carriers.values()))
        assert carriers["some"].seqs == [begin - 1, begin, begin + 1]
        assert carriers["start"].seqs == list(range(1, begin + 2))


async def test_what_fails_is_tried_again_and_nothing_overtakes_it(daemon):
    async with followed(daemon, hook(kinds=["todo.added"])) as (hooks, carriers):
        carrier = carriers["build"]
        carrier.outcomes.extend([FAILED, FAILED])
        first = await add(daemon, "todo_part_a")
        second = await add(daemon, "todo_part_b")
        await until(lambda: len(carrier.carried) == 4)
        assert carrier.seqs == [first["seq"]] * 3 + [second["seq"]]
        assert [document["attempt"] for document in carrier.carried] == [1, 2, 3, 1]
        assert len({order.delivery_id for order in carrier.orders}) == 2
        await until(lambda: hooks.followers["build"].state == "following")


async def test_a_hook_that_fails_too_often_is_parked_until_somebody_says_so(daemon):
    async with followed(daemon, hook(attempts=2, kinds=["todo.added"]), hook("other")) as (hooks, carriers):
        carrier = carriers["build"]
        carrier.outcomes.extend([FAILED] * 3)
        first = await add(daemon, "todo_part_a")
        await until(lambda: hooks.followers["build"].state == "parked")
        second = await add(daemon, "todo_part_b")
        await until(lambda: carriers["other"].seqs == [first["seq"], second["seq"]])
        (row,) = [row for row in hooks.document()["hooks"] if row["name"] == "build"]
        assert (row["state"], row["reason"], row["attempts"], row["before_seq"]) == (
            "parked",
            "exit_code 1",
            2,
            first["seq"],
        )
        assert row["behind_events"] >= 1
        assert len(carrier.carried) == 2
        # Tried again it fails once more, and is then done; all its attempts were before it.
        assert hooks.release("build", skip=False) is True
        await until(lambda: carrier.seqs == [first["seq"]] * 4 + [second["seq"]])
        assert hooks.release("build", skip=False) is False
        assert hooks.release("nobody", skip=False) is None


async def test_a_person_may_skip_what_is_parked_and_only_that(daemon):
    async with followed(daemon, hook(attempts=1, kinds=["todo.added"])) as (hooks, carriers):
        carrier = carriers["build"]
        carrier.outcomes.extend([FAILED])
        first = await add(daemon, "todo_part_a")
        await until(lambda: hooks.followers["build"].state == "parked")
        second = await add(daemon, "todo_part_b")
        assert hooks.release("build", skip=True) is True
        await until(lambda: carrier.seqs == [first["seq"], second["seq"]])
        assert hooks.document()["hooks"][0]["delivered"] == 1


async def test_a_hook_that_hangs_holds_up_nobody(daemon):
    async with followed(daemon, hook("slow"), hook("quick")) as (hooks, carriers):
        carriers["slow"].held = asyncio.Event()
        for number in range(20):
            await add(daemon, f"todo_part_{number}")
        await until(lambda: len(carriers["quick"].carried) == 20)
        assert len(carriers["slow"].carried) == 1
        assert hooks.followers["slow"].behind_events == 20
        carriers["slow"].held.set()
        await until(lambda: len(carriers["slow"].carried) == 20)
        assert carriers["slow"].seqs == carriers["quick"].seqs


async def test_how_old_what_waits_is_can_be_seen(daemon):
    async with followed(daemon, hook()) as (hooks, carriers):
        carriers["build"].held = asyncio.Event()
        await add(daemon, "todo_part_a")
        await carriers["build"].arrived.wait()
        daemon.clock.advance(9_000)
        assert hooks.summary() == {
            "following": 1,
            "retrying": 0,
            "parked": 0,
            "behind_events_max": 1,
            "behind_seconds_max": pytest.approx(9, abs=0.5),
        }


async def test_a_daemon_that_ends_goes_on_where_it_was(daemon):
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await add(daemon, "todo_part_a")
        await until(lambda: len(carriers["build"].carried) == 1)
    kept = daemon.store.hooks()
    assert [(row.name, row.delivered) for row in kept] == [("build", 1)]
    missed = await add(daemon, "todo_part_b")
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await until(lambda: carriers["build"].seqs == [missed["seq"]])


async def test_a_hook_that_was_taken_out_and_put_back_misses_nothing(daemon):
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await add(daemon, "todo_part_a")
        await until(lambda: len(carriers["build"].carried) == 1)
    async with followed(daemon, hook("other")) as (hooks, _):
        missed = await add(daemon, "todo_part_b")
        states = {row["name"]: row["state"] for row in hooks.document()["hooks"]}
        assert states == {"build": "unconfigured", "other": "following"}
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await until(lambda: carriers["build"].seqs == [missed["seq"]])


async def test_a_parked_hook_stays_parked_over_a_restart(daemon):
    async with followed(daemon, hook(attempts=1)) as (hooks, carriers):
        carriers["build"].outcomes.append(FAILED)
        await add(daemon, "todo_part_a")
        await until(lambda: hooks.followers["build"].state == "parked")
    async with followed(daemon, hook(attempts=1)) as (hooks, carriers):
        await until(lambda: hooks.followers["build"].before_seq == daemon.seq)
        assert hooks.followers["build"].state == "parked"
        assert carriers["build"].carried == []


async def test_what_nobody_asks_for_any_more_is_in_nobodys_way(daemon):
    async with followed(daemon, hook(attempts=1)) as (hooks, carriers):
        carriers["build"].outcomes.append(FAILED)
        await add(daemon, "todo_part_a")
        await until(lambda: hooks.followers["build"].state == "parked")
    async with followed(daemon, hook(attempts=1, kinds=["member.*"])) as (hooks, carriers):
        await until(lambda: hooks.followers["build"].state == "following")
        await daemon.do("member.add", {"member_id": "scout", "kind": "agent", "display_name": "Scout"})
        await until(lambda: [one["kind"] for one in carriers["build"].carried] == ["member.added"])


async def test_a_place_that_was_not_written_down_is_delivered_again(daemon):
    """A daemon that dies between a delivery and its record: nothing is lost, and the receiver knows it by its id."""
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await until(lambda: bool(daemon.store.hooks()))
        kept = daemon.records.hooks["build"]
        await add(daemon, "todo_part_a")
        await until(lambda: len(carriers["build"].carried) == 1)
        first = carriers["build"].orders[0]
    daemon.records.hooks["build"] = kept
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await until(lambda: len(carriers["build"].orders) == 1)
        again = carriers["build"].orders[0]
        assert (again.seq, again.delivery_id) == (first.seq, first.delivery_id)


async def test_old_events_are_read_from_the_store():
    async with served(lambda scribe: activate(scribe, todos=40)) as daemon:
        daemon.service.recent.clear()
        async with followed(daemon, hook(**{"from": "start"})) as (_, carriers):
            await until(lambda: carriers["build"].seqs == list(range(1, daemon.seq + 1)))


async def test_owners_see_hooks_and_nobody_else_does():
    async with served(hooks=(hook("build", command=["/opt/secret-place/tell", "--key", "hunter2"]),)) as daemon:
        for who in ("ann", None):
            listed = await daemon.ask("GET", "/v1/hooks", who=who)
            assert listed.status == 200, listed.document
            (row,) = listed.document["hooks"]
            assert (row["name"], row["state"], row["target"]) == ("build", "following", "tell")
            assert "hunter2" not in listed.body.decode()
        for who in ("bob", "builder", "bot"):
            assert (await daemon.ask("GET", "/v1/hooks", who=who)).code == "not_permitted"
            asked = await daemon.ask("POST", "/v1/hooks/retry", who=who, body=b'{"name": "build"}')
            assert asked.code == "not_permitted"
        wrong = await daemon.ask("GET", "/v1/hooks", headers={"Authorization": "Bearer nobody"}, who=None)
        assert wrong.code == "unauthenticated"


async def test_retry_is_asked_for_over_the_socket():
    async with served(hooks=(hook("build"),)) as daemon:
        good = await daemon.ask("POST", "/v1/hooks/retry", body=b'{"name": "build"}')
        assert (good.status, good.document["changed"]) == (200, False)
        assert (await daemon.ask("POST", "/v1/hooks/retry", body=b'{"name": "other"}')).code == "hook_not_found"
        for bad in (
            b"",
            b"[]",
            b'{"name": 1}',
            b'{"name": "build", "name": "b"}',
            b'{"name": "build", "x": 1}',
            b"\xff",
        ):
            assert (await daemon.ask("POST", "/v1/hooks/retry", body=bad)).code == "malformed_params", bad


async def test_health_and_metrics_tell_of_hooks():
    async with served(hooks=(hook("build"),)) as daemon:
        health = (await daemon.ask("GET", "/healthz", who=None)).document
        assert health["hooks"]["following"] == 1
        text = (await daemon.ask("GET", "/metrics", who=None)).body.decode()
        assert 'frontstage_hook_parked{hook="build"} 0.0' in text
        assert 'frontstage_hook_deliveries_total{hook="build"} 0.0' in text


async def test_without_hooks_nothing_runs(daemon):
    assert daemon.parts.hooks.followers == {}
    await asyncio.wait_for(daemon.parts.hooks.run(), 1)
    assert daemon.store.hooks() == []


async def test_a_full_disk_loses_no_place(daemon):
    async with followed(daemon, hook(kinds=["todo.added"])) as (_, carriers):
        await until(lambda: bool(daemon.store.hooks()))
        await add(daemon, "todo_part_a")
        daemon.store.fail(Failure(StoreFull("full")))
        await until(lambda: len(carriers["build"].carried) == 1)
        await until(lambda: daemon.store.hooks()[0].delivered == 1)
