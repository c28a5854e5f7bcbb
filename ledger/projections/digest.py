"""What changed since an event, as plain rows: the material facts that are true now and were made true after it.

A digest is of states, not of events: work that was added and finished since is one row, and a lease that was renewed a
hundred times is none. Where nothing material changed it is empty and says so, however many events there were.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.projections.attention import is_for, read_open_goals
from ledger.projections.channel import cause_of, read_goal
from ledger.projections.needs import Need, needs_of
from ledger.projections.overview import head_of
from ledger.projections.privacy import Screen
from ledger.projections.requests import status_of
from ledger.records import Outline
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules import view_params
from ledger.rules.common import Caller, refuse, registered
from ledger.rules.goals import GoalRefusal
from ledger.rules.runs import replan_cause
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339

Document = dict[str, object]
TEXT_CHARS_MAX = 160
MATERIAL: Final = (
    "goal", "revision", "question", "delivery", "todo", "artifact", "gate", "plan", "amendment", "request",
    "replan", "grant", "standing_grant",
)  # fmt: skip
"""What a row can be about."""


class Change(NamedTuple):
    """One material fact: since which event, about what, what is true of it now, by whom, and the words that name it."""

    seq: int
    kind: str
    subject: str
    now: str
    actor: str | None
    text: str = ""


def _show(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("view_params.ShowDigest", asked)
    goal = None if ask.goal_id is None else workspace.goals.get(GoalId(ask.goal_id))
    if ask.goal_id is not None and goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    if ask.since > workspace.seq:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="since", problem="is after the last event")
    found = list(_changes(workspace, goal, ask.since))
    found.sort(key=lambda row: (row[1].seq, row[0] or "", row[1].kind, row[1].subject))
    needs = _needs(workspace, goal, now_ms)
    mine = registered(workspace, caller.member_id)
    yours = needs if mine is None else [need for need in needs if is_for(need, caller.member_id)]
    screen = Screen()
    newest = found[-ask.limit :]
    return {
        "schema_version": "frontstage_digest_v1",
        "mode": "read_only",
        "goal_id": ask.goal_id,
        "since": ask.since,
        "head": head_of(workspace) if goal is None else _goal_head(goal),
        "unchanged": not found,
        "changes": [_row(goal_id, one, screen, f"changes[{at}]") for at, (goal_id, one) in enumerate(newest)],
        "total": len(found),
        "earlier": len(found) - len(newest),
        "needs_you": len(yours),
        "needs_somebody": len(needs),
        "source_warnings": screen.warnings,
    }


def _needs(workspace: Workspace, goal: Goal | None, now_ms: int) -> list[Need]:
    if goal is None:
        return [need for _, _, needs in read_open_goals(workspace, now_ms) for need in needs]
    return needs_of(workspace, goal, read_goal(workspace, goal, now_ms), now_ms)


def _goal_head(goal: Goal) -> Document:
    """The last event that changed the goal; the ledger's own head stands beside the document, where it is served."""
    cause = cause_of(goal)
    return {"seq": cause.seq, "short_hash": cause.short_hash, "at": rfc3339(cause.at_ms)}


def _row(goal_id: str | None, change: Change, screen: Screen, path: str) -> Document:
    return {
        "seq": change.seq,
        "goal_id": goal_id,
        "kind": change.kind,
        "subject": change.subject,
        "now": change.now,
        "actor": change.actor,
        "text": screen.show(change.text, TEXT_CHARS_MAX, f"{path}.text"),
    }


def _changes(workspace: Workspace, only: Goal | None, since: int) -> Iterator[tuple[str | None, Change]]:
    yield from changes_in(workspace, workspace.goals.held() if only is None else (only,), since)
    if only is None:
        yield from ((None, one) for one in _of_workspace(workspace) if one.seq > since)


def changes_in(workspace: Workspace, goals: Iterable[Goal | Outline], since: int) -> Iterator[tuple[GoalId, Change]]:
    """The material facts of these goals that were made true after an event."""
    for held in goals:
        if held.last_seq > since:
            goal = workspace.goals.whole(held)
            yield from ((goal.goal_id, one) for part in _PARTS for one in part(goal, since) if one.seq > since)


