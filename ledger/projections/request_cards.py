"""Requests on cards: which have one, what each is drawn from, and which buttons it carries now.

A request to or from a person has a card for as long as somebody has to do something about it, and the last few that
ended keep theirs. What agents ask of each other only tells, and so only a few of those are shown.
"""

from collections.abc import Iterator
from heapq import nlargest, nsmallest
from typing import NamedTuple, cast

from ledger.ids import ArtifactId, MemberId
from ledger.parts.requests import Mark, Request
from ledger.projections.cards import Offer
from ledger.projections.causes import Cause
from ledger.projections.channel import cause_of
from ledger.projections.holds import name_of
from ledger.projections.request_views import (
    EvidenceView,
    FactName,
    RequestFact,
    RequestInputView,
    RequestNeed,
    RequestStatusName,
    RequestView,
)
from ledger.records import CLOSED
from ledger.rules.common import registered
from ledger.rules.material import status_of
from ledger.state import Goal, Workspace

OPEN_SHOWN_MAX = 20
AGENTS_SHOWN_MAX = 5
"""How many of the open requests between agents have a card: the oldest, which have waited longest."""
CLOSED_SHOWN_MAX = 3
RETURNABLE_MAX = 20
"""How much evidence a person is offered to hand back; the newest of it."""


class Work(NamedTuple):
    """The todo that fulfils a request, while there is one."""

    title: str
    status: str


def shown_requests(workspace: Workspace, goal: Goal) -> Iterator[Request]:
    """Those that have a card: what waits for a person, a few that agents have, and the few that ended last."""
    waiting = [goal.requests.by_id[one] for ids in goal.requests.open_for.values() for one in ids]
    owed = [goal.requests.by_id[one] for one in goal.requests.owed]
    of_people = [one for one in (*waiting, *owed) if not between_agents(workspace, one)]
    of_agents = [one for one in waiting if between_agents(workspace, one)]
    ended = (one for one in goal.requests.by_id.values() if not one.is_open)
    shown = (
        *nsmallest(OPEN_SHOWN_MAX, of_people, key=_seq),
        *nsmallest(AGENTS_SHOWN_MAX, of_agents, key=_seq),
        *nlargest(CLOSED_SHOWN_MAX, ended, key=_end_seq),
    )
    yield from {one.request_id: one for one in shown}.values()


def _seq(request: Request) -> int:
    return request.seq


def _end_seq(request: Request) -> int:
    ended = request.withdrawn if request.returned is None else request.returned.mark
    return 0 if ended is None else ended.seq


def between_agents(workspace: Workspace, request: Request) -> bool:
    """Whether no person takes part in it."""
    return not (is_person(workspace, request.sender) or is_person(workspace, request.receiver))


def is_person(workspace: Workspace, member_id: MemberId) -> bool:
    """Whether this is a person who is still a member."""
    member = registered(workspace, member_id)
    return member is not None and member.kind == "person"


def need_of(goal: Goal, request: Request) -> RequestNeed:
    """What has to happen next for a request."""
    if request.withdrawn is not None:
        return "nothing"
    if request.returned is not None:
        # That a result arrived may be said of a goal that is over as well.
        return "acknowledge" if request.delivered is None else "nothing"
    if goal.state in CLOSED:
        return "nothing"
    if request.adopted is None:
        return "answer"
    work = work_of(goal, request)
    if work is None:
        return "plan"
    return "return" if work.status == "done" else "work"


def work_of(goal: Goal, request: Request) -> Work | None:
    """The work that fulfils it; what was taken out is none."""
    todo = None if request.todo_id is None else goal.todos[request.todo_id]
    return None if todo is None or todo.status == "cancelled" else Work(todo.title, todo.status)


def waits_for(goal: Goal, request: Request) -> MemberId | None:
    """Whose move it is."""
    match need_of(goal, request):
        case "nothing":
            return None
        case "acknowledge":
            return request.sender
        case _:
            return request.receiver


def request_view(workspace: Workspace, goal: Goal, request: Request) -> RequestView:
    """A request as a chat may see it."""
    work, returned, answered = work_of(goal, request), request.returned, request.answered
    next_one, among_agents = waits_for(goal, request), between_agents(workspace, request)
    blocked = None if request.blocks_todo_id is None else goal.todos.get(request.blocks_todo_id)
    return RequestView(
        request_id=request.request_id,
        status=_status(goal, request),
        # A result between agents is theirs to fetch: no card waits for that.
        open=next_one is not None and not (among_agents and returned is not None),
        need=need_of(goal, request),
        waits_for="" if next_one is None else name_of(workspace, next_one),
        between_agents=among_agents,
        sender=name_of(workspace, request.sender),
        receiver=name_of(workspace, request.receiver),
        sent_at_ms=request.at_ms,
        purpose=request.purpose,
        context=request.context,
        constraints=request.constraints,
        inputs=tuple(
            RequestInputView(ref=one.ref, description=one.description, sha256=one.sha256, relation=one.relation)
            for one in request.inputs
        ),
        acceptance=request.acceptance,
        return_requirement=request.return_requirement,
        waiting_work="" if blocked is None else blocked.title,
        answer=None if answered is None else answered.answer,
        answer_reason="" if answered is None else answered.reason,
        work="" if work is None else work.title,
        work_status="" if work is None else work.status,
        facts=_facts(workspace, request),
        summary="" if returned is None else returned.summary,
        automatic=returned is not None and returned.automatic,
        evidence=() if returned is None else tuple(_evidence(goal, one) for one in returned.artifact_ids),
        withdrawn_reason=request.withdrawn_reason,
        returnable=returnable(goal, request) if is_person(workspace, request.receiver) else (),
        cause=_cause(workspace, goal, request),
    )


