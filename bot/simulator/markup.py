"""Texts as a person sees them: the right language, and markdown without its marks."""

import re
from collections.abc import Callable

from bot.simulator.model import Language
from bot.simulator.wire import JsonObject, list_at, object_at, text_at

_AT = re.compile(r"<at\s+([^<>]*?)/?>(?:[^<]*</at>)?", re.IGNORECASE)
_PERSON = re.compile(r"<person\s+([^<>]*?)/?>(?:[^<]*</person>)?", re.IGNORECASE)
_ID = re.compile(r"(?:user_id|open_id|union_id|ids?|email)\s*=\s*[\"']?([^\"'\s>]+)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:font|text_tag|number_tag|link|a|raw|local_datetime|hr)\b[^<>]*>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_STRONG = re.compile(r"(?<!\\)(\*\*|__|~~|`)(?=\S)(.+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\\*\w])([*_])(?=\S)([^*_]+?)(?<=\S)\1(?![*\w])")
_LINE_MARK = re.compile(r"^(?:#{1,6} |> ?|[-*] )", re.MULTILINE)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>~|$&])")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " ", "&amp;": "&"}

NameOf = Callable[[str], str]


def chosen(text: JsonObject, language: Language, locales: list[object]) -> str:
    """The copy of a text in a person's language: theirs, else English, else the plain content."""
    copies = object_at(text, "i18n_content")
    for wanted in (language, "en_us"):
        if wanted in copies and (not locales or wanted in locales):
            return str(copies[wanted])
    return text_at(text, "content")


def shown(text: JsonObject, language: Language, locales: list[object], name_of: NameOf) -> str:
    """A text object as it appears: markdown is read as such, plain text literally."""
    copy = chosen(text, language, locales)
    return plain(copy, name_of) if text_at(text, "tag") in {"markdown", "lark_md"} else copy


def plain(markdown: str, name_of: NameOf) -> str:
    """Markdown with its marks taken away, mentions and people by name."""
    out = _AT.sub(lambda match: "".join(f"@{name_of(one)}" for one in _ids(match.group(1))), markdown)
    out = _PERSON.sub(lambda match: "".join(name_of(one) for one in _ids(match.group(1))), out)
    out = _TAG.sub("", _BREAK.sub("\n", out))
    out = _LINK.sub(r"\1", out)
    out = _EMPHASIS.sub(r"\2", _STRONG.sub(r"\2", out))
    out = _ESCAPE.sub(r"\1", _LINE_MARK.sub("", out))
    for entity, character in _ENTITIES.items():
        out = out.replace(entity, character)
    return out


def text_message(content: JsonObject, name_of: NameOf) -> str:
    """A bot's text message as it appears, mentions by name."""
    return _AT.sub(lambda match: "".join(f"@{name_of(one)}" for one in _ids(match.group(1))), text_at(content, "text"))


def locales_of(card: JsonObject) -> list[object]:
    """The languages a card says are in force; empty means all."""
    return list_at(object_at(card, "config"), "locales")


def _ids(attributes: str) -> list[str]:
    return [one for match in _ID.findall(attributes) for one in match.split(",") if one]
