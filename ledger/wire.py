"""Wire names: the literal, versioned string of every event kind, in one table.

The names are never import paths and are never changed. A changed shape is a new version; the old one stays here
with its upcast, and its bytes stay as fixtures.
"""

from typing import NamedTuple

from ledger.events import Facts, Words
from ledger.rules import artifacts, goal_events, leases, members, todo_events


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
    Kind("goal.proposed", 1, goal_events.GoalProposed, goal_events.IntentWords),
    Kind("goal.revised", 1, goal_events.GoalRevised, goal_events.IntentWords),
    Kind("goal.question_asked", 1, goal_events.ClarificationAsked, goal_events.QuestionWords),
    Kind("goal.question_answered", 1, goal_events.ClarificationAnswered, goal_events.AnswerWords),
    Kind("goal.confirmed", 1, goal_events.GoalConfirmed),
    Kind("goal.revision_adopted", 1, goal_events.RevisionAdopted),
    Kind("goal.declined", 1, goal_events.GoalDeclined, goal_events.GoalReasonWords),
    Kind("goal.withdrawn", 1, goal_events.GoalWithdrawn, goal_events.GoalReasonWords),
    Kind("goal.paused", 1, goal_events.GoalPaused, goal_events.GoalReasonWords),
    Kind("goal.resumed", 1, goal_events.GoalResumed, goal_events.GoalReasonWords),
    Kind("goal.stopped", 1, goal_events.GoalStopped, goal_events.GoalReasonWords),
    Kind("goal.delivered", 1, goal_events.GoalDelivered, goal_events.SummaryWords),
    Kind("goal.accepted", 1, goal_events.GoalAccepted, goal_events.GoalReasonWords),
    Kind("goal.changes_requested", 1, goal_events.ChangesRequested, goal_events.GoalReasonWords),
    Kind("channel.bound", 1, goal_events.ChannelBound),
    Kind("todo.added", 1, todo_events.TodoAdded, todo_events.TodoWords),
    Kind("todo.claimed", 1, todo_events.TodoClaimed),
    Kind("todo.released", 1, todo_events.TodoReleased),
    Kind("todo.updated", 1, todo_events.TodoUpdated, todo_events.TodoUpdateWords),
    Kind("todo.blocked", 1, todo_events.TodoBlocked, todo_events.ReasonWords),
    Kind("todo.completed", 1, todo_events.TodoCompleted, todo_events.ReasonWords),
    Kind("todo.cancelled", 1, todo_events.TodoCancelled, todo_events.ReasonWords),
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
