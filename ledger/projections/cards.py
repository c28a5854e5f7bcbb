"""Views that cards are drawn from, and which buttons a card carries now.

A view shows names where a document has ids, and it shows the promise and the result word for word: what an owner
reads here is exactly what they decide on. Nothing in a view depends on the ledger's head or on a clock reading,
except whether a lease has passed its end.
"""

from itertools import islice
from typing import Literal, NamedTuple, cast

from ledger.ids import ArtifactId, MemberId
from ledger.projections.causes import DecisionView
from ledger.projections.channel import Reading, cause_of, read_goal, responsible_of
from ledger.projections.decided import cause_view, made
from ledger.projections.holds import claimed_until_ms, hold_of, holders, name_of, names_of
from ledger.projections.reviews import status_of
from ledger.projections.revised import before
from ledger.projections.views import (
    AcceptanceView,
    ArtifactView,
    CriterionView,
    FieldClass,
    FieldView,
    GoalView,
    NeedView,
    ProposedView,
    QuestionView,
    ReviewView,
    TodoView,
)
from ledger.projections.waiting_gates import waiting_gates
from ledger.records import CLOSED, Artifact, Intent, Todo
from ledger.rules.common import owners_of, registered, unmet
from ledger.rules.goals import FIELD_CLASS, REVISIONS_MAX, question_basis, state_basis
from ledger.rules.holdings import still_held
from ledger.rules.intents import in_hand
from ledger.rules.slots import ALLOWED_SLOTS_DEFAULT, allowed_slots
from ledger.state import Goal, Workspace

TODOS_MAX = 12
PROPOSALS_MAX = 6
ARTIFACTS_MAX = 20
SlotKind = Literal["form", "review", "goal", "acceptance"]

_FIELDS = (
    "title",
    "objective",
    "criteria",
    "non_goals",
    "constraints",
    "write_scopes",
    "capabilities",
    "owners",
    "approvers",
    "handoff_mode",
    "allowed_slots",
    "token_cap",
    "cost_cap_micros",
    "review",
    "plan_approval",
    "fold_case",
    "private",
    "budget",
    "stop_conditions",
    "priority",
)
_SHOWN_EMPTY = frozenset({"write_scopes"})
"""Fields that say something when they are empty: no scope means that nothing may be written."""


class Offer(NamedTuple):
    """A button a card carries now: the action, the slot it is about, and the basis it was drawn from."""

    action: str
    subject: str
    basis: str | None
    turn: int = 0
    """Tells two presses apart that mean the same of the same basis, where something happened in between."""
    name: str = ""
    """What the card calls the button, where it has two of one action."""


def goal_view(workspace: Workspace, goal: Goal, now_ms: int, reading: Reading | None = None) -> GoalView:
    """A goal as everyone may see it."""
    found = reading or read_goal(workspace, goal, now_ms)
    intent, counts, cause = goal.intent, found.listed.counts, cause_of(goal)
    return GoalView(
        goal_id=goal.goal_id,
        title=intent.title,
        state=goal.state,
        revision=intent.number,
        priority=intent.priority,
        objective=intent.objective,
        need=_need(workspace, goal, found),
        responsible=names_of(workspace, responsible_of(workspace, goal, found)),
        claimed_until_ms=claimed_until_ms(goal, now_ms),
        write_scopes=intent.write_scopes,
        quota_state=found.given.verdict.state.value,
        quota_allowed_slots=allowed_slots(goal),
        quota_spent_slots=goal.slots.spent(now_ms),
        todos=tuple(_todo(workspace, goal, todo, now_ms) for todo in found.listed.todos[:TODOS_MAX]),
        todos_total=counts.all - counts.cancelled,
        todos_done=counts.done,
        artifacts=_artifacts_of_goal(workspace, goal),
        question=_question(workspace, goal),
        decision=_decision(workspace, goal),
        cause=cause_view(workspace, cause),
        seq=goal.last_seq,
        gates=waiting_gates(workspace, goal, now_ms),
        proposals=_proposals(workspace, goal),
        proposals_total=len(goal.handoffs.proposals),
    )


