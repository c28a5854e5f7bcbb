"""Toasts: what happened to a press, in both languages, in one breath."""

from ledger.ids import MemberId
from ledger.refusals import Refusal
from ledger.state import Workspace
from ledger.text.explain import explain
from ledger.text.say import Locale, has, one_line, say
from ledger.writer import Answer

TOAST_CHARS_MAX = 280


def toast_for(action_name: str, answer: Answer, workspace: Workspace) -> dict[str, str]:
    """The toast of an answered press."""
    if answer.refusal is not None:
        return _refused(answer.refusal, workspace)
    if answer.held is not None:
        return {"type": "info", "en": say("toast.noop", "en"), "zh": say("toast.noop", "zh")}
    if answer.replayed:
        return {"type": "info", "en": say("toast.replayed", "en"), "zh": say("toast.replayed", "zh")}
    key = f"toast.done.{action_name.replace('-', '_')}"
    if has(key):
        return {"type": "success", "en": say(key, "en"), "zh": say(key, "zh")}
    return {
        "type": "success",
        "en": say("toast.done.other", "en", action=action_name),
        "zh": say("toast.done.other", "zh", action=action_name),
    }


def _refused(refusal: Refusal, workspace: Workspace) -> dict[str, str]:
    return {
        "type": refusal.status.toast,
        "en": _sentence(refusal, workspace, "en"),
        "zh": _sentence(refusal, workspace, "zh"),
    }


def _sentence(refusal: Refusal, workspace: Workspace, locale: Locale) -> str:
    message, hint = explain(refusal, locale)
    decided_by = refusal.details.get("decided_by")
    member = workspace.members.get(MemberId(str(decided_by))) if decided_by else None
    who = (
        ""
        if member is None or not has("toast.decided_by")
        else say("toast.decided_by", locale, name=one_line(member.display_name))
    )
    text = (" " if locale == "en" else "").join(part for part in (message, who, hint) if part)
    return text if len(text) <= TOAST_CHARS_MAX else text[: TOAST_CHARS_MAX - 1] + "…"
