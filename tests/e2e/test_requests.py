"""A request in a chat with real processes: one person is asked on a card of their own, the other reads the answer."""

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
