"""The ledger's documents as resources: each address stands for one question, which is asked anew at every read.

Nothing is kept here, so that what an agent reads is what is true; the document says with its `seq` since when.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote

from daemon.agents.mcp_tools import actions

SCHEME = "frontstage://"
URI_CHARS_MAX = 1_000
SCHEMA_OF = "actions/{action}"
"""The one resource that is known without a daemon."""
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One address, or many of one form; the holes of its path are parameters of its action."""

    path: str
    name: str
    about: str
    action: str

    @property
    def uri(self) -> str:
        """The address, or its template."""
        return SCHEME + self.path

    @property
    def is_template(self) -> bool:
        """Whether something must be filled in."""
        return "{" in self.path

    def matched(self, uri: str) -> dict[str, str] | None:
        """What the holes stand for in an address of this form."""
        found = _pattern(self.path).fullmatch(uri)
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}


@cache
def _pattern(path: str) -> re.Pattern[str]:
    pieces = _HOLE.split(path)
    shaped = [re.escape(piece) if index % 2 == 0 else f"(?P<{piece}>[^/?#]+)" for index, piece in enumerate(pieces)]
    return re.compile(re.escape(SCHEME) + "".join(shaped))


def _of(path: str, name: str, action: str, about: str = "") -> Resource:
    return Resource(path=path, name=name, action=action, about=about or actions()[action].summary)


@cache
def resources() -> tuple[Resource, ...]:
    """All of them, in the order in which they are listed."""
    return (
        _of("status", "status", "status.show"),
        _of("attention", "attention", "attention.show"),
        _of("overview", "overview", "overview.show"),
        _of("goals", "goals", "goal.list"),
        _of("members", "members", "member.list"),
        _of("goals/{goal_id}", "channel", "goal.show", "A goal with its work, gates and what is next."),
        _of("goals/{goal_id}/packet", "packet", "quota.should-run", "What the caller should do now, and why."),
        _of("goals/{goal_id}/todos", "todos", "todo.list"),
        _of("goals/{goal_id}/todos/{todo_id}", "todo", "history.explain", "How a todo came to stand as it does."),
        _of("goals/{goal_id}/todos/{todo_id}/lease", "lease", "task-lease.inspect"),
        _of("goals/{goal_id}/artifacts", "artifacts", "artifact.list"),
        _of("goals/{goal_id}/gates", "gates", "gate.list"),
        _of("goals/{goal_id}/gates/{gate_id}", "gate", "gate.show"),
        _of("goals/{goal_id}/requests", "requests", "request.list"),
        _of("goals/{goal_id}/requests/{request_id}", "request", "request.show"),
        _of("goals/{goal_id}/runs", "runs", "run.list"),
        _of("goals/{goal_id}/quota", "quota", "quota.status"),
        _of("goals/{goal_id}/history", "history", "history.list"),
        _of("members/{agent_id}", "agent", "member.show"),
        Resource(
            path=SCHEMA_OF,
            name="schema",
            action="",
            about="The JSON Schema of an action's parameters, with every bound; for example request.send.",
        ),
    )


def found(uri: str) -> tuple[Resource, Mapping[str, str]] | None:
    """The resource that an address means, and its parameters."""
    if len(uri) > URI_CHARS_MAX:
        return None
    for resource in resources():
        params = resource.matched(uri)
        if params is not None:
            return resource, params
    return None
