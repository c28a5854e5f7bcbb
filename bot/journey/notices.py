"""When the owner's chats first showed something to decide: the moments come from the chat itself.

It looks at the same page as a person and presses nothing. What a card first asks for, and when it was sent or changed
so that it does, is all that is kept.
"""

import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

from bot.stage import OWNER

LOOK_S = 0.2
WAITS_FOR = frozenset({"Confirm", "Accept", "Approve"})
"""Buttons by which something goes on."""


class Notices:
    """Watches from its first to its last moment, in a thread of its own."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._stop = threading.Event()
        self._seen: dict[tuple[str, str, str], int] = {}
        self._thread = threading.Thread(target=self._watch, name="notices", daemon=True)

    def begin(self) -> None:
        """Look from now on."""
        self._thread.start()

    def end(self) -> None:
        """Look no longer."""
        self._stop.set()
        self._thread.join()

    def first(self) -> tuple[tuple[str, str, int], ...]:
        """Card's title, button and moment, for each card and button that was seen."""
        return tuple((title, button, at_ms) for (title, button, _), at_ms in self._seen.items())

    def _watch(self) -> None:
        while not self._stop.wait(LOOK_S):
            try:
                for chat in self._get("chats")["chats"]:
                    self._look(chat["chat_id"])
            except (urllib.error.URLError, OSError, ValueError, KeyError):
                # A look that fails is made again; whether the simulator runs is watched elsewhere.
                continue

    def _look(self, chat_id: str) -> None:
        for message in self._get(f"chats/{urllib.parse.quote(chat_id)}/messages", limit=50)["messages"]:
            card = message.get("card")
            if card is None:
                continue
            for button in _labels(card):
                if button in WAITS_FOR:
                    key = (str(card["title"]), button, str(message["message_id"]))
                    self._seen.setdefault(key, int(message["updated_at_ms"]))

    def _get(self, path: str, **query: object) -> dict[str, Any]:
        asked = urllib.parse.urlencode({**query, "person": OWNER})
        with urllib.request.urlopen(f"{self._base_url}/chat/api/{path}?{asked}", timeout=10) as answer:  # noqa: S310  (loopback)
            shown = json.load(answer)
        return shown if isinstance(shown, dict) else {}


def _labels(card: dict[str, Any]) -> Iterator[str]:
    return (str(one["label"]) for one in card.get("buttons", ()) if one.get("enabled", True))
