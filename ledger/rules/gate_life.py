"""The life of a gate between its opening and its answer: delegation, revision, withdrawal, expiry, reminders.

A gate that escalates asks the owners as well, in a new generation: votes so far are void, so that everybody decides on
one and the same card. After that it keeps waiting; an end without an answer is never a yes.
"""

from msgspec.structs import replace

from ledger.events import Draft
from ledger.ids import GoalId, MemberId
from ledger.parts.gates import Gate
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, is_owner, owners_of, refuse, registered
from ledger.rules.gate_events import (
    GateDelegated,
    GateDelegationEnded,
    GateExpired,
    GateLifted,
    GateReasonWords,
    GateReminded,
    GateRevised,
    GateWords,
)
from ledger.rules.gate_params import (
    DelegateGate,
    ExpireGate,
    RemindGate,
    ReviseGate,
    RevokeGrant,
    WithdrawGate,
)
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.gate_votes import found_gate, resolved, standing_draft
from ledger.rules.gates import approvers_left, is_over
from ledger.rules.grant_events import GrantReasonWords, GrantRevoked
from ledger.state import Goal, Workspace


def decide_delegate(workspace: Workspace, caller: Caller, ask: DelegateGate, now_ms: int) -> Decision:
    """An approver names one person to vote in their place, on this gate and until a moment; or ends that."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    gate = found_gate(goal, ask.gate_id)
    if isinstance(gate, Refusal):
        return gate
    if caller.member_id == gate.opened_by:
        return refuse(GateRefusal.GATE_PROPOSER_EXCLUDED, gate_id=gate.gate_id)
    if caller.member_id not in gate.policy.approvers:
        left = approvers_left(workspace, gate) or None
        return refuse(GateRefusal.NOT_AN_APPROVER, gate_id=gate.gate_id, approvers=left)
    if (broken := _live(goal, gate)) is not None:
        return broken
    present = next((one for one in gate.delegates if one.seat == caller.member_id), None)
    if ask.to is None:
        if present is None:
            return Held(seq=goal.last_seq, facts={"gate_id": gate.gate_id, "seat": caller.member_id})
        ended = GateDelegationEnded(gate_id=gate.gate_id, seat=caller.member_id, delegate=present.delegate)
        return (Draft(facts=ended, goal_id=goal.goal_id),)
    if not gate.policy.delegable:
        return refuse(GateRefusal.GATE_NOT_DELEGABLE, gate_id=gate.gate_id)
    delegate = MemberId(ask.to)
    if not _eligible(workspace, gate, caller.member_id, delegate):
        return refuse(GateRefusal.DELEGATE_NOT_ELIGIBLE, member_id=delegate)
    until_ms = now_ms + ask.for_seconds * 1_000
    facts = GateDelegated(gate_id=gate.gate_id, seat=caller.member_id, delegate=delegate, until_ms=until_ms)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def _eligible(workspace: Workspace, gate: Gate, seat: MemberId, delegate: MemberId) -> bool:
    """A registered person who has no vote on this gate yet: nobody counts twice, and the proposer does not count."""
    member = registered(workspace, delegate)
    if member is None or member.kind != "person" or delegate == gate.opened_by:
        return False
    others = {one.delegate for one in gate.delegates if one.seat != seat}
    voted = {vote.voter for vote in gate.votes if vote.seat != seat}
    return delegate not in gate.policy.approvers and delegate not in others and delegate not in voted


def decide_withdraw(workspace: Workspace, caller: Caller, ask: WithdrawGate, _now_ms: int) -> Decision:
    """Whoever opened it may take it back, and so may an owner; no need is covered by that."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    gate = _own(workspace, goal, caller, ask.gate_id)
    if isinstance(gate, Refusal):
        return gate
    if (broken := _live(goal, gate)) is not None:
        return broken
    words = GateReasonWords(reason=ask.reason) if ask.reason else None
    facts = GateLifted(gate_id=gate.gate_id, status="withdrawn", by_gate=None)
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def decide_revise(workspace: Workspace, caller: Caller, ask: ReviseGate, now_ms: int) -> Decision:
    """New evidence or another question is a new generation: nobody's earlier yes applies to it."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    gate = _own(workspace, goal, caller, ask.gate_id)
    if isinstance(gate, Refusal):
        return gate
    if (broken := _live(goal, gate)) is not None:
        return broken
    if is_over(gate, now_ms) and gate.policy.on_expiry == "deny":
        return refuse(
            GateRefusal.GATE_EXPIRED, gate_id=gate.gate_id, status="expired", resolved_at_ms=gate.policy.expires_at_ms
        )
    if (ask.question, ask.option, ask.evidence_digest, ask.expires_in_seconds) == (None, None, None, None):
        return refuse(GateRefusal.NOTHING_TO_CHANGE)
    asked = replace(
        gate,
        question=ask.question or gate.question,
        options=gate.options if ask.option is None else ask.option,
        evidence_digest=ask.evidence_digest or gate.evidence_digest,
    )
    if asked == gate and ask.expires_in_seconds is None:
        return refuse(GateRefusal.NOTHING_TO_CHANGE)
    ends = gate.policy.expires_at_ms if ask.expires_in_seconds is None else now_ms + ask.expires_in_seconds * 1_000
    facts = GateRevised(
        gate_id=gate.gate_id, generation=gate.generation + 1, evidence_digest=asked.evidence_digest, expires_at_ms=ends
    )
    words = GateWords(question=asked.question, options=asked.options, default=asked.default)
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def decide_revoke_grant(workspace: Workspace, caller: Caller, ask: RevokeGrant, _now_ms: int) -> Decision:
    """An owner of the place a grant holds in takes it back; no earlier one comes back instead."""
    grant = workspace.grants.by_id.get(ask.grant_id)
    if grant is None:
        return refuse(GateRefusal.STANDING_GRANT_NOT_FOUND, grant_id=ask.grant_id)
    if grant.goal_id is None:
        member = registered(workspace, caller.member_id)
        entitled = member is not None and "owner" in member.roles
    else:
        entitled = is_owner(workspace.goals[grant.goal_id], caller.member_id, workspace)
    if not entitled:
        return refuse(GateRefusal.NOT_AN_OWNER)
    if grant.revoked:
        return Held(seq=grant.revoked_seq, facts={"grant_id": grant.grant_id})
    words = GrantReasonWords(reason=ask.reason) if ask.reason else None
    return (Draft(facts=GrantRevoked(grant_id=grant.grant_id), words=words),)


def decide_expire(workspace: Workspace, _caller: Caller, ask: ExpireGate, now_ms: int) -> Decision:
    """What the policy says happens when nobody decided in time; asked too early or again, nothing."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    gate = found_gate(goal, ask.gate_id)
    if isinstance(gate, Refusal):
        return gate
    if goal.state in CLOSED or not is_over(gate, now_ms):
        return Held(seq=goal.last_seq, facts={"gate_id": gate.gate_id, "status": gate.status})
    if gate.policy.on_expiry == "deny":
        facts = GateExpired(gate_id=gate.gate_id, generation=gate.generation, effect="deny", added=())
        return (Draft(facts=facts, goal_id=goal.goal_id), *standing_draft(workspace, goal, gate, "denied"))
    added = tuple(owner for owner in owners_of(goal, workspace) if owner not in gate.policy.approvers)
    # With nobody left to ask it waits on as it is, and says so: the votes so far are good.
    generation = gate.generation + 1 if added else gate.generation
    facts = GateExpired(gate_id=gate.gate_id, generation=generation, effect="escalate", added=added)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def decide_remind(workspace: Workspace, _caller: Caller, ask: RemindGate, now_ms: int) -> Decision:
    """Ask again whoever has not answered; however many times were missed, once."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    gate = found_gate(goal, ask.gate_id)
    if isinstance(gate, Refusal):
        return gate
    if goal.state in CLOSED or not gate.is_open or gate.remind_at_ms is None or now_ms < gate.remind_at_ms:
        return Held(seq=goal.last_seq, facts={"gate_id": gate.gate_id, "status": gate.status})
    every = gate.policy.remind_every_ms
    facts = GateReminded(
        gate_id=gate.gate_id, generation=gate.generation, next_ms=None if every is None else now_ms + every
    )
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def _own(workspace: Workspace, goal: Goal, caller: Caller, gate_id: str) -> Gate | Refusal:
    gate = found_gate(goal, gate_id)
    if isinstance(gate, Refusal):
        return gate
    if gate.opened_by == caller.member_id or is_owner(goal, caller.member_id, workspace):
        return gate
    return refuse(GateRefusal.GATE_NOT_YOURS, gate_id=gate_id, opened_by=gate.opened_by)


def _live(goal: Goal, gate: Gate) -> Refusal | None:
    if goal.state in CLOSED:
        return refuse(GateRefusal.GOAL_CLOSED, state=goal.state)
    return None if gate.is_open else resolved(gate)
