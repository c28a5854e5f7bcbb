"""Ids in the platform's forms.

Ids of people, apps and chats are digests of their names, so that they are the same after a restart and a bot's
bindings still fit. Ids of messages, events and tokens are random (seeded when a run must repeat), so that a
restarted simulator never reuses one for another message.
"""

import hashlib
import random


class Ids:
    """Mints ids; the same seed mints the same ones in the same order."""

    def __init__(self, seed: str | None = None) -> None:
        self.random = random.Random(seed)  # noqa: S311 - nothing here is a secret; runs must be repeatable

    def fresh(self, prefix: str) -> str:
        """A new id such as `om_5ce6…`."""
        return f"{prefix}{self.random.getrandbits(128):032x}"

    def number(self, below: int) -> int:
        """A random integer from zero up."""
        return self.random.randrange(below)


def stable_id(prefix: str, *parts: str) -> str:
    """The id that these names always have."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
    return f"{prefix}{digest[:32]}"
