"""Command lines that a page shows: what is known is filled in, and what is still to be said stands as three dots.

A page runs nothing. It shows the line that does it, drawn from the name of the action and its subject, in the order in
which the command takes them.
"""

import shlex
from collections.abc import Mapping
from functools import cache

from daemon.api.envelope import flag_of
from ledger.catalogue import ACTIONS

LEFT_OPEN = "…"
_OWN_WORDS: Mapping[str, tuple[str, ...]] = {
    "goal.clarify": ("answer",),
    "goal.decline": ("reason",),
    "goal.request-changes": ("reason",),
    "goal.revise": ("criterion",),
    "todo.complete": ("evidence",),
    "quota.set": ("compute",),
    "member.add": ("kind",),
}
"""What a person adds in their own words, where the action is little without it."""


def line(action: str, known: Mapping[str, object], asked: str | None = None) -> str:
    """The line for an action; `asked` is the one parameter that is to be said where it is known which one that is.

    What of `known` is no parameter of the action is no part of the line.
    """
    own = _OWN_WORDS.get(action, ()) if asked is None else (asked,)
    words = [f"frontstage {ACTIONS[action].noun} {ACTIONS[action].verb}"]
    for name, flag, needed in _flags(action):
        value = known.get(name)
        if value is None or value is False or value in ((), [], ""):
            words += [flag, LEFT_OPEN] if needed or name in own else []
        elif value is True:
            words.append(flag)
        else:
            for one in value if isinstance(value, list | tuple) else (value,):
                text = str(one)
                between = "=" if text.startswith("-") else " "
                words.append(f"{flag}{between}{shlex.quote(text)}")
    return " ".join(words)


@cache
def _flags(action: str) -> tuple[tuple[str, str, bool], ...]:
    """Each parameter that may be typed, its flag, and whether it is always needed."""
    found = ACTIONS[action]
    kept_out = {found.mints, "code" if found.takes_code else None}
    return tuple(
        (name, flag_of(name), field.is_required())
        for name, field in found.params.model_fields.items()
        if name not in kept_out
    )
