"""An auditor who reads the recorded events and nothing else, and keeps a plain model of its own.

It knows the promises, not the code: no two holders of one todo, no two leases that can write one path, a claim and a
lease that never diverge, one completion and one successor, no yes but to what is shown now, no owner's word by an
agent, no delivery with open work. It asks the ledger's state only whether it says the same.
"""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ledger.events import Recorded
from ledger.state import Workspace

PATHS = ("reports/a", "reports/a/b", "reports/x", "docs/a.md", "docs/b.md", "docs/x", "docs", "src/x")
"""The paths that the walk's scopes can name."""
ENDED = frozenset({"accepted", "declined", "withdrawn", "stopped"})
MOVES: dict[str, tuple[frozenset[str], str | None]] = {
    "goal.question_asked": (frozenset({"proposed"}), "clarifying"),
    "goal.question_answered": (frozenset({"clarifying"}), "proposed"),
    "goal.paused": (frozenset({"active", "changes_requested"}), "paused"),
    "goal.stopped": (frozenset({"active", "changes_requested", "paused", "delivered"}), "stopped"),
    "goal.delivered": (frozenset({"active", "changes_requested"}), "delivered"),
    "goal.accepted": (frozenset({"delivered"}), "accepted"),
    "goal.changes_requested": (frozenset({"delivered"}), "changes_requested"),
}
OWNERS_WORD = frozenset(
    {
        "goal.confirmed",
        "goal.declined",
        "goal.paused",
        "goal.resumed",
        "goal.stopped",
        "goal.accepted",
        "goal.changes_requested",
    }
)


@dataclass
class Hold:
    """A lease as its events tell it."""

    owner: str
    key: str
    paths: frozenset[str]
    ends_at_ms: int
    version: int
    epoch: int
    active: bool = True


@dataclass
class Work:
    """A todo as its events tell it."""

    role: str
    needs: tuple[str, ...]
    claimant: str | None = None
    by_lease: bool = False
    status: str = "open"
    completions: int = 0
    successors: int = 0


@dataclass
class Promise:
    """A goal as its events tell it."""

    proposer: str
    owners: tuple[str, ...]
    state: str = "proposed"
    before_pause: str = "active"
    confirmed: int = 0
    bases: list[str] = field(default_factory=list)
    open_revision: int = 1
    deliveries: list[str] = field(default_factory=list)
    work: dict[str, Work] = field(default_factory=dict)
    holds: dict[str, Hold] = field(default_factory=dict)
    keys: set[tuple[str, str]] = field(default_factory=set)
    evidence: dict[str, tuple[str | None, str]] = field(default_factory=dict)


def paths_of(scopes: tuple[str, ...]) -> frozenset[str]:
    """The known paths that these scopes name: a glob by matching, a literal with everything below it."""
    return frozenset(
        path
        for path in PATHS
        for scope in scopes
        if fnmatchcase(path, scope) or path == scope or path.startswith(scope.removesuffix("/**") + "/")
    )


