"""A workspace in the middle of its work: what `should-run` has to see through before it can say yes.

Each goal has todos that others hold, todos that wait for a decision, for files under a lease or for other todos,
and a long list of runs. Whoever asks is offered the first piece behind all of it.
"""

from dataclasses import dataclass
from pathlib import Path

from daemon.paths import Home
from ledger.events import Facts
from ledger.ids import GoalId, MemberId
from ledger.rules.artifacts import ArtifactSubmitted
from ledger.rules.common import Caller
from ledger.rules.gates import gate_basis
from ledger.writer import Request
from tests.bench.preload import AGENT, OPERATOR, OWNER, TTL_SECONDS, Maker, kept

GATED, BUSY, DEPENDENT = 4, 5, 5
"""Todos of each goal that wait for a decision, for files, for other work."""


@dataclass(frozen=True)
class Size:
    """How much there is, in all goals together."""

    goals: int = 20
    todos: int = 1_000
    runs: int = 5_000
    gates: int = 100
    leases: int = 200

    def each(self, count: int) -> int:
        """The part of one goal."""
        return count // self.goals

    @property
    def first_free(self) -> int:
        """The number of the first todo of a goal that can be begun."""
        return self.each(self.leases) + GATED + BUSY + DEPENDENT

    def __str__(self) -> str:
        return f"{self.goals}-{self.todos}-{self.runs}-{self.gates}-{self.leases}"


def busy(size: Size) -> Path:
    """A home of this size; made once."""
    return kept(f"busy-{size}-", lambda home: BusyMaker(home, size).make_busy(), Path(__file__))


class BusyMaker(Maker):
    """Writes it, through the rules like anybody."""

    def __init__(self, home: Home, size: Size) -> None:
        super().__init__(home)
        self._size = size

    def make_busy(self) -> None:
        """People, then one goal after the other."""
        self.begin()
        workers = [f"worker-{number}" for number in range(self._size.each(self._size.leases))]
        for name in workers:
            self.run([self.ask(OPERATOR, "member.add", member_id=name, kind="agent", display_name=name.title())])
        for goal in range(self._size.goals):
            self.add_goal(goal)
            self.in_groups([self._piece(goal, number) for number in range(self._size.each(self._size.todos))])
            self._work(goal, workers)
            self._gates(goal)
        self.close()

    def _piece(self, goal: int, number: int) -> Request:
        held = self._size.each(self._size.leases)
        scope = f"src/m{number}"
        first: tuple[str, ...] = ()
        if held + GATED <= number < held + GATED + BUSY:
            scope = f"src/m{number % held}/part"
        elif held + GATED + BUSY <= number < self._size.first_free:
            first = (f"todo_{goal}-{number - held}",)
        return self.ask(
            AGENT,
            "todo.add",
            goal_id=f"g{goal}",
            todo_id=f"todo_{goal}-{number}",
            text=f"Piece {number} of part {goal}",
            priority="P1" if number < self._size.first_free else "P2",
            required_write_scope=(scope,),
            depends_on=first,
            acceptance="Every example of the page has been run and prints what the page says",
        )

    def _work(self, goal: int, workers: list[str]) -> None:
        """Leases, and what came of the turns under them."""
        runs_each = self._size.each(self._size.runs) // len(workers)
        for number, name in enumerate(workers):
            caller = Caller(member_id=MemberId(name), kind="agent", surface="cli")
            at = {"goal_id": f"g{goal}", "todo_id": f"todo_{goal}-{number}"}
            scope = (f"src/m{number}/**",)
            lease = self.ask(
                caller,
                "task-lease.acquire",
                **at,
                idempotency_key="run-1",
                write_scope=scope,
                ttl_seconds=TTL_SECONDS,
            )
            proof = self.ask(caller, "artifact.submit", **at, label="report", sha256="0" * 64, size_bytes=1)
            facts = self.run([lease, proof])[1].events[0].facts
            self.in_groups([self._turn(caller, at, _artifact(facts), turn) for turn in range(runs_each)])

    def _turn(self, caller: Caller, at: dict[str, str], artifact_id: str, turn: int) -> Request:
        return self.ask(
            caller,
            "run.report",
            **at,
            turn_instance_id=f"turn-{turn}",
            delivery_outcome="outcome_progress",
            evidence=(artifact_id,),
            summary=f"Another part of it is done, the {turn}th",
        )

    def _gates(self, goal: int) -> None:
        """One that was for the whole goal and is approved; the others wait, for one todo each."""
        held, count = self._size.each(self._size.leases), self._size.each(self._size.gates)
        opened = {"goal_id": f"g{goal}", "question": "May this page be published?", "kind": "publish"}
        waiting = [
            self.ask(AGENT, "gate.open", **opened, blocks_todo=(f"todo_{goal}-{held + number % GATED}",))
            for number in range(count - 1)
        ]
        whole = self.ask(AGENT, "gate.open", **opened, gate_id=f"gate_whole_{goal}", blocks_goal=True)
        self.run([*waiting, whole])
        asked = self.ahead.goals[GoalId(f"g{goal}")]
        basis = gate_basis(asked, asked.gates.by_id[f"gate_whole_{goal}"])
        self.run([self.ask(OWNER, "gate.approve", goal_id=f"g{goal}", gate_id=f"gate_whole_{goal}", basis=basis)])


def _artifact(facts: Facts) -> str:
    assert isinstance(facts, ArtifactSubmitted)
    return facts.artifact_id
