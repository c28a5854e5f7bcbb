"""Snapshots: a folded state kept as bytes, so that a long log need not be folded again.

A snapshot is a cache that cannot lie. It is used only at the very seq and hash it was made at and only by the very
reducer that made it, and only if its seal is whole: whoever restores names the reducer, with a secret where there is
one, and what was made or changed under another name is folded from the log instead.
There is one for the workspace and one for each goal. Indexes are not kept: they are made anew from the records.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator

import msgspec

from ledger.codec import decode_event
from ledger.folds.work import index_lease, index_todo
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId, TokenId
from ledger.parts.amendments import Amendments
from ledger.parts.authority import Authority
from ledger.parts.gates import Gates
from ledger.parts.grants import Grants
from ledger.parts.handoffs import Handoffs
from ledger.parts.plans import Plans
from ledger.parts.requests import Requests
from ledger.parts.reviews import Reviews
from ledger.parts.runs import Runs
from ledger.parts.slots import Slots
from ledger.ports import EventRow, SnapshotRow, Store
from ledger.records import (
    Address,
    Artifact,
    Delivery,
    EventNote,
    GoalState,
    Intent,
    Lease,
    Member,
    Pairing,
    Question,
    Todo,
    Token,
)
from ledger.reduce import fold
from ledger.state import GOAL_PARTS, RECENT_EVENTS_MAX, Goal, Workspace

WORKSPACE = "workspace"
SEAL_BYTES = 32


class _GoalBody(msgspec.Struct, frozen=True, kw_only=True):
    goal_id: GoalId
    proposed_by: MemberId
    created_seq: int
    state: GoalState
    state_seq: int
    state_note: EventNote | None
    resume_to: GoalState
    reason: str
    confirmed: int
    first_confirmed: int
    intents: list[Intent]
    question: Question | None
    deliveries: list[Delivery]
    todos: list[Todo]
    leases: list[Lease]
    keys: dict[TodoId, list[str]]
    artifacts: list[Artifact]
    channels: dict[str, str]
    adopted: dict[MemberId, int]
    acts: dict[MemberId, EventNote]
    done_total: int
    last_seq: int
    cause: EventNote | None
    recent: list[EventNote]
    amendments: Amendments
    gates: Gates
    handoffs: Handoffs
    plans: Plans
    requests: Requests
    reviews: Reviews
    runs: Runs
    slots: Slots


class _WorkspaceBody(msgspec.Struct, frozen=True, kw_only=True):
    at_ms: int
    created: bool
    name: str
    members: list[Member]
    tokens: list[Token]
    pairings: list[Pairing]
    identities: dict[str, MemberId]
    addresses: list[Address]
    button_keys: dict[int, int | None]
    goals: dict[GoalId, int]
    authority: Authority
    grants: Grants


_SAME = (
    "goal_id",
    "proposed_by",
    "created_seq",
    "state",
    "state_seq",
    "state_note",
    "resume_to",
    "reason",
    "confirmed",
    "first_confirmed",
    "question",
    "channels",
    "adopted",
    "acts",
    "done_total",
    "last_seq",
    "cause",
    *GOAL_PARTS,
)


def rows(workspace: Workspace, reducer: str, since_seq: int) -> Iterator[SnapshotRow]:
    """The snapshots to keep now: the workspace, and each goal that changed after `since_seq`."""
    for goal in workspace.goals.values():
        if goal.last_seq > since_seq:
            yield _sealed(f"goal:{goal.goal_id}", goal.last_seq, workspace.hash, reducer, _goal_bytes(goal))
    body = _WorkspaceBody(
        at_ms=workspace.at_ms,
        created=workspace.created,
        name=workspace.name,
        members=list(workspace.members.values()),
        tokens=list(workspace.tokens.values()),
        pairings=list(workspace.pairings.values()),
        identities=workspace.identities,
        addresses=list(workspace.addresses.values()),
        button_keys=workspace.button_keys,
        goals={goal.goal_id: goal.last_seq for goal in workspace.goals.values()},
        authority=workspace.authority,
        grants=workspace.grants,
    )
    yield _sealed(WORKSPACE, workspace.seq, workspace.hash, reducer, msgspec.msgpack.encode(body))


def restore(store: Store, reducer: str, on_skip: Callable[[str], None]) -> Workspace:
    """The state of the store's head, from snapshots where they hold and from the log where they do not."""
    workspace = _from_snapshot(store, reducer, on_skip) or Workspace()
    for row in store.events(workspace.seq):
        fold(workspace, decode_event(row.body, row.words, row.hash))
    return workspace


