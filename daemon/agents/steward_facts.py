"""What a steward reads off its view of a goal, and how it words a wish: shared by all of its rules.

A wish is an action of the table with its parameters and a request key made of what it is about, so that a steward that
starts anew, or two of them, do each thing once. A wish is no right: the ledger grants or refuses it like anybody's.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from daemon.agents.steward_view import Criterion, Evidence, Gate, View, Work

Value = str | int | bool | None | list[str] | tuple[str, ...]

WISHED = (
    "amendment.commit", "amendment.rebase", "amendment.submit", "gate.open", "gate.withdraw",
    "goal.adopt", "goal.clarify", "goal.deliver", "plan.confirm", "plan.propose", "request.acknowledge",
    "request.send", "request.withdraw", "summary.post", "todo.add", "todo.update",
)  # fmt: skip
"""Everything that a steward ever asks for. No action that only people may take is among them."""
PLANS_MAX = 3
"""Plans for one revision and delivery; after as many a person says whether to plan again."""
UNFINISHED = frozenset({"open", "blocked", "deferred"})
ROUTINE = frozenset({"lane_route", "shared_work_graph"})
OPEN_GATES = frozenset({"waiting_on_user", "deferred"})
WITHDRAWN = frozenset({"withdrawn", "superseded"})
QUESTIONS = ("gate_blocked-", "gate_gap-", "gate_plan_", "gate_redo-", "gate_replan-", "gate_review-")
"""What the names of a steward's gates begin with."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """One thing to ask the daemon for, and why in one word."""

    action: str
    params: Mapping[str, Value]
    key: str
    why: str
    asks_planner: bool = field(default=False)
    """The lanes are still to be found."""


def short(*parts: str) -> str:
    """A name for something too long to be one: the same for the same, and different otherwise."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def wish(view: View, why: str, about: str, action: str, /, **params: Value) -> Wish:
    """A wish about something of this goal."""
    return Wish(
        action=action,
        params={"goal_id": view.goal_id, **params},
        key=f"steward/{view.goal_id}/{why}/{about}",
        why=why,
    )


def standing(view: View, name: str) -> tuple[str, Gate | None]:
    """The gate of this name that counts, or the id of the next one: what was withdrawn has not been answered."""
    tries = (name if count == 1 else f"{name}-{count}" for count in range(1, len(view.gates) + 2))
    gate_id = next(one for one in tries if (gate := view.gate(one)) is None or gate.status not in WITHDRAWN)
    return gate_id, view.gate(gate_id)


def question(view: View, why: str, name: str, kind: str, words: str, *blocked: str) -> Wish:
    """A gate that people are asked by; where it blocks no work, it is about this one decision and holds nothing up.

    It is wished as long as the question stands: one that is open already is not opened again, and one that nobody asks
    any longer is taken back.
    """
    gate_id, _ = standing(view, name)
    scope = {} if blocked else {"decision_scope": f"{kind}:goal:{gate_id}"}
    return wish(
        view, why, gate_id, "gate.open", gate_id=gate_id, question=words, kind=kind, blocks_todo=list(blocked), **scope
    )


# What is true of the work.


def latest(view: View) -> tuple[Work, ...]:
    """The work of agents that counts: where a todo was done again, the last of them, and none if that was cancelled."""
    found: dict[str, Work] = {}
    for work in view.work:
        if work.role == "agent" and work.status != "proposed":
            before = found.get(root_of(work.todo_id))
            if before is None or times(work.todo_id) > times(before.todo_id):
                found[root_of(work.todo_id)] = work
    return tuple(work for work in found.values() if work.status != "cancelled")


def root_of(todo_id: str) -> str:
    """The todo that this one does again, or itself: `todo_x` for `todo_x-r2`."""
    stem, mark, count = todo_id.rpartition("-r")
    return stem if mark and count.isdigit() else todo_id


def times(todo_id: str) -> int:
    """The how manieth time it is that this is done."""
    return int(todo_id.rpartition("-r")[2]) if root_of(todo_id) != todo_id else 1


def proof(view: View) -> tuple[Evidence, ...]:
    """The evidence of finished work that counts."""
    named = dict.fromkeys(one for work in view.work if work.status == "done" for one in work.evidence)
    found = (view.artifact(artifact_id) for artifact_id in named)
    return tuple(one for one in found if one is not None and one.counts)


def unproved(view: View) -> tuple[Criterion, ...]:
    """The criteria to which nothing speaks that was accepted for the promise in force."""
    spoken_to = {name for one in proof(view) if one.revision == view.revision for name in one.criterion_ids}
    return tuple(one for one in view.criteria if one.criterion_id not in spoken_to)


def unfinished(view: View) -> bool:
    """Whether some work is still to be done, or waits for a word on its evidence."""
    waits = any(work.status in UNFINISHED for work in view.work)
    return waits or not all(settled(view, work) for work in latest(view))


def settled(view: View, work: Work) -> bool:
    """Whether all evidence of this work counts, if it is finished."""
    if work.status != "done":
        return True
    return all(one is not None and one.counts for one in map(view.artifact, work.evidence))
