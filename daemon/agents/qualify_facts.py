"""What can be seen of a binding: the facts in the order in which they are tried, and how one of them fails."""

import hashlib
import json
from typing import Final

FACTS: Final = (
    "process_started", "protocol", "identity", "packet_read", "write_path",
    "hook_turn_start", "hook_tool_use", "hook_turn_end", "runtime_turn",
)  # fmt: skip
OF_THE_TOOLS: Final = FACTS[:5]


class Not(Exception):
    """A fact that does not hold."""

    def __init__(self, fact: str, why: str) -> None:
        super().__init__(why)
        self.fact = fact


def digest(value: object) -> str:
    """The digest of what was seen."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
