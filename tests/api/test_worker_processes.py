"""Workers as processes at a daemon of its own: killed, stopped, woken up too late, told to end, and told apart."""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.daemons import DaemonProcess, daemon_on_fresh_home
from tests.support.worker import GOOD, PRELUDE
from tests.support.worker_place import seed

pytestmark = pytest.mark.slow
SECONDS_MAX = 60
RUN = "import sys; from daemon.cli.main import main; sys.exit(main())"
WAIT = """
child = os.fork()
if not child:
    os.setsid()
    (HERE / "pids").write_text(f"{os.getppid()} {os.getpid()}")
    while True: time.sleep(1)
while not (HERE / "go").exists(): time.sleep(0.01)
"""


class Floor:
    """A daemon, and workers started beside it."""

    def __init__(self, daemon, folder):
        self.daemon = daemon
        self.folder = folder
        self.started = []
        self.programs = 0

    def program(self, text):
        self.programs += 1
        path = self.folder / f"program-{self.programs}.py"
        path.write_text(f"{PRELUDE}HERE = pathlib.Path({str(self.folder)!r})\n{text}\n", encoding="utf-8")
        return f"{sys.executable} {path}"

    def start(self, text, *words, who="builder", verb="run"):
        given = ("--exec", self.program(text), "--goal-id", "docs") if verb == "run" else ()
        if verb == "run" and "--lease-seconds" not in words:
            words = (*words, "--lease-seconds", "3")
        words = ("worker", verb, "--agent", who, *given, "--home", self.daemon.made.home.path, *words)
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
            env={**os.environ, "FRONTSTAGE_TOKEN": self.daemon.made.tokens[who]}, text=True,
        )  # fmt: skip
        self.started.append(process)
        return process

    def end(self, process):
        out, said = process.communicate(timeout=SECONDS_MAX)
        return process.returncode, [json.loads(line) for line in out.splitlines() if line.startswith("{")], said

    def once(self, text=GOOD, **named):
        return self.end(self.start(text, "--once", "--json", **named))

    def pids(self):
        wait(lambda: len(self.read("pids").split()) == 2)
        return [int(one) for one in self.read("pids").split()]

    def read(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def todo(self):
        return self.daemon.client().read("todo.list", {"goal_id": "docs"}).body["todos"][0]

    def artifacts(self):
        return self.daemon.client().read("artifact.list", {"goal_id": "docs"}).body["artifacts"]

    def lease(self):
        return self.daemon.client().read("task-lease.inspect", {"goal_id": "docs", "todo_id": "todo_links"}).body


def wait(holds):
    deadline = time.monotonic() + SECONDS_MAX
    while not holds():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.01)


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.fixture
def floor(tmp_path):
    with daemon_on_fresh_home(seed()) as daemon:
        made = Floor(daemon, tmp_path)
        try:
            yield made
        finally:
            for process in made.started:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                process.communicate(timeout=SECONDS_MAX)


def test_a_worker_that_is_killed_leaves_no_process_and_its_work_to_be_done(floor):
    worker = floor.start(WAIT + GOOD)
    pids = floor.pids()
    worker.kill()
    wait(lambda: all(map(gone, pids)))
    assert floor.lease()["effective"]
    # The next worker of this agent need not wait for the lease: it knows what it left.
    code, turns, said = floor.once()
    assert [turn["close"] for turn in turns] == ["failed", "done"]
    assert (code, turns[0]["problem"]) == (0, "worker_ended")
    assert "takes up" in said
    assert floor.todo()["status"] == "done"


def test_without_it_another_agent_goes_on_when_the_lease_has_run_out(floor):
    worker = floor.start(WAIT + GOOD)
    floor.pids()
    worker.kill()
    wait(lambda: not floor.lease()["effective"])
    wait(lambda: floor.once(who="helper")[1] != [])
    assert (floor.todo()["status"], floor.todo()["completed_by"]) == ("done", "helper")


