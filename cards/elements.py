"""The parts a card is made of; each checks the platform's limits for itself when it is made.

Card JSON 2.0 answers an unknown property or tag with an error and loses the message, so only what is written
down here can be sent. A breach is a bug of ours: it raises, and the tests draw every state of every card.
"""

import re
from dataclasses import dataclass
from typing import Literal

from cards.text import Copy, Json, JsonObject, Moment, Text, Words, languages
from ledger.text.say import Locale

BUTTON_CHARS_MAX = 100
PLACEHOLDER_CHARS_MAX = 100
INPUT_CHARS_MAX = 1000
HEADER_TAGS_MAX = 3
OPTION_CHARS_MAX = 100
COLUMNS_MAX = 5
OPTIONS_MAX = 50
MENTIONS_MAX = 20
TOKEN_CHARS_MAX = 512
GAP = "6px"
INSET = "12px"
_OPEN_ID = re.compile(r"ou_[A-Za-z0-9_-]{1,64}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")

Size = Literal["heading", "normal", "notation"]
Color = Literal["default", "grey", "green", "orange", "red", "blue"]
Template = Literal["blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "carmine", "purple", "grey"]
TagColor = Literal["neutral", "blue", "green", "orange", "red", "purple"]
ButtonKind = Literal["primary_filled", "default", "danger"]


def _within(what: str, chars: int, chars_max: int) -> None:
    if not 1 <= chars <= chars_max:
        raise ValueError(f"{what} must have 1 to {chars_max} characters, this has {chars}")


def _named(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a part of a form")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One plain text."""

    text: Text
    size: Size = "normal"
    color: Color = "default"
    apart: bool = False
    """Stands a little apart from what is above, because something new begins."""
    inset: bool = False
    """Stands a little to the right, because it belongs to what is above."""

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        text = self.text.json(locale)
        if self.size != "normal":
            text["text_size"] = self.size
        if self.color != "default":
            text["text_color"] = self.color
        element: JsonObject = {"tag": "div", "text": text}
        if self.apart or self.inset:
            element["margin"] = f"{GAP if self.apart else '0px'} 0px 0px {INSET if self.inset else '0px'}"
        return element


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """An absolute time in the reader's zone; the one element that is markdown, and it holds one integer."""

    moment: Moment
    size: Size = "normal"

    def json(self, locale: Locale) -> JsonObject:
        """The element; the same in every language."""
        del locale
        markup = self.moment.markup()
        if self.size == "notation":
            return {"tag": "markdown", "content": f"<font color='grey'>{markup}</font>", "text_size": "notation"}
        return {"tag": "markdown", "content": markup}


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin line."""

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        del locale
        return {"tag": "hr", "margin": f"{GAP} 0px 0px 0px"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One action: its label, and the opaque token that alone says what a press means."""

    label: Copy
    action: str
    token: str
    kind: ButtonKind = "default"
    confirm: tuple[Copy, Copy] | None = None
    submits: bool = False

    def __post_init__(self) -> None:
        _within("a button's label", self.label.chars, BUTTON_CHARS_MAX)
        _within("a button's token", len(self.token), TOKEN_CHARS_MAX)

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        element: JsonObject = {
            "tag": "button",
            "text": self.label.json(locale),
            "type": self.kind,
            "behaviors": [{"type": "callback", "value": {"t": self.token}}],
        }
        if self.confirm is not None:
            title, text = self.confirm
            element["confirm"] = {"title": title.json(locale), "text": text.json(locale)}
        if self.submits:
            element["name"] = "submit_" + self.action.replace(".", "_").replace("-", "_")
            element["form_action_type"] = "submit"
        return element


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A text field of a form. `value` is what the field holds already."""

    name: str
    label: Copy
    placeholder: Copy
    chars_max: int
    value: Words | None = None
    rows: int = 1
    required: bool = False

    def __post_init__(self) -> None:
        _named(self.name)
        _within("a placeholder", self.placeholder.chars, PLACEHOLDER_CHARS_MAX)
        if not 1 <= self.chars_max <= INPUT_CHARS_MAX:
            raise ValueError(f"an input holds 1 to {INPUT_CHARS_MAX} characters")
        if self.value is not None and self.value.chars > self.chars_max:
            raise ValueError(f"{self.name} is filled with more than it holds")

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        element: JsonObject = {
            "tag": "input",
            "name": self.name,
            "label": self.label.json(locale),
            "label_position": "top",
            "placeholder": self.placeholder.json(locale),
            "max_length": self.chars_max,
            "required": self.required,
            "width": "fill",
        }
        if self.rows > 1:
            element |= {"input_type": "multiline_text", "rows": self.rows}
        if self.value is not None and self.value.text:
            element["default_value"] = self.value.text
        return element


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """One choice of a few in a form, or several. An option's value is ours; what it is called may be anybody's."""

    name: str
    placeholder: Copy
    options: tuple[tuple[str, Text], ...]
    required: bool = False
    several: bool = False
    chosen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _named(self.name)
        _within("a placeholder", self.placeholder.chars, PLACEHOLDER_CHARS_MAX)
        if not 1 <= len(self.options) <= OPTIONS_MAX:
            raise ValueError(f"a choice is one of 1 to {OPTIONS_MAX}")
        for _, text in self.options:
            _within("an option", text.chars, OPTION_CHARS_MAX)
        if not set(self.chosen) <= {value for value, _ in self.options} or (not self.several and len(self.chosen) > 1):
            raise ValueError("what is chosen is among the options")

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        options: list[Json] = [{"text": text.json(locale), "value": value} for value, text in self.options]
        element: JsonObject = {
            "tag": "multi_select_static" if self.several else "select_static",
            "name": self.name,
            "placeholder": self.placeholder.json(locale),
            "options": options,
            "required": self.required,
            "width": "fill",
        }
        if self.chosen and self.several:
            element["selected_values"] = list(self.chosen)
        elif self.chosen:
            element["initial_option"] = self.chosen[0]
        return element


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonPicker:
    """A person of the platform, or several, picked in a form; those in the chat are who can be picked."""

    name: str
    placeholder: Copy
    required: bool = False
    several: bool = False

    def __post_init__(self) -> None:
        _named(self.name)
        _within("a placeholder", self.placeholder.chars, PLACEHOLDER_CHARS_MAX)

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        return {
            "tag": "multi_select_person" if self.several else "select_person",
            "name": self.name,
            "placeholder": self.placeholder.json(locale),
            "required": self.required,
            "width": "fill",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """Names people so that the platform tells them; markup around ids that the daemon read from its own addresses."""

    open_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.open_ids) <= MENTIONS_MAX:
            raise ValueError(f"1 to {MENTIONS_MAX} people are named")
        if not all(_OPEN_ID.fullmatch(one) for one in self.open_ids):
            raise ValueError("only a person is named, by the platform's id")

    def json(self, locale: Locale) -> JsonObject:
        """The element; the same in every language."""
        del locale
        return {"tag": "markdown", "content": " ".join(f"<at id={one}></at>" for one in self.open_ids)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Parts side by side, equal in width; they wrap instead where `flow` says so."""

    columns: tuple[tuple["Inner", ...], ...]
    flow: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.columns) <= COLUMNS_MAX:
            raise ValueError(f"1 to {COLUMNS_MAX} columns")

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        width: JsonObject = {"width": "auto"} if self.flow else {"width": "weighted", "weight": 1}
        columns: list[Json] = [
            {"tag": "column", **width, "vertical_spacing": "2px", "elements": [part.json(locale) for part in parts]}
            for parts in self.columns
        ]
        element: JsonObject = {"tag": "column_set", "flex_mode": "flow" if self.flow else "none", "columns": columns}
        if self.flow:
            element["margin"] = f"{GAP} 0px 0px 0px"
        return element


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What is needed rarely, folded away behind its title. Holds no form."""

    title: Copy
    parts: tuple["Inner", ...]

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        return {
            "tag": "collapsible_panel",
            "expanded": False,
            "header": {"title": self.title.json(locale)},
            "elements": [part.json(locale) for part in self.parts],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Inputs that are sent together by their one submit button; stands at the root of a card."""

    name: str
    parts: tuple["Inner", ...]

    def __post_init__(self) -> None:
        _named(self.name)
        if not any(isinstance(part, Button) and part.submits for part in self.parts):
            raise ValueError("a form needs a button that submits it")

    def json(self, locale: Locale) -> JsonObject:
        """The element."""
        elements: list[Json] = [part.json(locale) for part in self.parts]
        return {"tag": "form", "name": self.name, "margin": f"{GAP} 0px 0px 0px", "elements": elements}


Inner = Paragraph | Clock | Rule | Button | Input | Select | PersonPicker | Mentions | Columns
Part = Inner | Panel | Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Subject and state; the colour says the state again, the words say it first."""

    title: Text
    subtitle: Copy
    template: Template
    tags: tuple[tuple[Text, TagColor], ...] = ()

    def __post_init__(self) -> None:
        if len(self.tags) > HEADER_TAGS_MAX:
            raise ValueError(f"at most {HEADER_TAGS_MAX} tags")

    def json(self, locale: Locale) -> JsonObject:
        """The header object."""
        header: JsonObject = {
            "title": self.title.json(locale),
            "subtitle": self.subtitle.json(locale),
            "template": self.template,
        }
        if self.tags:
            header["text_tag_list"] = [
                {"tag": "text_tag", "text": text.json(locale), "color": color} for text, color in self.tags
            ]
        return header


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A whole card, with what its presses stand on and are signed with: never sent, but another one is another card."""

    locale: Locale
    header: Header
    parts: tuple[Part, ...]
    summary: Copy
    basis: str = ""
    button_key: int = 0

    def json(self) -> JsonObject:
        """The card as the platform takes it."""
        return {
            "schema": "2.0",
            "config": {
                "update_multi": True,
                "enable_forward_interaction": False,
                "summary": languages(self.summary, self.locale),
            },
            "header": self.header.json(self.locale),
            "body": {"vertical_spacing": "4px", "elements": [part.json(self.locale) for part in self.parts]},
        }
