"""Goals: what was promised, in which version, and who said yes to exactly that.

    proposed <-> clarifying -> active <-> paused
    active, changes_requested -> delivered -> accepted | changes_requested
    declined, withdrawn, stopped and accepted are ends.

The intent is versioned and every version has a basis. Confirming names the basis that was on the card; what moved
since is refused as stale, never applied to something else. A revision of a goal that is already active waits
beside the promise in force until an owner confirms it, and agents adopt it before they begin new work.
"""

from enum import StrEnum

from msgspec.structs import replace

from ledger.canonical import basis_of
from ledger.events import Draft, Facts
from ledger.ids import GoalId, MemberId
from ledger.records import CLOSED, GoalState, Intent, Question
from ledger.refusals import Refusal
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
from ledger.rules.goal_events import (
    AnswerWords,
    ChannelBound,
    ClarificationAnswered,
    ClarificationAsked,
    GoalConfirmed,
    GoalDeclined,
    GoalPaused,
    GoalProposed,
    GoalReasonWords,
    GoalResumed,
    GoalStopped,
    GoalWithdrawn,
    IntentWords,
    QuestionWords,
    RevisionAdopted,
)
from ledger.rules.goal_params import (
    AdoptRevision,
    ClarifyGoal,
    ConfirmGoal,
    DeclineGoal,
    PauseGoal,
    ProposeGoal,
    ResumeGoal,
    ReviseGoal,
    StateChange,
    StopGoal,
    WithdrawGoal,
)
from ledger.rules.holdings import OFFENDERS_SHOWN_MAX, lapses, still_held
from ledger.rules.intents import changed_fields, criterion_ids, erased_fields, facts_of, in_hand, revised, words_of
from ledger.scopes import canonical_scope
from ledger.state import Goal, Workspace

ENFORCED_FIELDS = (
    "write_scopes", "capabilities", "owners", "handoff_mode", "allowed_slots",
    "review", "plan_approval", "token_cap", "cost_cap_micros",
    "fold_case", "private",
)  # fmt: skip
RETAINED_FIELDS = ("title", "objective", "criteria", "approvers", "priority")
ADVISORY_FIELDS = ("non_goals", "constraints", "budget", "stop_conditions")
FIELD_CLASS = {
    **dict.fromkeys(ENFORCED_FIELDS, "enforced"),
    **dict.fromkeys(RETAINED_FIELDS, "retained"),
    **dict.fromkeys(ADVISORY_FIELDS, "advisory"),
}
"""What the ledger does with each field: enforce it, keep it word for word, or pass it on as advice."""
REVISIONS_MAX = 200


class GoalRefusal(StrEnum):
    """Why a goal action is refused, in order of precedence."""

    GOAL_NOT_FOUND = "goal_not_found"
    GOAL_ID_TAKEN = "goal_id_taken"
    QUESTION_OR_ANSWER = "question_or_answer"
    NOT_AN_OWNER = "not_an_owner"
    NOT_THE_PROPOSER = "not_the_proposer"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    GOAL_NOT_GRANTED = "goal_not_granted"
    OWNER_UNKNOWN = "owner_unknown"
    OWNER_NOT_ENTITLED = "owner_not_entitled"
    INVALID_WRITE_SCOPE = "invalid_write_scope"
    ENFORCEMENT_NOT_SUPPORTED = "enforcement_not_supported"
    GOAL_STATE_FORBIDS = "goal_state_forbids"
    NOTHING_TO_CONFIRM = "nothing_to_confirm"
    BASIS_REQUIRED = "basis_required"
    STALE_BASIS = "stale_basis"
    PROMISE_ERASED = "promise_erased"
    QUESTION_OPEN = "question_open"
    HANDOFF_MODE_NOT_QUIESCENT = "handoff_mode_not_quiescent"
    QUESTION_NOT_FOUND = "question_not_found"
    REVISION_PENDING = "revision_pending"
    TOO_MANY_REVISIONS = "too_many_revisions"
    NOTHING_TO_CHANGE = "nothing_to_change"
    REVISION_UNKNOWN = "revision_unknown"
    WORK_OPEN = "work_open"
    NOTHING_TO_DELIVER = "nothing_to_deliver"
    CRITERION_UNPROVED = "criterion_unproved"
    DELIVERY_UNCHANGED = "delivery_unchanged"


def state_basis(goal: Goal) -> str:
    """What somebody saw of the goal's state."""
    return basis_of("state", goal.goal_id, goal.state, goal.state_seq)


