"""What each runtime needs to be connected: which files, what stands in them, and how our part is told from the rest.

Every configuration names the same three things: the program that serves the tools, how it finds the daemon and the
agent's credential (by a file's name, never the secret itself), and the commands that run at the edges of a turn.
"""

import hashlib
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from daemon.agents.config_text import (
    Document,
    NotOurShape,
    inner,
    inner_list,
    parsed_json,
    parsed_toml,
    require_only,
    with_setting,
    with_table,
    without_setting,
    without_table,
    written_json,
)
from daemon.agents.shape_check import problems, schema_named

RuntimeName = Literal["claude-code", "codex", "generic"]
SERVER: Final = "frontstage"
AGENT_VARIABLE: Final = "FRONTSTAGE_AGENT_ID"
HOOK_SECONDS: Final = 10
START_SECONDS: Final = 20
GENERIC: Final = "frontstage.agent.json"
GENERIC_SCHEMA: Final = "frontstage_agent_config_v1"
FLAG: Final = "codex_hooks = true"
_EVENTS: Final = {
    "SessionStart": "turn-start",
    "UserPromptSubmit": "turn-start",
    "PostToolUse": "tool-use",
    "Stop": "turn-end",
}
"""By the runtime's name of an event, which Claude Code and Codex share: our hook."""
_OURS: Final = re.compile(r"\bagent hook (turn-start|tool-use|turn-end)\b")


@dataclass(frozen=True, kw_only=True)
class Connection:
    """How one agent is connected, before it is written in any runtime's own form."""

    runtime: RuntimeName
    agent_id: str
    program: tuple[str, ...]
    goals: tuple[str, ...]
    socket: str
    token_file: str
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """What the tools' program finds in its environment."""
        return {
            **self.variables,
            "FRONTSTAGE_SOCKET": self.socket,
            "FRONTSTAGE_TOKEN_FILE": self.token_file,
            AGENT_VARIABLE: self.agent_id,
        }

    def hook(self, event: str) -> tuple[str, ...]:
        """The command that runs at one edge of a turn."""
        goals = [word for goal_id in self.goals for word in ("--goal-id", goal_id)]
        named = ("--agent-id", self.agent_id, *goals, "--runtime", self.runtime)
        return (*self.program, "agent", "hook", event, *named, "--token-file", self.token_file, "--socket", self.socket)

    @property
    def server(self) -> Document:
        """The program that serves the tools."""
        return {"command": self.program[0], "args": [*self.program[1:], "mcp"], "env": self.environment}

    def hooks(self) -> dict[str, tuple[str, ...]]:
        """All three commands."""
        return {event: self.hook(event) for event in ("turn-start", "tool-use", "turn-end")}

    def document(self) -> Document:
        """What is digested and kept beside the credential."""
        return {
            "runtime": self.runtime,
            "agent_id": self.agent_id,
            "mcp": self.server,
            "hooks": {event: list(words) for event, words in self.hooks().items()},
        }

    @property
    def sha256(self) -> str:
        """The digest that the binding is recorded with."""
        return digest_of(self.document())


def digest_of(document: Document) -> str:
    """The digest of what a configuration says, however it is laid out."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ConfigFile:
    """One file of a runtime: what it is called, and how our part goes in, comes out and is read back."""

    path: str
    schema: str
    put: Callable[[str, Connection], str]
    take: Callable[[str, str], str]
    read: Callable[[str], Document]


def checked(file: ConfigFile, text: str) -> str:
    """A text that its runtime's documentation allows. Raises NotOurShape."""
    document = parsed_toml(text, file.path) if file.path.endswith(".toml") else parsed_json(text, file.path)
    found = problems(document, schema_named(file.schema))
    if found:
        raise NotOurShape(f"{file.path} would not be as its runtime documents it: {found[0]}")
    return text


def _require_free(entry: object, agent_id: str, path: str) -> None:
    """One project connects one agent under our name. Raises NotOurShape."""
    env = entry.get("env") if isinstance(entry, dict) else None
    other = env.get(AGENT_VARIABLE) if isinstance(env, dict) else None
    if entry is not None and other != agent_id:
        raise NotOurShape(f"{path} connects {other or 'something else'} as {SERVER} already")


