"""Requests: what one peer asks of another, and the answer that comes back exactly once.

Five facts are kept apart: received (read), adopted (taken on), committed (there is work for it), returned (its result
exists) and delivered (the result reached the conversation it was asked in). None implies the next. A refusal and a
"nothing to change" are returns as well, so that whoever asked hears of every end. A brief that is too large is
refused; it is never cut. Nobody may wait for somebody who waits for them.
"""

from enum import StrEnum

import msgspec

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId
from ledger.parts.requests import Request
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.authority import only_proposes
from ledger.rules.common import Caller, Decision, Held, granted, is_owner, next_seq, refuse, registered
from ledger.rules.leases import effective_claim
from ledger.rules.request_events import (
    BriefWords,
    RequestAnswered,
    RequestCommitted,
    RequestDelivered,
    RequestReasonWords,
    RequestReceived,
    RequestSent,
    RequestWithdrawn,
)
from ledger.rules.request_params import (
    BRIEF_BYTES_MAX,
    AcknowledgeRequest,
    CommitRequest,
    ReceiveRequest,
    RespondRequest,
    ReturnRequest,
    SendRequest,
    WithdrawRequest,
)
from ledger.rules.request_returns import returned, waiters
from ledger.rules.todo_events import TodoAdded, TodoWords, as_proposal
from ledger.rules.todos import TODOS_MAX, fresh_id
from ledger.rules.waits import waited_for
from ledger.state import Goal, Workspace

REQUESTS_MAX = 5_000
"""Requests in one goal."""


class RequestRefusal(StrEnum):
    """Why an action on a request is refused, in order of precedence."""

    GOAL_CLOSED = "goal_closed"
    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    REQUEST_NOT_FOUND = "request_not_found"
    REQUEST_NOT_YOURS = "request_not_yours"
    REQUEST_CLOSED = "request_closed"
    REQUEST_EXISTS = "request_exists"
    TOO_MANY_REQUESTS = "too_many_requests"
    REQUEST_TOO_LARGE = "request_too_large"
    RECEIVER_NOT_REGISTERED = "receiver_not_registered"
    REQUEST_TO_YOURSELF = "request_to_yourself"
    INPUT_DIGEST_MISMATCH = "input_digest_mismatch"
    REQUEST_ANSWERED = "request_answered"
    REASON_REQUIRED = "reason_required"
    REQUEST_NOT_ADOPTED = "request_not_adopted"
    REQUEST_COMMITTED = "request_committed"
    WORK_REQUIRED = "work_required"
    TODO_NOT_FOUND = "todo_not_found"
    TODO_NOT_OPEN = "todo_not_open"
    CLAIM_OWNER_MISMATCH = "claim_owner_mismatch"
    TOO_MANY_TODOS = "too_many_todos"
    REQUEST_CYCLE = "request_cycle"
    REQUEST_WORK_OPEN = "request_work_open"
    ARTIFACT_NOT_FOUND = "artifact_not_found"
    ARTIFACT_OF_ANOTHER = "artifact_of_another"
    REQUEST_NOT_RETURNED = "request_not_returned"


