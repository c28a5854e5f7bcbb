"""A ledger with a past: homes preloaded with events, kept between runs.

The past is a few goals whose leases were renewed very often: a long log and a state of ordinary size.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from daemon.init import create_home
from daemon.paths import Home
from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import MemberId
from ledger.rules.common import Caller
from ledger.store.sqlite import open_sqlite
from ledger.writer import Request, Writer

CACHE = Path(__file__).parents[2] / ".bench"
SECRET = "fs_bench_agent_secret_0123456789"
GROUP = 500
BEGAN_MS = 1_800_000_000_000
_OWNER = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
_AGENT = Caller(member_id=MemberId("builder"), kind="agent", surface="cli")
_OPERATOR = Caller(member_id=MemberId("operator"), kind="operator", surface="cli")
_PROOF = Proof(kind="token", reference="tok_1")


def preloaded(events: int, goals: int, todos_each: int, leases_each: int = 0) -> Path:
    """A home whose ledger has at least `events` events; made once, then copied for each run."""
    name = f"home-{events}-{goals}-{todos_each}-{leases_each}-{_digest()}"
    home = CACHE / name
    if not (home / "done").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True, mode=0o700)
        _make(Home(str(home)), events, goals, todos_each, leases_each)
        (home / "done").touch()
    return home


def copy_of(home: Path, target: Path) -> Home:
    """A home of one's own to write in."""
    shutil.copytree(home, target)
    return Home(str(target))


def _digest() -> str:
    root = Path(__file__).parents[2] / "ledger"
    return hashlib.sha256(
        b"".join(
            path.read_bytes()
            for path in sorted(root.rglob("*.py"))
            if "projections" not in path.parts and "text" not in path.parts
        )
    ).hexdigest()[:8]


class Past:
    """A ledger being given its past, through its own writer."""

    def __init__(self, home: Home) -> None:
        self.store = open_sqlite(Path(home.ledger))
        create_home(home, self.store, name="Bench", owner="ann", owner_name="Ann")
        term = self.store.open_term("unused")
        self._writer = Writer(self.store, term, replay(self.store), os.urandom, lambda: replay(self.store))
        self._number = 0

    def ask(self, caller: Caller, name: str, **params: object) -> Request:
        """A command with a key of its own."""
        self._number += 1
        key = f"k{BEGAN_MS + self._number:012x}-{self._number:016x}"
        action = ACTIONS[name]
        return Request(action=action, params=action.params(**params), caller=caller, proof=_PROOF, request_key=key)

    def run(self, requests: Iterable[Request]) -> None:
        """Commit commands in groups; a refused one is a mistake of the bench."""
        waiting = list(requests)
        for start in range(0, len(waiting), GROUP):
            answers = self._writer.drain(waiting[start : start + GROUP], BEGAN_MS + self._number // 1000)
            refused = [answer.refusal for answer in answers if answer.refusal]
            assert not refused, refused[0]

    def people(self) -> None:
        """The agent whose work this is."""
        digest = hashlib.sha256(SECRET.encode()).hexdigest()
        self.run([self.ask(_OPERATOR, "member.add", member_id="builder", kind="agent", display_name="Builder")])
        self.run([self.ask(_OPERATOR, "token.issue", member_id="builder", secret_digest=digest)])

    def goal(self, number: int, todos: int, leases: int) -> None:
        """A confirmed goal with its todos, some of them leased."""
        name = f"g{number}"
        promise = {"objective": f"Keep part {number} in order", "criterion": ("it works", "it is tested")}
        self.run([self.ask(_OWNER, "goal.propose", goal_id=name, write_scope=("**",), **promise)])
        basis = self._writer._ahead.goals[name].intent.basis
        self.run([self.ask(_OWNER, "goal.confirm", goal_id=name, basis=basis)])
        self.run(
            self.ask(_AGENT, "todo.add", goal_id=name, text=f"Piece {i} of part {number}", todo_id=f"todo_{number}-{i}")
            for i in range(todos)
        )
        self.run(self._lease("acquire", number, i, write_scope=(f"src/m{i}/**",)) for i in range(leases))

    def renew(self, goals: int, events: int) -> None:
        """Renew the first lease of every goal until there are this many events."""
        version = 1
        while self.store.head().seq < events:
            rounds = range(version, version + max(1, GROUP // goals))
            self.run(self._lease("renew", goal, 0, expected_version=at) for at in rounds for goal in range(goals))
            version = rounds.stop

    def _lease(self, verb: str, goal: int, todo: int, **more: object) -> Request:
        subject = {"goal_id": f"g{goal}", "todo_id": f"todo_{goal}-{todo}", "idempotency_key": "run-1"}
        return self.ask(_AGENT, f"task-lease.{verb}", ttl_seconds=86_400, **subject, **more)


def _make(home: Home, events: int, goals: int, todos_each: int, leases_each: int) -> None:
    past = Past(home)
    past.people()
    for number in range(goals):
        past.goal(number, todos_each, leases_each or 1)
    past.renew(goals, events)
    past.store.checkpoint()
    past.store.close()
