"""The members in a chat: who has a part in the goals that are shown there, and what each of them holds until when."""

import json

from daemon.relay.subjects.members import ASKED
from tests.support.homes import CHAT, activate
from tests.support.presses import Table, everybody
from tests.support.served import served

SUBJECT = ASKED.format(message_id="om_question")


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


async def test_where_no_goal_is_shown_everybody_is_listed_people_first_and_nobody_who_left():
    async with served(at_work) as daemon:
        view = await shown(daemon)
        assert named(view) == ["Ann Li", "Bob", "陈博", "Vic Viewer", "Builder", "Helper"]
        assert (view["members"]["people"], view["members"]["agents"]) == (4, 2)
        assert view["members"]["goals"] == []
        assert view["tokens"] == {}


async def test_a_row_says_what_is_held_where_it_may_write_and_until_when():
    async with served(at_work) as daemon:
        rows = (await shown(daemon))["members"]["rows"]
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
        rows = (await shown(daemon))["members"]["rows"]
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
        said = json.dumps(await shown(daemon))
        for secret in ("ou_ann", "on_ann", "first", daemon.made.tokens["builder"]):
            assert secret not in said


async def test_a_private_goals_work_is_withheld():
    def private(scribe):
        everybody(scribe)
        scribe.do("ann", "goal.propose", goal_id="quiet", objective="Quiet", criterion=("Done",), private=True)
        basis = scribe.state.goals["quiet"].intents[-1].basis
        scribe.do("ann", "goal.confirm", goal_id="quiet", basis=basis)
        scribe.do("ann", "todo.add", goal_id="quiet", todo_id="todo_one", text="Let nobody know")
        scribe.do("builder", "todo.claim", goal_id="quiet", todo_id="todo_one")

    async with served(private) as daemon:
        view = await shown(daemon)
        assert "Let nobody know" not in json.dumps(view)
        (held,) = next(row for row in view["members"]["rows"] if row["name"] == "Builder")["held"]
        assert held["title"] == "[withheld]"


async def test_an_idle_hour_changes_nothing_but_what_has_ended():
    async with served(at_work) as daemon:
        before = await shown(daemon)
        daemon.clock.advance(60_000)
        assert await shown(daemon) == before
