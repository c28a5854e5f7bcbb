"""A request in a chat with real processes: one person is asked on a card of their own, the other reads the answer."""

import signal

import pytest

from tests.e2e.people import everybody
from tests.e2e.world import buttons, has_button, text_has

pytestmark = [pytest.mark.slow, pytest.mark.asyncio]
PURPOSE = "Say which links of the reference are broken"
WHY = "None of them; I looked this morning."


def asks(one):
    return text_has(PURPOSE)(one) and one["kind"] == "card"


async def test_a_person_is_asked_answers_and_whoever_asked_says_that_it_arrived(tmp_path):
    async with everybody(tmp_path) as room:
        goal_id = await room.confirmed()
        await room.stack.cli(
            "request", "send", "--goal-id", goal_id, "--to", "bo", "--purpose", PURPOSE,
            "--acceptance", "Each is named", "--return-requirement", "A list",
        )  # fmt: skip
        mine = await room.direct("bo")
        asked = await room.stack.see("bo", mine, lambda one: asks(one) and has_button("我已阅读")(one), "the request")
        assert buttons(asked) == ["我已阅读", "提交答复"]
        answer = {"你的答复": "无需改动", "原因（接受时可不填）": WHY}
        lacking = await room.stack.press("bo", asked, "提交答复", {"你的答复": "推迟"})
        assert "需要说明理由" in lacking["toast"]["content"]
        pressed = await room.stack.press("bo", asked, "提交答复", answer)
        assert pressed["toast"]["content"] == "已答复：无需改动，会把原因告知Ann Lee。"
        told = await room.stack.see("ann", await room.direct("ann"), has_button("The result arrived"), "the answer")
        assert text_has(WHY)(told)
        done = await room.stack.press("ann", told, "The result arrived")
        assert done["toast"]["content"] == "Noted: the result has arrived."

        def closed(one):
            return asks(one) and not buttons(one)

        await room.stack.see("ann", room.group, closed, "the settled request in the group")
        await room.stack.see("bo", mine, closed, "the settled copy")


async def test_what_an_agent_hands_back_arrives_once_though_bot_and_daemon_are_killed_on_its_way(tmp_path):
    async with everybody(tmp_path) as room:
        goal_id = await room.confirmed()
        stack, about = room.stack, {"goal_id": goal_id}
        sent = await stack.cli(
            "request", "send", "--goal-id", goal_id, "--to", "builder", "--purpose", PURPOSE,
            "--acceptance", "Each is named", "--return-requirement", "A list",
        )  # fmt: skip
        request = about | {"request_id": sent["result"]["request_id"]}
        mine = await room.direct("ann")
        await stack.stop("bot", signal.SIGKILL)
        await room.act("request.respond", **request, decision="adopt")
        proof = {"label": "links.txt", "sha256": "a" * 64, "size_bytes": 5}
        artifact = (await room.act("artifact.submit", **about, **proof))["result"]["artifact_id"]
        back = request | {"artifact": [artifact], "summary": WHY}
        # The daemon dies with the return on its way; the agent's runtime calls back once more, as it must.
        first = await room.agent.act("request.return", back, "key/return")
        assert first.ok
        await stack.stop("daemon", signal.SIGKILL)
        await stack.daemon()
        again = await room.agent.act("request.return", back, "key/return")
        other = await room.agent.act("request.return", back, "key/return-2")
        assert (again.body["replayed"], other.body["outcome"]) == (True, "noop")
        await stack.bot()
        told = await stack.see("ann", mine, has_button("The result arrived"), "the return")
        # The bot dies right after it told; the next one tells nothing a second time.
        await stack.stop("bot", signal.SIGKILL)
        await stack.bot()
        await stack.connected()
        for _ in range(2):
            await stack.press("ann", told, "The result arrived")

        def settled(one):
            return one["message_id"] == told["message_id"] and not buttons(one)

        await stack.see("ann", mine, settled, "the settled card")
        shown, _ = await stack.messages("ann", mine)
        assert len([one for one in shown if text_has(WHY)(one) and one["kind"] == "card"]) == 1
        listed = await stack.cli("request", "list", "--goal-id", goal_id)
        assert [(one["status"], one["outcome"]) for one in listed["requests"]] == [("delivered", "result")]
        assert listed["returns_due"] == 0
        events = await stack.cli("history", "list", "--goal-id", goal_id, "--limit", "100")
        kinds = [one["kind"] for one in events["events"]]
        assert (kinds.count("request.returned"), kinds.count("request.delivered")) == (1, 1)
