"""`goal_channel_projection_v0`: a goal as everyone in its channel may see it.

The channel is a view; the ledger is the truth. The projection is a pure fold of the state at one event, field for
field as the published schema has it, with what an owner needs beside it: the objective, who is responsible, until
when work is claimed and where it may write, the event that made this true, and the next safe action. It carries no
key, no Lark id, no command line, and no text that the privacy screen withholds.
"""

from itertools import islice
from typing import Final, NamedTuple

from ledger.ids import MemberId
from ledger.projections.gates import open_gate_rows
from ledger.projections.held import held_by
from ledger.projections.holds import (
    Hold,
    Listed,
    claimed_until_ms,
    held_todos,
    hold_of,
    holders,
    listed_todos,
    name_of,
    people_of,
)
from ledger.projections.privacy import Screen, clip
from ledger.projections.steps import Given, Step, next_step
from ledger.projections.verdict import decision_frame, goal_verdict, quota_document
from ledger.records import CLOSED, EventNote, Todo
from ledger.rules.common import owners_of, unmet
from ledger.rules.quota import QuotaDecision
from ledger.state import Goal, Workspace
from ledger.text.lines import step_line
from ledger.text.times import rfc3339, rfc3339_or_none

SCHEMA_VERSION: Final = "goal_channel_projection_v0"
DISPLAY_NAME_CHARS_MAX = 120
WAITING_ON_CHARS_MAX = 80
LATEST_STATUS_CHARS_MAX = 160
NEXT_ACTION_CHARS_MAX = 260
TITLE_CHARS_MAX = 220
OBJECTIVE_CHARS_MAX = 2_000
LABEL_CHARS_MAX = 120
REASON_CHARS_MAX = 260
USER_TODOS_MAX = 3
ARTIFACTS_MAX = 10
PROPOSALS_MAX = 5

TRUTH_CONTRACT: Final[dict[str, object]] = {
    "source": "ledger",
    "statement": "This is a read-only view of the ledger. The ledger is the truth; nothing written here changes it.",
    "authority": "append_only_event_log",
    "writes_allowed": False,
}


class Reading(NamedTuple):
    """Everything several projections of one goal need, read once."""

    given: Given
    listed: Listed
    held: list[tuple[Todo, Hold]]
    step: Step


def read_goal(workspace: Workspace, goal: Goal, now_ms: int) -> Reading:
    """Read a goal at one moment."""
    given, listed = goal_verdict(workspace, goal, now_ms), listed_todos(goal)
    step = next_step(workspace, goal, given, listed, now_ms)
    return Reading(given, listed, held_todos(goal, now_ms), step)


def channel_projection(
    workspace: Workspace, goal: Goal, now_ms: int, reading: Reading | None = None
) -> dict[str, object]:
    """The projection of one goal. It is true at the goal's last event, until a lease of it ends."""
    found = reading or read_goal(workspace, goal, now_ms)
    screen, intent, cause = Screen(), goal.intent, cause_of(goal)
    at = rfc3339(cause.at_ms)
    verdict = found.given.verdict
    users, agents = _todo_rows(workspace, goal, found.listed, screen, now_ms)
    return {
        "schema_version": SCHEMA_VERSION,
        "mode": "read_only",
        "goal_id": goal.goal_id,
        "display_name": screen.show(intent.title, DISPLAY_NAME_CHARS_MAX, "display_name"),
        "generated_at": at,
        "source_refs": {
            "status_generated_at": at,
            "active_state_updated_at": at,
            "latest_run_generated_at": None,
            "review_packet_generated_at": rfc3339_or_none(_review_at_ms(goal)),
        },
        "truth_contract": {**TRUTH_CONTRACT, "goal_seq": goal.last_seq, "short_hash": cause.short_hash},
        "state": goal.state,
        "revision": intent.number,
        "priority": intent.priority,
        "objective": screen.show(intent.objective, OBJECTIVE_CHARS_MAX, "objective"),
        "waiting_on": clip(waiting_on(goal, found), WAITING_ON_CHARS_MAX),
        "latest_status": clip(_latest_status(goal, found.listed), LATEST_STATUS_CHARS_MAX),
        "next_action": next_action(found.step),
        "next_safe_action": found.step.document(),
        "decision_frame": decision_frame(verdict),
        "quota": quota_document(goal, verdict, None, now_ms),
        "responsible": people_of(workspace, responsible_of(workspace, goal, found)),
        "claimed_until": rfc3339_or_none(claimed_until_ms(goal, now_ms)),
        "write_scopes": list(intent.write_scopes),
        "user_todos": users,
        "agent_todos": agents,
        "todo_totals": {**found.listed.counts._asdict(), "listed": len(users) + len(agents)},
        "proposals": _proposal_rows(workspace, goal, screen),
        "proposals_total": len(goal.handoffs.proposals),
        "open_gates": open_gates(workspace, goal, screen, now_ms),
        "artifacts": _artifact_rows(goal, screen),
        "artifacts_total": len(goal.artifacts),
        "active_leases": [_hold_row(todo, hold) for todo, hold in found.held],
        "recent_events": [_event_row(note) for note in reversed(goal.recent)],
        "cause": cause_row(workspace, cause),
        "source_warnings": screen.warnings,
    }