def request_offers(workspace: Workspace, goal: Goal, request: Request) -> tuple[Offer, ...]:
    """What its people may do now; of a request between agents nothing.

    Put off and answered again, planned and planned again after the work was taken out: the same button means another
    press each time, so it is told apart by what happened last.
    """
    subject, offers = f"request:{goal.goal_id}:{request.request_id}", []
    turn = _last(request).seq if _last(request).seq != request.seq else 0
    need = need_of(goal, request)
    if is_person(workspace, request.receiver):
        if need == "answer":
            offers.append(Offer("request.respond", subject, None, turn))
            if request.received is None:
                offers.append(Offer("request.receive", subject, None))
        if need == "plan" and goal.is_executable:
            offers.append(Offer("request.commit", subject, None, turn))
        if need in {"plan", "return"} and returnable(goal, request):
            offers.append(Offer("request.return", subject, None))
    if is_person(workspace, request.sender):
        if need == "acknowledge":
            offers.append(Offer("request.acknowledge", subject, None))
        elif need != "nothing":
            offers.append(Offer("request.withdraw", subject, None))
    return tuple(offers)


def may_press(request: Request, action: str, member_id: MemberId) -> bool:
    """Whether a person's own copy of the card carries this button: what is only for the other one does not."""
    side = request.sender if action in {"request.acknowledge", "request.withdraw"} else request.receiver
    return side == member_id


def returnable(goal: Goal, request: Request) -> tuple[EvidenceView, ...]:
    """What its receiver may hand back by the rules: their own evidence, and what was handed in for its work."""
    if need_of(goal, request) not in {"plan", "return"}:
        return ()
    found = (
        artifact
        for artifact in reversed(goal.artifacts.values())
        if artifact.submitted_by == request.receiver or (artifact.todo_id and artifact.todo_id == request.todo_id)
    )
    return tuple(
        EvidenceView(artifact_id=one.artifact_id, label=one.label, sha256=one.sha256)
        for one, _ in zip(found, range(RETURNABLE_MAX), strict=False)
    )


def _status(goal: Goal, request: Request) -> RequestStatusName:
    if request.is_open and goal.state in CLOSED:
        return "ended"
    if request.returned is not None and request.delivered is None and request.returned.outcome != "result":
        return request.returned.outcome
    return cast("RequestStatusName", status_of(request))


def _facts(workspace: Workspace, request: Request) -> tuple[RequestFact, ...]:
    marks: tuple[tuple[FactName, Mark | None], ...] = (
        ("received", request.received),
        ("answered", None if request.answered is None else request.answered.mark),
        ("committed", request.committed),
        ("returned", None if request.returned is None else request.returned.mark),
        ("delivered", request.delivered),
    )
    return tuple(
        RequestFact(
            fact=fact,
            actor_name="" if mark is None else name_of(workspace, mark.actor),
            at_ms=None if mark is None else mark.at_ms,
        )
        for fact, mark in marks
    )


def _evidence(goal: Goal, artifact_id: ArtifactId) -> EvidenceView:
    artifact = goal.artifacts[artifact_id]
    return EvidenceView(artifact_id=artifact_id, label=artifact.label, sha256=artifact.sha256)


def _last(request: Request) -> Mark:
    """The newest of its facts."""
    marks = (
        request.received,
        None if request.answered is None else request.answered.mark,
        request.committed,
        None if request.returned is None else request.returned.mark,
        request.delivered,
        request.withdrawn,
    )
    sent = Mark(seq=request.seq, actor=request.sender, at_ms=request.at_ms)
    return max((sent, *(mark for mark in marks if mark is not None)), key=lambda mark: mark.seq)


def _cause(workspace: Workspace, goal: Goal, request: Request) -> Cause:
    """The event that made it so. The hash is kept by the ledger alone, and so is left out."""
    if request.is_open and goal.state in CLOSED:
        note = cause_of(goal)
        seq, kind, actor, at_ms, short_hash = note.seq, note.kind, note.actor, note.at_ms, note.short_hash
    else:
        last, short_hash = _last(request), ""
        seq, kind, actor, at_ms = last.seq, _kind_of(request, last), last.actor, last.at_ms
    return Cause(
        seq=seq, kind=kind, actor_id=actor, actor_name=name_of(workspace, actor), at_ms=at_ms, short_hash=short_hash
    )


def _kind_of(request: Request, mark: Mark) -> str:
    answered = None if request.answered is None else request.answered.mark
    returned = None if request.returned is None else request.returned.mark
    named = (
        ("withdrawn", request.withdrawn),
        ("delivered", request.delivered),
        ("returned", returned),
        ("committed", request.committed),
        ("answered", answered),
        ("received", request.received),
    )
    return next((f"request.{name}" for name, one in named if one == mark), "request.sent")
