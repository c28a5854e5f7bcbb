"""Amendments: a change of what was agreed, on the basis it was made for, and what becomes of work in hand.

    open -> committed | rejected | withdrawn        open, but what it saw has moved: needs_rebase

Submitting checks the whole change against the goal as it is and keeps what was seen. Committing compares that with
what is: a change applies to what it was made for, or to nothing. So of two on one basis at most one is committed, and
the other is told what moved. Work in hand has an explicit fate: it continues, it is rebased (its agent adopts the
change before going on), or it is stopped (lease and claim end in the same transaction, and the old execution with
them). A goal's boundary is never widened here; a change of protected authority needs a gate beside its owner.
"""

from enum import StrEnum

from ledger.canonical import basis_of
from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.parts.amendments import Amendment, AmendmentClass, Choice, Disposition, Operation
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.agreed import amended, rested_on, shown_by
from ledger.rules.amendment_events import (
    AmendmentAdopted,
    AmendmentCommitted,
    AmendmentReasonWords,
    AmendmentRebased,
    AmendmentRejected,
    AmendmentSubmitted,
    AmendmentWithdrawn,
    AmendmentWords,
    OperationWords,
)
from ledger.rules.amendment_graph import cannot, difference, holder_of, seen_now
from ledger.rules.amendment_params import (
    AdoptAmendment,
    CommitAmendment,
    RebaseAmendment,
    RejectAmendment,
    SubmitAmendment,
    WithdrawAmendment,
)
from ledger.rules.common import (
    Caller,
    Decision,
    Held,
    check_basis,
    granted,
    is_owner,
    next_seq,
    refuse,
    registered,
)
from ledger.rules.leases import effective_lease, given_back, lapse
from ledger.rules.order import in_order
from ledger.rules.todo_events import TodoAdded, TodoReleased
from ledger.scopes import canonical_scope
from ledger.state import Goal, Workspace

AMENDMENTS_MAX = 2_000
REACH_MAX = 20_000
ROUTINE: frozenset[AmendmentClass] = frozenset({"lane_route", "shared_work_graph"})
"""Changes of work that need no person."""


class AmendmentRefusal(StrEnum):
    """Why an amendment action is refused, in order of precedence."""

    ACTOR_NOT_REGISTERED = "actor_not_registered"
    AMENDMENT_NOT_FOUND = "amendment_not_found"
    NOT_AN_OWNER = "not_an_owner"
    NOT_THE_PROPOSER = "not_the_proposer"
    AMENDMENT_DECIDED = "amendment_decided"
    GOAL_CLOSED = "goal_closed"
    GOAL_NOT_CONFIRMED = "goal_not_confirmed"
    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    AMENDMENT_EXISTS = "amendment_exists"
    TOO_MANY_AMENDMENTS = "too_many_amendments"
    BASIS_REQUIRED = "basis_required"
    STALE_BASIS = "stale_basis"
    GATE_REQUIRED = "gate_required"
    NEEDS_REBASE = "needs_rebase"
    DISPOSITION_CONFLICT = "disposition_conflict"
    DISPOSITION_REQUIRED = "disposition_required"
    TOO_MANY_TODOS = "too_many_todos"
    NOTHING_TO_CHANGE = "nothing_to_change"
    NOTHING_TO_ADOPT = "nothing_to_adopt"
    ADOPTED_BY_ANOTHER = "adopted_by_another"


def held_back(goal: Goal, todo_id: TodoId) -> str | None:
    """The id of the amendment that stopped this todo or wants it rebased first."""
    hold = goal.amendments.held.get(todo_id)
    return None if hold is None else hold.amendment_id


def amendment_basis(goal: Goal, amendment: Amendment) -> str:
    """What somebody sees who looks at the amendment: its change, its dispositions and what it rests on."""
    return basis_of("amendment", goal.goal_id, amendment.amendment_id, amendment.digest)


