"""Intents: what one revision of a promise says, and how the next one is made from it."""

from msgspec.structs import replace

from ledger.events import ERASED
from ledger.records import Intent
from ledger.rules.goal_events import GoalRevised, IntentWords
from ledger.rules.goal_params import ReviseGoal
from ledger.state import Goal


def revised(goal: Goal, now: Intent, ask: ReviseGoal, scopes: tuple[str, ...]) -> tuple[GoalRevised, IntentWords]:
    """The next revision: what was asked for, and the rest as in `now`."""
    words = IntentWords(
        title=ask.title or now.title,
        objective=ask.objective or now.objective,
        criteria=ask.criterion or now.criteria,
        non_goals=ask.non_goal or now.non_goals,
        constraints=ask.constraint or now.constraints,
        budget=now.budget if ask.budget is None else ask.budget,
        stop_conditions=ask.stop_condition or now.stop_conditions,
    )
    facts = replace(
        facts_of(goal, now),
        revision=len(goal.intents) + 1,
        priority=ask.priority or now.priority,
        criterion_ids=criterion_ids(len(words.criteria)),
        write_scopes=scopes or now.write_scopes,
        allowed_slots=now.allowed_slots if ask.allowed_slots is None else ask.allowed_slots,
        enforce=tuple(dict.fromkeys(ask.enforce)) or now.enforce,
        handoff_mode=ask.handoff_mode or now.handoff_mode,
        review=ask.review or now.review,
        plan_approval=ask.plan_approval or now.plan_approval,
        token_cap=now.token_cap if ask.token_cap is None else ask.token_cap,
        cost_cap_micros=now.cost_cap_micros if ask.cost_cap_micros is None else ask.cost_cap_micros,
    )
    return facts, words


def erased_fields(intent: Intent) -> list[str]:
    """What of a promise nobody can read any more, by the names of its fields."""
    held = {
        "title": (intent.title,),
        "objective": (intent.objective,),
        "criteria": intent.criteria,
        "non_goals": intent.non_goals,
        "constraints": intent.constraints,
        "budget": (intent.budget,),
        "stop_conditions": intent.stop_conditions,
    }
    return [name for name, texts in held.items() if ERASED in texts]


def in_hand(goal: Goal) -> Intent:
    """The revision that another one would be made from: the one that waits, or what was promised, or the last."""
    return goal.intents[(goal.pending or goal.confirmed or len(goal.intents)) - 1]


def criterion_ids(count: int) -> tuple[str, ...]:
    """The ids of a revision's criteria, in their order."""
    return tuple(f"c{number}" for number in range(1, count + 1))


def facts_of(goal: Goal, intent: Intent) -> GoalRevised:
    """The facts that an intent was made from."""
    return GoalRevised(
        goal_id=goal.goal_id,
        revision=intent.number,
        priority=intent.priority,
        criterion_ids=intent.criterion_ids,
        write_scopes=intent.write_scopes,
        capabilities=intent.capabilities,
        owners=intent.owners,
        approvers=intent.approvers,
        handoff_mode=intent.handoff_mode,
        allowed_slots=intent.allowed_slots,
        enforce=intent.enforce,
        review=intent.review,
        plan_approval=intent.plan_approval,
        token_cap=intent.token_cap,
        cost_cap_micros=intent.cost_cap_micros,
        fold_case=intent.fold_case,
        private=intent.private,
    )


def words_of(intent: Intent) -> IntentWords:
    """The words that an intent was made from."""
    return IntentWords(
        title=intent.title, objective=intent.objective, criteria=intent.criteria, non_goals=intent.non_goals,
        constraints=intent.constraints, budget=intent.budget, stop_conditions=intent.stop_conditions,
    )  # fmt: skip


def changed_fields(goal: Goal, basis: str | None, now: Intent) -> tuple[str, ...]:
    """The names of the fields that differ between the revision `basis` stands for and the one of now."""
    seen = next((intent for intent in goal.intents if intent.basis == basis), None)
    if seen is None:
        return ("revision",)
    names = (
        "title",
        "objective",
        "criteria",
        "non_goals",
        "constraints",
        "budget",
        "stop_conditions",
        "write_scopes",
        "allowed_slots",
        "priority",
        "enforce",
        "handoff_mode",
        "review",
        "plan_approval",
        "token_cap",
        "cost_cap_micros",
    )
    return tuple(name for name in names if getattr(seen, name) != getattr(now, name))
