"""The documents of requests: the brief, and which of the five facts are true, by whom and since when."""

from collections.abc import Callable
from itertools import islice
from typing import cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.parts.requests import Mark, Request
from ledger.refusals import Refusal
from ledger.rules import request_params
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.material import status_of
from ledger.rules.requests import RequestRefusal
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339

Document = dict[str, object]
Reader = Callable[[Workspace, Caller, Params, int], Document | Refusal]


def _show(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("request_params.ShowRequest", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    request = goal.requests.by_id.get(ask.request_id)
    if request is None:
        return refuse(RequestRefusal.REQUEST_NOT_FOUND, request_id=ask.request_id)
    return {
        "schema_version": "frontstage_request_v1",
        **_row(goal, request),
        "context": request.context,
        "constraints": list(request.constraints),
        "inputs": [
            {"ref": one.ref, "description": one.description, "sha256": one.sha256, "relation": one.relation}
            for one in request.inputs
        ],
        "acceptance": list(request.acceptance),
        "return_requirement": request.return_requirement,
        "children": list(goal.requests.children.get(request.request_id, ())),
        "facts": {
            "received": _mark(request.received),
            "adopted": _mark(request.adopted),
            "committed": _mark(request.committed),
            "returned": None if request.returned is None else _mark(request.returned.mark),
            "delivered": _mark(request.delivered),
        },
        "withdrawn": _mark(request.withdrawn),
        "withdrawn_reason": request.withdrawn_reason,
        "return": _return(request),
    }


def _row(goal: Goal, request: Request) -> Document:
    answered = request.answered
    return {
        "goal_id": goal.goal_id,
        "request_id": request.request_id,
        "status": status_of(request),
        "sender": request.sender,
        "receiver": request.receiver,
        "purpose": request.purpose,
        "sent_at": rfc3339(request.at_ms),
        "parent_id": request.parent_id,
        "blocks_todo_id": request.blocks_todo_id,
        "origin": {"surface": request.origin.surface, "key": request.origin.key},
        "answer": None if answered is None else answered.answer,
        "answer_reason": "" if answered is None else answered.reason,
        "todo_id": request.todo_id,
        "todo_status": None if request.todo_id is None else goal.todos[request.todo_id].status,
        "outcome": None if request.returned is None else request.returned.outcome,
        "seq": request.seq,
    }


def _return(request: Request) -> Document | None:
    found = request.returned
    if found is None:
        return None
    digests = zip(found.artifact_ids, found.digests, strict=True)
    return {
        "outcome": found.outcome,
        "artifacts": [{"artifact_id": artifact_id, "sha256": sha256} for artifact_id, sha256 in digests],
        "summary": found.summary,
        "automatic": found.automatic,
    }


def _mark(mark: Mark | None) -> Document | None:
    return None if mark is None else {"seq": mark.seq, "actor": mark.actor, "at": rfc3339(mark.at_ms)}


def _list(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("request_params.ListRequests", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    wanted = [
        request
        for request in reversed(goal.requests.by_id.values())
        if ask.to in {None, request.receiver}
        and ask.sender in {None, request.sender}
        and (ask.status is None or request.is_open == (ask.status == "open"))
    ]
    return {
        "schema_version": "frontstage_request_list_v1",
        "goal_id": goal.goal_id,
        "requests": [_row(goal, request) for request in islice(wanted, ask.limit)],
        "total": len(wanted),
        "returns_due": len(goal.requests.owed),
    }


READERS: dict[str, Reader] = {"request.list": _list, "request.show": _show}