def decide_send(workspace: Workspace, caller: Caller, ask: SendRequest, now_ms: int) -> Decision:
    """Ask: a peer who exists, a brief that fits, and nobody who would wait for himself."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if not goal.is_executable:
        return refuse(RequestRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    if not _takes_part(workspace, goal, caller.member_id):
        return refuse(RequestRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if (broken := _parent(goal, caller, ask)) is not None:
        return broken
    request_id = ask.request_id or _fresh_request_id(goal, next_seq(workspace))
    if request_id in goal.requests.by_id:
        return refuse(RequestRefusal.REQUEST_EXISTS, request_id=request_id)
    if len(goal.requests.by_id) >= REQUESTS_MAX:
        return refuse(RequestRefusal.TOO_MANY_REQUESTS, limit=REQUESTS_MAX)
    words = _brief(ask)
    if (size_bytes := len(msgspec.json.encode((words, [one.sha256 for one in ask.input])))) > BRIEF_BYTES_MAX:
        return refuse(RequestRefusal.REQUEST_TOO_LARGE, size_bytes=size_bytes, limit_bytes=BRIEF_BYTES_MAX)
    if (broken := _receiver(workspace, goal, caller, ask) or _inputs(goal, ask)) is not None:
        return broken
    if (broken := _waiting_todo(workspace, goal, caller, ask, now_ms) or _circle(goal, ask)) is not None:
        return broken
    sent = RequestSent(
        request_id=request_id,
        receiver=MemberId(ask.to),
        parent_id=ask.parent_id,
        blocks_todo_id=None if ask.blocks_todo_id is None else TodoId(ask.blocks_todo_id),
        input_digests=tuple(one.sha256 for one in ask.input),
        input_relations=tuple(one.relation for one in ask.input),
        origin_surface=caller.surface,
        origin_channel_id=caller.channel_id,
        origin_key=ask.origin,
    )
    return (Draft(facts=sent, words=words, goal_id=goal.goal_id),)


def _parent(goal: Goal, caller: Caller, ask: SendRequest) -> Refusal | None:
    if ask.parent_id is None:
        return None
    parent = goal.requests.by_id.get(ask.parent_id)
    if parent is None:
        return refuse(RequestRefusal.REQUEST_NOT_FOUND, request_id=ask.parent_id)
    if parent.receiver != caller.member_id:
        return refuse(RequestRefusal.REQUEST_NOT_YOURS, request_id=parent.request_id, member_id=parent.receiver)
    return None if parent.is_open else _closed(parent)


def _receiver(workspace: Workspace, goal: Goal, caller: Caller, ask: SendRequest) -> Refusal | None:
    if not _takes_part(workspace, goal, MemberId(ask.to)):
        return refuse(RequestRefusal.RECEIVER_NOT_REGISTERED, member_id=ask.to)
    return refuse(RequestRefusal.REQUEST_TO_YOURSELF) if ask.to == caller.member_id else None


def _takes_part(workspace: Workspace, goal: Goal, member_id: MemberId) -> bool:
    member = registered(workspace, member_id)
    return member is not None and (
        member.kind == "person" or (member.kind == "agent" and granted(member, goal.goal_id))
    )


def _brief(ask: SendRequest) -> BriefWords:
    return BriefWords(
        purpose=ask.purpose,
        context=ask.context,
        constraints=ask.constraint,
        input_refs=tuple(one.ref for one in ask.input),
        input_descriptions=tuple(one.description for one in ask.input),
        acceptance=ask.acceptance,
        return_requirement=ask.return_requirement,
    )


def _inputs(goal: Goal, ask: SendRequest) -> Refusal | None:
    """An input that names an artifact of the goal must have its digest: another one is another thing."""
    for one in ask.input:
        artifact = goal.artifacts.get(ArtifactId(one.ref))
        if artifact is not None and artifact.sha256 != one.sha256:
            return refuse(
                RequestRefusal.INPUT_DIGEST_MISMATCH, artifact_id=artifact.artifact_id, sha256=artifact.sha256
            )
    return None


def _waiting_todo(workspace: Workspace, goal: Goal, caller: Caller, ask: SendRequest, now_ms: int) -> Refusal | None:
    """Work may be made to wait by whoever holds it, by anyone while nobody does, and by an owner."""
    if ask.blocks_todo_id is None:
        return None
    todo = goal.todos.get(TodoId(ask.blocks_todo_id))
    if todo is None:
        return refuse(RequestRefusal.TODO_NOT_FOUND, todo_id=ask.blocks_todo_id)
    if todo.status in {"done", "cancelled"}:
        return refuse(RequestRefusal.TODO_NOT_OPEN, status=todo.status)
    holder = effective_claim(goal, todo, now_ms)
    if holder not in {None, caller.member_id} and not is_owner(goal, caller.member_id, workspace):
        return refuse(RequestRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    return None


def _circle(goal: Goal, ask: SendRequest) -> Refusal | None:
    """The receiver would wait for this request, if one of theirs waits for it already."""
    blocked = None if ask.blocks_todo_id is None else TodoId(ask.blocks_todo_id)
    waiting = waiters(goal, ask.parent_id, blocked)
    circle = [request_id for request_id, sender in waiting.items() if sender == ask.to]
    return refuse(RequestRefusal.REQUEST_CYCLE, requests=circle) if circle else None


def _fresh_request_id(goal: Goal, seq: int) -> str:
    first = f"request_{seq:06d}"
    tries = (first if number == 1 else f"{first}-{number}" for number in range(1, len(goal.requests.by_id) + 3))
    return next(request_id for request_id in tries if request_id not in goal.requests.by_id)


def decide_receive(workspace: Workspace, caller: Caller, ask: ReceiveRequest, _now_ms: int) -> Decision:
    """The receiver has read it."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    request = _mine_to_answer(workspace, goal, caller, ask.request_id)
    if isinstance(request, Refusal):
        return request
    if request.received is not None:
        return _held(request, request.received.seq)
    if not request.is_open:
        return _closed(request)
    return (_received(goal, request),)


