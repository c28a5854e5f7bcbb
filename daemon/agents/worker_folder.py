"""The folder of a turn: made with its packet and, where it writes to a repository, its worktree; gone afterwards.

What validators look at is another folder where there is a worktree: the base with what is handed in. In the program's
own one there may be files that git ignores, which nobody who takes the patch will ever have.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from daemon.agents.store import ArtifactStore
from daemon.agents.worker_desk import Desk, sweep
from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_judge import Place
from daemon.agents.worker_readings import Facts, packet
from daemon.agents.worker_tree import WorkTree, require_clean
from daemon.agents.worker_turn import Hand, Turn

OWN = "FRONTSTAGE_"
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Whose work it is, what does it, and where."""

    agent_id: str
    argv: tuple[str, ...]
    socket: str
    token: str | None
    repository: Path | None = None
    base: str = "HEAD"
    validators: frozenset[str] | None = None
    """Names that this worker can run; None where it was given none."""
    lease_seconds: int = 300
    timeout_seconds: int = 1_800


def now_ms() -> int:
    """Milliseconds by a clock that goes on while the machine, or this process, sleeps."""
    return time.clock_gettime_ns(_CLOCK) // 1_000_000


def made(turn: Turn, facts: Facts, setting: Setting, store: ArtifactStore, desk: Desk) -> Place:
    """Make the folder. Raises TreeRefused and OSError."""
    folder = desk.turn_folder(turn.turn_id)
    sweep(folder)
    folder.mkdir(mode=0o700, parents=True)
    tree = None
    if setting.repository is not None and facts.scopes and turn.kind != "monitor":
        commit = require_clean(setting.repository, setting.base)
        tree = WorkTree(setting.repository, folder / "work", commit)
        tree.make()
    place = Place(folder, tree)
    place.work.mkdir(mode=0o700, exist_ok=True)
    place.out.mkdir(mode=0o700)
    lease_left_ms = max(0, turn.lease_until_ms - now_ms())
    document = packet(turn, facts, store, now_s=time.time(), lease_left_ms=lease_left_ms)  # noqa: TID251  (for people)
    place.packet.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return place


def cleared(place: Place) -> None:
    """Take the folder away, and the worktree out of its repository."""
    if place.tree is not None:
        sweep(place.work)
        with suppress(TreeRefused):
            place.tree.remove()
    sweep(place.folder)


@contextmanager
def handed_in(place: Place, hand: Hand, store: ArtifactStore) -> Iterator[Path]:
    """Where validators are run: a checkout of the base with each patch that is handed in, and of nothing else.

    Without a worktree it is the program's folder. Raises NotApplied where a patch does not apply, and TreeRefused.
    """
    if place.tree is None:
        yield place.work
        return
    clean = WorkTree(place.tree.repository, place.folder / "handed-in", place.tree.base)
    try:
        clean.make()
        for one in hand.pieces:
            if one.kind != "patch":
                continue
            if (patch := store.path_of(one.sha256)) is None:
                raise TreeRefused("patch_missing", "The store no longer has the patch.")
            clean.apply(patch.absolute())
        yield clean.folder
    finally:
        sweep(clean.folder)
        with suppress(TreeRefused):
            clean.remove()


def variables(turn: Turn, place: Place, setting: Setting) -> dict[str, str]:
    """The program's environment: the worker's, without anything of Frontstage's but what is meant for it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    subject = "FRONTSTAGE_REQUEST_ID" if turn.kind == "request" else "FRONTSTAGE_TODO_ID"
    token = {} if setting.token is None else {"FRONTSTAGE_TOKEN": setting.token}
    return {
        **kept,
        **token,
        "FRONTSTAGE_SOCKET": setting.socket,
        "FRONTSTAGE_GOAL_ID": turn.goal_id,
        subject: turn.subject,
        "FRONTSTAGE_TURN_ID": turn.turn_id,
        "FRONTSTAGE_AGENT_ID": turn.agent_id,
        "FRONTSTAGE_PACKET": str(place.packet),
        "FRONTSTAGE_RESULT": str(place.result),
        "FRONTSTAGE_OUT": str(place.out),
    }