def decide_propose(workspace: Workspace, caller: Caller, ask: ProposeGoal, _now_ms: int) -> Decision:
    """Put a promise before its owners; what cannot be enforced is refused here, not discovered later."""
    goal_id = GoalId(ask.goal_id) if ask.goal_id is not None else _fresh_id(workspace)
    if goal_id in workspace.goals:
        return refuse(GoalRefusal.GOAL_ID_TAKEN, goal_id=goal_id)
    if (broken := _named(workspace, caller, ask.owner, ask.approver)) is not None:
        return broken
    scopes = _intent_checks(ask.write_scope, ask.enforce)
    if isinstance(scopes, Refusal):
        return scopes
    facts = GoalProposed(
        goal_id=goal_id,
        revision=1,
        priority=ask.priority,
        criterion_ids=criterion_ids(len(ask.criterion)),
        write_scopes=scopes,
        capabilities=tuple(dict.fromkeys(ask.capability)),
        owners=tuple(MemberId(text) for text in dict.fromkeys(ask.owner)),
        approvers=tuple(MemberId(text) for text in dict.fromkeys(ask.approver)),
        handoff_mode=ask.handoff_mode,
        allowed_slots=ask.allowed_slots,
        enforce=tuple(dict.fromkeys(ask.enforce)),
        review=ask.review,
        plan_approval=ask.plan_approval,
        token_cap=ask.token_cap,
        cost_cap_micros=ask.cost_cap_micros,
        fold_case=ask.fold_case,
        private=ask.private,
    )
    words = IntentWords(
        title=ask.title or first_line(ask.objective),
        objective=ask.objective,
        criteria=ask.criterion,
        non_goals=ask.non_goal,
        constraints=ask.constraint,
        budget=ask.budget,
        stop_conditions=ask.stop_condition,
    )
    bound = (
        () if caller.channel_id is None else (Draft(facts=ChannelBound(channel_id=caller.channel_id), goal_id=goal_id),)
    )
    return (Draft(facts=facts, words=words, goal_id=goal_id), *bound)


def decide_revise(workspace: Workspace, caller: Caller, ask: ReviseGoal, _now_ms: int) -> Decision:
    """Put another version before the owners; the promise in force stays until one of them confirms it."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if goal.proposed_by != caller.member_id and not is_owner(goal, caller.member_id, workspace):
        return refuse(GoalRefusal.NOT_THE_PROPOSER)
    # What is absent stays as in the revision that waits, or as promised: never as in one that was turned down.
    now = in_hand(goal)
    scopes = _intent_checks(ask.write_scope, ask.enforce)
    if isinstance(scopes, Refusal):
        return scopes
    if goal.state in CLOSED or goal.state == "delivered":
        return refuse(GoalRefusal.GOAL_STATE_FORBIDS, state=goal.state)
    if (broken := check_basis(ask.basis, now.basis, ("revision",), required=False)) is not None:
        return broken
    if len(goal.intents) >= REVISIONS_MAX:
        return refuse(GoalRefusal.TOO_MANY_REVISIONS, limit=REVISIONS_MAX)
    facts, words = revised(goal, now, ask, scopes)
    if words == words_of(now) and facts == replace(facts_of(goal, now), revision=facts.revision):
        return refuse(GoalRefusal.NOTHING_TO_CHANGE)
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def question_basis(goal_id: GoalId, question: Question) -> str:
    """What an answer is written for: with another basis it would answer a question that is gone."""
    return basis_of("answer", goal_id, question.question_id)


def decide_clarify(workspace: Workspace, caller: Caller, ask: ClarifyGoal, _now_ms: int) -> Decision:
    """One question at a time: whoever works on the goal asks, an owner or the proposer answers."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (ask.question is None) == (ask.answer is None):
        return refuse(GoalRefusal.QUESTION_OR_ANSWER)
    if ask.question is not None:
        if (broken := _may_ask_about(workspace, goal, caller)) is not None:
            return broken
        if goal.state not in {"proposed", "clarifying"}:
            return refuse(GoalRefusal.GOAL_STATE_FORBIDS, state=goal.state)
        if goal.question is not None:
            return refuse(GoalRefusal.QUESTION_OPEN, question_id=goal.question.question_id)
        facts = ClarificationAsked(question_id=f"q_{next_seq(workspace)}")
        return (
            Draft(facts=facts, words=QuestionWords(question=ask.question, options=ask.option), goal_id=goal.goal_id),
        )
    if goal.proposed_by != caller.member_id and not is_owner(goal, caller.member_id, workspace):
        return refuse(GoalRefusal.NOT_THE_PROPOSER)
    if goal.question is None or ask.question_id not in {None, goal.question.question_id}:
        return refuse(GoalRefusal.QUESTION_NOT_FOUND, question_id=ask.question_id)
    if (
        broken := check_basis(ask.basis, question_basis(goal.goal_id, goal.question), ("question",), required=False)
    ) is not None:
        return broken
    assert ask.answer is not None, "exactly one of question and answer is given"
    return (
        Draft(
            facts=ClarificationAnswered(question_id=goal.question.question_id),
            words=AnswerWords(answer=ask.answer),
            goal_id=goal.goal_id,
        ),
    )


