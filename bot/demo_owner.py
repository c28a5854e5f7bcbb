"""A person at the chat, played by a program that knows only what a person sees.

It imports nothing of the project: it reads the chat as it is shown, types, fills in fields by their labels and presses
buttons by theirs. What it cannot see it cannot do.

    python demo_owner.py BASE_URL PERSON CHAT PAIRING_CODE
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

PATIENCE_S = 45
TITLE = "Docs in order"
OBJECTIVE = "Check the documents of this project: every heading, every link, every command."
CRITERIA = "Every link leads somewhere\nEvery command exists"
SCOPES = "reports/**"


class NotSeen(Exception):
    """What should have appeared did not."""


class Person:
    """Somebody with a phone in hand."""

    def __init__(self, base_url, name):
        self.base_url = base_url
        self.name = name

    def get(self, path, **query):
        query["person"] = self.name
        return self._open(urllib.request.Request(f"{self.base_url}/chat/api/{path}?{urllib.parse.urlencode(query)}"))

    def post(self, path, **body):
        body["person"] = self.name
        data = json.dumps(body).encode()
        return self._open(urllib.request.Request(f"{self.base_url}/chat/api/{path}", data=data, headers={"Content-Type": "application/json"}))

    def _open(self, request):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise NotSeen(f"the chat says: {error.read().decode()[:300]}") from error

    def chats(self):
        return self.get("chats")["chats"]

    def messages(self, chat):
        return self.get(f"chats/{urllib.parse.quote(chat)}/messages", limit=50)["messages"]

    def write(self, chat, text, *, mention_bot=False):
        return self.post(f"chats/{urllib.parse.quote(chat)}/messages", text=text, mention_bot=mention_bot)["message_id"]

    def press(self, message, button, inputs=None):
        """Press a button by its label. What the platform itself reports to the person ends the story."""
        shown = self.post(f"messages/{message['message_id']}/press", button=button, inputs=inputs or {}, confirm=True)
        if shown.get("error_code"):
            raise NotSeen(f"pressing {button!r} shows error {shown['error_code']}")
        toast = shown.get("toast") or {}
        say(f"    toast: {toast.get('content', '(none)')}")
        if toast.get("type") not in {"success", "info"}:
            raise NotSeen(f"pressing {button!r} was refused: {toast.get('content')}")


def say(line):
    print(line, flush=True)


def text_of(thing):
    """Everything readable in a message, in reading order."""
    if isinstance(thing, str):
        return thing
    if isinstance(thing, list):
        return "\n".join(filter(None, map(text_of, thing)))
    if isinstance(thing, dict):
        return "\n".join(filter(None, (text_of(value) for value in thing.values())))
    return ""


def buttons_of(thing):
    """Labels of the buttons that can be pressed now."""
    if isinstance(thing, list):
        return [label for one in thing for label in buttons_of(one)]
    if not isinstance(thing, dict):
        return []
    found = []
    for one in thing.get("buttons", ()) if isinstance(thing.get("buttons"), list) else ():
        if isinstance(one, dict) and not one.get("disabled") and one.get("enabled", True):
            found.append(one.get("label", ""))
    for name, value in thing.items():
        if name != "buttons":
            found += buttons_of(value)
    return found


def wait_for(what, look):
    """Look again and again until something is there, as a person does."""
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        seen = look()
        if seen is not None:
            return seen
        time.sleep(0.2)
    raise NotSeen(f"waited {PATIENCE_S} s for {what}")


def card_with(person, chat, button, saying=""):
    """The newest message with this button and this text."""

    def look():
        for message in reversed(person.messages(chat)):
            if button in buttons_of(message) and saying in text_of(message):
                return message
        return None

    return wait_for(f"a card with the button {button!r}", look)


def message_saying(person, chat, words):
    """The newest message that says this."""

    def look():
        return next((message for message in reversed(person.messages(chat)) if words in text_of(message)), None)

    return wait_for(f"a message saying {words!r}", look)


def play(base_url, name, chat, code):
    """From pairing to acceptance."""
    person = Person(base_url, name)
    private = next(one for one in person.chats() if one["kind"] == "p2p")["chat_id"]
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
    for line in (OBJECTIVE, *CRITERIA.splitlines()):
        if line not in text_of(review):
            raise NotSeen(f"the review card does not show {line!r}")
    say(f"{name} reads the review card: everything is as it was typed; confirms")
    person.press(review, "Confirm")
    acceptance = card_with(person, chat, "Accept", TITLE)
    seen = text_of(acceptance)
    say(f"{name} reads the acceptance card: " + next((line for line in seen.splitlines() if "files" in line and "links" in line), "(no summary)"))
    person.press(acceptance, "Accept")
    message_saying(person, chat, "Accepted")
    wait_for("the acceptance card to close", lambda: None if any("Accept" == label for m in person.messages(chat) for label in buttons_of(m)) else True)
    say("the acceptance card is closed for everyone")


def labels_of(thing):
    """Labels of the inputs that can be filled in."""
    if isinstance(thing, list):
        return [label for one in thing for label in labels_of(one)]
    if not isinstance(thing, dict):
        return []
    found = [one["label"] for one in thing.get("inputs", ()) if isinstance(one, dict)] if isinstance(thing.get("inputs"), list) else []
    for name, value in thing.items():
        if name != "inputs":
            found += labels_of(value)
    return found


def labelled(message, wanted):
    """The values by the labels that are on the form; a label that begins as expected is the one."""
    labels = labels_of(message)
    chosen = {}
    for start, value in wanted.items():
        label = next((one for one in labels if one.startswith(start)), None)
        if label is None:
            raise NotSeen(f"the form has no field {start!r}, only {labels}")
        chosen[label] = value
    return chosen


if __name__ == "__main__":
    try:
        play(*sys.argv[1:5])
    except NotSeen as problem:
        say(f"FAILED: {problem}")
        sys.exit(1)