def _proposals(workspace: Workspace, goal: Goal) -> tuple[ProposedView, ...]:
    first = (goal.todos[todo_id] for todo_id in islice(goal.handoffs.proposals, PROPOSALS_MAX))
    return tuple(
        ProposedView(
            todo_id=todo.todo_id,
            title=todo.title,
            priority=todo.priority,
            proposed_by="" if todo.proposed_by is None else name_of(workspace, todo.proposed_by),
        )
        for todo in first
    )


def review_view(workspace: Workspace, goal: Goal, revision: int) -> ReviewView:
    """One revision of the promise as it is put before its owners."""
    intent = goal.intents[revision - 1]
    return ReviewView(
        revision=intent.number,
        status=intent.status,
        fields=tuple(_fields(workspace, goal, intent)),
        criteria=tuple(
            CriterionView(criterion_id=name, text=text)
            for name, text in zip(intent.criterion_ids, intent.criteria, strict=True)
        ),
        proposed_by=name_of(workspace, intent.proposed_by),
        basis=intent.basis,
        decision=made(workspace, "confirmed" if intent.status == "superseded" else intent.status, intent),
        cause=cause_view(workspace, intent.note),
        before=before(
            goal,
            intent,
            _FIELDS,
            lambda one, name: _items(workspace, goal, one, name),
            lambda one: made(workspace, one.status, one),
        ),
    )


def acceptance_view(workspace: Workspace, goal: Goal, delivery: int) -> AcceptanceView:
    """One delivery as it is put before its owners: each criterion beside the evidence that names it."""
    found = goal.deliveries[delivery - 1]
    intent = goal.intents[found.revision - 1]
    artifacts = [goal.artifacts[artifact_id] for artifact_id in found.artifact_ids]
    speaks = {artifact.artifact_id: speaks_to(goal, intent, artifact) for artifact in artifacts}
    criteria = tuple(
        CriterionView(
            criterion_id=name,
            text=text,
            artifacts=tuple(_artifact(workspace, goal, one) for one in artifacts if name in speaks[one.artifact_id]),
        )
        for name, text in zip(intent.criterion_ids, intent.criteria, strict=True)
    )
    return AcceptanceView(
        delivery=found.number,
        status=found.status,
        summary=found.summary,
        criteria=criteria,
        other_artifacts=tuple(_artifact(workspace, goal, one) for one in artifacts if not speaks[one.artifact_id]),
        delivered_by=name_of(workspace, found.delivered_by),
        basis=found.basis,
        decision=made(workspace, found.status, found),
        cause=cause_view(workspace, found.note),
    )


def offers(
    workspace: Workspace, goal: Goal, kind: SlotKind, number: int | None = None, now_ms: int = 0
) -> tuple[Offer, ...]:
    """The buttons of one card now. `number` is the revision of a review or the delivery of an acceptance.

    Every offer would be taken from somebody who pressed it at once: an owner, or for a withdrawal the proposer. Who
    may press is decided at the press.
    """
    match kind:
        case "review":
            return _review_offers(workspace, goal, number, now_ms)
        case "acceptance":
            return _acceptance_offers(goal, number)
        case "goal":
            return _goal_offers(goal)
        case "form":
            return ()


def may_be_revised(goal: Goal) -> bool:
    """Whether the rules let somebody put another revision before the owners."""
    return goal.state not in CLOSED and goal.state != "delivered" and len(goal.intents) < REVISIONS_MAX


