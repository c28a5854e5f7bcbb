"""Todos: who may begin what, and that work is finished once, by whoever has it, on evidence that counts."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case, Model
from tests.histories.audits.gates import work_changed
from tests.histories.audits.model import ENDED, EXECUTABLE, OVER, Promise, Work


def enter(promise: Promise, facts) -> Work:
    """A todo, by whichever event it came."""
    assert promise.confirmed, "work without a promise"
    assert promise.state not in ENDED | {"delivered"}
    assert facts.todo_id not in promise.work, "a todo took the place of another"
    assert set(facts.depends_on) <= set(promise.work), "it waits for what is not there"
    work = Work(
        todo_id=facts.todo_id,
        role=facts.role,
        task_class=facts.task_class,
        action_kind=facts.action_kind,
        needs=facts.depends_on,
        bound=facts.bound_agent,
        excluded=facts.excluded_agents,
        capabilities=facts.required_capabilities,
        scopes=facts.required_write_scopes,
        validators=facts.validators,
        priority=facts.priority,
        replan_after=facts.max_no_change_before_replan,
        claimant=facts.claimed_by,
        decisions=facts.required_decision_scopes,
    )
    promise.work[work.todo_id] = work
    return work


def _unblock(promise: Promise, todo_id: str, unblocks: str | None) -> None:
    if unblocks is not None:
        promise.unblockers[unblocks] = (*promise.unblockers.get(unblocks, ()), todo_id)


def _added(case: Case) -> None:
    work = enter(case.promise, case.facts)
    actor = case.model.members.get(case.event.actor)
    only_proposes = actor is not None and actor.role == "dreaming_proposer"
    if only_proposes and case.request.action.name == "todo.add":
        about = (right for right in case.model.rights.values() if right.about(case.event.actor, case.promise.goal_id))
        assert any(right.alive(case.event.at_ms) for right in about), "whoever may only propose added work"
    _unblock(case.promise, work.todo_id, case.facts.unblocks_todo_id)
    nothing_waits_for_ever(case.model, case.promise)
    if work.claimant is not None:
        assert [*case.siblings("todo.completed")], "a todo came with a claim and followed from nothing"
        work.claimant, claimant = None, work.claimant
        broken = case.model.why_not(case.promise, work, claimant)
        # It may wait for the very work it follows until that is looked at; nothing else may be in the way.
        assert broken in {None, "what it waits for is not met"}, f"{claimant} was given work: {broken}"
        work.claimant = claimant


def _proposed(case: Case) -> None:
    work = enter(case.promise, case.facts)
    assert work.claimant is None, "a proposal is somebody's work"
    work.status, work.unblocks = "proposed", case.facts.unblocks_todo_id


def _admitted(case: Case) -> None:
    work, being = case.work, case.model.members[case.event.actor]
    assert work.status == "proposed"
    assert case.promise.state not in ENDED | {"delivered"}
    steward = being.role == "steward" and case.promise.intent.plan_approval == "steward"
    assert case.owns or steward, "let in by somebody who does not decide"
    work.status = "open"
    _unblock(case.promise, work.todo_id, work.unblocks)
    nothing_waits_for_ever(case.model, case.promise)


def _declined(case: Case) -> None:
    assert case.work.status == "proposed"
    cancel(case.promise, case.facts.todo_id)
    nothing_waits_for_ever(case.model, case.promise)


def _claimed(case: Case) -> None:
    work, promise, agent = case.work, case.promise, case.facts.agent_id
    assert agent == case.event.actor, "taken in another's name"
    begins(case, agent)
    assert promise.mode != "hard_lease", "claimed where leases alone hold work"
    assert case.model.effective(promise, work.todo_id) is None, "claimed over a lease"
    work.claimant, work.by_lease = agent, False


def begins(case: Case, agent: str, scopes: tuple[str, ...] = (), giver: str | None = None) -> None:
    """Nothing begins that may not."""
    broken = case.model.why_not(case.promise, case.work, agent, scopes, giver)
    assert broken is None, f"{agent} began {case.facts.todo_id}: {broken}"


def _released(case: Case) -> None:
    work, actor = case.work, case.event.actor
    assert case.model.effective(case.promise, work.todo_id) is None, "a claim left its lease behind"
    for_all = case.request.action.name in {"amendment.commit", "member.revoke"}
    assert for_all or case.owns or actor == work.claimant, "somebody else's claim was given back"
    work.claimant, work.by_lease = None, False


def _may_touch(case: Case, action: str) -> None:
    """Work is changed by an owner, by whoever has it, by anybody of the goal while nobody has it, or by a delegate."""
    actor, work, model = case.event.actor, case.work, case.model
    # A lease that ends in the same command was there when it was asked for.
    claimant = case.before[0] if isinstance(case.before, tuple) else model.claimant(case.promise, work.todo_id)
    if case.owns or (actor == case.promise.proposer and claimant is None):
        return
    if actor == case.promise.proposer and model.members[actor].kind == "person":
        assert claimant is None, "the proposer changed work that an agent has"
    assert actor not in work.excluded, "changed by somebody it is kept from"
    assert model.has_goal(actor, case.promise.goal_id), "changed by a stranger"
    if claimant in {None, actor}:
        return
    assert lent(case, action, claimant), f"{actor} did {action} to {claimant}'s work"


def lent(case: Case, action: str, whose: str | None) -> bool:
    """Whether an owner let this agent do this to that agent's work, and it is not over."""
    work = case.work
    return any(
        one.agent_id == case.event.actor
        and one.on_behalf_of == whose
        and action in one.actions
        and case.event.at_ms < one.until_ms
        and (work.todo_id in one.todo_ids or work.action_kind in one.action_kinds)
        and case.event.actor not in work.excluded
        for one in case.promise.lent.values()
    )


