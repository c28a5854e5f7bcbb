"""Deliveries: a result is put before the owners with everything that proves it, and they say yes or send it back.

Where reviews are independent, only what was accepted is delivered, and only once something accepted speaks to each
criterion. A delivery has a basis of its own: the promise in force and the digests of what is delivered. A yes names
the basis that was on the card, so that it never applies to a result that came later.
"""

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, check_basis, is_owner, refuse
from ledger.rules.goal_events import ChangesRequested, GoalAccepted, GoalDelivered, SummaryWords
from ledger.rules.goal_params import AcceptGoal, DeliverGoal, RequestChanges
from ledger.rules.goals import GoalRefusal, reason_words, working_agent
from ledger.rules.reviews import counts
from ledger.state import Goal, Workspace

DELIVERIES_MAX = 200
TODOS_SHOWN_MAX = 5
UNFINISHED = frozenset({"open", "blocked"})
"""Work that stands between a goal and its delivery: what is blocked is not done either."""


def decide_deliver(workspace: Workspace, caller: Caller, ask: DeliverGoal, _now_ms: int) -> Decision:
    """Deliver only what is finished and proved; an empty delivery is no success."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := working_agent(workspace, goal, caller)) is not None and not is_owner(
        goal, caller.member_id, workspace
    ):
        return broken
    if not goal.is_executable:
        return refuse(GoalRefusal.GOAL_STATE_FORBIDS, state=goal.state)
    if goal.pending:
        return refuse(GoalRefusal.REVISION_PENDING, revision=goal.pending)
    if len(goal.deliveries) >= DELIVERIES_MAX:
        return refuse(GoalRefusal.TOO_MANY_REVISIONS, limit=DELIVERIES_MAX)
    unfinished = [todo.todo_id for todo in goal.todos.values() if todo.status in UNFINISHED]
    if unfinished:
        return refuse(GoalRefusal.WORK_OPEN, todo_ids=unfinished[:TODOS_SHOWN_MAX], open_total=len(unfinished))
    done = (todo for todo in goal.todos.values() if todo.status == "done")
    proof = {artifact_id: None for todo in done for artifact_id in todo.evidence}
    if proof and (unproved := _unproved(goal, tuple(proof))):
        return refuse(GoalRefusal.CRITERION_UNPROVED, criteria=unproved)
    proof = {artifact_id: None for artifact_id in proof if counts(goal, artifact_id)}
    if not proof:
        return refuse(GoalRefusal.NOTHING_TO_DELIVER)
    last = goal.delivery
    if last is not None and last.revision == goal.confirmed and set(last.artifact_ids) == set(proof):
        return refuse(GoalRefusal.DELIVERY_UNCHANGED, delivery=last.number)
    artifacts = tuple((artifact_id, goal.artifacts[artifact_id].sha256) for artifact_id in proof)
    facts = GoalDelivered(delivery=len(goal.deliveries) + 1, revision=goal.confirmed, artifacts=artifacts)
    return (Draft(facts=facts, words=SummaryWords(summary=ask.summary), goal_id=goal.goal_id),)


def _unproved(goal: Goal, proof: tuple[ArtifactId, ...]) -> list[str]:
    """The criteria to which nothing speaks that was accepted for the promise in force.

    Where the owners' acceptance is the only review, they judge that themselves. Evidence of an earlier revision was
    accepted for the criteria as they were then.
    """
    if goal.intent.review != "independent":
        return []
    good = [goal.artifacts[one] for one in proof if counts(goal, one)]
    spoken_to = {name for artifact in good if artifact.revision == goal.confirmed for name in artifact.criterion_ids}
    return [name for name in goal.intent.criterion_ids if name not in spoken_to]


def decide_accept(workspace: Workspace, caller: Caller, ask: AcceptGoal, _now_ms: int) -> Decision:
    """An owner's yes to the delivery that was shown."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    delivery = _open_delivery(workspace, goal, caller, ask.basis)
    if isinstance(delivery, Refusal):
        return delivery
    number, basis = delivery
    return (
        Draft(facts=GoalAccepted(delivery=number, basis=basis), words=reason_words(ask.reason), goal_id=goal.goal_id),
    )


def decide_request_changes(workspace: Workspace, caller: Caller, ask: RequestChanges, _now_ms: int) -> Decision:
    """Send back the delivery that was shown, saying what must change."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    delivery = _open_delivery(workspace, goal, caller, ask.basis)
    if isinstance(delivery, Refusal):
        return delivery
    number, basis = delivery
    return (
        Draft(
            facts=ChangesRequested(delivery=number, basis=basis), words=reason_words(ask.reason), goal_id=goal.goal_id
        ),
    )


def _open_delivery(workspace: Workspace, goal: Goal, caller: Caller, basis: str | None) -> tuple[int, str] | Refusal:
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(GoalRefusal.NOT_AN_OWNER)
    delivery = goal.delivery
    if goal.state != "delivered" or delivery is None:
        return refuse(
            GoalRefusal.GOAL_STATE_FORBIDS,
            state=goal.state,
            decided_by=None if delivery is None else delivery.decided_by,
        )
    broken = check_basis(basis, delivery.basis, ("delivery",), required=True)
    return (delivery.number, delivery.basis) if broken is None else broken
