"""How big a card may be, measured on the very bytes that go out, and how to make it fit.

The platform refuses a request above 30 KB or a card above 200 elements, and the message is lost. We stay well
below both. A card is drawn with generous limits first; while it does not fit it is drawn again with tighter
ones. Whatever is left out is counted and said on the card, with the command that shows it in full.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import orjson

from cards.elements import Card, Color, Paragraph
from cards.text import Json, JsonObject, Text, Words, copy
from ledger.projections.privacy import WITHHELD
from ledger.text.say import one_line, plain

ENVELOPE_BYTES_MAX = 25 * 1024
ELEMENTS_MAX = 150
NESTING_MAX = 5
# Receive id, message type, uuid (50 characters at most) and the names around them.
ENVELOPE_FRAME_BYTES = 256
GOAL_ID_CHARS_MAX = 64

_CONTAINERS = frozenset({"form", "column_set", "column", "collapsible_panel"})
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of each text and each list is shown."""

    chars: int
    rows: int


LEVELS = (
    Limits(2000, 40),
    Limits(1000, 30),
    Limits(500, 24),
    Limits(250, 16),
    Limits(120, 10),
    Limits(60, 6),
    Limits(30, 3),
    Limits(16, 1),
)


class Clipper:
    """Shortens to the limits and keeps count, so that nothing is cut silently."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.chars_cut = False
        self.rows_cut = False
        self.withheld = False

    def text(self, text: str, chars_max: int = 10_000) -> Text:
        """A text of several lines, ending in how many characters were left out, if any were."""
        if text == WITHHELD:
            self.withheld = True
            return copy("card.withheld")
        return Words(self._clip(plain(text), chars_max))

    def line(self, text: str, chars_max: int = 10_000) -> str:
        """The same on one line."""
        self.withheld = self.withheld or text == WITHHELD
        return self._clip(one_line(text), chars_max)

    def rows(self, rows: Sequence[_T], rows_max: int = 1000) -> tuple[tuple[_T, ...], int]:
        """The first rows, and how many are left out."""
        shown = tuple(rows[: min(rows_max, self.limits.rows)])
        hidden = len(rows) - len(shown)
        self.rows_cut = self.rows_cut or hidden > 0
        return shown, hidden

    def note(self, goal_id: str, *, color: Color = "orange", command: str | None = None) -> tuple[Paragraph, ...]:
        """Says that something was left out, and where all of it can be read; loud where somebody decides on it.

        That is the goal's own document, unless the card is about something that has one for itself.
        """
        command = command or f"frontstage goal show --goal-id {one_line(goal_id)[:GOAL_ID_CHARS_MAX]}"
        return (*self._withheld(f"{command} --full", color), *self._cut(command, color))

    def _withheld(self, command: str, color: Color) -> tuple[Paragraph, ...]:
        if not self.withheld:
            return ()
        return (Paragraph(text=copy("card.withheld.note", command=command), size="notation", color=color, apart=True),)

    def _cut(self, command: str, color: Color) -> tuple[Paragraph, ...]:
        if self.chars_cut:
            return (Paragraph(text=copy("card.cut.chars", command=command), size="notation", color=color, apart=True),)
        if self.rows_cut:
            return (Paragraph(text=copy("card.cut.rows", command=command), size="notation", color="grey"),)
        return ()

    def _clip(self, text: str, chars_max: int) -> str:
        room = min(chars_max, self.limits.chars)
        if len(text) <= room:
            return text
        self.chars_cut = True
        return f"{text[:room].rstrip()} […+{len(text) - room}]"


def encoded(payload: JsonObject) -> bytes:
    """Card JSON as it is sent: compact, UTF-8, no escapes but the needed ones."""
    return orjson.dumps(payload)


def envelope_bytes(card: bytes) -> int:
    """Size of the request that carries this card: the card is a JSON string inside JSON, so its quotes count twice."""
    return ENVELOPE_FRAME_BYTES + len(orjson.dumps(card.decode()))


def elements_of(payload: JsonObject) -> Iterator[tuple[JsonObject, int]]:
    """Every tagged part below the body, texts too, with the number of containers around it."""
    yield from _walk(payload["body"], 0)


def _walk(node: Json, depth: int) -> Iterator[tuple[JsonObject, int]]:
    if isinstance(node, list):
        for item in node:
            yield from _walk(item, depth)
    elif isinstance(node, dict):
        tag = node.get("tag")
        if isinstance(tag, str):
            yield node, depth
        for value in node.values():
            yield from _walk(value, depth + 1 if tag in _CONTAINERS else depth)


def problem_of(payload: JsonObject) -> str | None:
    """The first structural limit this card breaks, if any; size is not structure."""
    names: set[str] = set()
    for element, depth in elements_of(payload):
        if depth > NESTING_MAX:
            return "nested too deep"
        if element["tag"] == "form" and depth:
            return "a form stands only at the root"
        name = element.get("name")
        if isinstance(name, str):
            if name in names:
                return f"two parts are named {name}"
            names.add(name)
    return None


def fits(card: Card) -> bool:
    """Whether the card is within both budgets."""
    payload = card.json()
    if sum(1 for _ in elements_of(payload)) > ELEMENTS_MAX:
        return False
    return envelope_bytes(encoded(payload)) <= ENVELOPE_BYTES_MAX


def fit(draw: Callable[[Clipper], Card]) -> Card:
    """The most generous drawing that fits. That the tightest always does is proven by the tests, not hoped."""
    for limits in LEVELS:
        card = draw(Clipper(limits))
        if fits(card):
            problem = problem_of(card.json())
            if problem is not None:
                raise ValueError(f"this card would be refused: {problem}")
            return card
    raise ValueError("this card does not fit even at its shortest")
