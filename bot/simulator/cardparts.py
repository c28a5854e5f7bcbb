"""The parts inside a component: its texts, options, behaviours, confirmation and bounds."""

import re
from typing import NoReturn

from bot.simulator import cardtables as tables
from bot.simulator.documented import (
    INPUT_CHARS_MAX,
    LABEL_CHARS_MAX,
    MARKDOWN_TABLES_MAX,
    OPTIONS_MAX,
    TABLE_COLUMNS_MAX,
    TABLE_PAGE_ROWS_MAX,
)
from bot.simulator.errors import CardRefusedError
from bot.simulator.wire import JsonObject, list_at, object_at, text_at

_PLAIN_ONLY = ("placeholder", "label", "hover_tips", "disabled_tips")
_TEXT_TAGS = frozenset(("plain_text", "lark_md"))
_TABLE_RULE = re.compile(r"(?m)^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")


def refuse(sub_code: int, reason: str, where: str) -> NoReturn:
    """Raise the platform's refusal of a card."""
    raise CardRefusedError(sub_code, reason, where)


def known_only(element: JsonObject, known: frozenset[str], where: str) -> None:
    """Refuse the first property that schema 2.0 does not know here."""
    for key in element:
        if key not in known:
            refuse(200621, f"unknown property, property: {key}", f"{where}/{key}")


def check_text(value: object, where: str, *, tags: frozenset[str], chars_max: int | None = None) -> None:
    """A text object: of an allowed kind, with a string and with known languages."""
    if not isinstance(value, dict):
        refuse(200621, "a text is an object", where)
    if value.get("tag") not in tags:
        refuse(200621, f"the text must be {' or '.join(sorted(tags))}", f"{where}/tag")
    known_only(value, tables.TEXT, where)
    copies: list[object] = [value.get("content", ""), *object_at(value, "i18n_content").values()]
    for language in object_at(value, "i18n_content"):
        if language not in tables.LANGUAGES:
            refuse(200621, f"unknown language {language}", f"{where}/i18n_content")
    for copy in copies:
        if not isinstance(copy, str):
            refuse(200621, "content is a string", f"{where}/content")
        if chars_max is not None and len(copy) > chars_max:
            refuse(200621, f"the text is longer than {chars_max} characters", f"{where}/content")


def check_parts(element: JsonObject, where: str) -> None:
    """Check everything of one component but its children."""
    tag = text_at(element, "tag")
    plain = frozenset(("plain_text",))
    for key in _PLAIN_ONLY:
        if key in element:
            check_text(element[key], f"{where}/{key}", tags=plain, chars_max=LABEL_CHARS_MAX)
    if tag in {"button", "text_tag"} and "text" in element:
        check_text(element["text"], f"{where}/text", tags=plain, chars_max=LABEL_CHARS_MAX)
    if tag in {"div", "checker"} and "text" in element:
        check_text(element["text"], f"{where}/text", tags=_TEXT_TAGS)
    for key in ("title", "subtitle"):
        if key in element and not tag:
            check_text(element[key], f"{where}/{key}", tags=_TEXT_TAGS)
    if tag == "markdown":
        check_text({**_text_of(element), "tag": "markdown"}, where, tags=frozenset(("markdown",)))
        _check_markdown(element, where)
    if "confirm" in element:
        _check_confirm(object_at(element, "confirm"), f"{where}/confirm", plain)
    if "icon" in element:
        known_only(object_at(element, "icon"), tables.ICON, f"{where}/icon")
    if tag == "collapsible_panel":
        _check_panel(element, where)
    _check_behaviors(element, where)
    _check_options(element, tag, where, plain)
    _check_bounds(element, tag, where)


def _text_of(element: JsonObject) -> JsonObject:
    return {key: element[key] for key in ("content", "i18n_content") if key in element}


def _check_markdown(element: JsonObject, where: str) -> None:
    for copy in (element.get("content", ""), *object_at(element, "i18n_content").values()):
        if len(_TABLE_RULE.findall(str(copy))) > MARKDOWN_TABLES_MAX:
            refuse(11310, "card table number over limit", where)