def cause_of(goal: Goal) -> EventNote:
    """The event that made the goal what it is now."""
    assert goal.cause is not None, "a goal exists by an event"
    return goal.cause


def cause_row(workspace: Workspace, cause: EventNote) -> dict[str, object]:
    """The event that made something true: its place in the ledger, by whom, and when."""
    return {
        "seq": cause.seq,
        "kind": cause.kind,
        "actor": cause.actor,
        "actor_name": name_of(workspace, cause.actor),
        "at": rfc3339(cause.at_ms),
        "short_hash": cause.short_hash,
    }


def next_action(step: Step) -> str:
    """The step as a sentence for people; programs read `next_safe_action`."""
    return clip(step_line(step.key, step.subject, "en"), NEXT_ACTION_CHARS_MAX)


def waiting_on(goal: Goal, found: Reading) -> str:
    """Whom the goal waits for, in the schema's words."""
    if goal.state in CLOSED:
        return "nobody"
    if found.step.by == "owner":
        return "controller" if found.step.key == "goal.revise" else "user_or_controller"
    return "controller" if found.step.by == "operator" else "codex"


def responsible_of(workspace: Workspace, goal: Goal, found: Reading) -> tuple[MemberId, ...]:
    """Who holds work; where nobody does, the people whose decision it waits for."""
    if goal.state in CLOSED:
        return ()
    if goal.state in {"proposed", "clarifying", "delivered", "paused"}:
        return owners_of(goal, workspace)
    return holders(found.held) or (found.step.members if found.step.by == "owner" else ())


def open_gates(workspace: Workspace, goal: Goal, screen: Screen, now_ms: int) -> list[dict[str, object]]:
    """Decisions that only people can make, with the work that waits for them: the owners' own first, then gates."""
    own = _owners_gates(goal)
    return own + open_gate_rows(workspace, goal, screen, now_ms, len(own))


def _owners_gates(goal: Goal) -> list[dict[str, object]]:
    gates: list[dict[str, object]] = []
    if goal.pending and goal.state not in CLOSED:
        kind = "amendment" if goal.confirmed else "owner_decision"
        blocks: list[str] = [] if goal.confirmed else [goal.goal_id]
        gates.append(
            _gate(f"{goal.goal_id}:revision:{goal.pending}", kind, blocks, goal.intents[goal.pending - 1].at_ms)
        )
    if goal.state == "delivered" and goal.delivery is not None:
        gates.append(
            _gate(f"{goal.goal_id}:delivery:{goal.delivery.number}", "acceptance", [goal.goal_id], goal.delivery.at_ms)
        )
    return gates


def _gate(gate_id: str, kind: str, blocks: list[str], opened_at_ms: int) -> dict[str, object]:
    return {
        "gate_id": gate_id,
        "kind": kind,
        "status": "waiting_on_user",
        "blocks": blocks,
        "opened_at": rfc3339(opened_at_ms),
    }


def _review_at_ms(goal: Goal) -> int | None:
    """When what is now before the owners was put there."""
    if goal.pending:
        return goal.intents[goal.pending - 1].at_ms
    return None if goal.delivery is None else goal.delivery.at_ms


def _latest_status(goal: Goal, listed: Listed) -> str:
    counts = listed.counts
    blocked = f", {counts.blocked} blocked" if counts.blocked else ""
    return f"{goal.state}: {counts.done} of {counts.all - counts.cancelled} todos done, {counts.open} open{blocked}"


