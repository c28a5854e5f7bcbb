"""What an answer shows: the part of a card, and what each of its buttons opens.

A button of an answer opens something and changes nothing. Its token carries the digest of what it opens in place of a
basis: if that is no longer on the card, nothing is opened in its stead.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ledger.projections.chat_views import ChatPart

OPENS: Final = "attention.show"
"""The action that a button of an answer stands for: a read, whoever is allowed to press it."""
_BASIS_CHARS, _NAME_CHARS = 32, 12


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer as it is now. `opens`: by the name of a button, what it opens."""

    part: ChatPart
    opens: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: which message, where, whether between the bot and one person, and who asks."""

    message_id: str
    chat_id: str
    is_direct: bool
    member_id: str | None


def button_name(opened: str) -> str:
    """What the button is called on its card: another thing to open makes another card, under whatever words."""
    return f"open.{_digest(opened)[:_NAME_CHARS]}"


def basis_of(opened: str) -> str:
    """What stands in a token for what it opens."""
    return "b1:" + _digest(opened)[:_BASIS_CHARS]


def _digest(opened: str) -> str:
    return hashlib.sha256(opened.encode()).hexdigest()
