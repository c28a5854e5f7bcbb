"""Requests in a chat: a person is asked and answers there, and whoever asked is shown what came of it."""

import pytest

from daemon.relay.slots import desired
from tests.support.homes import CHAT, activate
from tests.support.presses import Table, everybody
from tests.support.served import served

ONE = {"goal_id": "docs", "request_id": "request_one"}
BRIEF = ONE | {
    "purpose": "Check the links of the reference",
    "acceptance": ["Each broken link is named"],
    "return_requirement": "A list of links",
}
SUBJECT = "request:docs:request_one"
BOBS, ANNS = "direct:bob", "direct:ann"


def at_work(scribe):
    """Everybody, and the confirmed goal `docs` whose chat is the one of the table."""
    everybody(scribe)
    activate(scribe)


async def asked(daemon, sender="ann", receiver="bob", **changes):
    """Somebody asks something of somebody."""
    await daemon.do("request.send", BRIEF | {"to": receiver} | changes, who=sender)


async def shown(daemon, place=CHAT, subject=SUBJECT):
    return await daemon.view(f"{subject}@{place}")


def places(daemon, goal_id="docs"):
    """Where requests of a goal have cards."""
    found = desired(daemon.service.committed, daemon.service.clock.now_ms(), goal_id)
    return [(one.subject, one.place) for one in found if one.subject.startswith("request:")]


async def answer(table, who, place=CHAT, **form):
    token = (await shown(table.daemon, place))["tokens"]["request.respond"]
    return await table.press(who, token, form, **({} if place == CHAT else {"chat_id": "oc_between"}))


async def evidence(daemon, who="bob"):
    """Something that this person handed in."""
    proof = {"goal_id": "docs", "label": "links.json", "sha256": "9f" * 32, "size_bytes": 812}
    return (await daemon.do("artifact.submit", proof, who=who))["result"]["artifact_id"]


async def test_whoever_is_asked_has_a_copy_of_their_own_and_the_chat_has_one():
    async with served(at_work) as daemon:
        await asked(daemon)
        assert places(daemon) == [(SUBJECT, BOBS)]
        view = await shown(daemon)
        assert sorted(view["tokens"]) == ["request.receive", "request.respond", "request.withdraw"]
        assert (view["request"]["status"], view["request"]["waits_for"]) == ("sent", "Bob")
        assert view["mentions"] == ["ou_bob0000"]
        assert sorted((await shown(daemon, BOBS))["tokens"]) == ["request.receive", "request.respond"]
        assert sorted((await shown(daemon, ANNS))["tokens"]) == ["request.withdraw"]


async def test_taken_on_planned_and_withdrawn_each_fact_by_itself():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        read = await table.press("bob", await table.token(SUBJECT, "request.receive"))
        assert (read.kinds, read.kind) == (["request.received"], "success")
        taken = await answer(table, "bob", decision="adopt")
        assert (taken.kinds, taken.en) == (["request.answered"], "Taken on. Now say what work will fulfil it.")
        view = await shown(daemon)
        assert sorted(view["tokens"]) == ["request.commit", "request.withdraw"]
        planned = await table.press("bob", view["tokens"]["request.commit"], {"text": "Check them"})
        assert planned.kinds == ["todo.added", "request.committed"]
        view = await shown(daemon)
        assert (view["request"]["status"], view["request"]["work"]) == ("committed", "Check them")
        assert [one["at_ms"] is not None for one in view["request"]["facts"]] == [True, True, True, False, False]
        gone = await table.press("ann", view["tokens"]["request.withdraw"])
        assert (gone.kinds, gone.zh) == (["request.withdrawn"], "已撤回，不再有人处理。")
        view = await shown(daemon)
        assert (view["request"]["status"], view["tokens"]) == ("withdrawn", {})


@pytest.mark.parametrize(
    ("decision", "kinds", "said"),
    [
        ("reject", ["request.received", "request.answered", "request.returned"], "Turned down. Ann Li is told why."),
        (
            "no_change",
            ["request.received", "request.answered", "request.returned"],
            "Answered: nothing to change. Ann Li is told why.",
        ),
    ],
)
async def test_a_no_goes_back_to_whoever_asked_who_says_that_it_arrived(decision, kinds, said):
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        pressed = await answer(table, "bob", decision=decision, reason="They are fine")
        assert (pressed.kinds, pressed.en) == (kinds, said)
        assert places(daemon) == [(SUBJECT, ANNS)]
        mine = await shown(daemon, ANNS)
        assert (mine["request"]["summary"], mine["mentions"]) == ("They are fine", ["ou_ann0000"])
        assert sorted(mine["tokens"]) == ["request.acknowledge"]
        assert (await shown(daemon, BOBS))["tokens"] == {}
        other = await table.press("chen", await table.token(SUBJECT, "request.acknowledge"))
        assert other.code == "request_not_yours"
        done = await table.press("ann", await table.token(SUBJECT, "request.acknowledge"))
        assert done.kinds == ["request.delivered"]
        view = await shown(daemon)
        assert (view["request"]["status"], view["request"]["waits_for"], view["tokens"]) == ("delivered", "", {})


