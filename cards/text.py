"""The three kinds of text on a card, kept apart by type.

`Words` is ledger text: what people and agents wrote. It is neutralised when it is made and only ever becomes
a `plain_text`, which the platform shows letter by letter. `Copy` is ours, in both languages, with values put
in by `say`. `Moment` is the only thing that becomes markdown: fixed markup around one integer, because the
reader's own zone can be had no other way. Nothing else has a way into markdown, so nobody can be mentioned,
no link forged and no table opened by what somebody typed.
"""

from dataclasses import dataclass
from typing import Literal

from cards.locale import LANGUAGE_TAGS
from ledger.text.explain import display_details, field_label
from ledger.text.say import LOCALES, Locale, has, one_line, plain, say, say_refusal

NAMES_MAX = 3
NAME_CHARS_MAX = 40
DETAIL_CHARS_MAX = 200
DIGEST_CHARS = 12

Json = bool | int | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Words:
    """Ledger text, shown literally."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", plain(self.text))

    def json(self, locale: Locale) -> JsonObject:
        """The same letters in every language."""
        del locale
        return {"tag": "plain_text", "content": self.text}

    @property
    def chars(self) -> int:
        """Length of the longest version."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Copy:
    """Our own text, in both languages."""

    en: str
    zh: str

    def json(self, locale: Locale) -> JsonObject:
        """A native two-language text; `locale` is what clients that know neither show."""
        return {"tag": "plain_text", **languages(self, locale)}

    def in_language(self, locale: Locale) -> str:
        """One version."""
        return self.en if locale == "en" else self.zh

    @property
    def chars(self) -> int:
        """Length of the longest version."""
        return max(len(self.en), len(self.zh))


@dataclass(frozen=True, slots=True)
class Moment:
    """An absolute time, shown by the client in the reader's own zone."""

    at_ms: int

    def markup(self) -> str:
        """The platform's own markup around one integer."""
        if type(self.at_ms) is not int:
            raise TypeError("a moment is whole milliseconds")
        parts = (
            f"<local_datetime millisecond='{self.at_ms}' format_type='{form}'></local_datetime>"
            for form in ("date_num", "time")
        )
        return " ".join(parts)


Text = Words | Copy


def languages(text: Copy, locale: Locale) -> JsonObject:
    """`content` and `i18n_content` of a text."""
    both: dict[Locale, str] = {"en": text.en, "zh": text.zh}
    native: JsonObject = {tag: both[name] for name, tag in LANGUAGE_TAGS}
    return {"content": both[locale], "i18n_content": native}


def copy(key: str, **values: object) -> Copy:
    """The sentence of this key in both languages. A value that is itself `Copy` goes in in its own language."""
    said = {
        locale: say(
            key,
            locale,
            **{name: v.in_language(locale) if isinstance(v, Copy) else v for name, v in values.items()},
        )
        for locale in LOCALES
    }
    return Copy(said["en"], said["zh"])


def named(family: str, name: str) -> Copy:
    """`family.name` from the shared texts, or the bare name where they have none: never a blank, never a crash."""
    key = f"{family}.{name}"
    if has(key):
        return copy(key)
    bare = name_of(name)
    return Copy(bare, bare)


def refused(code: str, part: Literal["message", "hint"], details: dict[str, str]) -> Copy:
    """A refusal's message or hint in both languages; a field it mentions goes by its label on the card."""
    said = {}
    for locale in LOCALES:
        values = {name: name_of(value, DETAIL_CHARS_MAX) for name, value in display_details(details, locale).items()}
        if "field" in details:
            values["field"] = field_label(details["field"], locale)
        said[locale] = say_refusal(name_of(code), part, locale, values)
    return Copy(said["en"], said["zh"])


def name_of(name: str, chars_max: int = NAME_CHARS_MAX) -> str:
    """One name on one line; a longer one ends in a mark."""
    line = one_line(name)
    # Once more plain: a cut may leave half of a joined picture.
    return line if len(line) <= chars_max else f"{plain(line[: chars_max - 1])}…"


def people(names: tuple[str, ...], names_max: int = NAMES_MAX) -> Copy:
    """A few names and how many more."""
    shown = [name_of(name) for name in names[:names_max]]
    more = f" +{len(names) - names_max}" if len(names) > names_max else ""
    return Copy(f"{', '.join(shown)}{more}", f"{'、'.join(shown)}{more}")


def short_digest(sha256: str) -> str:
    """Enough of a digest to compare by eye."""
    return one_line(sha256)[:DIGEST_CHARS]


def size(size_bytes: int) -> str:
    """A size as people write it."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.1f} KB"
    return f"{size_bytes / (1024 * 1024):.1f} MB"
