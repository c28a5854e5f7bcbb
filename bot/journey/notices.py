"""When the owner's chats first showed something to decide: the moments come from the chat itself.

The chat keeps every version of every card with its moment, so nothing depends on having looked at the right time. What
a card asks for, and when it was sent or changed so that it does, is all that is read.
"""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.stage import OWNER

READ_S_MAX = 10
WAITS_FOR = frozenset({"Confirm", "Accept", "Approve", "Send answer"})
"""Buttons by which something goes on."""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One version of a card that asks for something."""

    title: str
    button: str
    at_ms: int
    message_id: str


def read_notices(base_url: str) -> tuple[Notice, ...]:
    """All that the owner's chats have shown so far, in order; nothing where the chat can no longer be read."""
    try:
        shown = _get(f"{base_url}/chat/api/chats?{urllib.parse.urlencode({'person': OWNER})}")
        chats = {one["chat_id"] for one in shown["chats"]}
        messages = _get(f"{base_url}/_control/messages")["messages"]
        return notices_of([one for one in messages if one["chat_id"] in chats])
    except (urllib.error.URLError, OSError, ValueError, KeyError):
        # Without it nothing was seen, and the report says that this is untested.
        return ()


def notices_of(messages: Sequence[Mapping[str, Any]]) -> tuple[Notice, ...]:
    """What cards asked for, by every version of theirs."""
    found = [
        Notice(title=_title(version["content"]), button=button, at_ms=int(version["at_ms"]),
               message_id=str(message["message_id"]))
        for message in messages
        if message["kind"] == "interactive"
        for version in message["versions"]
        for button in dict.fromkeys(_labels(version["content"].get("body")))
        if button in WAITS_FOR
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: one.at_ms))


def _title(card: Mapping[str, Any]) -> str:
    return str(card.get("header", {}).get("title", {}).get("content", ""))


def _labels(part: object) -> Iterator[str]:
    """What the buttons say that can be pressed, wherever they are."""
    if isinstance(part, list):
        for one in part:
            yield from _labels(one)
    elif isinstance(part, dict):
        if part.get("tag") == "button" and not part.get("disabled"):
            yield str(part.get("text", {}).get("content", ""))
        for one in part.values():
            yield from _labels(one)


def _get(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url, timeout=READ_S_MAX) as answer:  # noqa: S310  (loopback)
        shown = json.load(answer)
    return shown if isinstance(shown, dict) else {}
