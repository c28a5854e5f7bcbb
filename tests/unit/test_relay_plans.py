"""Plans in a chat: a yes to what the card shows, a no with a reason, and every press is told what came of it."""

import pytest

from daemon.relay.subjects.plan import FAMILY
from tests.support.homes import CHAT, activate
from tests.support.presses import Table, everybody
from tests.support.served import served

LINKS = {"lane_id": "links", "title": "Check the links"}
ABROAD = {"lane_id": "abroad", "title": "Tidy the rest", "write_scope": ["elsewhere/**"]}
LATER = {"lane_id": "later", "title": "Write it down", "depends_on": ["abroad"]}
PAINT = {"lane_id": "paint", "title": "Paint it", "capability": ["painting"]}


def at_work(scribe):
    """Everybody, and the confirmed goal `docs` whose chat is the one of the table."""
    everybody(scribe)
    activate(scribe)


async def planned(daemon, *lanes, plan_id="plan_a", revision=1):
    """A plan that Builder put forward; the subject of its card."""
    plan = {"goal_id": "docs", "plan_id": plan_id, "lane": list(lanes)}
    await daemon.do("plan.propose", plan, who="builder")
    return f"plan:docs:{plan_id}:{revision}"


async def shown(daemon, subject):
    return await daemon.view(f"{subject}@{CHAT}")


async def test_a_yes_makes_todos_of_all_lanes_at_once_and_says_how_many():
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, LINKS, PAINT | {"capability": []})
        token, before = await table.token(subject, "plan.confirm"), table.seq()
        pressed = await table.press("ann", token)
        assert (pressed.kinds, table.seq()) == (["plan.confirmed"], before + 1)
        assert (pressed.kind, pressed.en) == ("success", "Confirmed: 2 lanes are todos now.")
        assert pressed.zh == "已确认：2 条分工已成为待办。"
        view = await shown(daemon, subject)
        assert (view["tokens"], view["plan"]["status"]) == ({}, "committed")
        assert [lane["todo_status"] for lane in view["plan"]["lanes"]] == ["open", "open"]
        assert view["plan"]["cause"]["seq"] == before + 1


async def test_a_yes_to_a_plan_with_gaps_says_what_starts_and_what_does_not():
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, LINKS, ABROAD, LATER)
        lanes = (await shown(daemon, subject))["plan"]["lanes"]
        assert [lane["gap"] for lane in lanes] == [None, "scope_outside_boundary", "lane_waits_for_gap"]
        assert [lane["names"] for lane in lanes] == [[], ["elsewhere/**"], ["abroad"]]
        pressed = await table.press("ann", await table.token(subject, "plan.confirm"))
        assert pressed.en == "Confirmed in part: 1 of 3 lanes are todos now; 2 cannot be staffed."
        assert pressed.zh == "已部分确认：3 条分工中有 1 条成为待办，2 条无法安排。"
        assert (await shown(daemon, subject))["plan"]["status"] == "partial"


async def test_a_plan_of_which_nothing_can_start_can_only_be_rejected():
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, ABROAD, LATER)
        assert list((await shown(daemon, subject))["tokens"]) == ["plan.reject"]
        pressed = await table.press("ann", await table.token(subject, "plan.reject"), {"reason": "Not there"})
        assert (pressed.kind, pressed.en) == ("success", "Rejected. None of its lanes starts.")
        assert pressed.zh == "已否决，其中的分工都不会启动。"
        plan = (await shown(daemon, subject))["plan"]
        assert (plan["status"], plan["decision"]["reason"], plan["decision"]["by_name"]) == (
            "rejected",
            "Not there",
            "Ann Li",
        )


async def test_a_yes_to_gaps_that_have_changed_is_stale_and_blames_nobody():
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, LINKS, PAINT)
        token, before = await table.token(subject, "plan.confirm"), table.seq()
        await daemon.do("member.grant", {"member_id": "helper", "capability": ["painting"]})
        pressed = await table.press("chen", token)
        assert (pressed.code, pressed.kind, table.seq()) == ("stale_basis", "warning", before + 1)
        assert "changed since it was shown to you: Gaps." in pressed.en
        assert "已有变动：缺口。" in pressed.zh
        assert "decided first" not in pressed.en
        assert pressed.slots == [f"{subject}@{CHAT}"]
        assert "2 lanes" in (await table.press("chen", await table.token(subject, "plan.confirm"))).en


