"""Gates: no yes without its quorum of distinct people, on what is shown now, and nothing but a yes opens anything."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.model import ENDED, Question

ASKS = frozenset({"open", "approved"})
"""How a gate stands that asks for its work as it is."""


def _opened(case: Case) -> None:
    facts, policy, promise = case.facts, case.facts.policy, case.promise
    assert facts.gate_id not in promise.gates, "a gate took the place of another"
    assert facts.blocks_goal or facts.blocked_todo_ids or facts.decision_scope, "it holds up everything or nothing"
    able = {one for one in policy.approvers if one != case.event.actor and case.model.living(one)}
    assert len(able) >= policy.quorum, "nobody could ever answer it"
    assert all(case.model.members[one].kind == "person" for one in policy.approvers)
    promise.gates[facts.gate_id] = Question(
        gate_id=facts.gate_id,
        topic=(facts.kind, facts.decision_scope),
        opened_by=case.event.actor,
        todos=facts.blocked_todo_ids,
        whole_goal=facts.blocks_goal,
        scope=facts.decision_scope,
        evidence=facts.evidence_digest,
        approvers=policy.approvers,
        quorum=policy.quorum,
        severity=facts.severity,
        delegable=policy.delegable,
        step_up=policy.step_up,
        ends_at_ms=policy.expires_at_ms,
        on_expiry=policy.on_expiry,
    )


def _gate(case: Case) -> Question:
    gate = case.promise.gates[case.facts.gate_id]
    assert gate.status == "open", f"{case.event.kind} on a gate that is {gate.status}"
    return gate


def _spoken(case: Case) -> Question:
    """Somebody entitled decides, for a seat that is theirs now, on what is shown now."""
    gate, actor, model = _gate(case), case.event.actor, case.model
    assert case.facts.generation == gate.generation, "a word on an earlier generation"
    assert case.params.basis == case.shown(gate.gate_id), "a word on something else than is shown"
    seat = case.facts.seat
    assert seat in gate.approvers, "a seat that is none"
    assert gate.opened_by not in {actor, seat}, "the proposer decided"
    being = model.living(actor)
    assert being is not None, "decided by somebody who is a member no more"
    assert being.kind == "person", "decided by somebody who is no person"
    if actor != seat:
        delegate, until_ms = gate.delegates.get(seat, ("", 0))
        assert (delegate, case.event.at_ms < until_ms) == (actor, True), "a delegate without the right, or too late"
        assert actor not in gate.approvers
    over = gate.on_expiry == "deny" and gate.ends_at_ms is not None and gate.ends_at_ms <= case.event.at_ms
    assert not over, "decided after its end"
    assert case.promise.state not in ENDED
    return gate


def _plain(case: Case) -> bool:
    """Whether nothing but a button said so."""
    return case.event.surface == "lark" and case.event.proof.code_step is None


def _voted(case: Case) -> None:
    gate = _spoken(case)
    assert not (gate.step_up and _plain(case)), "a plain button was enough"
    gate.votes[case.facts.seat] = case.event.actor


def _valid(case: Case, gate: Question) -> dict[str, str]:
    living = case.model.living
    return {seat: voter for seat, voter in gate.votes.items() if living(seat) and living(voter)}


def _approved(case: Case) -> None:
    gate = _spoken(case)
    assert not (gate.step_up and _plain(case)), "a plain button was enough"
    gate.votes[case.facts.seat] = case.event.actor
    votes = _valid(case, gate)
    assert len(set(votes.values())) == len(votes), "one person counted twice"
    assert gate.opened_by not in {*votes, *votes.values()}, "the proposer counted"
    assert len(votes) >= gate.quorum, "approved without its quorum"
    gate.status, gate.decided_by = "approved", case.event.actor


def _refused(case: Case) -> None:
    gate = _spoken(case)
    gate.status = case.facts.status


def _deferred(case: Case) -> None:
    _spoken(case)


def _delegated(case: Case) -> None:
    gate, facts = _gate(case), case.facts
    assert gate.delegable
    assert facts.seat != gate.opened_by, "the proposer gave away a vote that is none"
    assert case.event.actor == facts.seat in gate.approvers
    others = {delegate for seat, (delegate, _) in gate.delegates.items() if seat != facts.seat}
    assert facts.delegate not in {gate.opened_by, *gate.approvers, *others}, "a delegate who would count twice"
    being = case.model.living(facts.delegate)
    assert being is not None
    assert being.kind == "person"
    gate.delegates[facts.seat] = (facts.delegate, facts.until_ms)


def _delegation_ended(case: Case) -> None:
    del _gate(case).delegates[case.facts.seat]


def _lifted(case: Case) -> None:
    gate = _gate(case)
    assert case.owns or case.event.actor == gate.opened_by, "taken back by somebody else"
    gate.status = case.facts.status


def work_changed(case: Case, todo_id: str) -> None:
    """Nobody's yes outlives the words it was given to, and only an owner takes one back by changing them."""
    asks = {one.gate_id for one in case.promise.gates.values() if todo_id in one.todos and one.status in ASKS}
    own = getattr(case.promise.changes.get(getattr(case.facts, "amendment_id", "")), "gate_id", None)
    again = {event.facts.gate_id for event in case.siblings("gate.revised")}
    assert asks - {own} <= again, "a yes was kept for other words than it was given to"
    voted = [gate_id for gate_id in asks if case.promise.gates[gate_id].votes]
    assert case.owns or not voted, "work was changed under those who had said yes to it"


def _revised(case: Case) -> None:
    gate = case.promise.gates[case.facts.gate_id]
    changed = any(event.kind in {"todo.updated", "amendment.committed"} for event in case.group)
    assert gate.status == "open" or (changed and gate.status == "approved"), f"asked anew though {gate.status}"
    gate.status = "open"
    assert case.facts.generation == gate.generation + 1
    gate.generation, gate.evidence, gate.ends_at_ms = (
        case.facts.generation, case.facts.evidence_digest, case.facts.expires_at_ms,
    )  # fmt: skip
    gate.votes.clear()


def _expired(case: Case) -> None:
    gate = _gate(case)
    assert gate.ends_at_ms is not None
    assert gate.ends_at_ms <= case.event.at_ms, "expired before its end"
    assert case.facts.effect == gate.on_expiry
    if gate.on_expiry == "deny":
        gate.status = "expired"
        return
    # Whoever is asked besides decides on a new card, and so does everybody else; with nobody it waits on as it is.
    assert case.facts.generation == gate.generation + bool(case.facts.added)
    assert not {*case.facts.added} & {*gate.approvers}
    gate.generation, gate.ends_at_ms, gate.on_expiry = case.facts.generation, None, "wait"
    gate.approvers = (*gate.approvers, *case.facts.added)
    if case.facts.added:
        gate.votes.clear()


def _reminded(case: Case) -> None:
    _gate(case)


CHECKS: dict[str, Callable[[Case], None]] = {
    "gate.opened": _opened,
    "gate.vote_recorded": _voted,
    "gate.approved": _approved,
    "gate.refused": _refused,
    "gate.deferred": _deferred,
    "gate.delegated": _delegated,
    "gate.delegation_ended": _delegation_ended,
    "gate.lifted": _lifted,
    "gate.revised": _revised,
    "gate.expired": _expired,
    "gate.reminded": _reminded,
}
SHOWS = frozenset({"gate.opened", "gate.revised", "gate.expired"})
"""After these, people are shown something else."""
