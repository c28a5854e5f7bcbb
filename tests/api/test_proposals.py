"""Ideas of a proposer at a real daemon: a lane of their own on every surface, nobody's work before they are let in."""

from tests.support.homes import CHAT
from tests.support.stewarded import room
from tests.support.stewarded_shown import card, command

IDEA = "todo_idea"


async def with_an_idea(there):
    await there.add("todo_work", "Check the links", bound_agent="builder")
    said = await there.do("dreamer", "todo.add", todo_id=IDEA, text="Draw a map of the site", priority="P1")
    assert said["todo_id"] == IDEA
    await there.daemon.do("channel.bind", {"goal_id": "docs", "channel_id": CHAT})


async def test_an_idea_is_a_lane_of_its_own_over_http_on_the_command_line_and_on_the_card():
    async with room(team=("guide", "judge", "dreamer")) as there:
        await with_an_idea(there)
        shown = await there.read("goal.show")
        (row,) = shown["proposals"]
        assert (row["todo_id"], row["title"], shown["proposals_total"]) == (IDEA, "Draw a map of the site", 1)
        assert [one["member_id"] for one in row["proposed_by"]] == ["dreamer"]
        # It is counted nowhere as work, and no list of work has it.
        assert shown["todo_totals"]["listed"] == 1
        assert IDEA not in str([*shown["user_todos"], *shown["agent_todos"]])
        printed = (await command(there, "goal", "show")).splitlines()
        (line,) = [line for line in printed if IDEA in line and "Next" not in line]
        assert "P1" in line
        assert "proposed by Dreamer" in line
        assert any("Proposed, not yet work: 1" in line for line in printed)
        drawn = await card(there)
        assert "Proposed, not yet work: 1" in drawn
        assert "P1 · proposed by Dreamer" in drawn
        assert "提议（尚非工作）：1" in await card(there, "zh")
        ready = await there.read("todo.ready", "&agent_id=builder")
        assert [one["todo_id"] for one in ready["todos"]] == ["todo_work"]


async def test_an_idea_claims_nothing_until_it_is_let_in_and_then_only_as_any_work_does():
    async with room(team=("guide", "judge", "dreamer")) as there:
        await with_an_idea(there)
        for who in ("dreamer", "builder", "guide"):
            code = await there.refused(who, "todo.claim", todo_id=IDEA)
            assert code in {"proposer_only", "todo_not_open", "not_admitted"}, (who, code)
            key = {"idempotency_key": f"turn-{who}"}
            assert await there.refused(who, "task-lease.acquire", todo_id=IDEA, **key)
        assert await there.refused("dreamer", "todo.admit", todo_id=IDEA) != ""
        assert await there.refused("builder", "todo.admit", todo_id=IDEA) != ""
        # The steward leaves it to the owners, though this goal would let it decide.
        await there.look()
        assert (await there.read("goal.show"))["proposals_total"] == 1
        await there.do("ann", "todo.admit", todo_id=IDEA)
        shown = await there.read("goal.show")
        assert (shown["proposals"], shown["proposals_total"]) == ([], 0)
        assert "Proposed, not yet work" not in await card(there)
        # Now it is work: for whoever may do it, and still not for whoever may only propose.
        assert await there.refused("dreamer", "todo.claim", todo_id=IDEA) == "proposer_only"
        await there.do("helper", "todo.claim", todo_id=IDEA)


async def test_more_ideas_than_a_card_has_room_for_are_counted():
    async with room(team=("guide", "judge", "dreamer")) as there:
        await with_an_idea(there)
        for number in range(6):
            await there.do("dreamer", "todo.add", todo_id=f"todo_more-{number}", text=f"Idea {number}")
        drawn = await card(there)
        assert "Proposed, not yet work: 7" in drawn
        assert "Idea 5" not in drawn
        assert (await there.read("goal.show"))["proposals_total"] == 7