class Auditor:
    """Checks one event after the other, and then that the state says the same."""

    def __init__(self, people: frozenset[str], owners: frozenset[str]) -> None:
        self.people = people
        self.owners = owners
        self.promises: dict[str, Promise] = {}
        self.at_ms = 0
        self.seq: int | None = None

    def take(self, events: tuple[Recorded, ...], state: Workspace) -> None:
        """Check the events of one command, in order."""
        for event in events:
            assert self.seq is None or event.seq == self.seq + 1, "the sequence has a gap"
            assert event.at_ms >= self.at_ms, "time went back"
            self.seq, self.at_ms = event.seq, event.at_ms
            if event.goal_id is not None:
                self._goal_event(event)
        for event in events:
            if event.kind in {"goal.proposed", "goal.revised"}:
                # What an owner is shown from now on.
                self.promises[str(event.goal_id)].bases.append(state.goals[event.goal_id].intents[-1].basis)
            if event.kind == "goal.delivered":
                self.promises[str(event.goal_id)].deliveries.append(state.goals[event.goal_id].deliveries[-1].basis)

    def _goal_event(self, event: Recorded) -> None:
        goal_id = str(event.goal_id)
        if event.kind == "goal.proposed":
            assert goal_id not in self.promises, "a goal was proposed twice"
            self.promises[goal_id] = Promise(event.actor, event.facts.owners)
            return
        promise = self.promises[goal_id]
        if event.kind in OWNERS_WORD:
            owners = promise.owners or tuple(self.owners)
            assert event.actor in owners, f"{event.actor} said an owner's {event.kind}"
            assert event.actor in self.people, "an agent said an owner's word"
        if event.kind in MOVES:
            self._move(promise, event)
        check = getattr(self, "_" + event.kind.replace(".", "_"), None)
        if check is not None:
            check(promise, event)

    def _move(self, promise: Promise, event: Recorded) -> None:
        allowed, after = MOVES[event.kind]
        assert promise.state in allowed, f"{event.kind} came out of {promise.state}"
        if event.kind == "goal.paused":
            promise.before_pause = promise.state
        promise.state = after or promise.state

    # The promise.

    def _goal_revised(self, promise: Promise, event: Recorded) -> None:
        assert promise.state not in ENDED | {"delivered"}
        assert event.facts.revision == len(promise.bases) + 1
        promise.open_revision = event.facts.revision

    def _goal_confirmed(self, promise: Promise, event: Recorded) -> None:
        assert promise.open_revision == event.facts.revision, "a yes to a revision that does not wait"
        assert event.facts.basis == promise.bases[event.facts.revision - 1], "a yes to something else than was shown"
        assert promise.state not in ENDED | {"clarifying", "delivered"}
        promise.open_revision, promise.confirmed = 0, event.facts.revision
        promise.state = "active" if promise.state == "proposed" else promise.state

    def _goal_declined(self, promise: Promise, event: Recorded) -> None:
        self._turned_down(promise, event, "declined")

    def _goal_withdrawn(self, promise: Promise, event: Recorded) -> None:
        self._turned_down(promise, event, "withdrawn")

    def _turned_down(self, promise: Promise, event: Recorded, state: str) -> None:
        assert promise.open_revision == event.facts.revision
        promise.open_revision = 0
        promise.state = promise.state if promise.confirmed else state

    def _goal_resumed(self, promise: Promise, event: Recorded) -> None:
        assert promise.state == "paused"
        promise.state = promise.before_pause

    def _goal_stopped(self, promise: Promise, event: Recorded) -> None:
        promise.open_revision = 0

    def _goal_revision_adopted(self, promise: Promise, event: Recorded) -> None:
        assert (event.actor, event.facts.revision) == (event.facts.agent_id, promise.confirmed)

    def _goal_delivered(self, promise: Promise, event: Recorded) -> None:
        unfinished = [todo_id for todo_id, work in promise.work.items() if work.status in {"open", "blocked"}]
        assert not unfinished, "delivered with open work"
        assert promise.open_revision == 0, "delivered while a revision waits"
        assert event.facts.artifacts, "an empty delivery"
        for artifact_id, sha256 in event.facts.artifacts:
            todo_id, known = promise.evidence[artifact_id]
            assert known == sha256
            assert promise.work[str(todo_id)].status == "done"

    def _goal_accepted(self, promise: Promise, event: Recorded) -> None:
        self._judged(promise, event)

    def _goal_changes_requested(self, promise: Promise, event: Recorded) -> None:
        self._judged(promise, event)

    def _judged(self, promise: Promise, event: Recorded) -> None:
        assert event.facts.delivery == len(promise.deliveries), "a word on a delivery that is not the last"
        assert event.facts.basis == promise.deliveries[-1], "a yes to another delivery than was shown"

    # The work.

    def _todo_added(self, promise: Promise, event: Recorded) -> None:
        assert promise.confirmed, "work without a promise"
        assert promise.state not in ENDED | {"delivered"}
        assert event.facts.todo_id not in promise.work, "a todo took the place of another"
        assert set(event.facts.depends_on) <= set(promise.work)
        promise.work[event.facts.todo_id] = Work(event.facts.role, event.facts.depends_on, event.facts.claimed_by)

    def _todo_claimed(self, promise: Promise, event: Recorded) -> None:
        work = self._begins(promise, event, event.facts.agent_id)
        assert self._effective(promise, event.facts.todo_id) is None, "claimed over a lease"
        work.claimant, work.by_lease = event.facts.agent_id, False

    def _begins(self, promise: Promise, event: Recorded, owner: str) -> Work:
        assert promise.state in {"active", "changes_requested"}, f"work began while {promise.state}"
        work = promise.work[event.facts.todo_id]
        assert work.status == "open"
        assert owner == event.actor, "taken in another's name"
        assert self._claimant(promise, event.facts.todo_id) in {None, owner}, "taken from somebody"
        assert all(promise.work[other].status == "done" for other in work.needs), "began before what it waits for"
        return work

    def _todo_released(self, promise: Promise, event: Recorded) -> None:
        work = promise.work[event.facts.todo_id]
        assert self._effective(promise, event.facts.todo_id) is None, "a claim left its lease behind"
        work.claimant, work.by_lease = None, False

    def _todo_updated(self, promise: Promise, event: Recorded) -> None:
        work = promise.work[event.facts.todo_id]
        assert promise.state not in ENDED
        if event.facts.reopened:
            assert work.status == "blocked"
            work.status = "open"

    def _todo_blocked(self, promise: Promise, event: Recorded) -> None:
        assert self._effective(promise, event.facts.todo_id) is None, "blocked under a lease"
        promise.work[event.facts.todo_id].status = "blocked"

    def _todo_cancelled(self, promise: Promise, event: Recorded) -> None:
        assert self._effective(promise, event.facts.todo_id) is None
        waiting = [
            w for w in promise.work.values() if event.facts.todo_id in w.needs and w.status in {"open", "blocked"}
        ]
        assert not waiting, "others wait for it for ever"
        work = promise.work[event.facts.todo_id]
        work.status, work.claimant, work.by_lease = "cancelled", None, False

    def _todo_completed(self, promise: Promise, event: Recorded) -> None:
        facts, work = event.facts, promise.work[event.facts.todo_id]
        assert work.status == "open", "completed twice, or when it could not be"
        assert all(promise.work[other].status == "done" for other in work.needs)
        assert self._effective(promise, facts.todo_id) is None, "completed without giving the lease back"
        if work.role == "agent":
            assert facts.evidence, "done without evidence"
            assert facts.completed_by == event.actor
        assert all(promise.evidence[artifact][0] == facts.todo_id for artifact in facts.evidence), "another's evidence"
        work.status, work.claimant, work.by_lease = "done", None, False
        work.completions += 1
        work.successors += facts.successor_todo_id is not None
        assert work.completions == 1
        assert work.successors <= 1

    def _artifact_submitted(self, promise: Promise, event: Recorded) -> None:
        facts = event.facts
        assert facts.artifact_id not in promise.evidence
        if facts.todo_id is not None and promise.work[facts.todo_id].role == "agent":
            assert self._claimant(promise, facts.todo_id) == event.actor, "proved another's work"
        promise.evidence[facts.artifact_id] = (facts.todo_id, facts.sha256)

    # The leases.

    def _effective(self, promise: Promise, todo_id: str) -> Hold | None:
        hold = promise.holds.get(todo_id)
        alive = hold is not None and hold.active and hold.ends_at_ms > self.at_ms
        return hold if alive and promise.work[todo_id].status == "open" and promise.state not in ENDED else None

    def _claimant(self, promise: Promise, todo_id: str) -> str | None:
        work = promise.work[todo_id]
        return None if work.by_lease and self._effective(promise, todo_id) is None else work.claimant

    def _lease_acquired(self, promise: Promise, event: Recorded) -> None:
        facts = event.facts
        work = self._begins(promise, event, facts.owner)
        assert work.role == "agent"
        last = promise.holds.get(facts.todo_id)
        assert last is None or not last.active, "a second lease on one todo, or an expiry that nobody wrote"
        assert (facts.todo_id, facts.idempotency_key) not in promise.keys, "an execution key came back"
        assert (facts.version, facts.lease_epoch) == ((last.version + 1, last.epoch + 1) if last else (1, 1))
        mine = paths_of(facts.write_scopes)
        others = [
            (other, mine & hold.paths)
            for other, hold in promise.holds.items()
            if other != facts.todo_id and self._effective(promise, other) is not None
        ]
        assert not [meet for meet in others if meet[1]], "two leases may write one path"
        promise.keys.add((facts.todo_id, facts.idempotency_key))
        promise.holds[facts.todo_id] = Hold(
            facts.owner, facts.idempotency_key, mine, facts.expires_at_ms, facts.version, facts.lease_epoch
        )
        work.claimant, work.by_lease = facts.owner, True

    def _lease_renewed(self, promise: Promise, event: Recorded) -> None:
        hold = self._effective(promise, event.facts.todo_id)
        assert hold is not None, "a dead lease came back to life"
        assert hold.owner == event.actor
        assert event.facts.version == hold.version + 1
        hold.version, hold.ends_at_ms = event.facts.version, event.facts.expires_at_ms

    def _lease_released(self, promise: Promise, event: Recorded) -> None:
        hold = promise.holds[event.facts.todo_id]
        assert hold.active
        assert (event.facts.version, event.facts.lease_epoch) == (hold.version, hold.epoch)
        self._ended(promise, event.facts.todo_id)

    def _lease_expired(self, promise: Promise, event: Recorded) -> None:
        hold = promise.holds[event.facts.todo_id]
        assert hold.active
        assert event.facts.expired_at_ms == hold.ends_at_ms <= event.at_ms, "expired before its end"
        assert (event.facts.owner, event.facts.lease_epoch) == (hold.owner, hold.epoch)
        self._ended(promise, event.facts.todo_id)

    def _ended(self, promise: Promise, todo_id: str) -> None:
        promise.holds[todo_id].active = False
        work = promise.work[todo_id]
        if work.by_lease:
            work.claimant, work.by_lease = None, False

    # Does the state say the same?

    def compare(self, state: Workspace) -> None:
        """Hold the ledger's state against what the events said."""
        for goal_id, promise in self.promises.items():
            goal = state.goals[goal_id]  # type: ignore[index]
            assert (goal.state, goal.confirmed, goal.pending) == (
                promise.state,
                promise.confirmed,
                promise.open_revision,
            )
            for todo_id, work in promise.work.items():
                todo = goal.todos[todo_id]  # type: ignore[index]
                seen = (todo.status, todo.claimed_by, todo.claim_from_lease)
                assert seen == (work.status, work.claimant, work.by_lease), todo_id
                assert len(todo.successor_todo_ids) == work.successors
            for todo_id, hold in promise.holds.items():
                lease = goal.leases[todo_id]  # type: ignore[index]
                assert (lease.status == "active", lease.owner, lease.version) == (hold.active, hold.owner, hold.version)
                if lease.status == "active" and promise.work[todo_id].status == "open":
                    assert promise.work[todo_id].claimant == hold.owner, "a claim and a lease diverged"