def _put_mcp(text: str, connection: Connection) -> str:
    document = parsed_json(text, ".mcp.json")
    servers = inner(document, "mcpServers", ".mcp.json")
    _require_free(servers.get(SERVER), connection.agent_id, ".mcp.json")
    entry = {"type": "stdio", **connection.server}
    if servers.get(SERVER) == entry:
        return text
    servers[SERVER] = entry
    return written_json(document)


def _take_mcp(text: str, agent_id: str) -> str:
    document = parsed_json(text, ".mcp.json")
    servers = inner(document, "mcpServers", ".mcp.json")
    if SERVER in servers:
        _require_free(servers[SERVER], agent_id, ".mcp.json")
        del servers[SERVER]
    if not servers:
        del document["mcpServers"]
    return written_json(document) if document else ""


def _read_mcp(text: str) -> Document:
    entry = inner(parsed_json(text, ".mcp.json"), "mcpServers", ".mcp.json").get(SERVER)
    return {"mcp": {name: value for name, value in entry.items() if name != "type"}} if isinstance(entry, dict) else {}


def _is_ours(command: object, agent_id: str | None) -> bool:
    if not isinstance(command, str) or not _OURS.search(command):
        return False
    return agent_id is None or f"--agent-id {shlex.quote(agent_id)} " in command


def _put_hooks(text: str, connection: Connection) -> str:
    if _read_hooks(text) == {"hooks": {event: list(words) for event, words in connection.hooks().items()}}:
        return text
    document = parsed_json(_take_hooks(text, connection.agent_id) if text.strip() else "", "the hooks")
    hooks = inner(document, "hooks", "the hooks")
    for name, event in _EVENTS.items():
        command = {"type": "command", "command": shlex.join(connection.hook(event)), "timeout": HOOK_SECONDS}
        group: Document = {"hooks": [command]}
        inner_list(hooks, name, "hooks").append({"matcher": "*", **group} if name == "PostToolUse" else group)
    return written_json(document)


def _take_hooks(text: str, agent_id: str) -> str:
    document = parsed_json(text, "the hooks")
    hooks = inner(document, "hooks", "the hooks")
    for name in [name for name in _EVENTS if name in hooks]:
        groups = inner_list(hooks, name, "hooks")
        kept = [one for one in (_without_ours(group, agent_id) for group in groups) if one is not None]
        if kept:
            hooks[name] = kept
        else:
            del hooks[name]
    if not hooks:
        del document["hooks"]
    return written_json(document) if document else ""


