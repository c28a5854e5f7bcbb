"""A gate of the highest severity with real processes: enrolled in a shell, approved in a chat with a one-time code."""

import pyotp
import pytest

from tests.e2e.people import everybody
from tests.e2e.world import has_button, text_has

pytestmark = [pytest.mark.slow, pytest.mark.asyncio]
QUESTION = "May the old site be switched off?"


def asks(one):
    # What waits for somebody is on their list as well, which has no such button.
    return text_has(QUESTION)(one) and has_button("批准")(one)


async def test_a_grave_gate_is_approved_with_a_code_and_not_without(tmp_path):
    async with everybody(tmp_path) as room:
        goal_id = await room.confirmed()
        otp = pyotp.parse_uri((await room.stack.cli("member", "enrol-code", "--member-id", "bo"))["secret"])
        asked = {"gate_id": "gate_site", "question": QUESTION, "severity": "critical", "blocks_goal": True}
        await room.act("gate.open", goal_id=goal_id, approver=["bo"], **asked)
        shown = await room.stack.see("bo", await room.direct("bo"), asks, "the gate")
        now = otp.now()
        wrong = f"{(int(now) + 1) % 1_000_000:06d}"
        refused = await room.stack.press("bo", shown, "批准", {"一次性验证码": wrong})
        assert refused["toast"]["content"].startswith("一次性验证码错误或已过期。")
        code = otp.now()
        done = await room.stack.press("bo", shown, "批准", {"一次性验证码": code})
        assert done["toast"]["content"] == "已批准。等待它的工作可以继续。"
        logs = "".join(room.stack.log(name) for name in ("daemon", "bot"))
        assert code not in logs
        assert wrong not in logs