def test_one_that_slept_past_its_lease_writes_nothing_and_says_so(floor):
    worker = floor.start(WAIT + GOOD, "--once", "--json")
    pids = floor.pids()
    worker.send_signal(signal.SIGSTOP)
    wait(lambda: not floor.lease()["effective"])
    wait(lambda: floor.once(who="helper")[1] != [])
    assert floor.todo()["completed_by"] == "helper"
    seq = floor.daemon.client().read("goal.list").seq
    (floor.folder / "go").touch()
    worker.send_signal(signal.SIGCONT)
    code, (turn,), said = floor.end(worker)
    assert (code, turn["close"]) == (1, "fenced")
    assert "fenced" in said
    wait(lambda: all(map(gone, pids)))
    assert [one["submitted_by"] for one in floor.artifacts()] == ["helper"]
    assert floor.daemon.client().read("goal.list").seq == seq


@pytest.mark.parametrize(("times", "close", "problem"), [(1, "done", ""), (2, "failed", "interrupted")])
def test_told_once_it_finishes_and_told_twice_it_gives_the_work_back(floor, times, close, problem):
    worker = floor.start(WAIT + GOOD, "--json")
    pids = floor.pids()
    for _ in range(times):
        worker.send_signal(signal.SIGTERM)
        time.sleep(0.3)
    if times == 1:
        (floor.folder / "go").touch()
    code, (turn,), said = floor.end(worker)
    assert (code, turn["close"], turn["problem"]) == (0, close, problem)
    assert "nothing new is begun" in said
    wait(lambda: all(map(gone, pids)))
    assert floor.lease()["status"] == "released"


def test_a_guard_that_is_killed_takes_the_program_with_it(floor):
    worker = floor.start(WAIT + GOOD, "--once", "--json")
    pids = floor.pids()
    guard = int(Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(guard, signal.SIGKILL)
    code, (turn,), _ = floor.end(worker)
    assert (code, turn["problem"]) == (1, "program_failed")
    wait(lambda: gone(pids[0]))
    # What the program let go of has nobody left that would end it.
    os.kill(pids[1], signal.SIGKILL)


def test_a_daemon_that_is_killed_and_started_again_in_the_middle_costs_nothing(floor):
    worker = floor.start(WAIT + GOOD, "--once", "--json", "--lease-seconds", "60")
    floor.pids()
    floor.daemon.kill()
    (floor.folder / "go").touch()
    with DaemonProcess(floor.daemon.made) as again:
        code, (turn,), _ = floor.end(worker)
        assert (code, turn["close"]) == (0, "done")
        assert len(again.client().read("artifact.list", {"goal_id": "docs"}).body["artifacts"]) == 1


def test_a_second_worker_is_told_and_the_status_says_all_of_it(floor):
    floor.start(WAIT + GOOD)
    floor.pids()
    code, (refusal,), _ = floor.once()
    assert (code, refusal["code"]) == (1, "worker_taken")
    code, (status,), _ = floor.end(floor.start("", "--json", verb="status"))
    assert (code, status["presence"], status["running"]) == (0, "executing", True)
    assert status["ladder"] == {
        "registered": True, "addressable": True, "bound": True, "launchable": True, "executing": True, "blocked": False,
    }  # fmt: skip
    assert (status["worker"]["turn"]["subject"], status["worker"]["turn"]["phase"]) == ("todo_links", "running")


def test_what_is_printed_goes_into_a_private_file_of_a_bounded_size(floor):
    code, (turn,), said = floor.once("for _ in range(600): print('secret ' * 2000)\n" + GOOD)
    assert (code, "secret" in said) == (0, False)
    log = floor.daemon.made.path / "workers" / "builder" / "logs" / f"{turn['turn_id']}.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert 4_000_000 < log.stat().st_size < 4_200_000
    assert b"was not kept" in log.read_bytes()[-60:]
    for path in (floor.daemon.made.path / "workers").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_words_that_are_a_secret_reach_nobody(floor):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    code, (turn,), said = floor.once(f'end("done", summary="The token is {secret}", artifacts=[hand("a", "b")])')
    assert (code, turn["close"]) == (1, "failed")
    assert secret not in said + json.dumps(floor.daemon.client().read("run.list", {"goal_id": "docs"}).body)
    assert floor.todo()["status"] == "open"