async def test_a_revised_plan_has_a_new_card_and_the_old_one_says_which():
    async with served(at_work) as daemon:
        table, old = Table(daemon), await planned(daemon, LINKS)
        token = await table.token(old, "plan.confirm")
        await planned(daemon, LINKS, LATER | {"depends_on": ["links"]})
        view = await shown(daemon, old)
        assert (view["tokens"], view["plan"]["status"], view["plan"]["newest"]) == ({}, "superseded", 2)
        assert view["plan"]["lanes"] == []
        pressed = await table.press("ann", token)
        assert pressed.code == "stale_basis"
        assert "changed since it was shown to you: Plan." in pressed.en
        new = await shown(daemon, "plan:docs:plan_a:2")
        assert (sorted(new["tokens"]), len(new["plan"]["lanes"])) == (["plan.confirm", "plan.reject"], 2)


@pytest.mark.parametrize(("who", "code"), [("bob", "not_an_owner"), ("vic", "not_an_owner"), ("stranger", None)])
async def test_whoever_does_not_decide_for_the_goal_is_told_so_and_nothing_happens(who, code):
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, LINKS)
        before = table.seq()
        pressed = await table.press(who, await table.token(subject, "plan.confirm"))
        assert pressed.code == (code or "identity_unpaired")
        assert table.seq() == before
        assert pressed.zh != pressed.en


async def test_twice_is_once_and_a_second_owner_is_told_who_was_first():
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, LINKS)
        yes, no = [await table.token(subject, f"plan.{verb}") for verb in ("confirm", "reject")]
        await table.press("chen", yes)
        before = table.seq()
        again = await table.press("chen", yes)
        assert (again.replayed, again.en) == (True, "Already done; nothing was done twice.")
        same = await table.press("ann", yes)
        assert (same.kind, same.en) == ("info", "Nothing to do: it is already so. 陈博 decided first.")
        other = await table.press("ann", no, {"reason": "No"})
        assert other.code == "plan_decided"
        assert "陈博 decided first." in other.en
        assert "陈博已先作出决定。" in other.zh
        assert table.seq() == before


async def test_what_is_typed_into_the_form_never_names_another_plan():
    async with served(at_work) as daemon:
        table, first = Table(daemon), await planned(daemon, LINKS)
        second = await planned(daemon, LINKS, plan_id="plan_b")
        pressed = await table.press("ann", await table.token(first, "plan.reject"), {"plan_id": "plan_b"})
        assert pressed.kinds == ["plan.rejected"]
        statuses = [(await shown(daemon, subject))["plan"]["status"] for subject in (first, second)]
        assert statuses == ["rejected", "open"]


async def test_a_plan_of_a_goal_that_is_over_asks_for_nothing():
    async with served(at_work) as daemon:
        table, subject = Table(daemon), await planned(daemon, LINKS)
        goal = await shown(daemon, "goal:docs")
        await table.press("ann", goal["tokens"]["goal.stop"])
        view = await shown(daemon, subject)
        assert (view["tokens"], view["plan"]["status"], view["plan"]["cause"]["kind"]) == (
            {},
            "ended",
            "goal.stopped",
        )


async def test_every_plan_that_waits_has_a_slot_and_of_the_others_the_last_three():
    async with served(at_work) as daemon:
        subjects = [await planned(daemon, LINKS, plan_id=f"plan_{number}") for number in range(6)]
        for number in range(5):
            await daemon.do("plan.reject", {"goal_id": "docs", "plan_id": f"plan_{number}"})
        workspace = daemon.service.committed
        wanted = list(FAMILY.of_goal(workspace, workspace.goals["docs"], daemon.service.clock.now_ms()))
        assert [one.subject for one in wanted] == subjects[2:]
        assert [one.open for one in wanted] == [False, False, False, True]
        assert all(one.urgent for one in wanted)


@pytest.mark.parametrize("rest", ["docs:plan_a:0", "docs:plan_a:2", "docs:plan_b:1", "docs:plan_a", "nothing:plan_a:1"])
async def test_there_is_no_card_of_what_is_not_there(rest):
    async with served(at_work) as daemon:
        await planned(daemon, LINKS)
        answer = await daemon.ask("GET", f"/v1/relay/view?slot=plan:{rest}@{CHAT}", who="bot")
        assert answer.status >= 400, answer.document
