"""What to call next: every refusal names a call that helps, made of what is known already.

A hint tells a person what to do; a program is told the call itself. Which one follows from the code, from what the code
is about, or from its class; it is the first of them whose parameters can all be filled in from the call that was
refused and from the details of its refusal. It is advice: whoever follows it is decided upon like anybody else.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from daemon.agents.mcp_tools import Action, Asked, Tool, actions

Arguments = dict[str, object]

SAME = "the same call"
"""As it was asked, under its own request key: what was done is not done twice."""
ANEW = "the same call, corrected"
"""With a new request key, after what is wrong with it was mended."""
LAST = "status.show"
"""Takes nothing, so that it can always be called."""
SCHEMES = "frontstage://actions/"
SAID_AGAIN_CHARS_MAX = 300

BY_CODE: dict[str, tuple[str, ...]] = {
    "malformed_params": (ANEW,),
    "body_too_large": (ANEW,),
    "request_too_large": (ANEW,),
    "credential_in_text": (ANEW,),
    "request_key_malformed": (ANEW,),
    "request_key_required": (ANEW,),
    "idempotency_conflict": (ANEW,),
    "basis_required": ("plan.show", "amendment.show", "gate.show", "goal.show"),
    "stale_basis": ("plan.show", "amendment.show", "gate.show", "goal.show"),
    "gate_stale": ("gate.show",),
    "daemon_unreachable": (SAME,),
    "busy": (SAME,),
    "shutting_down": (SAME,),
    "storage_full": (SAME,),
    "fault": (SAME,),
    "unauthenticated": (SAME,),
    "credential_unusable": (SAME,),
    "credential_revoked": (SAME,),
    "credential_expired": (SAME,),
    "unknown_action": (LAST,),
    "seq_not_reached": ("history.list",),
    "event_not_found": ("history.list",),
    "nothing_free": ("quota.should-run", "todo.list"),
    "todo_lease_conflict": ("todo.ready",),
    "handoff_mode_forbids_lease": ("todo.claim",),
    "claim_owner_mismatch": ("todo.ready",),
    "owner_conflicts_with_claim": ("todo.ready",),
    "goal_not_confirmed": ("goal.show",),
    "objective_review_required": ("goal.show",),
    "write_scope_conflict": ("task-lease.inspect", "todo.ready"),
    "digest_mismatch": ("artifact.list",),
    "evidence_required": ("artifact.list",),
    "validator_required": ("artifact.list",),
    "validator_failed": ("artifact.list",),
    "version_required": ("task-lease.inspect",),
    "version_mismatch": ("task-lease.inspect",),
    "idempotency_key_reuse": ("task-lease.inspect",),
    "handoff_mode_requires_lease": ("task-lease.acquire", "task-lease.inspect"),
    "run_not_reported": ("run.list",),
    "turn_not_admitted": ("quota.status",),
}
"""What helps with a code of its own."""
BY_WORD: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lease", ("task-lease.inspect",)),
    ("input", ("artifact.list",)),
    ("artifact", ("artifact.list",)),
    ("evidence", ("artifact.list",)),
    ("criterion", ("goal.show",)),
    ("review", ("artifact.list",)),
    ("gate", ("gate.show", "gate.list")),
    ("decision_scope", ("gate.list",)),
    ("amendment", ("amendment.show", "goal.show")),
    ("rebase", ("amendment.show", "goal.show")),
    ("plan", ("plan.show", "goal.show")),
    ("lane", ("plan.show", "goal.show")),
    ("request", ("request.show", "request.list")),
    ("spend", ("quota.status",)),
    ("slots", ("quota.status",)),
    ("admission", ("quota.status",)),
    ("usage", ("usage.show",)),
    ("run", ("run.list",)),
    ("replan", ("quota.should-run",)),
    ("grant", ("member.show",)),
    ("capability", ("member.show",)),
    ("write_scope", ("goal.show",)),
    ("member", ("member.list",)),
    ("owner", ("member.list",)),
    ("receiver", ("member.list",)),
    ("delegat", ("member.list",)),
    ("dependency", ("todo.list",)),
    ("work", ("todo.list",)),
    ("todo", ("todo.list",)),
    ("resume", ("todo.list",)),
    ("goal", ("goal.show",)),
)
"""What helps where a code speaks of something, the first word that it has."""
_NOT_THERE = "_not_found"
_LISTS = {"goal": "goal.list", "plan": "goal.show", "amendment": "goal.show", "spend": "quota.status"}
"""Where an id that is not there is looked up, if not in a list of its own kind."""


@dataclass(frozen=True, kw_only=True)
class Next:
    """A call that helps, as a tool's name and its arguments."""

    tool: str
    arguments: Arguments
    why: str
    as_before: tuple[str, ...] = ()
    """Parameters to be given as in the call that was refused, too long to be said again."""
    schema: str = ""
    """Where every bound of the parameters is said, where one was broken."""

    def document(self) -> Arguments:
        """As it stands in a result."""
        found: Arguments = {"tool": self.tool, "arguments": self.arguments, "why": self.why}
        if self.as_before:
            found["as_before"] = list(self.as_before)
        if self.schema:
            found["schema"] = self.schema
        return found


