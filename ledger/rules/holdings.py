"""What is held in a goal, by claims and by leases, and how all of it ends."""

from collections.abc import Iterator

from ledger.events import Draft
from ledger.ids import MemberId, TodoId
from ledger.rules.leases import effective_claim, effective_lease, given_back, lapse
from ledger.rules.todo_events import TodoReleased
from ledger.state import Goal

OFFENDERS_SHOWN_MAX = 10


def lapses(goal: Goal, now_ms: int) -> Iterator[Draft]:
    """The expiry of every lease of the goal that has passed its end."""
    return (draft for todo_id in goal.lapsed(now_ms) for draft in lapse(goal, todo_id, now_ms))


def still_held(goal: Goal, now_ms: int) -> list[dict[str, object]]:
    """What somebody holds now: open claims and live leases, each once."""
    found: list[dict[str, object]] = []
    for todo_id in [todo_id for mine in goal.mine.values() for todo_id in mine]:
        owner, lease = effective_claim(goal, goal.todos[todo_id], now_ms), effective_lease(goal, todo_id, now_ms)
        if owner is not None:
            found.append({"todo_id": todo_id, "owner": owner, "hold": "claim" if lease is None else "lease"})
    return found


def everything_held(goal: Goal, member_id: MemberId) -> Iterator[Draft]:
    """The ends of all that a member holds in a goal, so that others can go on with it."""
    for todo in goal.todos.values():
        if todo.claimed_by != member_id:
            continue
        lease = goal.leases.get(todo.todo_id)
        if lease is not None and lease.status == "active":
            yield Draft(facts=given_back(lease), goal_id=goal.goal_id)
        else:
            yield Draft(facts=TodoReleased(todo_id=todo.todo_id), goal_id=goal.goal_id)


def end_lease(goal: Goal, todo_id: TodoId, now_ms: int) -> tuple[Draft, ...]:
    """The end of whatever lease is on the todo."""
    lease = goal.leases.get(todo_id)
    if lease is None or lease.status != "active":
        return ()
    if lease.expires_at_ms <= now_ms:
        return lapse(goal, todo_id, now_ms)
    return (Draft(facts=given_back(lease), goal_id=goal.goal_id),)
