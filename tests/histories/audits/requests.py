"""Requests: five facts apart, and one return, from whoever was asked to wherever it was asked from."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.model import ENDED, EXECUTABLE, OVER, Asked


def _sent(case: Case) -> None:
    facts, promise = case.facts, case.promise
    assert promise.state in EXECUTABLE
    assert facts.request_id not in promise.requests
    assert facts.receiver != case.event.actor, "asked of itself"
    assert case.model.living(facts.receiver) is not None
    assert (facts.origin_surface, facts.origin_channel_id) == (case.event.surface, case.request.caller.channel_id)
    if facts.parent_id is not None:
        parent = promise.requests[facts.parent_id]
        assert (parent.receiver, parent.status) == (case.event.actor, "open"), "passed on by somebody else"
    promise.requests[facts.request_id] = Asked(case.event.actor, facts.receiver, facts.blocks_todo_id)


def _open(case: Case) -> Asked:
    one = case.promise.requests[case.facts.request_id]
    assert one.status == "open", f"{case.event.kind} on a request that is {one.status}"
    return one


def _received(case: Case) -> None:
    one = _open(case)
    assert case.event.actor == one.receiver
    assert not one.received
    one.received = True


def _answered(case: Case) -> None:
    one = _open(case)
    assert case.event.actor == one.receiver
    assert one.received, "answered before it was read"
    assert one.answer in {None, "defer"}, "answered twice"
    one.answer = case.facts.answer
    one.adopted = one.answer == "adopt"
    returns = [event for event in case.siblings("request.returned") if event.facts.request_id == case.facts.request_id]
    assert len(returns) == (one.answer in {"reject", "no_change"}), "an end that nobody hears of"


def _committed(case: Case) -> None:
    one, promise = _open(case), case.promise
    assert case.event.actor == one.receiver
    assert one.adopted, "work for what was not taken on"
    before = promise.work.get(one.todo_id or "")
    assert before is None or before.status == "cancelled", "two pieces of work for one request"
    assert promise.work[case.facts.for_todo_id].status not in OVER
    one.todo_id = case.facts.for_todo_id


def _returned(case: Case) -> None:
    facts, one, promise = case.facts, _open(case), case.promise
    assert facts.digests == tuple(promise.proofs[artifact_id].sha256 for artifact_id in facts.artifact_ids)
    assert promise.state not in ENDED
    if facts.automatic:
        done = [event.facts.todo_id for event in case.siblings("todo.completed")]
        assert done == [one.todo_id], "returned by work that is not its own"
    else:
        assert case.event.actor == one.receiver, "returned by somebody who was not asked"
        work = promise.work.get(one.todo_id or "")
        assert facts.outcome != "result" or work is None or work.status in OVER, "returned before it was done"
    assert facts.outcome != "result" or one.adopted
    one.status = "returned"


def _delivered(case: Case) -> None:
    one = case.promise.requests[case.facts.request_id]
    assert one.status == "returned", "delivered before it came back"
    assert not one.delivered, "delivered twice"
    bot = case.request.caller.kind == "bot"
    assert bot or case.event.actor == one.sender, "delivered to somebody who did not ask"
    one.delivered = True


def _withdrawn(case: Case) -> None:
    one = _open(case)
    assert case.owns or case.event.actor == one.sender
    one.status = "withdrawn"


CHECKS: dict[str, Callable[[Case], None]] = {
    "request.sent": _sent,
    "request.received": _received,
    "request.answered": _answered,
    "request.committed": _committed,
    "request.returned": _returned,
    "request.delivered": _delivered,
    "request.withdrawn": _withdrawn,
}
