"""Command lines that a page shows: what is known is filled in, and what is still to be said stands as `<name>`.

A page runs nothing. It shows the line that does it, drawn from the name of the action and its subject, in the order in
which the command takes them. A line that is run with a place left open does nothing: to a shell `<reason>` is a file
that is not there, and not somebody's word.
"""

import re
import shlex
from collections.abc import Mapping
from functools import cache

from daemon.api.envelope import flag_of
from ledger.catalogue import ACTIONS

_LEFT_OPEN = re.compile(r"<[a-z][a-z0-9-]*>")
_QUOTED = re.compile(r"'[^']*'")
_HIDDEN = re.compile(
    "([\0-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]+)"
)
"""What `line.js` spells by its bytes, too."""
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


def line(action: str, known: Mapping[str, object], asked: str | None = None, more: tuple[str, ...] = ()) -> str:
    """The line for an action; `asked` is the one parameter that is to be said where it is known which one that is.

    `more` are parameters that have to be said this time.

    What of `known` is no parameter of the action is no part of the line.
    """
    own = _OWN_WORDS.get(action, ()) if asked is None else (asked,)
    own += more
    words = [f"frontstage {ACTIONS[action].noun} {ACTIONS[action].verb}"]
    for name, flag, needed in _flags(action):
        value = known.get(name)
        if value is None or value is False or value in ((), [], ""):
            words += [flag, left_open(flag)] if needed or name in own else []
        elif value is True:
            words.append(flag)
        else:
            for one in value if isinstance(value, list | tuple) else (value,):
                text = str(one)
                between = "=" if text.startswith("-") else " "
                words.append(f"{flag}{between}{word(text)}")
    return " ".join(words)


def left_open(flag: str) -> str:
    """What stands in a line where a person has still to say something."""
    return f"<{flag.removeprefix('--')}>"


def is_whole(shown: str) -> bool:
    """Whether a line can be run as it stands; what is quoted is somebody's word, whatever it looks like."""
    return _LEFT_OPEN.search(_QUOTED.sub("", shown)) is None


def word(text: str) -> str:
    """A word as a shell takes it, in which nothing is invisible: what could hide or reorder it is spelled by bytes."""
    if _HIDDEN.search(text) is None:
        return shlex.quote(text)
    # Splitting by a group gives what lies between at even places and what is hidden at odd ones.
    parts = [_spelled(part) if at % 2 else shlex.quote(part) for at, part in enumerate(_HIDDEN.split(text)) if part]
    return "".join(parts)


def _spelled(hidden: str) -> str:
    octal = "".join(f"\\{byte:03o}" for byte in hidden.encode("utf-8", "replace"))
    return f"\"$(printf '{octal}')\""


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
