"""`frontstage agent qualify`: a bounded real turn through an agent's binding, and a record of what it proved.

What is configured is run as it is written, and nothing is believed of it: the tools' program is spoken to as a runtime
would, each hook runs once, and whoever is said to write must write a challenge that was drawn here a moment ago, by the
binding's own credential. The runtime's own program runs last, where there is one. What was not run stays unproven, and
a binding of which anything is unproven stays untested. No goal is changed and no slot is spent.
"""

import json
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from daemon.agents.asking import Answers, print_document, told
from daemon.agents.config_text import NotOurShape
from daemon.agents.private_files import agent_named, folder_of, read_record, read_text, record_path, write_whole
from daemon.agents.program_words import program_words
from daemon.agents.qualify_facts import FACTS, Not
from daemon.agents.qualify_run import OWN_PROGRAM, program_of, require_hook, run_turn, runs_it
from daemon.agents.runtimes import FILES, RuntimeName, digest_of
from daemon.cli.output import STDOUT, write
from daemon.cli.parse import Command, UsageError
from daemon.paths import Home

SECONDS_DEFAULT, SECONDS_MAX = 180, 3_600
EXIT_UNTESTED = 1
NO_EXTRA = "the package mcp is not installed: pip install 'frontstage[mcp]'"
Record = dict[str, object]


@dataclass
class Findings:
    """What was seen of each fact."""

    proven: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)


def main(command: Command) -> int:
    """Qualify one binding; exit code 0 says that all of it was proven and that this is on record."""
    return told(command, _qualify)


def _qualify(command: Command, home: Home, answers: Answers) -> int:
    """Run everything, then record it. Raises UsageError, Declined and WireFault."""
    agent_id = agent_named(str(command.values["agent_id"]))
    seconds = command.values.get("timeout_seconds", SECONDS_DEFAULT)
    if not isinstance(seconds, int) or not 1 <= seconds <= SECONDS_MAX:
        raise UsageError(f"--timeout-seconds is 1 to {SECONDS_MAX}", field="timeout_seconds")
    given = None if command.values.get("exec") is None else program_words(str(command.values["exec"]), "exec")
    record = read_record(home, agent_id)
    if record is None:
        hint = f"frontstage agent connect claude-code --agent-id {agent_id}"
        answers.decline("agent_not_bound", f"{agent_id} is not connected from here", hint)
    record = _as_written(home, answers, record, agent_id)
    goal_id = _goal(answers, record)
    found = Findings()
    with tempfile.TemporaryDirectory(prefix="frontstage-qualify-") as scratch:
        cwd = Path(str(record.get("directory") or scratch))
        _tools(record, agent_id, goal_id, cwd, found)
        _hooks(answers, record, cwd, found)
        if command.values.get("no_runtime"):
            found.not_run["runtime_turn"] = "as asked"
        else:
            _runtime(given, home, answers, record, goal_id, Path(scratch), seconds, found)
    _check_writes(answers, agent_id, found)
    proven = [f"{fact}={found.proven[fact]}" for fact in FACTS if fact in found.proven]
    failed = [fact for fact in FACTS if fact in found.failed]
    answers.act(
        "agent.prove",
        {"agent_id": agent_id, "config_sha256": str(record["sha256"]), "proven": proven, "failed": failed},
    )
    return _say(command, _binding(answers, agent_id), agent_id, found)


def _binding(answers: Answers, agent_id: str) -> Record:
    rows = cast("list[Record]", answers.read("agent.list", {"agent_id": agent_id}).body["agents"])
    binding = rows[0]["binding"]
    if not isinstance(binding, dict):
        answers.decline("agent_not_bound", f"no binding of {agent_id} is on record", "connect it anew")
    return binding


def _as_written(home: Home, answers: Answers, record: Record, agent_id: str) -> Record:
    """What the files say now is what is run; where that is not what was connected, the record says so first."""
    where = record.get("directory")
    if where is not None:
        parts: Record = {}
        for file in FILES[cast("RuntimeName", record["runtime"])]:
            try:
                parts |= file.read(read_text(Path(str(where)) / file.path))
            except NotOurShape as error:
                raise UsageError(str(error), hint="mend that file, or connect anew", code="config_malformed") from error
        now = {"runtime": record["runtime"], "agent_id": agent_id, **parts}
        kept = {name: record[name] for name in ("token_id", "goals", "directory")}
        record = {**now, **kept, "sha256": digest_of(now)}
    bound = {"agent_id": agent_id, "runtime": str(record["runtime"]).replace("-", "_")}
    token_id, sha256 = str(record["token_id"]), str(record["sha256"])
    binding = _binding(answers, agent_id)
    if (binding["config_sha256"], binding["token_id"]) != (sha256, token_id):
        answers.act("agent.bind", {**bound, "token_id": token_id, "config_sha256": sha256})
        write_whole(record_path(home, agent_id), json.dumps(record, indent=1) + "\n", 0o600)
    return record


