"""One line about what an action did, for a person at a shell.

The line is made from the answer everybody gets: what the events say, their names and their seqs. An action without a
sentence of its own, or an answer that lacks what the sentence needs, is named with its events instead.
"""

from collections.abc import Mapping, Sequence

from ledger.text.explain import display_details
from ledger.text.say import Locale, has, placeholders, say
from ledger.text.times import NEAR_MS, second_utc, short_utc

_MOMENTS = {"expires_at_ms": "expires_at", "previous_until_ms": "previous_until", "until_ms": "until"}
_COUNTED = {"todos": "todos_total", "gaps": "gaps_total"}


def committed_line(action_name: str, document: Mapping[str, object], locale: Locale) -> str:
    """What was committed: `document` is the result envelope of the action."""
    result, events = _mapping(document.get("result")), _events(document.get("events"))
    values = {name: value for name, value in _values(result).items() if value is not None}
    key = _key(action_name, [str(event.get("kind", "")) for event in events], values)
    if has(key) and placeholders(key) <= values.keys():
        line = say(key, locale, **display_details(values, locale))
    else:
        line = _bare(action_name, events)
    return say("cli.replayed", locale, line=line) if document.get("replayed") else line


def held_line(action_name: str, seq: int, locale: Locale) -> str:
    """The wish already held, made so by the event `seq`."""
    del action_name
    return say("cli.held", locale, seq=seq)


def step_line(code: str, subject: Mapping[str, object], locale: Locale) -> str:
    """The next safe step as a sentence."""
    key = f"cli.next.{code}"
    shown = display_details(subject, locale)
    return say(key, locale, **{name: shown.get(name, "-") for name in placeholders(key)})


def need_line(kind: str, code: str | None, subject: Mapping[str, object], locale: Locale) -> str:
    """What somebody is to do about something that waits; a reason with a sentence of its own is told by it."""
    special = f"cli.need.{kind}.{code}"
    key = special if code is not None and has(special) else f"cli.need.{kind}"
    shown = display_details(subject, locale)
    return say(key, locale, **{name: shown.get(name, "-") for name in placeholders(key)})


def warning_line(code: str, locale: Locale) -> str:
    """What is no longer fresh about something that is to be decided on."""
    return say(f"cli.warning.{code}", locale)


def reason_line(code: str, locale: Locale) -> str:
    """Why the quota decided as it did."""
    key = f"cli.reason.{code}"
    return say(key, locale) if has(key) else say("cli.reason.unknown", locale, code=code)


def _key(action_name: str, kinds: list[str], values: Mapping[str, object]) -> str:
    key = "cli.done." + action_name.replace("-", "_")
    if action_name == "goal.clarify":
        return f"{key}.{'asked' if 'goal.question_asked' in kinds else 'answered'}"
    if action_name == "todo.complete" and values.get("successor_todo_id") is not None:
        return f"{key}.next"
    if action_name == "todo.add" and "todo.proposed" in kinds:
        return f"{key}.proposed"
    if action_name == "plan.confirm" and values.get("outcome") == "partial":
        return f"{key}.partial"
    if "digest.unscheduled" in kinds or "quiet_hours.ended" in kinds:
        return f"{key}.off"
    if action_name == "gate.delegate" and "gate.delegation_ended" in kinds:
        return f"{key}.ended"
    return key


def _values(result: Mapping[str, object]) -> dict[str, object]:
    """What the sentences may mention, with moments as text."""
    values: dict[str, object] = {name: value for name, value in result.items() if not isinstance(value, dict)}
    for name, total in _COUNTED.items():
        listed = result.get(name)
        if isinstance(listed, list | tuple):
            values[total] = len(listed)
    ttl_seconds = result.get("acquire_ttl_seconds")
    is_short = isinstance(ttl_seconds, int) and ttl_seconds * 1000 <= NEAR_MS
    for name, short in _MOMENTS.items():
        moment = result.get(name)
        if isinstance(moment, int):
            values[short] = second_utc(moment) if is_short else short_utc(moment)
    return values


def _bare(action_name: str, events: Sequence[Mapping[str, object]]) -> str:
    """`goal.confirmed #12`, for whatever has no sentence."""
    if not events:
        return action_name
    return ", ".join(f"{event.get('kind')} #{event.get('seq')}" for event in events)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _events(value: object) -> list[Mapping[str, object]]:
    return [_mapping(event) for event in value] if isinstance(value, list | tuple) else []
