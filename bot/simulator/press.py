"""Pressing something on a card: from what a person points at, to the callback, to what the person sees.

The person names a button by its visible label (the page by its path) and the inputs by theirs. The client checks
what a client checks: required fields, lengths, a confirmation. Then the callback goes out, and its answer, or the
lack of one, becomes a toast, a new card, or one of the client-visible error codes:

    200340  callbacks are off, or no connection is open     200671  answered, but not with 200
    200341  no answer within three seconds                  200672  the body is not what a client understands
    200342  the connection was lost while waiting           200673  the card in the answer is not valid
    200343  the address could not be resolved               200830  the card in the answer is of the old schema
    200530  a name in the form is empty

The codes that nothing here can bring about (200343 needs a name service, 200530 a card that is refused when it is sent)
are planned from the control interface.
"""

from collections import Counter, deque
from dataclasses import dataclass

from bot.simulator import events, mentions
from bot.simulator.cardcheck import check_card
from bot.simulator.delayed import DelayedUpdates
from bot.simulator.delivery import Deliveries
from bot.simulator.documented import CARD_BYTES_MAX
from bot.simulator.errors import CardRefusedError, ChatRefusedError
from bot.simulator.longlink import Ack
from bot.simulator.model import App, Message, Person, Toast, Version
from bot.simulator.visible import VisibleButton, VisibleCard, VisibleInput
from bot.simulator.wire import JsonObject, dump, object_at, objects_at, parse_object, text_at
from bot.simulator.world import World

TOAST_TYPES = frozenset(("info", "success", "error", "warning"))

CALLBACKS_OFF = 200340
TIMED_OUT = 200341
CONNECTION_LOST = 200342
NOT_OK = 200671
BAD_BODY = 200672
BAD_CARD = 200673
OLD_SCHEMA = 200830

_NO_ANSWER = {"offline": CALLBACKS_OFF, "timeout": TIMED_OUT, "lost": CONNECTION_LOST}


@dataclass(frozen=True, kw_only=True)
class Pressed:
    """What came of it: a toast or an error code, and whether the card was changed by the answer."""

    toast: Toast | None = None
    error_code: int = 0
    card_changed: bool = False
    url: str = ""
    reset: bool = False

    def view(self) -> JsonObject:
        """For the chat interface."""
        toast = {"type": self.toast.type, "content": self.toast.content} if self.toast else None
        return {
            "toast": toast,
            "error_code": self.error_code,
            "card_changed": self.card_changed,
            "url": self.url,
            "reset": self.reset,
        }


class Presses:
    """Turns presses into callbacks and their answers into what people see."""

    def __init__(self, world: World, deliveries: Deliveries) -> None:
        self._world = world
        self._deliveries = deliveries
        self.counters: Counter[str] = Counter()
        self.delayed = DelayedUpdates(world)
        self.client_codes: deque[int] = deque()
        self.revert_raced_patches = False

    async def press(self, app: App, message: Message, person: Person, action: JsonObject) -> Pressed:
        """Send the callback and show what comes back."""
        if self.client_codes:
            return self._failed(message, person, self.client_codes.popleft())
        shown = len(message.versions)
        outcome: Ack | str = "offline"
        if app.callbacks_on:
            now_ms = self._world.clock.now_ms()
            body = events.card_pressed(app, self._world.ids, message, person, action=action, now_ms=now_ms)
            token = text_at(object_at(body, "event"), "token")
            self.delayed.minted(token, app.app_id, message.message_id)
            outcome = await self._deliveries.call_back(app, body)
            self.delayed.answered(token)
        raced = [version for version in message.versions[shown:] if version.by == "patch"]
        if raced:
            self.counters["raced_patches"] += 1
            if self.revert_raced_patches:
                self._world.revise(message, message.versions[shown - 1])
        if isinstance(outcome, str):
            return self._failed(message, person, _NO_ANSWER[outcome])
        return self._answered(message, person, outcome)

    def _answered(self, message: Message, person: Person, ack: Ack) -> Pressed:
        if ack.code != 200:
            return self._failed(message, person, NOT_OK if ack.code else BAD_BODY)
        try:
            answer = parse_object(ack.data or b"")
        except ValueError:
            return self._failed(message, person, BAD_BODY)
        if not _understood(answer):
            return self._failed(message, person, BAD_BODY)
        changed = False
        if answer.get("card"):
            code = self._replace(message, object_at(answer, "card"))
            if code:
                return self._failed(message, person, code)
            changed = True
        self.counters["answered"] += 1
        return Pressed(toast=self._toast(message, person, object_at(answer, "toast")), card_changed=changed)

    def _replace(self, message: Message, card: JsonObject) -> int:
        data = object_at(card, "data")
        if text_at(card, "type") != "raw" or not data:
            return BAD_CARD
        if data.get("schema") != "2.0":
            return OLD_SCHEMA
        try:
            check_card(data)
        except CardRefusedError:
            return BAD_CARD
        if len(dump(data)) > CARD_BYTES_MAX:
            return BAD_CARD
        message.mentions = mentions.of_card(data)
        self._world.revise(message, Version(at_ms=self._world.clock.now_ms(), content=data, by="callback"))
        return 0

    def _toast(self, message: Message, person: Person, source: JsonObject) -> Toast | None:
        content = text_at(object_at(source, "i18n"), person.language) or text_at(source, "content")
        if not content:
            return None
        toast = Toast(
            person=person.key,
            message_id=message.message_id,
            at_ms=self._world.clock.now_ms(),
            type=text_at(source, "type", "info"),
            content=content,
        )
        self._world.toast(toast)
        return toast

    def _failed(self, message: Message, person: Person, code: int) -> Pressed:
        self.counters[f"client_code:{code}"] += 1
        now_ms = self._world.clock.now_ms()
        toast = Toast(
            person=person.key, message_id=message.message_id, at_ms=now_ms, type="error", content="", code=code
        )
        self._world.toast(toast)
        return Pressed(error_code=code)


