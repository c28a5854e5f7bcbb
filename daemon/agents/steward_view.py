"""What a steward knows of one goal: the daemon's own documents, read into frozen values.

Nothing in here is remembered between two looks. What the steward wishes is a function of these values alone, so that
one which was started anew, or another in its place, wishes the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

Document = dict[str, object]


class NotReadable(ValueError):
    """An answer that is not shaped as the daemon documents it."""


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """When the goal is done, in one point."""

    criterion_id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Agent:
    """An agent that has the goal, and what it is held to."""

    agent_id: str
    role: str = ""
    capabilities: tuple[str, ...] = ()
    presence: str = "registered"
    limits: tuple[str, ...] = ()
    """What an owner ever named for it here, `action_kinds` or `write_scopes`; of that only what is in force is left."""
    action_kinds: tuple[str, ...] = ()
    write_scopes: tuple[str, ...] = ()
    stuck: "Stuck | None" = None
    """Where the agent must replan before it works on: its last turn."""


@dataclass(frozen=True, kw_only=True)
class Stuck:
    """The last turn of an agent that came to nothing once too often."""

    seq: int
    at_ms: int
    todo_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Work:
    """One todo."""

    todo_id: str
    title: str = ""
    acceptance: str = ""
    status: str = "open"
    priority: str = "P2"
    role: str = "agent"
    task_class: str = "advancement_task"
    depends_on: tuple[str, ...] = ()
    claimed_by: str | None = None
    bound_agent: str | None = None
    excluded_agents: tuple[str, ...] = ()
    action_kind: str | None = None
    write_scopes: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    validators: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    stale_evidence: tuple[str, ...] = ()
    completed_by: str | None = None
    reason: str = ""
    note: str = ""
    lapses: int = 0
    """How many executions began, where the last of them ended by the time-out of its lease; else 0."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One artifact."""

    artifact_id: str
    sha256: str = "0" * 64
    label: str = ""
    todo_id: str | None = None
    status: str = "submitted"
    counts: bool = False
    submitted_by: str = ""
    criterion_ids: tuple[str, ...] = ()
    revision: int = 1
    reviewer: str = ""
    reason: str = ""
    """What its reviewer said."""
    undone_by: str = ""
    revises: str = ""
    """The older artifact whose place it takes."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A lane that nobody can do as things are."""

    lane_id: str
    reason: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A plan; what is open is read in full."""

    plan_id: str
    status: str = "open"
    proposed_by: str = ""
    basis: str = ""
    reason: str = ""
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A decision that people were asked for."""

    gate_id: str
    status: str = "waiting_on_user"
    opened_by: str = ""
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Amendment:
    """A change of the work; what is open and the steward's own is read in full."""

    amendment_id: str
    status: str = "open"
    amendment_class: str = ""
    submitted_by: str = ""
    basis: str = ""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What one member asked of another."""

    request_id: str
    sender: str = ""
    receiver: str = ""
    status: str = "sent"
    sent_at_ms: int = 0

    @property
    def is_open(self) -> bool:
        """Whether something may still come back."""
        return self.status in {"sent", "received", "adopted", "committed", "deferred"}


@dataclass(frozen=True, kw_only=True)
class View:
    """One goal as the steward `me` sees it."""

    me: str
    goal_id: str
    now_ms: int = 0
    state: str = "active"
    title: str = ""
    objective: str = ""
    revision: int = 1
    pending: bool = False
    has_planner: bool = False
    asked: bool = False
    """Whether a question about the promise waits for its answer."""
    criteria: tuple[Criterion, ...] = ()
    non_goals: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    write_scopes: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    review: str = "owner"
    plan_approval: str = "owner"
    deliveries: int = 0
    delivered: tuple[str, ...] = ()
    """The artifacts of the last delivery."""
    changes: str = ""
    """What the owners said when they sent the last delivery back."""
    work: tuple[Work, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    plans: tuple[Plan, ...] = ()
    gates: tuple[Gate, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    requests: tuple[Request, ...] = ()
    agents: tuple[Agent, ...] = ()
    proposals: int = 0
    can_post: bool = False
    """Whether a chat shows the goal and the steward may post there."""

    def artifact(self, artifact_id: str) -> Evidence | None:
        """One artifact by its id."""
        return next((one for one in self.evidence if one.artifact_id == artifact_id), None)

    def agent(self, agent_id: str) -> Agent | None:
        """One agent that has the goal, by its id."""
        return next((one for one in self.agents if one.agent_id == agent_id), None)

    def gate(self, gate_id: str) -> Gate | None:
        """One gate by its id."""
        return next((one for one in self.gates if one.gate_id == gate_id), None)


# Reading documents. Each takes an object of an answer; what is missing or of another kind raises NotReadable.


def mapping(value: object) -> Document:
    """An object."""
    if not isinstance(value, dict):
        raise NotReadable("not an object")
    return value


def rows(document: Document, name: str) -> list[Document]:
    """A list of objects."""
    found = document.get(name)
    if not isinstance(found, list):
        raise NotReadable(f"no list of {name}")
    return [mapping(one) for one in found]


def texts(document: Document, name: str) -> tuple[str, ...]:
    """A list of texts; none where it is absent."""
    found = document.get(name) or []
    if not isinstance(found, list):
        raise NotReadable(f"no list of {name}")
    return tuple(str(one) for one in found)


def text(document: Document, name: str) -> str:
    """A text; empty where it is absent."""
    found = document.get(name)
    return "" if found is None else str(found)


def text_or_none(document: Document, name: str) -> str | None:
    """A text or nothing."""
    found = document.get(name)
    return None if found is None else str(found)


def moment(document: Document, name: str) -> int:
    """A point in time in milliseconds; 0 where it is absent."""
    found = text(document, name)
    try:
        return int(datetime.fromisoformat(found).timestamp() * 1_000) if found else 0
    except ValueError as error:
        raise NotReadable(f"{name} is no point in time") from error


def number(document: Document, name: str) -> int:
    """A whole number; 0 where it is absent."""
    found = document.get(name) or 0
    if not isinstance(found, int):
        raise NotReadable(f"{name} is no number")
    return found


def goal_fields(shown: Document) -> Document:
    """The part of a view that `goal show` answers, by the names of the view."""
    review = mapping(shown.get("review"))
    stated = {text(one, "name"): texts(one, "items") for one in rows(review, "fields")}
    acceptance = shown.get("acceptance")
    delivery = mapping(acceptance) if acceptance is not None else {}
    decision = delivery.get("decision")
    return {
        "goal_id": text(shown, "goal_id"),
        "state": text(shown, "state"),
        "title": text(shown, "display_name"),
        "objective": text(shown, "objective"),
        "revision": number(shown, "revision"),
        "pending": mapping(shown.get("basis")).get("confirm") is not None,
        "asked": mapping(shown.get("view")).get("question") is not None,
        "criteria": tuple(
            Criterion(criterion_id=text(one, "criterion_id"), text=text(one, "text"))
            for one in rows(review, "criteria")
        ),
        "non_goals": stated.get("non_goals", ()),
        "constraints": stated.get("constraints", ()),
        "write_scopes": texts(shown, "write_scopes"),
        "capabilities": stated.get("capabilities", ()),
        "review": (*stated.get("review", ()), "owner")[0],
        "plan_approval": (*stated.get("plan_approval", ()), "owner")[0],
        "deliveries": number(delivery, "delivery"),
        "delivered": tuple(dict.fromkeys(_delivered(delivery))) if delivery else (),
        "changes": text(mapping(decision), "reason") if decision is not None else "",
        "proposals": number(shown, "proposals_total"),
    }


def _delivered(delivery: Document) -> Iterator[str]:
    for criterion in rows(delivery, "criteria"):
        yield from (text(one, "artifact_id") for one in rows(criterion, "artifacts"))
    yield from (text(one, "artifact_id") for one in rows(delivery, "other_artifacts"))


def work_of(row: Document, lapses: int) -> Work:
    """A row of `todo list`."""
    return Work(
        todo_id=text(row, "todo_id"),
        title=text(row, "title"),
        acceptance=text(row, "acceptance"),
        status=text(row, "status"),
        priority=text(row, "priority"),
        role=text(row, "role"),
        task_class=text(row, "task_class"),
        depends_on=texts(row, "depends_on"),
        claimed_by=text_or_none(row, "claimed_by"),
        bound_agent=text_or_none(row, "bound_agent"),
        excluded_agents=texts(row, "excluded_agents"),
        action_kind=text_or_none(row, "action_kind"),
        write_scopes=texts(row, "required_write_scopes"),
        capabilities=texts(row, "required_capabilities"),
        validators=texts(row, "validators"),
        evidence=texts(row, "evidence"),
        stale_evidence=texts(row, "stale_evidence"),
        completed_by=text_or_none(row, "completed_by"),
        reason=text(row, "reason"),
        note=text(row, "note"),
        lapses=lapses,
    )


def evidence_of(row: Document) -> Evidence:
    """A row of `artifact list`."""
    review, undone = row.get("review"), row.get("undone")
    said = mapping(review) if review is not None else {}
    return Evidence(
        artifact_id=text(row, "artifact_id"),
        sha256=text(row, "sha256"),
        label=text(row, "label"),
        todo_id=text_or_none(row, "todo_id"),
        status=text(row, "status"),
        counts=row.get("counts") is True,
        submitted_by=text(row, "submitted_by"),
        criterion_ids=texts(row, "criterion_ids"),
        revision=number(row, "revision"),
        reviewer=text(said, "reviewer"),
        reason=text(said, "reason"),
        undone_by=text(mapping(undone), "by") if undone is not None else "",
        revises=text(row, "revises"),
    )


def plan_of(row: Document) -> Plan:
    """A row of `plan list`, or a whole plan."""
    gaps = rows(row, "gap_lanes") if "gap_lanes" in row else []
    return Plan(
        plan_id=text(row, "plan_id"),
        status=text(row, "status"),
        proposed_by=text(row, "proposed_by"),
        basis=text(row, "basis"),
        reason=text(row, "reason"),
        gaps=tuple(
            Gap(lane_id=text(one, "lane_id"), reason=text(one, "reason"), names=texts(one, "names")) for one in gaps
        ),
    )


def agent_of(row: Document, grants: list[Document], goal_id: str) -> Agent | None:
    """A row of `member list` with its grants, if it is an agent that has the goal."""
    goals = texts(row, "goals")
    if row.get("kind") != "agent" or row.get("revoked") or not {"*", goal_id} & set(goals):
        return None
    about = [one for one in grants if not one.get("goal_ids") or goal_id in texts(one, "goal_ids")]
    alive = [one for one in about if one.get("status") == "in_force"]
    return Agent(
        agent_id=text(row, "member_id"),
        role=text(row, "profile_role"),
        capabilities=texts(row, "capabilities"),
        limits=tuple(name for name in ("action_kinds", "write_scopes") if any(one.get(name) for one in about)),
        action_kinds=tuple(dict.fromkeys(kind for one in alive for kind in texts(one, "action_kinds"))),
        write_scopes=tuple(dict.fromkeys(scope for one in alive for scope in texts(one, "write_scopes"))),
    )
