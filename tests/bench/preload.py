"""A ledger with a past: homes preloaded with events, kept between runs.

The past is a few goals whose leases were renewed very often: a long log and a state of ordinary size.
"""

import hashlib
import os
import shutil
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


def _make(home: Home, events: int, goals: int, todos_each: int, leases_each: int) -> None:
    store = open_sqlite(Path(home.ledger))
    create_home(home, store, name="Bench", owner="ann", owner_name="Ann")
    term = store.open_term("unused")
    writer = Writer(store, term, replay(store), os.urandom, lambda: replay(store))
    now = 1_800_000_000_000
    number = 0

    def ask(caller: Caller, name: str, **params: object) -> Request:
        nonlocal number
        number += 1
        key = f"k{now + number:012x}-{number:016x}"
        return Request(
            action=ACTIONS[name], params=ACTIONS[name].params(**params), caller=caller, proof=_PROOF, request_key=key
        )

    def run(batch: list[Request]) -> None:
        answers = writer.drain(batch, now + number // 1000)
        refused = [answer.refusal for answer in answers if answer.refusal]
        assert not refused, refused[0]

    run([ask(_OPERATOR, "member.add", member_id="builder", kind="agent", display_name="Builder")])
    run([ask(_OPERATOR, "token.issue", member_id="builder", secret_digest=hashlib.sha256(SECRET.encode()).hexdigest())])
    for goal in range(goals):
        run(
            [
                ask(
                    _OWNER,
                    "goal.propose",
                    goal_id=f"g{goal}",
                    objective=f"Keep part {goal} in order",
                    criterion=("it works", "it is tested"),
                    write_scope=("**",),
                )
            ]
        )
        basis = writer._ahead.goals[f"g{goal}"].intent.basis
        run([ask(_OWNER, "goal.confirm", goal_id=f"g{goal}", basis=basis)])
        for start in range(0, todos_each, GROUP):
            run(
                [
                    ask(
                        _AGENT,
                        "todo.add",
                        goal_id=f"g{goal}",
                        text=f"Piece {i} of part {goal}",
                        todo_id=f"todo_{goal}-{i}",
                    )
                    for i in range(start, min(todos_each, start + GROUP))
                ]
            )
        leased = leases_each or 1
        for start in range(0, leased, GROUP):
            run(
                [
                    ask(
                        _AGENT,
                        "task-lease.acquire",
                        goal_id=f"g{goal}",
                        todo_id=f"todo_{goal}-{i}",
                        idempotency_key="run-1",
                        write_scope=(f"src/m{i}/**",),
                        ttl_seconds=86_400,
                    )
                    for i in range(start, min(leased, start + GROUP))
                ]
            )
    version = 1
    while store.head().seq < events:
        batch = []
        for _ in range(max(1, GROUP // goals)):
            batch += [
                ask(
                    _AGENT,
                    "task-lease.renew",
                    goal_id=f"g{goal}",
                    todo_id=f"todo_{goal}-0",
                    idempotency_key="run-1",
                    expected_version=version,
                    ttl_seconds=86_400,
                )
                for goal in range(goals)
            ]
            version += 1
        run(batch)
    store.checkpoint()
    store.close()
