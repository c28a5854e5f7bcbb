"""`frontstage agent connect`: an agent gets a membership, a credential of its own, and a configuration for its runtime.

Everything can be run again: a member that is there stays as it is, a credential that is still good stays in use, a file
that says the same already is not written. What belongs to somebody else in a configuration is never touched, and a file
that cannot be understood is refused before anything is made. What comes of it is *untested* until it was qualified.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from daemon.agents.asking import Answers, Declined, told
from daemon.agents.config_text import NotOurShape
from daemon.agents.private_files import (
    agent_named,
    folder_of,
    read_record,
    read_text,
    record_path,
    token_path,
    write_whole,
)
from daemon.agents.runtimes import FILES, ConfigFile, Connection, RuntimeName, checked
from daemon.cli.minting import mint
from daemon.cli.output import STDOUT, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Params
from daemon.paths import Home

DAYS_DEFAULT, DAYS_MAX = 90, 400
SECONDS_OF_A_DAY = 86_400
PRIVATE, ORDINARY = 0o600, 0o644


@dataclass(frozen=True)
class Change:
    """One file as it will be."""

    path: Path
    text: str
    changed: bool


def main(command: Command) -> int:
    """Connect an agent, or take its connection back; exit code 0 says that all of it holds."""
    return told(command, _remove if command.values.get("remove") else _connect)


def _connect(command: Command, home: Home, answers: Answers) -> int:
    """Look at everything first, then make what is missing. Raises UsageError, Declined and WireFault."""
    agent_id = agent_named(str(command.values["agent_id"]))
    goals = tuple(dict.fromkeys(_words(command, "goal_id")))
    folder_of(home)
    record = read_record(home, agent_id)
    _require_here(command, answers, record)
    connection = _connection(command, home, agent_id, goals)
    changes = _changes(command, connection)
    for goal_id in goals:
        answers.read("goal.show", {"goal_id": goal_id})
    is_new = _member(command, answers, agent_id, goals)
    token_id, shown = _credential(command, home, answers, record, connection)
    # A value that was passed on may be a secret: a new file that holds one is for its owner alone.
    mode = PRIVATE if connection.variables else ORDINARY
    for change in changes:
        if change.changed:
            write_whole(change.path, change.text, mode)
    where = command.values.get("write")
    kept = {
        **connection.document(),
        "token_id": token_id,
        "goals": list(goals),
        "directory": None if where is None else str(Path(str(where)).resolve()),
        "sha256": connection.sha256,
    }
    write_whole(record_path(home, agent_id), json.dumps(kept, indent=1) + "\n", PRIVATE)
    bound = {"agent_id": agent_id, "runtime": connection.runtime.replace("-", "_"), "token_id": token_id}
    answers.act("agent.bind", {**bound, "config_sha256": connection.sha256})
    _say(command, connection, changes, is_new=is_new, token_id=token_id, shown=shown)
    return 0


def _require_here(command: Command, answers: Answers, record: dict[str, object] | None) -> None:
    """An agent is connected in one place: what was written elsewhere would go on working unseen. Raises Declined."""
    if record is None or record.get("directory") is None:
        return
    where, runtime, agent_id = record["directory"], record["runtime"], record["agent_id"]
    given = command.values.get("write")
    if runtime == command.values["runtime"] and given is not None and str(Path(str(given)).resolve()) == where:
        return
    hint = f"name that folder with --write, or first: frontstage agent connect {runtime} --agent-id {agent_id} --remove"
    answers.decline("connected_elsewhere", f"{agent_id} is connected as {runtime} in {where}", hint)


def _words(command: Command, name: str) -> list[str]:
    given = command.values.get(name)
    return [str(one) for one in given] if isinstance(given, list) else []


def _connection(command: Command, home: Home, agent_id: str, goals: tuple[str, ...]) -> Connection:
    variables = {}
    for name in _words(command, "env"):
        if name.upper().startswith("FRONTSTAGE_"):
            raise UsageError("Frontstage's own variables are not passed on", field="env")
        if name not in os.environ:
            raise UsageError(f"{name} is not set here", field="env")
        variables[name] = os.environ[name]
    return Connection(
        runtime=cast("RuntimeName", command.values["runtime"]),
        agent_id=agent_id,
        program=program(),
        goals=goals,
        socket=home.socket,
        token_file=str(token_path(home, agent_id)),
        variables=variables,
    )


def program() -> tuple[str, ...]:
    """How this very program is started by others."""
    own = Path(sys.argv[0])
    if own.name == "frontstage" and own.is_file():
        return (str(own.absolute()),)
    found = shutil.which("frontstage")
    return (found,) if found is not None else (sys.executable, "-m", "daemon.cli.main")


def _changes(command: Command, connection: Connection) -> list[Change]:
    """Each file with our part in it, as its runtime documents it. Raises UsageError."""
    where = command.values.get("write")
    changes = []
    for file in FILES[connection.runtime]:
        path = Path(str(where or ".")) / file.path
        before = "" if where is None else read_text(path)
        try:
            text = checked(file, file.put(before, connection))
        except NotOurShape as error:
            hint = "mend or move that file; nothing was changed"
            raise UsageError(str(error), hint=hint, field="write", code="config_malformed") from error
        changes.append(Change(path, text, changed=where is not None and text != before))
    return changes


def _member(command: Command, answers: Answers, agent_id: str, goals: tuple[str, ...]) -> bool:
    """Whether the member was made here; one that is there is used as it is or not at all. Raises Declined."""
    listed = answers.read("member.list").body["members"]
    found = next((one for one in cast("list[dict[str, object]]", listed) if one["member_id"] == agent_id), None)
    if found is None:
        asked: Params = {
            "member_id": agent_id,
            "kind": "agent",
            "display_name": str(command.values.get("display_name") or agent_id),
            "goal_id": list(goals),
            "capability": _words(command, "capability"),
        }
        answers.act("member.add", asked)
        return True
    if found["kind"] != "agent":
        answers.decline("not_an_agent", f"{agent_id} is not an agent", "choose another id with --agent-id")
    if found["revoked"]:
        answers.decline("member_revoked", f"{agent_id} was revoked", "choose another id with --agent-id")
    has = cast("list[str]", found["goals"])
    lacking = [goal_id for goal_id in goals if "*" not in has and goal_id not in has]
    if lacking:
        hint = f"an owner grants it: frontstage member grant --member-id {agent_id} --goal-id {lacking[0]}"
        answers.decline("goal_not_granted", f"{agent_id} may not act on {', '.join(lacking)}", hint)
    return False


def _credential(
    command: Command, home: Home, answers: Answers, record: dict[str, object] | None, connection: Connection
) -> tuple[str, str | None]:
    """The credential that is in use, or a new one in its private file; the secret only where it was asked for."""
    path, agent_id = token_path(home, connection.agent_id), connection.agent_id
    listed = cast("list[dict[str, object]]", answers.read("token.list", {"member_id": agent_id}).body["tokens"])
    before = None if record is None else next((t for t in listed if t["token_id"] == record.get("token_id")), None)
    same = before is not None and tuple(cast("list[str]", before["goal_ids"])) == connection.goals
    secret = read_text(path).strip() if path.exists() else ""
    if before is not None and same and before["status"] == "active" and secret and not command.values.get("new_token"):
        return str(before["token_id"]), secret if command.values.get("show_token") else None
    minted = mint("secret_digest")
    days = command.values.get("ttl_days", DAYS_DEFAULT)
    if not isinstance(days, int) or not 1 <= days <= DAYS_MAX:
        raise UsageError(f"--ttl-days is 1 to {DAYS_MAX}", field="ttl_days")
    draft = path.with_name(f"{path.name}.new")
    write_whole(draft, minted.shown + "\n", PRIVATE)
    asked: Params = {
        "member_id": agent_id,
        "secret_digest": minted.digest,
        "ttl_seconds": days * SECONDS_OF_A_DAY,
        "goal_id": list(connection.goals),
    }
    try:
        issued = answers.act("token.issue", asked)
    except Declined:
        draft.unlink()
        raise
    draft.replace(path)
    if before is not None and before["status"] == "active":
        answers.act("token.revoke", {"token_id": str(before["token_id"])})
    result = cast("dict[str, object]", issued.body["result"])
    return str(result["token_id"]), minted.shown if command.values.get("show_token") else None


def _say(
    command: Command, connection: Connection, changes: list[Change], *, is_new: bool, token_id: str, shown: str | None
) -> None:
    where, agent_id = command.values.get("write"), connection.agent_id
    prints = where is None or bool(command.values.get("print"))
    if command.options.json:
        document = {
            "schema_version": "frontstage_agent_connect_v1",
            "ok": True,
            "agent_id": agent_id,
            "runtime": connection.runtime,
            "member_added": is_new,
            "token_id": token_id,
            "token_file": connection.token_file,
            "config_sha256": connection.sha256,
            "state": "untested",
            "files": [
                {"path": str(one.path), "written": one.changed, **({"text": one.text} if prints else {})}
                for one in changes
            ],
            **({"secret": shown} if shown else {}),
        }
        write(STDOUT, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        return
    lines = [
        f"{agent_id}: {'added' if is_new else 'a member already'}; credential {token_id} in {connection.token_file}"
    ]
    if where is not None:
        lines += [f"{one.path}: {'written' if one.changed else 'says so already'}" for one in changes]
    if prints:
        lines += [f"--- {one.path}\n{one.text.rstrip()}" for one in changes]
    if shown:
        lines.append(f"secret: {shown}")
    lines.append(f"untested: frontstage agent qualify {agent_id}")
    write(STDOUT, "\n".join([*lines, ""]).encode("utf-8", "replace"))


def _remove(command: Command, home: Home, answers: Answers) -> int:
    """Take our part out of the files, end the credential and the record; the member stays."""
    agent_id = agent_named(str(command.values["agent_id"]))
    record = read_record(home, agent_id)
    if record is None:
        answers.decline("agent_not_bound", f"{agent_id} is not connected from here", "frontstage agent list")
    where = command.values.get("write") or record.get("directory")
    changes = (
        [] if where is None else _without(Path(str(where)), FILES[cast("RuntimeName", record["runtime"])], agent_id)
    )
    for change in changes:
        if change.changed and change.text:
            write_whole(change.path, change.text, ORDINARY)
        elif change.changed:
            change.path.unlink()
    answers.act("token.revoke", {"token_id": str(record["token_id"])}, passing={"token_already_revoked"})
    answers.act("agent.unbind", {"agent_id": agent_id}, passing={"agent_not_bound"})
    for path in (token_path(home, agent_id), record_path(home, agent_id), folder_of(home) / f"{agent_id}.hook"):
        path.unlink(missing_ok=True)
    said = [f"{agent_id}: connected no more; its credential {record['token_id']} is revoked"]
    said += [f"{one.path}: our part is gone" for one in changes if one.changed]
    if command.options.json:
        document = {"schema_version": "frontstage_agent_connect_v1", "ok": True, "agent_id": agent_id, "removed": True}
        write(STDOUT, json.dumps(document).encode() + b"\n")
    else:
        write(STDOUT, "\n".join([*said, ""]).encode("utf-8", "replace"))
    return 0


def _without(where: Path, files: tuple[ConfigFile, ...], agent_id: str) -> list[Change]:
    changes = []
    for file in files:
        path = where / file.path
        if not path.exists():
            continue
        before = read_text(path)
        try:
            text = file.take(before, agent_id)
        except NotOurShape as error:
            raise UsageError(str(error), hint="mend that file; nothing was changed", code="config_malformed") from error
        changes.append(Change(path, text, changed=text != before))
    return changes
