"""Card, page, command line, HTTP and MCP say the same of a goal, field by field, at each step of its life."""

from contextlib import asynccontextmanager
from hashlib import sha256
from itertools import count

import pytest

from daemon.aclient import AsyncClient
from tests.e2e.people import CRITERIA, OBJECTIVE, SCOPES, TITLE, everybody
from tests.e2e.same_facts import compared, leaves, surfaces
from tests.e2e.world import buttons


@asynccontextmanager
async def read_five_ways(folder):
    """A running stack with its people, a second agent, and the five ways to look at it."""
    async with everybody(folder) as room:
        await room.stack.cli("member", "add", "--member-id", "critic", "--kind", "agent", "--display-name", "Critic")
        secrets = [
            (await room.stack.cli("token", "issue", "--member-id", one))["secret"] for one in ("critic", "builder")
        ]
        home = room.stack.home
        async with (
            AsyncClient(str(home / "daemon.sock"), secrets[0]) as critic,
            surfaces(home, base_url=room.stack.base_url, token=secrets[1]) as seen,
        ):
            yield room, critic, seen


async def acts(client, action, **params):
    reply = await client.act(action, params)
    assert reply.ok, reply.body
    return reply.body["result"]


class Told:
    """One goal's story, told step by step; after each step all five must say the same."""

    def __init__(self, room, critic, seen, goal_id):
        self.room, self.critic, self.seen = room, critic, seen
        self.goal = {"goal_id": goal_id}
        self.work = {**self.goal, "todo_id": "todo_work"}
        self.note = {**self.goal, "todo_id": "todo_note"}
        self.digests = (sha256(bytes([number])).hexdigest() for number in count())

    async def does(self, action, **params):
        return (await self.room.act(action, **params))["result"]

    async def agrees(self):
        step = await self.seen.agree(self.goal["goal_id"])
        assert step is not None, "the ledger never rested"
        return step.state

    async def is_planned_and_begun(self):
        await self.does(
            "todo.add", **self.work, text="Make it work", required_write_scope=["src/**"], validator=["tests"]
        )
        await self.does("todo.add", **self.note, text="Write it down", depends_on=["todo_work"])
        await self.agrees()
        await self.does("todo.claim", **self.work)
        await self.does("task-lease.acquire", **self.work, idempotency_key="first")
        await self.agrees()

    async def is_rejected_and_made_anew(self):
        """The evidence that was accepted in the end."""
        proof = {**self.work, "label": "result.json", "size_bytes": 2048, "criterion": ["c1"]}
        first = (await self.does("artifact.submit", **proof, sha256=next(self.digests)))["artifact_id"]
        await self._is_checked(first, 1)
        await self.agrees()
        no = {"artifact_id": first, "verdict": "reject", "reason": "Its tests fail."}
        await acts(self.critic, "artifact.review", **self.goal, **no)
        await self.agrees()
        anew = await self.does("artifact.submit", **proof, sha256=next(self.digests), revises=first)
        await self._is_checked(anew["artifact_id"], 0)
        await acts(self.critic, "artifact.review", **self.goal, artifact_id=anew["artifact_id"], verdict="accept")
        await self.agrees()
        return anew["artifact_id"]

    async def _is_checked(self, artifact_id, exit_code):
        ran = {"name": "tests", "argv_sha256": "c" * 64, "duration_ms": 5, "exit_code": exit_code}
        await self.does("artifact.record-check", **self.goal, artifact_id=artifact_id, **ran)

    async def asks_people(self):
        """A gate that is approved, and a request that is taken back."""
        asks = {"question": "Shall it be written down?", "kind": "direction"}
        await self.does("gate.open", **self.goal, blocks_todo=["todo_note"], **asks)
        await self.agrees()
        room = self.room
        card = await room.stack.see("ann", room.group, lambda one: "Approve" in buttons(one), "the gate")
        assert (await room.stack.press("ann", card, "Approve"))["toast"]["type"] == "success"
        await self.agrees()
        wanted = {"purpose": "How fast is fast?", "acceptance": ["A number"], "return_requirement": "One sentence"}
        asked = await self.does("request.send", **self.goal, to="ann", **wanted)
        await self.agrees()
        await self.does("request.withdraw", **self.goal, request_id=asked["request_id"], reason="Measured it.")
        await self.agrees()

    async def is_done_and_delivered(self, evidence):
        lease = {"task_lease_idempotency_key": "first", "task_lease_expected_version": 1}
        await self.does("todo.complete", **self.work, evidence=[evidence], **lease)
        await self.agrees()
        await self.does("todo.claim", **self.note)
        proof = {"label": "note.md", "sha256": next(self.digests), "size_bytes": 9, "criterion": ["c2"]}
        noted = await self.does("artifact.submit", **self.note, **proof)
        await self.does("todo.complete", **self.note, evidence=[noted["artifact_id"]])
        await self.does("goal.deliver", **self.goal, summary="Both of it works.")
        return await self.agrees()


@pytest.mark.slow
async def test_every_step_of_a_goal_reads_the_same_on_all_of_them(tmp_path):
    async with read_five_ways(tmp_path) as (room, critic, seen):
        form = await room.form(text="propose Same facts")
        inputs = {
            TITLE: "Same facts",
            OBJECTIVE: "Find out.",
            CRITERIA: "It works\nIt is fast",
            SCOPES: "src/**\ndocs/**",
        }
        assert (await room.stack.press("ann", form, "Submit", inputs))["toast"]["type"] == "success"
        goal_id = (await room.stack.cli("goal", "list"))["goals"][-1]["goal_id"]
        story = Told(room, critic, seen, goal_id)
        review = await room.card(goal_id, "Proposal")
        states = [await story.agrees()]
        await room.stack.press("ann", review, "Confirm")
        await story.agrees()
        await story.is_planned_and_begun()
        evidence = await story.is_rejected_and_made_anew()
        await story.asks_people()
        states.append(await story.is_done_and_delivered(evidence))
        delivery = await room.card(goal_id, "Result", also=lambda one: "Accept" in buttons(one))
        await room.stack.press("ann", delivery, "Accept")
        states.append(await story.agrees())
    assert states == ["proposed", "delivered", "accepted"]
    assert len({step.seq for step in seen.steps}) == len(seen.steps) >= 13
    cards = {kind for step in seen.steps for kind in step.cards}
    assert cards == {"goal card", "Delivery 1 card", "gate card", "request card"}
    assert min(step.fields for step in seen.steps) > 100


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ({"HTTP": {"a": 1}, "CLI": {"a": 1}, "MCP": {"a": 1}}, []),
        ({"HTTP": {"a": 1}, "CLI": {"a": 1}, "MCP": {"a": 2}}, ["x.a: {'HTTP': 1, 'CLI': 1, 'MCP': 2}"]),
        ({"HTTP": {"a": 1}, "CLI": {"a": True}}, ["x.a: {'HTTP': 1, 'CLI': True}"]),
        (
            {"HTTP": {"a": None}, "CLI": {}},
            ["x: {'HTTP': '(missing)', 'CLI': {}}", "x.a: {'HTTP': None, 'CLI': '(missing)'}"],
        ),
        ({"HTTP": {"a": [1, {"b": 2}]}, "CLI": {"a": [1, {"b": 3}]}}, ["x.a[1].b: {'HTTP': 2, 'CLI': 3}"]),
        ({"HTTP": {"generated_at": 1}, "CLI": {"generated_at": 2}}, []),
    ],
)
def test_a_difference_is_told_by_its_field_and_what_each_says(documents, told):
    assert compared("x", {name: dict(leaves(one)) for name, one in documents.items()}) == told
