"""What is to be said of the connected agents of a home: whether each was seen to work, and is still as it was.

The ledger knows what was recorded; only this machine knows whether the files and the credential are as they were.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from daemon.agents.config_text import NotOurShape
from daemon.agents.private_files import read_record, read_text, token_path
from daemon.agents.runtimes import FILES, digest_of
from daemon.cli.parse import UsageError
from daemon.client import Reply
from daemon.paths import Home


class Said(NamedTuple):
    """One agent's connection, and what to do about it."""

    level: Literal["ok", "warn", "fail"]
    text: str
    remedy: str = ""


def bindings(home: Home, listed: Reply) -> list[Said]:
    """A line for each agent that is connected, untested ones by that word."""
    rows = listed.body.get("agents") if listed.ok else None
    found: list[Said] = []
    for row in rows if isinstance(rows, list) else []:
        binding = row.get("binding") if isinstance(row, dict) else None
        if isinstance(binding, dict):
            found.append(_one(home, str(row["agent_id"]), binding))
    return found


def _one(home: Home, agent_id: str, binding: dict[str, object]) -> Said:
    qualify, connect = f"frontstage agent qualify {agent_id}", f"frontstage agent connect --agent-id {agent_id} …"
    try:
        problem = _on_this_machine(home, agent_id, str(binding["config_sha256"]))
    except (UsageError, NotOurShape) as error:
        return Said("fail", f"{agent_id}: {error}", connect)
    if problem:
        return Said("warn", f"{agent_id}: {problem}", f"{qualify}, which runs what is there now")
    if binding["state"] != "qualified":
        remedy = connect if str(binding["because"]).startswith("credential") else qualify
        return Said("warn", f"{agent_id} is connected and untested ({binding['because']})", remedy)
    return Said("ok", f"{agent_id} is connected and qualified until {binding['qualified_until']}")


def _on_this_machine(home: Home, agent_id: str, sha256: str) -> str:
    """What differs here from what was recorded, or nothing. Raises UsageError and NotOurShape."""
    record = read_record(home, agent_id)
    if record is None:
        return ""  # It was connected from another home, of which nothing is known here.
    path = token_path(home, agent_id)
    if not path.exists():
        raise UsageError(f"its credential {path} is not there")
    if path.stat().st_mode & 0o077:
        raise UsageError(f"others may read its credential {path}")
    where, parts = record.get("directory"), dict[str, object]()
    for name, files in FILES.items():
        for file in files if where is not None and name == record.get("runtime") else ():
            parts |= file.read(read_text(Path(str(where)) / file.path))
    now = {"runtime": record.get("runtime"), "agent_id": agent_id, **parts}
    changed = where is not None and digest_of(now) != sha256
    return f"its configuration in {where} is not what was recorded" if changed else ""
