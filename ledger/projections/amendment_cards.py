"""An amendment as it is put before those who decide on it: before and after, work in hand, and what has moved.

What was there before is what the amendment saw. A new title or acceptance is compared with what the todo says now,
which is only before the change as long as the change was not made.
"""

from ledger.ids import MemberId
from ledger.parts.amendments import Amendment, Operation, SeenTodo
from ledger.projections.amendment_views import (
    AmendmentStatusName,
    AmendmentView,
    ChangeView,
    DispositionView,
    MovedView,
    OperationView,
)
from ledger.projections.causes import Cause, DecisionView
from ledger.projections.channel import cause_of
from ledger.projections.holds import name_of, names_of
from ledger.records import CLOSED
from ledger.rules.amendment_graph import cannot, needs_rebase
from ledger.rules.amendments import amendment_basis, gate_approved
from ledger.rules.common import owners_of
from ledger.state import Goal, Workspace


def amendment_view(workspace: Workspace, goal: Goal, amendment: Amendment, now_ms: int) -> AmendmentView:
    """An amendment as it is now."""
    moved = tuple(_moved(row) for row in needs_rebase(goal, amendment, now_ms))
    status = _status(goal, amendment, moved=bool(moved))
    is_open = status in {"open", "needs_rebase"}
    return AmendmentView(
        amendment_id=amendment.amendment_id,
        amendment_class=amendment.amendment_class,
        status=status,
        why=amendment.why,
        operations=tuple(
            _operation(workspace, goal, amendment, one, number) for number, one in enumerate(amendment.operations)
        ),
        dispositions=tuple(
            DispositionView(todo_id=one.todo_id, choice=one.choice, agent=name_of(workspace, one.agent_id))
            for one in amendment.dispositions
        ),
        moved=moved if is_open else (),
        waits_for_gate=is_open and waits_for_gate(goal, amendment),
        gate_id=amendment.gate_id,
        rebased_seq=amendment.rebased_seq,
        people=names_of(workspace, _people(workspace, goal, amendment, status)),
        submitted_by=name_of(workspace, amendment.submitted_by),
        basis=amendment_basis(goal, amendment) if is_open else "",
        decision=_decision(workspace, amendment),
        cause=_cause(workspace, goal, amendment, status),
    )


def waits_for_gate(goal: Goal, amendment: Amendment) -> bool:
    """Whether its gate must be approved before an owner can commit it."""
    return amendment.amendment_class == "protected_authority" and not gate_approved(goal, amendment)


def may_be_committed(workspace: Workspace, goal: Goal, amendment: Amendment, now_ms: int) -> bool:
    """Whether an owner who commits it now changes something."""
    if amendment.status != "open" or goal.state in CLOSED or goal.state == "delivered" or not goal.confirmed:
        return False
    if waits_for_gate(goal, amendment) or needs_rebase(goal, amendment, now_ms):
        return False
    return cannot(workspace, goal, amendment.amendment_class, amendment.operations) is None


def _status(goal: Goal, amendment: Amendment, *, moved: bool) -> AmendmentStatusName:
    if amendment.status != "open":
        return amendment.status
    if goal.state in CLOSED:
        return "ended"
    return "needs_rebase" if moved else "open"


def _people(
    workspace: Workspace, goal: Goal, amendment: Amendment, status: AmendmentStatusName
) -> tuple[MemberId, ...]:
    match status:
        case "needs_rebase":
            return (amendment.submitted_by,)
        case "open":
            return owners_of(goal, workspace)
        case _:
            return ()


def _operation(workspace: Workspace, goal: Goal, amendment: Amendment, one: Operation, number: int) -> OperationView:
    todo = goal.todos.get(one.todo_id)
    words = {"title": amendment.titles[number], "acceptance": amendment.acceptances[number]}
    then = None
    if todo is not None and amendment.status == "open" and one.op != "add":
        then = {"title": todo.title, "acceptance": todo.acceptance}
    seen = next((row for row in amendment.seen.todos if row.todo_id == one.todo_id), None)
    changes = [*_values(workspace, one, seen)]
    for name, becomes in words.items():
        if becomes is not None and (name == "acceptance" or one.op != "add"):
            was = None if then is None else _some(then[name])
            changes.append(ChangeView(name=name, was=was, becomes=_some(becomes)))
    title = words["title"] if one.op == "add" else None if todo is None else todo.title
    return OperationView(op=one.op, todo_id=one.todo_id, title=title or "", changes=tuple(changes))


def _values(workspace: Workspace, one: Operation, seen: SeenTodo | None) -> list[ChangeView]:
    """What it says of anything but words."""
    rows: list[ChangeView] = []
    if one.priority is not None:
        was = None if seen is None else (seen.priority,)
        rows.append(ChangeView(name="priority", was=was, becomes=(one.priority,)))
    if one.op == "rebind" or one.agent is not None:
        held = None if seen is None else _agent(workspace, seen.bound_agent)
        rows.append(ChangeView(name="agent", was=held, becomes=_agent(workspace, one.agent)))
    if one.depends_on is not None:
        before = None if seen is None else seen.depends_on
        rows.append(ChangeView(name="depends_on", was=before, becomes=one.depends_on))
    if one.write_scopes is not None:
        scopes = None if seen is None else seen.write_scopes
        rows.append(ChangeView(name="write_scopes", was=scopes, becomes=one.write_scopes))
    if one.capabilities:
        rows.append(ChangeView(name="capabilities", was=None, becomes=one.capabilities))
    return rows


def _agent(workspace: Workspace, agent_id: MemberId | None) -> tuple[str, ...]:
    return () if agent_id is None else (name_of(workspace, agent_id),)


def _some(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _moved(row: dict[str, object]) -> MovedView:
    return MovedView(
        todo_id=str(row.get("todo_id") or ""),
        name=str(row["field"]),
        was=_told(row["was"]),
        becomes=_told(row["now"]),
    )


def _told(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return () if value is None or value is False else (str(value),)


def _decision(workspace: Workspace, amendment: Amendment) -> DecisionView | None:
    if amendment.decided_by is None or amendment.decided_at_ms is None:
        return None
    return DecisionView(
        outcome=amendment.status,
        by_name=name_of(workspace, amendment.decided_by),
        at_ms=amendment.decided_at_ms,
        reason=amendment.reason,
    )


def _cause(workspace: Workspace, goal: Goal, amendment: Amendment, status: AmendmentStatusName) -> Cause:
    """The event that made the status true; the hash is left out where the state does not keep it."""
    seq, kind, actor, at_ms = amendment.seq, "amendment.submitted", amendment.submitted_by, amendment.at_ms
    short_hash = "" if amendment.rebased_seq else amendment.digest[:8]
    if status == "ended":
        note = cause_of(goal)
        seq, kind, actor, at_ms, short_hash = note.seq, note.kind, note.actor, note.at_ms, note.short_hash
    elif amendment.decided_by is not None and amendment.decided_at_ms is not None:
        seq, kind, short_hash = amendment.decided_seq, f"amendment.{amendment.status}", ""
        actor, at_ms = amendment.decided_by, amendment.decided_at_ms
    return Cause(
        seq=seq, kind=kind, actor_id=actor, actor_name=name_of(workspace, actor), at_ms=at_ms, short_hash=short_hash
    )
