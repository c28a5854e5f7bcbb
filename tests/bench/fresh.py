"""Whether answers are fresh: each read shows everything that was acknowledged before it was asked.

Many clients read and write at once. Not only the number at the head of an answer is checked but also that its body was
built from the state of then: `goal.show` says which event of its goal it has seen, and `quota.should-run` shows the
note of the todo that it selects, which is the one that is written on.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from tests.bench.asked import action, get, post

CLIENTS = 32
ROUNDS = 60
"""Requests of each client: a write now and then, and reads of whichever goal comes."""
WRITES_EVERY = 4

Document = dict[str, object]


@dataclass
class Acknowledged:
    """What has been acknowledged so far."""

    seq: int = 0
    by_goal: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    """The seq at which each note was written."""


def assert_fresh(socket: str, reads: Sequence[str], goals: int, todo: int = 0) -> int:
    """Read and write from many clients at once; the number of reads that were checked, all of them fresh.

    `todo` is the number of the one that `quota.should-run` selects in each goal.
    """
    known = Acknowledged()

    async def together() -> list[int]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_client(socket, number, known, reads, goals, todo)) for number in range(CLIENTS)]
        return [task.result() for task in tasks]

    return sum(asyncio.run(together()))


async def _client(socket: str, number: int, known: Acknowledged, reads: Sequence[str], goals: int, todo: int) -> int:
    reader, writer = await asyncio.open_unix_connection(socket)
    checked = 0
    for step in range(ROUNDS):
        goal = (number + step * 3) % goals
        goal_id = f"g{goal}"
        if step % WRITES_EVERY == 0:
            note = f"Fresh {number} {step}"
            params = {"goal_id": goal_id, "todo_id": f"todo_{goal}-{todo}", "note": note}
            done = await _ask(reader, writer, post(action("todo.update"), note, **params))
            seq = cast("list[dict[str, int]]", done["events"])[-1]["seq"]
            known.notes[note] = seq
            known.seq = max(known.seq, seq)
            known.by_goal[goal_id] = max(known.by_goal.get(goal_id, 0), seq)
        else:
            floor, goal_floor = known.seq, known.by_goal.get(goal_id, 0)
            name = reads[step % len(reads)]
            document = await _ask(reader, writer, get(action(name), goal_id=goal_id))
            _check(document, name, floor, goal_floor, known.notes)
            checked += 1
    writer.close()
    return checked


def _check(document: Document, name: str, floor: int, goal_floor: int, notes: dict[str, int]) -> None:
    seq = cast("int", document["seq"])
    assert seq >= floor, f"{name} answered at {seq} what was acknowledged up to {floor}"
    if name == "goal.show":
        shown = cast("dict[str, int]", document["truth_contract"])["goal_seq"]
    else:
        # A note whose writer has no answer yet is newer than any that has one.
        shown = notes.get(str(cast("dict[str, object]", document["selected_todo"])["note"]), seq) if goal_floor else seq
    assert shown >= goal_floor, f"{name} showed its goal at {shown}, acknowledged up to {goal_floor}"


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> Document:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
    body = await reader.readexactly(length)
    assert head[9:12] == b"200", body
    return cast("Document", json.loads(body))
