"""One turn being done: the commands of the core, carried out; what comes of each, told to the core.

Theory of operation. Everything that takes long happens in a thread or a process of its own, and ends in the one queue
of the worker, where wakes and signals arrive as well. What the ledger is asked is asked here, one thing at a time, and
each answer goes to the core before anything else does. A daemon that does not answer is asked again under the same key,
later each time, while time goes on passing for the lease. The turn is saved before each command, so that whoever comes
after a crash knows what may have been asked.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.agents.store import ArtifactStore
from daemon.agents.worker_asks import Ask, asked, renewal
from daemon.agents.worker_core import begin, recovered, step
from daemon.agents.worker_desk import Desk
from daemon.agents.worker_folder import Setting, cleared, handed_in, made, now_ms, variables
from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_judge import Place, Unjudged, judge
from daemon.agents.worker_process import Running
from daemon.agents.worker_readings import EXIT_BUSY, Facts, NotRead, Readings, facts_of, rows
from daemon.agents.worker_tree import NotApplied
from daemon.agents.worker_turn import (
    Answered,
    Command,
    Event,
    Exited,
    Failed,
    Judged,
    Moved,
    Next,
    NotRenewed,
    Prepared,
    Refused,
    Renewed,
    StopNow,
    Tick,
    Turn,
)
from daemon.client import Client, Reply
from daemon.wire import WireFault

TICK_S = 0.25
LOOK_S = 1.0
"""How often what a turn rests on is looked at, at most."""
BACK_OFF_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
LOST_S_MAX = 120.0
"""How long a daemon that does not answer is asked again, where no lease says how long."""
CLOSED_STATES = frozenset({"accepted", "stopped", "withdrawn", "declined"})


class Parked(Exception):
    """The daemon is not there; the turn is saved, and is taken up again later."""


@dataclass(frozen=True)
class Wake:
    """Something happened in a goal."""

    goal_id: str | None


@dataclass(frozen=True)
class Signal:
    """The worker was told to stop: once, or again."""

    times: int


@dataclass(frozen=True)
class Thought:
    """What a thread of a turn came to."""

    turn_id: str
    event: Event


Item = Wake | Signal | Thought


@dataclass(frozen=True)
class Validation:
    """What is to be validated."""

    goal_id: str
    artifact_id: str
    names: tuple[str, ...]
    cwd: Path
    file: Path | None


Validate = Callable[[Validation], list[str]]
"""Runs each and records it; the names of those that passed come back."""


@dataclass
class Drive:
    """All that a turn is done with."""

    client: Client
    desk: Desk
    store: ArtifactStore
    setting: Setting
    validate: Validate
    items: "queue.SimpleQueue[Item]"
    say: Callable[[str], None]
    tell: Callable[[Turn], None]
    patient: Callable[[], bool]
    """Whether a daemon that is gone may be waited for."""

    def whole(self, turn: Turn) -> Turn:
        """Do a turn to its end. Raises Parked, and OSError where it cannot be saved."""
        return OneTurn(self).run(begin(turn))

    def rest(self, turn: Turn) -> Turn:
        """Take up a turn that another process left. Raises Parked and OSError."""
        return OneTurn(self).run(recovered(turn))


class OneTurn:
    """One turn under way."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._readings = Readings(drive.client, drive.setting.agent_id)
        self._turn: Turn | None = None
        self._place: Place | None = None
        self._facts: Facts | None = None
        self._running: Running | None = None
        self._todo: list[Command] = []
        self._not_before = 0.0
        self._faults = 0
        self._lost_since = 0.0
        self._look_at = 0.0
        self._stale = False

    def run(self, first: Next) -> Turn:
        """Do what the core says until it says that the turn is over."""
        self._take(first)
        try:
            while not self.turn.is_over:
                for event in self._happening():
                    self._take(step(self.turn, event, now_ms()))
            return self.turn
        finally:
            self._clear()

    @property
    def turn(self) -> Turn:
        """The turn as it is now."""
        assert self._turn is not None, "a turn is taken first"
        return self._turn

    def _take(self, following: Next) -> None:
        turn, commands = following
        changed = self._turn != turn
        self._turn = turn
        if commands == ("renew",):
            # What else was to be done still is.
            self._todo = ["renew", *(one for one in self._todo if one != "renew")]
        elif commands:
            self._todo = list(commands)
        if changed:
            self._drive.desk.save(turn)
            self._drive.tell(turn)

    def _happening(self) -> list[Event]:
        """What happens next: a command is carried out, or something is waited for."""
        if self._todo and time.monotonic() >= self._not_before:
            command = self._todo.pop(0)
            try:
                event = self._do(command)
            except WireFault as fault:
                self._again_later(command, fault)
                event = None
            except NotRead as error:
                event = Failed(error.code or "not_read", "The ledger does not show what the turn is about.")
            else:
                self._faults = 0
            return [] if event is None else [event]
        try:
            item: Item | None = self._drive.items.get(timeout=TICK_S)
        except queue.Empty:
            item = None
        return [Tick(), *self._heard(item)]

    def _heard(self, item: Item | None) -> list[Event]:
        match item:
            case Thought(turn_id, event) if turn_id == self.turn.turn_id:
                return [event]
            case Signal(times) if times > 1:
                return [StopNow()]
            case Wake(goal_id):
                self._stale |= goal_id in {None, self.turn.goal_id}
            case _:
                pass
        if self._stale and self.turn.phase == "running" and time.monotonic() >= self._look_at:
            self._stale, self._look_at = False, time.monotonic() + LOOK_S
            return self._looked()
        return []

    def _looked(self) -> list[Event]:
        """Whether what the program works on is still so; a daemon that does not answer says nothing."""
        try:
            moved = self._moved()
        except (WireFault, NotRead):
            return []
        return [] if moved is None else [moved]

    def _again_later(self, command: Command, fault: Exception) -> None:
        """Ask again under the same key. Raises Parked where the daemon has been gone for too long."""
        now = time.monotonic()
        self._lost_since = now if self._faults == 0 else self._lost_since
        if not self._drive.patient() or (self.turn.version is None and now - self._lost_since > LOST_S_MAX):
            raise Parked(str(fault)) from fault
        if self._faults == 0:
            self._drive.say(f"the daemon does not answer ({fault}); it is asked again")
        self._todo.insert(0, command)
        self._not_before = now + BACK_OFF_S[min(self._faults, len(BACK_OFF_S) - 1)]
        self._faults += 1

    def _do(self, command: Command) -> Event | None:
        match command:
            case "ask":
                return self._asked()
            case "renew":
                return self._renewed()
            case "prepare":
                return self._prepared()
            case "launch":
                return self._launched()
            case "end":
                assert self._running is not None, "only what runs is ended"
                self._running.end()
            case "judge":
                return self._judged()
            case "validate":
                return self._validated()
            case "over":
                pass
        return None

    def _asked(self) -> Event:
        first = self.turn.steps[0]
        reply = self._reply(asked(self.turn, first))
        if not reply.ok:
            return Refused(first, reply.code)
        result = reply.body.get("result", reply.body)
        return Answered(first, result if isinstance(result, dict) else {})

    def _renewed(self) -> Event | None:
        if self.turn.version is None:
            return None
        reply = self._reply(renewal(self.turn))
        if not reply.ok:
            return NotRenewed(reply.code)
        result = reply.body["result"]
        assert isinstance(result, dict)
        return Renewed(int(result["version"]))

    def _reply(self, ask: Ask) -> Reply:
        """What the daemon answers. Raises WireFault where it is busy, too: nothing was decided."""
        params = {name: value for name, value in ask.params.items() if value is not None}
        if ask.key is None:
            reply = self._drive.client.read(ask.action, params)  # type: ignore[arg-type]  # scalars and lists of them
        else:
            reply = self._drive.client.act(ask.action, params, ask.key)  # type: ignore[arg-type]  # JSON of all kinds
        if not reply.ok and reply.exit_code == EXIT_BUSY:
            raise WireFault(reply.code or "busy")
        return reply

    def _prepared(self) -> Event:
        self._clear()
        self._facts = facts_of(self._readings, self.turn)
        try:
            self._place = made(self.turn, self._facts, self._drive.setting, self._drive.store, self._drive.desk)
        except TreeRefused as error:
            return Failed(error.code, error.words)
        except OSError as error:
            return Failed("folder_failed", f"The folder of the turn could not be made: {error.strerror}.")
        return Prepared(self._facts.validators)

    def _launched(self) -> Event | None:
        turn, place, setting = self.turn, self._place, self._drive.setting
        assert place is not None, "a folder was prepared"
        try:
            self._running = Running(
                setting.argv,
                cwd=place.work,
                variables=variables(turn, place, setting),
                packet=place.packet,
                output=self._drive.desk.log_of(turn.turn_id),
                ended=lambda code: self._drive.items.put(Thought(turn.turn_id, Exited(code))),
            )
        except OSError as error:
            return Failed("not_started", f"The program could not be started: {error.strerror}.")
        self._stale = True
        return None

    def _judged(self) -> Event | None:
        if (moved := self._moved()) is not None:
            return moved
        turn, place, facts = self.turn, self._place, self._facts
        assert place is not None
        assert facts is not None
        self._think(lambda: Judged(judge(turn, place, facts, self._drive.store)))
        return None

    def _validated(self) -> Event | None:
        turn, place, drive = self.turn, self._place, self._drive
        first = turn.steps[0]
        if place is None:
            # After a crash the folder is gone; in another one a validator that finds nothing would pass.
            return Refused(first, "not_validated")
        hand = turn.hand
        assert hand is not None
        names = tuple(name for name in turn.validators if name not in turn.passed)
        file = drive.store.path_of(hand.pieces[first.number].sha256)

        def work() -> Event:
            try:
                with handed_in(place, hand, drive.store) as cwd:
                    wanted = Validation(turn.goal_id, turn.artifact_ids[first.number], names, cwd, file)
                    return Answered(first, {"passed": drive.validate(wanted)})
            except NotApplied as error:
                return Refused(first, error.code)

        self._think(work, Refused(first, "not_validated"))
        return None

    def _think(self, work: Callable[[], Event], otherwise: Event | None = None) -> None:
        """Do something long beside the lease."""
        turn_id = self.turn.turn_id

        def thread() -> None:
            try:
                event = work()
            except Unjudged as error:
                event = Failed(error.code, error.words)
            except Exception as error:  # noqa: BLE001  (a turn that hears nothing holds its lease for ever)
                event = otherwise or Failed("not_judged", f"It could not be judged: {type(error).__name__}.")
            self._drive.items.put(Thought(turn_id, event))

        threading.Thread(target=thread, daemon=True).start()

    def _moved(self) -> Event | None:
        """What became of the goal, the promise, the lease and the todo since the program was given its packet."""
        turn, facts = self.turn, self._facts
        assert facts is not None, "what is looked at was read first"
        goal = self._readings.goal(turn.goal_id)
        if goal["state"] in CLOSED_STATES:
            return Moved("goal_over", f"goal_{goal['state']}")
        if goal["revision"] != facts.revision:
            return Moved("revision", str(goal["revision"]))
        if turn.kind != "todo":
            return None
        found = [one for one in self._readings.todos(turn.goal_id) if one["todo_id"] == turn.subject]
        for hold in rows(found[0], "held_by") if found else []:
            if hold["code"] == "amendment_holds":
                return Moved("rebase", str(hold["id"]))
        lease = self._readings.one("task-lease.inspect", goal_id=turn.goal_id, todo_id=turn.subject)
        mine = lease.get("idempotency_key") == turn.turn_id and lease.get("effective")
        return None if mine or turn.version is None else NotRenewed("lease_not_active")

    def _clear(self) -> None:
        """End what still runs, and take the folder away."""
        if self._running is not None:
            self._running.end()
            self._running.join()
            self._running = None
        if self._place is not None:
            cleared(self._place)
            self._place = None
