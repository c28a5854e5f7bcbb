"""`frontstage demo`: the whole product on one machine, with nobody's account.

A fresh ledger in a temporary home, the daemon, the bot, the Lark simulator with its chat page, an agent that does real
work on real files, and another that reviews it where a goal asks for an independent review. A person plays the owner in
the browser; with `--script` a separate program does, which knows only what a person sees. At the end the ledger is
verified and every decision's origin is checked.
"""

import json
import os
import secrets
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from daemon.client import Client
from daemon.wire import WireFault

OWNER, OWNER_NAME, CHAT = "ann", "Ann Lee", "Launch room"
AGENT, REVIEWER = "docs-agent", "docs-reviewer"
CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
READY_S_MAX = 30.0
SCRIPT_S_MAX = 240.0
STOP_S_MAX = 10.0
EXIT_INTERRUPTED = 130
EXIT_USAGE = 2


class DemoFailed(Exception):
    """The demo cannot go on; says why."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the demo lives while it runs."""

    home: Path
    docs: Path
    work: Path

    @property
    def socket(self) -> str:
        """The daemon's socket."""
        return str(self.home / "daemon.sock")


class Processes:
    """What the demo started; all of it ends with the demo, the last one first."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._running: list[tuple[str, subprocess.Popen[str]]] = []

    def start(self, name: str, argv: Sequence[str], *, reads_line: bool = False) -> str:
        """Start a process of ours; its own words go to a log in the demo's home."""
        log = (self._place.home / f"{name}.log").open("w", encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, *argv],
            stdout=subprocess.PIPE if reads_line else log,
            stderr=log,
            text=True,
            env=_environment(self._place),
            start_new_session=True,
        )
        self._running.append((name, process))
        if not reads_line or process.stdout is None:
            return ""
        line = process.stdout.readline()
        if not line:
            raise DemoFailed(f"{name} did not start; see {log.name}")
        return line

    def check(self) -> None:
        """Whether all still run. Raises DemoFailed naming the one that does not."""
        for name, process in self._running:
            if process.poll() is not None:
                raise DemoFailed(
                    f"{name} ended with exit code {process.returncode}; see {self._place.home / (name + '.log')}"
                )

    def stop(self) -> None:
        """End everything."""
        for _, process in reversed(self._running):
            process.terminate()
        for _, process in reversed(self._running):
            try:
                process.wait(STOP_S_MAX)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _environment(place: Place) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
    return {**kept, "FRONTSTAGE_HOME": str(place.home)}


def _say(line: str = "") -> None:
    print(line, flush=True)  # noqa: T201  (the command's own output)


def _run_cli(place: Place, *words: str) -> str:
    """The command line, as a person would use it; the daemon knows no other way in."""
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", *words],
        capture_output=True,
        text=True,
        env=_environment(place),
        check=False,
    )
    if done.returncode:
        raise DemoFailed(
            f"frontstage {' '.join(words[:2])} ended with exit code {done.returncode}: {done.stderr.strip()}"
        )
    return done.stdout


def _begin(place: Place, processes: Processes, port: int) -> str:
    """Simulator, ledger, daemon, bot and agent; the chat's address."""
    greeting = json.loads(processes.start("simulator", ["-m", "bot.simulator", "--port", str(port)], reads_line=True))
    _run_cli(place, "init", "--name", "Demo", "--owner", OWNER, "--owner-name", OWNER_NAME)
    _write_private(place.home / "lark.secret", greeting["app_secret"])
    settings = (
        f'[lark]\napp_id = "{greeting["app_id"]}"\napp_secret_file = "lark.secret"\ndomain = "{greeting["base_url"]}"\n'
    )
    _write_private(place.home / "config.toml", settings)
    processes.start("daemon", ["-m", "daemon.start"])
    _wait_ready(place, processes)
    processes.start("bot", ["-m", "bot.app", "--home", str(place.home)])
    _employ(place, processes, AGENT, "executor")
    _employ(place, processes, REVIEWER, "reviewer")
    _wait_connected(greeting["base_url"], processes)
    return str(greeting["base_url"])


def _employ(place: Place, processes: Processes, agent_id: str, role: str) -> None:
    """Register an agent, give it a credential of its own, and start it."""
    secret = "fs_" + secrets.token_urlsafe(32)
    name = agent_id.replace("-", " ").capitalize()
    _operate(place, "member.add", member_id=agent_id, kind="agent", display_name=name, profile_role=role)
    _operate(place, "token.issue", member_id=agent_id, secret_digest=sha256(secret.encode()).hexdigest())
    token = place.home / f"{agent_id}.token"
    _write_private(token, secret)
    program = shlex.join([sys.executable, "-m", "daemon.cli.main"])
    processes.start(
        agent_id,
        ["-m", f"daemon.agents.{agent_id.replace('-', '_')}", "--socket", place.socket, "--token-file", str(token),
         "--agent-id", agent_id, "--docs", str(place.docs), "--out", str(place.work), "--program", program],
    )  # fmt: skip