def _goal(answers: Answers, record: Record) -> str | None:
    """A goal to read the packet of: the first that is named, or any that is under way."""
    named = record.get("goals")
    if isinstance(named, list) and named:
        return str(named[0])
    listed = cast("list[Record]", answers.read("goal.list", {"state": "active"}).body["goals"])
    return str(listed[0]["goal_id"]) if listed else None


def _tools(record: Record, agent_id: str, goal_id: str | None, cwd: Path, found: Findings) -> None:
    server = record.get("mcp")
    if not isinstance(server, dict):
        found.failed["process_started"] = "the configuration names no program"
        return
    try:
        from daemon.agents.qualify_mcp import look  # noqa: PLC0415  (an extra, which may not be installed)
    except ModuleNotFoundError:
        found.not_run |= dict.fromkeys(
            ("process_started", "protocol", "identity", "packet_read", "write_path"), NO_EXTRA
        )
        return
    seen = look(server, agent_id, goal_id, secrets.token_hex(32), cwd)
    found.proven |= seen.proven
    found.failed |= seen.failed
    if goal_id is None:
        found.not_run["packet_read"] = "no goal is under way"


def _hooks(answers: Answers, record: Record, cwd: Path, found: Findings) -> None:
    """Run each with a challenge that it alone is told; that it wrote it back is looked up in the ledger."""
    hooks, agent_id = record.get("hooks"), str(record["agent_id"])
    for event in ("turn-start", "tool-use", "turn-end"):
        words = hooks.get(event) if isinstance(hooks, dict) else None
        fact = "hook_" + event.replace("-", "_")
        if not isinstance(words, list) or not words:
            found.failed[fact] = "the configuration names no command"
            continue
        challenge = secrets.token_hex(32)
        try:
            require_hook([str(word) for word in words], event, cwd, challenge)
        except Not as error:
            found.failed[fact] = str(error)
            continue
        if challenge not in cast("list[str]", _binding(answers, agent_id)["probes_sha256"]):
            found.failed[fact] = "it did not write back its challenge by the binding's credential"
        else:
            found.proven[fact] = challenge


def _runtime(
    given: tuple[str, ...] | None,
    home: Home,
    answers: Answers,
    record: Record,
    goal_id: str | None,
    scratch: Path,
    seconds: int,
    found: Findings,
) -> None:
    """Run the runtime's own program; that it wrote its challenge is looked up in the ledger."""
    agent_id, challenge = str(record["agent_id"]), secrets.token_hex(32)
    if given is not None and not runs_it(given, str(record["runtime"])):
        found.not_run["runtime_turn"] = "a program of yours would run in its place, which proves nothing of the runtime"
        return
    program = program_of(record, given, goal_id, challenge, scratch)
    if program is None:
        found.not_run["runtime_turn"] = _no_program(str(record["runtime"]))
        return
    output = folder_of(home) / f"{agent_id}.qualify.log"
    how = run_turn(program, output, seconds)
    if challenge in cast("list[str]", _binding(answers, agent_id)["probes_sha256"]):
        found.proven["runtime_turn"] = challenge
    else:
        found.failed["runtime_turn"] = f"it did not write its challenge: {how}; what it printed is in {output}"


def _no_program(runtime: str) -> str:
    program = OWN_PROGRAM.get(runtime)
    return "name a program with --exec" if program is None else f"the program {program} is not on this machine"


def _check_writes(answers: Answers, agent_id: str, found: Findings) -> None:
    """What a server said it wrote counts only where the ledger has it."""
    if "write_path" not in found.proven:
        return
    if found.proven["write_path"] not in cast("list[str]", _binding(answers, agent_id)["probes_sha256"]):
        del found.proven["write_path"]
        found.failed["write_path"] = "its write did not reach this ledger by the binding's credential"


def _say(command: Command, binding: Record, agent_id: str, found: Findings) -> int:
    qualified = binding["state"] == "qualified"
    if command.options.json:
        print_document(
            {
                "schema_version": "frontstage_agent_qualify_v1",
                "ok": qualified,
                "agent_id": agent_id,
                "state": binding["state"],
                "because": binding["because"],
                "qualified_until": binding["qualified_until"],
                "facts": [_fact(fact, found) for fact in FACTS],
            }
        )
    else:
        lines = [_line(_fact(fact, found)) for fact in FACTS]
        lines.append(f"{agent_id}: {binding['state']}" + ("" if qualified else f" ({binding['because']})"))
        write(STDOUT, ("\n".join(lines) + "\n").encode("utf-8", "replace"))
    return 0 if qualified else EXIT_UNTESTED


def _fact(fact: str, found: Findings) -> Record:
    if fact in found.proven:
        return {"fact": fact, "state": "proven", "sha256": found.proven[fact], "why": ""}
    if fact in found.failed:
        return {"fact": fact, "state": "failed", "sha256": None, "why": found.failed[fact]}
    why = found.not_run.get(fact, "something before it failed")
    return {"fact": fact, "state": "not_proven", "sha256": None, "why": why}


def _line(row: Record) -> str:
    state = str(row["state"]).replace("_", " ")
    return f"{row['fact']}: {state}" + (f" ({row['why']})" if row["why"] else "")
