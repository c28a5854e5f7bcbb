"""Commands: the few words that are understood, in both languages, and what is only text.

A command opens something. Whatever else was written is text, and a sentence that happens to begin with such a word is
a sentence: a word that takes nothing is a command only if it stands alone, and a word about one goal only if a goal's
name follows, or nothing.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from ledger.text.say import plain

WORDS: Final[dict[str, str]] = {
    "help": "help", "帮助": "help", "?": "help",
    "propose": "propose", "提议": "propose", "提案": "propose",
    "goals": "goals", "目标": "goals",
    "status": "status", "状态": "status",
    "pause": "pause", "暂停": "pause",
    "resume": "resume", "恢复": "resume",
    "stop": "stop", "停止": "stop",
    "attention": "attention", "待办": "attention",
    "digest": "digest", "摘要": "digest",
    "members": "members", "成员": "members",
    "pair": "pair", "配对": "pair",
    "invite": "invite", "邀请": "invite",
    "bind": "bind", "绑定": "bind", "unbind": "bind", "解绑": "bind",
}  # fmt: skip
"""Every word and the command that it is."""
OPENS: Final[dict[str, tuple[str, str]]] = {
    "members": ("members:{message_id}", "members:all:{message_id}"),
}
"""Commands that open a card of its own kind as the answer: the subject in a group and in private, where `{message_id}`
is the question's id."""
ABOUT_ONE_GOAL: Final = frozenset({"status", "pause", "resume", "stop"})
"""Commands about one goal; which one is asked where it is not said."""
MAY_NAME_A_GOAL: Final = ABOUT_ONE_GOAL | {"bind"}
"""Commands that are no sentence where a goal's name follows."""
WITH_TEXT: Final = frozenset({"propose", "pair"})
"""Commands that take what follows."""
_SHAPE = re.compile(r"[/\uff0f]?(?P<word>\w+)(?:(?:\s*[:：,，]\s*|\s+)(?P<rest>.*))?", re.DOTALL)
_ENDS = " \t\r\n.!?。"
_GOAL = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Command:
    """What a message asks for, what follows the word, and all of it; where it is only text `name` is `text`."""

    name: str
    rest: str
    said: str


def command_of(text: str) -> Command:
    """Read a message. Whether the goal that it names is one is for the ledger to say."""
    said = text.strip()
    found = _SHAPE.fullmatch(said)
    # Full-width signs and the end of a sentence are no part of a word that stands alone.
    name = WORDS.get(_bare(said if found is None else found["word"]), "text")
    rest = "" if found is None else (found["rest"] or "").strip()
    takes_rest = name in WITH_TEXT or (name in MAY_NAME_A_GOAL and _GOAL.fullmatch(rest.lower()) is not None)
    if name == "text" or (rest and not takes_rest):
        return Command("text", said, said)
    return Command(name, rest, said)


def _bare(word: str) -> str:
    """A word as the table has it, however it was typed."""
    shown = unicodedata.normalize("NFKC", plain(word)).strip().lower()
    return (shown.rstrip(_ENDS) or shown).removeprefix("/").strip()
