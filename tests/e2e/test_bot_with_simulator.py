"""The whole way, with real processes: a person reads and presses in a chat, the ledger decides, the cards follow.

Simulator, daemon and bot run as they do for a user; the bot uses the unmodified SDK. The person here knows visible
labels only.
"""

import asyncio
import signal

import pytest

from tests.e2e.world import buttons, has_button, running_stack, text_has

pytestmark = pytest.mark.slow

CRITERIA = "Acceptance criteria, one a line"
SCOPES = "May write, one path or pattern a line (optional)"


async def paired(stack, member="ann"):
    """Pair Ann by the code that the command line prints."""
    code = (await stack.cli("member", "pair", "--member-id", member))["secret"]
    direct = await stack.chat_of("ann", "p2p")
    await stack.write("ann", direct, code)
    await stack.see("ann", direct, text_has("you are paired"), "that she is paired")
    return await stack.chat_of("ann", "group")


async def proposed(stack, group, what="Check the docs"):
    """Propose by the form, and return the review card."""
    await stack.write("ann", group, f"propose {what}", mention_bot=True)
    form = await stack.see("ann", group, has_button("Submit"), "the form")
    inputs = {CRITERIA: "Every link works\nEvery heading is unique", SCOPES: "reports/**"}
    answer = await stack.press("ann", form, "Submit", inputs)
    assert answer["toast"]["type"] == "success", answer
    return await stack.see("ann", group, has_button("Confirm"), "the review card")


async def sends(stack):
    """What the bot asked the platform to show, in order."""
    asked = (await stack.control("requests"))["requests"]
    return [(one["api"], one["path"], one["code"]) for one in asked if one["api"].startswith("messages.")]


def _posts(calls):
    """How many messages were sent to the group; what waits for one person is sent to them besides."""
    return sum(api != "messages.patch" and "open_id" not in path for api, path, _ in calls)


async def cards(stack, group):
    shown, _ = await stack.messages("ann", group)
    return [one for one in shown if one["kind"] == "card"]


def titled(words):
    return lambda one: words in (one.get("card") or {}).get("subtitle", "")


