"""Works to draw: chains, fans, diamonds, what hangs together at random and what does not at all."""

import random

STATUSES = ("done", "open", "blocked", "deferred", "cancelled", "proposed")


def todo(number, needs=(), status="open", **more):
    """A row of `todo.list`, as far as a picture reads it."""
    return {
        "todo_id": name(number),
        "title": f"Piece of work number {number}",
        "status": status,
        "priority": "P1",
        "depends_on": [name(one) for one in needs],
        "waiting_for": [],
        "successor_todo_ids": [],
        "claimed_by": None,
        "claim": "none",
        "claimed_until": None,
        "completed_by": "agent_builder" if status == "done" else None,
        "held_by": [],
    } | more


def name(number):
    """The id of a todo."""
    return f"todo_{number:06d}"


def waiting(rows):
    """The same rows, of which each says what of its needs is not done."""
    done = {row["todo_id"] for row in rows if row["status"] == "done"}
    return [{**row, "waiting_for": [one for one in row["depends_on"] if one not in done]} for row in rows]


def chain(count):
    """One after another."""
    return [todo(at, [at - 1] if at else []) for at in range(count)]


def fan(count):
    """One that all others need."""
    return [todo(at, [0] if at else []) for at in range(count)]


def diamond():
    """Two ways from one to another, and a short cut."""
    return [todo(0), todo(1, [0]), todo(2, [0]), todo(3, [1, 2, 0])]


def alone(count):
    """Nothing that has to do with anything."""
    return [todo(at) for at in range(count)]


def tangle(count, seed):
    """What a goal looks like after a while: needs at random, most of it done in the order it came."""
    chance = random.Random(seed)
    rows = []
    for at in range(count):
        needs = {max(0, at - 1 - int(chance.expovariate(1 / 6))) for _ in range(chance.randrange(3)) if at}
        status = "done" if at < count // 3 else chance.choice(STATUSES)
        rows.append(todo(at, sorted(needs), status))
    return waiting(rows)


WORKS = {
    "nothing": [],
    "one": alone(1),
    "chain": chain(7),
    "long chain": chain(30),
    "fan": fan(12),
    "diamond": diamond(),
    "alone": alone(20),
    "apart": [*chain(3), *(todo(at, [at - 1] if at % 3 else []) for at in range(3, 20))],
    "circle": [todo(0, [2]), todo(1, [0]), todo(2, [1]), todo(3, [2])],
    "itself": [todo(0, [0]), todo(1, [0, 77])],
    "tangle": tangle(50, 1),
    "thicket": tangle(300, 2),
}