def _write_private(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _wait_ready(place: Place, processes: Processes) -> None:
    client = Client(place.socket)

    def ready() -> bool:
        try:
            return client.get("/readyz").ok
        except WireFault:
            return False

    _wait_for("the daemon", ready, processes)


def _wait_connected(base_url: str, processes: Processes) -> None:
    def online() -> bool:
        with urllib.request.urlopen(f"{base_url}/chat/api/chats?person={OWNER}", timeout=5) as answer:  # noqa: S310  (loopback)
            return bool(json.load(answer)["online"])

    _wait_for("the bot's connection to the simulator", online, processes)


def _wait_for(what: str, there: Callable[[], bool], processes: Processes) -> None:
    give_up_at = time.monotonic() + READY_S_MAX
    while not there():
        processes.check()
        if time.monotonic() > give_up_at:
            raise DemoFailed(f"{what} was not there after {READY_S_MAX:.0f} s")
        time.sleep(0.1)


def _pairing_code(place: Place) -> str:
    """A code as the operator would hand it to the owner."""
    code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(8))
    _operate(place, "member.pair", member_id=OWNER, code_digest=sha256(code.encode()).hexdigest())
    return f"{code[:4]}-{code[4:]}"


def _operate(place: Place, action: str, **params: str) -> None:
    """What the operator does, who has no credential but the machine: a bare local connection."""
    reply = Client(place.socket, surface="cli").act(action, params)
    if not reply.ok:
        raise DemoFailed(f"{action} was refused: {reply.code}")


def _play(base_url: str, code: str) -> int:
    """The owner, in a process that can import nothing of ours."""
    with resources.as_file(resources.files("bot") / "demo_owner.py") as script:
        return subprocess.run(
            [sys.executable, "-I", str(script), base_url, OWNER, CHAT, code], timeout=SCRIPT_S_MAX, check=False
        ).returncode


def _prove(place: Place) -> None:
    """Verify the chain, then show that every decision of the owner came from the chat with a proof."""
    _say(_run_cli(place, "ledger", "verify").rstrip())
    exported = place.home / "export.jsonl"
    _run_cli(place, "ledger", "export", "--output", str(exported))
    bodies = [body for line in exported.read_text(encoding="utf-8").splitlines() if (body := _body(json.loads(line)))]
    by_owner = [body for body in bodies if body.get("actor") == OWNER]
    elsewhere = [body for body in by_owner if body.get("surface") != "lark" or _proof(body).get("kind") != "lark"]
    if not by_owner or elsewhere:
        raise DemoFailed(f"{len(elsewhere)} of the owner's {len(by_owner)} events did not come from the chat")
    for body in by_owner:
        proof = _proof(body)
        _say(f"  #{body['seq']} {body['kind']}: by {body['actor']}, surface {body['surface']}, proof {proof['kind']}")
    report = place.work / "reports" / "docs-report.json"
    digest = sha256(report.read_bytes()).hexdigest()
    if not any(_facts(body).get("sha256") == digest for body in bodies if body["kind"] == "artifact.submitted"):
        raise DemoFailed("the report on disk is not the one in the ledger")
    _say(f"  the report on disk has the digest in the ledger: {digest[:12]}…")
    last = bodies[-1]
    if last["kind"] != "goal.accepted":
        raise DemoFailed(f"the last event is {last['kind']}, not goal.accepted")


def _body(line: dict[str, object]) -> dict[str, object]:
    body = line.get("body")
    if isinstance(body, str):
        body = json.loads(body)
    return body if isinstance(body, dict) and "kind" in body else {}


def _proof(body: dict[str, object]) -> dict[str, object]:
    proof = body.get("proof")
    return proof if isinstance(proof, dict) else {}


def _facts(body: dict[str, object]) -> dict[str, object]:
    facts = body.get("facts")
    return facts if isinstance(facts, dict) else {}


def _sample_docs(target: Path) -> Path:
    with resources.as_file(resources.files("daemon.agents") / "sample_docs") as folder:
        shutil.copytree(folder, target)
    return target


