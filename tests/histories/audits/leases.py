"""Leases: one holder at a time, on paths of its own, whose epoch only grows and whose key never comes back."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.model import Hold
from tests.histories.audits.paths import paths_of
from tests.histories.audits.work import begins, lent


def _acquired(case: Case) -> None:
    facts, promise, model = case.facts, case.promise, case.model
    assert facts.owner == case.event.actor, "taken in another's name"
    begins(case, facts.owner, facts.write_scopes)
    assert promise.mode != "soft_claim", "leased where claims alone hold work"
    last = promise.holds.get(facts.todo_id)
    assert last is None or not last.active, "a second lease on one todo, or an expiry that nobody wrote"
    _new_key(case)
    assert (facts.version, facts.lease_epoch) == ((last.version + 1, last.epoch + 1) if last else (1, 1))
    assert facts.expires_at_ms == case.event.at_ms + 1_000 * facts.acquire_ttl_seconds
    paths = paths_of(facts.write_scopes, fold_case=promise.intent.fold_case)
    for other, hold in promise.holds.items():
        if other != facts.todo_id and model.effective(promise, other) is not None:
            assert not paths & hold.paths, "two leases may write one path"
    promise.holds[facts.todo_id] = Hold(
        facts.owner, facts.idempotency_key, paths, facts.expires_at_ms, facts.version, facts.lease_epoch
    )
    case.work.claimant, case.work.by_lease = facts.owner, True


def _new_key(case: Case) -> None:
    key = (case.facts.todo_id, case.facts.idempotency_key)
    assert key not in case.promise.keys, "an execution key came back"
    case.promise.keys.add(key)


def _fenced(case: Case, hold: Hold) -> None:
    """Who goes on with a lease proves that it is the execution of now."""
    if hasattr(case.params, "idempotency_key"):
        given = (case.params.idempotency_key, case.params.expected_version)
        assert given == (hold.key, hold.version), "a late execution spoke for the one of now"


def _renewed(case: Case) -> None:
    hold = case.model.effective(case.promise, case.facts.todo_id)
    assert hold is not None, "a dead lease came back to life"
    assert hold.owner == case.event.actor
    _fenced(case, hold)
    assert case.facts.version == hold.version + 1
    hold.version, hold.ends_at_ms = case.facts.version, case.facts.expires_at_ms


def _transferred(case: Case) -> None:
    facts, promise = case.facts, case.promise
    hold = case.model.effective(promise, facts.todo_id)
    assert hold is not None, "a dead lease was given away"
    assert facts.from_owner == hold.owner
    assert case.event.actor == hold.owner or (case.owns and case.request.action.name == "todo.handoff")
    _fenced(case, hold)
    begins(case, facts.owner, giver=hold.owner)
    _new_key(case)
    assert (facts.version, facts.lease_epoch) == (hold.version + 1, hold.epoch + 1)
    promise.holds[facts.todo_id] = Hold(
        facts.owner, facts.idempotency_key, hold.paths, facts.expires_at_ms, facts.version, facts.lease_epoch
    )
    case.work.claimant, case.work.by_lease = facts.owner, True


ENDS_FOR_ALL = frozenset({"amendment.commit", "member.revoke"})


def _released(case: Case) -> None:
    hold, name = case.promise.holds[case.facts.todo_id], case.request.action.name
    assert hold.active
    assert (case.facts.version, case.facts.lease_epoch) == (hold.version, hold.epoch)
    if name == "task-lease.release":
        _fenced(case, hold)
        assert hold.owner == case.event.actor
    elif name not in ENDS_FOR_ALL and not (case.owns and name != "todo.complete"):
        # An agent, its delegate too, proves that it speaks for the execution of now.
        given = (case.params.task_lease_idempotency_key, case.params.task_lease_expected_version)
        assert given == (hold.key, hold.version), "a late execution ended the lease of the one of now"
        action = {"todo.complete": "complete", "todo.cancel": "supersede"}.get(name, "update")
        assert hold.owner == case.event.actor or lent(case, action, hold.owner), f"{name} ended another's lease"
    _ended(case)


def _expired(case: Case) -> None:
    hold = case.promise.holds[case.facts.todo_id]
    assert hold.active
    assert case.facts.expired_at_ms == hold.ends_at_ms <= case.event.at_ms, "expired before its end"
    assert (case.facts.owner, case.facts.lease_epoch) == (hold.owner, hold.epoch)
    hold.expired = True
    _ended(case)


def _ended(case: Case) -> None:
    case.promise.holds[case.facts.todo_id].active = False
    if case.work.by_lease:
        case.work.claimant, case.work.by_lease = None, False


CHECKS: dict[str, Callable[[Case], None]] = {
    "lease.acquired": _acquired,
    "lease.renewed": _renewed,
    "lease.transferred": _transferred,
    "lease.released": _released,
    "lease.expired": _expired,
}
