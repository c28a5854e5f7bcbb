"""A pipeline of three agents at a real daemon: what flows from A to B to C, and what does not.

Builder makes (A), helper writes from what was made (B), judge reviews, and whoever is free does the last step (C).
"""

import pytest

from tests.support.homes import CHAT, secret_of, sha256
from tests.support.stewarded import room
from tests.support.stewarded_shown import card, command

A, B, C, ALONE = "todo_make", "todo_write", "todo_close", "todo_alone"


async def pipeline(there):
    """A, B and C in a row, and one todo beside them."""
    await there.add(A, "Make it", bound_agent="builder")
    await there.add(B, "Write about it", bound_agent="helper", depends_on=[A])
    await there.add(C, "Close", depends_on=[B])
    await there.add(ALONE, "Something else", bound_agent="helper")


async def accepted(there, who, todo_id, text, criteria, **more):
    """Evidence that the reviewer found good; its id."""
    artifact_id = await there.evidence(who, todo_id, text, criteria, **more)
    await there.look()
    await there.judge(artifact_id)
    await there.look()
    return artifact_id


async def test_an_incomplete_input_is_asked_about_and_the_work_goes_on_by_the_answer():
    async with room() as there:
        await pipeline(there)
        made = await accepted(there, "builder", A, "half of it", ["c1"])
        await there.do("helper", "todo.claim", todo_id=B)
        lacking = {"ref": made, "sha256": sha256("half of it"), "relation": "revises"}
        sent = await there.do(
            "helper", "request.send", to="builder", purpose="The second half is missing", acceptance=["It is whole"],
            return_requirement="The whole of it", input=[lacking], blocks_todo_id=B, origin="turn-7",
        )  # fmt: skip
        request = {"request_id": sent["request_id"]}
        half = await there.hand_in("helper", B, "about half", ["c2"], input=[made])
        finished = {"todo_id": B, "evidence": [half], "completion_turn_key": "half"}
        assert await there.refused("helper", "todo.complete", **finished) == "request_holds"
        await there.do("builder", "request.respond", **request, decision="adopt")
        whole = await there.hand_in("builder", None, "all of it", ["c1"], revises=made)
        await there.do("builder", "request.return", **request, artifact=[whole], summary="The second half was lost")
        # What was written from the half fell with it, and the whole is no more accepted than anything new.
        assert (await there.artifact(half))["status"] == "invalidated"
        assert await there.refused("helper", "todo.complete", **finished) == "dependency_unmet"
        shown = await there.read("request.show", f"&request_id={request['request_id']}")
        assert (shown["status"], shown["origin"]["key"], shown["return"]["artifacts"]) == (
            "returned", "turn-7", [{"artifact_id": whole, "sha256": sha256("all of it")}],
        )  # fmt: skip
        await there.do("helper", "request.acknowledge", **request)
        await there.look()
        await there.judge(whole)
        full = await there.hand_in("helper", B, "about all of it", ["c2"], input=[whole])
        await there.do("helper", "todo.complete", todo_id=B, evidence=[full], completion_turn_key="whole")


async def test_a_revision_upstream_undoes_what_rests_on_it_and_everybody_sees_it():
    async with room() as there:
        await pipeline(there)
        await there.daemon.do("channel.bind", {"goal_id": "docs", "channel_id": CHAT}, who="ann")
        made = await accepted(there, "builder", A, "first", ["c1"])
        written = await accepted(there, "helper", B, "about-first", ["c2"], input=[made])
        assert "No longer holds" not in await card(there)
        await there.hand_in("builder", None, "second", ["c1"], revises=made)
        row = await there.artifact(written)
        assert (row["status"], row["counts"], row["undone"]["because"]) == ("invalidated", False, "revised")
        todo = (await there.todos())[B]
        assert (todo["status"], todo["stale_evidence"]) == ("done", [written])
        assert (await there.todos())[C]["waiting_for"] == [B]
        assert "No longer holds" in await card(there)
        assert "不再" in await card(there, "zh")
        listed = await command(there, "artifact", "list")
        assert "no longer holds" in next(line for line in listed.splitlines() if line.startswith(written))
        listed = await command(there, "todo", "list")
        assert f"{written} holds no more" in next(line for line in listed.splitlines() if line.startswith(B))
        shown = await command(there, "goal", "show")
        assert next(line for line in shown.splitlines() if f"{written}  " in line).endswith("no longer holds")
        overview = (await there.daemon.read("overview.show")).document
        assert "evidence_undone" in str(overview)
        # Its author is gone: the steward has it done again, and the last step waits for that.
        await there.daemon.do("member.revoke", {"member_id": "helper"}, who=None)
        await there.look()
        assert (await there.todos())[C]["waiting_for"] == [f"{B}-r2"]


