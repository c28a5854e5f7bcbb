"""A worker: takes one turn after the other for one agent, until it is told to stop.

Told once, it finishes the turn that is under way and begins no other; told again, it ends the program, reports that,
and gives the work back. While there is nothing to do it waits for the feed, and asks nothing.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.agents.store import ArtifactStore
from daemon.agents.worker_desk import Desk, sweep
from daemon.agents.worker_drive import Drive, Item, Parked, Signal, Validate, Wake
from daemon.agents.worker_folder import Setting
from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_look import Lookout
from daemon.agents.worker_tree import forget
from daemon.agents.worker_turn import Turn
from daemon.client import Client, Refused
from daemon.wire import WireFault

IDLE_S_MAX = 60.0
FEED_AGAIN_S = (0.2, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0)
GOOD = frozenset({"done", "progress"})


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Everything a worker needs."""

    client: Client
    setting: Setting
    desk: Desk
    store: ArtifactStore
    validate: Validate
    say: Callable[[str], None]
    ended: Callable[[Turn], None]
    """Is told of each turn when it is over."""
    goal_id: str | None = None
    once: bool = False


class Worker:
    """One worker. `stop` may be called from a signal's handler or another thread."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._stops = 0
        self._last: Turn | None = None
        self._lookout = Lookout(bench.client, bench.setting, bench.goal_id)
        self._parked = 0
        self._over = threading.Event()

    def stop(self) -> None:
        """Begin nothing new; called again, end what runs."""
        self._stops += 1
        self._items.put(Signal(self._stops))

    def run(self) -> Turn | None:
        """Work until told to stop; the last turn comes back. Raises DeskTaken and OSError."""
        bench = self._bench
        bench.desk.take()
        try:
            self._tidy()
            if not bench.once:
                threading.Thread(target=self._follow, daemon=True).start()
            while not self._stops and not self._once():
                pass
            if self._stops:
                bench.say("told to stop; nothing new is begun")
        finally:
            self._over.set()
            self._tell("stopped")
            bench.desk.leave()
        return self._last

    def _once(self) -> bool:
        """One look, and one turn where there is one; whether that was all."""
        bench = self._bench
        drive = Drive(
            bench.client, bench.desk, bench.store, bench.setting, bench.validate, self._items, bench.say,
            lambda turn: self._tell(turn.phase, turn), lambda: self._stops < 2,
        )  # fmt: skip
        try:
            if (left := bench.desk.load()) is not None:
                bench.say(f"takes up {left.turn_id}, which was left at {left.phase}")
                self._end(drive.rest(left))
            turn = self._lookout.find(time.monotonic())
            if turn is not None:
                # Which todo it is, the ledger says when it reserves one.
                what = f"{turn.kind} {turn.subject}".rstrip()
                bench.say(f"{turn.goal_id}: begins {turn.turn_id} ({what})")
                self._end(drive.whole(turn))
        except (WireFault, Parked) as fault:
            return self._unreachable(fault)
        self._parked = 0
        if bench.once:
            return True
        if turn is None:
            self._tell("idle")
            self._wait(self._lookout.next_look_s(IDLE_S_MAX))
        return False

    def _unreachable(self, fault: Exception) -> bool:
        pause = FEED_AGAIN_S[min(self._parked, len(FEED_AGAIN_S) - 1)]
        self._parked += 1
        self._bench.say(f"the daemon does not answer ({fault}); next try in {pause:.1f} s")
        self._tell("unreachable")
        if self._bench.once:
            raise WireFault(str(fault)) from fault
        self._wait(pause)
        return False

    def _end(self, turn: Turn) -> None:
        bench = self._bench
        bench.desk.done()
        self._last = turn
        good = turn.close in GOOD or (turn.kind == "request" and turn.close == "blocked")
        (self._lookout.succeeded if good else self._lookout.failed)(turn)
        why = f" ({turn.problem})" if turn.problem else ""
        bench.say(f"{turn.goal_id}: {turn.turn_id} {turn.close}{why} {turn.subject}")
        bench.ended(turn)

    def _wait(self, seconds: float) -> None:
        """Wait for an event of the ledger, a signal, or the end of the time."""
        deadline = time.monotonic() + seconds
        while not self._stops and (left := deadline - time.monotonic()) > 0:
            try:
                item = self._items.get(timeout=left)
            except queue.Empty:
                return
            mine = self._bench.goal_id
            if isinstance(item, Wake) and (mine is None or item.goal_id in {None, mine}):
                self._drain()
                return

    def _drain(self) -> None:
        """One look answers all that has happened by now."""
        while not self._items.empty():
            self._items.get_nowait()

    def _follow(self) -> None:
        """Wake by the feed; where it breaks off, look once and follow anew."""
        tries = 0
        while not self._over.wait(FEED_AGAIN_S[min(tries, len(FEED_AGAIN_S) - 1)] if tries else 0):
            try:
                after = self._bench.client.read("goal.list", {"limit": 1}).seq
                # What happened before this moment is looked at once, and from then on nothing is missed.
                self._items.put(Wake(None))
                for event in self._bench.client.feed(after or 0):
                    tries = 0
                    self._items.put(Wake(event.goal_id))
            except Refused as refused:
                # By a credential that may not follow, work is found by looking now and then.
                self._bench.say(f"the feed is not for this credential ({refused})")
                tries = len(FEED_AGAIN_S)
            except WireFault:
                tries += 1
            else:
                tries += 1
            self._items.put(Wake(None))

    def _tidy(self) -> None:
        """What another process left in the folder is taken away; the turn itself is in its file."""
        for folder in self._bench.desk.leftovers():
            sweep(folder)
        if self._bench.setting.repository is not None:
            try:
                forget(self._bench.setting.repository)
            except TreeRefused:
                self._bench.say("the repository cannot be worked in")

    def _tell(self, how: str, turn: Turn | None = None) -> None:
        last = self._last
        self._bench.desk.tell(
            {
                "how": how,
                "turn": None if turn is None else _shown(turn),
                "last": None if last is None else _shown(last),
                "waits": self._lookout.waits,
            }
        )


def _shown(turn: Turn) -> dict[str, object]:
    names = ("turn_id", "goal_id", "kind", "subject", "phase", "close", "problem", "words", "run_id")
    return {name: getattr(turn, name) for name in names}


def document(turn: Turn) -> dict[str, object]:
    """A turn that is over, for whoever reads it as JSON."""
    more = {"artifact_ids": list(turn.artifact_ids), "notes": list(turn.notes)}
    return {"schema_version": "frontstage_worker_turn_v0", "ok": turn.close in GOOD, **_shown(turn), **more}


def absolute(folder: Path) -> Path:
    """A folder by its whole path, whatever the program's folder will be."""
    return folder.expanduser().absolute()
