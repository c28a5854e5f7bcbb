"""Reading a page as a program does: its panels, and each fact with the place in a document that it mirrors.

A fact carries the path in its document (`data-fact`) and the exact value (`data-value`): text as it is, anything else
as JSON. It is of `goal.show` unless something around it says `data-document`: the name of another read, and what it is
asked beyond the goal, as in `gate.show gate_id=gate_one`. A fact without a value is what is read there.
"""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import NamedTuple

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
SHOWN_BY_FRAME = "truth_contract"
"""The panel that the frame draws; its facts are of the ledger and of no document."""


class Fact(NamedTuple):
    """One value as the page has it."""

    panel: str
    document: str
    path: str
    value: str


class _Element(NamedTuple):
    tag: str
    panel: str
    document: str
    fact: int | None


class Page(HTMLParser):
    """A page, parsed: panels in their order, facts, and everything else that tests ask of it."""

    def __init__(self, html: str, document: str = "goal.show") -> None:
        super().__init__(convert_charrefs=True)
        self.panels: list[str] = []
        self.facts: list[Fact] = []
        self.ids: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open = [_Element("", "", document, None)]
        self._read: dict[int, str] = {}
        self.feed(html)
        self.close()
        self.facts = [
            fact if at not in self._read else fact._replace(value=self._read[at].strip())
            for at, fact in enumerate(self.facts)
        ]

    def handle_starttag(self, tag, attrs):
        """An element begins."""
        given = dict(attrs)
        self.elements.append((tag, given))
        around = self._open[-1]
        panel, document = given.get("data-panel", around.panel), given.get("data-document", around.document)
        if "data-panel" in given:
            self.panels.append(panel)
        if "id" in given:
            self.ids.append(given["id"])
        fact = around.fact
        if "data-fact" in given:
            self.facts.append(Fact(panel, document, given["data-fact"], given.get("data-value", "")))
            if "data-value" not in given:
                fact = len(self.facts) - 1
                self._read[fact] = ""
        if tag not in VOID:
            self._open.append(_Element(tag, panel, document, fact))

    def handle_endtag(self, tag):
        """An element ends."""
        assert tag in VOID or self._open[-1].tag == tag, f"</{tag}> ends <{self._open[-1].tag}>"
        if tag not in VOID:
            self._open.pop()

    def handle_data(self, data):
        """Text."""
        self.text += data
        if (fact := self._open[-1].fact) is not None:
            self._read[fact] += data


_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def value_at(document: object, path: str) -> object:
    """What stands at a path such as `agent_todos[0].title`; a place that is not there raises."""
    for index, name in _STEP.findall(path):
        document = document[int(index)] if index else document[name]
    return document


def differing(page: Page, documents: Mapping[str, object]) -> list[str]:
    """Facts of the page that are not what their document says; a document that is not given is not asked."""
    found = []
    for fact in page.facts:
        if fact.panel == SHOWN_BY_FRAME or fact.document not in documents:
            continue
        try:
            there = value_at(documents[fact.document], fact.path)
        except (KeyError, IndexError, TypeError):
            found.append(f"{fact.document} {fact.path}: is not there")
            continue
        if not _same(there, fact.value):
            found.append(f"{fact.document} {fact.path}: {there!r} is shown as {fact.value!r}")
    return found


def _same(there: object, shown: str) -> bool:
    if isinstance(there, str):
        return there == shown
    try:
        return json.loads(json.dumps(there)) == json.loads(shown)
    except ValueError:
        return False