def _received(goal: Goal, request: Request) -> Draft:
    return Draft(facts=RequestReceived(request_id=request.request_id), goal_id=goal.goal_id)


def decide_respond(workspace: Workspace, caller: Caller, ask: RespondRequest, _now_ms: int) -> Decision:
    """Answer it. What was put off may be answered again; a refusal and "nothing to change" go back as the return."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    request = _mine_to_answer(workspace, goal, caller, ask.request_id)
    if isinstance(request, Refusal):
        return request
    last = request.answered
    if last is not None and last.answer == ask.decision and request.withdrawn is None:
        return _held(request, last.mark.seq)
    if not request.is_open:
        return _closed(request)
    if last is not None and last.answer != "defer":
        return refuse(RequestRefusal.REQUEST_ANSWERED, request_id=request.request_id, answer=last.answer)
    if ask.decision != "adopt" and not ask.reason.strip():
        return refuse(RequestRefusal.REASON_REQUIRED, answer=ask.decision)
    read = () if request.received is not None else (_received(goal, request),)
    words = RequestReasonWords(reason=ask.reason) if ask.reason else None
    facts = RequestAnswered(request_id=request.request_id, answer=ask.decision)
    answered = (*read, Draft(facts=facts, words=words, goal_id=goal.goal_id))
    match ask.decision:
        case "reject":
            return (*answered, returned(goal, request.request_id, "rejected", (), ask.reason))
        case "no_change":
            return (*answered, returned(goal, request.request_id, "no_change", (), ask.reason))
        case _:
            return answered


def decide_commit(workspace: Workspace, caller: Caller, ask: CommitRequest, now_ms: int) -> Decision:
    """Name the work that fulfils it, or add it in the same group of events."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if goal.state not in CLOSED and not goal.is_executable:
        return refuse(RequestRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    request = _mine_to_answer(workspace, goal, caller, ask.request_id)
    if isinstance(request, Refusal):
        return request
    if not request.is_open:
        return _closed(request)
    if request.adopted is None:
        return refuse(RequestRefusal.REQUEST_NOT_ADOPTED, request_id=request.request_id)
    if (todo_id := _work_of(goal, request)) is not None and request.committed is not None:
        if ask.todo_id in {None, todo_id}:
            return _held(request, request.committed.seq)
        return refuse(RequestRefusal.REQUEST_COMMITTED, todo_id=todo_id)
    if ask.todo_id is None:
        return _with_new_todo(workspace, goal, caller, request, ask, now_ms)
    return _with_todo(goal, caller, request, TodoId(ask.todo_id), now_ms)


def _work_of(goal: Goal, request: Request) -> TodoId | None:
    """The work that fulfils it. Work that was taken out leaves it without any: other work may take its place."""
    todo_id = request.todo_id
    return todo_id if todo_id is not None and goal.todos[todo_id].status != "cancelled" else None


def _with_todo(goal: Goal, caller: Caller, request: Request, todo_id: TodoId, now_ms: int) -> Decision:
    todo = goal.todos.get(todo_id)
    if todo is None:
        return refuse(RequestRefusal.TODO_NOT_FOUND, todo_id=todo_id)
    if todo.status in {"done", "cancelled", "proposed"}:
        return refuse(RequestRefusal.TODO_NOT_OPEN, status=todo.status)
    holder = effective_claim(goal, todo, now_ms) or todo.bound_agent
    if holder not in {None, caller.member_id}:
        return refuse(RequestRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    if request.request_id in waited_for(goal, (todo_id,)):
        return refuse(RequestRefusal.REQUEST_CYCLE, requests=[request.request_id], todo_id=todo_id)
    return (_committed(goal, request, todo_id),)


def _with_new_todo(
    workspace: Workspace, goal: Goal, caller: Caller, request: Request, ask: CommitRequest, now_ms: int
) -> Decision:
    if ask.text is None:
        return refuse(RequestRefusal.WORK_REQUIRED, request_id=request.request_id)
    if len(goal.todos) >= TODOS_MAX:
        return refuse(RequestRefusal.TOO_MANY_TODOS, limit=TODOS_MAX)
    todo_id, by_agent = fresh_id(goal, next_seq(workspace)), caller.kind == "agent"
    facts = TodoAdded(
        todo_id=todo_id,
        role="agent" if by_agent else "user",
        priority=ask.priority,
        task_class="advancement_task" if by_agent else "user_action",
        action_kind=None,
        required_write_scopes=(),
        required_capabilities=(),
        depends_on=(),
        bound_agent=caller.member_id if by_agent else None,
        excluded_agents=(),
    )
    words = TodoWords(title=ask.text, acceptance="\n".join(request.acceptance))
    if only_proposes(workspace, caller.member_id, goal.goal_id, now_ms):
        facts = as_proposal(facts)
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id), _committed(goal, request, todo_id))