def _from_snapshot(store: Store, reducer: str, on_skip: Callable[[str], None]) -> Workspace | None:
    row = store.snapshot(WORKSPACE)
    if row is None:
        return None
    if row.reducer_digest != _named(reducer):
        on_skip("made by another version")
        return None
    at = next(iter(store.events(row.seq - 1, limit=1)), None)
    if at is None or at.hash != row.hash:
        on_skip("not of this history")
        return None
    opened = _opened(row, reducer)
    if opened is None:
        on_skip("changed since it was made")
        return None
    body = msgspec.msgpack.decode(opened, type=_WorkspaceBody)
    workspace = _workspace(body, row)
    for goal_id, last_seq in body.goals.items():
        kept = store.snapshot(f"goal:{goal_id}")
        found = None if kept is None or kept.seq != last_seq else _opened(kept, reducer)
        if found is not None:
            workspace.goals[goal_id] = _goal(msgspec.msgpack.decode(found, type=_GoalBody))
        else:
            workspace.goals[goal_id] = _goal_from_log(store.events(0, goal_id=goal_id), goal_id, last_seq)
    return workspace


def _named(reducer: str) -> str:
    """What a snapshot says of its reducer; the reducer's own name is also the key of the seal and may be a secret."""
    return hashlib.sha256(reducer.encode()).hexdigest()


def _seal(scope: str, seq: int, reducer: str, body: bytes) -> bytes:
    return hmac.digest(reducer.encode(), f"{scope}\0{seq}\0".encode() + body, "sha256")


def _sealed(scope: str, seq: int, head: bytes, reducer: str, body: bytes) -> SnapshotRow:
    return SnapshotRow(scope, seq, head, _named(reducer), _seal(scope, seq, reducer, body) + body)


def _opened(row: SnapshotRow, reducer: str) -> bytes | None:
    """The body, if nobody has touched it since it was sealed by this very reducer."""
    seal, body = row.body[:SEAL_BYTES], row.body[SEAL_BYTES:]
    return body if hmac.compare_digest(seal, _seal(row.scope, row.seq, reducer, body)) else None


def _goal_from_log(events: Iterator[EventRow], goal_id: GoalId, last_seq: int) -> Goal:
    alone = Workspace()
    for row in events:
        if row.seq > last_seq:
            break
        fold(alone, decode_event(row.body, row.words, row.hash))
    return alone.goals[goal_id]


def _workspace(body: _WorkspaceBody, row: SnapshotRow) -> Workspace:
    workspace = Workspace()
    workspace.seq, workspace.hash, workspace.at_ms = row.seq, row.hash, body.at_ms
    workspace.created, workspace.name = body.created, body.name
    workspace.members = {member.member_id: member for member in body.members}
    workspace.tokens = {token.secret_digest: token for token in body.tokens}
    workspace.tokens_by_id = {TokenId(token.token_id): token.secret_digest for token in body.tokens}
    workspace.pairings = {pairing.code_digest: pairing for pairing in body.pairings}
    workspace.identities = body.identities
    workspace.addresses = {address.member_id: address for address in body.addresses}
    workspace.button_keys = body.button_keys
    workspace.authority, workspace.grants = body.authority, body.grants
    return workspace


def _goal_bytes(goal: Goal) -> bytes:
    return msgspec.msgpack.encode(
        _GoalBody(
            **{name: getattr(goal, name) for name in _SAME},
            intents=goal.intents,
            deliveries=goal.deliveries,
            todos=list(goal.todos.values()),
            leases=list(goal.leases.values()),
            keys={todo_id: sorted(keys) for todo_id, keys in goal.keys.items()},
            artifacts=list(goal.artifacts.values()),
            recent=list(goal.recent),
        )
    )


def _goal(body: _GoalBody) -> Goal:
    goal = Goal(body.goal_id, body.proposed_by, body.created_seq)
    for name in _SAME[3:]:
        setattr(goal, name, getattr(body, name))
    goal.intents, goal.deliveries = body.intents, body.deliveries
    goal.todos = {todo.todo_id: todo for todo in body.todos}
    goal.leases = {lease.todo_id: lease for lease in body.leases}
    goal.keys = {todo_id: set(keys) for todo_id, keys in body.keys.items()}
    goal.artifacts = {ArtifactId(artifact.artifact_id): artifact for artifact in body.artifacts}
    goal.recent.extend(body.recent[-RECENT_EVENTS_MAX:])
    for todo in body.todos:
        index_todo(goal, todo)
    for lease in body.leases:
        index_lease(goal, lease)
    return goal
