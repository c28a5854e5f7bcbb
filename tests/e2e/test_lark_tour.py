"""`docs/lark-tour.md`, walked in a real browser by somebody who knows only what is on the screen."""

import asyncio
import os
import sys

import pytest

from tests.api.simulator_browser import CHROMIUM, browser
from tests.e2e.tour import Eyes, steps
from tests.e2e.world import ROOT, running_stack

DOCUMENTS = {"en": ROOT / "docs" / "lark-tour.md", "zh": ROOT / "docs" / "zh" / "lark-tour.md"}
PRESSED = {
    "en": ["Submit", "Confirm", "Approve", "批准", "Request changes", "Accept"],
    "zh": ["提交", "确认", "批准", "Approve", "要求修改", "验收通过"],
}
AGENT_S_MAX = 60


@pytest.mark.parametrize("language", DOCUMENTS)
def test_the_tour_is_made_of_steps(language):
    told = steps(DOCUMENTS[language].read_text(encoding="utf-8"))
    assert {step.does for step in told} == {"who", "opens", "writes", "fills", "presses", "reads", "console"}
    assert [step.what for step in told if step.does == "presses"] == PRESSED[language]


class Scout:
    """The agent, in a shell of its own."""

    def __init__(self, stack, folder, secret):
        self._stack = stack
        self._folder = folder
        self._secret = secret

    async def do(self, script):
        goals = (await self._stack.cli("goal", "list"))["goals"]
        scout = f'scout() {{ {sys.executable} -m daemon.cli.main "$@"; }}'
        process = await asyncio.create_subprocess_exec(
            "bash", "-ec", f"{scout}\n{script}", cwd=self._folder,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "GOAL": goals[-1]["goal_id"],
                 "FRONTSTAGE_HOME": str(self._stack.home), "FRONTSTAGE_TOKEN": self._secret},
        )  # fmt: skip
        async with asyncio.timeout(AGENT_S_MAX):
            said, _ = await process.communicate()
        assert process.returncode == 0, f"{script}\n{said.decode()}"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("language", DOCUMENTS)
@pytest.mark.asyncio
@pytest.mark.skipif(
    CHROMIUM is None, reason="the tour is walked in a browser, and there is no Chromium on this machine"
)
async def test_an_owner_takes_a_goal_from_a_wish_to_acceptance_by_pressing_buttons(tmp_path, language):
    async with running_stack(tmp_path) as stack, browser() as page:
        add = ("member", "add", "--kind")
        await stack.cli(*add, "person", "--member-id", "bo", "--display-name", "陈博", "--role", "owner")
        await stack.cli(*add, "agent", "--member-id", "scout", "--display-name", "Scout")
        scout = Scout(stack, tmp_path, (await stack.cli("token", "issue", "--member-id", "scout"))["secret"])
        codes = {
            "her code": (await stack.cli("member", "pair", "--member-id", "ann"))["secret"],
            "his code": (await stack.cli("member", "pair", "--member-id", "bo"))["secret"],
        }
        await page.open(f"{stack.base_url}/", 1180, 900)
        person = Eyes(page)
        for step in steps(DOCUMENTS[language].read_text(encoding="utf-8")):
            if step.does == "console":
                await scout.do(step.what)
            elif step.does == "writes":
                await person.writes(codes.get(step.what, step.what))
            else:
                await person.do(step)
        assert page.errors == []
        goal = (await stack.cli("goal", "list"))["goals"][-1]
        assert goal["state"] == "accepted"
        await stack.cli("ledger", "verify")  # a chain that does not hold is another exit code
