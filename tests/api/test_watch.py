"""`frontstage status --watch` on a terminal of its own: live, patient, and gone without a trace."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager

import pytest

from daemon.cli.spawn import module_argv, module_environment
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import activate

WAIT_S_MAX = 60
CONTROLS = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
OWN_TERMINAL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""How a script starts a program: with Ctrl-C ignored, as what runs beside a shell without jobs inherits it."""
INTO, BACK = b"\x1b[?1049h", b"\x1b[?1049l"


@pytest.fixture(scope="module")
def home():
    with fresh_home(activate) as made:
        yield made


class Terminal:
    """A program on a terminal: what it drew, and its keys."""

    def __init__(self, descriptor, process):
        self.descriptor = descriptor
        self.process = process
        self.drawn = b""

    def until(self, text, after=0):
        """Read until a text is drawn; where it ends."""
        give_up_at_s = time.monotonic() + WAIT_S_MAX
        while text.encode() not in CONTROLS.sub(b"", self.drawn[after:]):
            assert time.monotonic() < give_up_at_s, self.drawn[-2_000:]
            if select.select([self.descriptor], [], [], 1)[0]:
                self.drawn += os.read(self.descriptor, 65_536)
        return len(self.drawn)

    def resize(self, columns, rows):
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def ended(self):
        """Its exit code; what it drew last is read."""
        code = self.process.wait(WAIT_S_MAX)
        while select.select([self.descriptor], [], [], 0.2)[0]:
            try:
                self.drawn += os.read(self.descriptor, 65_536)
            except OSError:
                break
        return code


@contextmanager
def watched(home, **variables):
    ours, theirs = pty.openpty()
    env = module_environment() | {
        "TERM": "xterm-256color", "FRONTSTAGE_HOME": home.home.path, "FRONTSTAGE_TOKEN": home.tokens["ann"],
        "FRONTSTAGE_LOCALE": "en", **variables,
    }  # fmt: skip
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
        if name not in variables:
            env.pop(name, None)
    terminal = Terminal(ours, None)
    terminal.resize(60, 24)
    terminal.process = subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, *module_argv("daemon.cli.main"), "status", "--watch"],
        stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True, cwd="/",
    )  # fmt: skip
    os.close(theirs)
    try:
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait()
        os.close(ours)


def test_it_follows_says_when_the_daemon_is_away_and_leaves_the_terminal_as_it_was(home):
    with DaemonProcess(home) as daemon, watched(home) as terminal:
        terminal.until("Every page of the docs can be followed")
        assert INTO in terminal.drawn
        seen = terminal.until("follows the ledger")
        words = {"goal_id": "new", "objective": "Appears by itself", "criterion": ["It is seen"]}
        assert daemon.client().act("goal.propose", words).ok
        seen = terminal.until("Appears by itself", seen)
        terminal.resize(130, 30)
        seen = terminal.until("Waits for someone", seen)
        daemon.stop()
        seen = terminal.until("The daemon does not answer", seen)
        with DaemonProcess(home):
            terminal.until("follows the ledger", seen)
            os.write(terminal.descriptor, b"\x03")
            assert terminal.ended() == 130
        assert BACK in terminal.drawn
        assert b"Traceback" not in terminal.drawn
        assert b"\x1b[?25h" in terminal.drawn.rpartition(BACK)[0][-200:] + terminal.drawn[-200:]


def test_without_colours_or_without_a_terminal_nothing_is_coloured(home):
    with DaemonProcess(home):
        with watched(home, NO_COLOR="1") as terminal:
            terminal.until("follows the ledger")
            terminal.process.terminate()
            assert terminal.ended() == 130
            assert re.findall(rb"\x1b\[[0-9;]*3[0-7]m", terminal.drawn) == []
            assert BACK in terminal.drawn
        env = module_environment() | {"FRONTSTAGE_HOME": home.home.path, "FRONTSTAGE_LOCALE": "en"}
        env |= {"FRONTSTAGE_TOKEN": home.tokens["ann"], "COLUMNS": "70"}
        words = [*module_argv("daemon.cli.main"), "status", "--watch"]
        ran = subprocess.run(words, env=env, capture_output=True, check=True, timeout=WAIT_S_MAX, cwd="/")
        assert b"\x1b" not in ran.stdout
        assert b"Every page of the docs" in ran.stdout
        assert b"printed once" in ran.stderr
    ran = subprocess.run(words, env=env, capture_output=True, check=False, timeout=WAIT_S_MAX, cwd="/")
    assert ran.returncode == 7
    assert b"frontstage up" in ran.stderr
