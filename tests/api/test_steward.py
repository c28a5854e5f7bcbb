"""The steward at a real daemon: from a goal that is proposed to its delivery, with failures and people in between."""

import sys

import pytest

from daemon.agents.steward_watch import SILENT_MS, STUCK_MS
from tests.support.homes import CHAT, sha256
from tests.support.stewarded import FIRST, NOTE, SECOND, blocked, both_parts, room


async def test_from_a_confirmed_goal_to_its_delivery_with_nobody_telling_it_anything():
    async with room() as there:
        assert await there.look()
        todos = await there.todos()
        assert {one: row["bound_agent"] for one, row in todos.items()} == {
            FIRST: "builder", SECOND: "helper", NOTE: "helper",
        }  # fmt: skip
        assert todos[NOTE]["depends_on"] == [FIRST, SECOND]
        assert not await there.look()
        links = await there.evidence("builder", FIRST, "links", ["c1"])
        await there.look()
        assert await there.refused("helper", "todo.claim", todo_id=NOTE) == "dependency_unmet"
        heads = await there.evidence("helper", SECOND, "headings", ["c2"])
        await there.look()
        assert {one: row["receiver"] for one, row in (await there.asked()).items()} == {links: "judge", heads: "judge"}
        await there.judge(links)
        await there.look()
        assert await there.refused("helper", "todo.claim", todo_id=NOTE) == "dependency_unmet"
        await there.judge(heads)
        await there.look()
        said = await there.evidence("helper", NOTE, "note", input=[links, heads])
        await there.look()
        # Every criterion is proved, but a word on the note is still owed.
        assert await there.state() == "active"
        await there.judge(said)
        await there.look()
        shown = await there.read("goal.show")
        assert shown["state"] == "delivered"
        told = shown["acceptance"]["summary"]
        assert f"({links}, sha256 {sha256('links')[:12]}) by builder, reviewed by judge" in told
        assert there.steward.refusals == 0


async def test_one_that_starts_anew_repeats_nothing_wherever_it_was():
    async with room() as there:
        await there.look()
        links = await there.evidence("builder", FIRST, "links", ["c1"])
        for _ in range(3):
            await there.look()
            seq = there.daemon.seq
            there.anew()
            assert not await there.look()
            assert there.daemon.seq == seq
        await there.judge(links)
        there.anew()
        await there.look()
        requests = (await there.read("request.list"))["requests"]
        assert [(one["request_id"], one["status"]) for one in requests] == [
            (f"request_review-{links}-1", "delivered"),
        ]


async def test_two_stewards_do_one_thing_once():
    async with room() as there:
        other = there.steward
        await there.look()
        there.anew()
        await there.look()
        await there.evidence("builder", FIRST, "links", ["c1"])
        await other.look()
        await there.look()
        assert len((await there.read("request.list"))["requests"]) == 1
        assert len((await there.read("plan.list"))["plans"]) == 1


async def test_the_one_open_question_is_asked_once():
    async with room(confirm=False, write_scope=()) as there:
        await there.look()
        shown = await there.read("goal.show")
        assert shown["state"] == "clarifying"
        assert shown["view"]["question"]["options"] == [
            "Yes, nothing is to be written",
            "No, I will name it in a revision",
        ]
        await there.do("ann", "goal.clarify", answer="Yes, nothing is to be written")
        there.anew()
        assert not await there.look()
        assert await there.state() == "proposed"


async def test_a_plan_waits_for_the_owners_unless_they_handed_that_over():
    async with room(plan_approval="owner") as there:
        assert await there.look()
        assert not await there.look()
        (plan,) = (await there.read("plan.list"))["plans"]
        assert plan["status"] == "open"
        await there.do("ann", "plan.reject", plan_id=plan["plan_id"], reason="One report is enough")
        await there.look()
        (gate,) = await there.gates()
        assert (gate["kind"], "One report is enough" in gate["question"]) == ("direction", True)
        assert not await there.look()
        await there.approve(gate)
        await there.look()
        plans = (await there.read("plan.list"))["plans"]
        assert [one["plan_id"] for one in plans] == ["plan_r1d0n2", "plan_r1d0n1"]
        assert await there.todos() == {}


