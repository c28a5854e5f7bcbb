"""A summary the whole way, with real processes: once in the chat, whatever happens to bot, daemon and platform."""

import asyncio
import signal

import pytest

from tests.e2e.world import WAIT_S_MAX, running_stack, text_has

pytestmark = pytest.mark.slow

TEXT = "Two of three chapters are accepted."
NOWHERE = "oc_nowhere"


async def begun(stack):
    """A goal that the group shows, and another chat that the platform does not know."""
    await stack.cli("goal", "propose", "--goal-id", "docs", "--objective", "Check", "--criterion", "Links work")
    basis = (await stack.cli("goal", "show", "--goal-id", "docs"))["basis"]["confirm"]
    await stack.cli("goal", "confirm", "--goal-id", "docs", "--basis", basis)
    group = await stack.chat_of("ann", "group")
    for channel_id in (group, NOWHERE):
        await stack.cli("channel", "bind", "--goal-id", "docs", "--channel-id", channel_id)
    return group


async def settled(stack):
    """Wait until something is known of the newest summary in every chat."""
    async with asyncio.timeout(WAIT_S_MAX):
        while True:
            listed = (await stack.cli("summary", "list"))["summaries"][0]["channels"]
            if all(one["status"] != "queued" for one in listed):
                return [(one["status"], one["because"] is not None) for one in listed]
            await asyncio.sleep(0.3)


async def told(stack, group):
    """How many messages of the chat have the text."""
    shown, _ = await stack.messages("ann", group)
    return sum(map(text_has(TEXT), shown))


async def test_a_summary_arrives_once_though_the_bot_is_killed_and_the_platform_fails(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await begun(stack)
        await stack.stop("bot", signal.SIGKILL)
        preview = await stack.cli("summary", "post", "--goal-id", "docs", "--text", TEXT, "--preview")
        assert preview["outcome"] == "noop"
        await stack.cli("summary", "post", "--goal-id", "docs", "--text", TEXT)
        for kind in (
            {"kind": "html"},
            {"kind": "drop_after_commit"},
            {"kind": "code", "status": 429, "code": 99991400},
        ):
            await stack.control("faults", {"api": "messages.create", **kind})
        await stack.bot()
        await stack.connected()
        await stack.see("ann", group, text_has(TEXT), "the summary")
        assert await settled(stack) == [("sent", False), ("failed", True)]
        await stack.stop("bot", signal.SIGKILL)
        await stack.stop("daemon", signal.SIGKILL)
        await stack.daemon()
        await stack.bot()
        await stack.connected()
        again = await stack.cli("summary", "post", "--goal-id", "docs", "--text", "Once more")
        assert again["result"]["channels"][0]["status"] == "unchanged"
        await asyncio.sleep(1)
        assert await told(stack, group) == 1
