"""Outlines: when a goal is over, and what is said of it where it is one of many.

An outline is a function of the goal and of nothing else, so that a list shows the same row for a goal in memory and for
one that was put away.
"""

from ledger.records import CLOSED, Outline
from ledger.state import Goal, Workspace


def is_over(goal: Goal) -> bool:
    """Whether nothing can come of the goal by itself: it is closed, no time is due in it, and nobody owes an answer.

    A gate that a closed goal left open waits for nobody: deciding it is refused.
    """
    return goal.state in CLOSED and not (
        goal.due
        or goal.slots.due
        or goal.handoffs.due
        or goal.handoffs.ripe
        or goal.handoffs.wanting
        or goal.requests.owed
        or goal.requests.open_for
    )


def outline_of(goal: Goal | Outline) -> Outline:
    """What is said of the goal in a list."""
    if isinstance(goal, Outline):
        return goal
    assert goal.cause is not None, "a goal exists by an event"
    intent = goal.intent
    return Outline(
        goal_id=goal.goal_id,
        created_seq=goal.created_seq,
        last_seq=goal.last_seq,
        state=goal.state,
        proposed_by=goal.proposed_by,
        number=intent.number,
        pending=goal.pending,
        confirmed=goal.confirmed,
        priority=intent.priority,
        title=intent.title,
        private=intent.private,
        owners=intent.owners,
        approvers=intent.approvers,
        opened=len(goal.by_priority),
        blocked=len(goal.blocked),
        deferred=len(goal.handoffs.deferrals),
        done=goal.done_total,
        cause=goal.cause,
        channels=goal.channels.copy(),
        asks=goal.question is not None,
        reviews=tuple((one.number, one.status == "open") for one in goal.intents),
        deliveries=tuple((one.number, one.status == "open") for one in goal.deliveries),
        holders=tuple(dict.fromkeys(todo.claimed_by for todo in goal.todos.values() if todo.claimed_by is not None)),
    )


def put_away(workspace: Workspace, closed_max: int, through_seq: int, count_max: int) -> list[Goal]:
    """Let goals that are over leave memory, beyond so many; returns those that went, which may be kept elsewhere.

    A goal whose last event is after `through_seq` stays: what is not durable yet could not be read back.
    """
    if workspace.goals.loader is None:
        return []
    beyond = [goal for goal in workspace.goals.to_let_go(closed_max, is_over) if goal.last_seq <= through_seq]
    for goal in beyond[:count_max]:
        workspace.goals.put_away(outline_of(goal))
    return beyond[:count_max]
