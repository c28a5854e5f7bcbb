"""What one hook of an agent leaves for the next: which turn it is, and when the daemon was last asked.

It is a private file beside the agent's token. Losing it costs nothing that counts: the next turn has another name, and
the daemon is asked once more. What is true is in the ledger, never here.
"""

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Seen(TypedDict, total=False):
        """What was seen of one goal in this turn."""

        since_seq: int
        own_seq: int
        """The last event that a hook itself made there."""
        acted: bool
        """Whether the agent did anything of its own since the turn began."""
        leases: list[str]

    class Kept(TypedDict, total=False):
        """The whole file."""

        session: str
        turn: int
        asked_ms: int
        shown: str
        goals: dict[str, Seen]


STATE_BYTES_MAX = 65_536
SESSION_BYTES = 6


class State:
    """The file, read once and written once."""

    __slots__ = ("_path", "kept")

    def __init__(self, path: str) -> None:
        self._path = path
        self.kept: Kept = _read(path)

    @property
    def turn_id(self) -> str | None:
        """The name of the turn that is under way, if one began."""
        kept = self.kept
        return f"hook-{kept['session']}-{kept['turn']}" if kept.get("session") and kept.get("turn") else None

    def forget_shown(self) -> bool:
        """Nothing counts as told any more; whether that could be kept. What else the file says stays as it was."""
        self.kept = _read(self._path)
        return self.kept.pop("shown", None) is None or self.write()

    def begin_turn(self) -> None:
        """The next turn; what was seen in the one before says nothing about it."""
        if not self.kept.get("session"):
            self.kept["session"] = os.urandom(SESSION_BYTES).hex()
        self.kept["turn"] = self.kept.get("turn", 0) + 1
        self.kept["goals"] = {}

    def goal(self, goal_id: str) -> "Seen":
        """What was seen of a goal in this turn; a new one is kept with the rest."""
        return self.kept.setdefault("goals", {}).setdefault(goal_id, {})

    def asked_within(self, milliseconds: int) -> bool:
        """Whether the daemon was asked so recently; a clock that began anew since counts as long ago."""
        age = _now_ms() - self.kept.get("asked_ms", 0)
        return "asked_ms" in self.kept and 0 <= age < milliseconds

    def note_asked(self) -> None:
        """The daemon is asked now."""
        self.kept["asked_ms"] = _now_ms()

    def write(self) -> bool:
        """Put it in its place; whether that could be done. Only its owner can read it."""
        draft = f"{self._path}.{os.getpid()}"
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, json.dumps(self.kept).encode("ascii"))
            finally:
                os.close(descriptor)
            os.replace(draft, self._path)  # noqa: PTH105  (pathlib costs more than all the rest)
        except OSError:
            return False
        return True


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _read(path: str) -> "Kept":
    """What is there, or nothing: a file that cannot be read or is none of ours begins anew."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            found = json.loads(os.read(descriptor, STATE_BYTES_MAX))
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return {}
    kept: Kept = {}
    if isinstance(found, dict):
        if isinstance(found.get("session"), str):
            kept["session"] = found["session"]
        if isinstance(found.get("shown"), str):
            kept["shown"] = found["shown"]
        if isinstance(found.get("turn"), int):
            kept["turn"] = found["turn"]
        if isinstance(found.get("asked_ms"), int):
            kept["asked_ms"] = found["asked_ms"]
        goals = found.get("goals")
        if isinstance(goals, dict) and all(isinstance(one, dict) for one in goals.values()):
            kept["goals"] = goals
    return kept