def _of_workspace(workspace: Workspace) -> Iterator[Change]:
    for grant in workspace.authority.grants.values():
        now = "ended" if grant.ended else "in_force"
        yield Change(grant.seq, "grant", grant.grant_id, now, grant.granted_by, grant.member_id)
    for one in workspace.grants.by_id.values():
        now = "revoked" if one.revoked else one.verdict
        yield Change(max(one.seq, one.revoked_seq), "standing_grant", one.grant_id, now,
                     one.revoked_by or one.granted_by, one.decision_scope)  # fmt: skip


def _promise(goal: Goal, _since: int) -> Iterator[Change]:
    note = goal.state_note
    yield Change(goal.state_seq, "goal", goal.goal_id, goal.state, None if note is None else note.actor,
                 goal.intent.title)  # fmt: skip
    for intent in goal.intents:
        yield Change(intent.note.seq, "revision", str(intent.number), intent.status, intent.note.actor, intent.title)
    for delivery in goal.deliveries:
        note = delivery.note
        yield Change(note.seq, "delivery", str(delivery.number), delivery.status, note.actor, delivery.summary)
    if (question := goal.question) is not None:
        asked = int(question.question_id.removeprefix("q_"))
        yield Change(asked, "question", question.question_id, "open", question.asked_by, question.text)


def _work(goal: Goal, since: int) -> Iterator[Change]:
    for todo in goal.todos.values():
        if todo.status_seq > since:
            actor = todo.completed_by if todo.status == "done" else None
            yield Change(todo.status_seq, "todo", todo.todo_id, todo.status, actor, todo.title)
    for artifact_id, artifact in goal.artifacts.items():
        decision, undone = goal.reviews.decisions.get(artifact_id), goal.reviews.undone.get(artifact_id)
        if undone is not None:
            yield Change(undone.seq, "artifact", artifact_id, undone.how, None, artifact.label)
        elif decision is not None:
            yield Change(decision.seq, "artifact", artifact_id, decision.verdict, decision.reviewer, artifact.label)
        else:
            submitted = int(artifact_id.removeprefix("art_"))
            yield Change(submitted, "artifact", artifact_id, "submitted", artifact.submitted_by, artifact.label)


def _decisions(goal: Goal, _since: int) -> Iterator[Change]:
    for gate in goal.gates.by_id.values():
        yield Change(
            gate.changed_seq, "gate", gate.gate_id, gate.status, gate.resolved_by or gate.opened_by, gate.question
        )
    for plan in goal.plans.by_id.values():
        actor = plan.decided_by or plan.proposed_by
        yield Change(plan.decided_seq or plan.seq, "plan", plan.plan_id, plan.outcome or plan.status, actor)
    for one in goal.amendments.by_id.values():
        actor = one.decided_by or one.submitted_by
        seq = max(one.seq, one.rebased_seq, one.decided_seq)
        yield Change(seq, "amendment", one.amendment_id, one.status, actor, one.why)


def _peers(goal: Goal, _since: int) -> Iterator[Change]:
    for request in goal.requests.by_id.values():
        marks = [request.received, request.adopted, request.committed, request.delivered, request.withdrawn]
        if request.answered is not None:
            marks.append(request.answered.mark)
        if request.returned is not None:
            marks.append(request.returned.mark)
        last = max((mark for mark in marks if mark is not None), key=lambda mark: mark.seq, default=None)
        seq, actor = (request.seq, request.sender) if last is None else (last.seq, last.actor)
        yield Change(seq, "request", request.request_id, status_of(request), actor, request.purpose)
    for agent_id, streak in goal.runs.streaks.items():
        if (cause := replan_cause(goal, agent_id)) is not None:
            yield Change(streak.seq, "replan", agent_id, cause, agent_id)


_PARTS: tuple[Callable[[Goal, int], Iterator[Change]], ...] = (_promise, _work, _decisions, _peers)

READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {"digest.show": _show}
"""By the name of the action."""
