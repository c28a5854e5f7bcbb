"""`frontstage demo`: the whole product on one machine, with nobody's account.

A fresh ledger in a temporary home, the daemon, the bot, the Lark simulator with its chat page, an agent that does real
work on real files, and another that reviews it where a goal asks for an independent review. A person plays the owner in
the browser; with `--script` a separate program does, which knows only what a person sees. At the end the ledger is
verified and every decision's origin is checked.
"""

import json
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from bot.journey import command as journeys
from bot.stage import (
    CHAT,
    OWNER,
    OWNER_NAME,
    DemoFailed,
    Place,
    Processes,
    begin,
    enrol,
    pairing_code,
    run_cli,
    say,
    show_logs,
    wait_connected,
)

AGENT, REVIEWER = "docs-agent", "docs-reviewer"
SCRIPT_S_MAX = 240.0
EXIT_INTERRUPTED = 130
EXIT_USAGE = 2


def _employ(place: Place, processes: Processes, docs: Path, agent_id: str, role: str) -> None:
    """Register an agent, give it a credential of its own, and start it."""
    token = enrol(place, agent_id, role)
    program = shlex.join([sys.executable, "-m", "daemon.cli.main"])
    processes.start(
        agent_id,
        ["-m", f"daemon.agents.{agent_id.replace('-', '_')}", "--socket", place.socket, "--token-file", str(token),
         "--agent-id", agent_id, "--docs", str(docs), "--out", str(place.work), "--program", program],
    )  # fmt: skip


def _play(base_url: str, code: str) -> int:
    """The owner, in a process that can import nothing of ours."""
    with resources.as_file(resources.files("bot") / "demo_owner.py") as script:
        return subprocess.run(
            [sys.executable, "-I", str(script), base_url, OWNER, CHAT, code], timeout=SCRIPT_S_MAX, check=False
        ).returncode


def _prove(place: Place) -> None:
    """Verify the chain, then show that every decision of the owner came from the chat with a proof."""
    say(run_cli(place, "ledger", "verify").rstrip())
    exported = place.home / "export.jsonl"
    run_cli(place, "ledger", "export", "--output", str(exported))
    bodies = [body for line in exported.read_text(encoding="utf-8").splitlines() if (body := _body(json.loads(line)))]
    by_owner = [body for body in bodies if body.get("actor") == OWNER]
    elsewhere = [body for body in by_owner if body.get("surface") != "lark" or _proof(body).get("kind") != "lark"]
    if not by_owner or elsewhere:
        raise DemoFailed(f"{len(elsewhere)} of the owner's {len(by_owner)} events did not come from the chat")
    for body in by_owner:
        proof = _proof(body)
        say(f"  #{body['seq']} {body['kind']}: by {body['actor']}, surface {body['surface']}, proof {proof['kind']}")
    report = place.work / "reports" / "docs-report.json"
    digest = sha256(report.read_bytes()).hexdigest()
    if not any(_facts(body).get("sha256") == digest for body in bodies if body["kind"] == "artifact.submitted"):
        raise DemoFailed("the report on disk is not the one in the ledger")
    say(f"  the report on disk has the digest in the ledger: {digest[:12]}…")
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
    say(f"\n  Open {base_url}/ and be {OWNER_NAME}. Then:")
    say(f"   1. in the direct chat with the bot, send the pairing code   {code}")
    say(f"   2. in “{CHAT}”, write to the bot (@):                       propose")
    say("   3. fill in the form (May write: reports/**), submit, read the review card, confirm")
    say("   4. the agent checks the docs and delivers; read the acceptance card and accept")
    say("\n  Or press Enter here and watch a program do it. Ctrl-C ends the demo and verifies the ledger.\n")
    while True:
        readable, _, _ = select.select([sys.stdin], [], [], 0.5)
        if readable:
            return bool(sys.stdin.readline())
        processes.check()


def _rest(processes: Processes) -> None:
    say("\nLook around in the chat; Ctrl-C ends the demo.")
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
    verb_name: str
    """The journey, or nothing."""


def _run(asked: Asked, root: Path) -> int:
    given = asked.values
    home = _chosen_home(asked) or root / "home"
    docs = Path(str(given["docs"])).resolve() if "docs" in given else _sample_docs(root / "docs")
    place = Place(home=home, work=root / "work")
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as stack:
        processes = Processes(place)
        stack.callback(processes.stop)
        say("Frontstage demo: a fresh ledger, a simulated Lark, two agents, nobody's account.")
        base_url = begin(place, processes, int(str(given.get("port", 0))))
        _employ(place, processes, docs, AGENT, "executor")
        _employ(place, processes, docs, REVIEWER, "reviewer")
        wait_connected(base_url, processes)
        code = pairing_code(place)
        if given.get("without_callbacks"):
            _callbacks_off(base_url)
        if not given.get("script") and not _plays_itself():
            try:
                if _linger(base_url, code, processes):
                    _play(base_url, code)
                    _rest(processes)
            except KeyboardInterrupt:
                say()
            say(run_cli(place, "ledger", "verify").rstrip())
            return 0
        say(f"The chat is at {base_url}/ and the owner is a program that sees what a person sees.\n")
        outcome = _play(base_url, code)
        if outcome:
            raise DemoFailed("the owner could not get from proposal to acceptance")
        say()
        _prove(place)
    say("\nOne goal, from proposal to acceptance: done.")
    return 0


def _chosen_home(asked: Asked) -> Path | None:
    return Path(asked.options.home).expanduser().resolve() if asked.options.home else None


def main(asked: Asked) -> int:
    """Run the demo; the exit code is 0 only when all of it held."""
    if missing := [name for name in ("lark_oapi", "httpx", "aiolimiter") if find_spec(name) is None]:
        say(f"The demo needs {', '.join(missing)}: install Frontstage with its extra `lark`.")
        return EXIT_USAGE
    home = _chosen_home(asked)
    if home is not None and home.exists() and (not home.is_dir() or any(home.iterdir())):
        say(f"The demo begins with an empty folder, and {home} is not one: name another with --home, or none.")
        return EXIT_USAGE
    for name in (signal.SIGTERM, signal.SIGHUP):
        # A terminal that is closed ends the demo like Ctrl-C: nothing of it goes on alone.
        signal.signal(name, signal.default_int_handler)
    # A short path: a Unix socket's has room for about a hundred bytes.
    root = Path(tempfile.mkdtemp(prefix="fs-", dir="/tmp" if Path("/tmp").is_dir() else None))  # noqa: S108  (mkdtemp makes it private)
    try:
        if asked.verb_name:
            return journeys.run(asked.verb_name, asked.values, home, root)
        return _run(asked, root)
    except KeyboardInterrupt:
        say("\nThe demo was ended before its end.")
        return EXIT_INTERRUPTED
    except (DemoFailed, subprocess.TimeoutExpired, OSError) as problem:
        say(f"\nThe demo failed: {problem}")
        show_logs(root / "home")
        return 1
    finally:
        shutil.rmtree(root, ignore_errors=True)