async def test_a_right_that_nobody_has_is_asked_for_and_a_yes_grants_nothing():
    async with room(capability=("web",)) as there:
        await there.look()
        (gate,) = await there.gates()
        assert gate["kind"] == "resource"
        assert "capability_not_granted" in gate["question"]
        await there.approve(gate)
        assert not await there.look()
        assert await there.todos() == {}
        for who in ("builder", "helper", "judge", "guide"):
            await there.daemon.do("member.grant", {"member_id": who, "capability": ["web"]})
        await there.look()
        (plan,) = (await there.read("plan.list"))["plans"]
        assert plan["status"] == "confirmed"


async def test_what_was_revised_upstream_is_made_anew_downstream_and_only_then_delivered():
    async with room() as there:
        links, heads = await both_parts(there)
        note = await there.evidence("helper", NOTE, "note", input=[links, heads])
        await there.look()
        newer = await there.hand_in("builder", None, "links, with one more", ["c1"], revises=links)
        fallen = await there.artifact(note)
        assert (fallen["status"], fallen["undone"]["by"]) == ("invalidated", links)
        await there.look()
        # Its author is there and makes it anew: nothing is added. The request about what fell is taken back.
        assert set(await there.todos()) == {FIRST, SECOND, NOTE}
        assert set(await there.asked()) == {newer}
        await there.judge(newer)
        await there.look()
        assert await there.state() == "active"
        once_more = await there.hand_in("helper", None, "note again", revises=note, input=[newer, heads])
        await there.look()
        await there.judge(once_more)
        await there.look()
        told = str((await there.read("goal.show"))["acceptance"])
        assert (newer in told, once_more in told, note in told) == (True, True, False)


async def test_what_waits_for_work_that_is_done_again_waits_for_that():
    async with room() as there:
        await there.add("todo_one", bound_agent="builder")
        await there.add("todo_two", depends_on=["todo_one"], bound_agent="helper", validator=["links"])
        await there.add("todo_three", depends_on=["todo_two"])
        one = await there.evidence("builder", "todo_one", "a", ["c1"])
        await there.look()
        await there.judge(one)
        await there.do("helper", "todo.claim", todo_id="todo_two")
        two = await there.hand_in("helper", "todo_two", "b", ["c2"], input=[one])
        passed = {"name": "links", "argv_sha256": sha256("links"), "exit_code": 0, "duration_ms": 1}
        await there.do("judge", "artifact.record-check", artifact_id=two, **passed)
        await there.do("helper", "todo.complete", todo_id="todo_two", evidence=[two], completion_turn_key="b")
        await there.look()
        await there.judge(two)
        await there.hand_in("builder", None, "a newer", ["c1"], revises=one)
        await there.daemon.do("member.revoke", {"member_id": "helper"}, who=None)
        await there.look()
        todos = await there.todos()
        again = todos["todo_two-r2"]
        assert (again["depends_on"], again["validators"], again["bound_agent"]) == (["todo_one"], ["links"], None)
        assert again["acceptance"] == f"Takes the place of {two}, whose basis no longer holds"
        assert todos["todo_three"]["depends_on"] == ["todo_two-r2"]
        (amendment,) = (await there.read("amendment.list"))["amendments"]
        assert (amendment["status"], amendment["decided_by"]) == ("committed", "guide")
        assert await there.refused("judge", "todo.claim", todo_id="todo_two-r2") == "dependency_unmet"
        assert await there.refused("judge", "todo.claim", todo_id="todo_three") == "dependency_unmet"