def decide_confirm(workspace: Workspace, caller: Caller, ask: ConfirmGoal, now_ms: int) -> Decision:
    """An owner's yes applies to the revision that was shown, or to nothing."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    intent = _open_revision(workspace, goal, caller, ask.basis)
    if isinstance(intent, Refusal):
        return intent
    if fields := erased_fields(intent):
        return refuse(GoalRefusal.PROMISE_ERASED, revision=intent.number, fields=fields)
    if goal.question is not None:
        return refuse(GoalRefusal.QUESTION_OPEN, question_id=goal.question.question_id)
    confirmed = Draft(facts=GoalConfirmed(revision=intent.number, basis=intent.basis), goal_id=goal.goal_id)
    if not goal.confirmed or intent.handoff_mode == goal.intent.handoff_mode:
        return (confirmed,)
    # A claim would mean something else overnight: the mode changes only while nothing is held.
    if held := still_held(goal, now_ms):
        return refuse(
            GoalRefusal.HANDOFF_MODE_NOT_QUIESCENT, offenders=held[:OFFENDERS_SHOWN_MAX], offenders_total=len(held)
        )
    return (*lapses(goal, now_ms), confirmed)


def decide_decline(workspace: Workspace, caller: Caller, ask: DeclineGoal, _now_ms: int) -> Decision:
    """An owner's no to the revision that was shown."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    intent = _open_revision(workspace, goal, caller, ask.basis)
    if isinstance(intent, Refusal):
        return intent
    return (Draft(facts=GoalDeclined(revision=intent.number), words=reason_words(ask.reason), goal_id=goal.goal_id),)


def decide_withdraw(workspace: Workspace, caller: Caller, ask: WithdrawGoal, _now_ms: int) -> Decision:
    """The proposer may take back what nobody has confirmed yet."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    intent = goal.intents[-1]
    if intent.proposed_by != caller.member_id:
        return refuse(GoalRefusal.NOT_THE_PROPOSER)
    if not goal.pending:
        return refuse(GoalRefusal.NOTHING_TO_CONFIRM, state=goal.state)
    if (broken := check_basis(ask.basis, intent.basis, ("revision",), required=False)) is not None:
        return broken
    return (Draft(facts=GoalWithdrawn(revision=intent.number), words=reason_words(ask.reason), goal_id=goal.goal_id),)


def decide_pause(workspace: Workspace, caller: Caller, ask: PauseGoal, _now_ms: int) -> Decision:
    """Begin no new work."""
    return _change_state(workspace, caller, ask, {"active", "changes_requested"}, GoalPaused())


def decide_resume(workspace: Workspace, caller: Caller, ask: ResumeGoal, _now_ms: int) -> Decision:
    """Go on after a pause."""
    return _change_state(workspace, caller, ask, {"paused"}, GoalResumed())


def decide_stop(workspace: Workspace, caller: Caller, ask: StopGoal, _now_ms: int) -> Decision:
    """End without a result; nothing revives a stopped goal."""
    return _change_state(workspace, caller, ask, {"active", "changes_requested", "paused", "delivered"}, GoalStopped())


def decide_adopt(workspace: Workspace, caller: Caller, ask: AdoptRevision, _now_ms: int) -> Decision:
    """An agent says that it has read the promise in force."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := working_agent(workspace, goal, caller)) is not None:
        return broken
    if goal.state in CLOSED:
        return refuse(GoalRefusal.GOAL_STATE_FORBIDS, state=goal.state)
    if ask.revision != goal.confirmed:
        return refuse(GoalRefusal.REVISION_UNKNOWN, revision=ask.revision, confirmed=goal.confirmed)
    if goal.adopted.get(caller.member_id) == goal.confirmed:
        return Held(seq=goal.last_seq, facts={"agent_id": caller.member_id, "revision": goal.confirmed})
    return (Draft(facts=RevisionAdopted(agent_id=caller.member_id, revision=ask.revision), goal_id=goal.goal_id),)