def _understood(answer: JsonObject) -> bool:
    toast, card = answer.get("toast"), answer.get("card")
    if not isinstance(toast, dict | None) or not isinstance(card, dict | None):
        return False
    if not toast:
        return True
    copies = [toast.get("content", ""), *object_at(toast, "i18n").values()]
    return toast.get("type", "info") in TOAST_TYPES and all(isinstance(copy, str) for copy in copies)


def find_button(card: VisibleCard, wanted: str) -> VisibleButton:
    """The button of that label or path; unknown, doubled or disabled is refused as a person would notice it."""
    found = [button for button in card.buttons if wanted in {button.label, button.path}]
    if not found:
        labels = [button.label for button in card.buttons]
        raise ChatRefusedError(404, "no_such_button", f"there is no button {wanted!r}", buttons=labels)
    if len(found) > 1:
        paths = [button.path for button in found]
        raise ChatRefusedError(
            409, "ambiguous_button", f"several buttons say {wanted!r}; name one by path", paths=paths
        )
    if not found[0].enabled:
        raise ChatRefusedError(409, "button_disabled", f"the button {wanted!r} cannot be pressed", tips=found[0].tips)
    return found[0]


def find_input(inputs: list[VisibleInput], wanted: str) -> VisibleInput:
    """The input of that label or path."""
    found = [one for one in inputs if wanted in {one.label, one.path}]
    if not found:
        labels = [one.label for one in inputs]
        raise ChatRefusedError(404, "no_such_input", f"there is no input {wanted!r}", inputs=labels)
    if len(found) > 1:
        paths = [one.path for one in found]
        raise ChatRefusedError(409, "ambiguous_input", f"several inputs say {wanted!r}; name one by path", paths=paths)
    if not found[0].enabled:
        raise ChatRefusedError(409, "input_disabled", f"the input {wanted!r} cannot be changed")
    return found[0]


def require_confirmed(button: VisibleButton, *, confirmed: bool) -> None:
    """A button with a confirmation is pressed twice: the second time knowingly."""
    if button.confirm is not None and not confirmed:
        title, text = button.confirm
        message = "the client asks for a confirmation first"
        raise ChatRefusedError(409, "confirmation_needed", message, confirm={"title": title, "text": text})


def form_value(card: VisibleCard, form: str, given: JsonObject) -> JsonObject:
    """The values of a form's inputs under their names, as a client sends them."""
    inputs = [one for one in card.inputs if one.form == form]
    typed: dict[str, object] = {}
    for wanted, value in given.items():
        one = find_input(inputs, wanted)
        if one.path in typed:
            raise ChatRefusedError(409, "input_twice", f"{one.label!r} is given twice")
        typed[one.path] = value
    return {one.name: input_value(one, typed.get(one.path, one.value)) for one in inputs}


def input_value(one: VisibleInput, value: object) -> str | list[str] | bool:
    """One input's value as the client sends it: a string; a list for several choices; a flag for a checkbox."""
    if one.kind == "checkbox":
        return value is True or value == "true"
    several = one.kind in {"multi_select", "people"}
    if isinstance(value, list):
        parts = [str(part) for part in value]
    elif isinstance(value, str):
        parts = [value] if value else []
    else:
        raise ChatRefusedError(422, "bad_value", f"{one.label!r} takes text, not {type(value).__name__}")
    if len(parts) > 1 and not several:
        raise ChatRefusedError(422, "bad_value", f"{one.label!r} takes one value")
    if one.required and not any(part.strip() for part in parts):
        raise ChatRefusedError(422, "input_required", f"{one.label!r} must be filled in", input=one.label)
    if one.choices:
        parts = [_choice(one, part) for part in parts]
    elif any(len(part) > one.chars_max for part in parts):
        message = f"{one.label!r} takes at most {one.chars_max} characters"
        raise ChatRefusedError(422, "input_too_long", message, input=one.label, max_chars=one.chars_max)
    return parts if several else "".join(parts)


def _choice(one: VisibleInput, part: str) -> str:
    for choice in one.choices:
        if part == choice.label:
            return choice.value
    for choice in one.choices:
        if part == choice.value:
            return choice.value
    labels = [choice.label for choice in one.choices]
    raise ChatRefusedError(422, "no_such_option", f"{one.label!r} has no option {part!r}", options=labels)


def button_action(button: VisibleButton, form: JsonObject | None) -> JsonObject:
    """The `action` of the callback."""
    tag = text_at(button.element, "tag")
    action: JsonObject = {"tag": "button" if tag == "button" else tag}
    value = callback_value(button.element)
    if value is not None:
        action["value"] = value
    if button.option is not None:
        action["option"] = button.option
    if form is not None:
        action["form_value"] = form
    if name := text_at(button.element, "name"):
        action["name"] = name
    return action


def callback_value(element: JsonObject) -> object:
    """What the component sends back: its callback behaviour's value, or the historic `value`."""
    for behavior in objects_at(element, "behaviors"):
        if behavior.get("type") == "callback":
            return behavior.get("value")
    return element.get("value")


def opened_url(button: VisibleButton) -> str:
    """The page a button opens, if it does."""
    for behavior in objects_at(button.element, "behaviors"):
        if behavior.get("type") == "open_url":
            return text_at(behavior, "default_url") or text_at(behavior, "pc_url")
    if button.option is not None:
        for option in objects_at(button.element, "options"):
            if text_at(option, "value") == button.option:
                return text_at(object_at(option, "multi_url"), "url")
    return ""