def _without_ours(group: object, agent_id: str) -> object | None:
    """A group without our commands; None where nothing else was in it."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    kept = [one for one in group["hooks"] if not (isinstance(one, dict) and _is_ours(one.get("command"), agent_id))]
    return {**group, "hooks": kept} if kept or not group["hooks"] else None


def _read_hooks(text: str) -> Document:
    """The commands of ours by the hook that they run, as words; nothing where one of them is missing or there twice."""
    hooks = inner(parsed_json(text, "the hooks"), "hooks", "the hooks")
    found: dict[str, object] = {}
    seen: list[str] = []
    for name, event in _EVENTS.items():
        for group in inner_list(hooks, name, "hooks"):
            given = group.get("hooks") if isinstance(group, dict) else None
            for one in given if isinstance(given, list) else []:
                if isinstance(one, dict) and _is_ours(one.get("command"), None):
                    found[event] = _words(str(one["command"]))
                    seen.append(name)
    return {"hooks": found} if seen == list(_EVENTS) else {}


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise NotOurShape(f"the hooks: a command of ours is no command line: {error}") from error


def _put_codex(text: str, connection: Connection) -> str:
    before = parsed_toml(text, "config.toml")
    servers, features = before.get("mcp_servers", {}), before.get("features")
    found = servers.get(SERVER) if isinstance(servers, dict) else None
    _require_free(found, connection.agent_id, "config.toml")
    server = connection.server
    has_flag = isinstance(features, dict) and "codex_hooks" in features
    if has_flag and found == {**server, "startup_timeout_sec": START_SECONDS}:
        return text
    lines = [
        f"command = {_toml(server['command'])}",
        f"args = {_toml(server['args'])}",
        f"env = {_toml(server['env'])}",
    ]
    lines.append(f"startup_timeout_sec = {START_SECONDS}")
    written = with_table(text, f"mcp_servers.{SERVER}", lines, "config.toml")
    if not has_flag:
        written = with_setting(written, "features", FLAG, "config.toml")

    def change(document: Document) -> None:
        inner(document, "mcp_servers", "config.toml")[SERVER] = {**server, "startup_timeout_sec": START_SECONDS}
        inner(document, "features", "config.toml").setdefault("codex_hooks", True)

    require_only(before, parsed_toml(written, "config.toml"), change, "config.toml")
    return written


def _toml(value: object) -> str:
    """A value of ours in TOML's own form; JSON's strings are strings there too."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _take_codex(text: str, agent_id: str) -> str:
    before = parsed_toml(text, "config.toml")
    servers = before.get("mcp_servers", {})
    if not isinstance(servers, dict) or SERVER not in servers:
        return text
    _require_free(servers[SERVER], agent_id, "config.toml")
    written = unflagged = without_table(text, f"mcp_servers.{SERVER}")
    written = without_setting(written, "features", FLAG)
    after = parsed_toml(written, "config.toml")

    def change(document: Document) -> None:
        del inner(document, "mcp_servers", "config.toml")[SERVER]
        if written != unflagged:
            inner(document, "features", "config.toml").pop("codex_hooks", None)
        for table in ("mcp_servers", "features"):
            if document.get(table) == {} and table not in after:
                del document[table]

    require_only(before, after, change, "config.toml")
    kept = written.rstrip("\r\n")
    return f"{kept}\n" if kept else ""


def _read_codex(text: str) -> Document:
    entry = inner(parsed_toml(text, "config.toml"), "mcp_servers", "config.toml").get(SERVER)
    if not isinstance(entry, dict):
        return {}
    return {"mcp": {name: value for name, value in entry.items() if name != "startup_timeout_sec"}}


def _require_ours(text: str, agent_id: str) -> None:
    """The whole file is this agent's, or there is none; what else stands there is somebody's. Raises NotOurShape."""
    if not text.strip():
        return
    document = parsed_json(text, GENERIC)
    if document.get("schema_version") != GENERIC_SCHEMA or document.keys() - {"schema_version", "mcp", "hooks"}:
        raise NotOurShape(f"{GENERIC} holds something else")
    _require_free(document.get("mcp"), agent_id, GENERIC)


def _put_generic(text: str, connection: Connection) -> str:
    _require_ours(text, connection.agent_id)
    hooks = {event: list(words) for event, words in connection.hooks().items()}
    document: Document = {"schema_version": GENERIC_SCHEMA, "mcp": connection.server, "hooks": hooks}
    return written_json(document)


def _take_generic(text: str, agent_id: str) -> str:
    _require_ours(text, agent_id)
    return ""


def _read_generic(text: str) -> Document:
    document = parsed_json(text, GENERIC)
    return {name: document[name] for name in ("mcp", "hooks") if name in document}


FILES: dict[RuntimeName, tuple[ConfigFile, ...]] = {
    "claude-code": (
        ConfigFile(path=".mcp.json", schema="claude_mcp", put=_put_mcp, take=_take_mcp, read=_read_mcp),
        ConfigFile(path=".claude/settings.json", schema="hooks", put=_put_hooks, take=_take_hooks, read=_read_hooks),
    ),
    "codex": (
        ConfigFile(
            path=".codex/config.toml", schema="codex_config", put=_put_codex, take=_take_codex, read=_read_codex
        ),
        ConfigFile(path=".codex/hooks.json", schema="hooks", put=_put_hooks, take=_take_hooks, read=_read_hooks),
    ),
    "generic": (ConfigFile(path=GENERIC, schema="generic", put=_put_generic, take=_take_generic, read=_read_generic),),
}