def _review_offers(workspace: Workspace, goal: Goal, number: int | None, now_ms: int) -> tuple[Offer, ...]:
    if not goal.pending or number != goal.pending or goal.state in CLOSED:
        return ()
    subject, intent = f"review:{goal.goal_id}:{number}", goal.intents[goal.pending - 1]
    # The mode of handing work over changes only while nothing is held, so a yes to that would be refused.
    changes_mode = bool(goal.confirmed) and intent.handoff_mode != goal.intent.handoff_mode
    can_begin = goal.question is None and not (changes_mode and still_held(goal, now_ms))
    confirm = (Offer("goal.confirm", subject, intent.basis),) if can_begin else ()
    proposer = registered(workspace, intent.proposed_by)
    is_person = proposer is not None and proposer.kind == "person"
    return (
        *confirm,
        Offer("goal.decline", subject, intent.basis),
        *((Offer("goal.revise", subject, intent.basis),) if may_be_revised(goal) else ()),
        *((Offer("goal.withdraw", subject, intent.basis),) if is_person and number == len(goal.intents) else ()),
    )


def _acceptance_offers(goal: Goal, number: int | None) -> tuple[Offer, ...]:
    delivery = goal.delivery
    if delivery is None or number != delivery.number or goal.state != "delivered":
        return ()
    subject = f"acceptance:{goal.goal_id}:{number}"
    return (Offer("goal.accept", subject, delivery.basis), Offer("goal.request-changes", subject, delivery.basis))


def _goal_offers(goal: Goal) -> tuple[Offer, ...]:
    subject, basis = f"goal:{goal.goal_id}", state_basis(goal)
    stop = Offer("goal.stop", subject, basis)
    # While another revision waits, that one is revised, on its own card.
    can_revise = may_be_revised(goal) and not goal.pending
    revise = (Offer("goal.revise", subject, in_hand(goal).basis),) if can_revise else ()
    match goal.state:
        case "proposed" | "clarifying":
            if goal.question is None:
                return ()
            return (Offer("goal.clarify", subject, question_basis(goal.goal_id, goal.question)),)
        case "active" | "changes_requested":
            return (Offer("goal.pause", subject, basis), stop, *revise)
        case "paused":
            return (Offer("goal.resume", subject, basis), stop, *revise)
        case "delivered":
            return (stop,)
        case _:
            return ()


def _need(workspace: Workspace, goal: Goal, found: Reading) -> NeedView:
    owners = owners_of(goal, workspace)
    code, people = _needed(goal, found, owners)
    return NeedView(code=code, people=names_of(workspace, people))


def _needed(goal: Goal, found: Reading, owners: tuple[MemberId, ...]) -> tuple[str, tuple[MemberId, ...]]:
    step = found.step
    if goal.state in CLOSED:
        return "nothing", ()
    if goal.question is not None:
        return "answer", step.members
    if goal.pending:
        return "confirm", owners
    if goal.state in {"paused", "delivered"}:
        return ("resume" if goal.state == "paused" else "accept"), owners
    working = holders(found.held)
    if step.action == "goal.deliver":
        return "deliver", step.members
    if step.action == "todo.add":
        return ("rework" if goal.state == "changes_requested" else "plan"), ()
    if step.by == "owner":
        return "work", step.members
    return ("rework" if goal.state == "changes_requested" else "work"), working


