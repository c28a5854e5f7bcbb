"""What is going on in the workspace: its goals, and what waits for whom, most urgent first."""

from itertools import islice

from ledger.outlines import outline_of
from ledger.projections.channel import SEVERITIES, attention_item, read_goal, severity_of
from ledger.projections.privacy import Screen
from ledger.records import Outline
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339

TITLE_CHARS_MAX = 120
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


def status_document(workspace: Workspace, limit: int, now_ms: int) -> dict[str, object]:
    """The workspace at a glance. The queue has the most urgent open goals; those it has no room for are counted."""
    totals: dict[str, int] = {}
    for held in workspace.goals.held():
        totals[held.state] = totals.get(held.state, 0) + 1
    live = workspace.goals.live()
    read = [(goal, read_goal(workspace, goal, now_ms)) for goal in live]
    ranked = sorted(read, key=lambda row: _RANK[severity_of(*row)])
    items = [attention_item(workspace, goal, found, now_ms) for goal, found in ranked[:limit]]
    newest = islice(workspace.goals.newest(), limit)
    return {
        "schema_version": "frontstage_status_v1",
        "mode": "read_only",
        "workspace": {
            "name": workspace.name,
            "members": sum(not member.revoked and member.kind != "bot" for member in workspace.members.values()),
        },
        "generated_at": rfc3339(workspace.at_ms),
        "goals": [goal_row(held) for held in newest],
        "goals_total": len(workspace.goals),
        "goals_by_state": totals,
        "attention_queue": {
            "items": items,
            "total": len(live),
            "needing_somebody": sum(severity_of(*row) != "info" for row in read),
        },
    }


def goal_row(held: Goal | Outline) -> dict[str, object]:
    """One goal in a list, in memory or not."""
    outline = outline_of(held)
    cause = outline.cause
    return {
        "goal_id": outline.goal_id,
        "display_name": Screen().show(outline.title, TITLE_CHARS_MAX, "display_name"),
        "state": outline.state,
        "priority": outline.priority,
        "revision": outline.number,
        "pending_revision": outline.pending or None,
        "todos": {
            "open": outline.opened,
            "blocked": outline.blocked,
            "done": outline.done,
            "total": outline.opened + outline.blocked + outline.deferred + outline.done,
        },
        "cause": {"seq": cause.seq, "kind": cause.kind, "actor": cause.actor, "at": rfc3339(cause.at_ms)},
    }
