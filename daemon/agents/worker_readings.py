"""What a worker reads of the ledger, and the packet that a program is given of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from daemon.agents.docs_agent import mapping
from daemon.agents.store import ArtifactStore
from daemon.agents.worker_scope import Scopes
from daemon.agents.worker_turn import Turn
from daemon.client import Client, Document, Params, Reply
from daemon.wire import WireFault

PACKET_SCHEMA = "frontstage_worker_packet_v0"
PAGE = 200
EXIT_BUSY = 7
STANDING = frozenset({"submitted", "accepted"})
"""States of an artifact that nothing has taken the place of, and that nobody has said no to."""


class NotRead(Exception):
    """The daemon would not show something."""

    def __init__(self, action: str, code: str) -> None:
        self.action, self.code = action, code
        super().__init__(f"{action}: {code}")


@dataclass(frozen=True)
class Readings:
    """Reads, each as it is now. Each raises NotRead and WireFault."""

    client: Client
    agent_id: str

    def one(self, action: str, **params: str | int | bool | None) -> Document:
        """A document."""
        reply = self.client.read(action, dict(params))
        return _whole(action, reply)

    def goals(self) -> Iterator[str]:
        """Goals that may have work."""
        for state in ("active", "changes_requested"):
            yield from (str(row["goal_id"]) for row in self._pages("goal.list", "goals", {"state": state}))

    def verdict(self, goal_id: str) -> Document:
        """Whether to run."""
        return self.one("quota.should-run", goal_id=goal_id, agent_id=self.agent_id)

    def goal(self, goal_id: str) -> Document:
        """The goal, in full for whoever has a part in it."""
        return self.one("goal.show", goal_id=goal_id, full=True)

    def todos(self, goal_id: str) -> list[Document]:
        """Every todo of the goal."""
        return list(self._pages("todo.list", "todos", {"goal_id": goal_id, "full": True}))

    def artifacts(self, goal_id: str) -> list[Document]:
        """Every artifact of the goal."""
        return rows(self.one("artifact.list", goal_id=goal_id, full=True), "artifacts")

    def requests(self, goal_id: str) -> list[Document]:
        """Open requests to the agent, the oldest first."""
        found = self.one("request.list", goal_id=goal_id, to=self.agent_id, status="open", limit=PAGE)
        return rows(found, "requests")[::-1]

    def request(self, goal_id: str, request_id: str) -> Document:
        """One request, in full."""
        return self.one("request.show", goal_id=goal_id, request_id=request_id, full=True)

    def _pages(self, action: str, name: str, params: Params) -> Iterator[Document]:
        after: str | None = None
        while True:
            body = _whole(action, self.client.read(action, {**params, "limit": PAGE, "after": after}))
            yield from rows(body, name)
            following = body.get("next_after")
            if following is None:
                return
            after = str(following)


def _whole(action: str, reply: Reply) -> Document:
    if not reply.ok and reply.exit_code == EXIT_BUSY:
        raise WireFault(reply.code or "busy")
    if not reply.ok:
        raise NotRead(action, reply.code)
    return reply.body


def rows(document: Document, name: str) -> list[Document]:
    """The rows of a list."""
    listed = document.get(name)
    return [mapping(one) for one in listed] if isinstance(listed, list) else []


def texts(document: Document, name: str) -> list[str]:
    """A list of words."""
    listed = document.get(name)
    return [str(one) for one in listed] if isinstance(listed, list) else []


def is_rejected(artifact: Document) -> bool:
    """Whether it counts no more, by a word on it or on what it was made from, and nothing has taken its place."""
    return artifact.get("status") in {"rejected", "invalidated"}


@dataclass(frozen=True)
class Facts:
    """What a turn is about, as it was read in one go."""

    goal: Document
    todo: Document | None
    request: Document | None
    artifacts: list[Document]

    @property
    def revision(self) -> int:
        """The goal's confirmed revision."""
        return int(str(self.goal.get("revision") or 0))

    @property
    def validators(self) -> tuple[str, ...]:
        """What the todo's evidence must pass."""
        return () if self.todo is None else tuple(texts(self.todo, "validators"))

    @property
    def scopes(self) -> list[str]:
        """What the todo may write."""
        return [] if self.todo is None else texts(self.todo, "required_write_scopes")

    @property
    def write_scopes(self) -> Scopes:
        """What the turn may write; whether case counts is among the fields of the promise that say something."""
        said = {str(one["name"]) for one in rows(mapping(self.goal["review"]), "fields")}
        return Scopes(self.scopes, texts(self.goal, "write_scopes"), fold_case="fold_case" in said)

    def of_todo(self) -> list[Document]:
        """All evidence of this todo."""
        return [] if self.todo is None else [one for one in self.artifacts if one["todo_id"] == self.todo["todo_id"]]

    def inputs(self) -> list[Document]:
        """What the work builds on: the evidence of what it depends on, or what a request's brief names."""
        if self.request is not None:
            named = {str(one["ref"]): str(one["sha256"]) for one in rows(self.request, "inputs")}
            return [one for one in self.artifacts if named.get(str(one["artifact_id"])) == one["sha256"]]
        needed = [] if self.todo is None else texts(self.todo, "depends_on")
        return [one for one in self.artifacts if one["todo_id"] in needed and one["status"] in STANDING]


