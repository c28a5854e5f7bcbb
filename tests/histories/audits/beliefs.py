"""What the auditor concludes from what it was told: who may begin what, what is met, what is spent, who decides."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger.events import Recorded
from ledger.writer import Request
from tests.histories.audits.known import Known
from tests.histories.audits.model import ENDED, EXECUTABLE, Being, Hold, Promise, Question, Right, Word, Work, decides
from tests.histories.audits.paths import paths_of


@dataclass
class Model:
    """The whole workspace."""

    members: dict[str, Being] = field(default_factory=dict)
    rights: dict[str, Right] = field(default_factory=dict)
    tokens: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], bool]] = field(default_factory=dict)
    bindings: dict[str, tuple[str, str, list[str]]] = field(default_factory=dict)
    """How an agent is connected: the configuration, the credential, and what it wrote by it since."""
    promises: dict[str, Promise] = field(default_factory=dict)
    shown: dict[str, list[str]] = field(default_factory=dict)
    standing: dict[str, Word] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
    worded: dict[int, str | None] = field(default_factory=dict)
    """The events that have words, by seq, with the goal they are of."""
    erased: set[int] = field(default_factory=set)
    """The events that had words, which are gone."""
    said: dict[tuple[str, int], int] = field(default_factory=dict)
    """By which event each revision of a promise was said."""
    at_ms: int = 0

    def living(self, member: str) -> Being | None:
        """The member, unless unknown or revoked."""
        being = self.members.get(member)
        return None if being is None or being.revoked else being

    def owners(self, promise: Promise) -> frozenset[str]:
        """Who decides for a goal: the living owners it names, or the workspace's."""
        named = frozenset(one for one in promise.intent.owners if self.living(one))
        if named:
            return named
        return frozenset(one for one, being in self.members.items() if "owner" in being.roles and not being.revoked)

    def has_goal(self, member: str, goal_id: str) -> bool:
        """Whether an agent may act on a goal: by its registration, or by a grant that is not written off."""
        being = self.living(member)
        if being is None:
            return False
        granted = (right for right in self.rights.values() if right.member == member and not right.ended)
        return "*" in being.goals or goal_id in being.goals or any(goal_id in right.goals for right in granted)

    def capable(self, member: str, goal_id: str) -> frozenset[str]:
        """What an agent is able to do on a goal now."""
        alive = (one for one in self.rights.values() if one.about(member, goal_id) and one.alive(self.at_ms))
        return frozenset(self.members[member].capabilities).union(*(right.capabilities for right in alive))

    def effective(self, promise: Promise, todo_id: str) -> Hold | None:
        """The lease that holds a todo now."""
        hold = promise.holds.get(todo_id)
        alive = hold is not None and hold.active and hold.ends_at_ms > self.at_ms
        return hold if alive and promise.work[todo_id].status == "open" and promise.state not in ENDED else None

    def claimant(self, promise: Promise, todo_id: str) -> str | None:
        """Who has a todo now."""
        work = promise.work[todo_id]
        return None if work.by_lease and self.effective(promise, todo_id) is None else work.claimant

    def met(self, promise: Promise, todo_id: str) -> bool:
        """Whether what depends on a todo may begin."""
        work = promise.work[todo_id]
        if work.status != "done":
            return False
        if work.task_class == "user_gate":
            return work.outcome == "approve"
        if promise.intent.review != "independent":
            return True
        return all(self.counts(promise, one) for one in work.evidence)

    def counts(self, promise: Promise, artifact_id: str) -> bool:
        """Whether work may build on evidence."""
        proof = promise.proofs[artifact_id]
        independent = promise.intent.review == "independent"
        return proof.sound and (proof.verdict == "accepted" or not independent)

    def needs(self, promise: Promise, work: Work) -> tuple[str, ...]:
        """What must be met before work may begin."""
        return (*work.needs, *promise.unblockers.get(work.todo_id, ()))

    def ready(self, promise: Promise, work: Work) -> bool:
        """Whether all of that is met."""
        return all(self.met(promise, other) for other in self.needs(promise, work))

    def gate_over(self, promise: Promise, work: Work | None) -> str | None:
        """The gate that holds up this work, or the whole goal where none is named: the latest that no yes lifts."""
        gates = [gate for gate in promise.gates.values() if gate.status not in {"withdrawn", "superseded"}]
        sides = [[gate for gate in gates if gate.whole_goal]]
        if work is not None:
            sides.append([gate for gate in gates if work.todo_id in gate.todos])
        for side in sides:
            for topic in dict.fromkeys(gate.topic for gate in side):
                matter = [gate for gate in side if gate.topic == topic]
                for number, gate in reversed([*enumerate(matter)]):
                    if gate.status == "approved":
                        continue
                    yes = [one for one in matter[number + 1 :] if one.status == "approved"]
                    if not any(self.outdoes(promise, one, gate) for one in yes):
                        return gate.gate_id
        return None if work is None else self._undecided(promise, work, gates)

    def outdoes(self, promise: Promise, later: Question, earlier: Question) -> bool:
        """Whether a later yes counts against an earlier gate that was none: it was no easier, or an owner spoke."""
        owners = {*promise.intent.owners}
        if not any(self.living(one) for one in owners):
            owners |= {one for one, being in self.members.items() if "owner" in being.roles}
        if {later.opened_by, later.decided_by} & owners:
            return True
        left_out = {one for one in earlier.approvers if self.living(one)} - {*later.approvers}
        grave = ("low", "normal", "high", "critical")
        lighter = grave.index(later.severity) < grave.index(earlier.severity) or later.step_up < earlier.step_up
        return not (left_out or lighter or later.quorum < earlier.quorum)

    def _undecided(self, promise: Promise, work: Work, gates: list[Question]) -> str | None:
        """The gate, or the need itself, that holds up work which needs decisions first: silence is a no."""
        named = [gate for gate in gates if work.todo_id in gate.todos]
        for gate in named:
            if gate.scope and work.decisions and not any(decides(gate.scope, need) for need in work.decisions):
                return "contradiction"
        for need in work.decisions:
            broad = [gate for gate in gates if gate.scope and not gate.todos and not gate.whole_goal]
            asked = next((gate for gate in broad if gate.status == "open" and decides(gate.scope or "", need)), None)
            if asked is not None:
                return asked.gate_id
            if any(gate.status == "approved" and gate.scope and decides(gate.scope, need) for gate in named):
                continue
            words = [one for one in self.standing.values() if one.goal_id in {None, promise.goal_id}]
            last = next((one for one in reversed(words) if decides(one.scope, need)), None)
            if last is None or last.revoked:
                return need
            if not last.yes:
                return last.gate.gate_id
        return None

    def request_over(self, promise: Promise, todo_id: str) -> bool:
        """Whether an open request names this work as waiting for it."""
        return any(one.blocks == todo_id and one.status == "open" for one in promise.requests.values())

    def unread(self, promise: Promise, agent: str) -> bool:
        """Whether the agent has not adopted the promise in force."""
        return promise.adopted.get(agent, promise.first) != promise.confirmed

    def overstepped(self, promise: Promise, work: Work, agent: str, scopes: tuple[str, ...]) -> str | None:
        """What the agent lacks by the grants that were ever made to it for this goal."""
        about = [right for right in self.rights.values() if right.about(agent, promise.goal_id)]
        alive = [right for right in about if right.alive(self.at_ms)]
        if self.members[agent].role == "dreaming_proposer" and not alive:
            return "only proposes"
        own = self.members[agent].goals
        if not ("*" in own or promise.goal_id in own or any(promise.goal_id in right.goals for right in alive)):
            return "has not the goal"
        kinds = {kind for right in alive for kind in right.kinds}
        if any(right.kinds for right in about) and "*" not in kinds and work.action_kind not in kinds:
            return "may not do this kind"
        if any(right.scopes for right in about):
            fold = promise.intent.fold_case
            allowed = paths_of(tuple(scope for right in alive for scope in right.scopes), fold_case=fold)
            if not paths_of((*work.scopes, *scopes), fold_case=fold) <= allowed:
                return "may not write there"
        wanted = (*promise.intent.capabilities, *work.capabilities)
        return None if self.capable(agent, promise.goal_id).issuperset(wanted) else "is not able to"

    def taken(self, promise: Promise, todo_id: str, agent: str) -> bool:
        """Whether somebody else is admitted to this work now."""
        one = promise.admissions.get(todo_id)
        return one is not None and one.agent != agent and one.ends_at_ms > self.at_ms

    def ripe(self, promise: Promise, work: Work) -> bool:
        """Whether the work was put off, and what it was put off until holds: by what is written, whatever the time."""
        if work.waits is None:
            return False
        condition, reference, due_ms = work.waits
        match condition:
            case "time":
                return due_ms is not None and due_ms <= self.at_ms
            case "todo_done":
                return promise.work[reference].status == "done"
            case "capability":
                able = (name for name, being in self.members.items() if being.kind == "agent")
                return any(self.has_goal(name, promise.goal_id) and reference in self.written(name) for name in able)
            case _:
                return False

    def written(self, member: str) -> frozenset[str]:
        """What an agent is able to do by what is written: a grant that is over and not written off still counts."""
        rights = (right for right in self.rights.values() if right.member == member and not right.ended)
        return frozenset(self.members[member].capabilities).union(*(right.capabilities for right in rights))

    def is_open(self, promise: Promise, work: Work) -> bool:
        """Whether work is open, written or not."""
        return work.status == "open" or (work.status == "deferred" and self.ripe(promise, work))

    def why_not(
        self, promise: Promise, work: Work, agent: str, scopes: tuple[str, ...] = (), giver: str | None = None
    ) -> str | None:
        """Why this agent may not begin this work now, as the auditor sees it."""
        being = self.living(agent)
        claimant = self.claimant(promise, work.todo_id)
        facts = {
            "the goal does not run": promise.state not in EXECUTABLE,
            "it is not open": work.role != "agent" or not self.is_open(promise, work),
            "no such agent": being is None or being.kind != "agent" or not self.has_goal(agent, promise.goal_id),
            "excluded": agent in work.excluded or work.bound not in {None, agent},
            "somebody has it": claimant not in {None, agent, giver},
            "the promise is not read": self.unread(promise, agent),
            "what it waits for is not met": not self.ready(promise, work),
            "an amendment holds it": work.held_by is not None,
            "a request holds it": self.request_over(promise, work.todo_id),
            "a gate holds it up": self.gate_over(promise, work) is not None,
            "it is reserved": self.taken(promise, work.todo_id, agent),
        }
        broken = next((why for why, holds in facts.items() if holds), None)
        return broken or self.overstepped(promise, work, agent, scopes)

    def spent(self, promise: Promise) -> int:
        """Slots spent in the window that ends now."""
        since = self.at_ms - promise.settings[1] * 3_600_000
        return sum(one.slots for one in promise.spends.values() if not one.voided and one.at_ms > since)

    def reserved(self, promise: Promise) -> int:
        """Slots that somebody is admitted to and has not spent."""
        return sum(one.slots for one in promise.admissions.values() if one.ends_at_ms > self.at_ms)

    def allowed(self, promise: Promise) -> int:
        """Slots in the window."""
        permille, hours, minutes, fixed = promise.settings
        fixed = promise.intent.allowed_slots if fixed is None else fixed
        return int(hours * 60 * permille / (minutes * 1_000) + 0.5) if fixed is None else fixed


@dataclass
class Case:
    """One event on trial: with the command it belongs to, its siblings, and the goal it is about."""

    model: Model
    event: Recorded
    request: Request
    group: tuple[Recorded, ...]
    promise: Promise
    state: object
    before: object = None

    @property
    def facts(self):
        """What was recorded."""
        return self.event.facts

    @property
    def params(self):
        """What was asked for."""
        return self.request.params

    @property
    def owns(self) -> bool:
        """Whether whoever acted decides for the goal."""
        return self.event.actor in self.model.owners(self.promise)

    @property
    def work(self) -> Work:
        """The todo it is about."""
        return self.promise.work[self.facts.todo_id]

    def shown(self, subject: str) -> str:
        """What somebody sees who looks at it now."""
        return self.model.shown[f"{self.promise.goal_id}/{subject}"][-1]

    def siblings(self, kind: str) -> Iterator[Recorded]:
        """The events of one kind in the same command."""
        return (event for event in self.group if event.kind == kind)
