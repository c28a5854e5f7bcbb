"""Texts as one person sees them: the right language, times in their zone, and markdown without its marks."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.simulator.localtime import local_datetime
from bot.simulator.model import Language
from bot.simulator.wire import JsonObject, list_at, object_at, text_at

_AT = re.compile(r"<at\s+([^<>]*?)/?>(?:[^<]*</at>)?", re.IGNORECASE)
_PERSON = re.compile(r"<person\s+([^<>]*?)/?>(?:[^<]*</person>)?", re.IGNORECASE)
_TIME = re.compile(r"<local_datetime\b([^<>]*?)/?>(?:[^<]*</local_datetime>)?", re.IGNORECASE)
_ID = re.compile(r"(?:user_id|open_id|union_id|ids?|email)\s*=\s*[\"']?([^\"'\s>]+)")
_MILLISECOND = re.compile(r"\bmillisecond\s*=\s*[\"']?(\d{1,15})")
_FORMAT = re.compile(r"\bformat_type\s*=\s*[\"']?(\w+)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:font|text_tag|number_tag|link|a|raw|hr)\b[^<>]*>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_STRONG = re.compile(r"(?<!\\)(\*\*|__|~~|`)(?=\S)(.+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\\*\w])([*_])(?=\S)([^*_]+?)(?<=\S)\1(?![*\w])")
_LINE_MARK = re.compile(r"^(?:#{1,6} |> ?|[-*] )", re.MULTILINE)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>~|$&])")

NameOf = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Whose eyes: their language and zone, how ids are named to them, and when the text was sent."""

    language: Language
    timezone: str
    name_of: NameOf
    sent_at_ms: int
    locales: tuple[object, ...] = ()
    people: tuple[tuple[str, str], ...] = ()
    """Who can be picked where a card asks for a person: their names and ids."""


def chosen(text: JsonObject, reader: Reader) -> str:
    """The copy of a text in the reader's language: theirs, else English, else the plain content."""
    copies = object_at(text, "i18n_content")
    for wanted in (reader.language, "en_us"):
        if wanted in copies and (not reader.locales or wanted in reader.locales):
            return str(copies[wanted])
    return text_at(text, "content")


def shown(text: JsonObject, reader: Reader) -> str:
    """A text object as it appears: markdown is read as such, plain text literally."""
    copy = chosen(text, reader)
    return plain(copy, reader) if text_at(text, "tag") in {"markdown", "lark_md"} else copy


def plain(markdown: str, reader: Reader) -> str:
    """Markdown with its marks taken away: mentions and people by name, times in the reader's zone."""
    out = _mentions(markdown, reader.name_of)
    out = _PERSON.sub(lambda match: "".join(reader.name_of(one) for one in _ids(match.group(1))), out)
    out = _TIME.sub(lambda match: _time(match.group(1), reader), out)
    out = _TAG.sub("", _BREAK.sub("\n", out))
    out = _LINK.sub(r"\1", out)
    out = _EMPHASIS.sub(r"\2", _STRONG.sub(r"\2", out))
    return html.unescape(_ESCAPE.sub(r"\1", _LINE_MARK.sub("", out)))


def text_message(content: JsonObject, name_of: NameOf) -> str:
    """A bot's text message as it appears, mentions by name."""
    return _mentions(text_at(content, "text"), name_of)


def locales_of(card: JsonObject) -> tuple[object, ...]:
    """The languages a card says are in force; empty means all."""
    return tuple(list_at(object_at(card, "config"), "locales"))


def _mentions(text: str, name_of: NameOf) -> str:
    return _AT.sub(lambda match: "".join(f"@{name_of(one)}" for one in _ids(match.group(1))), text)


def _time(attributes: str, reader: Reader) -> str:
    at, form = _MILLISECOND.search(attributes), _FORMAT.search(attributes)
    at_ms = int(at.group(1)) if at else reader.sent_at_ms
    return local_datetime(at_ms, form.group(1) if form else "date_num", reader.language, reader.timezone)


def _ids(attributes: str) -> list[str]:
    return [one for match in _ID.findall(attributes) for one in match.split(",") if one]