async def test_a_chat_that_shows_the_goal_is_told_and_not_told_twice():
    async with room() as there:
        await there.daemon.do("channel.bind", {"goal_id": "docs", "channel_id": CHAT})
        links, heads = await both_parts(there)
        summaries = (await there.read("summary.list"))["summaries"]
        assert len(summaries) >= 1
        assert not await there.look()
        there.anew()
        await there.look()
        assert (await there.read("summary.list"))["summaries"] == summaries
        note = await there.evidence("helper", NOTE, "note", input=[links, heads])
        await there.look()
        await there.judge(note)
        await there.look()
        assert len((await there.read("summary.list"))["summaries"]) > len(summaries)
        assert there.steward.refusals == 0


async def test_what_is_rejected_is_reworked_by_its_author_and_reviewed_anew():
    async with room() as there:
        await there.look()
        links = await there.evidence("builder", FIRST, "links", ["c1"])
        await there.look()
        await there.judge(links, "reject", "3 links are broken")
        await there.look()
        assert f"{FIRST}-r2" not in await there.todos()
        newer = await there.hand_in("builder", None, "links, mended", ["c1"], revises=links)
        await there.look()
        assert set(await there.asked()) == {newer}


async def test_work_of_an_author_who_is_gone_is_done_again_by_another():
    async with room() as there:
        await there.look()
        links = await there.evidence("builder", FIRST, "links", ["c1"])
        await there.look()
        await there.judge(links, "reject", "3 links are broken")
        await there.daemon.do("member.revoke", {"member_id": "builder"}, who=None)
        await there.look()
        again = (await there.todos())[f"{FIRST}-r2"]
        assert again["bound_agent"] is None
        assert again["acceptance"].endswith("which judge rejected: 3 links are broken")


async def test_a_bound_agent_that_lets_its_lease_run_out_twice_is_relieved():
    async with room() as there:
        await there.look()
        for number in (1, 2):
            about = {"todo_id": FIRST, "idempotency_key": f"turn-{number}", "ttl_seconds": 60}
            await there.do("builder", "task-lease.acquire", **about)
            there.daemon.clock.advance(61_000)
            await there.look()
            bound = (await there.todos())[FIRST]["bound_agent"]
            assert bound == ("builder" if number == 1 else "helper")
        assert await there.refused("builder", "todo.claim", todo_id=FIRST) == "actor_excluded"


async def test_an_agent_that_must_replan_and_does_not_is_relieved_of_what_it_cannot_do():
    async with room() as there:
        await there.look()
        for number in (1, 2):
            report = {"todo_id": FIRST, "turn_instance_id": f"turn-{number}", "delivery_outcome": "no_progress"}
            await there.do("builder", "run.report", **report)
        await there.look()
        assert (await there.todos())[FIRST]["bound_agent"] == "builder"
        there.daemon.clock.advance(STUCK_MS)
        await there.look()
        assert (await there.todos())[FIRST]["bound_agent"] == "helper"


async def test_a_reviewer_who_says_nothing_is_relieved_and_the_reason_is_on_record():
    async with room() as there:
        await there.look()
        links = await there.evidence("builder", FIRST, "links", ["c1"])
        await there.look()
        first = (await there.asked())[links]
        there.daemon.clock.advance(SILENT_MS)
        await there.look()
        second = (await there.asked())[links]
        assert (first["receiver"], second["receiver"]) == ("judge", "helper")
        told = await there.read("request.show", f"&request_id={first['request_id']}")
        assert (told["status"], told["withdrawn_reason"]) == (
            "withdrawn",
            "judge has not answered for 60 minutes; another one is asked",
        )


async def test_a_block_is_asked_about_and_goes_on_by_a_yes():
    async with room() as there:
        await there.look()
        await blocked(there, "turn-1")
        before = there.daemon.seq
        await there.look()
        (gate,) = await there.gates()
        assert there.daemon.seq == before + 1
        assert (gate["blocks"], "The site needs a key" in gate["question"]) == ([FIRST], True)
        # The other part goes on meanwhile.
        await there.do("helper", "todo.claim", todo_id=SECOND)
        await there.approve(gate)
        await there.look()
        todo = (await there.todos())[FIRST]
        assert (todo["status"], todo["note"]) == ("open", f"Goes on by {gate['gate_id']}")
        await blocked(there, "turn-2")
        await there.look()
        (second,) = await there.gates()
        assert second["gate_id"] != gate["gate_id"]


