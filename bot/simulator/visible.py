"""A card as one person sees it: texts, inputs and buttons in reading order, in their language.

This is what the scripted owner and other programs work with: no component names, no tokens, nothing a person could
not point at. Each input and button also carries its `path` in the card, for the page, which draws the card itself.
"""

from dataclasses import dataclass, field

from bot.simulator.cardcheck import submits
from bot.simulator.markup import Reader, chosen, plain, shown
from bot.simulator.wire import JsonObject, flag_at, list_at, number_at, object_at, objects_at, text_at

_SMALL = frozenset(("notation", "small", "x-small"))
_KINDS = {
    "input": "text",
    "select_static": "select",
    "multi_select_static": "multi_select",
    "select_person": "person",
    "multi_select_person": "people",
    "date_picker": "date",
    "picker_time": "time",
    "picker_datetime": "datetime",
    "checker": "checkbox",
}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One option: what is shown and what is sent."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True)
class VisibleInput:
    """Something to fill in. `form` is empty for a component that acts by itself."""

    label: str
    kind: str
    name: str
    form: str
    path: str
    required: bool
    enabled: bool
    placeholder: str
    chars_max: int
    value: str
    choices: tuple[Choice, ...]
    element: JsonObject

    def view(self) -> JsonObject:
        """For the chat interface: nothing a person cannot see, and the path."""
        return {
            "label": self.label, "kind": self.kind, "required": self.required, "enabled": self.enabled,
            "placeholder": self.placeholder, "max_chars": self.chars_max, "value": self.value,
            "options": [choice.label for choice in self.choices], "path": self.path,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class VisibleButton:
    """Something to press. For an entry of an overflow menu, `option` is what it sends."""

    label: str
    kind: str
    enabled: bool
    in_menu: bool
    form: str
    path: str
    confirm: tuple[str, str] | None
    option: str | None
    tips: str
    element: JsonObject

    def view(self) -> JsonObject:
        """For the chat interface."""
        confirm = {"title": self.confirm[0], "text": self.confirm[1]} if self.confirm else None
        return {
            "label": self.label, "kind": self.kind, "enabled": self.enabled, "in_menu": self.in_menu,
            "submits_form": bool(self.form), "confirm": confirm, "tips": self.tips, "path": self.path,
        }  # fmt: skip


@dataclass(kw_only=True)
class VisibleCard:
    """What the eye finds on a card."""

    title: str = ""
    subtitle: str = ""
    template: str = "default"
    tags: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # all of them, in reading order
    footers: list[str] = field(default_factory=list)  # of these, the small print outside columns
    inputs: list[VisibleInput] = field(default_factory=list)
    buttons: list[VisibleButton] = field(default_factory=list)

    def view(self) -> JsonObject:
        """For the chat interface."""
        return {
            "title": self.title, "subtitle": self.subtitle, "template": self.template, "tags": self.tags,
            "texts": self.texts, "footers": self.footers,
            "inputs": [one.view() for one in self.inputs],
            "buttons": [one.view() for one in self.buttons],
        }  # fmt: skip


def see(card: JsonObject, reader: Reader, *, inert: bool = False) -> VisibleCard:
    """Read a card with a person's eyes; on an inert copy nothing can be pressed."""
    return _Eye(card, reader, inert=inert).look()


class _Eye:
    def __init__(self, card: JsonObject, reader: Reader, *, inert: bool) -> None:
        self._card = card
        self._reader = reader
        self._inert = inert
        self._columns = 0
        self._seen = VisibleCard()

    def look(self) -> VisibleCard:
        header = object_at(self._card, "header")
        self._seen.title = self._text(object_at(header, "title"))
        self._seen.subtitle = self._text(object_at(header, "subtitle"))
        self._seen.template = text_at(header, "template", "default")
        localised = objects_at(object_at(header, "i18n_text_tag_list"), self._reader.language)
        for tag in localised or objects_at(header, "text_tag_list"):
            self._seen.tags.append(self._text(object_at(tag, "text")))
        self._elements(object_at(self._card, "body"), "/body", "")
        return self._seen

    def _text(self, text: JsonObject) -> str:
        return shown(text, self._reader)

    def _elements(self, holder: JsonObject, where: str, form: str) -> None:
        for index, element in enumerate(objects_at(holder, "elements")):
            self._element(element, f"{where}/elements/{index}", form)

    def _element(self, element: JsonObject, where: str, form: str) -> None:
        match text_at(element, "tag"):
            case "column_set":
                self._columns += 1
                for index, column in enumerate(objects_at(element, "columns")):
                    self._elements(column, f"{where}/columns/{index}", form)
                self._columns -= 1
            case "form":
                self._elements(element, where, text_at(element, "name"))
            case "collapsible_panel":
                self._say(self._text(object_at(object_at(element, "header"), "title")), "")
                self._elements(element, where, form)
            case "interactive_container":
                self._button(element, where, form, label=self._container_label(element))
                self._elements(element, where, form)
            case "button":
                self._button(element, where, form, label=self._text(object_at(element, "text")))
            case "overflow":
                self._menu(element, where)
            case tag if tag in _KINDS:
                self._input(element, _KINDS[tag], where, form)
            case tag:
                self._content(element, tag)

    def _content(self, element: JsonObject, tag: str) -> None:
        match tag:
            case "markdown":
                copy = plain(chosen(element, self._reader), self._reader)
                self._say(copy, text_at(element, "text_size"))
            case "div":
                text = object_at(element, "text")
                self._say(self._text(text), text_at(text, "text_size"))
            case "person":
                self._say(self._reader.name_of(text_at(element, "user_id")), "")
            case "person_list":
                self._say(
                    ", ".join(self._reader.name_of(text_at(one, "id")) for one in objects_at(element, "persons")), ""
                )
            case "table":
                self._table(element)

    def _say(self, text: str, size: str) -> None:
        if not text.strip():
            return
        self._seen.texts.append(text)
        if size in _SMALL and not self._columns:
            self._seen.footers.append(text)

    def _table(self, element: JsonObject) -> None:
        columns = objects_at(element, "columns")
        self._say(" | ".join(text_at(column, "display_name") for column in columns), "")
        for row in objects_at(element, "rows"):
            self._say(" | ".join(str(row.get(text_at(column, "name"), "")) for column in columns), "")

    def _container_label(self, element: JsonObject) -> str:
        inner = see({"body": {"elements": list_at(element, "elements")}}, self._reader)
        return " ".join(inner.texts)

    def _button(self, element: JsonObject, where: str, form: str, *, label: str) -> None:
        self._seen.buttons.append(
            VisibleButton(
                label=label,
                kind=text_at(element, "type", "default"),
                enabled=not self._inert and not flag_at(element, "disabled"),
                in_menu=False,
                form=form if submits(element) else "",
                path=where,
                confirm=self._confirm(element),
                option=None,
                tips=self._text(object_at(element, "disabled_tips")),
                element=element,
            )
        )

    def _menu(self, element: JsonObject, where: str) -> None:
        for index, option in enumerate(objects_at(element, "options")):
            self._seen.buttons.append(
                VisibleButton(
                    label=self._text(object_at(option, "text")),
                    kind="default",
                    enabled=not self._inert,
                    in_menu=True,
                    form="",
                    path=f"{where}/options/{index}",
                    confirm=self._confirm(element),
                    option=text_at(option, "value"),
                    tips="",
                    element=element,
                )
            )

    def _confirm(self, element: JsonObject) -> tuple[str, str] | None:
        if "confirm" not in element:
            return None
        confirm = object_at(element, "confirm")
        return self._text(object_at(confirm, "title")), self._text(object_at(confirm, "text"))

    def _input(self, element: JsonObject, kind: str, where: str, form: str) -> None:
        placeholder = self._text(object_at(element, "placeholder"))
        label = self._text(object_at(element, "label")) or self._text(object_at(element, "text")) or placeholder
        if not label and self._seen.texts:
            label = self._seen.texts[-1]  # the line above it is what a person reads as its label
        if kind == "text" and text_at(element, "input_type") == "multiline_text":
            kind = "multiline"
        choices = self._choices(element, kind)
        self._seen.inputs.append(
            VisibleInput(
                label=label,
                kind=kind,
                name=text_at(element, "name"),
                form=form,
                path=where,
                required=flag_at(element, "required"),
                enabled=not self._inert and not flag_at(element, "disabled"),
                placeholder=placeholder,
                chars_max=number_at(element, "max_length", 1000),
                value=_initial(element, choices),
                choices=choices,
                element=element,
            )
        )

    def _choices(self, element: JsonObject, kind: str) -> tuple[Choice, ...]:
        listed = objects_at(element, "options")
        if kind in {"person", "people"}:
            wanted = {text_at(option, "value") for option in listed}
            offered = ((name, open_id) for name, open_id in self._reader.people if not wanted or open_id in wanted)
            return tuple(Choice(label=name, value=open_id) for name, open_id in offered)
        return tuple(
            Choice(label=self._text(object_at(option, "text")), value=text_at(option, "value")) for option in listed
        )


def _initial(element: JsonObject, choices: tuple[Choice, ...]) -> str:
    """What an input holds before anybody touches it, as shown."""
    tag = text_at(element, "tag")
    if tag in {"select_static", "select_person"}:
        wanted = text_at(element, "initial_option")
        for choice in choices:
            if wanted and wanted in {choice.value, choice.label}:
                return choice.label
        index = number_at(element, "initial_index")
        return choices[index - 1].label if 1 <= index <= len(choices) else ""
    if tag == "checker":
        return "true" if flag_at(element, "checked") else ""
    keys = ("default_value", "initial_date", "initial_time", "initial_datetime")
    return next((text_at(element, key) for key in keys if text_at(element, key)), "")
