"""Opening a gate: what it holds up is said exactly, and its policy can be met by somebody, or it is refused."""

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.parts.gates import Gate, GatePolicy
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.common import (
    Caller,
    Decision,
    granted,
    is_owner,
    next_seq,
    owners_of,
    refuse,
    registered,
    todo_ids,
)
from ledger.rules.gate_events import GateLifted, GateOpened, GateWords
from ledger.rules.gate_params import OpenGate
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.gate_scopes import BEYOND_GOAL, BROAD, covers, parsed
from ledger.rules.gate_strength import stronger_before
from ledger.rules.gate_votes import resolved
from ledger.state import Goal, Workspace

GATES_MAX = 2_000
"""Gates of one goal; a goal that asks more often than this asks the wrong questions."""
STEWARD = "steward"


def decide_open(workspace: Workspace, caller: Caller, ask: OpenGate, now_ms: int) -> Decision:
    """Put a question before people. Nothing is opened that holds up more than it says, or that nobody could answer."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := may_open(workspace, goal, caller) or _room(workspace, goal, caller, ask)) is not None:
        return broken
    blocks_goal = ask.blocks_goal
    if not ask.blocks_todo and ask.decision_scope is None and not blocks_goal:
        agents = _agents(workspace, goal)
        if len(agents) > 1:
            return refuse(GateRefusal.GATE_UNSCOPED, agents=agents)
        blocks_goal = True
    if (broken := _target(workspace, goal, caller, ask)) is not None:
        return broken
    approvers = tuple(dict.fromkeys(MemberId(one) for one in ask.approver)) or _usual(workspace, goal, ask)
    if (broken := _deciders(workspace, goal, caller, ask, approvers)) is not None:
        return broken
    if ask.on_expiry != "wait" and ask.expires_in_seconds is None:
        return refuse(GateRefusal.EXPIRY_REQUIRED, on_expiry=ask.on_expiry)
    if ask.supersedes is not None and not goal.gates.by_id[ask.supersedes].is_open:
        return resolved(goal.gates.by_id[ask.supersedes])
    policy = _policy(ask, approvers, now_ms)
    before = stronger_before(workspace, goal, caller.member_id, ask, policy, blocks_goal=blocks_goal)
    if before is not None:
        return _too_weak(before)
    gate_id = ask.gate_id or f"gate_{next_seq(workspace):06d}"
    facts = GateOpened(
        gate_id=gate_id,
        kind=ask.kind,
        severity=ask.severity,
        blocked_todo_ids=todo_ids(tuple(dict.fromkeys(ask.blocks_todo))),
        blocks_goal=blocks_goal,
        decision_scope=ask.decision_scope,
        evidence_digest=ask.evidence_digest,
        policy=policy,
    )
    words = GateWords(question=ask.question, options=ask.option, default=ask.default or "")
    opened = Draft(facts=facts, words=words, goal_id=goal.goal_id)
    if ask.supersedes is None:
        return (opened,)
    lifted = GateLifted(gate_id=ask.supersedes, status="superseded", by_gate=gate_id)
    return (Draft(facts=lifted, goal_id=goal.goal_id), opened)


def _too_weak(before: Gate) -> Refusal:
    """What the gate before asks for, and a later one on the same matter too."""
    return refuse(
        GateRefusal.GATE_TOO_WEAK,
        gate_id=before.gate_id,
        status=before.status,
        quorum=before.policy.quorum,
        approvers=list(before.policy.approvers),
        severity=before.severity,
        step_up=before.policy.step_up,
    )


def may_open(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    """Agents of the goal ask, and the people who have a part in it."""
    member = registered(workspace, caller.member_id)
    assert member is not None, "who asks is a member: that was looked at before any family speaks"
    if member.kind == "agent":
        return None if granted(member, goal.goal_id) else refuse(GateRefusal.GOAL_NOT_GRANTED)
    part = caller.member_id == goal.proposed_by or caller.member_id in goal.intent.approvers
    return None if part or is_owner(goal, caller.member_id, workspace) else refuse(GateRefusal.NOT_AN_OWNER)


def _room(workspace: Workspace, goal: Goal, caller: Caller, ask: OpenGate) -> Refusal | None:
    if ask.supersedes is not None:
        before = goal.gates.by_id.get(ask.supersedes)
        if before is None:
            return refuse(GateRefusal.GATE_NOT_FOUND, gate_id=ask.supersedes)
        if before.opened_by != caller.member_id and not is_owner(goal, caller.member_id, workspace):
            return refuse(GateRefusal.GATE_NOT_YOURS, gate_id=ask.supersedes, opened_by=before.opened_by)
    if goal.state in CLOSED:
        return refuse(GateRefusal.GOAL_CLOSED, state=goal.state)
    if ask.gate_id is not None and ask.gate_id in goal.gates.by_id:
        return refuse(GateRefusal.GATE_EXISTS, gate_id=ask.gate_id)
    if len(goal.gates.by_id) >= GATES_MAX:
        return refuse(GateRefusal.TOO_MANY_GATES, limit=GATES_MAX)
    return None


def _target(workspace: Workspace, goal: Goal, caller: Caller, ask: OpenGate) -> Refusal | None:
    """What it holds up exists, is said in one way, and is not somebody else's work."""
    member = workspace.members[caller.member_id]
    for text in ask.blocks_todo:
        todo = goal.todos.get(TodoId(text))
        if todo is None:
            return refuse(GateRefusal.TODO_NOT_FOUND, todo_id=text)
        another = todo.claimed_by not in {None, caller.member_id}
        if another and member.kind == "agent" and member.profile_role != STEWARD:
            return refuse(GateRefusal.CLAIM_OWNER_MISMATCH, todo_id=text, claimed_by=todo.claimed_by)
    if ask.blocks_goal and ask.blocks_todo:
        return refuse(GateRefusal.GATE_TARGET_AMBIGUOUS)
    scope = None if ask.decision_scope is None else parsed(ask.decision_scope)
    if scope is None:
        return None
    if not ask.blocks_todo and not ask.blocks_goal and scope.granularity not in BROAD:
        return refuse(GateRefusal.GATE_TARGET_REQUIRED, decision_scope=ask.decision_scope)
    for text in ask.blocks_todo:
        needs = goal.todos[TodoId(text)].required_decision_scopes
        if needs and not any(covers(ask.decision_scope or "", need) for need in needs):
            return refuse(GateRefusal.DECISION_SCOPE_MISMATCH, todo_id=text, needs=list(needs))
    return None


