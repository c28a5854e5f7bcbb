"""Who is in the chat of these tests: Ann (English) and Bo (Chinese) own the workspace, Sam is unknown; and one agent.

One running stack serves a whole module: every test proposes goals of its own.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from itertools import count

from daemon.aclient import AsyncClient
from tests.e2e.world import ROOT, buttons, has_button, running_stack, text_has

TITLE, OBJECTIVE, CRITERIA = "Title", "Objective", "Acceptance criteria, one a line"
NON_GOALS, BUDGET = "Not part of it, one a line (optional)", "Budget (optional)"
SCOPES, STOP = "May write, one path or pattern a line (optional)", "Stop when, one a line (optional)"
SUMMARY_CHARS_SEEN = 40
DECLINE_REASON, CHANGES_REASON = "Reason for declining (optional)", "What must change"


class Room:
    """The group chat and everybody in it."""

    def __init__(self, stack, group, agent):
        self.stack = stack
        self.group = group
        self.agent = agent
        self._numbers = count(1)

    async def direct(self, person):
        """The person's own chat with the bot."""
        return await self.stack.chat_of(person, "p2p")

    async def history(self):
        """Seq and kind of every event, as the feed tells it."""
        tail = await self.stack.cli("status")
        return tail["seq"]

    async def form(self, person="ann", text=None):
        """Ask for a form in the group, and wait until it is there."""
        number = next(self._numbers)
        text = text or f"propose Goal number {number}"
        sent = await self.stack.write(person, self.group, text, mention_bot=True)
        return await self.stack.see(person, self.group, lambda one: one["reply_to"] == sent, "the form")

    async def proposed(self, inputs=None):
        """A goal of a title of its own that waits for its owners: its id and its review card."""
        form = await self.form()
        answer = await self.stack.press("ann", form, "Submit", {CRITERIA: "It works"} | (inputs or {}))
        assert answer["toast"]["type"] == "success", answer
        goals = (await self.stack.cli("goal", "list", "--limit", "200"))["goals"]
        goal_id = max((goal["goal_id"] for goal in goals), key=lambda name: int(name.rpartition("-")[2]))
        return goal_id, await self.card(goal_id, "Proposal")

    async def card(self, goal_id, kind, person="ann", also=lambda one: True):
        """A goal's card of one kind, found as a person finds it: by the command that its summary or foot names."""
        slot = {"Proposal": "review:", "Goal": "goal:", "Result": "acceptance:"}[kind]

        async def is_it(message_id):
            known = (await self.deliveries()).items()
            names = (f"{slot}{goal_id}@", f"{slot}{goal_id}:")
            return any(name.startswith(names) and message_id == at for name, at in known)

        async with asyncio.timeout(30):
            while True:
                shown, revision = await self.stack.messages(person, self.group)
                for one in reversed(shown):
                    if one["kind"] == "card" and also(one) and await is_it(one["message_id"]):
                        return one
                await self.stack.chat_api("GET", f"changes?after={revision}&timeout_ms=1000")

    async def deliveries(self):
        """Which message shows which slot, as the bot has told the daemon."""
        token = (self.stack.home / "bot.token").read_text().strip()
        async with AsyncClient(str(self.stack.home / "daemon.sock"), token) as client:
            rows = (await client.deliveries())["deliveries"]
        return {row["slot"]: row["message_id"] for row in rows}

    async def act(self, action, **params):
        """The agent does something, which must be taken."""
        reply = await self.agent.act(action, params)
        assert reply.ok, reply.body
        return reply.body

    async def delivered(self, goal_id, summary="All of it works."):
        """The agent does the one todo of a confirmed goal and delivers; the card that asks for acceptance."""
        todo = {"goal_id": goal_id, "todo_id": f"todo_{next(self._numbers):06d}"}
        await self.stack.cli("todo", "add", "--goal-id", goal_id, "--todo-id", todo["todo_id"], "--text", "Do it")
        await self.act("todo.claim", **todo)
        proof = {"label": "report.json", "sha256": f"{next(self._numbers):064x}", "size_bytes": 812}
        artifact = (await self.act("artifact.submit", **todo, **proof))["result"]["artifact_id"]
        await self.act("todo.complete", **todo, evidence=[artifact])
        await self.act("goal.deliver", goal_id=goal_id, summary=summary)

        def asks(one):
            # The card of an earlier delivery may not have been drawn again yet. A long summary is cut on a card.
            return has_button("Accept")(one) and text_has(summary[:SUMMARY_CHARS_SEEN])(one)

        return await self.card(goal_id, "Result", also=asks)

    async def confirmed(self):
        """A goal that is confirmed; its id."""
        goal_id, review = await self.proposed()
        answer = await self.stack.press("ann", review, "Confirm")
        assert answer["toast"]["type"] == "success", answer
        return goal_id

    async def seen_by(self, person, message):
        """The same message as somebody else sees it."""
        _, answer = await self.stack.chat_api("GET", f"messages/{message['message_id']}?person={person}")
        return answer["message"]


async def shell(stack, *words):
    """What a person reads at a terminal, as it is: the exit code and the bytes."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", *words, "--home", str(stack.home),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=dict(os.environ),
    )  # fmt: skip
    out, _ = await process.communicate()
    return process.returncode, out


async def pair(stack, person, member_id, done):
    """Somebody sends the code that the command line printed."""
    code = (await stack.cli("member", "pair", "--member-id", member_id))["secret"]
    direct = await stack.chat_of(person, "p2p")
    await stack.write(person, direct, code)
    await stack.see(person, direct, lambda one: (one.get("card") or {}).get("subtitle") == done, f"{person} is paired")


@asynccontextmanager
async def everybody(folder):
    """The stack, with its people paired and its agent at work."""
    async with running_stack(folder) as stack:
        await stack.cli(
            "member", "add", "--member-id", "bo", "--kind", "person", "--display-name", "陈博", "--role", "owner"
        )
        await stack.cli("member", "add", "--member-id", "builder", "--kind", "agent", "--display-name", "Builder")
        secret = (await stack.cli("token", "issue", "--member-id", "builder"))["secret"]
        await pair(stack, "ann", "ann", "Paired")
        await pair(stack, "bo", "bo", "已配对")
        # What is measured here is what people see, not how often the platform lets a bot write.
        await stack.control("limits", {"on": False})
        async with AsyncClient(str(stack.home / "daemon.sock"), secret) as agent:
            yield Room(stack, await stack.chat_of("ann", "group"), agent)


def label_of(message, english, room_view):
    """The label under which another reader sees the button that an English reader calls `english`."""
    return buttons(room_view)[buttons(message).index(english)]
