"""The tools that an agent is offered: few of them, made of the table of actions.

A list of tools is read by a model at the beginning of every conversation, so it is kept short. What an agent calls in
every turn has a tool of its own, with the whole schema of its action; the rest is reached through three tools that
name an action and its parameters. `--full` offers a tool for every action that an agent may call.

The actions come from a file that was written from the table when the product was built, and not from the daemon: an
agent in a sandbox has nothing but a socket, behind which nobody may listen at the moment when tools are listed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Schema = dict[str, object]

SOURCE = Path(__file__).with_name("mcp_actions.json")
ARGUMENTS_BYTES_MAX = 256 * 1024
"""As much as the daemon reads of one request."""
DAILY = (
    "quota.should-run",
    "quota.reserve",
    "todo.claim",
    "task-lease.acquire",
    "task-lease.renew",
    "artifact.submit",
    "todo.complete",
    "run.report",
    "quota.spend-slot",
)
"""What a turn is made of, in this order; each has a tool of its own."""
ASKED_OF_OTHERS = (
    "gate.open",
    "gate.withdraw",
    "request.send",
    "request.receive",
    "request.respond",
    "request.commit",
    "request.return",
    "request.acknowledge",
    "request.withdraw",
)
NOW_AND_THEN = (
    "todo.add",
    "todo.update",
    "todo.block",
    "todo.defer",
    "todo.resume",
    "todo.release",
    "todo.cancel",
    "todo.handoff",
    "todo.adopt",
    "task-lease.release",
    "artifact.review",
    "artifact.record-check",
    "quota.release",
    "run.replan",
    "run.observe",
    "usage.report",
    "goal.adopt",
    "goal.deliver",
    "amendment.adopt",
    "summary.post",
    "agent.probe",
)
LOOKED_AT = (
    "agent.inbox",
    "goal.list",
    "goal.show",
    "todo.list",
    "todo.ready",
    "task-lease.inspect",
    "artifact.list",
    "gate.list",
    "gate.show",
    "request.list",
    "request.show",
    "run.list",
    "plan.show",
    "amendment.show",
    "quota.status",
    "usage.show",
    "member.list",
    "member.show",
    "attention.show",
    "status.show",
    "review-packet.show",
    "history.list",
    "history.explain",
    "search.find",
)
REQUEST_KEY: Schema = {"type": "string", "description": "An earlier call's key repeats it safely."}
AT: Schema = {"type": "integer", "description": "As it was after the event with this seq."}
_ACTION = "action"
_PARAMS = "params"
_SAID = frozenset({"type", "enum", "items", "properties", "required", "description", "default"})
"""What a model is told of a parameter; the bounds are the daemon's, which names the one that was broken."""
_BRIEF = frozenset({"type", "enum", "items", "properties", "required"})


