"""Toasts: what happened to a press, in both languages, in one breath.

A person in a chat knows neither request keys nor parameter names: fields go by the labels that the cards show, and who
was faster goes by name.
"""

from collections.abc import Mapping

from daemon.relay.gate_toast import gate_toast, resolved_when
from daemon.relay.request_toast import request_toast
from ledger.catalogue import ACTIONS
from ledger.ids import GoalId, MemberId
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.amendment_events import AmendmentCommitted
from ledger.rules.amendments import AmendmentRefusal
from ledger.rules.goals import GoalRefusal
from ledger.rules.plan_events import PlanConfirmed
from ledger.state import Goal, Workspace
from ledger.text.explain import explain_code, field_label
from ledger.text.say import LOCALES, Locale, has, one_line, say
from ledger.writer import Answer

TOAST_CHARS_MAX = 280
REASON_CHARS_MIN = 80
_BETWEEN: dict[Locale, str] = {"en": " ", "zh": ""}
_OVERTAKEN = frozenset({GoalRefusal.GOAL_STATE_FORBIDS, GeneralRefusal.STALE_BASIS})
Toast = dict[str, str]


def toast_for(
    action_name: str, answer: Answer, workspace: Workspace, goal_id: GoalId | None, presser: MemberId | None
) -> Toast:
    """The toast of an answered press; `goal_id` is the goal it was about, if that is known."""
    goal = None if goal_id is None else workspace.goals.get(goal_id)
    if answer.refusal is not None:
        first = _decided_first(action_name, answer.refusal, goal)
        return _refused(answer.refusal, workspace, first, presser)
    about_it = gate_toast(answer, workspace) or request_toast(answer, workspace, goal)
    if about_it is not None:
        kind, said_key, values = about_it
        return _both(kind, said_key, **values)
    if answer.held is not None:
        return _held(_settled_by(answer.held.facts, goal), workspace, presser)
    if answer.replayed:
        return _both("info", "toast.replayed")
    if answer.events and isinstance(answer.events[0].facts, PlanConfirmed):
        return _plan_confirmed(answer.events[0].facts)
    if answer.events and isinstance(answer.events[-1].facts, AmendmentCommitted):
        return _both("success", "toast.done.amendment.commit", n=len(answer.events[-1].facts.operations))
    key = f"toast.done.{action_name.replace('-', '_')}"
    if goal is not None and _has_begun(goal) and has(f"{key}.again"):
        return _both("success", f"{key}.again")
    return _both("success", key) if has(key) else _both("success", "toast.done.other", action=action_name)


def toast_of(key: str, **values: object) -> Toast:
    """A toast that only tells."""
    return _both("info", key, **values)


def with_draft(toast: Toast) -> Toast:
    """The same toast, which also says where what was typed is found again."""
    said = dict(toast)
    for locale in LOCALES:
        where = say("chat.draft.kept", locale)
        room = TOAST_CHARS_MAX - len(where) - len(_BETWEEN[locale])
        said[locale] = _clipped(toast[locale], room) + _BETWEEN[locale] + where
    return said


def _plan_confirmed(facts: PlanConfirmed) -> Toast:
    """How many lanes start, and how many do not."""
    todos, gaps = len(facts.todos), len(facts.gaps)
    if facts.outcome == "partial":
        return _both("success", "toast.done.plan.confirm.partial", n=todos, total=todos + gaps, gaps=gaps)
    return _both("success", "toast.done.plan.confirm", n=todos)


def _held(first: MemberId | None, workspace: Workspace, presser: MemberId | None) -> Toast:
    """It is so already; where a person made it so, who."""
    toast = _both("info", "toast.noop")
    for locale in LOCALES:
        if who := _who(first, workspace, presser, locale):
            toast[locale] += _BETWEEN[locale] + who
    return toast


def _settled_by(facts: Mapping[str, object], goal: Goal | None) -> MemberId | None:
    """Who said the yes that is read back."""
    if goal is None:
        return None
    plan = goal.plans.by_id.get(str(facts.get("plan_id")))
    decided = plan or goal.amendments.by_id.get(str(facts.get("amendment_id")))
    return None if decided is None else decided.decided_by


def _has_begun(goal: Goal) -> bool:
    """Whether another promise was in force already when the last revision was decided on."""
    return 0 < goal.first_confirmed < len(goal.intents)


def _both(kind: str, key: str, **values: object) -> Toast:
    return {"type": kind, "en": say(key, "en", **values), "zh": say(key, "zh", **values)}


def _refused(refusal: Refusal, workspace: Workspace, first: MemberId | None, presser: MemberId | None) -> Toast:
    if refusal.code is GeneralRefusal.IDEMPOTENCY_CONFLICT:
        # The same button by the same person, with other words in the form.
        return _both("warning", "chat.pressed_before")

    def said(locale: Locale) -> str:
        message, hint = explain_code(refusal.code.value, _labelled(refusal.details, locale), locale)
        message = resolved_when(refusal, locale) or message
        return _sentence(message, _who(first, workspace, presser, locale), hint, locale)

    return {"type": refusal.status.toast, "en": said("en"), "zh": said("zh")}


def _decided_first(action_name: str, refusal: Refusal, goal: Goal | None) -> MemberId | None:
    """Whose decision made this one come too late, if a person's did."""
    decided_by = refusal.details.get("decided_by") or refusal.details.get("resolved_by")
    if decided_by is not None:
        return MemberId(str(decided_by))
    if refusal.code is AmendmentRefusal.AMENDMENT_DECIDED:
        return _settled_by(refusal.details, goal)
    action = ACTIONS.get(action_name)
    if goal is None or goal.state_note is None or action is None or action.basis != "state":
        return None
    if not action_name.startswith("goal."):
        # What moved is not the goal: whoever last changed its state decided nothing here.
        return None
    return goal.state_note.actor if refusal.code in _OVERTAKEN else None


def _who(first: MemberId | None, workspace: Workspace, presser: MemberId | None, locale: Locale) -> str:
    member = None if first is None else workspace.members.get(first)
    if member is None or member.kind != "person":
        return ""
    if first == presser:
        return say("chat.decided_by_you", locale)
    return say("chat.decided_by", locale, name=one_line(member.display_name))


def _labelled(details: Mapping[str, object], locale: Locale) -> dict[str, object]:
    field = details.get("field")
    return dict(details) if field is None else {**details, "field": field_label(str(field), locale)}


def _sentence(message: str, who: str, hint: str, locale: Locale) -> str:
    """All three; if they are too long it is the reason that is cut, for the next step is what helps."""
    between = _BETWEEN[locale]
    rest = "".join(between + part for part in (who, hint) if part)
    return _clipped(_clipped(message, max(REASON_CHARS_MIN, TOAST_CHARS_MAX - len(rest))) + rest, TOAST_CHARS_MAX)


def _clipped(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"