def first_line(text: str, chars_max: int = 120) -> str:
    """A short name for a text: its first line that says something."""
    line = next(line.strip() for line in text.splitlines() if line.strip())
    return line if len(line) <= chars_max else line[: chars_max - 1] + "…"


def _named(workspace: Workspace, caller: Caller, owners: tuple[str, ...], approvers: tuple[str, ...]) -> Refusal | None:
    """Owners and approvers are people; only an owner of the workspace makes somebody else an owner of a goal."""
    for member_id in (*owners, *approvers):
        member = registered(workspace, MemberId(member_id))
        if member is None or member.kind != "person":
            return refuse(GoalRefusal.OWNER_UNKNOWN, member_id=member_id)
    if "owner" in workspace.members[caller.member_id].roles:
        return None
    for member_id in owners:
        if "owner" not in workspace.members[MemberId(member_id)].roles:
            return refuse(GoalRefusal.OWNER_NOT_ENTITLED, member_id=member_id)
    return None


def _intent_checks(asked: tuple[str, ...], enforce: tuple[str, ...]) -> tuple[str, ...] | Refusal:
    scopes: list[str] = []
    for text in asked:
        if (scope := canonical_scope(text)) is None:
            return refuse(GoalRefusal.INVALID_WRITE_SCOPE, write_scope=text)
        scopes.append(scope)
    beyond = [name for name in enforce if name not in ENFORCED_FIELDS]
    if beyond:
        return refuse(
            GoalRefusal.ENFORCEMENT_NOT_SUPPORTED, fields=[name[:64] for name in beyond], enforced=list(ENFORCED_FIELDS)
        )
    return tuple(dict.fromkeys(scopes))


def _open_revision(workspace: Workspace, goal: Goal, caller: Caller, basis: str | None) -> Intent | Refusal:
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(GoalRefusal.NOT_AN_OWNER)
    pending = goal.pending
    if not pending:
        return refuse(GoalRefusal.NOTHING_TO_CONFIRM, state=goal.state, decided_by=goal.intents[-1].decided_by)
    intent = goal.intents[pending - 1]
    broken = check_basis(basis, intent.basis, changed_fields(goal, basis, intent), required=True)
    return intent if broken is None else broken


def _change_state(
    workspace: Workspace, caller: Caller, ask: StateChange, allowed: set[GoalState], facts: Facts
) -> Decision:
    goal = workspace.goals[GoalId(ask.goal_id)]
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(GoalRefusal.NOT_AN_OWNER)
    if goal.state not in allowed:
        return refuse(GoalRefusal.GOAL_STATE_FORBIDS, state=goal.state)
    if (broken := check_basis(ask.basis, state_basis(goal), ("state",), required=False)) is not None:
        return broken
    return (Draft(facts=facts, words=reason_words(ask.reason), goal_id=goal.goal_id),)


def _may_ask_about(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    """An open question holds up the owners' yes, so not everybody may ask one."""
    if caller.member_id == goal.proposed_by or caller.member_id in goal.intent.approvers:
        return None
    if is_owner(goal, caller.member_id, workspace):
        return None
    member = registered(workspace, caller.member_id)
    if member is not None and member.kind == "person":
        return refuse(GoalRefusal.NOT_AN_OWNER)
    return working_agent(workspace, goal, caller)


def _fresh_id(workspace: Workspace) -> GoalId:
    """An id that no goal has: somebody may have chosen the one that the next seq would give."""
    first = f"goal-{next_seq(workspace)}"
    tries = (first, *(f"{first}-{number}" for number in range(2, len(workspace.goals) + 3)))
    return next(GoalId(text) for text in tries if text not in workspace.goals)


def working_agent(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    """Why the caller is no agent of this goal."""
    member = registered(workspace, caller.member_id)
    if member is None or member.kind != "agent":
        return refuse(GoalRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    return None if granted(member, goal.goal_id) else refuse(GoalRefusal.GOAL_NOT_GRANTED)


def reason_words(text: str) -> GoalReasonWords | None:
    """A reason that was given, in words."""
    return GoalReasonWords(reason=text) if text else None