@dataclass(frozen=True, kw_only=True)
class Action:
    """One action that an agent may call."""

    name: str
    summary: str
    writes: bool
    schema: Schema

    @property
    def fields(self) -> dict[str, Schema]:
        """Its parameters by name."""
        found = self.schema["properties"]
        assert isinstance(found, dict)
        return found

    @property
    def required(self) -> tuple[str, ...]:
        """Those that it cannot do without."""
        found = self.schema.get("required", [])
        assert isinstance(found, list)
        return tuple(found)

    def signature(self) -> str:
        """The action and its parameters on one line; what may be left out has a question mark."""
        words = [
            f"{name}{'' if name in self.required else '?'}"
            for name in sorted(self.fields, key=lambda name: name not in self.required)
        ]
        return f"{self.name}({', '.join(words)})"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """What a model sees: a tool of one action, or of several of which a call names one."""

    name: str
    description: str
    schema: Schema
    actions: tuple[str, ...]
    writes: bool
    grouped: bool = False

    @property
    def beside(self) -> str:
        """What a call takes beside the parameters of its action."""
        return "request_key" if self.writes else "at"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One call, understood."""

    action: Action
    params: Mapping[str, object]
    request_key: str | None = None
    at: int | None = None


class NotUnderstood(Exception):
    """A call that names nothing which could be asked; `field` is what is wrong with it."""

    def __init__(self, field: str, problem: str, code: str = "malformed_params") -> None:
        super().__init__(f"{field} {problem}")
        self.field = field
        self.problem = problem
        self.code = code


@cache
def actions() -> dict[str, Action]:
    """Everything that an agent may call, by name."""
    rows = json.loads(SOURCE.read_text(encoding="utf-8"))
    return {name: Action(name=name, **row) for name, row in rows.items()}


def tool_name(action_name: str) -> str:
    """How a tool of one action is called; clients take letters, digits and underscores."""
    return action_name.replace(".", "_").replace("-", "_")


def offered(*, full: bool) -> dict[str, Tool]:
    """The tools by name, in the order in which they are shown."""
    known = actions()
    if full:
        return {tool.name: tool for tool in map(_alone, known.values())}
    tools = [
        *(_alone(known[name]) for name in DAILY),
        _grouped("request", "Ask a person to decide (gate.*) or a peer for something (request.*).", ASKED_OF_OTHERS),
        _grouped("act", "Everything else that changes the ledger.", NOW_AND_THEN),
        _grouped("read", "Look at the ledger as it is now: goals, work, gates, requests, history, search.", LOOKED_AT),
    ]
    return {tool.name: tool for tool in tools}


def _beside(*, writes: bool) -> Schema:
    return {"request_key": REQUEST_KEY} if writes else {"at": AT}


def _alone(action: Action) -> Tool:
    beside = _beside(writes=action.writes)
    schema = {**action.schema, "properties": {**_only(_SAID, action.fields), **beside}}
    return Tool(
        name=tool_name(action.name),
        description=f"{action.summary} [{action.name}]",
        schema=schema,
        actions=(action.name,),
        writes=action.writes,
    )


def _grouped(name: str, about: str, names: tuple[str, ...]) -> Tool:
    """A tool of several actions; its description has their signatures, where the schema can only have their names."""
    chosen = [actions()[one] for one in names]
    writes = chosen[0].writes
    beside = _beside(writes=writes)
    params: Schema = {
        "type": "object",
        "description": "The action's own parameters; those with ? may be left out.",
        "properties": _together(chosen),
        "additionalProperties": False,
    }
    lines = [about, *(f"- {action.signature()}: {action.summary}" for action in chosen)]
    return Tool(
        name=name,
        description="\n".join(lines),
        schema={
            "type": "object",
            "properties": {_ACTION: {"type": "string", "enum": list(names)}, _PARAMS: params, **beside},
            "required": [_ACTION],
            "additionalProperties": False,
        },
        actions=names,
        writes=writes,
        grouped=True,
    )


def _together(chosen: list[Action]) -> Schema:
    """Every parameter that one of the actions takes; what else holds of it is said by its action."""
    found: dict[str, Schema] = {}
    for action in chosen:
        for name, field in _only(_BRIEF, action.fields).items():
            found[name] = _either(found[name], field) if name in found else field
    return dict(found)


def _either(one: Schema, other: Schema) -> Schema:
    """What holds of both: a name may stand for one id in an action and for several in another."""
    if one == other:
        return one
    kinds = sorted({*_kinds(one), *_kinds(other)})
    items = one.get("items") or other.get("items")
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **({} if items is None else {"items": items})}


def _kinds(schema: Schema) -> list[str]:
    kinds = schema["type"]
    return [str(one) for one in kinds] if isinstance(kinds, list) else [str(kinds)]


def _only(kept: frozenset[str], fields: dict[str, Schema]) -> dict[str, Schema]:
    """Schemas with these words alone, all the way down."""
    return {name: _pruned(kept, field) for name, field in fields.items()}


def _pruned(kept: frozenset[str], schema: Schema) -> Schema:
    found = {name: value for name, value in schema.items() if name in kept}
    match schema:
        case {"items": dict() as items}:
            found["items"] = _pruned(kept, items)
        case {"properties": dict() as fields}:
            found["properties"] = _only(kept, fields)
    return found


def understood(tool: Tool, arguments: Mapping[str, object]) -> Asked:
    """What a call asks for. Whether its parameters hold is the daemon's to say. Raises NotUnderstood."""
    if len(json.dumps(arguments)) > ARGUMENTS_BYTES_MAX:
        raise NotUnderstood("arguments", f"are longer than {ARGUMENTS_BYTES_MAX} bytes", "body_too_large")
    beside = tool.beside
    if not tool.grouped:
        params = {name: value for name, value in arguments.items() if name != beside}
        return _asked(actions()[tool.actions[0]], arguments.get(beside), params)
    stray = next((name for name in arguments if name not in {_ACTION, _PARAMS, beside}), None)
    if stray is not None:
        raise NotUnderstood(stray[:64], f"is not known here; what an action takes goes into {_PARAMS}")
    name, given = arguments.get(_ACTION), arguments.get(_PARAMS, {})
    if name not in tool.actions:
        raise NotUnderstood(_ACTION, "must be one of " + ", ".join(tool.actions))
    if not isinstance(given, dict):
        raise NotUnderstood(_PARAMS, "must be an object")
    return _asked(actions()[str(name)], arguments.get(beside), given)


def _asked(action: Action, beside: object, params: Mapping[str, object]) -> Asked:
    """With the request key of a write, or the seq of a read."""
    if beside is None:
        return Asked(action=action, params=params)
    if action.writes:
        if not isinstance(beside, str) or not _is_key(beside):
            raise NotUnderstood("request_key", "is 1 to 160 letters, digits and _ . : @ / -", "request_key_malformed")
        return Asked(action=action, params=params, request_key=beside)
    if not isinstance(beside, int) or isinstance(beside, bool):
        raise NotUnderstood("at", "must be the seq of an event")
    return Asked(action=action, params=params, at=beside)


def _is_key(text: str) -> bool:
    return 0 < len(text) <= 160 and text.isascii() and all(one.isalnum() or one in "_.:@/-" for one in text)
