"""Is this a card the platform would take? The first thing that is wrong is the answer.

The size is checked where the whole request is known (`messages`). Here: schema 2.0 and shared, known tags and
properties only, at most 200 elements, containers at most five deep, forms at the root with unique names, plain text
where only plain text may stand, and the bounds of each component. Where the platform would quietly show less (a
fourth header tag), the simulator refuses, so that nothing is lost unseen.
"""

import re
from collections.abc import Iterator

from bot.simulator import cardtables as tables
from bot.simulator.cardparts import check_parts, known_only, refuse
from bot.simulator.documented import (
    CHARTS_MAX,
    COLUMN_WEIGHT_MAX,
    ELEMENT_ID_CHARS_MAX,
    ELEMENTS_MAX,
    HEADER_TAGS_MAX,
    NESTING_MAX,
    TABLES_MAX,
)
from bot.simulator.wire import JsonObject, list_at, object_at, text_at

TITLE_TEXT_TAGS = frozenset(("plain_text", "lark_md"))

_ELEMENT_ID = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{ELEMENT_ID_CHARS_MAX - 1}}}")


def check_card(card: JsonObject) -> None:
    """Accept the card, or raise the platform's refusal."""
    if card.get("schema") != "2.0":
        refuse(200621, "schema must be 2.0", "/schema")
    known_only(card, tables.ROOT, "")
    _check_config(object_at(card, "config"))
    if "header" in card:
        _check_header(object_at(card, "header"))
    body = object_at(card, "body")
    known_only(body, tables.BODY, "/body")
    if not list_at(body, "elements"):
        refuse(200621, "body.elements is empty", "/body/elements")
    count = sum(1 for _ in _tagged(card, ""))
    if count > ELEMENTS_MAX:
        refuse(11310, f"element exceeds the limit: {count} of {ELEMENTS_MAX}", "/body")
    _Walk().elements(body, "/body", depth=0, in_form=False)
    _check_unique_ids(card)


def check_update(old: JsonObject, new: JsonObject) -> None:
    """Both the card that is shown and the one that replaces it must be shared, and no card goes back to schema 1."""
    if old.get("schema") == "2.0" and new.get("schema") != "2.0":
        refuse(200830, "a card of schema V2 cannot be updated to V1", "/schema")
    for name, card in (("old", old), ("new", new)):
        if object_at(card, "config").get("update_multi") is not True:
            refuse(200621, f"the {name} card is not shared", "/config/update_multi")


def _check_config(config: JsonObject) -> None:
    known_only(config, tables.CONFIG, "/config")
    if config.get("update_multi") is not True:
        refuse(200621, "update_multi must be true", "/config/update_multi")
    for language in list_at(config, "locales"):
        if language not in tables.LANGUAGES:
            refuse(200621, "unknown locale", "/config/locales")


def _check_header(header: JsonObject) -> None:
    known_only(header, tables.HEADER, "/header")
    if not text_at(object_at(header, "title"), "content"):
        refuse(200621, "header.title is required", "/header/title")
    for key in ("title", "subtitle"):
        if key in header and text_at(object_at(header, key), "tag") not in TITLE_TEXT_TAGS:
            refuse(200621, "a title is plain_text or lark_md", f"/header/{key}/tag")
    if text_at(header, "template", "default") not in tables.TEMPLATES:
        refuse(200621, "unknown template", "/header/template")
    tag_lists = {"/header/text_tag_list": list_at(header, "text_tag_list")}
    for language in object_at(header, "i18n_text_tag_list"):
        where = f"/header/i18n_text_tag_list/{language}"
        tag_lists[where] = list_at(object_at(header, "i18n_text_tag_list"), language)
    for where, tags in tag_lists.items():
        if len(tags) > HEADER_TAGS_MAX:
            refuse(200621, f"at most {HEADER_TAGS_MAX} header tags", where)
        for index, tag in enumerate(tags):
            _check_text_tag(tag, f"{where}/{index}")
    check_parts(header, "/header")


def _check_text_tag(tag: object, where: str) -> None:
    if not isinstance(tag, dict) or tag.get("tag") != "text_tag":
        refuse(200621, "a header tag is a text_tag", where)
    known_only(tag, tables.TEXT_TAG, where)
    if text_at(object_at(tag, "text"), "tag") != "plain_text":
        refuse(200621, "a header tag is plain_text", f"{where}/text")
    if text_at(tag, "color", "blue") not in tables.TAG_COLOURS:
        refuse(200621, "unknown tag colour", f"{where}/color")
    check_parts(tag, where)


