"""Wire names: the literal, versioned string of every event kind, in one table.

The names are never import paths and are never changed. A changed shape is a new version; the old one stays here
with its upcast, and its bytes stay as fixtures.
"""

from typing import NamedTuple

from ledger.events import Facts, Words
from ledger.rules import artifacts, goals, leases, members, todos


class Kind(NamedTuple):
    """One event kind at one version."""

    name: str
    version: int
    facts: type[Facts]
    words: type[Words] | None = None


_KINDS = (
    Kind("workspace.created", 1, members.WorkspaceCreated, members.WorkspaceWords),
    Kind("member.added", 1, members.MemberAdded, members.MemberWords),
    Kind("member.revoked", 1, members.MemberRevoked),
    Kind("member.paired", 1, members.MemberPaired, members.IdentityWords),
    Kind("pairing.offered", 1, members.PairingOffered),
    Kind("token.issued", 1, members.TokenIssued),
    Kind("token.revoked", 1, members.TokenRevoked),
    Kind("button_key.rotated", 1, members.ButtonKeyRotated),
    Kind("goal.proposed", 1, goals.GoalProposed, goals.IntentWords),
    Kind("goal.revised", 1, goals.GoalRevised, goals.IntentWords),
    Kind("goal.question_asked", 1, goals.ClarificationAsked, goals.QuestionWords),
    Kind("goal.question_answered", 1, goals.ClarificationAnswered, goals.AnswerWords),
    Kind("goal.confirmed", 1, goals.GoalConfirmed),
    Kind("goal.revision_adopted", 1, goals.RevisionAdopted),
    Kind("goal.declined", 1, goals.GoalDeclined, goals.GoalReasonWords),
    Kind("goal.withdrawn", 1, goals.GoalWithdrawn, goals.GoalReasonWords),
    Kind("goal.paused", 1, goals.GoalPaused, goals.GoalReasonWords),
    Kind("goal.resumed", 1, goals.GoalResumed, goals.GoalReasonWords),
    Kind("goal.stopped", 1, goals.GoalStopped, goals.GoalReasonWords),
    Kind("goal.delivered", 1, goals.GoalDelivered, goals.SummaryWords),
    Kind("goal.accepted", 1, goals.GoalAccepted, goals.GoalReasonWords),
    Kind("goal.changes_requested", 1, goals.ChangesRequested, goals.GoalReasonWords),
    Kind("channel.bound", 1, goals.ChannelBound),
    Kind("todo.added", 1, todos.TodoAdded, todos.TodoWords),
    Kind("todo.claimed", 1, todos.TodoClaimed),
    Kind("todo.released", 1, todos.TodoReleased),
    Kind("todo.updated", 1, todos.TodoUpdated, todos.TodoUpdateWords),
    Kind("todo.blocked", 1, todos.TodoBlocked, todos.ReasonWords),
    Kind("todo.completed", 1, todos.TodoCompleted, todos.ReasonWords),
    Kind("todo.cancelled", 1, todos.TodoCancelled, todos.ReasonWords),
    Kind("lease.acquired", 1, leases.LeaseAcquired),
    Kind("lease.renewed", 1, leases.LeaseRenewed),
    Kind("lease.released", 1, leases.LeaseReleased),
    Kind("lease.expired", 1, leases.LeaseExpired),
    Kind("artifact.submitted", 1, artifacts.ArtifactSubmitted, artifacts.ArtifactWords),
)

KIND_OF: dict[type[Facts], Kind] = {kind.facts: kind for kind in _KINDS}
"""The kind that new events of a facts type are written as."""

_NAMED = {(kind.name, kind.version): kind for kind in _KINDS}


def kind_named(name: str, version: int) -> Kind | None:
    """The kind of a wire name, or None if this program never knew it."""
    return _NAMED.get((name, version))


def all_kinds() -> tuple[Kind, ...]:
    """Every kind that can be read."""
    return _KINDS
