"""The stage of every demo: a fresh ledger in a temporary home, the daemon, the bot and the simulated Lark.

Whoever plays on it, agents or a whole team, is told to it; what was started ends with it, the last one first.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from daemon.client import Client
from daemon.wire import WireFault

OWNER, OWNER_NAME, CHAT = "ann", "Ann Lee", "Launch room"
CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
READY_S_MAX = 30.0
STOP_S_MAX = 10.0


class DemoFailed(Exception):
    """The demo cannot go on; says why."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the demo lives while it runs."""

    home: Path
    work: Path

    @property
    def socket(self) -> str:
        """The daemon's socket."""
        return str(self.home / "daemon.sock")


class Processes:
    """What the demo started; all of it ends with the demo, the last one first. A name is one process at a time."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._running: dict[str, subprocess.Popen[str]] = {}

    def start(
        self, name: str, argv: Sequence[str], *, reads_line: bool = False, variables: Mapping[str, str] | None = None
    ) -> str:
        """Start a process of ours; its own words go to a log in the demo's home."""
        log = (self._place.home / f"{name}.log").open("a", encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, *argv],
            stdout=subprocess.PIPE if reads_line else log,
            stderr=log,
            text=True,
            env={**environment(self._place), **(variables or {})},
            start_new_session=True,
        )
        self._running[name] = process
        if not reads_line or process.stdout is None:
            return ""
        line = process.stdout.readline()
        if not line:
            raise DemoFailed(f"{name} did not start; see {log.name}")
        return line

    def signal(self, name: str, number: signal.Signals) -> int:
        """Send a signal to the process of that name alone, not to what it started; its process id."""
        process = self._running[name]
        process.send_signal(number)
        return process.pid

    def runs(self, name: str) -> bool:
        """Whether there is a process of that name."""
        return name in self._running

    def give_up(self, name: str) -> subprocess.Popen[str]:
        """Watch over it no longer: it is another's to end, or has been ended."""
        return self._running.pop(name)

    def check(self) -> None:
        """Whether all still run. Raises DemoFailed naming the one that does not."""
        for name, process in self._running.items():
            if process.poll() is not None:
                raise DemoFailed(
                    f"{name} ended with exit code {process.returncode}; see {self._place.home / (name + '.log')}"
                )

    def stop(self) -> None:
        """End everything."""
        begun_last = list(reversed(self._running.values()))
        for process in begun_last:
            process.terminate()
            # One that was stopped hears nothing before it goes on.
            process.send_signal(signal.SIGCONT)
        for process in begun_last:
            try:
                process.wait(STOP_S_MAX)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def environment(place: Place) -> dict[str, str]:
    """What a process of the demo inherits: nothing that points it at another ledger."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
    return {**kept, "FRONTSTAGE_HOME": str(place.home)}


def say(line: str = "") -> None:
    """Tell whoever watches the terminal."""
    print(line, flush=True)  # noqa: T201  (the command's own output)


def run_cli(place: Place, *words: str) -> str:
    """The command line, as a person would use it; the daemon knows no other way in."""
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", *words],
        capture_output=True,
        text=True,
        env=environment(place),
        check=False,
    )
    if done.returncode:
        raise DemoFailed(
            f"frontstage {' '.join(words[:2])} ended with exit code {done.returncode}: {done.stderr.strip()}"
        )
    return done.stdout


def write_private(path: Path, text: str) -> None:
    """Write a file that nobody else may read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def wait_ready(place: Place, processes: Processes) -> None:
    """Until the daemon answers. Raises DemoFailed."""
    client = Client(place.socket)

    def ready() -> bool:
        try:
            return client.get("/readyz").ok
        except WireFault:
            return False

    wait_for("the daemon", ready, processes)


def wait_connected(base_url: str, processes: Processes) -> None:
    """Until the bot hears the simulator. Raises DemoFailed."""

    def online() -> bool:
        with urllib.request.urlopen(f"{base_url}/chat/api/chats?person={OWNER}", timeout=5) as answer:  # noqa: S310  (loopback)
            return bool(json.load(answer)["online"])

    wait_for("the bot's connection to the simulator", online, processes)


def wait_for(what: str, there: Callable[[], bool], processes: Processes) -> None:
    """Look again and again, as long as all runs that must. Raises DemoFailed."""
    give_up_at = time.monotonic() + READY_S_MAX
    while not there():
        processes.check()
        if time.monotonic() > give_up_at:
            raise DemoFailed(f"{what} was not there after {READY_S_MAX:.0f} s")
        time.sleep(0.1)


def pairing_code(place: Place) -> str:
    """A code as the operator would hand it to the owner."""
    code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(8))
    operate(place, "member.pair", member_id=OWNER, code_digest=sha256(code.encode()).hexdigest())
    return f"{code[:4]}-{code[4:]}"


def operate(place: Place, action: str, **params: str | Sequence[str]) -> None:
    """What the operator does, who has no credential but the machine: a bare local connection."""
    reply = Client(place.socket, surface="cli").act(action, params)
    if not reply.ok:
        raise DemoFailed(f"{action} was refused: {reply.code}")


def begin(place: Place, processes: Processes, port: int) -> str:
    """Simulator, ledger, daemon and bot; the chat's address once all of them run, but for the bot's connection."""
    greeting = json.loads(processes.start("simulator", ["-m", "bot.simulator", "--port", str(port)], reads_line=True))
    run_cli(place, "init", "--name", "Demo", "--owner", OWNER, "--owner-name", OWNER_NAME)
    write_private(place.home / "lark.secret", greeting["app_secret"])
    settings = (
        f'[lark]\napp_id = "{greeting["app_id"]}"\napp_secret_file = "lark.secret"\ndomain = "{greeting["base_url"]}"\n'
    )
    write_private(place.home / "config.toml", settings)
    processes.start("daemon", ["-m", "daemon.start"])
    wait_ready(place, processes)
    processes.start("bot", ["-m", "bot.app", "--home", str(place.home)])
    return str(greeting["base_url"])


def enrol(place: Place, agent_id: str, role: str, **more: str | Sequence[str]) -> Path:
    """Register an agent and give it a credential of its own; the file that holds it."""
    secret = "fs_" + secrets.token_urlsafe(32)
    name = agent_id.replace("-", " ").capitalize()
    operate(place, "member.add", member_id=agent_id, kind="agent", display_name=name, profile_role=role, **more)
    operate(place, "token.issue", member_id=agent_id, secret_digest=sha256(secret.encode()).hexdigest())
    token = place.home / f"{agent_id}.token"
    write_private(token, secret)
    return token


def show_logs(home: Path) -> None:
    """The last words of each process, for whoever looks for what went wrong."""
    for log in sorted(home.glob("*.log")):
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        if tail:
            say(f"--- {log.name}")
            say("\n".join(tail))
