"""A person at the chat, played by a program that knows only what a person sees.

It imports nothing of the project: it reads the chat as it is shown, types, fills in fields by their labels and presses
buttons by theirs. What it cannot see it cannot do.

    python demo_owner.py BASE_URL PERSON CHAT PAIRING_CODE            all of one goal
    python demo_owner.py BASE_URL PERSON CHAT STEP JSON               one step of it
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import TypeVar

Shown = dict[str, object]
"""Something that the chat shows, as it describes it."""

_Seen = TypeVar("_Seen")

PATIENCE_S = 45
TITLE = "Docs in order"
OBJECTIVE = "Check the documents of this project: every heading, every link, every command."
CRITERIA = "Every link leads somewhere\nEvery command exists"
SCOPES = "reports/**"


class NotSeen(Exception):
    """What should have appeared did not."""


class Person:
    """Somebody with a phone in hand."""

    def __init__(self, base_url: str, name: str) -> None:
        self.base_url = base_url
        self.name = name

    def get(self, path: str, **query: object) -> Shown:
        """Look at something."""
        asked = urllib.parse.urlencode({**query, "person": self.name})
        return self._open(urllib.request.Request(f"{self.base_url}/chat/api/{path}?{asked}"))  # noqa: S310

    def post(self, path: str, **body: object) -> Shown:
        """Do something."""
        data = json.dumps({**body, "person": self.name}).encode()
        headers = {"Content-Type": "application/json"}
        return self._open(urllib.request.Request(f"{self.base_url}/chat/api/{path}", data=data, headers=headers))  # noqa: S310

    def _open(self, request: urllib.request.Request) -> Shown:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  (the simulator, on loopback)
                shown = json.load(answer)
        except urllib.error.HTTPError as error:
            raise NotSeen(f"the chat says: {error.read().decode()[:300]}") from error
        return shown if isinstance(shown, dict) else {}

    def chats(self) -> list[Shown]:
        """The chats this person is in."""
        return things(self.get("chats"), "chats")

    def messages(self, chat: str) -> list[Shown]:
        """What a chat shows, the oldest first."""
        return things(self.get(f"chats/{urllib.parse.quote(chat)}/messages", limit=50), "messages")

    def write(self, chat: str, text: str, *, mention_bot: bool = False) -> str:
        """Write a message."""
        path = f"chats/{urllib.parse.quote(chat)}/messages"
        return str(self.post(path, text=text, mention_bot=mention_bot)["message_id"])

    def press(self, message: Shown, button: str, inputs: dict[str, str] | None = None) -> None:
        """Press a button by its label. What the platform itself reports to the person ends the story."""
        path = f"messages/{message['message_id']}/press"
        shown = self.post(path, button=button, inputs=inputs or {}, confirm=True)
        if shown.get("error_code"):
            raise NotSeen(f"pressing {button!r} shows error {shown['error_code']}")
        toast = shown.get("toast")
        toast = toast if isinstance(toast, dict) else {}
        say(f"    toast: {toast.get('content', '(none)')}")
        if toast.get("type") not in {"success", "info"}:
            raise NotSeen(f"pressing {button!r} was refused: {toast.get('content')}")


def say(line: str) -> None:
    """Tell whoever watches."""
    print(line, flush=True)  # noqa: T201


def things(shown: object, name: str) -> list[Shown]:
    """A list of described things, by its name."""
    listed = shown.get(name) if isinstance(shown, dict) else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def text_of(thing: object) -> str:
    """Everything readable in a message, in reading order."""
    if isinstance(thing, str):
        return thing
    inner = thing if isinstance(thing, list) else list(thing.values()) if isinstance(thing, dict) else []
    return "\n".join(filter(None, map(text_of, inner)))


def everywhere(thing: object, name: str) -> Iterator[Shown]:
    """Every described thing under this name, however deep."""
    yield from things(thing, name)
    inner = thing if isinstance(thing, list) else list(thing.values()) if isinstance(thing, dict) else []
    for one in inner:
        if isinstance(one, dict | list):
            yield from everywhere(one, name)


def buttons_of(thing: object) -> list[str]:
    """Labels of the buttons that can be pressed now."""
    return [str(one.get("label")) for one in everywhere(thing, "buttons") if one.get("enabled", True)]


def labels_of(thing: object) -> list[str]:
    """Labels of the inputs that can be filled in."""
    return [str(one.get("label")) for one in everywhere(thing, "inputs")]


def wait_for(what: str, look: Callable[[], _Seen | None]) -> _Seen:
    """Look again and again until something is there, as a person does."""
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        seen = look()
        if seen is not None:
            return seen
        time.sleep(0.2)
    raise NotSeen(f"waited {PATIENCE_S} s for {what}")


def direct_chat(person: Person) -> str:
    """The chat of this person alone with the bot."""
    return next(str(one["chat_id"]) for one in person.chats() if one["kind"] == "p2p")


def card_with(person: Person, chat: str, button: str, saying: str = "") -> Shown:
    """The newest message with this button and this text."""

    def look() -> Shown | None:
        found = (one for one in reversed(person.messages(chat)) if button in buttons_of(one) and saying in text_of(one))
        return next(found, None)

    return wait_for(f"a card with the button {button!r}", look)


def message_saying(person: Person, chat: str, words: str) -> Shown:
    """The newest message that says this."""
    return wait_for(
        f"a message saying {words!r}",
        lambda: next((one for one in reversed(person.messages(chat)) if words in text_of(one)), None),
    )


def labelled(message: Shown, wanted: dict[str, str]) -> dict[str, str]:
    """The values by the labels that are on the form; a label that begins as expected is the one."""
    labels = labels_of(message)
    chosen: dict[str, str] = {}
    for start, value in wanted.items():
        label = next((one for one in labels if one.startswith(start)), None)
        if label is None:
            raise NotSeen(f"the form has no field {start!r}, only {labels}")
        chosen[label] = value
    return chosen


def play(base_url: str, name: str, chat: str, code: str) -> None:
    """From pairing to acceptance."""
    person = Person(base_url, name)
    private = direct_chat(person)
    say(f"{name} sends the pairing code to the bot")
    person.write(private, code)
    message_saying(person, private, "paired")
    say(f"{name} asks for a proposal form in {chat!r}")
    person.write(chat, "propose", mention_bot=True)
    form = card_with(person, chat, "Submit")
    say("  fills it in and sends it")
    inputs = {"Title": TITLE, "Objective": OBJECTIVE, "Acceptance criteria": CRITERIA, "May write": SCOPES}
    person.press(form, "Submit", labelled(form, inputs))
    review = card_with(person, chat, "Confirm", TITLE)
    for line in (OBJECTIVE, *CRITERIA.splitlines(), SCOPES):
        if line not in text_of(review):
            raise NotSeen(f"the review card does not show {line!r}")
    say(f"{name} reads the review card: everything is as it was typed; confirms")
    person.press(review, "Confirm")
    accept(person, chat)


def accept(person: Person, chat: str) -> None:
    """Read what was delivered, and accept it."""
    acceptance = card_with(person, chat, "Accept", TITLE)
    lines = text_of(acceptance).splitlines()
    summary = next((line for line in lines if "files" in line and "links" in line), "(no summary)")
    say(f"{person.name} reads the acceptance card: {summary}")
    person.press(acceptance, "Accept")
    message_saying(person, chat, "Accepted")
    wait_for(
        "the acceptance card to close",
        lambda: None if any("Accept" in buttons_of(one) for one in person.messages(chat)) else True,
    )
    say("the acceptance card is closed for everyone")


def pair(person: Person, _chat: str, told: Shown) -> None:
    """Send the code that joins this person to their name in the ledger."""
    private = direct_chat(person)
    person.write(private, str(told["code"]))
    message_saying(person, private, "paired")
    say(f"{person.name} is paired")


def bind(person: Person, chat: str, told: Shown) -> None:
    """Have this chat show a goal that somebody else has proposed."""
    title = str(told["title"])
    person.write(chat, f"bind {told['goal_id']}", mention_bot=True)
    card = card_with(person, chat, "Show it here", title)
    label, option = next(
        (str(one["label"]), str(choice))
        for one in everywhere(card, "inputs")
        for choice in strings(one.get("options"))
        if title in choice
    )
    person.press(card, "Show it here", {label: option})
    card_with(person, chat, "Confirm", title)
    say(f"{person.name} lets this chat show “{title}”")


def confirm(person: Person, chat: str, told: Shown) -> None:
    """Read a promise back and say yes to it."""
    review = card_with(person, chat, "Confirm", str(told["title"]))
    for line in strings(told["lines"]):
        if line not in text_of(review):
            raise NotSeen(f"the review card does not show {line!r}")
    say(f"{person.name} reads the promise back and confirms it")
    person.press(review, "Confirm")


def revise(person: Person, chat: str, told: Shown) -> None:
    """Open the form over the promise, change some fields, send it, and say yes to what comes of it."""
    title, fields = str(told["title"]), told["fields"]
    changed = {str(label): str(text) for label, text in fields.items()} if isinstance(fields, dict) else {}
    person.press(card_with(person, chat, "Revise…", title), "Revise…")
    form = card_with(person, direct_chat(person), "Submit revision", title)
    say(f"{person.name} corrects: {told['why']}")
    person.press(form, "Submit revision", labelled(form, changed))
    review = card_with(person, chat, "Confirm", str(told["line"]))
    person.press(review, "Confirm")


def accepted(person: Person, chat: str, told: Shown) -> None:
    """Read what was delivered, with what stands for each criterion, and accept it."""
    title = str(told["title"])
    acceptance = card_with(person, chat, "Accept", title)
    for line in strings(told["lines"]):
        if line not in text_of(acceptance):
            raise NotSeen(f"the acceptance card does not show {line!r}")
    say(f"{person.name} reads the acceptance card and accepts")
    person.press(acceptance, "Accept")
    wait_for(
        "the acceptance card to close",
        lambda: (
            None
            if any("Accept" in buttons_of(one) and title in text_of(one) for one in person.messages(chat))
            else True
        ),
    )


def strings(shown: object) -> list[str]:
    """A list of texts."""
    return [str(one) for one in shown] if isinstance(shown, list) else []


STEPS: dict[str, Callable[[Person, str, Shown], None]] = {
    "pair": pair, "bind": bind, "confirm": confirm, "revise": revise, "accept": accepted,
}  # fmt: skip
"""What a person does in one go, where others tell when."""


def take(base_url: str, name: str, chat: str, step: str, told: str) -> None:
    """One step, with what the person has in mind for it as JSON."""
    STEPS[step](Person(base_url, name), chat, json.loads(told))


if __name__ == "__main__":
    try:
        if len(sys.argv) > 5:
            take(*sys.argv[1:6])
        else:
            play(*sys.argv[1:5])
    except NotSeen as problem:
        say(f"FAILED: {problem}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
