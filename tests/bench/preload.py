"""A ledger with a past: homes preloaded with events, kept between runs.

The past is a few goals whose leases were renewed very often: a long log and a state of ordinary size.
"""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from daemon.init import create_home
from daemon.paths import Home
from daemon.reducer import reducer_digest
from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import GoalId, MemberId
from ledger.rules.common import Caller
from ledger.state import Workspace
from ledger.store.sqlite import open_sqlite
from ledger.writer import Answer, Request, Writer

CACHE = Path(__file__).parents[2] / ".bench"
SECRET = "fs_bench_agent_secret_0123456789"
GROUP = 500
BEGAN_MS = 1_800_000_000_000
OWNER = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
AGENT = Caller(member_id=MemberId("builder"), kind="agent", surface="cli")
OPERATOR = Caller(member_id=MemberId("operator"), kind="operator", surface="cli")
_PROOF = Proof(kind="token", reference="tok_1")
_BEGAN_AT_MS = 1_800_000_000_000
"""Ahead of any clock, so that no lease ends while something is measured; ledger time then runs on by itself."""
SCOPES: dict[str, tuple[str, ...]] = {
    "folders": ("src/m{}/**",),
    "globs": ("docs/page{}-*.md", "src/part{}/*.py", "lib/{}.py", "conf/x{}.[ab]"),
}
"""What leases hold, by kind: of several the next lease takes the next."""
_FIRST_KEY_MS = 1_700_000_000_000
"""What the request keys say is past, as it is wherever the clients' clocks are right."""
TTL_SECONDS = 86_400


def preloaded(events: int, goals: int, todos_each: int, leases_each: int = 1, *, scopes: str = "folders") -> Path:
    """A home whose ledger has at least `events` events; made once, then copied for each run."""
    return kept(
        f"home-{events}-{goals}-{todos_each}-{leases_each}-{scopes}-",
        lambda home: Maker(home, scopes).make(events, goals, todos_each, leases_each),
    )


def kept(shape: str, make: Callable[[Home], None], *sources: Path) -> Path:
    """The home of this shape: made where there is none by the present rules, and by these sources of its maker."""
    home = CACHE / (shape + _digest(sources))
    if not (home / "done").exists():
        for outdated in CACHE.glob(shape + "*"):
            shutil.rmtree(outdated)
        home.mkdir(parents=True, mode=0o700)
        make(Home(str(home)))
        (home / "done").touch()
    return home


def copy_of(home: Path, target: Path) -> Home:
    """A home of one's own to write in."""
    shutil.copytree(home, target)
    return Home(str(target))


def _digest(more: tuple[Path, ...]) -> str:
    """What a ledger's bytes depend on: the rules, and how a store lays them down."""
    laid_down = Path(__file__).parents[2] / "ledger" / "store" / "sql"
    sources = b"".join(path.read_bytes() for path in [Path(__file__), *more, *sorted(laid_down.glob("*.sql"))])
    return hashlib.sha256(reducer_digest().encode() + sources).hexdigest()[:8]


class Maker:
    """Writes a past into a new home, through the rules like anybody."""

    def __init__(self, home: Home, scopes: str = "folders") -> None:
        self._scopes = SCOPES[scopes]
        self._store = open_sqlite(Path(home.ledger))
        create_home(home, self._store, name="Bench", owner="ann", owner_name="Ann")
        term = self._store.open_term("unused")
        self._writer = Writer(self._store, term, replay(self._store), os.urandom, lambda: replay(self._store))
        self._number = 0

    def make(self, events: int, goals: int, todos_each: int, leases_each: int) -> None:
        """People, goals, todos, leases; then renewals until the log is long enough."""
        self.begin()
        for goal in range(goals):
            self.add_goal(goal)
            self.in_groups([self.todo(goal, number) for number in range(todos_each)])
            self.in_groups([self._lease(goal, number) for number in range(leases_each)])
        version = 1
        while self._store.head().seq < events:
            rounds = range(version, version + max(1, GROUP // goals))
            self.run([self._renewal(goal, seen) for seen in rounds for goal in range(goals)])
            version = rounds.stop
        self.close()

    def begin(self) -> None:
        """The agent and its credential."""
        digest = hashlib.sha256(SECRET.encode()).hexdigest()
        self.run([self.ask(OPERATOR, "member.add", member_id="builder", kind="agent", display_name="Builder")])
        self.run([self.ask(OPERATOR, "token.issue", member_id="builder", secret_digest=digest)])

    def close(self) -> None:
        """Nothing more is written."""
        self._store.checkpoint()
        self._store.close()

    @property
    def ahead(self) -> Workspace:
        """The state so far."""
        return self._writer._ahead

    def add_goal(self, goal: int) -> None:
        """A confirmed goal."""
        promise = {
            "objective": f"Keep part {goal} in order",
            "criterion": ("it works", "it is tested"),
            "review": "owner",
        }
        self.run([self.ask(OWNER, "goal.propose", goal_id=f"g{goal}", **promise, write_scope=("**",))])
        basis = self.ahead.goals[GoalId(f"g{goal}")].intent.basis
        self.run([self.ask(OWNER, "goal.confirm", goal_id=f"g{goal}", basis=basis)])

    def todo(self, goal: int, number: int) -> Request:
        """A piece of work of a goal."""
        text = f"Piece {number} of part {goal}"
        return self.ask(AGENT, "todo.add", goal_id=f"g{goal}", text=text, todo_id=f"todo_{goal}-{number}")

    def _lease(self, goal: int, number: int) -> Request:
        return self.ask(
            AGENT,
            "task-lease.acquire",
            **_held(goal, number),
            write_scope=(self._scopes[number % len(self._scopes)].format(number),),
            ttl_seconds=TTL_SECONDS,
        )

    def _renewal(self, goal: int, version: int) -> Request:
        return self.ask(AGENT, "task-lease.renew", **_held(goal, 0), expected_version=version, ttl_seconds=TTL_SECONDS)

    def ask(self, caller: Caller, name: str, **params: object) -> Request:
        self._number += 1
        key = f"k{_FIRST_KEY_MS + self._number:012x}-{self._number:016x}"
        action = ACTIONS[name]
        return Request(action=action, params=action.params(**params), caller=caller, proof=_PROOF, request_key=key)

    def in_groups(self, requests: list[Request]) -> None:
        for start in range(0, len(requests), GROUP):
            self.run(requests[start : start + GROUP])

    def run(self, batch: list[Request]) -> list[Answer]:
        """Have them all decided; none may be refused."""
        answers = self._writer.drain(batch, _BEGAN_AT_MS + self._number // 1_000)
        refused = [answer.refusal for answer in answers if answer.refusal]
        assert not refused, refused[0]
        return answers


def _held(goal: int, number: int) -> dict[str, str]:
    return {"goal_id": f"g{goal}", "todo_id": f"todo_{goal}-{number}", "idempotency_key": "run-1"}
