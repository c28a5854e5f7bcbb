"""What the card of a request is drawn from: the brief, which of its facts are true since when, and what came back."""

from typing import Literal, TypeAlias

import msgspec

from ledger.parts.requests import Answer, Relation
from ledger.projections.causes import Cause

RequestStatusName: TypeAlias = Literal[
    "sent",
    "received",
    "adopted",
    "deferred",
    "committed",
    "returned",
    "rejected",
    "no_change",
    "delivered",
    "withdrawn",
    "ended",
]
"""`rejected` and `no_change` are returns as well; `ended` is a request that was open when its goal was over."""
FactName: TypeAlias = Literal["received", "answered", "committed", "returned", "delivered"]
RequestNeed: TypeAlias = Literal["answer", "plan", "work", "return", "acknowledge", "nothing"]


class RequestFact(msgspec.Struct, frozen=True, kw_only=True):
    """One of the five facts: since when it is true and by whom, or that it is not."""

    fact: FactName
    actor_name: str
    at_ms: int | None


class RequestInputView(msgspec.Struct, frozen=True, kw_only=True):
    """Something the receiver was given. `ref` and `description` are words."""

    ref: str
    description: str
    sha256: str
    relation: Relation


class EvidenceView(msgspec.Struct, frozen=True, kw_only=True):
    """An artifact that was handed back, or could be."""

    artifact_id: str
    label: str
    sha256: str


class RequestView(msgspec.Struct, frozen=True, kw_only=True):
    """One request between two who work on a goal; `open` says whether somebody may still act on it."""

    request_id: str
    status: RequestStatusName
    open: bool
    need: RequestNeed
    waits_for: str
    """Whoever has to act next, or nobody."""
    between_agents: bool
    """Whether no person sent it or is asked: then a card only tells."""
    sender: str
    receiver: str
    sent_at_ms: int
    purpose: str
    context: str
    constraints: tuple[str, ...]
    inputs: tuple[RequestInputView, ...]
    acceptance: tuple[str, ...]
    return_requirement: str
    waiting_work: str
    """The title of the work that waits until it comes back."""
    answer: Answer | None
    answer_reason: str
    work: str
    """The title of the todo that fulfils it."""
    work_status: str
    facts: tuple[RequestFact, ...]
    summary: str
    automatic: bool
    evidence: tuple[EvidenceView, ...]
    withdrawn_reason: str
    returnable: tuple[EvidenceView, ...]
    """The evidence that its receiver could hand back now."""
    cause: Cause
