"""What may be done about a goal now, by whom, and the line that does it with the basis filled in.

The step that the projection names comes first. The others follow from what stands before somebody: a revision, a
delivery, a plan, an amendment, a gate, a proposal. None of them is done here: they are lines to copy.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from daemon.web.lines import line
from ledger.text.pieces import Doc, as_list, as_map, rows_of

LEASE_KEY, LEASE_VERSION = "task_lease_idempotency_key", "task_lease_expected_version"
EACH_MAX = 4
"""Plans, amendments, gates and proposals each, with lines of their own."""


class Act(NamedTuple):
    """One action that somebody may take now."""

    action: str
    by: str
    members: tuple[str, ...]
    about: str
    """The id of what it is about; empty where that is the goal."""
    line: str


class Waiting(NamedTuple):
    """What waits beside the goal itself: the documents of open plans, amendments and gates."""

    plans: list[Doc]
    amendments: list[Doc]
    gates: list[Doc]


def next_line(goal: Doc) -> str | None:
    """The line of the next safe action, where that is an action."""
    step = as_map(goal.get("next_safe_action"))
    action = step.get("action")
    if not isinstance(action, str):
        return None
    subject = as_map(step.get("subject"))
    asked = subject.get("field")
    known: dict[str, object] = {**subject, "basis": step.get("basis")}
    more: tuple[str, ...] = ()
    if action == "todo.complete" and (lease := _lease_on(goal, subject.get("todo_id"))) is not None:
        # Completing under a lease needs its key, which nobody but its holder is told, and its version.
        known[LEASE_VERSION], more = lease.get("version"), (LEASE_KEY, LEASE_VERSION)
    return line(action, known, None if asked is None else str(asked), more)


def _lease_on(goal: Doc, todo_id: object) -> Doc | None:
    held = (row for row in rows_of(goal, "active_leases") if row.get("kind") == "hard_lease")
    return next((row for row in held if row.get("todo_id") == todo_id), None)


def acts_of(goal: Doc, waiting: Waiting) -> list[Act]:
    """Everything that may be done now, the next safe action first; no line stands twice."""
    found: dict[str, Act] = {}
    for act in (*_next(goal), *_owners(goal), *_beside(str(goal.get("goal_id")), goal, waiting)):
        found.setdefault(act.line, act)
    return list(found.values())


def _next(goal: Doc) -> Iterator[Act]:
    step, told = as_map(goal.get("next_safe_action")), next_line(goal)
    if told is not None:
        members = tuple(str(one) for one in as_list(step.get("members")))
        subject = as_map(step.get("subject"))
        about = str(subject.get("todo_id") or subject.get("gate_id") or "")
        yield Act(str(step.get("action")), str(step.get("by")), members, about, told)


def _owners(goal: Doc) -> Iterator[Act]:
    """What the state of the goal lets its owners do."""
    basis, state = as_map(goal.get("basis")), goal.get("state")
    known = {"goal_id": goal.get("goal_id")}
    if (confirm := basis.get("confirm")) is not None:
        for action in ("goal.confirm", "goal.decline"):
            yield _owners_act(action, {**known, "basis": confirm})
    if (accept := basis.get("accept")) is not None:
        for action in ("goal.accept", "goal.request-changes"):
            yield _owners_act(action, {**known, "basis": accept})
    question = as_map(as_map(goal.get("view")).get("question")).get("question_id")
    if question is not None:
        yield _owners_act("goal.clarify", {**known, "question_id": question})
    at = {**known, "basis": basis.get("state")}
    if state in {"active", "changes_requested"}:
        yield _owners_act("goal.pause", at)
    if state == "paused":
        yield _owners_act("goal.resume", at)
    if state in {"active", "changes_requested", "paused", "delivered"}:
        yield _owners_act("goal.stop", at)


def _owners_act(action: str, known: Mapping[str, object]) -> Act:
    return Act(action, "owner", (), "", line(action, known))


def _beside(goal_id: str, goal: Doc, waiting: Waiting) -> Iterator[Act]:
    for plan in waiting.plans[:EACH_MAX]:
        yield from _decisions(goal_id, "plan", ("confirm", "reject"), plan, "owner", ())
    for amendment in waiting.amendments[:EACH_MAX]:
        if amendment.get("status") == "open":
            yield from _decisions(goal_id, "amendment", ("commit", "reject"), amendment, "owner", ())
    for gate in waiting.gates[:EACH_MAX]:
        yield from gate_acts(goal_id, gate)
    for row in rows_of(goal, "proposals")[:EACH_MAX]:
        known = {"goal_id": goal_id, "todo_id": row.get("todo_id")}
        yield Act("todo.admit", "owner", (), str(row.get("todo_id")), line("todo.admit", known))


def gate_acts(goal_id: str, gate: Doc) -> list[Act]:
    """The answers that a gate takes, from those it waits for."""
    if gate.get("status") not in {"waiting_on_user", "deferred"}:
        return []
    people = tuple(str(one) for one in as_list(gate.get("waits_for")))
    return list(_decisions(goal_id, "gate", ("approve", "reject", "defer"), gate, "approver", people))


def _decisions(
    goal_id: str, noun: str, verbs: tuple[str, ...], document: Doc, by: str, people: tuple[str, ...]
) -> Iterator[Act]:
    name = f"{noun}_id"
    known = {"goal_id": goal_id, name: document.get(name), "basis": document.get("basis")}
    for verb in verbs:
        yield Act(f"{noun}.{verb}", by, people, str(document.get(name)), line(f"{noun}.{verb}", known))