async def test_what_was_put_off_may_be_answered_again_on_the_same_card():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        later = await answer(table, "bob", decision="defer", reason="On Monday")
        assert later.en == "Put off. You can answer it again at any time."
        view = await shown(daemon)
        assert (view["request"]["status"], view["request"]["answer_reason"]) == ("deferred", "On Monday")
        taken = await answer(table, "bob", decision="adopt")
        assert taken.kinds == ["request.answered"]


async def test_a_result_is_picked_among_the_evidence_that_the_rules_take():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        await evidence(daemon, "builder")
        await answer(table, "bob", decision="adopt")
        assert "request.return" not in (await shown(daemon))["tokens"]
        mine = await evidence(daemon)
        view = await shown(daemon)
        assert [one["artifact_id"] for one in view["request"]["returnable"]] == [mine]
        form = {"artifact": mine, "summary": "Two are broken"}
        pressed = await table.press("bob", view["tokens"]["request.return"], form)
        assert (pressed.kinds, pressed.zh) == (["request.returned"], "已交回，会通知Ann Li。")
        view = await shown(daemon)
        assert [one["label"] for one in view["request"]["evidence"]] == ["links.json"]
        assert view["request"]["status"] == "returned"


@pytest.mark.parametrize(
    ("form", "code"),
    [({"decision": "defer"}, "reason_required"), ({"reason": "No"}, "form_field_missing")],
)
async def test_an_answer_that_lacks_something_is_refused_and_may_be_sent_again(form, code):
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        before = table.seq()
        pressed = await answer(table, "bob", **form)
        assert (pressed.code, table.seq()) == (code, before)
        # What was typed comes back to Bob alone.
        mine = await shown(daemon, BOBS)
        assert [one["values"] for one in mine["typed"]] == [form]
        assert (await shown(daemon))["typed"] == []
        assert (await answer(table, "bob", decision="defer", reason="No")).code == ""


async def test_nobody_answers_in_the_place_of_whoever_was_asked():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        before = table.seq()
        for who, code in (
            ("ann", "request_not_yours"),
            ("chen", "request_not_yours"),
            ("stranger", "identity_unpaired"),
        ):
            assert (await answer(table, who, decision="reject", reason="No")).code == code
        withdrawn = await table.press("vic", await table.token(SUBJECT, "request.withdraw"))
        assert withdrawn.code == "request_not_yours"
        assert table.seq() == before


async def test_what_is_typed_into_the_form_never_names_another_request():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        await daemon.do("request.send", BRIEF | {"to": "bob", "request_id": "request_two"}, who="ann")
        await answer(table, "bob", decision="reject", reason="No", request_id="request_two")
        assert (await shown(daemon))["request"]["status"] == "rejected"
        assert (await shown(daemon, subject="request:docs:request_two"))["request"]["status"] == "sent"


async def test_what_agents_ask_of_each_other_only_tells():
    async with served(at_work) as daemon:
        await asked(daemon, "builder", "helper")
        assert places(daemon) == []
        view = await shown(daemon)
        assert (view["tokens"], view["mentions"], view["request"]["between_agents"]) == ({}, [], True)
        assert (view["request"]["waits_for"], view["request"]["need"]) == ("Helper", "answer")


async def test_a_person_who_asks_an_agent_is_told_of_the_result_and_may_take_it_back():
    async with served(at_work) as daemon:
        await asked(daemon, "ann", "helper")
        assert sorted((await shown(daemon))["tokens"]) == ["request.withdraw"]
        await daemon.do("request.respond", ONE | {"decision": "reject", "reason": "No"}, who="helper")
        assert places(daemon) == [(SUBJECT, ANNS)]
        assert sorted((await shown(daemon, ANNS))["tokens"]) == ["request.acknowledge"]


async def test_a_request_of_a_goal_that_is_over_asks_for_nothing():
    async with served(at_work) as daemon:
        table = Table(daemon)
        await asked(daemon)
        await table.press("ann", (await daemon.view(f"goal:docs@{CHAT}"))["tokens"]["goal.stop"])
        view = await shown(daemon)
        assert (view["tokens"], view["request"]["status"], view["mentions"]) == ({}, "ended", [])
        assert view["request"]["cause"]["kind"] == "goal.stopped"


async def test_the_chats_of_a_goal_show_its_requests_but_only_so_many_between_agents():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        await table.press("ann", await table.token(f"review:{goal}:1", "goal.confirm"))
        for number in range(8):
            to = {"goal_id": goal, "to": "helper", "request_id": f"request_{number}"}
            await daemon.do("request.send", BRIEF | to, who="builder")
        await daemon.do("request.send", BRIEF | {"goal_id": goal, "to": "bob"}, who="builder")
        found = places(daemon, goal)
        assert found[:2] == [(f"request:{goal}:request_one", CHAT), (f"request:{goal}:request_one", BOBS)]
        assert found[2:] == [(f"request:{goal}:request_{number}", CHAT) for number in range(5)]
