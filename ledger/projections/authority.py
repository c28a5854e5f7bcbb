"""Reads about rights: credentials without their secrets, what was granted to agents, and what was delegated."""

from collections.abc import Callable
from typing import cast

from ledger.ids import GoalId, TodoId
from ledger.params import Params
from ledger.parts.authority import MemberGrant
from ledger.parts.handoffs import Delegation
from ledger.records import Token
from ledger.refusals import Refusal
from ledger.rules import handoff_params, member_grants, tokens
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]


def _list_tokens(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    """All credentials for those who administer; an agent sees its own."""
    wanted = cast("tokens.ListTokens", asked).member_id
    found = [
        _token(token, now_ms)
        for token in workspace.tokens.values()
        if wanted in {None, token.member_id} and (caller.kind != "agent" or token.member_id == caller.member_id)
    ]
    return {"schema_version": "frontstage_token_list_v1", "tokens": found, "total": len(found)}


def _token(token: Token, now_ms: int) -> Document:
    over = token.expires_at_ms is not None and now_ms >= token.expires_at_ms
    return {
        "token_id": token.token_id,
        "member_id": token.member_id,
        "status": "revoked" if token.revoked else "expired" if over else "active",
        "expires_at": rfc3339_or_none(token.expires_at_ms),
        "actions": list(token.actions),
        "goal_ids": list(token.goal_ids),
    }


def _list_grants(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    wanted = cast("member_grants.ListGrants", asked).member_id
    grants = workspace.authority.grants.values()
    found = [_grant(grant, now_ms) for grant in grants if wanted in {None, grant.member_id}]
    return {"schema_version": "frontstage_grant_list_v1", "grants": found, "total": len(found)}


def _grant(grant: MemberGrant, now_ms: int) -> Document:
    over = grant.ended or (grant.until_ms is not None and now_ms >= grant.until_ms)
    return {
        "grant_id": grant.grant_id,
        "member_id": grant.member_id,
        "status": "ended" if over else "in_force",
        "goal_ids": list(grant.goal_ids),
        "action_kinds": list(grant.action_kinds),
        "write_scopes": list(grant.write_scopes),
        "capabilities": list(grant.capabilities),
        "until": rfc3339_or_none(grant.until_ms),
        "granted_by": grant.granted_by,
        "seq": grant.seq,
    }


def _list_delegations(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    goal_id = cast("handoff_params.ListDelegations", asked).goal_id
    goal = workspace.goals.get(GoalId(goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=goal_id)
    found = [_delegation(one, now_ms) for one in goal.handoffs.delegations.values()]
    return {
        "schema_version": "frontstage_delegation_list_v1",
        "goal_id": goal.goal_id,
        "delegations": found,
        "total": len(found),
    }


def _delegation(one: Delegation, now_ms: int) -> Document:
    return {
        "grant_id": one.grant_id,
        "agent_id": one.agent_id,
        "on_behalf_of": one.on_behalf_of,
        "actions": list(one.actions),
        "todo_ids": list(one.todo_ids),
        "action_kinds": list(one.action_kinds),
        "status": "ended" if now_ms >= one.until_ms else "in_force",
        "until": rfc3339(one.until_ms),
        "granted_by": one.granted_by,
        "reason": one.reason,
        "seq": one.seq,
    }


def handoff_document(goal: Goal, todo_id: TodoId) -> Document | None:
    """What was left for whoever goes on with a todo, as a list of todos shows it."""
    note = goal.handoffs.notes.get(todo_id)
    if note is None:
        return None
    return {
        "from_agent": note.from_agent,
        "to_agent": note.to_agent,
        "adopted_by": note.adopted_by,
        "context": note.context,
        "remaining_work": note.remaining_work,
        "artifact_ids": list(note.artifact_ids),
        "at": rfc3339(note.at_ms),
        "seq": note.seq,
    }


def resume_when(goal: Goal, todo_id: TodoId) -> str | None:
    """What a todo that was put off waits for, as it would be asked."""
    deferral = goal.handoffs.deferrals.get(todo_id)
    if deferral is None:
        return None
    match deferral.condition:
        case "time":
            return f"time:{rfc3339_or_none(deferral.due_ms)}"
        case "capability":
            return f"capability_available:{deferral.reference}"
        case "report":
            return f"pr_merged:{deferral.reference}"
        case condition:
            return f"{condition}:{deferral.reference}"


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {
    "token.list": _list_tokens,
    "member.grants": _list_grants,
    "todo.delegations": _list_delegations,
}
"""By the name of the action."""
