"""Amendments in a chat: before and after, work in hand, and a yes that applies to exactly what was shown."""

import pytest

from daemon.relay.subjects.amendment import FAMILY
from tests.support.homes import CHAT, activate
from tests.support.presses import Table, everybody
from tests.support.served import served

SUBJECT = "amendment:docs:amend_a"
URGENT = {"op": "reprioritise", "todo_id": "todo_000", "priority": "P0"}
REWORD = {"op": "restate", "todo_id": "todo_000", "title": "Do it well"}


def at_work(scribe):
    """Everybody, and the confirmed goal `docs` with one todo that Builder has in hand."""
    everybody(scribe)
    activate(scribe, todos=2)
    scribe.do("builder", "todo.claim", goal_id="docs", todo_id="todo_000")


async def submitted(daemon, *operations, amendment_id="amend_a", reach="shared_acceptance", **more):
    """An amendment of Helper, by which Builder goes on."""
    asked = {"goal_id": "docs", "amendment_id": amendment_id, "amendment_class": reach, "why": "Readers wait"}
    more = more or {"continue_todo": ["todo_000"]}
    await daemon.do("amendment.submit", asked | {"operation": list(operations)} | more, who="helper")


async def shown(daemon, subject=SUBJECT):
    return await daemon.view(f"{subject}@{CHAT}")


async def test_a_yes_makes_every_change_at_once_and_the_card_says_from_what_to_what():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await submitted(daemon, URGENT, REWORD)
        changes = [one["changes"][0] for one in (await shown(daemon))["amendment"]["operations"]]
        assert [(one["name"], one["was"], one["becomes"]) for one in changes] == [
            ("priority", ["P2"], ["P0"]),
            ("title", ["Do part 0"], ["Do it well"]),
        ]
        before = table.seq()
        pressed = await table.press("ann", await table.token(SUBJECT, "amendment.commit"))
        assert (pressed.kinds, table.seq()) == (["amendment.committed"], before + 1)
        assert (pressed.kind, pressed.en) == ("success", "Committed: 2 changes are in force.")
        assert pressed.zh == "已生效：2 项改动。"
        view = await shown(daemon)
        assert (view["tokens"], view["amendment"]["status"]) == ({}, "committed")
        assert view["amendment"]["decision"]["by_name"] == "Ann Li"
        assert view["amendment"]["cause"]["seq"] == before + 1


async def test_the_card_says_whose_work_stops():
    async with served(at_work) as daemon:
        await submitted(daemon, {"op": "cancel", "todo_id": "todo_000"}, stop_todo=["todo_000"])
        hand = (await shown(daemon))["amendment"]["dispositions"]
        assert [(one["todo_id"], one["choice"], one["agent"]) for one in hand] == [("todo_000", "stop", "Builder")]


async def test_what_has_moved_is_named_and_a_yes_from_before_changes_nothing():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await submitted(daemon, URGENT)
        token = await table.token(SUBJECT, "amendment.commit")
        await daemon.do("todo.release", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
        view = await shown(daemon)
        assert (list(view["tokens"]), view["amendment"]["status"]) == (["amendment.reject"], "needs_rebase")
        moved = [(one["name"], one["was"], one["becomes"]) for one in view["amendment"]["moved"]]
        assert moved == [("holder", ["builder"], [])]
        assert view["amendment"]["people"] == ["Helper"]
        before = table.seq()
        pressed = await table.press("ann", token)
        assert (pressed.code, pressed.kind, table.seq()) == ("needs_rebase", "warning", before)
        assert "has moved. Nothing was changed." in pressed.en
        assert "所依据的内容已改变" in pressed.zh


async def test_a_yes_to_what_was_rebased_since_is_stale_and_blames_nobody():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await submitted(daemon, URGENT)
        token = await table.token(SUBJECT, "amendment.commit")
        await daemon.do("todo.release", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
        await daemon.do("amendment.rebase", {"goal_id": "docs", "amendment_id": "amend_a"}, who="helper")
        pressed = await table.press("ann", token)
        assert pressed.code == "stale_basis"
        assert "changed since it was shown to you: Amendment." in pressed.en
        assert "decided first" not in pressed.en
        view = await shown(daemon)
        assert (view["amendment"]["status"], view["amendment"]["rebased_seq"]) == ("open", table.seq())


async def test_protected_rights_wait_for_their_gate():
    async with served(at_work) as daemon:
        await submitted(daemon, URGENT, reach="protected_authority")
        view = await shown(daemon)
        assert (list(view["tokens"]), view["amendment"]["waits_for_gate"]) == (["amendment.reject"], True)


@pytest.mark.parametrize(
    ("who", "code"), [("bob", "not_an_owner"), ("vic", "not_an_owner"), ("stranger", "identity_unpaired")]
)
async def test_whoever_does_not_decide_for_the_goal_changes_nothing(who, code):
    async with served(at_work) as daemon:
        table = Table(daemon)
        await submitted(daemon, URGENT)
        before = table.seq()
        pressed = await table.press(who, await table.token(SUBJECT, "amendment.commit"))
        assert (pressed.code, table.seq()) == (code, before)


async def test_twice_is_once_and_a_second_owner_is_told_who_was_first():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await submitted(daemon, URGENT)
        yes, no = [await table.token(SUBJECT, f"amendment.{verb}") for verb in ("commit", "reject")]
        await table.press("chen", yes)
        before = table.seq()
        assert (await table.press("chen", yes)).replayed
        same = await table.press("ann", yes)
        assert (same.kind, same.en) == ("info", "Nothing to do: it is already so. 陈博 decided first.")
        other = await table.press("ann", no, {"reason": "No"})
        assert (other.code, "陈博 decided first." in other.en) == ("amendment_decided", True)
        assert "陈博已先作出决定。" in other.zh
        assert table.seq() == before


async def test_a_no_is_to_the_amendment_of_the_card_whatever_is_typed():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await submitted(daemon, URGENT)
        await submitted(daemon, URGENT, amendment_id="amend_b")
        form = {"reason": "Not now", "amendment_id": "amend_b"}
        pressed = await table.press("ann", await table.token(SUBJECT, "amendment.reject"), form)
        assert (pressed.kind, pressed.en) == ("success", "Rejected. Nothing was changed.")
        view = (await shown(daemon))["amendment"]
        assert (view["status"], view["decision"]["reason"]) == ("rejected", "Not now")
        assert (await shown(daemon, "amendment:docs:amend_b"))["amendment"]["status"] == "open"


async def test_every_amendment_that_waits_has_a_slot_and_of_the_others_the_last_three():
    async with served(at_work) as daemon:
        for number in range(6):
            await submitted(daemon, URGENT, amendment_id=f"amend_{number}")
        for number in range(5):
            await daemon.do("amendment.reject", {"goal_id": "docs", "amendment_id": f"amend_{number}"})
        workspace = daemon.service.committed
        wanted = list(FAMILY.of_goal(workspace, workspace.goals["docs"], daemon.service.clock.now_ms()))
        assert [one.subject for one in wanted] == [f"amendment:docs:amend_{number}" for number in range(2, 6)]
        assert [one.open for one in wanted] == [False, False, False, True]
