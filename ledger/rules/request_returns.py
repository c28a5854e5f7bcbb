"""What comes back from requests: returns made by finished work, those still owed, and who waits for whom.

A return is a fact of its own, apart from its delivery: it is owed to the conversation the request came from until
somebody records that it arrived there, however often the program restarts in between.
"""

from ledger.events import Draft
from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.parts.requests import Request, ReturnOutcome
from ledger.rules.request_events import RequestReturned, ReturnWords
from ledger.state import Goal


def returns_due(goal: Goal) -> tuple[Request, ...]:
    """The requests whose return has not reached its origin, first returned first; each names its origin."""
    return tuple(goal.requests.by_id[request_id] for request_id in goal.requests.owed)


def returns_for(goal: Goal, todo_id: TodoId, evidence: tuple[ArtifactId, ...], summary: str = "") -> tuple[Draft, ...]:
    """The returns that go with the completion of a todo, in its group of events: one for each request it fulfils."""
    return tuple(
        returned(goal, request_id, "result", evidence, summary, automatic=True)
        for request_id in goal.requests.of_todo.get(todo_id, ())
    )


def returned(
    goal: Goal,
    request_id: str,
    outcome: ReturnOutcome,
    artifact_ids: tuple[ArtifactId, ...],
    summary: str,
    *,
    automatic: bool = False,
) -> Draft:
    """One return; its digests are those that the ledger has for the artifacts."""
    return Draft(
        facts=RequestReturned(
            request_id=request_id,
            outcome=outcome,
            artifact_ids=artifact_ids,
            digests=tuple(goal.artifacts[artifact_id].sha256 for artifact_id in artifact_ids),
            automatic=automatic,
        ),
        words=ReturnWords(summary=summary) if summary else None,
        goal_id=goal.goal_id,
    )


def waiters(goal: Goal, parent_id: str | None, blocks_todo_id: TodoId | None) -> dict[str, MemberId]:
    """Every open request that would wait for one with this parent and this waiting todo, with its sender.

    A request waits for its children and for its work; work waits for its dependencies, for the requests that name it
    and for the work that it was put off until.
    """
    found: dict[str, MemberId] = {}
    todos: set[TodoId] = set()
    ahead: list[tuple[str | None, TodoId | None]] = [(parent_id, blocks_todo_id)]
    while ahead:
        request_id, todo_id = ahead.pop()
        if request_id is not None and request_id not in found and goal.requests.by_id[request_id].is_open:
            request = goal.requests.by_id[request_id]
            found[request_id] = request.sender
            ahead.append((request.parent_id, request.blocks_todo_id))
        if todo_id is not None and todo_id not in todos:
            todos.add(todo_id)
            ahead += [(other, None) for other in goal.requests.of_todo.get(todo_id, ())]
            ahead += [(None, other) for other in goal.waiting.get(todo_id, ())]
            ahead += [(None, other) for other in goal.handoffs.awaiting.get(todo_id, ())]
    return found
