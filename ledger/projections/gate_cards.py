"""Gates on cards: which generations have a card, what each is drawn from, and which buttons it carries now.

A generation that was asked anew keeps its card for one last patch, which says so; the question is asked on a new one.
"""

from collections.abc import Iterator
from heapq import nlargest

from ledger.ids import MemberId
from ledger.parts.gates import Gate, GateStatus
from ledger.projections.cards import Offer
from ledger.projections.gate_views import GateCause, GateDelegateView, GateView, GateVoteView
from ledger.projections.gates import OPEN_GATES_MAX
from ledger.projections.holds import name_of, names_of
from ledger.records import CLOSED
from ledger.rules.gates import awaited, counted, gate_basis, is_over
from ledger.state import Goal, Workspace

CLOSED_SHOWN_MAX = 3
HASH_CHARS = 12
_EVENT_OF: dict[GateStatus, str] = {
    "approved": "gate.approved",
    "rejected": "gate.refused",
    "cancelled": "gate.refused",
    "expired": "gate.expired",
    "withdrawn": "gate.lifted",
    "superseded": "gate.lifted",
}


def shown_gates(goal: Goal) -> Iterator[Gate]:
    """The gates that have a card: those that wait, oldest first, and the few that were decided last."""
    waiting = [goal.gates.by_id[gate_id] for gate_id in goal.gates.waiting]
    decided = (gate for gate in goal.gates.by_id.values() if not gate.is_open)
    yield from waiting[:OPEN_GATES_MAX]
    yield from nlargest(CLOSED_SHOWN_MAX, decided, key=lambda gate: gate.resolved_seq)


def may_be_decided(goal: Goal, gate: Gate, generation: int) -> bool:
    """Whether this generation still waits for somebody."""
    return gate.is_open and generation == gate.generation and goal.state not in CLOSED


def seated(gate: Gate) -> tuple[MemberId, ...]:
    """Everybody who was ever asked on the gate as it is: its approvers, whoever stands in for one, and who voted."""
    people = (*gate.policy.approvers, *(one.delegate for one in gate.delegates), *(vote.voter for vote in gate.votes))
    return tuple(dict.fromkeys(one for one in people if one != gate.opened_by))


def gate_view(workspace: Workspace, goal: Goal, gate: Gate, generation: int, now_ms: int) -> GateView:
    """One generation of a gate as its approvers may see it."""
    anew, policy = generation < gate.generation, gate.policy
    is_open = may_be_decided(goal, gate, generation)
    decided_by = None if anew or gate.is_open else gate.resolved_by
    return GateView(
        gate_id=gate.gate_id,
        generation=generation,
        asked_anew=anew,
        status="superseded" if anew else gate.status,
        open=is_open,
        kind=gate.kind,
        severity=gate.severity,
        question="" if anew else gate.question,
        options=() if anew else gate.options,
        default="" if anew else gate.default,
        waiting_work=tuple(goal.todos[todo_id].title for todo_id in gate.blocked_todo_ids if todo_id in goal.todos),
        blocks_goal=gate.blocks_goal,
        evidence_digest=None if anew else gate.evidence_digest,
        votes=() if anew else _votes(workspace, gate),
        votes_counted=0 if anew else counted(workspace, gate),
        quorum=policy.quorum,
        waits_for=names_of(workspace, awaited(workspace, gate, now_ms)) if is_open else (),
        delegates=_delegates(workspace, gate, now_ms) if is_open else (),
        expires_at_ms=policy.expires_at_ms if is_open else None,
        on_expiry=policy.on_expiry,
        step_up=policy.step_up,
        opened_by=name_of(workspace, gate.opened_by),
        decided_by=None if decided_by is None else name_of(workspace, decided_by),
        on_behalf_of=None if anew or gate.resolved_for is None else name_of(workspace, gate.resolved_for),
        decided_at_ms=None if anew else gate.resolved_at_ms,
        reason="" if anew else gate.reason,
        basis="" if anew else gate_basis(goal, gate),
        cause=GateCause(seq=gate.seq, kind="gate.opened", actor_name=name_of(workspace, gate.opened_by),
                        at_ms=gate.opened_at_ms, short_hash="") if anew else _cause(workspace, gate),
    )  # fmt: skip


def gate_offers(goal: Goal, gate: Gate, generation: int, now_ms: int) -> tuple[Offer, ...]:
    """The buttons of one generation now; where a plain button is not enough for a yes, the card asks for a code too.

    Who was reminded of a gate may put it off again, and a vote may be delegated again: another press, not the same one
    twice, although what is asked has not changed. So these buttons are told apart by what happened meanwhile.
    """
    if not may_be_decided(goal, gate, generation) or is_over(gate, now_ms):
        return ()
    subject, basis = f"gate:{goal.goal_id}:{gate.gate_id}:{generation}", gate_basis(goal, gate)
    delegate = (Offer("gate.delegate", subject, basis, gate.changed_seq),) if gate.policy.delegable else ()
    again = Offer("gate.defer", subject, basis, gate.reminders)
    return (Offer("gate.approve", subject, basis), Offer("gate.reject", subject, basis), again, *delegate)


def _votes(workspace: Workspace, gate: Gate) -> tuple[GateVoteView, ...]:
    return tuple(
        GateVoteView(seat=name_of(workspace, one.seat), voter=name_of(workspace, one.voter)) for one in gate.votes
    )


def _delegates(workspace: Workspace, gate: Gate, now_ms: int) -> tuple[GateDelegateView, ...]:
    return tuple(
        GateDelegateView(
            seat=name_of(workspace, one.seat), delegate=name_of(workspace, one.delegate), until_ms=one.until_ms
        )
        for one in gate.delegates
        if now_ms < one.until_ms
    )


def _cause(workspace: Workspace, gate: Gate) -> GateCause:
    """The event that made the gate what it is."""
    if not gate.is_open:
        who = "" if gate.resolved_by is None else name_of(workspace, gate.resolved_by)
        kind, seq = _EVENT_OF[gate.status], gate.resolved_seq
        return GateCause(seq=seq, kind=kind, actor_name=who, at_ms=gate.resolved_at_ms, short_hash="")
    seq = gate.changed_seq
    if seq == gate.seq:
        return GateCause(
            seq=seq,
            kind="gate.opened",
            actor_name=name_of(workspace, gate.opened_by),
            at_ms=gate.opened_at_ms,
            short_hash=gate.content_digest[:HASH_CHARS],
        )
    for vote in gate.votes:
        if vote.seq == seq:
            who = name_of(workspace, vote.voter)
            return GateCause(seq=seq, kind="gate.vote_recorded", actor_name=who, at_ms=vote.at_ms, short_hash="")
    for one in gate.delegates:
        if one.seq == seq:
            who = name_of(workspace, one.seat)
            return GateCause(seq=seq, kind="gate.delegated", actor_name=who, at_ms=None, short_hash="")
    kind = "gate.deferred" if gate.status == "deferred" else ""
    return GateCause(seq=seq, kind=kind, actor_name="", at_ms=None, short_hash="")