async def test_what_the_owners_send_back_is_planned_again_and_delivered_again():
    async with room() as there:
        links, heads = await both_parts(there)
        note = await there.evidence("helper", NOTE, "note", input=[links, heads])
        await there.look()
        await there.judge(note)
        await there.look()
        shown = await there.read("goal.show")
        await there.do("ann", "goal.request-changes", basis=shown["basis"]["accept"], reason="Say which pages")
        await there.look()
        todos = {one: row for one, row in (await there.todos()).items() if row["status"] == "open"}
        assert next(iter(todos)) == "todo_plan_r1d1n1_work-1"
        assert todos["todo_plan_r1d1n1_work-1"]["title"] == "Change what the owners asked for: Say which pages"


SCRIPT = """
import json, sys
given = json.load(sys.stdin)
assert given["schema_version"] == "frontstage_planner_packet_v0"
print(json.dumps({answer}))
"""
LANES = '{"lanes": [{"lane_id": "find", "title": "Find " + given["goal"]["criteria"][0]["text"], "agent": "builder"}]}'


@pytest.mark.parametrize(
    ("script", "lanes", "told"),
    [
        (SCRIPT.replace("{answer}", LANES), ["find"], None),
        (SCRIPT.replace("{answer}", '{"lanes": []}'), ["work-1", "work-2", "note"],
         "`lanes` is a list of 1 to 8 objects"),
        (SCRIPT.replace("{answer}", '{"lanes": [{"lane_id": "a", "title": "b", "owner": "me"}]}'),
         ["work-1", "work-2", "note"], "lane 1 has 'owner', which is no field of a lane"),
        ("print('nothing')", ["work-1", "work-2", "note"], "what it printed is not JSON"),
        ("import sys; sys.exit(3)", ["work-1", "work-2", "note"], "it ended with exit code 3"),
    ],
)  # fmt: skip
async def test_a_planner_is_asked_and_where_it_fails_the_template_steps_in_and_that_is_said(script, lanes, told):
    async with room(planner=(sys.executable, "-c", script)) as there:
        await there.look()
        (plan,) = (await there.read("plan.list"))["plans"]
        shown = await there.read("plan.show", f"&plan_id={plan['plan_id']}")
        assert [one["lane_id"] for one in shown["lanes"]] == lanes
        said = [line for line in there.told if "the planner failed" in line]
        assert said == ([] if told is None else [f"docs: the planner failed: {told}; the template plans instead"])


async def test_a_planner_may_have_the_one_question():
    answer = '{"question": "Which pages?", "options": ["All", given["stage"]]}'
    planner = (sys.executable, "-c", SCRIPT.replace("{answer}", answer))
    async with room(planner=planner, confirm=False) as there:
        await there.look()
        question = (await there.read("goal.show"))["view"]["question"]
        assert (question["text"], list(question["options"])) == ("Which pages?", ["All", "clarify"])
        assert not await there.look()


async def test_a_planner_has_no_credential_and_cannot_widen_anything(monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_secret")
    script = (
        "import json, os; "
        "print(json.dumps({'lanes': [{'lane_id': 'a', 'title': ' '.join(sorted(os.environ)), 'write_scope': ['**']}]}))"
    )
    async with room(planner=(sys.executable, "-c", script)) as there:
        await there.look()
        shown = await there.read("plan.show", "&plan_id=plan_r1d0n1")
        assert "FRONTSTAGE" not in shown["lanes"][0]["title"]
        assert [one["reason"] for one in shown["gap_lanes"]] == ["scope_outside_boundary"]
        assert await there.todos() == {}
