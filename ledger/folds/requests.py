"""Folds of the requests between those who work on a goal."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.parts.requests import Answered, Mark, Origin, Request, RequestInput, Returned
from ledger.rules import request_events
from ledger.state import Goal


def _sent(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestSent", event.facts)
    words = event.words if isinstance(event.words, request_events.BriefWords) else _erased(len(facts.input_digests))
    inputs = zip(facts.input_digests, facts.input_relations, words.input_refs, words.input_descriptions, strict=True)
    _put(
        goal,
        Request(
            request_id=facts.request_id,
            sender=event.actor,
            receiver=facts.receiver,
            seq=event.seq,
            at_ms=event.at_ms,
            parent_id=facts.parent_id,
            blocks_todo_id=facts.blocks_todo_id,
            origin=Origin(surface=facts.origin_surface, channel_id=facts.origin_channel_id, key=facts.origin_key),
            inputs=tuple(
                RequestInput(sha256=sha256, relation=relation, ref=ref, description=description)
                for sha256, relation, ref, description in inputs
            ),
            purpose=words.purpose,
            context=words.context,
            constraints=words.constraints,
            acceptance=words.acceptance,
            return_requirement=words.return_requirement,
        ),
    )


def _erased(inputs_total: int) -> request_events.BriefWords:
    return request_events.BriefWords(
        purpose=ERASED,
        context="",
        constraints=(),
        input_refs=(ERASED,) * inputs_total,
        input_descriptions=("",) * inputs_total,
        acceptance=(),
        return_requirement="",
    )


def _received(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestReceived", event.facts)
    _put(goal, replace(goal.requests.by_id[facts.request_id], received=_mark(event)))


def _answered(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestAnswered", event.facts)
    request, mark = goal.requests.by_id[facts.request_id], _mark(event)
    answered = Answered(answer=facts.answer, reason=_reason(event), mark=mark)
    adopted = mark if facts.answer == "adopt" else request.adopted
    _put(goal, replace(request, answered=answered, adopted=adopted))


def _committed(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestCommitted", event.facts)
    request = goal.requests.by_id[facts.request_id]
    _put(goal, replace(request, todo_id=facts.for_todo_id, committed=_mark(event)))


def _returned(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestReturned", event.facts)
    returned = Returned(
        outcome=facts.outcome,
        artifact_ids=facts.artifact_ids,
        digests=facts.digests,
        automatic=facts.automatic,
        summary=event.words.summary if isinstance(event.words, request_events.ReturnWords) else "",
        mark=_mark(event),
    )
    _put(goal, replace(goal.requests.by_id[facts.request_id], returned=returned))


def _delivered(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestDelivered", event.facts)
    _put(goal, replace(goal.requests.by_id[facts.request_id], delivered=_mark(event)))


def _withdrawn(goal: Goal, event: Recorded) -> None:
    facts = cast("request_events.RequestWithdrawn", event.facts)
    request = goal.requests.by_id[facts.request_id]
    _put(goal, replace(request, withdrawn=_mark(event), withdrawn_reason=_reason(event)))


def _put(goal: Goal, request: Request) -> None:
    goal.requests.put(request)


def _mark(event: Recorded) -> Mark:
    return Mark(seq=event.seq, actor=event.actor, at_ms=event.at_ms)


def _reason(event: Recorded) -> str:
    return event.words.reason if isinstance(event.words, request_events.RequestReasonWords) else ""


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    request_events.RequestSent: _sent,
    request_events.RequestReceived: _received,
    request_events.RequestAnswered: _answered,
    request_events.RequestCommitted: _committed,
    request_events.RequestReturned: _returned,
    request_events.RequestDelivered: _delivered,
    request_events.RequestWithdrawn: _withdrawn,
}