def decide_submit(workspace: Workspace, caller: Caller, ask: SubmitAmendment, now_ms: int) -> Decision:
    """Put a change forward; what cannot be done to the work as it is is refused here."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := _may_submit(workspace, goal, caller) or _closed(goal)) is not None:
        return broken
    amendment_id = ask.amendment_id or f"amend_{next_seq(workspace):06d}"
    if amendment_id in goal.amendments.by_id:
        return refuse(AmendmentRefusal.AMENDMENT_EXISTS, amendment_id=amendment_id)
    if len(goal.amendments.by_id) >= AMENDMENTS_MAX:
        return refuse(AmendmentRefusal.TOO_MANY_AMENDMENTS, limit=AMENDMENTS_MAX)
    operations = _operations(amendment_id, ask)
    if (broken := cannot(workspace, goal, ask.amendment_class, operations)) is not None:
        return broken
    dispositions = _dispositions(goal, operations, ask, now_ms)
    if isinstance(dispositions, Refusal):
        return dispositions
    facts = AmendmentSubmitted(
        amendment_id=amendment_id,
        amendment_class=ask.amendment_class,
        operations=operations,
        dispositions=dispositions,
        seen=seen_now(goal, operations, now_ms),
        gate_id=ask.gate_id,
    )
    words = AmendmentWords(
        why=ask.why,
        operations=tuple(OperationWords(title=one.title, acceptance=one.acceptance) for one in ask.operation),
    )
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def decide_rebase(workspace: Workspace, caller: Caller, ask: RebaseAmendment, now_ms: int) -> Decision:
    """The same change for what is there now; whoever looked at it before looks again."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    amendment = _own(workspace, goal, caller, ask.amendment_id)
    if isinstance(amendment, Refusal):
        return amendment
    if (broken := _closed(goal)) is not None:
        return broken
    if (broken := cannot(workspace, goal, amendment.amendment_class, amendment.operations)) is not None:
        return broken
    dispositions = _dispositions(goal, amendment.operations, ask, now_ms)
    if isinstance(dispositions, Refusal):
        return dispositions
    seen = seen_now(goal, amendment.operations, now_ms)
    if (seen, dispositions) == (amendment.seen, amendment.dispositions):
        return refuse(AmendmentRefusal.NOTHING_TO_CHANGE, amendment_id=amendment.amendment_id)
    facts = AmendmentRebased(amendment_id=amendment.amendment_id, dispositions=dispositions, seen=seen)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def decide_commit(workspace: Workspace, caller: Caller, ask: CommitAmendment, now_ms: int) -> Decision:
    """Make the whole change to exactly what it was made for, or nothing of it."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    amendment = _to_decide(workspace, goal, caller, ask.amendment_id)
    if isinstance(amendment, Refusal):
        return amendment
    if amendment.status == "committed" and ask.basis == amendment.basis:
        facts: dict[str, object] = {"amendment_id": amendment.amendment_id, "basis": amendment.basis}
        return Held(seq=amendment.decided_seq, facts=facts)
    if (broken := _decided(amendment) or _closed(goal)) is not None:
        return broken
    basis = amendment_basis(goal, amendment)
    if (broken := check_basis(ask.basis, basis, ("amendment",), required=True)) is not None:
        return broken
    if amendment.amendment_class == "protected_authority" and not gate_approved(goal, amendment):
        return refuse(
            AmendmentRefusal.GATE_REQUIRED,
            amendment_id=amendment.amendment_id,
            gate_id=amendment.gate_id,
            evidence_digest=amendment.digest,
        )
    if moved := difference(amendment.seen, seen_now(goal, amendment.operations, now_ms)):
        return refuse(AmendmentRefusal.NEEDS_REBASE, amendment_id=amendment.amendment_id, moved=moved)
    if (broken := cannot(workspace, goal, amendment.amendment_class, amendment.operations)) is not None:
        return broken
    if (broken := rested_on(workspace, goal, caller, shown_by(goal, amendment))) is not None:
        return broken
    todos = _added(amendment.operations)
    if len(goal.todos) + len(todos) > REACH_MAX:
        return refuse(AmendmentRefusal.TOO_MANY_TODOS, limit=REACH_MAX)
    committed = AmendmentCommitted(
        amendment_id=amendment.amendment_id,
        amendment_class=amendment.amendment_class,
        basis=basis,
        operations=amendment.operations,
        todos=todos,
        dispositions=amendment.dispositions,
    )
    ends = tuple(draft for one in amendment.dispositions for draft in _ended(goal, one, now_ms))
    return (*ends, Draft(facts=committed, goal_id=goal.goal_id), *amended(goal, amendment))


def decide_reject(workspace: Workspace, caller: Caller, ask: RejectAmendment, _now_ms: int) -> Decision:
    """A no to the change that was shown."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    amendment = _to_decide(workspace, goal, caller, ask.amendment_id)
    if isinstance(amendment, Refusal):
        return amendment
    if (broken := _decided(amendment)) is not None:
        return broken
    basis = amendment_basis(goal, amendment)
    if (broken := check_basis(ask.basis, basis, ("amendment",), required=False)) is not None:
        return broken
    facts = AmendmentRejected(amendment_id=amendment.amendment_id)
    return (Draft(facts=facts, words=_reason(ask.reason), goal_id=goal.goal_id),)