def _todo(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> TodoView:
    hold = hold_of(goal, todo, now_ms)
    return TodoView(
        todo_id=todo.todo_id,
        title=todo.title,
        status=todo.status,
        role=todo.role,
        priority=todo.priority,
        claim=hold.kind,
        claimed_by=None if hold.owner is None else name_of(workspace, hold.owner),
        claimed_until_ms=None if hold.lease is None else hold.lease.expires_at_ms,
        write_scopes=todo.required_write_scopes if hold.lease is None else hold.lease.write_scopes,
        waiting_for=tuple(unmet(goal, todo)),
        blocked_reason=todo.reason if todo.status == "blocked" else "",
    )


def _artifact(workspace: Workspace, goal: Goal, artifact: Artifact) -> ArtifactView:
    review = goal.reviews.decisions.get(artifact.artifact_id)
    # A validator that ran again says what holds now.
    said = {check.name: check.passed for check in goal.reviews.checks.get(artifact.artifact_id, ())}
    return ArtifactView(
        artifact_id=artifact.artifact_id,
        todo_id=artifact.todo_id,
        kind=artifact.kind,
        label=artifact.label,
        summary=artifact.summary,
        sha256=artifact.sha256,
        size_bytes=artifact.size_bytes,
        submitted_by=name_of(workspace, artifact.submitted_by),
        status=status_of(goal, artifact.artifact_id),
        reviewed_by="" if review is None else name_of(workspace, review.reviewer),
        passed=tuple(name for name, passed in said.items() if passed),
        failed=tuple(name for name, passed in said.items() if not passed),
    )


def _artifacts_of_goal(workspace: Workspace, goal: Goal) -> tuple[ArtifactView, ...]:
    """What was delivered, once something was; until then the newest evidence."""
    newest: tuple[ArtifactId, ...] = () if goal.delivery is None else goal.delivery.artifact_ids
    found = (
        [goal.artifacts[one] for one in newest[:ARTIFACTS_MAX]]
        if newest
        else islice(reversed(goal.artifacts.values()), ARTIFACTS_MAX)
    )
    return tuple(_artifact(workspace, goal, artifact) for artifact in found)


def _question(workspace: Workspace, goal: Goal) -> QuestionView | None:
    asked = goal.question
    if asked is None:
        return None
    return QuestionView(
        question_id=asked.question_id,
        text=asked.text,
        options=asked.options,
        asked_by=name_of(workspace, asked.asked_by),
    )


def _decision(workspace: Workspace, goal: Goal) -> DecisionView | None:
    """The decision that the goal's state rests on, where a person made one."""
    match goal.state:
        case "accepted" | "changes_requested":
            return None if goal.delivery is None else made(workspace, goal.state, goal.delivery)
        case "declined" | "withdrawn":
            return made(workspace, goal.state, goal.intents[-1])
        case "stopped" | "paused":
            note = goal.state_note
            if note is None:
                return None
            return DecisionView(
                outcome=goal.state, by_name=name_of(workspace, note.actor), at_ms=note.at_ms, reason=goal.reason
            )
        case _:
            return None


def _fields(workspace: Workspace, goal: Goal, intent: Intent) -> list[FieldView]:
    """Every field that says something, with what the ledger does about it. The title is the card's own."""
    fields: list[FieldView] = []
    for name in _FIELDS:
        items = _items(workspace, goal, intent, name)
        if items or name in _SHOWN_EMPTY:
            fields.append(FieldView(name=name, field_class=cast("FieldClass", FIELD_CLASS[name]), items=items))
    return fields


def _items(workspace: Workspace, goal: Goal, intent: Intent, name: str) -> tuple[str, ...]:
    match name:
        case "owners":
            return names_of(workspace, intent.owners or owners_of(goal, workspace))
        case "approvers":
            return names_of(workspace, intent.approvers)
        case "allowed_slots":
            slots = intent.allowed_slots
            return (str(ALLOWED_SLOTS_DEFAULT if slots is None else slots),)
        case "fold_case" | "private":
            return ("yes",) if getattr(intent, name) else ()
        case "token_cap" | "cost_cap_micros":
            cap = getattr(intent, name)
            return () if cap is None else (str(cap),)
    value = getattr(intent, name)
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(value)


def speaks_to(goal: Goal, intent: Intent, artifact: Artifact) -> frozenset[str]:
    """The criteria an artifact names, as far as they still say what they said when it was made."""
    made_for = goal.intents[artifact.revision - 1] if 0 < artifact.revision <= len(goal.intents) else intent
    then = dict(zip(made_for.criterion_ids, made_for.criteria, strict=True))
    now = dict(zip(intent.criterion_ids, intent.criteria, strict=True))
    return frozenset(name for name in artifact.criterion_ids if name in now and then.get(name) == now[name])