def _callbacks_off(base_url: str) -> None:
    request = urllib.request.Request(  # noqa: S310  (loopback)
        f"{base_url}/_control/callbacks", data=b'{"on": false}', headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310  (loopback)
        answer.read()


def _linger(base_url: str, code: str, processes: Processes) -> bool:
    """Wait for the person at the terminal; True if a program is to play the owner now."""
    _say(f"\n  Open {base_url}/ and be {OWNER_NAME}. Then:")
    _say(f"   1. in the direct chat with the bot, send the pairing code   {code}")
    _say(f"   2. in “{CHAT}”, write to the bot (@):                       propose")
    _say("   3. fill in the form (May write: reports/**), submit, read the review card, confirm")
    _say("   4. the agent checks the docs and delivers; read the acceptance card and accept")
    _say("\n  Or press Enter here and watch a program do it. Ctrl-C ends the demo and verifies the ledger.\n")
    while True:
        readable, _, _ = select.select([sys.stdin], [], [], 0.5)
        if readable:
            return bool(sys.stdin.readline())
        processes.check()


def _rest(processes: Processes) -> None:
    _say("\nLook around in the chat; Ctrl-C ends the demo.")
    resting = threading.Event()
    while not resting.wait(0.5):
        processes.check()


def _plays_itself() -> bool:
    """Where nobody can press a key or open a page, a program plays the owner."""
    return not sys.stdin.isatty()


class Options(Protocol):
    """The flags of every command, of which the demo takes one."""

    home: str | None


class Asked(Protocol):
    """The command line as it was read: what the demo takes is listed where all commands are."""

    options: Options
    values: Mapping[str, object]


def _run(asked: Asked, root: Path) -> int:
    given = asked.values
    home = _chosen_home(asked) or root / "home"
    docs = Path(str(given["docs"])).resolve() if "docs" in given else _sample_docs(root / "docs")
    place = Place(home=home, docs=docs, work=root / "work")
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as stack:
        processes = Processes(place)
        stack.callback(processes.stop)
        _say("Frontstage demo: a fresh ledger, a simulated Lark, two agents, nobody's account.")
        base_url = _begin(place, processes, int(str(given.get("port", 0))))
        code = _pairing_code(place)
        if given.get("without_callbacks"):
            _callbacks_off(base_url)
        if not given.get("script") and not _plays_itself():
            try:
                if _linger(base_url, code, processes):
                    _play(base_url, code)
                    _rest(processes)
            except KeyboardInterrupt:
                _say()
            _say(_run_cli(place, "ledger", "verify").rstrip())
            return 0
        _say(f"The chat is at {base_url}/ and the owner is a program that sees what a person sees.\n")
        outcome = _play(base_url, code)
        if outcome:
            raise DemoFailed("the owner could not get from proposal to acceptance")
        _say()
        _prove(place)
    _say("\nOne goal, from proposal to acceptance: done.")
    return 0


def _chosen_home(asked: Asked) -> Path | None:
    return Path(asked.options.home).expanduser().resolve() if asked.options.home else None


def main(asked: Asked) -> int:
    """Run the demo; the exit code is 0 only when all of it held."""
    if missing := [name for name in ("lark_oapi", "httpx", "aiolimiter") if find_spec(name) is None]:
        _say(f"The demo needs {', '.join(missing)}: install Frontstage with its extra `lark`.")
        return EXIT_USAGE
    home = _chosen_home(asked)
    if home is not None and home.exists() and (not home.is_dir() or any(home.iterdir())):
        _say(f"The demo begins with an empty folder, and {home} is not one: name another with --home, or none.")
        return EXIT_USAGE
    for name in (signal.SIGTERM, signal.SIGHUP):
        # A terminal that is closed ends the demo like Ctrl-C: nothing of it goes on alone.
        signal.signal(name, signal.default_int_handler)
    # A short path: a Unix socket's has room for about a hundred bytes.
    root = Path(tempfile.mkdtemp(prefix="fs-", dir="/tmp" if Path("/tmp").is_dir() else None))  # noqa: S108  (mkdtemp makes it private)
    try:
        return _run(asked, root)
    except KeyboardInterrupt:
        _say("\nThe demo was ended before its end.")
        return EXIT_INTERRUPTED
    except (DemoFailed, subprocess.TimeoutExpired, OSError) as problem:
        _say(f"\nThe demo failed: {problem}")
        _show_logs(root / "home")
        return 1
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _show_logs(home: Path) -> None:
    for log in sorted(home.glob("*.log")):
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        if tail:
            _say(f"--- {log.name}")
            _say("\n".join(tail))
