"""The documents of amendments: what one changes, what has moved since, and the basis to decide on it by."""

from collections.abc import Callable
from itertools import islice
from typing import cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.parts.amendments import Amendment
from ledger.projections.amendment_cards import amendment_view
from ledger.refusals import Refusal
from ledger.rules import amendment_params
from ledger.rules.amendment_graph import needs_rebase
from ledger.rules.amendments import AmendmentRefusal, amendment_basis
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
Reader = Callable[[Workspace, Caller, Params, int], Document | Refusal]


def _show(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("amendment_params.ShowAmendment", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    amendment = goal.amendments.by_id.get(ask.amendment_id)
    if amendment is None:
        return refuse(AmendmentRefusal.AMENDMENT_NOT_FOUND, amendment_id=ask.amendment_id)
    return {
        "schema_version": "frontstage_amendment_v1",
        **_row(goal, amendment, now_ms),
        "basis": amendment_basis(goal, amendment) if amendment.status == "open" else amendment.basis,
        "moved": needs_rebase(goal, amendment, now_ms),
        "digest": amendment.digest,
        "operations": _operations(amendment),
        "dispositions": [
            {"todo_id": one.todo_id, "choice": one.choice, "agent_id": one.agent_id} for one in amendment.dispositions
        ],
        "held": [todo_id for todo_id, hold in goal.amendments.held.items() if hold.amendment_id == ask.amendment_id],
        "why": amendment.why,
        "reason": amendment.reason,
        "view": amendment_view(workspace, goal, amendment, now_ms),
    }


def _operations(amendment: Amendment) -> list[Document]:
    together = zip(amendment.operations, amendment.titles, amendment.acceptances, strict=True)
    return [
        {
            "op": one.op,
            "todo_id": one.todo_id,
            "title": title,
            "acceptance": acceptance,
            "priority": one.priority,
            "depends_on": None if one.depends_on is None else list(one.depends_on),
            "agent": one.agent,
            "write_scopes": None if one.write_scopes is None else list(one.write_scopes),
            "capabilities": list(one.capabilities),
        }
        for one, title, acceptance in together
    ]


def _row(goal: Goal, amendment: Amendment, now_ms: int) -> Document:
    return {
        "goal_id": goal.goal_id,
        "amendment_id": amendment.amendment_id,
        "amendment_class": amendment.amendment_class,
        "status": "needs_rebase" if needs_rebase(goal, amendment, now_ms) else amendment.status,
        "operations_total": len(amendment.operations),
        "gate_id": amendment.gate_id,
        "submitted_by": amendment.submitted_by,
        "submitted_at": rfc3339(amendment.at_ms),
        "decided_by": amendment.decided_by,
        "decided_at": rfc3339_or_none(amendment.decided_at_ms),
        "seq": amendment.seq,
    }


def _list(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("amendment_params.ListAmendments", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    newest = islice(reversed(goal.amendments.by_id.values()), ask.limit)
    return {
        "schema_version": "frontstage_amendment_list_v1",
        "goal_id": goal.goal_id,
        "amendments": [_row(goal, amendment, now_ms) for amendment in newest],
        "total": len(goal.amendments.by_id),
    }


READERS: dict[str, Reader] = {"amendment.show": _show, "amendment.list": _list}