async def test_from_a_proposal_to_a_confirmed_goal_that_is_paused(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        review = await proposed(stack, group)
        # Somebody whom the ledger does not know presses first: told so, and nothing happens.
        answer = await stack.press("sam", review, "Confirm")
        assert answer["toast"]["type"] == "error", answer
        answer = await stack.press("ann", review, "Confirm")
        assert answer["toast"]["type"] == "success", answer
        goal = await stack.see("ann", group, has_button("Pause"), "the goal card")
        await stack.see("ann", group, titled("Proposal · Confirmed"), "the closed review card")
        assert len(await cards(stack, group)) == 3
        # Pressed again, on the card as it was: no second effect, and the truth in the toast.
        seq = (await stack.cli("status"))["seq"]
        answer = await stack.press("ann", goal, "Pause")
        assert answer["toast"]["type"] == "success", answer
        await stack.see("ann", group, has_button("Resume"), "the paused goal")
        assert (await stack.cli("status"))["seq"] == seq + 1
        assert len(await cards(stack, group)) == 3
        assert {code for _, _, code in await sends(stack)} == {0}
        assert await stack.stop("bot") == 0
        assert await stack.stop("daemon") == 0


async def test_kills_of_bot_and_daemon_cost_no_message_and_no_change(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        review = await proposed(stack, group)
        await stack.stop("bot", signal.SIGKILL)
        goal_id = (await stack.cli("goal", "list"))["goals"][0]["goal_id"]
        basis = (await stack.cli("goal", "show", "--goal-id", goal_id))["basis"]["confirm"]
        # While no bot runs, the owner confirms in a shell, and the daemon is killed too.
        await stack.cli("goal", "confirm", "--goal-id", goal_id, "--basis", basis)
        await stack.stop("daemon", signal.SIGKILL)
        await stack.daemon()
        await stack.bot()
        await stack.see("ann", group, has_button("Pause"), "the goal card")
        closed = await stack.see("ann", group, titled("Proposal · Confirmed"), "the closed review card")
        assert closed["message_id"] == review["message_id"]
        assert len(await cards(stack, group)) == 3
        # Under a running bot the daemon goes away and comes back: what happens afterwards is shown.
        await stack.stop("daemon", signal.SIGKILL)
        await stack.daemon()
        await stack.cli("goal", "pause", "--goal-id", goal_id)
        paused = await stack.see("ann", group, has_button("Resume"), "the paused goal")
        assert len(await cards(stack, group)) == 3
        # Buttons drawn by the new daemon work: nobody has pressed or written anything since it started.
        answer = await stack.press("ann", paused, "Resume")
        assert answer["toast"]["type"] == "success", answer
        await stack.see("ann", group, has_button("Pause"), "the goal that goes on")


async def test_answers_that_are_lost_make_no_second_message(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        for api in ("messages.reply", "messages.create", "messages.patch"):
            await stack.control("faults", {"api": api, "kind": "drop_after_commit"})
        review = await proposed(stack, group)
        await stack.press("ann", review, "Confirm")
        await stack.see("ann", group, has_button("Pause"), "the goal card")
        await stack.see("ann", group, titled("Proposal · Confirmed"), "the closed review card")
        assert len(await cards(stack, group)) == 3
        assert (await stack.control("faults"))["faults"] == []


async def test_a_second_bot_sends_nothing_until_the_first_is_gone(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        review = await proposed(stack, group)
        await stack.bot("second")
        await _two_connections(stack)
        before = await sends(stack)
        goal_id = (await stack.cli("goal", "list"))["goals"][0]["goal_id"]
        answer = await stack.press("ann", review, "Confirm")
        assert answer["toast"]["type"] == "success", answer
        await stack.see("ann", group, has_button("Pause"), "the goal card")
        await stack.see("ann", group, titled("Proposal · Confirmed"), "the closed review card")
        assert len(await cards(stack, group)) == 3
        await stack.stop("bot", signal.SIGKILL)
        await stack.cli("goal", "pause", "--goal-id", goal_id)
        await stack.see("ann", group, has_button("Resume"), "the paused goal, shown by the second bot")
        assert len(await cards(stack, group)) == 3
        assert _posts(await sends(stack)) == _posts(before) + 1


async def _two_connections(stack):
    async with asyncio.timeout(60):
        while len((await stack.control("state"))["link"]["connections"]) < 2:
            await stack.chat_api("GET", "changes?after=999999&timeout_ms=200")


async def test_a_hanging_daemon_costs_a_toast_in_time_and_the_result_follows(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        review = await proposed(stack, group)
        daemon = stack.processes["daemon"]
        daemon.send_signal(signal.SIGSTOP)
        try:
            begun_s = asyncio.get_running_loop().time()
            answer = await stack.press("ann", review, "Confirm")
            took_s = asyncio.get_running_loop().time() - begun_s
        finally:
            daemon.send_signal(signal.SIGCONT)
        assert answer["error_code"] == 0, answer
        assert took_s < 3.0
        assert "Still working" in answer["toast"]["content"]
        await stack.see("ann", group, has_button("Pause"), "the goal card")
        closed = await stack.see("ann", group, titled("Proposal · Confirmed"), "the closed review card")
        assert buttons(closed) == []


async def test_a_daemon_that_is_gone_costs_a_toast_and_pressing_again_works(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        review = await proposed(stack, group)
        await stack.stop("daemon", signal.SIGKILL)
        answer = await stack.press("ann", review, "Confirm")
        assert answer["toast"]["type"] == "warning"
        assert "Nothing was applied" in answer["toast"]["content"]
        await stack.daemon()
        answer = await stack.press("ann", review, "Confirm")
        assert answer["toast"]["type"] == "success", answer
        await stack.see("ann", group, has_button("Pause"), "the goal card")