async def test_the_last_step_never_begins_on_what_nobody_accepted():
    async with room() as there:
        await pipeline(there)
        made = await accepted(there, "builder", A, "made", ["c1"])
        written = await there.evidence("helper", B, "written", ["c2"], input=[made])
        for moment in ("handed in", "asked about", "rejected", "made anew", "accepted"):
            match moment:
                case "asked about":
                    await there.look()
                case "rejected":
                    await there.judge(written, "reject", "It says nothing")
                case "made anew":
                    written = await there.hand_in("helper", None, "better", ["c2"], revises=written, input=[made])
                    await there.look()
                case "accepted":
                    await there.judge(written)
            if moment != "accepted":
                assert await there.refused("builder", "todo.claim", todo_id=C) == "dependency_unmet", moment
                key = {"idempotency_key": f"turn-{moment[:3]}"}
                code = await there.refused("builder", "task-lease.acquire", todo_id=C, **key)
                assert code == "todo_not_executable", moment
                verdict = await there.read("quota.should-run", "&agent_id=builder")
                assert (verdict["decision"], verdict["selected_todo"]) != ("run", C), moment
        await there.do("builder", "todo.claim", todo_id=C)


@pytest.mark.parametrize("first", ["todo_left", "todo_right"])
async def test_a_join_of_two_is_not_met_by_one(first):
    async with room() as there:
        for todo_id, who in (("todo_left", "builder"), ("todo_right", "helper")):
            await there.add(todo_id, bound_agent=who)
        await there.add("todo_join", depends_on=["todo_left", "todo_right"])
        who, other = ("builder", "helper") if first == "todo_left" else ("helper", "builder")
        second = "todo_right" if first == "todo_left" else "todo_left"
        await accepted(there, who, first, "one", ["c1"])
        refused = await there.daemon.act("todo.claim", {"goal_id": "docs", "todo_id": "todo_join"}, who="builder")
        assert (refused.code, refused.document["details"]["waiting_for"]) == ("dependency_unmet", [second])
        await there.evidence(other, second, "two", ["c2"])
        assert await there.refused("builder", "todo.claim", todo_id="todo_join") == "dependency_unmet"
        await there.look()
        (waiting,) = await there.asked()
        await there.judge(waiting)
        await there.do("builder", "todo.claim", todo_id="todo_join")


async def test_one_failure_is_no_success_of_all_and_stops_nobody_else():
    async with room() as there:
        await pipeline(there)
        await there.daemon.do("channel.bind", {"goal_id": "docs", "channel_id": CHAT}, who="ann")
        lease = await there.do("builder", "task-lease.acquire", todo_id=A, idempotency_key="turn-1")
        fence = {"task_lease_idempotency_key": "turn-1", "task_lease_expected_version": lease["version"]}
        await there.do("builder", "todo.block", todo_id=A, reason="The disk is gone", **fence)
        await there.look()
        # Beside it, work goes on to its end, though a gate is open on what failed.
        await accepted(there, "helper", ALONE, "something else", ["c1", "c2"])
        todos = await there.todos()
        assert {one: row["status"] for one, row in todos.items()} == {A: "blocked", B: "open", C: "open", ALONE: "done"}
        assert await there.state() == "active"
        assert await there.refused("guide", "goal.deliver", summary="All is well") == "work_open"
        assert await there.refused("ann", "goal.deliver", summary="All is well") == "work_open"
        verdict = await there.read("quota.should-run", "&agent_id=helper")
        assert verdict["decision"] != "run"
        status = (await there.daemon.read("status.show")).document
        (row,) = status["goals"]
        assert (row["state"], row["todos"]) == ("active", {"open": 2, "blocked": 1, "done": 1, "total": 4})
        for shown in (await card(there), await command(there, "goal", "show"), await command(there, "todo", "list")):
            assert "The disk is gone" in shown
        assert secret_of("builder") not in await card(there)