def _updated(case: Case) -> None:
    assert case.promise.state not in ENDED
    _may_touch(case, "update")
    if case.params.text is not None:
        work_changed(case, case.facts.todo_id)
    work = case.work
    work.priority = case.facts.priority or work.priority
    if case.facts.reopened:
        assert work.status == "blocked"
        work.status = "open"


def _blocked(case: Case) -> None:
    _may_touch(case, "update")
    assert case.model.effective(case.promise, case.facts.todo_id) is None, "blocked under a lease"
    case.work.status = "blocked"


def _cancelled(case: Case) -> None:
    _may_touch(case, "supersede")
    assert case.model.effective(case.promise, case.facts.todo_id) is None
    cancel(case.promise, case.facts.todo_id)
    nothing_waits_for_ever(case.model, case.promise)


def cancel(promise: Promise, todo_id: str) -> None:
    """Take work out."""
    work = promise.work[todo_id]
    assert work.status not in OVER
    work.status, work.claimant, work.by_lease, work.held_by, work.waits = "cancelled", None, False, None, None


def nothing_waits_for_ever(model: Model, promise: Promise) -> None:
    """No open work waits for what was taken out, or for itself."""
    edges: dict[str, set[str]] = {}
    for work in promise.work.values():
        if work.status in {*OVER, "proposed"}:
            continue
        after = {*model.needs(promise, work)}
        if work.waits is not None and work.waits[0] == "todo_done":
            after.add(work.waits[1])
        gone = [other for other in after if promise.work[other].status in {"cancelled", "proposed"}]
        assert not gone, f"{work.todo_id} waits for ever for {gone}"
        edges[work.todo_id] = {other for other in after if promise.work[other].status != "done"}
    while free := [todo_id for todo_id, after in edges.items() if not after & edges.keys()]:
        for todo_id in free:
            del edges[todo_id]
    assert not edges, f"work waits for itself: {sorted(edges)}"


def _completed(case: Case) -> None:
    facts, work, model, promise = case.facts, case.work, case.model, case.promise
    assert work.status == "open", "completed twice, or when it could not be"
    assert promise.state not in ENDED, "work went on after the end"
    assert model.ready(promise, work), "finished before what it waits for"
    assert model.effective(promise, facts.todo_id) is None, "completed without giving the lease back"
    if work.role == "agent":
        _finished_by_agent(case, work)
    else:
        assert case.owns, "a person's work was finished by somebody else"
        assert (facts.decision_outcome is None) == (work.task_class != "user_gate"), "a decision without an outcome"
    work.status, work.claimant, work.by_lease, work.held_by = "done", None, False, None
    work.completed_by, work.outcome, work.evidence = facts.completed_by, facts.decision_outcome, facts.evidence
    work.completions += 1
    work.successors += facts.successor_todo_id is not None
    assert len([*case.siblings("todo.added")]) == (facts.successor_todo_id is not None)
    assert work.completions == 1
    assert work.successors <= 1


