"""The command line against the start of the interpreter it runs on.

The command is measured as people get it: a console script, from a wheel, in an environment made by this
interpreter's own pip (whose scripts are slower than a newer one's), with a daemon running. Every timed call does its
work: each claim, lease and completion is of a todo of its own. Calls alternate with `python -c pass` of the same
environment; each round gives one ratio of medians, and the median of the rounds counts.

    python -m tests.bench bench_cli
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from daemon import wire
from daemon.client import Client, Params, Reply
from tests.bench.row import Row

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 9
PAIRS = 5
"""Calls of each kind in a round, each beside a bare start."""

CALLS = ROUNDS * PAIRS + 1
"""One more, for the first, which is not counted."""

HOT, OTHER, HELP = 2.5, 4.0, 5.0
READY_S_MAX = 30
GOAL = "docs"
AGENT_SECRET = "fs_" + "b" * 43


@dataclass(frozen=True)
class Case:
    """One command line, made anew for each call, and its limit."""

    name: str
    limit: float
    argv: Callable[[int], list[str]]


def run() -> list[Row]:
    """Build, install, start, measure."""
    with tempfile.TemporaryDirectory(prefix="frontstage-bench-") as folder:
        environment = install(Path(folder))
        home = Path(folder) / "home"
        with daemon_running(home):
            owner = Client(str(home / "daemon.sock"), (home / "owner.token").read_text().strip())
            agent = begin(owner, home)
            cases = cases_of(add_work(owner, agent))
            return measure(environment, cases, {"FRONTSTAGE_HOME": str(home), "FRONTSTAGE_TOKEN": AGENT_SECRET})


def install(folder: Path) -> Path:
    """A fresh environment with the wheel of this checkout in it; its folder of programs.

    The command's hot path needs none of the dependencies, so that none is installed and no network is needed.
    """
    wheels = folder / "wheels"
    _quietly(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(wheels), str(ROOT))
    _quietly(sys.executable, "-m", "venv", str(folder / "environment"))
    programs = folder / "environment" / "bin"
    (wheel,) = wheels.glob("frontstage-*.whl")
    _quietly(str(programs / "python"), "-m", "pip", "install", "--no-index", "--no-deps", str(wheel))
    return programs


def _quietly(*argv: str) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv[:4])} failed: {done.stderr[-2_000:]}")


@contextmanager
def daemon_running(home: Path) -> Iterator[None]:
    """A new home with a daemon that is ready."""
    _quietly(sys.executable, "-m", "daemon.cli.main", "init", "--home", str(home))
    argv = [sys.executable, "-m", "daemon.start", "--home", str(home)]
    process = subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        give_up_at_s = time.monotonic() + READY_S_MAX
        while not _ready(home):
            if process.poll() is not None or time.monotonic() > give_up_at_s:
                raise RuntimeError("the daemon did not become ready")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def _ready(home: Path) -> bool:
    try:
        return Client(str(home / "daemon.sock")).get("/readyz").ok
    except wire.WireFault:
        return False


def begin(owner: Client, home: Path) -> Client:
    """A confirmed goal and an agent."""
    digest = hashlib.sha256(AGENT_SECRET.encode()).hexdigest()
    done(owner.act("member.add", {"member_id": "builder", "kind": "agent", "display_name": "Builder"}))
    done(owner.act("token.issue", {"member_id": "builder", "secret_digest": digest}))
    promise = {
        "goal_id": GOAL,
        "objective": "Check the docs",
        "criterion": ["Every link works"],
        "allowed_slots": 1_000,
        "review": "owner",
    }
    done(owner.act("goal.propose", promise))
    basis = done(owner.read("goal.show", {"goal_id": GOAL})).body["basis"]
    assert isinstance(basis, dict)
    done(owner.act("goal.confirm", {"goal_id": GOAL, "basis": str(basis["confirm"])}))
    return Client(str(home / "daemon.sock"), AGENT_SECRET)


def add_work(owner: Client, agent: Client) -> list[str]:
    """A todo for every timed call; the artifacts that prove the ones to be completed."""
    artifacts = []
    for part in ("claim", "lease", "complete"):
        for number in range(CALLS):
            todo_id = f"todo_{part}_{number:03d}"
            done(owner.act("todo.add", {"goal_id": GOAL, "todo_id": todo_id, "text": f"{part} {number}"}))
    for number in range(CALLS):
        held: Params = {"goal_id": GOAL, "todo_id": f"todo_complete_{number:03d}"}
        done(agent.act("todo.claim", held))
        evidence = done(agent.act("artifact.submit", {**held, "label": "r", "sha256": "0" * 64, "size_bytes": 1}))
        assert isinstance(evidence.body["result"], dict)
        artifacts.append(str(evidence.body["result"]["artifact_id"]))
    return artifacts


def done(reply: Reply) -> Reply:
    """The reply, which must not be a refusal."""
    if not reply.ok:
        raise RuntimeError(f"refused: {reply.code} {reply.body.get('message')}")
    return reply


def _of(part: str, number: int) -> list[str]:
    return ["--goal-id", GOAL, "--todo-id", f"todo_{part}_{number:03d}"]


def cases_of(artifacts: list[str]) -> tuple[Case, ...]:
    """What is timed."""
    return (
        Case("quota should-run", HOT, lambda _: ["quota", "should-run", "--goal-id", GOAL, "--agent-id", "builder"]),
        Case("todo claim", HOT, lambda n: ["todo", "claim", *_of("claim", n)]),
        Case("todo complete", HOT, lambda n: ["todo", "complete", *_of("complete", n), "--evidence", artifacts[n]]),
        Case("todo list", HOT, lambda _: ["todo", "list", "--goal-id", GOAL, "--json"]),
        Case(
            "task-lease acquire",
            HOT,
            lambda n: ["task-lease", "acquire", *_of("lease", n), "--idempotency-key", f"r{n}"],
        ),
        Case("status", HOT, lambda _: ["status"]),
        Case("goal show", OTHER, lambda _: ["goal", "show", "--goal-id", GOAL]),
        Case("member list", OTHER, lambda _: ["member", "list", "--json"]),
        Case("--help", HELP, lambda _: ["--help"]),
    )


def measure(programs: Path, cases: tuple[Case, ...], environment: dict[str, str]) -> list[Row]:
    """Interleaved rounds over all cases."""
    bare = [str(programs / "python"), "-c", "pass"]
    command = str(programs / "frontstage")
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environment}
    ratios: dict[str, list[float]] = {case.name: [] for case in cases}
    times_ms: dict[str, list[float]] = {case.name: [] for case in cases}
    bare_ms: list[float] = []
    for case in cases:
        _timed_ms([command, *case.argv(CALLS - 1)], environment)
    for round_number in range(ROUNDS):
        for case in cases:
            ours, theirs = [], []
            for pair in range(PAIRS):
                theirs.append(_timed_ms(bare, environment))
                ours.append(_timed_ms([command, *case.argv(round_number * PAIRS + pair)], environment))
            ratios[case.name].append(median(ours) / median(theirs))
            times_ms[case.name].append(median(ours))
            bare_ms.append(median(theirs))
    against = f"{median(bare_ms):.1f} ms for python -c pass; script by pip {_pip(programs)}"
    return [
        Row(
            name=f"cli: {case.name}",
            ratio=median(ratios[case.name]),
            limit=case.limit,
            direction="at most",
            note=f"{median(times_ms[case.name]):.1f} ms a call / {against}",
        )
        for case in cases
    ]


def _timed_ms(argv: list[str], environment: dict[str, str]) -> float:
    """How long one process takes from start to end; it must do what it was asked."""
    started_ns = time.perf_counter_ns()
    process = subprocess.Popen(
        argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, close_fds=False
    )
    _, errors = process.communicate()
    elapsed_ms = (time.perf_counter_ns() - started_ns) / 1_000_000
    if process.returncode:
        raise RuntimeError(f"{argv[1:]} ended with {process.returncode}: {errors.decode()}")
    return elapsed_ms


def _pip(programs: Path) -> str:
    (installed,) = (programs.parent / "lib").glob("python*/site-packages/pip-*.dist-info")
    return installed.name.removeprefix("pip-").removesuffix(".dist-info")