def facts_of(readings: Readings, turn: Turn) -> Facts:
    """Read what a turn is about. Raises NotRead and WireFault."""
    goal = readings.goal(turn.goal_id)
    artifacts = readings.artifacts(turn.goal_id)
    if turn.kind == "request":
        return Facts(goal, None, readings.request(turn.goal_id, turn.subject), artifacts)
    found = [one for one in readings.todos(turn.goal_id) if one["todo_id"] == turn.subject]
    if not found:
        raise NotRead("todo.list", "todo_not_found")
    return Facts(goal, found[0], None, artifacts)


def packet(turn: Turn, facts: Facts, store: ArtifactStore, *, now_s: float, lease_left_ms: int) -> Document:
    """The document that the program is given."""
    subject: Document = {"request": facts.request} if turn.kind == "request" else {"todo": facts.todo}
    lease = {
        "idempotency_key": turn.turn_id,
        "version": turn.version,
        "expires_at": moment(now_s + lease_left_ms / 1_000),
    }
    return {
        "schema_version": PACKET_SCHEMA,
        "kind": turn.kind if turn.kind in {"request", "monitor"} else "todo",
        "turn_instance_id": turn.turn_id,
        "agent_id": turn.agent_id,
        "goal": _goal(facts),
        **subject,
        "lease": None if turn.version is None else lease,
        "inputs": [_input(one, store) for one in facts.inputs()],
        "rejected": [_rejected(one, store) for one in facts.of_todo() if is_rejected(one) or _failed(one)],
        "deadline": moment(now_s + turn.timeout_seconds),
        "seq": facts.goal.get("seq"),
    }


def _goal(facts: Facts) -> Document:
    review = mapping(facts.goal["review"])
    fields = {str(one["name"]): one.get("items") for one in rows(review, "fields")}
    return {
        "goal_id": facts.goal["goal_id"],
        "revision": facts.goal["revision"],
        "objective": facts.goal["objective"],
        "criteria": [{"criterion_id": one["criterion_id"], "text": one["text"]} for one in rows(review, "criteria")],
        "non_goals": fields.get("non_goals", []),
        "constraints": fields.get("constraints", []),
        "write_scopes": facts.goal["write_scopes"],
    }


def _input(artifact: Document, store: ArtifactStore) -> Document:
    path = store.path_of(str(artifact["sha256"]))
    names = ("artifact_id", "label", "kind", "sha256", "size_bytes", "status", "counts", "todo_id", "summary")
    return {
        **{name: artifact.get(name) for name in names},
        "path": None if path is None else str(path.absolute()),
        "by": artifact["submitted_by"],
    }


def _rejected(artifact: Document, store: ArtifactStore) -> Document:
    review = artifact.get("review")
    said = review if isinstance(review, dict) else {}
    path = store.path_of(str(artifact["sha256"]))
    names = ("name", "passed", "exit_code", "timed_out")
    return {
        "artifact_id": artifact["artifact_id"],
        "label": artifact["label"],
        "sha256": artifact["sha256"],
        "path": None if path is None else str(path.absolute()),
        "status": artifact["status"],
        "reason": said.get("reason", ""),
        "by": said.get("reviewer"),
        "undone": artifact.get("undone"),
        "checks": [{name: one.get(name) for name in names} for one in rows(artifact, "checks")],
    }


def _failed(artifact: Document) -> bool:
    """Whether a validator did not pass on it, by the latest record of each."""
    latest = {str(one["name"]): bool(one["passed"]) for one in rows(artifact, "checks")}
    return artifact.get("status") == "submitted" and not all(latest.values())


def moment(seconds: float) -> str:
    """A moment as the wire has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
