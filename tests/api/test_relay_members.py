"""The members in a chat: who has a part in the goals that are shown there, and what each of them holds until when."""

import json

from daemon.relay.subjects.members import ASKED, ASKED_IN_PRIVATE
from tests.support.homes import CHAT, activate
from tests.support.presses import Table, everybody
from tests.support.served import served

SUBJECT = ASKED.format(message_id="om_question")
IN_PRIVATE = ASKED_IN_PRIVATE.format(message_id="om_question")


def at_work(scribe):
    """Everybody, and the confirmed goal `docs`, which no chat shows; Builder holds its first todo under a lease."""
    everybody(scribe)
    activate(scribe, todos=2)
    scribe.do(
        "builder",
        "task-lease.acquire",
        goal_id="docs",
        todo_id="todo_000",
        owner="builder",
        idempotency_key="first",
        ttl_seconds=600,
        write_scope=("reports/**",),
    )


async def shown(daemon, place=CHAT, subject=SUBJECT):
    return await daemon.view(f"{subject}@{place}")


def named(view):
    return [row["name"] for row in view["members"]["rows"]]


async def test_in_private_everybody_is_listed_people_first_and_nobody_who_left():
    async with served(at_work) as daemon:
        view = await shown(daemon, subject=IN_PRIVATE)
        assert named(view) == ["Ann Li", "Bob", "陈博", "Vic Viewer", "Builder", "Helper"]
        assert (view["members"]["people"], view["members"]["agents"]) == (4, 2)
        assert view["members"]["goals"] == []
        assert view["tokens"] == {}


async def test_a_group_that_shows_no_goal_is_told_of_nobodys_work_also_after_it_was_let_go():
    async with served(at_work) as daemon:
        group = {"chat_type": "group", "mentioned": True, "chat_id": CHAT}
        assert "No goal is shown" in (await daemon.message("members", **group)).document["reply"]["en"]
        await daemon.do("channel.bind", {"goal_id": "docs", "channel_id": CHAT})
        slot = (await daemon.message("members", **group)).document["reply"]["slot"]
        assert "Do part 0" in json.dumps(await daemon.view(slot))
        await daemon.do("channel.unbind", {"goal_id": "docs", "channel_id": CHAT})
        view = await daemon.view(slot)
        assert (named(view), view["members"]["goals"]) == ([], [])
        # A chat of the whole workspace has all goals but private ones.
        await daemon.do("channel.bind", {"workspace": True, "channel_id": "oc_workspace"})
        assert (await shown(daemon, place="oc_workspace"))["members"]["goals"] == ["docs"]


async def test_a_row_says_what_is_held_where_it_may_write_and_until_when():
    async with served(at_work) as daemon:
        rows = (await shown(daemon, subject=IN_PRIVATE))["members"]["rows"]
        builder = next(row for row in rows if row["name"] == "Builder")
        (held,) = builder["held"]
        lease = daemon.service.committed.goals["docs"].leases["todo_000"]
        assert held == {
            "goal_id": "docs",
            "title": "Do part 0",
            "until_ms": lease.expires_at_ms,
            "write_scopes": ["reports/**"],
        }
        assert builder["presence"] == "executing"
        daemon.clock.advance(600_000)
        rows = (await shown(daemon, subject=IN_PRIVATE))["members"]["rows"]
        assert next(row for row in rows if row["name"] == "Builder")["held"] == []


async def test_a_chat_with_goals_shows_who_has_a_part_in_those_and_nothing_of_others():
    async with served(at_work) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        view = await shown(daemon)
        assert view["members"]["goals"] == [goal]
        # Bob and Vic own nothing here and did nothing; the agents may act on every goal.
        assert named(view) == ["Ann Li", "陈博", "Builder", "Helper"]
        assert "Do part 0" not in json.dumps(view)
        about_docs = await shown(daemon, subject="members:docs")
        assert about_docs["members"]["goals"] == ["docs"]
        assert "Do part 0" in json.dumps(about_docs)


async def test_nothing_of_the_platform_and_no_secret_is_on_the_card():
    async with served(at_work) as daemon:
        said = json.dumps(await shown(daemon, subject=IN_PRIVATE))
        for secret in ("ou_ann", "on_ann", "first", daemon.made.tokens["builder"]):
            assert secret not in said


async def test_a_private_goals_work_is_withheld():
    def private(scribe):
        everybody(scribe)
        scribe.do(
            "ann",
            "goal.propose",
            goal_id="quiet",
            objective="Quiet",
            criterion=("Done",),
            write_scope=("quiet/**",),
            private=True,
        )
        basis = scribe.state.goals["quiet"].intents[-1].basis
        scribe.do("ann", "goal.confirm", goal_id="quiet", basis=basis)
        scribe.do(
            "ann",
            "todo.add",
            goal_id="quiet",
            todo_id="todo_one",
            text="Let nobody know",
            required_write_scope=("quiet/**",),
        )
        scribe.do("builder", "todo.claim", goal_id="quiet", todo_id="todo_one")

    async with served(private) as daemon:
        # In private nothing of it is listed for whoever asks, not even where it may write.
        assert "quiet" not in json.dumps(await shown(daemon, subject=IN_PRIVATE))
        await daemon.do("channel.bind", {"goal_id": "quiet", "channel_id": CHAT})
        view = await shown(daemon)
        assert "Let nobody know" not in json.dumps(view)
        (held,) = next(row for row in view["members"]["rows"] if row["name"] == "Builder")["held"]
        assert held["title"] == "[withheld]"


async def test_an_idle_hour_changes_nothing_but_what_has_ended():
    async with served(at_work) as daemon:
        before = await shown(daemon, subject=IN_PRIVATE)
        daemon.clock.advance(60_000)
        assert await shown(daemon, subject=IN_PRIVATE) == before
