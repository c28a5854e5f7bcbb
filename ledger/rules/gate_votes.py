"""Deciding a gate: who may, on what they saw, and what their word does.

A yes counts once for each approver, and reaches the quorum or is recorded as one of so many. One no is enough: a gate
exists because somebody has to agree. A delegate's vote fills the approver's seat, and both names are written down.
"""

from typing import Literal

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.parts.gates import Gate
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, next_seq, refuse, registered
from ledger.rules.gate_events import (
    GateApproved,
    GateDeferred,
    GateReasonWords,
    GateRefused,
    GateVoteRecorded,
)
from ledger.rules.gate_params import ApproveGate, CancelGate, DeferGate, RejectGate
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.gate_scopes import BEYOND_GOAL, BROAD, covers, parsed
from ledger.rules.gate_step_up import not_stepped_up
from ledger.rules.gates import approvers_left, counted, gate_basis
from ledger.rules.grant_events import GrantRecorded
from ledger.state import Goal, Workspace

_Ask = ApproveGate | RejectGate | CancelGate | DeferGate


def decide_approve(workspace: Workspace, caller: Caller, ask: ApproveGate, now_ms: int) -> Decision:
    """One approver's yes; the one that reaches the quorum opens the gate, for exactly what it covers."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    found = _to_decide(workspace, goal, caller, ask, now_ms)
    if isinstance(found, Refusal):
        return found
    gate, seat = found
    if gate.policy.step_up and (broken := not_stepped_up(workspace, caller, gate, given=ask.code)) is not None:
        return broken
    votes, quorum = counted(workspace, gate), gate.policy.quorum
    mine = next((vote for vote in gate.votes if vote.seat == seat), None)
    if mine is not None and registered(workspace, mine.voter) is not None:
        recorded: dict[str, object] = {"outcome": "gate_vote_recorded", "votes": votes, "quorum": quorum}
        return Held(seq=mine.seq, facts={"gate_id": gate.gate_id, "generation": gate.generation, **recorded})
    words = _words(ask.reason)
    if votes + 1 < quorum:
        voted = GateVoteRecorded(
            gate_id=gate.gate_id, generation=gate.generation, seat=seat, votes=votes + 1, quorum=quorum
        )
        return (Draft(facts=voted, words=words, goal_id=goal.goal_id),)
    approved = GateApproved(
        gate_id=gate.gate_id,
        generation=gate.generation,
        seat=seat,
        votes=votes + 1,
        quorum=quorum,
        covers=_covered(goal, gate),
    )
    return (
        Draft(facts=approved, words=words, goal_id=goal.goal_id),
        *standing_draft(workspace, goal, gate, "approved"),
    )


def decide_reject(workspace: Workspace, caller: Caller, ask: RejectGate, now_ms: int) -> Decision:
    """One approver's no; it stands until a later gate on the same matter is approved."""
    return _refused(workspace, caller, ask, "rejected", now_ms)


def decide_cancel(workspace: Workspace, caller: Caller, ask: CancelGate, now_ms: int) -> Decision:
    """The question is not answered and not asked again; that is no yes."""
    return _refused(workspace, caller, ask, "cancelled", now_ms)