def _check_confirm(confirm: JsonObject, where: str, plain: frozenset[str]) -> None:
    known_only(confirm, tables.CONFIRM, where)
    for key in ("title", "text"):
        if key not in confirm:
            refuse(200621, f"confirm needs {key}", where)
        check_text(confirm[key], f"{where}/{key}", tags=plain)


def _check_panel(element: JsonObject, where: str) -> None:
    header = object_at(element, "header")
    known_only(header, tables.PANEL_HEADER, f"{where}/header")
    if "title" not in header:
        refuse(200621, "a panel needs header.title", f"{where}/header")
    check_text(header["title"], f"{where}/header/title", tags=frozenset(("plain_text", "markdown", "lark_md")))


def _check_behaviors(element: JsonObject, where: str) -> None:
    for index, behavior in enumerate(list_at(element, "behaviors")):
        at = f"{where}/behaviors/{index}"
        if not isinstance(behavior, dict):
            refuse(200621, "a behavior is an object", at)
        match behavior.get("type"):
            case "open_url":
                known_only(behavior, tables.OPEN_URL, at)
            case "callback":
                known_only(behavior, tables.CALLBACK, at)
                if not isinstance(behavior.get("value"), dict | str):
                    refuse(200621, "a callback's value is an object or a string", f"{at}/value")
            case _:
                refuse(200621, "unknown behavior", f"{at}/type")


def _check_options(element: JsonObject, tag: str, where: str, plain: frozenset[str]) -> None:
    if tag not in {"overflow", "select_static", "multi_select_static"}:
        return
    options = list_at(element, "options")
    if not 1 <= len(options) <= OPTIONS_MAX:
        refuse(200621, f"there must be 1 to {OPTIONS_MAX} options", f"{where}/options")
    values: list[object] = []
    for index, option in enumerate(options):
        at = f"{where}/options/{index}"
        if not isinstance(option, dict):
            refuse(200621, "an option is an object", at)
        known_only(option, frozenset(("text", "value", "icon", "multi_url")), at)
        check_text(option.get("text"), f"{at}/text", tags=plain, chars_max=LABEL_CHARS_MAX)
        if not isinstance(option.get("value", ""), str):
            refuse(200621, "an option's value is a string", f"{at}/value")
        values.append(option.get("value", at))
    if len(set(values)) < len(values):
        refuse(200621, "two options have the same value", f"{where}/options")


def _check_bounds(element: JsonObject, tag: str, where: str) -> None:
    if tag == "button":
        if text_at(element, "type", "default") not in tables.BUTTON_TYPES:
            refuse(200621, "unknown button type", f"{where}/type")
        if element.get("form_action_type", "submit") not in {"submit", "reset"}:
            refuse(200621, "form_action_type is submit or reset", f"{where}/form_action_type")
    elif tag == "input":
        length = element.get("max_length", INPUT_CHARS_MAX)
        if not isinstance(length, int) or isinstance(length, bool) or not 1 <= length <= INPUT_CHARS_MAX:
            refuse(200621, f"max_length is from 1 to {INPUT_CHARS_MAX}", f"{where}/max_length")
        if text_at(element, "input_type", "text") not in {"text", "multiline_text", "password"}:
            refuse(200621, "unknown input_type", f"{where}/input_type")
    elif tag == "column_set":
        if text_at(element, "flex_mode", "none") not in {"none", "stretch", "flow", "bisect", "trisect"}:
            refuse(200621, "unknown flex_mode", f"{where}/flex_mode")
    elif tag == "table":
        size = element.get("page_size", 5)
        if not isinstance(size, int) or not 1 <= size <= TABLE_PAGE_ROWS_MAX:
            refuse(200621, f"page_size is from 1 to {TABLE_PAGE_ROWS_MAX}", f"{where}/page_size")
        if len(list_at(element, "columns")) > TABLE_COLUMNS_MAX:
            refuse(200621, f"a table has at most {TABLE_COLUMNS_MAX} columns", f"{where}/columns")
