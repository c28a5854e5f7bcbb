"""What is going on in the workspace: its goals, and what waits for whom, most urgent first."""

from itertools import islice

from ledger.projections.channel import SEVERITIES, attention_item, cause_of, read_goal, severity_of
from ledger.projections.holds import listed_todos
from ledger.projections.privacy import Screen
from ledger.records import CLOSED
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339

TITLE_CHARS_MAX = 120
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


def status_document(workspace: Workspace, limit: int, now_ms: int) -> dict[str, object]:
    """The workspace at a glance. The queue has the most urgent open goals; those it has no room for are counted."""
    totals: dict[str, int] = {}
    for goal in workspace.goals.values():
        totals[goal.state] = totals.get(goal.state, 0) + 1
    live = [goal for goal in workspace.goals.values() if goal.state not in CLOSED]
    read = [(goal, read_goal(workspace, goal, now_ms)) for goal in live]
    ranked = sorted(read, key=lambda row: _RANK[severity_of(*row)])
    items = [attention_item(workspace, goal, found, now_ms) for goal, found in ranked[:limit]]
    newest = islice(reversed(workspace.goals.values()), limit)
    return {
        "schema_version": "frontstage_status_v1",
        "mode": "read_only",
        "workspace": {
            "name": workspace.name,
            "members": sum(not member.revoked and member.kind != "bot" for member in workspace.members.values()),
        },
        "generated_at": rfc3339(workspace.at_ms),
        "goals": [goal_row(goal) for goal in newest],
        "goals_total": len(workspace.goals),
        "goals_by_state": totals,
        "attention_queue": {
            "items": items,
            "total": len(live),
            "needing_somebody": sum(severity_of(*row) != "info" for row in read),
        },
    }


def goal_row(goal: Goal) -> dict[str, object]:
    """One goal in a list."""
    intent, counts, cause = goal.intent, listed_todos(goal, 0).counts, cause_of(goal)
    return {
        "goal_id": goal.goal_id,
        "display_name": Screen().show(intent.title, TITLE_CHARS_MAX, "display_name"),
        "state": goal.state,
        "priority": intent.priority,
        "revision": intent.number,
        "pending_revision": goal.pending or None,
        "todos": {
            "open": counts.open,
            "blocked": counts.blocked,
            "done": counts.done,
            "total": counts.all - counts.cancelled,
        },
        "cause": {"seq": cause.seq, "kind": cause.kind, "actor": cause.actor, "at": rfc3339(cause.at_ms)},
    }
