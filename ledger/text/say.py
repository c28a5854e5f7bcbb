"""What the product says: one sentence per key, in English and Chinese, for every surface.

Keys are symbolic (`state.active`), so that no sentence is an identifier and neither language leads. The
catalogues are ordinary gettext files beside this module; only the compiled ones are read, by the standard
library, once per language. `frontstage` holds names, labels and card copy; `refusals` holds, for every
refusal code, what happened (`message`) and what to do (`hint`).

A value put into a sentence is data. It passes through `plain`, so that a name or a title can neither
reorder the sentence around it, nor hide in it, nor start a line of its own.
"""

import functools
import gettext
import io
import pkgutil
import re
import string
from collections.abc import Mapping
from typing import Literal

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")
DOMAINS = (
    "frontstage", "refusals", "chat", "cli",
    "agents", "authority", "cards_gate", "cards_members", "cards_request", "conversation", "forms", "gates", "history",
    "hooks", "lark_setup", "manual", "manual_local", "page", "plan_cards", "plans", "problems", "requests",
    "page_compose", "page_open", "page_watch",
    "reviews", "slots", "step_up", "views", "work", "identity", "summaries",
    "page_goal", "page_history", "page_pictures", "page_agents",
)  # fmt: skip
MARKS_IN_A_ROW_MAX = 4

_ABSENT = "-"
_REPLACED = "\ufffd"


def _table() -> dict[int, str | None]:
    """What `plain` does to single characters: shown as a symbol, shown as replaced, or removed."""
    table: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"}
    table[0x7F] = "\u2421"
    # C1 controls, bidi embeddings, overrides and isolates, halves of a pair, interlinear annotations: visible.
    for first, last in ((0x80, 0x9F), (0x202A, 0x202E), (0x2066, 0x2069), (0xD800, 0xDFFF), (0xFFF9, 0xFFFB)):
        table.update(dict.fromkeys(range(first, last + 1), _REPLACED))
    table.update(dict.fromkeys((0x2028, 0x2029), "\n"))
    # Without width or direction of their own: nothing to show, so they go.
    invisible = (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0)
    table.update(dict.fromkeys(invisible))
    for first, last in ((0x200B, 0x200C), (0x200E, 0x200F), (0x2060, 0x2065), (0x206A, 0x206F), (0xE0000, 0xE007F)):
        table.update(dict.fromkeys(range(first, last + 1)))
    return table


def _ranges(codes: list[int]) -> str:
    """Ascending codes as they stand in a character class: one by one they take the compiler twenty milliseconds."""
    starts = [code for code, before in zip(codes, [-2, *codes], strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], -2], strict=False) if code + 1 != after]
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in zip(starts, ends, strict=True))


_TABLE = _table()
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
# A joiner stays between two pictures, where it makes one of them; anywhere else it only hides.
_JOINER = re.compile(f"(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])")
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
)
_PILE = re.compile(f"([{_MARKS}]{{{MARKS_IN_A_ROW_MAX}}})[{_MARKS}]+")
# One scan tells the texts that have nothing of all this, which is nearly every text.
_STRANGE = re.compile(f"[\r\u200d{_MARKS}{_ranges(sorted(_TABLE))}]")
_LINE_END = re.compile(r"\r\n?")


def plain(text: str) -> str:
    """Text as it can be shown literally: controls made visible, hidden and reordering characters gone."""
    if _STRANGE.search(text) is None:
        return text
    return _PILE.sub(r"\1", _JOINER.sub("", _LINE_END.sub("\n", text).translate(_TABLE)))


def one_line(text: str) -> str:
    """Plain text on one line: every run of blanks is one space."""
    return " ".join(plain(text).split())


class _NoSuchKey(gettext.NullTranslations):
    """The end of the look-up: a key that no catalogue has is a mistake of ours, not a text."""

    def gettext(self, message: str) -> str:
        raise KeyError(message)


@functools.cache
def _catalogue(locale: Locale) -> gettext.NullTranslations:
    """Every domain of one language, chained."""
    head: gettext.NullTranslations = _NoSuchKey()
    for domain in reversed(DOMAINS):
        data = pkgutil.get_data("ledger.text", f"locale/{locale}/LC_MESSAGES/{domain}.mo")
        if data is None:
            raise FileNotFoundError(f"the {domain} texts for {locale} are not installed")
        translations = gettext.GNUTranslations(io.BytesIO(data))
        translations.add_fallback(head)
        head = translations
    return head


@functools.cache
def _template(key: str, locale: Locale) -> str:
    if not key:
        raise KeyError(key)
    return _catalogue(locale).gettext(key)


@functools.cache
def placeholders(key: str) -> frozenset[str]:
    """The names a sentence has room for."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(_template(key, "en")) if name)


def has(key: str) -> bool:
    """Whether there is such a sentence."""
    try:
        _template(key, "en")
    except KeyError:
        return False
    return True


def say(key: str, locale: Locale, /, **values: object) -> str:
    """The sentence of this key. An unknown key or a missing value raises `KeyError`."""
    template = _template(key, locale)
    if not values:
        # A template without values still passes through format, which turns `{{` into `{`.
        return template.format() if "{" in template else template
    return template.format(**{name: one_line(str(value)) for name, value in values.items()})


def say_refusal(code: str, part: Literal["message", "hint"], locale: Locale, details: Mapping[str, object]) -> str:
    """What a refusal means or advises. Never raises: a person is owed an answer even to a code without a text.

    A detail that the sentence mentions and the refusal lacks is shown as a dash.
    """
    key = f"refusal.{code}.{part}"
    if not has(key):
        return say(f"refusal.unknown.{part}", locale, code=code)
    known = {name: details.get(name, _ABSENT) for name in placeholders(key)}
    return say(key, locale, **known)