def _finished_by_agent(case: Case, work: Work) -> None:
    facts, model, promise = case.facts, case.model, case.promise
    assert facts.evidence, "done without evidence"
    assert facts.completed_by == case.event.actor
    assert model.has_goal(case.event.actor, promise.goal_id), "a stranger finished work"
    assert case.event.actor not in work.excluded
    assert work.bound in {None, case.event.actor}
    assert work.held_by is None, "finished under an amendment that was not read"
    assert not model.request_over(promise, work.todo_id), "finished while a request holds it"
    assert model.gate_over(promise, work) is None, "finished behind a gate"
    proofs = [promise.proofs[one] for one in facts.evidence]
    assert all(proof.todo_id == facts.todo_id for proof in proofs), "another's evidence"
    assert all(proof.sound for proof in proofs), "finished on evidence that was undone"
    for name in work.validators:
        assert any(proof.checks.get(name) for proof in proofs), f"finished without {name} having passed"
    claimant, hold = case.before if isinstance(case.before, tuple) else (None, None)
    if facts.grant_id is None:
        assert claimant == case.event.actor, "finished by somebody who does not have it"
    else:
        assert facts.on_behalf_of == claimant
        assert lent(case, "complete", claimant), "finished for somebody without being let"
    if hold is not None:
        given = (case.params.task_lease_idempotency_key, case.params.task_lease_expected_version)
        assert given == (hold.key, hold.version), "a late execution finished the work of the one of now"
    assert hold is not None or promise.mode != "hard_lease", "finished without the lease that holds it"


def _deferred(case: Case) -> None:
    work, facts = case.work, case.facts
    _may_touch(case, "update")
    assert work.status in {"open", "blocked"}
    assert case.model.effective(case.promise, facts.todo_id) is None, "put off under a lease"
    work.status, work.claimant, work.by_lease = "deferred", None, False
    work.waits = (facts.condition, facts.reference, facts.due_ms)
    nothing_waits_for_ever(case.model, case.promise)


def _taken_up(case: Case) -> None:
    work = case.work
    assert work.status == "deferred"
    assert work.waits is not None
    if case.facts.by_itself:
        assert case.model.ripe(case.promise, work), "taken up before its time"
    work.status, work.waits = "open", None


def _delegated(case: Case) -> None:
    facts = case.facts
    assert facts.agent_id != facts.on_behalf_of
    assert facts.until_ms > case.event.at_ms
    case.promise.lent[facts.grant_id] = facts


def _delegation_ended(case: Case) -> None:
    del case.promise.lent[case.facts.grant_id]


def _handed_off(case: Case) -> None:
    facts, work, model = case.facts, case.work, case.model
    claimant, _ = case.before if isinstance(case.before, tuple) else (None, None)
    assert claimant == facts.from_agent, "somebody else's work was given away"
    assert case.owns or case.event.actor == claimant
    if work.claimant == facts.to_agent:
        assert [*case.siblings("lease.transferred")], "the claim moved by itself"
        return
    assert model.effective(case.promise, work.todo_id) is None, "a lease stayed behind"
    begins(case, facts.to_agent, giver=facts.from_agent)
    work.claimant, work.by_lease = facts.to_agent, False


def _prepared(case: Case) -> None:
    assert case.model.claimant(case.promise, case.facts.todo_id) == case.facts.from_agent


def _adopted(case: Case) -> None:
    hold = case.promise.holds[case.facts.todo_id]
    assert [*case.siblings("lease.acquired")], "adopted without a lease of its own"
    assert (hold.owner, hold.epoch) == (case.event.actor, case.facts.lease_epoch)
    assert case.facts.to_agent == case.event.actor


def compare_ready(model: Model, promise: Promise) -> set[str]:
    """The work that is free to be taken, as the events say."""
    return {
        one.todo_id
        for one in promise.work.values()
        if one.status == "open" and one.role == "agent" and one.claimant is None and model.ready(promise, one)
    }


def runs(promise: Promise) -> bool:
    """Whether work may begin."""
    return promise.state in EXECUTABLE


CHECKS: dict[str, Callable[[Case], None]] = {
    "todo.added": _added,
    "todo.proposed": _proposed,
    "todo.admitted": _admitted,
    "todo.declined": _declined,
    "todo.claimed": _claimed,
    "todo.released": _released,
    "todo.updated": _updated,
    "todo.blocked": _blocked,
    "todo.cancelled": _cancelled,
    "todo.completed": _completed,
    "todo.deferred": _deferred,
    "todo.resumed": _taken_up,
    "todo.delegated": _delegated,
    "todo.delegation_ended": _delegation_ended,
    "todo.handed_off": _handed_off,
    "todo.handoff_prepared": _prepared,
    "todo.adopted": _adopted,
}
