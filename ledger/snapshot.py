"""Snapshots: a folded state kept as bytes, so that a long log need not be folded again.

A snapshot is a cache that cannot lie. It is used only at the very seq and hash it was made at and only by the very
reducer that made it, and only if its seal is whole: whoever restores names the reducer, with a secret where there is
one, and what was made or changed under another name is folded from the log instead.
There is one for the workspace and one for each goal. Indexes are not kept: they are made anew from the records.

A goal that is over is not read at all when a state is restored: the workspace's snapshot has its outline, and the goal
comes back from its own snapshot, or from its events, when somebody asks for it (`goal_reader`).
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from itertools import islice, takewhile

import msgspec

from ledger.codec import CodecError, decode_row
from ledger.folds.work import index_lease, index_todo
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId, TokenId
from ledger.outlines import is_over, outline_of, put_away
from ledger.parts.agents import Agents
from ledger.parts.amendments import Amendments
from ledger.parts.authority import Authority
from ledger.parts.gates import Gates
from ledger.parts.grants import Grants
from ledger.parts.handoffs import Handoffs
from ledger.parts.identity import Identity, LeftChats
from ledger.parts.plans import Plans
from ledger.parts.requests import Requests
from ledger.parts.reviews import Reviews
from ledger.parts.runs import Runs
from ledger.parts.slots import Slots
from ledger.parts.summaries import Summaries
from ledger.ports import Head, SnapshotRow, Store, StoreFault
from ledger.records import (
    Address,
    Artifact,
    Delivery,
    EventNote,
    GoalState,
    Intent,
    Lease,
    Member,
    Outline,
    Pairing,
    Question,
    Todo,
    Token,
)
from ledger.reduce import fold
from ledger.replay import fold_given, fold_proved
from ledger.scope_index import index_for
from ledger.state import GOAL_PARTS, RECENT_EVENTS_MAX, Goal, Workspace

WORKSPACE = "workspace"
SEAL_BYTES = 32
CLOSED_RESIDENT_MAX = 64
"""Goals that are over and still in memory, the last ones that somebody asked for."""
PROVED_APART_MIN = 100_000
"""Events for which a proof of their own beside the folding is worth beginning one."""
LET_GO_EVERY = 50_000
"""Events after which goals that are over leave memory while a long log is folded."""


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
    left_chats: LeftChats
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
    outlines: list[Outline]
    authority: Authority
    grants: Grants
    identity: Identity
    summaries: Summaries
    agents: Agents


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
    """The snapshots to keep now: the workspace, and each goal in memory that changed after `since_seq`.

    One that was put away was kept by whoever did it, or is read from its events.
    """
    for goal in workspace.goals.resident():
        if goal.last_seq > since_seq:
            yield goal_row(goal, reducer)
    over = (held for held in workspace.goals.held() if isinstance(held, Outline) or is_over(held))
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
        goals={held.goal_id: held.last_seq for held in workspace.goals.held()},
        outlines=[outline_of(held) for held in over],
        authority=workspace.authority,
        grants=workspace.grants,
        identity=workspace.identity,
        summaries=workspace.summaries,
        agents=workspace.agents,
    )
    yield _sealed(WORKSPACE, workspace.seq, workspace.hash, reducer, msgspec.msgpack.encode(body))


def goal_row(goal: Goal, reducer: str) -> SnapshotRow:
    """The snapshot of one goal; the hash beside it is not looked at, for a goal has none of its own."""
    return _sealed(f"goal:{goal.goal_id}", goal.last_seq, bytes(SEAL_BYTES), reducer, _goal_bytes(goal))


def is_kept(store: Store, goal: Goal, reducer: str) -> bool:
    """Whether the goal can be read back from a snapshot of its own, so that no event of it need be folded again."""
    row = store.snapshot(f"goal:{goal.goal_id}")
    return row is not None and (row.seq, row.reducer_digest) == (goal.last_seq, _named(reducer))


def restore(
    store: Store,
    reducer: str,
    on_skip: Callable[[str], None],
    keep: Callable[[list[SnapshotRow]], None] | None = None,
    prove_apart: Callable[[Head, int], None] | None = None,
) -> Workspace:
    """The state of the store's head, from snapshots where they hold and from the log where they do not.

    Goals that are over leave memory while a long log is folded; `keep` gets their snapshots. What is folded is proved:
    on the way, or by `prove_apart`, which is told after which event a long rest begins and where it ends. Raises
    StoreUnusable where the history does not hold.
    """
    workspace = _from_snapshot(store, reducer, on_skip) or Workspace()
    workspace.goals.loader = goal_reader(store, reducer)
    rest = store.events(workspace.seq)
    fold_rows, before, last_seq = fold_proved, -1, store.head().seq
    if prove_apart is not None and last_seq - workspace.seq >= PROVED_APART_MIN:
        prove_apart(Head(workspace.seq, workspace.hash), last_seq)
        fold_rows = fold_given
    while before != workspace.seq:
        before = workspace.seq
        fold_rows(workspace, islice(rest, LET_GO_EVERY))
        gone = put_away(workspace, CLOSED_RESIDENT_MAX, workspace.seq, len(workspace.goals))
        if keep is not None and gone:
            keep([goal_row(goal, reducer) for goal in gone])
    return workspace


def goal_reader(store: Store, reducer: str) -> Callable[[GoalId, int], Goal]:
    """What reads a goal back as it was after an event of its own: from its snapshot and the events since then."""

    def read(goal_id: GoalId, last_seq: int) -> Goal:
        kept = store.snapshot(f"goal:{goal_id}")
        opened = None if kept is None or kept.seq > last_seq else _opened(kept, reducer)
        try:
            begun = None if opened is None else _goal(msgspec.msgpack.decode(opened, type=_GoalBody))
        except msgspec.MsgspecError:
            begun = None  # The log has all of it.
        try:
            goal = goal_from_log(store, goal_id, last_seq, begun)
        except (CodecError, KeyError) as error:
            raise StoreFault(f"a goal that was put away cannot be read back: {type(error).__name__}") from error
        if goal.last_seq != last_seq:
            raise StoreFault(f"a goal that was put away has no event {last_seq} any more")
        return goal

    return read


def goal_from_log(store: Store, goal_id: GoalId, through_seq: int, begun: Goal | None = None) -> Goal:
    """A goal as its own events make it, up to one of them; `begun` is the same goal after an earlier one.

    Raises KeyError where it has none.
    """
    alone = Workspace()
    if begun is not None:
        alone.goals[goal_id], alone.seq = begun, begun.last_seq
    if alone.seq < through_seq:
        for row in takewhile(lambda row: row.seq <= through_seq, store.events(alone.seq, goal_id=goal_id)):
            fold(alone, decode_row(row))
    return alone.goals[goal_id]


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
    over, read = {outline.goal_id: outline for outline in body.outlines}, goal_reader(store, reducer)
    for goal_id, last_seq in body.goals.items():
        outline = over.get(goal_id)
        if outline is None:
            workspace.goals[goal_id] = read(goal_id, last_seq)
        else:
            workspace.goals.restore(outline)
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
    workspace.authority, workspace.grants, workspace.identity = body.authority, body.grants, body.identity
    workspace.summaries, workspace.agents = body.summaries, body.agents
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
    goal.scopes = index_for(fold_case=goal.intent.fold_case)
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
