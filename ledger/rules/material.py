"""What is material: the facts of a goal that an owner would care about, told without a word that anybody wrote.

Two moments with the same material facts are the same to whoever was told of the first: leases that were renewed, slots
that were spent, runs that were reported and votes that decided nothing yet make no difference. A goal that is closed
has one fact left, how it ended, so that it makes no difference either whether it is in memory.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ledger.canonical import digest_hex
from ledger.ids import MemberId
from ledger.parts.requests import Request
from ledger.records import CLOSED, Outline
from ledger.rules.runs import replan_cause
from ledger.state import Goal, Workspace

DIGEST_SIGNS = 32


class Fact(NamedTuple):
    """One material fact: since which event, about what, what is true of it now, and by whom."""

    seq: int
    kind: str
    subject: str
    now: str
    actor: MemberId | None


def status_of(request: Request) -> str:
    """The one word for a request; the facts themselves are shown beside it."""
    if request.withdrawn is not None:
        return "withdrawn"
    if request.returned is not None:
        return "returned" if request.delivered is None else "delivered"
    if request.committed is not None:
        return "committed"
    if request.answered is not None:
        return "adopted" if request.answered.answer == "adopt" else "deferred"
    return "sent" if request.received is None else "received"


def facts_of(goal: Goal | Outline) -> Iterator[Fact]:
    """The material facts of a goal; of one that is closed, how it ended."""
    if isinstance(goal, Outline) or goal.state in CLOSED:
        assert goal.cause is not None, "a goal exists by an event"
        yield Fact(goal.cause.seq, "goal", goal.goal_id, goal.state, goal.cause.actor)
    else:
        yield from all_facts(goal)


def all_facts(goal: Goal) -> Iterator[Fact]:
    """Every material fact of a goal, whether or not it is closed."""
    yield from _promise(goal)
    yield from _work(goal)
    yield from _decisions(goal)
    yield from _peers(goal)


def facts_of_workspace(workspace: Workspace) -> Iterator[Fact]:
    """The material facts that are about no goal."""
    for grant in workspace.authority.grants.values():
        yield Fact(grant.seq, "grant", grant.grant_id, "ended" if grant.ended else "in_force", grant.granted_by)
    for one in workspace.grants.by_id.values():
        now = "revoked" if one.revoked else one.verdict
        yield Fact(max(one.seq, one.revoked_seq), "standing_grant", one.grant_id, now, one.revoked_by or one.granted_by)


def digest_of(goals: Iterable[Goal | Outline], beside: Iterable[Fact] = ()) -> str:
    """A digest of what is material: equal as long as no fact came, went or became another."""
    told = [[goal.goal_id, sorted([one.kind, one.subject, one.now] for one in facts_of(goal))] for goal in goals]
    told.append(["", sorted([one.kind, one.subject, one.now] for one in beside)])
    return digest_hex(sorted(told))[:DIGEST_SIGNS]


def _promise(goal: Goal) -> Iterator[Fact]:
    note = goal.state_note
    yield Fact(goal.state_seq, "goal", goal.goal_id, goal.state, None if note is None else note.actor)
    for intent in goal.intents:
        yield Fact(intent.note.seq, "revision", str(intent.number), intent.status, intent.note.actor)
    for delivery in goal.deliveries:
        yield Fact(delivery.note.seq, "delivery", str(delivery.number), delivery.status, delivery.note.actor)
    if (question := goal.question) is not None:
        asked = int(question.question_id.removeprefix("q_"))
        yield Fact(asked, "question", question.question_id, "open", question.asked_by)


def _work(goal: Goal) -> Iterator[Fact]:
    for todo in goal.todos.values():
        yield Fact(
            todo.status_seq, "todo", todo.todo_id, todo.status, todo.completed_by if todo.status == "done" else None
        )
    for artifact_id, artifact in goal.artifacts.items():
        decision, undone = goal.reviews.decisions.get(artifact_id), goal.reviews.undone.get(artifact_id)
        if undone is not None:
            yield Fact(undone.seq, "artifact", artifact_id, undone.how, None)
        elif decision is not None:
            yield Fact(decision.seq, "artifact", artifact_id, decision.verdict, decision.reviewer)
        else:
            submitted = int(artifact_id.removeprefix("art_"))
            yield Fact(submitted, "artifact", artifact_id, "submitted", artifact.submitted_by)


def _decisions(goal: Goal) -> Iterator[Fact]:
    for gate in goal.gates.by_id.values():
        yield Fact(gate.changed_seq, "gate", gate.gate_id, gate.status, gate.resolved_by or gate.opened_by)
    for plan in goal.plans.by_id.values():
        actor = plan.decided_by or plan.proposed_by
        yield Fact(plan.decided_seq or plan.seq, "plan", plan.plan_id, plan.outcome or plan.status, actor)
    for one in goal.amendments.by_id.values():
        actor = one.decided_by or one.submitted_by
        yield Fact(max(one.seq, one.rebased_seq, one.decided_seq), "amendment", one.amendment_id, one.status, actor)


def _peers(goal: Goal) -> Iterator[Fact]:
    for request in goal.requests.by_id.values():
        marks = [request.received, request.adopted, request.committed, request.delivered, request.withdrawn]
        if request.answered is not None:
            marks.append(request.answered.mark)
        if request.returned is not None:
            marks.append(request.returned.mark)
        last = max((mark for mark in marks if mark is not None), key=lambda mark: mark.seq, default=None)
        seq, actor = (request.seq, request.sender) if last is None else (last.seq, last.actor)
        yield Fact(seq, "request", request.request_id, status_of(request), actor)
    for agent_id, streak in goal.runs.streaks.items():
        if (cause := replan_cause(goal, agent_id)) is not None:
            yield Fact(streak.seq, "replan", agent_id, cause, agent_id)