class _Walk:
    """One pass over the components, with the names and tables seen so far."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.tables = 0
        self.charts = 0

    def elements(self, holder: JsonObject, where: str, *, depth: int, in_form: bool) -> None:
        for index, element in enumerate(list_at(holder, "elements")):
            at = f"{where}/elements/{index}"
            if not isinstance(element, dict):
                refuse(200621, "an element is an object", at)
            self.element(element, at, depth=depth, in_form=in_form)

    def element(self, element: JsonObject, where: str, *, depth: int, in_form: bool) -> None:
        tag = text_at(element, "tag")
        if tag in tables.REMOVED_TAGS or tag not in tables.ELEMENTS or tag == "column":
            refuse(200861, f"cards of schema V2 no longer support this capability; unsupported tag {tag}", where)
        known_only(element, tables.ELEMENTS[tag], where)
        if tag in {"form", "table"} and depth > 0:
            refuse(200621, f"{tag} may only stand at the root", where)
        if tag == "chart" and in_form:
            refuse(200621, "a form holds no chart", where)
        if tag == "table":
            self.tables += 1
            if self.tables > TABLES_MAX:
                refuse(11310, "card table number over limit", where)
        if tag == "chart":
            self.charts += 1
            if self.charts > CHARTS_MAX:
                refuse(11310, "card chart number over limit", where)
        self._name(element, tag, where, in_form=in_form)
        check_parts(element, where)
        if tag in tables.CONTAINERS:
            self._container(element, tag, where, depth=depth + 1, in_form=in_form or tag == "form")

    def _container(self, element: JsonObject, tag: str, where: str, *, depth: int, in_form: bool) -> None:
        if depth > NESTING_MAX:
            refuse(200621, f"containers nest at most {NESTING_MAX} deep", where)
        if tag != "column_set":
            self.elements(element, where, depth=depth, in_form=in_form)
            if tag == "form" and not any(submits(child) for child, _ in _tagged(element, where)):
                refuse(200530, "a form needs a submit button", where)
            return
        for index, column in enumerate(list_at(element, "columns")):
            at = f"{where}/columns/{index}"
            if not isinstance(column, dict) or column.get("tag") != "column":
                refuse(200621, "columns holds columns", at)
            known_only(column, tables.ELEMENTS["column"], at)
            if column.get("weight", 1) not in range(1, COLUMN_WEIGHT_MAX + 1):
                refuse(200621, f"a weight is from 1 to {COLUMN_WEIGHT_MAX}", f"{at}/weight")
            self.elements(column, at, depth=depth, in_form=in_form)

    def _name(self, element: JsonObject, tag: str, where: str, *, in_form: bool) -> None:
        name = element.get("name")
        if (tag == "form" or (in_form and tag in tables.NAMED_IN_FORM)) and (not isinstance(name, str) or not name):
            refuse(200530, "the name of a form or of a component in it is empty", f"{where}/name")
        if isinstance(name, str) and name:
            if name in self.names:
                refuse(200530, f"the name {name} is not unique", f"{where}/name")
            self.names.add(name)
        if tag == "button" and in_form and not (element.get("form_action_type") or element.get("action_type")):
            refuse(200621, "a button in a form says form_action_type", f"{where}/form_action_type")
        if not in_form and element.get("required") is True:
            refuse(200621, "required stands in a form only", f"{where}/required")


def submits(element: JsonObject) -> bool:
    """Whether a component is a form's submit button, in the present or the historic spelling."""
    return element.get("tag") == "button" and (
        element.get("form_action_type") == "submit" or element.get("action_type") == "form_submit"
    )


def _tagged(node: object, where: str) -> Iterator[tuple[JsonObject, str]]:
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _tagged(item, f"{where}/{index}")
    elif isinstance(node, dict):
        if isinstance(node.get("tag"), str):
            yield node, where
        for key, value in node.items():
            if key not in {"value", "rows", "chart_spec"}:
                yield from _tagged(value, f"{where}/{key}")


def _check_unique_ids(card: JsonObject) -> None:
    seen: set[str] = set()
    for element, where in _tagged(card, ""):
        if "element_id" not in element:
            continue
        element_id = text_at(element, "element_id")
        if not _ELEMENT_ID.fullmatch(element_id):
            bounds = f"at most {ELEMENT_ID_CHARS_MAX} letters, digits and _"
            refuse(200621, f"element_id starts with a letter and has {bounds}", where)
        if element_id in seen:
            refuse(300301, "element_id is not unique", where)
        seen.add(element_id)
