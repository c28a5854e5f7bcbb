"""A gate in a chat with real processes: two people decide it, one in the group and one on a copy of their own."""

import pytest

from tests.e2e.people import everybody
from tests.e2e.world import buttons, text_has

pytestmark = [pytest.mark.slow, pytest.mark.asyncio]
QUESTION = "May the checked pages be published?"


def asks(one):
    return text_has(QUESTION)(one) and one["kind"] == "card"


async def test_two_people_decide_a_gate_and_every_copy_is_told(tmp_path):
    async with everybody(tmp_path) as room:
        goal_id = await room.confirmed()
        asked = {"gate_id": "gate_site", "question": QUESTION, "quorum": 2, "blocks_goal": True}
        await room.act("gate.open", goal_id=goal_id, approver=["ann", "bo"], **asked)

        def offers(one):
            # The goal's own card names the question, too.
            return asks(one) and "Approve" in buttons(one)

        shown = await room.stack.see("ann", room.group, offers, "the gate in the group")
        mine = await room.direct("bo")

        def votes(one):
            # The list of what needs Bo names the question, too, and may be there first.
            return asks(one) and "批准" in buttons(one)

        copied = await room.stack.see("bo", mine, votes, "the copy of the gate")
        first = await room.stack.press("ann", shown, "Approve")
        assert first["toast"]["content"] == "Your yes was recorded: 1 of 2."
        second = await room.stack.press("bo", copied, "批准")
        assert second["toast"]["content"] == "已批准。等待它的工作可以继续。"

        def closed(one):
            return asks(one) and not buttons(one)

        await room.stack.see("ann", room.group, closed, "the decided gate")
        await room.stack.see("bo", mine, closed, "the decided copy")
        await room.stack.see("ann", await room.direct("ann"), closed, "the other copy")