def decide_defer(workspace: Workspace, caller: Caller, ask: DeferGate, now_ms: int) -> Decision:
    """Not now: it goes on blocking, and may be decided at any time."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    found = _to_decide(workspace, goal, caller, ask, now_ms)
    if isinstance(found, Refusal):
        return found
    gate, seat = found
    later = None if ask.remind_in_seconds is None else now_ms + ask.remind_in_seconds * 1_000
    if gate.status == "deferred" and later is None:
        return Held(seq=goal.last_seq, facts={"gate_id": gate.gate_id, "generation": gate.generation})
    facts = GateDeferred(gate_id=gate.gate_id, generation=gate.generation, seat=seat, remind_at_ms=later)
    return (Draft(facts=facts, words=_words(ask.reason), goal_id=goal.goal_id),)


def standing_draft(
    workspace: Workspace, goal: Goal, gate: Gate, verdict: Literal["approved", "denied"]
) -> tuple[Draft, ...]:
    """What a decision on a broad scope without a target means for every need like it."""
    scope = None if gate.decision_scope is None else parsed(gate.decision_scope)
    if scope is None or scope.granularity not in BROAD or gate.blocked_todo_ids or gate.blocks_goal:
        return ()
    facts = GrantRecorded(
        grant_id=f"standing_{next_seq(workspace, 1):06d}",
        gate_id=gate.gate_id,
        from_goal=goal.goal_id,
        goal_id=None if scope.granularity in BEYOND_GOAL else goal.goal_id,
        decision_scope=gate.decision_scope or "",
        verdict=verdict,
    )
    return (Draft(facts=facts),)


def found_gate(goal: Goal, gate_id: str) -> Gate | Refusal:
    """The gate, or that there is none."""
    return goal.gates.by_id.get(gate_id) or refuse(GateRefusal.GATE_NOT_FOUND, gate_id=gate_id)


def resolved(gate: Gate) -> Refusal:
    """Who decided it already, when, and how."""
    code = GateRefusal.GATE_EXPIRED if gate.status == "expired" else GateRefusal.GATE_ALREADY_RESOLVED
    return refuse(
        code,
        gate_id=gate.gate_id,
        status=gate.status,
        resolved_by=gate.resolved_by,
        on_behalf_of=gate.resolved_for,
        resolved_at_ms=gate.resolved_at_ms,
        seq=gate.resolved_seq,
    )


def seat_of(workspace: Workspace, gate: Gate, member_id: MemberId, now_ms: int) -> MemberId | None:
    """The approver whose vote this person gives: their own, or that of whoever they stand in for now.

    Whoever opened the gate has no vote that another could give.
    """
    if member_id in gate.policy.approvers:
        return member_id
    for one in gate.delegates:
        if one.seat == gate.opened_by:
            continue
        if one.delegate == member_id and now_ms < one.until_ms and registered(workspace, one.seat) is not None:
            return one.seat
    return None


def _to_decide(
    workspace: Workspace, goal: Goal, caller: Caller, ask: _Ask, now_ms: int
) -> tuple[Gate, MemberId] | Refusal:
    """The gate and the seat, if this caller may decide it now on what they saw; first failure wins."""
    gate = found_gate(goal, ask.gate_id)
    if isinstance(gate, Refusal):
        return gate
    if caller.member_id == gate.opened_by:
        return refuse(GateRefusal.GATE_PROPOSER_EXCLUDED, gate_id=gate.gate_id)
    seat = seat_of(workspace, gate, caller.member_id, now_ms)
    if seat is None:
        left = approvers_left(workspace, gate) or None
        return refuse(GateRefusal.NOT_AN_APPROVER, gate_id=gate.gate_id, approvers=left)
    if goal.state in CLOSED:
        return refuse(GateRefusal.GOAL_CLOSED, state=goal.state)
    if not gate.is_open:
        return resolved(gate)
    ends = gate.policy.expires_at_ms
    if gate.policy.on_expiry == "deny" and ends is not None and ends <= now_ms:
        # Not yet written down by the sweep; a yes that comes too late is one all the same.
        return refuse(GateRefusal.GATE_EXPIRED, gate_id=gate.gate_id, status="expired", resolved_at_ms=ends)
    basis = gate_basis(goal, gate)
    if ask.basis is None:
        return refuse(GateRefusal.BASIS_REQUIRED, basis=basis)
    if ask.basis != basis:
        return refuse(GateRefusal.GATE_STALE, gate_id=gate.gate_id, generation=gate.generation, basis=basis)
    return gate, seat


def _refused(
    workspace: Workspace,
    caller: Caller,
    ask: RejectGate | CancelGate,
    status: Literal["rejected", "cancelled"],
    now_ms: int,
) -> Decision:
    goal = workspace.goals[GoalId(ask.goal_id)]
    found = _to_decide(workspace, goal, caller, ask, now_ms)
    if isinstance(found, Refusal):
        return found
    gate, seat = found
    facts = GateRefused(gate_id=gate.gate_id, generation=gate.generation, seat=seat, status=status)
    return (
        Draft(facts=facts, words=_words(ask.reason), goal_id=goal.goal_id),
        *standing_draft(workspace, goal, gate, "denied"),
    )


def _covered(goal: Goal, gate: Gate) -> tuple[str, ...]:
    """The needs of the named work that this gate decides."""
    needs = dict.fromkeys(
        need
        for todo_id in gate.blocked_todo_ids
        for need in goal.todos[TodoId(todo_id)].required_decision_scopes
        if gate.decision_scope is not None and covers(gate.decision_scope, need)
    )
    return tuple(needs)


def _words(text: str) -> GateReasonWords | None:
    return GateReasonWords(reason=text) if text else None