def _todo_rows(
    workspace: Workspace, goal: Goal, listed: Listed, screen: Screen, now_ms: int
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    users: list[dict[str, object]] = []
    agents: list[dict[str, object]] = []
    for todo in listed.todos:
        if todo.role == "agent":
            agents.append(todo_row(workspace, goal, todo, screen, f"agent_todos[{len(agents)}]", now_ms))
        elif len(users) < USER_TODOS_MAX:
            users.append(todo_row(workspace, goal, todo, screen, f"user_todos[{len(users)}]", now_ms))
    return users, agents


def todo_row(workspace: Workspace, goal: Goal, todo: Todo, screen: Screen, path: str, now_ms: int) -> dict[str, object]:
    """One todo as a row: what, how urgent, who has it until when, what it waits for and what holds it back."""
    hold = hold_of(goal, todo, now_ms)
    row: dict[str, object] = {
        "todo_id": todo.todo_id,
        "title": screen.show(todo.title, TITLE_CHARS_MAX, f"{path}.title"),
        "status": todo.status,
        "priority": todo.priority,
        "role": todo.role,
        "claimed_by": hold.owner,
        "claim": hold.kind,
        "claimed_until": None if hold.lease is None else rfc3339(hold.lease.expires_at_ms),
        "waiting_for": unmet(goal, todo),
        "held_by": held_by(workspace, goal, todo, now_ms),
    }
    if todo.status == "blocked":
        row["reason"] = screen.show(todo.reason, REASON_CHARS_MAX, f"{path}.reason")
    return row


def _proposal_rows(workspace: Workspace, goal: Goal, screen: Screen) -> list[dict[str, object]]:
    """What was only proposed, oldest first: nobody's work until somebody who may decide lets it in."""
    first = [goal.todos[todo_id] for todo_id in islice(goal.handoffs.proposals, PROPOSALS_MAX)]
    return [
        {
            "todo_id": todo.todo_id,
            "title": screen.show(todo.title, TITLE_CHARS_MAX, f"proposals[{place}].title"),
            "priority": todo.priority,
            "proposed_by": people_of(workspace, () if todo.proposed_by is None else (todo.proposed_by,)),
            "seq": todo.seq,
        }
        for place, todo in enumerate(first)
    ]


def _artifact_rows(goal: Goal, screen: Screen) -> list[dict[str, object]]:
    """The newest artifacts by name and digest; the ledger keeps no path to the thing itself."""
    newest = [artifact for artifact, _ in zip(reversed(goal.artifacts.values()), range(ARTIFACTS_MAX), strict=False)]
    return [
        {
            "kind": artifact.kind,
            "label": screen.show(artifact.label, LABEL_CHARS_MAX, f"artifacts[{place}].label"),
            "path": None,
            "artifact_id": artifact.artifact_id,
            "todo_id": artifact.todo_id,
            "sha256": artifact.sha256,
        }
        for place, artifact in enumerate(newest)
    ]


def _hold_row(todo: Todo, hold: Hold) -> dict[str, object]:
    """A soft claim or a lease, one row a todo; the execution key stays with the execution."""
    lease = hold.lease
    return {
        "todo_id": todo.todo_id,
        "owner_agent": hold.owner,
        "lease_until": None if lease is None else rfc3339(lease.expires_at_ms),
        "write_scope": list(todo.required_write_scopes if lease is None else lease.write_scopes),
        "kind": "soft_claim" if lease is None else "hard_lease",
        "version": None if lease is None else lease.version,
        "lease_epoch": None if lease is None else lease.lease_epoch,
    }


def _event_row(note: EventNote) -> dict[str, object]:
    return {
        "generated_at": rfc3339(note.at_ms),
        "classification": note.kind,
        "summary": f"{note.kind} {note.subject} by {note.actor}",
        "seq": note.seq,
    }


SEVERITIES: Final = ("high", "action", "watch", "info")


def attention_item(workspace: Workspace, goal: Goal, found: Reading, now_ms: int) -> dict[str, object]:
    """What a goal needs, from whom, how urgently, with the channel it is read from."""
    gates = open_gates(workspace, goal, Screen(), now_ms)
    return {
        "goal_id": goal.goal_id,
        "waiting_on": "user_or_controller" if gates else waiting_on(goal, found),
        "severity": severity_of(goal, found),
        "recommended_action": next_action(found.step),
        "gate_id": gates[0]["gate_id"] if gates else None,
        "gate_waits_for": gates[0].get("waits_for", list(owners_of(goal, workspace))) if gates else [],
        "goal_channel_projection": channel_projection(workspace, goal, now_ms, found),
    }


def severity_of(goal: Goal, found: Reading) -> str:
    """`high` and `action` need somebody now, `watch` soon, `info` nobody."""
    gates = [goal.gates.by_id[gate_id] for gate_id in goal.gates.waiting]
    if any(gate.severity in {"high", "critical"} for gate in gates):
        return "high"
    asked = bool(gates or _owners_gates(goal) or found.listed.blocked)
    if asked or (found.step.by in {"owner", "operator"} and goal.state != "paused"):
        return "high" if goal.intent.priority == "P0" else "action"
    if found.given.verdict.decision is QuotaDecision.RUN or found.step.by == "nobody":
        return "info"
    return "watch"