def _committed(goal: Goal, request: Request, todo_id: TodoId) -> Draft:
    return Draft(facts=RequestCommitted(request_id=request.request_id, for_todo_id=todo_id), goal_id=goal.goal_id)


def decide_return(workspace: Workspace, caller: Caller, ask: ReturnRequest, _now_ms: int) -> Decision:
    """Hand back the result, once: a second time nothing happens."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    request = _mine_to_answer(workspace, goal, caller, ask.request_id)
    if isinstance(request, Refusal):
        return request
    if request.returned is not None:
        return _held(request, request.returned.mark.seq)
    if request.withdrawn is not None:
        return _closed(request)
    if request.adopted is None:
        return refuse(RequestRefusal.REQUEST_NOT_ADOPTED, request_id=request.request_id)
    if (todo_id := _work_of(goal, request)) is not None and goal.todos[todo_id].status != "done":
        return refuse(RequestRefusal.REQUEST_WORK_OPEN, todo_id=todo_id)
    for artifact_id in ask.artifact:
        artifact = goal.artifacts.get(ArtifactId(artifact_id))
        if artifact is None:
            return refuse(RequestRefusal.ARTIFACT_NOT_FOUND, artifact_id=artifact_id)
        if artifact.submitted_by != caller.member_id and artifact.todo_id != (request.todo_id or ""):
            return refuse(RequestRefusal.ARTIFACT_OF_ANOTHER, artifact_id=artifact_id, member_id=artifact.submitted_by)
    artifacts = tuple(ArtifactId(artifact_id) for artifact_id in ask.artifact)
    return (returned(goal, request.request_id, "result", artifacts, ask.summary),)


def decide_acknowledge(workspace: Workspace, caller: Caller, ask: AcknowledgeRequest, _now_ms: int) -> Decision:
    """The return has reached its origin: the sender says so, or the channel that carried it."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    request = goal.requests.by_id.get(ask.request_id)
    if request is None:
        return refuse(RequestRefusal.REQUEST_NOT_FOUND, request_id=ask.request_id)
    if caller.kind != "bot" and caller.member_id != request.sender:
        return refuse(RequestRefusal.REQUEST_NOT_YOURS, request_id=request.request_id, member_id=request.sender)
    if request.delivered is not None:
        return _held(request, request.delivered.seq)
    if request.returned is None:
        return refuse(RequestRefusal.REQUEST_NOT_RETURNED, request_id=request.request_id)
    return (Draft(facts=RequestDelivered(request_id=request.request_id), goal_id=goal.goal_id),)


def decide_withdraw(workspace: Workspace, caller: Caller, ask: WithdrawRequest, _now_ms: int) -> Decision:
    """Take it back: whoever sent it may, and an owner."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    request = goal.requests.by_id.get(ask.request_id)
    if request is None:
        return refuse(RequestRefusal.REQUEST_NOT_FOUND, request_id=ask.request_id)
    if caller.member_id != request.sender and not is_owner(goal, caller.member_id, workspace):
        return refuse(RequestRefusal.REQUEST_NOT_YOURS, request_id=request.request_id, member_id=request.sender)
    if request.withdrawn is not None:
        return _held(request, request.withdrawn.seq)
    if not request.is_open:
        return _closed(request)
    words = RequestReasonWords(reason=ask.reason) if ask.reason else None
    facts = RequestWithdrawn(request_id=request.request_id)
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def _mine_to_answer(workspace: Workspace, goal: Goal, caller: Caller, request_id: str) -> Request | Refusal:
    """The request, if it was made to the caller."""
    if goal.state in CLOSED:
        return refuse(RequestRefusal.GOAL_CLOSED, state=goal.state)
    if not _takes_part(workspace, goal, caller.member_id):
        return refuse(RequestRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    request = goal.requests.by_id.get(request_id)
    if request is None:
        return refuse(RequestRefusal.REQUEST_NOT_FOUND, request_id=request_id)
    if request.receiver != caller.member_id:
        return refuse(RequestRefusal.REQUEST_NOT_YOURS, request_id=request_id, member_id=request.receiver)
    return request


def _held(request: Request, seq: int) -> Held:
    return Held(seq=seq, facts={"request_id": request.request_id})


def _closed(request: Request) -> Refusal:
    ended = "withdrawn" if request.returned is None else request.returned.outcome
    return refuse(RequestRefusal.REQUEST_CLOSED, request_id=request.request_id, ended=ended)
