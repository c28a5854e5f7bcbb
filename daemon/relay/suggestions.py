"""Suggested answers: what choosing one means, and what is said where nothing was answered."""

from daemon.relay.refusals import RelayRefusal
from daemon.relay.subjects.base import Target
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import GoalRefusal


def suggested(target: Target | None, form: dict[str, str]) -> dict[str, str]:
    """The suggestion that was chosen, as the answer where nothing else was typed."""
    question = None if target is None or target.goal is None else target.goal.question
    place = form.get("option", "")
    if question is None or form.get("answer", "").strip() or place not in map(str, range(1, len(question.options) + 1)):
        return {}
    return {"answer": question.options[int(place) - 1]}


def unanswered(target: Target | None, form: dict[str, str]) -> Refusal:
    """A suggestion of a question that is gone answers nothing any more; otherwise nothing was answered."""
    is_gone = target is not None and target.goal is not None and target.goal.question is None
    return refuse(GoalRefusal.QUESTION_NOT_FOUND) if is_gone and form.get("option") else missing("answer")


def missing(field: str) -> Refusal:
    """A field that must be filled in is empty."""
    return refuse(RelayRefusal.FORM_FIELD_MISSING, field=field)
