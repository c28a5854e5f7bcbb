"""The team of a journey: registered members with credentials of their own, and a process for each seat.

A seat is filled by a real `frontstage worker run`; the steward by `frontstage steward run`. A worker that is to be lost
is lost by a signal to its process while the ledger says that it holds the lease.
"""

import shlex
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from bot.journey.expected import Lost
from bot.journey.plot import Content, Incident, Promise, Round, Seat, Without
from bot.stage import OWNER, DemoFailed, Place, Processes, enrol
from daemon.client import Client

STEWARD = "steward"
LEASE_S = 8
TURN_S = 120
WAIT_S_MAX = 90.0
LOOK_S = 0.03
TAKEN_OVER_S_MAX = 4 * LEASE_S
UNFENCED_S_MAX = 6
"""Where nothing ever ends a claim, nobody waits long for its end."""
NEVER_HANDED_IN = "art_late"
"""What a late completion names where its evidence was refused before it."""
Row = Mapping[str, Any]
_Seen = TypeVar("_Seen")


class Team:
    """Who works, and what can be asked of the ledger about it; all of it by the steward's own credential."""

    def __init__(
        self,
        place: Place,
        processes: Processes,
        content: Content,
        commands: Mapping[str, str],
        without: Without | None,
    ) -> None:
        self._place, self._processes, self._content = place, processes, content
        self._commands, self._without = commands, without
        self._tokens = {seat.agent_id: self._enrol(seat) for seat in content.seats()}
        steward = enrol(place, STEWARD, "steward")
        self._tokens[STEWARD] = steward
        self.client = Client(place.socket, steward.read_text(encoding="utf-8").strip())

    def begin(self, planner: Sequence[str]) -> None:
        """The steward, and everybody who does not stand by."""
        words = ("steward", "run", "--agent", STEWARD, "--planner", shlex.join(planner))
        self._start(STEWARD, words)
        for seat in self._content.seats():
            if not seat.is_spare:
                self.fill(seat.agent_id)

    def fill(self, agent_id: str) -> None:
        """Start the worker of a seat, unless it runs."""
        if self._processes.runs(agent_id):
            return
        seat = self._seat(agent_id)
        command = self._commands.get(agent_id) or shlex.join(seat.command)
        words = ["worker", "run", "--agent", agent_id, "--exec", command]
        words += ["--lease-seconds", str(LEASE_S), "--timeout-seconds", str(TURN_S)]
        if seat.at_repository and self._content.repository is not None:
            words += ["--repository", str(self._content.repository)]
        if self._content.validators is not None:
            words += ["--validators", str(self._content.validators)]
        self._start(agent_id, words)

    def lose(self, incident: Incident, now: Round) -> Lost:
        """Take a worker away while it holds the work of its lane. Raises DemoFailed where it never works on it."""
        title = next(str(lane["title"]) for lane in now.lanes if lane["lane_id"] == incident.lane_id)
        either = (incident.agent_id, incident.successor)
        held: Row = self._wait_for(
            f"{' or '.join(either)} to work on “{title}”", lambda: self._held(now.goal_id, title, either)
        )
        if held["owner"] != incident.agent_id:
            # Whoever has it is the one to be lost; the other takes over.
            incident = replace(incident, agent_id=either[1], successor=either[0])
        number = signal.SIGKILL if incident.kind == "killed" else signal.SIGSTOP
        self._processes.signal(incident.agent_id, number)
        at_ms = time.time_ns() // 1_000_000
        if incident.kind == "killed":
            self._processes.give_up(incident.agent_id).wait()
        return Lost(
            incident=incident, goal_id=now.goal_id, todo_id=str(held["todo_id"]), seq=int(held["seq"]), at_ms=at_ms,
            lease_epoch=held["lease_epoch"], lease_key=held.get("key"), lease_version=held.get("version"),
            late_sha256=sha256(late_words(str(held["todo_id"]))).hexdigest(),
        )  # fmt: skip

    def hand_over(self, lost: Lost) -> bool:
        """Let the successor take the work, then let come what was late; whether the work was taken over."""
        self.fill(lost.incident.successor)
        seconds = TAKEN_OVER_S_MAX if lost.lease_epoch is not None else UNFENCED_S_MAX
        ends_at = time.monotonic() + seconds
        taken = False
        while time.monotonic() < ends_at and not (taken := self._is_taken_over(lost)):
            self._processes.check()
            time.sleep(LOOK_S)
        self._write_late(lost)
        if lost.incident.kind == "frozen":
            self._processes.signal(lost.incident.agent_id, signal.SIGCONT)
        elif not taken:
            self.fill(lost.incident.agent_id)
        return taken

    def _write_late(self, lost: Lost) -> None:
        """What the lost worker had sent arrives now: in its own name, with the key and version that it held."""
        client = self._client_of(lost.incident.agent_id)
        subject: dict[str, str | int | None] = {"goal_id": lost.goal_id, "todo_id": lost.todo_id}
        renewal = {**subject, "idempotency_key": lost.lease_key or "none", "expected_version": lost.lease_version or 1}
        completion = {
            **subject,
            "task_lease_idempotency_key": lost.lease_key,
            "task_lease_expected_version": lost.lease_version,
            "note": "a late word",
        }
        client.act("task-lease.renew", renewal)
        evidence = self._hand_in_late(client, lost)
        client.act("todo.complete", {**completion, "evidence": [evidence]})

    def _hand_in_late(self, client: Client, lost: Lost) -> str:
        """Evidence with its validators' records, as a worker hands in; the id to name, though it was refused."""
        subject = {"goal_id": lost.goal_id, "todo_id": lost.todo_id}
        # The bytes are lost with the worker; the ledger is told of them alone.
        size_bytes = len(late_words(lost.todo_id))
        reply = client.act(
            "artifact.submit", {**subject, "label": "late.txt", "sha256": lost.late_sha256, "size_bytes": size_bytes}
        )
        if not reply.ok:
            return NEVER_HANDED_IN
        artifact_id = next(
            str(one["artifact_id"])
            for one in self.read("artifact.list", goal_id=lost.goal_id)["artifacts"]
            if one["sha256"] == lost.late_sha256
        )
        todos = self.read("todo.list", goal_id=lost.goal_id)["todos"]
        validators = next(one["validators"] for one in todos if one["todo_id"] == lost.todo_id)
        for name in validators:
            ran = {"name": name, "argv_sha256": lost.late_sha256, "exit_code": 0, "duration_ms": 0}
            client.act("artifact.record-check", {"goal_id": lost.goal_id, "artifact_id": artifact_id, **ran})
        return artifact_id

    def wait_for_state(self, goal_id: str, states: frozenset[str], seconds: float) -> str:
        """The goal's state once it is one of these. Raises DemoFailed."""

        def there() -> str | None:
            state = str(self.goal(goal_id).get("state"))
            return state if state in states else None

        return self._wait_for(f"{goal_id} to be {' or '.join(sorted(states))}", there, seconds)

    @property
    def members(self) -> Sequence[str]:
        """Everybody's id."""
        return tuple(self._tokens)

    def propose(self, now: Round) -> None:
        """Put the round's promise before the owner, in the steward's name. Raises DemoFailed."""
        promise = now.promise
        params: dict[str, str | Sequence[str]] = {
            "goal_id": now.goal_id,
            "title": promise.title,
            "objective": promise.objective,
            "criterion": promise.criteria,
            "constraint": promise.constraints,
            "write_scope": promise.write_scopes,
            "review": "owner" if self._without == "review" else "independent",
            "plan_approval": "steward",
            "handoff_mode": "soft_claim" if self._without == "fence" else "hard_lease",
        }
        reply = self.client.act("goal.propose", params)
        if not reply.ok:
            raise DemoFailed(f"goal.propose was refused: {reply.code}")

    def owner_is_paired(self) -> bool:
        """Whether the owner's identity in the chat is known."""
        rows = self.read("member.list")["members"]
        return any(one["member_id"] == OWNER and one.get("paired") for one in rows)

    def is_shown(self, goal_id: str) -> bool:
        """Whether a chat shows the goal."""
        return any(one.get("goal_id") == goal_id for one in self.read("channel.list")["channels"])

    def revision_in_force(self, goal_id: str) -> int:
        """The revision that was confirmed last, or 0."""
        shown = self.goal(goal_id)
        return 0 if shown["state"] in {"proposed", "clarifying"} else int(shown["revision"])

    def delivered(self, goal_id: str) -> Sequence[Row]:
        """The artifacts that are before the owner."""
        return [one for one in self.artifacts(goal_id) if one["counts"]]

    def artifacts(self, goal_id: str) -> Sequence[Row]:
        """All that was handed in for the goal."""
        found: Sequence[Row] = self.read("artifact.list", goal_id=goal_id)["artifacts"]
        return found

    def goal(self, goal_id: str) -> Row:
        """The goal as it is shown."""
        return self.read("goal.show", goal_id=goal_id)

    def read(self, name: str, **params: str) -> Row:
        """A document. Raises DemoFailed where it is refused."""
        reply = self.client.read(name, params)
        if not reply.ok:
            raise DemoFailed(f"{name} was refused: {reply.code}")
        return reply.body

    def _held(self, goal_id: str, title: str, either: Sequence[str]) -> Row | None:
        """The work that somebody holds now: under an effective lease, or by a claim where no leases are taken."""
        for todo in self.read("todo.list", goal_id=goal_id)["todos"]:
            if todo["title"] == title and todo["claimed_by"] in either:
                todo_id, agent_id = str(todo["todo_id"]), str(todo["claimed_by"])
                asked = self._client_of(agent_id).read("task-lease.inspect", {"goal_id": goal_id, "todo_id": todo_id})
                lease = asked.body
                if lease["effective"] and lease["owner"] == agent_id:
                    return {
                        "todo_id": todo_id, "owner": agent_id, "seq": lease["seq"],
                        "lease_epoch": int(str(lease["lease_epoch"])), "key": lease["idempotency_key"],
                        "version": lease["version"],
                    }  # fmt: skip
                if self._without == "fence":
                    return {"todo_id": todo_id, "owner": agent_id, "lease_epoch": None, "seq": lease["seq"]}
        return None

    def _is_taken_over(self, lost: Lost) -> bool:
        lease = self.read("task-lease.inspect", goal_id=lost.goal_id, todo_id=lost.todo_id)
        return bool(lease["effective"]) and lease["lease_epoch"] != lost.lease_epoch

    def _wait_for(self, what: str, look: Callable[[], _Seen | None], seconds: float = WAIT_S_MAX) -> _Seen:
        """Look again and again, as long as everybody runs who must. Raises DemoFailed."""
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            seen = look()
            if seen is not None:
                return seen
            self._processes.check()
            time.sleep(LOOK_S)
        raise DemoFailed(f"waited {seconds:.0f} s for {what}")

    def _client_of(self, agent_id: str) -> Client:
        return Client(self._place.socket, self._tokens[agent_id].read_text(encoding="utf-8").strip())

    def _seat(self, agent_id: str) -> Seat:
        return next(one for one in self._content.seats() if one.agent_id == agent_id)

    def _enrol(self, seat: Seat) -> Path:
        return enrol(self._place, seat.agent_id, seat.role, capability=seat.capabilities)

    def _start(self, agent_id: str, words: Sequence[str]) -> None:
        variables = {"FRONTSTAGE_TOKEN_FILE": str(self._tokens[agent_id])}
        self._processes.start(agent_id, ["-m", "daemon.cli.main", *words], variables=variables)


def late_words(todo_id: str) -> bytes:
    """What a lost worker had on its way: no work of anybody's, and told apart from all that is."""
    return f"Late words about {todo_id}.\n".encode()


def in_force(promise: Promise, goal: Row) -> Promise:
    """The promise as the ledger has it now: whatever the owner corrected, by a program or by hand."""
    criteria = tuple(str(one["text"]) for one in goal["review"]["criteria"])
    return replace(promise, objective=str(goal["objective"]), criteria=criteria)