def _usual(workspace: Workspace, goal: Goal, ask: OpenGate) -> tuple[MemberId, ...]:
    """Who decides where nobody is named: the goal's approvers, or its owners where it has none."""
    if _beyond(ask):
        return _workspace_owners(workspace)
    named = tuple(one for one in goal.intent.approvers if registered(workspace, one) is not None)
    return named or owners_of(goal, workspace)


def _deciders(
    workspace: Workspace, goal: Goal, caller: Caller, ask: OpenGate, approvers: tuple[MemberId, ...]
) -> Refusal | None:
    entitled = {*goal.intent.approvers, *owners_of(goal, workspace), *_workspace_deciders(workspace)}
    for approver in approvers:
        member = registered(workspace, approver)
        if member is None or member.kind != "person":
            return refuse(GateRefusal.APPROVER_UNKNOWN, member_id=approver)
        if approver not in entitled and not is_owner(goal, caller.member_id, workspace):
            return refuse(GateRefusal.APPROVER_NOT_ENTITLED, member_id=approver)
        if _beyond(ask) and "owner" not in member.roles:
            return refuse(GateRefusal.SCOPE_BEYOND_APPROVERS, member_id=approver, decision_scope=ask.decision_scope)
    able = sum(approver != caller.member_id for approver in approvers)
    if able < ask.quorum:
        return refuse(GateRefusal.QUORUM_UNREACHABLE, quorum=ask.quorum, able=able)
    return None


def _policy(ask: OpenGate, approvers: tuple[MemberId, ...], now_ms: int) -> GatePolicy:
    every = ask.remind_every_seconds
    return GatePolicy(
        approvers=approvers,
        quorum=ask.quorum,
        exclude_proposer=True,
        delegable=not ask.not_delegable,
        expires_at_ms=None if ask.expires_in_seconds is None else now_ms + ask.expires_in_seconds * 1_000,
        on_expiry=ask.on_expiry,
        remind_every_ms=None if every is None else every * 1_000,
        step_up=ask.step_up or ask.severity == "critical",
    )


def _beyond(ask: OpenGate) -> bool:
    """Whether a yes would hold in other goals too."""
    scope = None if ask.decision_scope is None else parsed(ask.decision_scope)
    return scope is not None and scope.granularity in BEYOND_GOAL and not ask.blocks_todo and not ask.blocks_goal


def _agents(workspace: Workspace, goal: Goal) -> list[MemberId]:
    return [
        one.member_id
        for one in workspace.members.values()
        if one.kind == "agent" and not one.revoked and granted(one, goal.goal_id)
    ]


def _workspace_owners(workspace: Workspace) -> tuple[MemberId, ...]:
    return tuple(one.member_id for one in workspace.members.values() if "owner" in one.roles and not one.revoked)


def _workspace_deciders(workspace: Workspace) -> frozenset[MemberId]:
    roles = {"owner", "approver"}
    return frozenset(one.member_id for one in workspace.members.values() if roles & set(one.roles) and not one.revoked)
