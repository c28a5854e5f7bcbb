"""The guard of a program: nothing that was started outlives it, and nobody waits for what was left behind."""

import queue
import sys
import time
from pathlib import Path

import pytest

from daemon.agents.worker_process import Running

SECONDS_MAX = 30


@pytest.fixture
def start(tmp_path):
    started = []

    def begin(code, *, argv=None):
        (tmp_path / "packet").write_text("the packet")
        ended = queue.SimpleQueue()
        running = Running(
            argv or [sys.executable, "-c", f"import os, signal, sys, time\n{code}"], cwd=tmp_path,
            variables={"PATH": "/usr/bin:/bin"}, packet=tmp_path / "packet", output=tmp_path / "log", ended=ended.put,
        )  # fmt: skip
        started.append(running)
        return running, ended

    yield begin
    for running in started:
        running.end()
        running.join()


def code_of(ended):
    return ended.get(timeout=SECONDS_MAX)


def appears(path):
    deadline = time.monotonic() + SECONDS_MAX
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return path.read_text()


def is_gone(pid):
    deadline = time.monotonic() + SECONDS_MAX
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.01)
    return True


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("pass", 0),
        ("sys.exit(7)", 7),
        ("os.kill(os.getpid(), 9)", -9),
        ("sys.exit(sys.stdin.read() != 'the packet')", 0),
    ],
    ids=["well", "not well", "signal", "reads the packet"],
)
def test_how_it_ended_is_told(start, code, exit_code):
    assert code_of(start(code)[1]) == exit_code


def test_a_program_that_is_not_there_or_may_not_be_run_is_told_as_a_shell_would(start, tmp_path):
    (tmp_path / "plain").write_text("x")
    assert code_of(start("", argv=["/nowhere/it"])[1]) == 127
    assert code_of(start("", argv=[str(tmp_path / "plain")])[1]) == 126


def test_it_is_asked_to_end_before_it_is_made_to(start, tmp_path):
    code = "signal.signal(15, lambda *_: (open('told', 'w').write('x'), sys.exit(5)))\nopen('up', 'w').write('x')\n"
    running, ended = start(code + "while True: time.sleep(1)")
    appears(tmp_path / "up")
    running.end()
    assert (code_of(ended), (tmp_path / "told").exists()) == (5, True)


def test_one_that_does_not_listen_is_ended_all_the_same(start, tmp_path):
    running, ended = start("signal.signal(15, signal.SIG_IGN)\nopen('up', 'w').write('x')\nwhile True: time.sleep(1)")
    appears(tmp_path / "up")
    running.end()
    assert code_of(ended) == -9


def test_what_it_left_behind_is_not_waited_for_and_ends_with_it(start, tmp_path):
    # A session of its own, deaf to the polite signal, that holds the output open.
    code = "pid = os.fork()\nif pid: open('pid', 'w').write(str(pid)); sys.exit(0)\nos.setsid()\n"
    _, ended = start(code + "signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(1)")
    assert code_of(ended) == 0
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_what_it_printed_last_is_kept(start, tmp_path):
    assert code_of(start("print('x' * 60_000 + 'the end', flush=True)")[1]) == 0
    assert (tmp_path / "log").read_text().endswith("the end\n")


def test_one_that_closes_its_output_goes_on(start):
    assert code_of(start("os.close(1); os.close(2); time.sleep(0.3); os._exit(4)")[1]) == 4


def test_a_guard_that_its_program_has_stopped_is_ended_with_it(start, tmp_path, monkeypatch):
    monkeypatch.setattr("daemon.agents.worker_process.GUARD_S_MAX", 0.5)
    running, ended = start(
        "open('pid', 'w').write(str(os.getpid())); os.kill(os.getppid(), signal.SIGSTOP); time.sleep(100)"
    )
    pid = int(appears(tmp_path / "pid"))
    running.end()
    assert code_of(ended) == -9
    assert is_gone(pid)
