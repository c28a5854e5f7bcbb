"""Who a message mentions, found wherever the platform would look, so that a test can say: nobody.

Text messages mention by `<at user_id="…">`; markdown and lark_md by `<at id=…>` and friends; cards also show people
by the elements `person` and `person_list` and by `<person>`. Text in `plain_text` mentions nobody.
"""

import re
from collections.abc import Iterator

from bot.simulator.model import Mention
from bot.simulator.wire import JsonObject, objects_at, text_at

_AT = re.compile(r"<at\s+([^<>]*?)/?>", re.IGNORECASE)
_PERSON = re.compile(r"<person\s+([^<>]*?)/?>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(\w+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_ID_ATTRIBUTES = ("id", "ids", "user_id", "open_id", "union_id", "email")


def _ids(attributes: str) -> Iterator[str]:
    for name, *quoted in _ATTRIBUTE.findall(attributes):
        if name.lower() in _ID_ATTRIBUTES:
            yield from (part.strip() for part in "".join(quoted).split(",") if part.strip())


def _of_markup(text: str, where: str) -> Iterator[Mention]:
    for match in _AT.finditer(text):
        for found in _ids(match.group(1)):
            yield Mention(kind="all" if found == "all" else "at", id=found, where=where)
    for match in _PERSON.finditer(text):
        for found in _ids(match.group(1)):
            yield Mention(kind="person", id=found, where=where)


def of_text(content: JsonObject) -> list[Mention]:
    """The mentions in a text message."""
    return list(_of_markup(text_at(content, "text"), "/text"))


def of_card(card: JsonObject) -> list[Mention]:
    """The mentions in a card, every language of it."""
    return list(_walk(card, ""))


def _walk(node: object, where: str) -> Iterator[Mention]:
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _walk(item, f"{where}/{index}")
        return
    if not isinstance(node, dict):
        return
    tag = text_at(node, "tag")
    if tag in {"markdown", "lark_md"}:
        yield from _of_markup(text_at(node, "content"), f"{where}/content")
        for language, copy in node.get("i18n_content", {}).items():
            yield from _of_markup(str(copy), f"{where}/i18n_content/{language}")
    elif tag == "at":
        found = text_at(node, "user_id") or text_at(node, "id")
        yield Mention(kind="all" if found == "all" else "at", id=found, where=where)
    elif tag == "person":
        yield Mention(kind="person", id=text_at(node, "user_id"), where=where)
    elif tag == "person_list":
        for person in objects_at(node, "persons"):
            yield Mention(kind="person", id=text_at(person, "id"), where=where)
    for key, value in node.items():
        if key not in {"i18n_content", "persons"}:
            yield from _walk(value, f"{where}/{key}")
