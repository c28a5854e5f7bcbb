"""Slots: who was admitted to what, what was spent, and what the rolling window still allows.

Nothing is spent when a turn begins. A slot is spent once for a turn, after its todo was completed and a run of that
turn reported a result; it is spent whatever has become of the goal since, so that what was delivered is settled. One
delivery is paid for once, whatever its turns are called, and nobody spends what others reserved or nobody allowed.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.parts.runs import PROGRESS
from ledger.parts.slots import Spend, spend_key
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, is_owner, next_seq, refuse
from ledger.rules.slot_events import QuotaSet, SlotSpent, SlotVoided, VoidWords
from ledger.rules.slot_params import SetQuota, SpendSlot, VoidSlot
from ledger.state import Goal, Workspace

MINUTES_AN_HOUR = 60
ALLOWED_SLOTS_DEFAULT = 24 * MINUTES_AN_HOUR
"""What a goal may spend where nobody said anything: every minute of the day."""
STOPPED = "stopped"
SPENDS_MAX = 200_000
"""Spends of one goal: two years of one each five minutes."""


class SlotRefusal(StrEnum):
    """Why a spend, a void or a setting is refused, in order of precedence."""

    TODO_NOT_FOUND = "todo_not_found"
    CLAIM_ACTOR_MISMATCH = "claim_actor_mismatch"
    SPEND_VOIDED = "spend_voided"
    DELIVERY_REQUIRED = "delivery_required"
    RUN_NOT_REPORTED = "run_not_reported"
    OUTCOME_EARNS_NO_SPEND = "outcome_earns_no_spend"
    DELIVERY_ALREADY_PAID = "delivery_already_paid"
    SLOTS_EXHAUSTED = "slots_exhausted"
    TOO_MANY_SPENDS = "too_many_spends"
    SPEND_NOT_FOUND = "spend_not_found"
    NOT_THE_SPENDER = "not_the_spender"
    NOT_AN_OWNER = "not_an_owner"
    GOAL_STATE_FORBIDS = "goal_state_forbids"
    NOTHING_TO_CHANGE = "nothing_to_change"


def reserved_by_another(goal: Goal, todo_id: TodoId, agent_id: MemberId, now_ms: int) -> MemberId | None:
    """Who else was admitted to this todo, while the admission lasts."""
    admission = goal.slots.admissions.get(todo_id)
    if admission is None or admission.agent_id == agent_id or admission.expires_at_ms <= now_ms:
        return None
    return admission.agent_id


def reserved_slots(goal: Goal, agent_id: MemberId | None, now_ms: int) -> int:
    """Slots that others were admitted to and have not spent yet."""
    return sum(
        one.slots for one in goal.slots.admissions.values() if one.agent_id != agent_id and one.expires_at_ms > now_ms
    )


def allowed_slots(goal: Goal) -> int:
    """Slots in the rolling window: as set, as promised, or as much as the share of compute gives."""
    settings = goal.slots.settings
    fixed = goal.intent.allowed_slots if settings.allowed_slots is None else settings.allowed_slots
    if fixed is not None:
        return fixed
    thousandths = settings.window_hours * MINUTES_AN_HOUR * settings.compute_permille
    return (2 * thousandths + settings.slot_minutes * 1_000) // (2 * settings.slot_minutes * 1_000)


def next_due(goal: Goal) -> int | None:
    """When the next admission ends."""
    return goal.slots.due[0][0] if goal.slots.due else None


def decide_spend(workspace: Workspace, caller: Caller, ask: SpendSlot, now_ms: int) -> Decision:
    """Pay for a delivery, once; asked again, the original spend is the answer."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if todo is None:
        return refuse(SlotRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    if ask.agent_id not in {None, caller.member_id}:
        return refuse(SlotRefusal.CLAIM_ACTOR_MISMATCH, agent_id=ask.agent_id)
    key = spend_key(caller.member_id, todo.todo_id, ask.turn_instance_id)
    if (spend_id := goal.slots.settled.get(key)) is not None:
        return _spent_before(goal.slots.spends[spend_id])
    if todo.status != "done" or todo.completed_by != caller.member_id:
        return refuse(SlotRefusal.DELIVERY_REQUIRED, todo_id=todo.todo_id, status=todo.status)
    run_id = goal.runs.by_turn.get(key)
    if run_id is None:
        return refuse(SlotRefusal.RUN_NOT_REPORTED, turn_instance_id=ask.turn_instance_id)
    outcome = goal.runs.runs[run_id].delivery_outcome
    if outcome not in PROGRESS:
        return refuse(SlotRefusal.OUTCOME_EARNS_NO_SPEND, run_id=run_id, delivery_outcome=outcome)
    beyond = _beyond_quota(goal, ask, caller.member_id, now_ms)
    if (broken := _paid_already(goal, todo.todo_id, run_id) or beyond) is not None:
        return broken
    if len(goal.slots.spends) >= SPENDS_MAX:
        return refuse(SlotRefusal.TOO_MANY_SPENDS, limit=SPENDS_MAX)
    facts = SlotSpent(
        spend_id=f"spend_{next_seq(workspace):06d}",
        agent_id=caller.member_id,
        todo_id=todo.todo_id,
        turn_instance_id=ask.turn_instance_id,
        run_id=run_id,
        slots=ask.slots,
    )
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def _paid_already(goal: Goal, todo_id: TodoId, run_id: str) -> Refusal | None:
    """A run earns its spend by something that no spend of its todo was made for, those taken back aside.

    The same bytes under another name are the same evidence.
    """
    earlier = (goal.slots.spends[spend_id] for spend_id in goal.slots.of_todo.get(todo_id, ()))
    paid = {sha256 for spend in earlier if not spend.voided_seq for sha256 in _evidence(goal, spend.run_id)}
    if any(sha256 not in paid for sha256 in _evidence(goal, run_id)):
        return None
    return refuse(SlotRefusal.DELIVERY_ALREADY_PAID, todo_id=todo_id, run_id=run_id)


def _evidence(goal: Goal, run_id: str) -> list[str]:
    return [goal.artifacts[artifact_id].sha256 for artifact_id in goal.runs.runs[run_id].evidence]


def _beyond_quota(goal: Goal, ask: SpendSlot, agent_id: MemberId, now_ms: int) -> Refusal | None:
    """A turn spends what it reserved, or what the window has left beside all that is spent and reserved."""
    admission = goal.slots.admissions.get(TodoId(ask.todo_id))
    mine = 0
    if admission is not None and admission.expires_at_ms > now_ms:
        own = (admission.agent_id, admission.turn_instance_id) == (agent_id, ask.turn_instance_id)
        mine = admission.slots if own else 0
    taken = goal.slots.spent(now_ms) + reserved_slots(goal, None, now_ms) - mine
    allowed = allowed_slots(goal)
    if ask.slots <= max(mine, allowed - taken):
        return None
    return refuse(SlotRefusal.SLOTS_EXHAUSTED, slots=ask.slots, taken=taken, allowed_slots=allowed)


def _spent_before(spend: Spend) -> Held | Refusal:
    """Nobody is told that a turn is paid for when its spend was taken back."""
    if spend.voided_seq:
        return refuse(SlotRefusal.SPEND_VOIDED, spend_id=spend.spend_id, seq=spend.voided_seq)
    facts: dict[str, object] = {"spend_id": spend.spend_id, "todo_id": spend.todo_id, "slots": spend.slots}
    return Held(seq=spend.seq, facts=facts)


def decide_void(workspace: Workspace, caller: Caller, ask: VoidSlot, _now_ms: int) -> Decision:
    """Take one spend back, once, by whoever made it or by an owner."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    spend = goal.slots.spends.get(ask.spend_id)
    if spend is None:
        return refuse(SlotRefusal.SPEND_NOT_FOUND, spend_id=ask.spend_id)
    if caller.member_id != spend.agent_id and not is_owner(goal, caller.member_id, workspace):
        return refuse(SlotRefusal.NOT_THE_SPENDER, agent_id=spend.agent_id)
    if spend.voided_seq:
        return Held(seq=spend.voided_seq, facts={"spend_id": spend.spend_id, "slots": spend.slots})
    facts = SlotVoided(spend_id=spend.spend_id, slots=spend.slots)
    return (Draft(facts=facts, words=VoidWords(reason=ask.reason), goal_id=goal.goal_id),)


def decide_set(workspace: Workspace, caller: Caller, ask: SetQuota, _now_ms: int) -> Decision:
    """An owner's word on how much may be done. It touches no goal's state: what was stopped stays so.

    A goal that is over has no work left to give slots to. One that was stopped may be given another share, and says
    beside it that it is stopped, since the two are easily confused.
    """
    goal = workspace.goals[GoalId(ask.goal_id)]
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(SlotRefusal.NOT_AN_OWNER)
    if goal.state in CLOSED and goal.state != STOPPED:
        return refuse(SlotRefusal.GOAL_STATE_FORBIDS, goal_id=goal.goal_id, state=goal.state)
    before = goal.slots.settings
    facts = QuotaSet(
        compute_permille=_given(ask.permille, before.compute_permille),
        window_hours=_given(ask.window_hours, before.window_hours),
        slot_minutes=_given(ask.slot_minutes, before.slot_minutes),
        allowed_slots=_allowed(ask, before.allowed_slots),
    )
    same = (before.compute_permille, before.window_hours, before.slot_minutes, before.allowed_slots)
    if (facts.compute_permille, facts.window_hours, facts.slot_minutes, facts.allowed_slots) == same:
        return _unchanged(goal)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def _unchanged(goal: Goal) -> Held | Refusal:
    settings = goal.slots.settings
    if not settings.seq:
        return refuse(SlotRefusal.NOTHING_TO_CHANGE)
    return Held(seq=settings.seq, facts={"compute_permille": settings.compute_permille})


def _allowed(ask: SetQuota, before: int | None) -> int | None:
    if ask.unset_allowed_slots:
        return None
    return before if ask.allowed_slots is None else ask.allowed_slots


def _given(asked: int | None, before: int) -> int:
    return before if asked is None else asked
