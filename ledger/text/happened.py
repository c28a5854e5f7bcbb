"""What an event says, as one sentence: who did what to what, and the words that came with it.

The sentence is made from the facts; the words follow it, screened by whoever shows them. An event kind without a
sentence of its own is told by its label, so that a reader is never shown nothing.
"""

from collections.abc import Mapping

from ledger.text.explain import display_details
from ledger.text.say import Locale, has, placeholders, say
from ledger.text.times import short_utc

SAID = (
    "title", "question", "objective", "purpose", "label", "answer", "name", "display_name", "context", "summary",
    "reason", "why", "note", "scope_summary",
)  # fmt: skip
"""The words that tell most about an event, the best first; identities of the platform are not among them."""

_NAMED = ("todos", "artifacts")


def sentence(
    kind: str, facts: Mapping[str, object], actor: str, locale: Locale, *, text: str = "", erased: bool = False
) -> str:
    """The event as a sentence. `text` is what of its words may be shown."""
    told = _told(kind, facts, actor, locale)
    if erased:
        return say("history.words_erased", locale, sentence=told)
    return say("history.said", locale, sentence=told, text=text) if text else told


def _told(kind: str, facts: Mapping[str, object], actor: str, locale: Locale) -> str:
    key = f"history.{kind}"
    if not has(key):
        label = say(f"event.{kind}", locale) if has(f"event.{kind}") else kind
        return say("history.plain", locale, actor=actor, label=label)
    values = {name: value for name, value in facts.items() if value is not None and value not in ("", (), [])}
    moments = {name[:-3]: value for name, value in values.items() if name.endswith("_ms") and isinstance(value, int)}
    values |= {(name if name.endswith("_at") else f"{name}_at"): short_utc(value) for name, value in moments.items()}
    values |= {name: _ids(values[name]) for name in _NAMED if name in values}
    shown = display_details({**values, "actor": actor}, locale)
    if has(f"{key}.bare") and not placeholders(key) <= shown.keys():
        key += ".bare"
    return say(key, locale, **{name: shown.get(name, "-") for name in placeholders(key)})


def _ids(value: object) -> object:
    """Things that are told with more than their id, by their id."""
    return [_id(one) for one in value] if isinstance(value, list | tuple) else value


def _id(one: object) -> object:
    if isinstance(one, Mapping):
        return one.get("todo_id") or one.get("artifact_id") or "-"
    return one[0] if isinstance(one, list | tuple) and one else one