def decide_withdraw(workspace: Workspace, caller: Caller, ask: WithdrawAmendment, _now_ms: int) -> Decision:
    """Whoever submitted it may take it back while nobody has decided: of the two, the first is what happened."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    amendment = _own(workspace, goal, caller, ask.amendment_id)
    if isinstance(amendment, Refusal):
        return amendment
    facts = AmendmentWithdrawn(amendment_id=amendment.amendment_id)
    return (Draft(facts=facts, words=_reason(ask.reason), goal_id=goal.goal_id),)


def decide_adopt(workspace: Workspace, caller: Caller, ask: AdoptAmendment, now_ms: int) -> Decision:
    """Whoever goes on with the todo says that the change was read; of work in hand, that is whoever has it."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    member = registered(workspace, caller.member_id)
    if member is None or not granted(member, goal.goal_id):
        return refuse(AmendmentRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    todo_id = TodoId(ask.todo_id)
    hold = goal.amendments.held.get(todo_id)
    if ask.amendment_id not in goal.amendments.by_id:
        return refuse(AmendmentRefusal.AMENDMENT_NOT_FOUND, amendment_id=ask.amendment_id)
    before = goal.amendments.adopted.get(adoption_key(ask.amendment_id, todo_id, caller.member_id))
    if before is not None:
        return Held(seq=before, facts={"amendment_id": ask.amendment_id, "todo_id": todo_id})
    if hold is None or hold.amendment_id != ask.amendment_id:
        return refuse(AmendmentRefusal.NOTHING_TO_ADOPT, amendment_id=ask.amendment_id, todo_id=todo_id)
    holder = holder_of(goal, todo_id, now_ms)
    if holder not in {None, caller.member_id}:
        return refuse(AmendmentRefusal.ADOPTED_BY_ANOTHER, todo_id=todo_id, agent_id=holder)
    facts = AmendmentAdopted(amendment_id=ask.amendment_id, todo_id=todo_id, agent_id=caller.member_id)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def adoption_key(amendment_id: str, todo_id: TodoId, agent_id: MemberId) -> str:
    """What an adoption is kept by."""
    return f"{amendment_id} {todo_id} {agent_id}"


def gate_approved(goal: Goal, amendment: Amendment) -> bool:
    """Whether its gate was approved for exactly this: the gate's evidence is the digest of what the amendment says.

    A gate of another amendment, or of this one before it was rebased, approves nothing.
    """
    gate = None if amendment.gate_id is None else goal.gates.by_id.get(amendment.gate_id)
    if gate is None or gate.kind != "amendment" or gate.status != "approved":
        return False
    return gate.evidence_digest == amendment.digest


def _operations(amendment_id: str, ask: SubmitAmendment) -> tuple[Operation, ...]:
    return tuple(
        Operation(
            op=one.op,
            # The same one whenever it is asked: the id comes from the amendment and the place in it.
            todo_id=TodoId(one.todo_id or f"todo_{amendment_id}_{number}"),
            priority=one.priority,
            depends_on=None if one.depends_on is None else tuple(map(TodoId, dict.fromkeys(one.depends_on))),
            agent=None if one.agent is None else MemberId(one.agent),
            write_scopes=None
            if one.write_scope is None
            # What has no canonical spelling is refused as it was written.
            else tuple(dict.fromkeys(canonical_scope(text) or text for text in one.write_scope)),
            capabilities=tuple(dict.fromkeys(one.capability)),
        )
        for number, one in enumerate(ask.operation, 1)
    )


def _dispositions(
    goal: Goal, operations: tuple[Operation, ...], ask: SubmitAmendment | RebaseAmendment, now_ms: int
) -> tuple[Disposition, ...] | Refusal:
    """What becomes of each touched todo that somebody has in hand: nothing is decided by silence."""
    choices: dict[str, Choice] = {}
    for choice, todo_ids in _chosen(ask):
        for todo_id in todo_ids:
            if choices.setdefault(todo_id, choice) != choice:
                return refuse(AmendmentRefusal.DISPOSITION_CONFLICT, todo_id=todo_id)
    found: list[Disposition] = []
    for one in operations:
        holder = None if one.op == "add" else holder_of(goal, one.todo_id, now_ms)
        if holder is None:
            continue
        chosen = choices.get(one.todo_id)
        if chosen is None:
            return refuse(AmendmentRefusal.DISPOSITION_REQUIRED, todo_id=one.todo_id, owner=holder)
        taken_away = one.op == "cancel" or (one.op == "rebind" and one.agent not in {None, holder})
        if taken_away and chosen != "stop":
            return refuse(AmendmentRefusal.DISPOSITION_CONFLICT, todo_id=one.todo_id, needs="stop")
        disposition = Disposition(todo_id=one.todo_id, choice=chosen, agent_id=holder)
        if disposition not in found:
            found.append(disposition)
    return tuple(found)


def _chosen(ask: SubmitAmendment | RebaseAmendment) -> tuple[tuple[Choice, tuple[str, ...]], ...]:
    return (("continue", ask.continue_todo), ("rebase", ask.rebase_todo), ("stop", ask.stop_todo))


def _added(operations: tuple[Operation, ...]) -> tuple[TodoAdded, ...]:
    by_id: dict[str, Operation] = {one.todo_id: one for one in operations if one.op == "add"}
    order = in_order({todo_id: one.depends_on or () for todo_id, one in by_id.items()})
    assert order is not None, "a cycle was refused"
    return tuple(_todo(by_id[todo_id]) for todo_id in order)


def _todo(one: Operation) -> TodoAdded:
    return TodoAdded(
        todo_id=one.todo_id,
        role="agent",
        priority=one.priority or "P2",
        task_class="advancement_task",
        action_kind=None,
        required_write_scopes=one.write_scopes or (),
        required_capabilities=one.capabilities,
        depends_on=one.depends_on or (),
        bound_agent=one.agent,
        excluded_agents=(),
    )


def _ended(goal: Goal, one: Disposition, now_ms: int) -> tuple[Draft, ...]:
    """The end of the lease and the claim of work that is stopped."""
    if one.choice != "stop":
        return ()
    lease = effective_lease(goal, one.todo_id, now_ms)
    todo = goal.todos[one.todo_id]
    ends = lapse(goal, one.todo_id, now_ms)
    if lease is not None:
        ends = (Draft(facts=given_back(lease), goal_id=goal.goal_id),)
    if todo.claimed_by is not None and not todo.claim_from_lease:
        ends = (*ends, Draft(facts=TodoReleased(todo_id=todo.todo_id), goal_id=goal.goal_id))
    return ends


def _may_submit(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    member = registered(workspace, caller.member_id)
    if member is None or (member.kind == "agent" and not granted(member, goal.goal_id)):
        return refuse(AmendmentRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if member.kind == "agent" or caller.member_id == goal.proposed_by or is_owner(goal, caller.member_id, workspace):
        return None
    return refuse(AmendmentRefusal.NOT_AN_OWNER)


def _to_decide(workspace: Workspace, goal: Goal, caller: Caller, amendment_id: str) -> Amendment | Refusal:
    """Routine changes are decided by any agent that works on the goal, all others by its owners."""
    member = registered(workspace, caller.member_id)
    if member is None or (member.kind == "agent" and not granted(member, goal.goal_id)):
        return refuse(AmendmentRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    amendment = goal.amendments.by_id.get(amendment_id)
    if amendment is None:
        return refuse(AmendmentRefusal.AMENDMENT_NOT_FOUND, amendment_id=amendment_id)
    # Whoever may only propose decides nothing.
    works = member.kind == "agent" and member.profile_role != "dreaming_proposer"
    if works and amendment.amendment_class in ROUTINE:
        return amendment
    if member.kind != "agent" and is_owner(goal, caller.member_id, workspace):
        return amendment
    return refuse(AmendmentRefusal.NOT_AN_OWNER)


def _own(workspace: Workspace, goal: Goal, caller: Caller, amendment_id: str) -> Amendment | Refusal:
    member = registered(workspace, caller.member_id)
    if member is None or (member.kind == "agent" and not granted(member, goal.goal_id)):
        return refuse(AmendmentRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    amendment = goal.amendments.by_id.get(amendment_id)
    if amendment is None:
        return refuse(AmendmentRefusal.AMENDMENT_NOT_FOUND, amendment_id=amendment_id)
    if amendment.submitted_by != caller.member_id:
        return refuse(AmendmentRefusal.NOT_THE_PROPOSER)
    return _decided(amendment) or amendment


def _decided(amendment: Amendment) -> Refusal | None:
    if amendment.status == "open":
        return None
    return refuse(AmendmentRefusal.AMENDMENT_DECIDED, amendment_id=amendment.amendment_id, decision=amendment.status)


def _closed(goal: Goal) -> Refusal | None:
    if goal.state in CLOSED:
        return refuse(AmendmentRefusal.GOAL_CLOSED, state=goal.state)
    if not goal.confirmed:
        return refuse(AmendmentRefusal.GOAL_NOT_CONFIRMED, state=goal.state)
    if goal.state == "delivered":
        return refuse(AmendmentRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    return None


def _reason(text: str) -> AmendmentReasonWords | None:
    return AmendmentReasonWords(reason=text) if text else None
