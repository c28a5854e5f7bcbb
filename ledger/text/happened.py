"""What an event says, as one sentence: who did what to what, and the words that came with it.

The sentence is made from the facts; the words follow it, screened by whoever shows them. An event kind without a
sentence of its own is told by its label, so that a reader is never shown nothing. Codes go by their names in the
reader's language, and who acts for another is told apart from who acts for themselves.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ledger.ids import BOT
from ledger.text.explain import display_details
from ledger.text.say import Locale, has, placeholders, say
from ledger.text.times import near_utc

SAID = (
    "title", "question", "objective", "purpose", "label", "answer", "name", "display_name", "context", "summary",
    "reason", "why", "note", "scope_summary",
)  # fmt: skip
"""The words that tell most about an event, the best first; identities of the platform are not among them."""

_NAMED = ("todos", "artifacts")
_SELF = {
    "gate.vote_recorded": "seat",
    "gate.approved": "seat",
    "gate.refused": "seat",
    "gate.deferred": "seat",
    "gate.delegated": "seat",
    "lease.transferred": "from_owner",
    "todo.handed_off": "from_agent",
    "todo.handoff_prepared": "from_agent",
}
"""Whose doing it is by right; where somebody else did it, the sentence says both."""
_CODES = {
    "gate.kind": "cli.gate.kind",
    "gate.severity": "cli.severity",
    "gate.status": "cli.gate.status",
    "gate.effect": "cli.gate.on_expiry",
    "gate.verdict": "history.word.verdict",
    "amendment.amendment_class": "cli.amendment.class",
    "plan.outcome": "cli.plan.status",
    "request.outcome": "cli.request.outcome",
    "request.answer": "cli.request.answer",
    "artifact.verdict": "cli.artifact.status",
    "artifact.because": "history.word.because",
    "run.delivery_outcome": "history.word.delivery_outcome",
    "goal.previous": "handoff",
    "agent.runtime": "agents.runtime",
    "goal.handoff_mode": "handoff",
    "todo.condition": "history.word.condition",
    "member.member_kind": "history.word.member_kind",
    "words.reason_code": "history.word.reason_code",
    "invitation.because": "history.word.gone",
    "member.because": "history.word.gone",
    "channel.because": "history.word.gone",
    "summary.because": "cli.summary.because",
    "summary.outcome": "cli.summary.status",
    "digest.outcome": "cli.summary.tick",
    "digest.because": "cli.summary.ended",
}
"""Facts that are codes, by the family of their event, and where their names are."""


class Ended(NamedTuple):
    """Whose hold an event ended, as far as that is known, and what ended it where the holder did not."""

    holder: str | None
    because: str | None = None


def sentence(
    kind: str,
    facts: Mapping[str, object],
    actor: str,
    locale: Locale,
    *,
    text: str = "",
    erased: bool = False,
    at_ms: int | None = None,
    ended: Ended | None = None,
) -> str:
    """The event as a sentence. `text` is what of its words may be shown; `at_ms` is when it was."""
    told = told_plainly(kind, facts, actor, locale, at_ms=at_ms, ended=ended)
    if erased:
        return say("history.words_erased", locale, sentence=told)
    return say("history.said", locale, sentence=told, text=text) if text else told


def told_plainly(
    kind: str,
    facts: Mapping[str, object],
    actor: str,
    locale: Locale,
    *,
    at_ms: int | None = None,
    ended: Ended | None = None,
) -> str:
    """The event as a sentence without its words."""
    key = f"history.{kind}"
    if not has(key):
        label = say(f"event.{kind}", locale) if has(f"event.{kind}") else kind
        return say("history.plain", locale, actor=actor, label=label)
    values = _values(kind, facts, locale, at_ms)
    if ended is not None:
        values |= {"holder": ended.holder or "-", "because": ended.because or "-"}
        key += _ending(actor, ended)
    elif kind == "member.added" and actor == BOT:
        # The bot adds nobody: it relays the yes of somebody who was invited.
        key += ".invited"
    elif facts.get(_SELF.get(kind, ""), actor) != actor:
        key += ".other"
    shown = display_details({**values, "actor": actor}, locale)
    if has(f"{key}.bare") and not placeholders(key) <= shown.keys():
        key += ".bare"
    return say(key, locale, **{name: shown.get(name, "-") for name in placeholders(key)})


def _ending(actor: str, ended: Ended) -> str:
    """Which sentence tells an end: only who held something gave it back."""
    if ended.holder is None:
        return ".unknown"
    if ended.holder == actor:
        return ""
    return ".other" if ended.because is None else ".because"


def _values(kind: str, facts: Mapping[str, object], locale: Locale, at_ms: int | None) -> dict[str, object]:
    """The facts as they are told: moments as text, codes by their names, things by their ids."""
    values = {name: value for name, value in facts.items() if value is not None and value not in ("", (), [])}
    moments = {name[:-3]: value for name, value in values.items() if name.endswith("_ms") and isinstance(value, int)}
    values |= {
        (name if name.endswith("_at") else f"{name}_at"): near_utc(value, at_ms) for name, value in moments.items()
    }
    values |= {name: _ids(values[name]) for name in _NAMED if name in values}
    family = kind.partition(".")[0]
    for name, value in values.items():
        prefix = _CODES.get(f"{family}.{name}")
        if prefix is not None and has(f"{prefix}.{value}"):
            values[name] = say(f"{prefix}.{value}", locale)
    return values


def _ids(value: object) -> object:
    """Things that are told with more than their id, by their id."""
    return [_id(one) for one in value] if isinstance(value, list | tuple) else value


def _id(one: object) -> object:
    if isinstance(one, Mapping):
        return one.get("todo_id") or one.get("artifact_id") or "-"
    return one[0] if isinstance(one, list | tuple) and one else one
