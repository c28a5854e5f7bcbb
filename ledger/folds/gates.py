"""Folds of the gates of a goal."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.ids import MemberId
from ledger.parts.gates import Gate, GateDelegate, GateStatus, Vote
from ledger.rules import gate_events
from ledger.state import Goal


def _opened(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateOpened", event.facts)
    question, options, default = _asked(event)
    every = facts.policy.remind_every_ms
    _put(
        goal,
        event,
        Gate(
            gate_id=facts.gate_id,
            generation=1,
            kind=facts.kind,
            severity=facts.severity,
            opened_by=event.actor,
            opened_at_ms=event.at_ms,
            seq=event.seq,
            blocked_todo_ids=facts.blocked_todo_ids,
            blocks_goal=facts.blocks_goal,
            decision_scope=facts.decision_scope,
            evidence_digest=facts.evidence_digest,
            content_digest=event.hash.hex(),
            policy=facts.policy,
            question=question,
            options=options,
            default=default,
            remind_at_ms=None if every is None else event.at_ms + every,
        ),
    )


def _revised(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateRevised", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    question, options, default = _asked(event)
    every = gate.policy.remind_every_ms
    _put(
        goal,
        event,
        replace(
            gate,
            generation=facts.generation,
            evidence_digest=facts.evidence_digest,
            content_digest=event.hash.hex(),
            policy=replace(gate.policy, expires_at_ms=facts.expires_at_ms),
            question=question,
            options=options,
            default=default,
            votes=(),
            status="waiting_on_user",
            remind_at_ms=None if every is None else event.at_ms + every,
            # What was decided is open again: it was decided for other words.
            resolved_by=None,
            resolved_for=None,
            resolved_at_ms=None,
            resolved_seq=0,
        ),
    )


def _voted(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateVoteRecorded", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    _put(goal, event, replace(gate, votes=_with_vote(gate, facts.seat, event)))


def _approved(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateApproved", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    _end(goal, event, replace(gate, votes=_with_vote(gate, facts.seat, event)), "approved", facts)


def _refused(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateRefused", event.facts)
    _end(goal, event, goal.gates.by_id[facts.gate_id], facts.status, facts)


def _end(
    goal: Goal,
    event: Recorded,
    gate: Gate,
    status: GateStatus,
    facts: gate_events.GateApproved | gate_events.GateRefused | None = None,
) -> None:
    seat = None if facts is None or facts.seat == event.actor else facts.seat
    _put(
        goal,
        event,
        replace(
            gate,
            status=status,
            resolved_by=event.actor,
            resolved_for=seat,
            resolved_at_ms=event.at_ms,
            resolved_seq=event.seq,
            reason=_reason(event),
        ),
    )


def _deferred(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateDeferred", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    _put(goal, event, replace(gate, status="deferred", remind_at_ms=facts.remind_at_ms, reason=_reason(event)))


def _delegated(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateDelegated", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    entry = GateDelegate(seat=facts.seat, delegate=facts.delegate, until_ms=facts.until_ms, seq=event.seq)
    others = tuple(one for one in gate.delegates if one.seat != facts.seat)
    _put(goal, event, replace(gate, delegates=(*others, entry)))


def _delegation_ended(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateDelegationEnded", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    _put(goal, event, replace(gate, delegates=tuple(one for one in gate.delegates if one.seat != facts.seat)))


def _lifted(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateLifted", event.facts)
    _end(goal, event, goal.gates.by_id[facts.gate_id], facts.status)


def _expired(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateExpired", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    if facts.effect == "deny":
        _end(goal, event, gate, "expired")
        return
    policy, every, same = gate.policy, gate.policy.remind_every_ms, facts.generation == gate.generation
    _put(
        goal,
        event,
        replace(
            gate,
            generation=facts.generation,
            content_digest=gate.content_digest if same else event.hash.hex(),
            policy=replace(policy, approvers=(*policy.approvers, *facts.added), expires_at_ms=None, on_expiry="wait"),
            votes=gate.votes if same else (),
            escalated_to=facts.added,
            status="waiting_on_user",
            remind_at_ms=None if every is None else event.at_ms + every,
        ),
    )


def _reminded(goal: Goal, event: Recorded) -> None:
    facts = cast("gate_events.GateReminded", event.facts)
    gate = goal.gates.by_id[facts.gate_id]
    after = replace(gate, status="waiting_on_user", remind_at_ms=facts.next_ms, reminders=gate.reminders + 1)
    if gate.status == after.status:
        goal.gates.put(after)
    else:
        _put(goal, event, after)


def _put(goal: Goal, event: Recorded, gate: Gate) -> None:
    """Enter what this event made of a gate; a reminder of one that waits anyway makes nothing of it."""
    goal.gates.put(replace(gate, changed_seq=event.seq))


def _with_vote(gate: Gate, seat: str, event: Recorded) -> tuple[Vote, ...]:
    """A seat has one vote; a later one takes its place."""
    others = tuple(vote for vote in gate.votes if vote.seat != seat)
    return (*others, Vote(seat=MemberId(seat), voter=event.actor, seq=event.seq, at_ms=event.at_ms))


def _asked(event: Recorded) -> tuple[str, tuple[str, ...], str]:
    words = event.words
    if isinstance(words, gate_events.GateWords):
        return words.question, words.options, words.default
    return ERASED, (), ""


def _reason(event: Recorded) -> str:
    return event.words.reason if isinstance(event.words, gate_events.GateReasonWords) else ""


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    gate_events.GateOpened: _opened,
    gate_events.GateRevised: _revised,
    gate_events.GateVoteRecorded: _voted,
    gate_events.GateApproved: _approved,
    gate_events.GateRefused: _refused,
    gate_events.GateDeferred: _deferred,
    gate_events.GateDelegated: _delegated,
    gate_events.GateDelegationEnded: _delegation_ended,
    gate_events.GateLifted: _lifted,
    gate_events.GateExpired: _expired,
    gate_events.GateReminded: _reminded,
}
