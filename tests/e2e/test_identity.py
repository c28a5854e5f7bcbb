"""People and chats with real processes: somebody is invited, a chat is bound, somebody leaves, the bot is removed.

Two organisations and two apps stand beside each other; only the labels on the chat page are known here.
"""

import pytest

from tests.e2e.test_bot_with_simulator import paired, proposed, titled
from tests.e2e.world import buttons, has_button, running_stack, text_has

pytestmark = pytest.mark.slow


async def form_of(stack, group):
    """Ann asks for the form of an invitation."""
    await stack.write("ann", group, "invite", mention_bot=True)
    return await stack.see("ann", group, has_button("Send the invitation"), "the form")


def filled(person, name, member_id):
    """The form of an invitation, filled in."""
    return {"Who is invited": person, "Name": name, "Member id": member_id}


async def test_only_the_invited_person_of_this_organisation_joins(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        other = {"app_id": "cli_other", "app_secret": "another secret", "name": "Other bot", "tenant_key": "elsewhere"}
        await stack.control("apps", other)
        await stack.control("people", {"key": "eve", "name": "Eve Outside", "tenant_key": "elsewhere"})
        await stack.control(f"chats/{group}/people", {"person": "eve", "present": True})
        form = await form_of(stack, group)
        sent = await stack.press("ann", form, "Send the invitation", filled("Sam Stranger", "Sam", "sam"))
        assert sent["toast"]["type"] == "success", sent
        direct = await stack.chat_of("sam", "p2p")
        card = await stack.see("sam", direct, has_button("Accept"), "the invitation")
        accepted = await stack.press("sam", card, "Accept")
        assert accepted["toast"]["content"] == "Welcome. You are Sam here now."
        await stack.see("sam", direct, text_has("You accepted."), "that it is accepted")
        await stack.see("ann", group, titled("Invitation · Accepted"), "what came of it")
        members = {one["member_id"]: one for one in (await stack.cli("member", "list"))["members"]}
        assert members["sam"]["paired"] is True
        # Who belongs to another organisation can be picked here, and still cannot join.
        again = await form_of(stack, group)
        await stack.press("ann", again, "Send the invitation", filled("Eve Outside", "Eve", "eve"))
        listed = (await stack.cli("member", "invitations", "--open"))["invitations"]
        assert [one["member_id"] for one in listed] == ["eve"]
        assert "eve" not in {one["member_id"] for one in (await stack.cli("member", "list"))["members"]}


async def test_a_chat_that_is_bound_after_the_start_is_handled_at_once_and_let_go_without_a_trace(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        words = ("--goal-id", "docs", "--objective", "Check the docs", "--criterion", "Every link works")
        await stack.cli("goal", "propose", *words)
        await stack.write("ann", group, "bind", mention_bot=True)
        card = await stack.see("ann", group, has_button("Show it here"), "what the chat shows")
        bound = await stack.press("ann", card, "Show it here", {"What to show": "docs · Check the docs"})
        assert bound["toast"]["type"] == "success", bound
        review = await stack.see("ann", group, has_button("Confirm"), "the review card")
        assert (await stack.press("ann", review, "Confirm"))["toast"]["type"] == "success"
        await stack.see("ann", group, titled("Active"), "the goal's own card")
        card = await stack.see("ann", group, has_button("Stop showing it"), "that it can be let go")
        gone = await stack.press("ann", card, "Stop showing it", {"What to show no longer": "docs · Check the docs"})
        assert gone["toast"]["type"] == "success", gone
        unshown = await stack.see("ann", group, titled("No longer shown here"), "that it is shown no longer")
        assert buttons(unshown) == []


async def test_who_leaves_is_noted_and_a_chat_that_is_lost_comes_back(tmp_path):
    async with running_stack(tmp_path) as stack:
        group = await paired(stack)
        await stack.cli("member", "add", "--member-id", "sam", "--kind", "person", "--display-name", "Sam")
        code = (await stack.cli("member", "pair", "--member-id", "sam"))["secret"]
        direct = await stack.chat_of("sam", "p2p")
        await stack.write("sam", direct, code)
        await stack.see("sam", direct, text_has("you are paired"), "that Sam is paired")
        await proposed(stack, group)
        await stack.control(f"chats/{group}/people", {"person": "sam", "present": False})
        private = await stack.chat_of("ann", "p2p")
        await stack.see("ann", private, text_has("Sam left a chat"), "that Sam left")
        await stack.control(f"chats/{group}/people", {"person": "sam", "present": True})
        await stack.see("ann", private, text_has("Sam is back"), "that Sam is back")
        await stack.control(f"chats/{group}/bot", {"present": False})
        await _listed(stack, reachable=False)
        await stack.control(f"chats/{group}/bot", {"present": True})
        await _listed(stack, reachable=True)


async def _listed(stack, *, reachable):
    async def known():
        rows = (await stack.cli("channel", "list"))["channels"]
        return bool(rows) and all(row["reachable"] is reachable for row in rows)

    await stack._until(known, f"the chat is {'found' if reachable else 'lost'}")