def next_call(offered: Mapping[str, Tool], tool: Tool, asked: Asked, code: str, details: Mapping[str, object]) -> Next:
    """The call that helps with a refusal. `asked.request_key` is the key of the call that was refused."""
    known = {**details, **asked.params}
    for name in _candidates(code):
        if name in {SAME, ANEW}:
            return _repeated(tool, asked, name, _wrong(details))
        action = actions()[name]
        arguments = _filled(action, known)
        found = None if arguments is None else _addressed(offered, action, arguments)
        if found is not None:
            return found
    return _addressed(offered, actions()[LAST], {}) or _repeated(tool, asked, ANEW, _wrong(details))


def next_after_misunderstanding(offered: Mapping[str, Tool], tool: Tool, arguments: Arguments, field: str) -> Next:
    """The call that was probably meant, where the one that was made names nothing that could be asked."""
    params = arguments.get("params")
    meant = str(arguments.get("action", ""))[:64]
    if tool.grouped and meant not in tool.actions:
        near = get_close_matches(meant, actions(), n=1, cutoff=0.5)
        given = params if isinstance(params, dict) else {}
        found = _addressed(offered, actions()[near[0]], _short(given)[0]) if near else None
        return found or _first_of(offered, tool, given)
    kept, long = _short({name: value for name, value in arguments.items() if name != field})
    return Next(tool=tool.name, arguments=kept, why=_WHY[ANEW], as_before=long)


def _first_of(offered: Mapping[str, Tool], tool: Tool, given: Mapping[str, object]) -> Next:
    """The first read that can be made with what is there. A write is not guessed at: it must be named."""
    for name in () if tool.writes else tool.actions:
        params = _filled(actions()[name], given)
        found = None if params is None else _addressed(offered, actions()[name], params)
        if found is not None:
            return found
    return Next(tool=tool.name, arguments={"action": tool.actions[0]}, why=_WHY[ANEW])


def _candidates(code: str) -> Iterator[str]:
    yield from BY_CODE.get(code, ())
    if code.endswith(_NOT_THERE):
        kind = code.removesuffix(_NOT_THERE)
        yield from [name for name in (_LISTS.get(kind, f"{kind}.list"),) if name in actions()]
    for word, names in BY_WORD:
        if word in code:
            yield from names
    yield from ("quota.should-run", "attention.show", LAST)


def _filled(action: Action, known: Mapping[str, object]) -> Arguments | None:
    """Its required parameters from what is known; None where one is not."""
    found = {name: known[name] for name in action.required if isinstance(known.get(name), str | int)}
    return found if len(found) == len(action.required) else None


def _addressed(offered: Mapping[str, Tool], action: Action, params: Arguments) -> Next | None:
    """The call of an action by the tool that has it."""
    for tool in offered.values():
        if action.name in tool.actions:
            arguments: Arguments = {"action": action.name, "params": params} if tool.grouped else params
            return Next(tool=tool.name, arguments=arguments, why=action.summary)
    return None


def _repeated(tool: Tool, asked: Asked, how: str, wrong: frozenset[str]) -> Next:
    """The same call, as it was or without what is wrong with it."""
    params, long = _short({name: value for name, value in asked.params.items() if how == SAME or name not in wrong})
    arguments: Arguments = {"action": asked.action.name, "params": params} if tool.grouped else dict(params)
    if how == SAME and asked.request_key is not None:
        arguments["request_key"] = asked.request_key
    schema = f"{SCHEMES}{asked.action.name}" if how == ANEW else ""
    return Next(tool=tool.name, arguments=arguments, why=_WHY[how], as_before=long, schema=schema)


def _wrong(details: Mapping[str, object]) -> frozenset[str]:
    """The parameters that a refusal finds fault with."""
    fields = details.get("fields")
    named = [one.get("field") for one in fields if isinstance(one, dict)] if isinstance(fields, list) else []
    return frozenset(str(name).partition(".")[0] for name in (*named, details.get("field")) if name is not None)


def _short(arguments: Mapping[str, object]) -> tuple[Arguments, tuple[str, ...]]:
    """What is worth saying again, and the names of the rest."""
    long = tuple(name[:64] for name, value in arguments.items() if len(json.dumps(value)) > SAID_AGAIN_CHARS_MAX)
    return {name: value for name, value in arguments.items() if name[:64] not in long}, long


_WHY = {
    SAME: "Ask again as before: what was done already is not done twice.",
    ANEW: "Ask again when what is wrong with it is mended; without the old request key.",
}
