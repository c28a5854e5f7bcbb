"""The commands of a binding, run as they are written: its hooks, and the runtime's own program with a bounded prompt.

Each runs for a bounded time in a group of processes of its own, so that what it started ends with it; what the runtime
prints goes into a private file that nobody but its user can read, and no word of it reaches the ledger.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from daemon.agents.hook import CHALLENGE_VARIABLE, UNKNOWN
from daemon.agents.qualify_facts import Not

HOOK_SECONDS_MAX: Final = 10
OUTPUT_BYTES_MAX: Final = 65_536
_UNKNOWN: Final = UNKNOWN.partition("(")[0]
PROMPT: Final = (
    "This is a test of your connection to Frontstage. Call the tool `act` of the MCP server `frontstage` exactly once, "
    "with these arguments: {arguments} Then stop. Do nothing else, and read or change no file."
)
OWN_PROGRAM: Final = {"claude-code": "claude", "codex": "codex"}
_HOOKS: Final = {
    "turn-start": ("hook_turn_start", "SessionStart"),
    "tool-use": ("hook_tool_use", "PostToolUse"),
    "turn-end": ("hook_turn_end", "Stop"),
}


@dataclass(frozen=True)
class Program:
    """What is run for a turn of the runtime."""

    argv: tuple[str, ...]
    cwd: Path
    variables: dict[str, str]


def require_hook(words: Sequence[str], event: str, cwd: Path, challenge: str) -> None:
    """Run one hook as a rehearsal, so that nothing is renewed or reported; its challenge is in its environment alone.

    That it ended well is not enough: whether it wrote its challenge back is for the caller to look up. Raises Not.
    """
    fact, name = _HOOKS[event]
    heard = json.dumps({"hook_event_name": name, "session_id": "qualify", "source": "startup"})
    try:
        ended = subprocess.run(
            [*words, "--rehearse"], input=heard, capture_output=True, text=True, timeout=HOOK_SECONDS_MAX, cwd=cwd,
            env=own_environment({CHALLENGE_VARIABLE: challenge}), check=False, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise Not(fact, f"it does not start: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise Not(fact, f"it did not end within {HOOK_SECONDS_MAX} seconds") from error
    if ended.returncode != 0:
        raise Not(fact, f"it ended with {ended.returncode}")
    if ended.stderr.strip():
        raise Not(fact, "it could not ask: " + ended.stderr.strip().splitlines()[0][:200])
    if event == "turn-start" and (not ended.stdout.strip() or _UNKNOWN in ended.stdout):
        raise Not(fact, "it tells the agent nothing")


def own_environment(more: Mapping[str, str]) -> dict[str, str]:
    """This environment without anybody's credential of Frontstage, and what is told besides."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE")}
    return {**kept, **more}


def runs_it(given: Sequence[str], runtime: str) -> bool:
    """Whether this command runs that runtime: one that has a program of its own is proven by that program alone."""
    own = OWN_PROGRAM.get(runtime)
    return own is None or Path(given[0]).name == own


def program_of(
    record: Mapping[str, object], given: Sequence[str] | None, goal_id: str | None, challenge: str, scratch: Path
) -> Program | None:
    """What runs a turn of this binding, or None where its runtime has no program here."""
    server = cast("dict[str, object]", record.get("mcp") or {})
    env = {str(name): str(value) for name, value in cast("dict[str, str]", server.get("env") or {}).items()}
    where = record.get("directory")
    cwd = scratch if where is None else Path(str(where))
    if given is not None:
        more = {**env, CHALLENGE_VARIABLE: challenge}
        more |= {} if goal_id is None else {"FRONTSTAGE_GOAL_ID": goal_id}
        return Program(tuple(given), cwd, own_environment(more))
    params = {"challenge": challenge} | ({} if goal_id is None else {"goal_id": goal_id})
    prompt = PROMPT.format(arguments=json.dumps({"action": "agent.probe", "params": params}))
    argv: tuple[str, ...]
    match record.get("runtime"):
        case "claude-code" if (found := shutil.which("claude")) is not None:
            config = scratch / "mcp.json"
            config.write_text(json.dumps({"mcpServers": {"frontstage": {"type": "stdio", **server}}}), encoding="utf-8")
            bounds = ("--allowedTools", "mcp__frontstage__act", "--max-turns", "4")
            argv = (found, "-p", prompt, "--mcp-config", str(config), "--strict-mcp-config", *bounds)
        case "codex" if (found := shutil.which("codex")) is not None:
            named = ("command", "args")
            settings = [f"mcp_servers.frontstage.{name}={json.dumps(server[name])}" for name in named]
            # Of what a person passes on only the names are said: everybody on the machine can read a command line.
            passed = {name: value for name, value in env.items() if not name.startswith("FRONTSTAGE_")}
            ours = {name: value for name, value in env.items() if name not in passed}
            inline = ", ".join(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in ours.items())
            settings.append("mcp_servers.frontstage.env={ " + inline + " }")
            settings.append(f"mcp_servers.frontstage.env_vars={json.dumps(sorted(passed))}")
            flags = [word for setting in settings for word in ("-c", setting)]
            argv = (found, "exec", "--skip-git-repo-check", *flags, prompt)
            return Program(argv, cwd, own_environment(passed))
        case _:
            return None
    return Program(argv, cwd, own_environment({}))


def run_turn(program: Program, output: Path, seconds: int) -> str:
    """Run it to its end or the time-out; how it ended, in words, and what it printed in the private file."""
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(
            program.argv, cwd=program.cwd, env=program.variables, stdin=subprocess.DEVNULL, stdout=descriptor,
            stderr=descriptor, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return f"{program.argv[0]} does not start: {error.strerror}"
    finally:
        os.close(descriptor)
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"it did not end within {seconds} seconds"
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return f"it ended with {code}"
