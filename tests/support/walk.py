"""A walk: the next command of people and agents who are mostly sensible, chosen from what the state offers.

The chooser is whoever drives the walk (hypothesis, or a seeded generator). Now and then something is wrong on purpose:
a stale basis, another's key, a todo that is not there, a command out of season. What comes of it is the core's to say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ledger.ids import TodoId
from ledger.records import Lease, Todo
from ledger.rules.goals import state_basis
from ledger.state import Goal
from tests.support.world import World, digest

Option = TypeVar("Option")
Choose = Callable[[Sequence[Option]], Option]

PEOPLE = ("ann", "bob")
AGENTS = ("builder", "helper", "stranger")
SCOPES = ("reports/**", "reports/a", "reports/a/b", "docs/*.md", "docs/a.md", "docs")
KEYS = tuple(f"run-{number}" for number in range(1, 13))
REVISIONS: tuple[dict[str, object], ...] = (
    {"objective": "Better docs"},
    {"objective": "Best docs"},
    {"budget": "two hours"},
    {"priority": "P0"},
    {"priority": "P2"},
)
BAD_REVISIONS: tuple[dict[str, object], ...] = ({"write_scope": ["~"]}, {"enforce": ["constraints"]})
STALE = "b1:" + "0" * 32
MOVING = frozenset({"proposed", "clarifying", "active", "paused", "changes_requested", "delivered"})


@dataclass(frozen=True)
class Move:
    """One command: who, what, and with which parameters."""

    who: str
    action: str
    params: dict[str, object] = field(default_factory=dict)


class Walker:
    """Chooses the next command."""

    def __init__(self, world: World, choose: Choose, slip_one_in: int = 9) -> None:
        self.world = world
        self.choose = choose
        self._slips = range(slip_one_in)

    def slip(self) -> bool:
        """Whether something is wrong this time."""
        return self.choose(self._slips) == 0

    def one_in(self, number: int) -> bool:
        """Whether it happens this time."""
        return self.choose(range(number)) == 0

    def next(self) -> Move:
        """The next command, about a goal that is under way where there is one."""
        goals = self.world.state.goals.values()
        moving = [goal for goal in goals if goal.state in MOVING]
        if not moving or (len(moving) < 3 and self.one_in(12)):
            return self.propose()
        goal = self.choose([*goals] if self.slip() else moving)
        statuses = {todo.status for todo in goal.todos.values()}
        if goal.is_executable and "done" in statuses and not statuses & {"open", "blocked"} and not self.one_in(3):
            return self.settle(goal) if goal.pending else self.deliver(goal)
        season = _ALWAYS if self.slip() else _SEASONS.get(goal.state, _ALWAYS)
        return self.choose(season)(self, goal)

    # What to choose from.

    def todo(self, goal: Goal) -> str:
        """A todo, mostly an open one, now and then one that is not there."""
        open_ones = [todo.todo_id for todo in goal.todos.values() if todo.status == "open"]
        return self.choose([*goal.todos, "todo_none"] if self.slip() or not open_ones else open_ones)

    def free(self, goal: Goal) -> str:
        """A todo that an agent could take, mostly."""
        free = [todo_id for _, _, todo_id in goal.ready]
        return self.choose(free) if free and not self.slip() else self.todo(goal)

    def person(self) -> str:
        """Mostly the owner."""
        return self.choose((*PEOPLE, *AGENTS)) if self.slip() else "ann"

    def agent(self) -> str:
        """One of the two that have every goal, or somebody else."""
        return self.choose((*AGENTS, "ann")) if self.slip() else self.choose(AGENTS[:2])

    def holder(self, todo: Todo | None) -> str:
        """Mostly whoever has the todo."""
        if todo is None or todo.claimed_by is None or self.slip():
            return self.agent()
        return todo.claimed_by

    def basis(self, right: str, older: Sequence[str]) -> str | None:
        """What is shown now, or something else."""
        return self.choose((*older, STALE, None)) if self.slip() else right

    def fence(self, lease: Lease | None) -> tuple[str, int | None] | None:
        """The lease's key and version, mostly the right ones; nothing where there is no lease."""
        if lease is None or (lease.status != "active" and not self.slip()) or self.one_in(12):
            return None
        key = self.choose(KEYS) if self.slip() else lease.idempotency_key
        return key, self.choose((lease.version + 1, None)) if self.slip() else lease.version

    def fenced(self, goal: Goal, todo_id: str) -> dict[str, object]:
        """The fence as the commands of todos take it."""
        found = self.fence(goal.leases.get(TodoId(todo_id)))
        if found is None:
            return {}
        return {"task_lease_idempotency_key": found[0], "task_lease_expected_version": found[1]}

    # The commands.

    def propose(self) -> Move:
        """Put a goal before its owners."""
        params: dict[str, object] = {
            "objective": "Check the docs",
            "criterion": self.choose((["Every link works"], ["Every link works", "Every command runs"])),
            "write_scope": ["../x"] if self.slip() else self.choose((["**"], ["**"], ["reports/**", "docs"])),
            "handoff_mode": self.choose(("optional_lease",) * 4 + ("soft_claim", "hard_lease")),
            "owner": ["builder"] if self.slip() else self.choose(([], [], ["ann"], ["ann", "bob"])),
            "enforce": ["budget"] if self.slip() else ["write_scopes"],
            "review": "owner",
        }
        if self.slip():
            params["goal_id"] = self.choose([*self.world.state.goals, "docs"])
        return Move(self.choose((*PEOPLE, "builder")), "goal.propose", params)

    def revise(self, goal: Goal) -> Move:
        """Change the promise."""
        changes = self.choose(BAD_REVISIONS if self.slip() else REVISIONS)
        basis = self.choose((None, goal.intents[(goal.pending or goal.confirmed or 1) - 1].basis))
        who = self.choose((*PEOPLE, "builder")) if self.slip() else self.choose(("ann", goal.proposed_by))
        return Move(who, "goal.revise", _given(goal, changes | {"basis": STALE if self.slip() else basis}))

    def clarify(self, goal: Goal) -> Move:
        """Ask or answer."""
        asked, answered = {"question": "Which folder?"}, {"answer": "docs"}
        params: dict[str, object] = {**(answered if goal.question else asked)}
        if self.slip():
            params = self.choose((asked | answered, answered | {"question_id": "q_1"}, asked, answered))
        return Move(self.choose((*PEOPLE, *AGENTS)) if self.slip() else "ann", "goal.clarify", _given(goal, params))

    def decide(self, goal: Goal) -> Move:
        """Say yes or no to the revision that waits."""
        if goal.question is not None and not self.slip():
            return self.clarify(goal)
        basis = self.basis(goal.intents[-1].basis, [goal.intents[0].basis])
        verb = self.choose(("decline", "withdraw")) if self.one_in(12) else "confirm"
        who = goal.intents[-1].proposed_by if verb == "withdraw" and not self.slip() else self.person()
        return Move(who, f"goal.{verb}", _given(goal, {"basis": basis}))

    def settle(self, goal: Goal) -> Move:
        """Decide on a revision of a promise that is in force, if there is one."""
        return self.decide(goal) if goal.pending or self.slip() else self.add(goal)

    def halt(self, goal: Goal) -> Move:
        """Pause, or seldom stop."""
        verb = "stop" if self.one_in(4) else "resume" if self.slip() else "pause"
        basis = STALE if self.slip() else self.choose((None, state_basis(goal)))
        return Move(self.person(), f"goal.{verb}", _given(goal, {"basis": basis}))

    def resume(self, goal: Goal) -> Move:
        """Go on."""
        return Move(self.person(), "goal.resume", _given(goal, {"basis": self.choose((None, state_basis(goal)))}))

    def adopt(self, goal: Goal) -> Move:
        """Read the promise."""
        return Move(self.agent(), "goal.adopt", _given(goal, {"revision": 9 if self.slip() else goal.confirmed or 1}))

    def deliver(self, goal: Goal) -> Move:
        """Put the result before the owners, mostly when there is one."""
        unfinished = any(todo.status in {"open", "blocked"} for todo in goal.todos.values())
        if (unfinished or not goal.todos) and not self.slip():
            return self.complete(goal) if unfinished else self.add(goal)
        return Move(self.agent(), "goal.deliver", _given(goal, {"summary": "Done"}))

    def judge(self, goal: Goal) -> Move:
        """Accept the delivery that waits, or send it back."""
        bases = [delivery.basis for delivery in goal.deliveries] or [STALE]
        params: dict[str, object] = {"basis": self.basis(bases[-1], bases[:1])}
        if self.one_in(3):
            return Move(self.person(), "goal.accept", _given(goal, params))
        return Move(self.person(), "goal.request-changes", _given(goal, params | {"reason": "Check the anchors"}))

    def add(self, goal: Goal) -> Move:
        """Add work, mostly while there is little."""
        if sum(todo.status in {"open", "blocked"} for todo in goal.todos.values()) >= 3 and not self.slip():
            return self.complete(goal)
        params: dict[str, object] = {
            "text": "Check the links",
            "todo_id": self.choose((None, None, f"todo_{self.world.state.seq + 3:06d}", "todo_aaa")),
            "depends_on": self.choose(([], [], [], [*goal.todos][-1:])),
            "required_write_scope": self.choose(([], [self.choose(SCOPES)])),
            "required_capability": ["gpu"] if self.slip() else self.choose(([], ["docs"])),
            "excluded_agent": self.choose(([], [], [], [], [], ["helper"])),
            "bound_agent": self.choose((None, None, None, None, None, "builder")),
            "role": self.choose(("agent",) * 7 + ("user",)),
            "task_class": None if self.slip() else "user_action",
            "priority": self.choose(("P0", "P1", "P2")),
        }
        if self.slip():
            wrong: tuple[dict[str, object], ...] = (
                {"depends_on": ["todo_none"]},
                {"required_write_scope": ["/etc"]},
                {"required_write_scope": ["src"]},
                {"excluded_agent": ["nobody"]},
                {"excluded_agent": ["builder"], "bound_agent": "builder"},
            )
            params |= self.choose(wrong)
        who = self.choose((*PEOPLE, *AGENTS)) if self.slip() else self.choose(("ann", "builder", "helper"))
        return Move(who, "todo.add", _given(goal, params))

    def claim(self, goal: Goal) -> Move:
        """Take work, softly, or give it back."""
        todo_id = self.todo(goal)
        if self.one_in(8):
            return Move(
                self.holder(goal.todos.get(TodoId(todo_id))), "todo.release", _given(goal, {"todo_id": todo_id})
            )
        params = {"todo_id": self.free(goal), "agent_id": "helper" if self.slip() else None}
        return Move(self.agent(), "todo.claim", _given(goal, params))

    def change(self, goal: Goal) -> Move:
        """Change, block, open or cancel work."""
        blocked = [todo.todo_id for todo in goal.todos.values() if todo.status == "blocked"]
        if blocked and not self.one_in(4):
            return Move("ann", "todo.update", _given(goal, {"todo_id": self.choose(blocked), "status": "open"}))
        todo_id = self.todo(goal)
        who = self.choose((self.holder(goal.todos.get(TodoId(todo_id))), self.person()))
        about = {"todo_id": todo_id}
        match self.choose(("update", "block", "cancel")):
            case "block":
                about |= self.fenced(goal, todo_id) | {"reason": "The site is down"}
                return Move(who, "todo.block", _given(goal, about))
            case "cancel":
                return Move(who, "todo.cancel", _given(goal, about | self.fenced(goal, todo_id)))
            case _:
                changes = self.choose(
                    ({"priority": "P0"}, {"note": "Half done"}, {"status": "open"}, {"priority": "P2"})
                )
                return Move(who, "todo.update", _given(goal, about | changes))

    def acquire(self, goal: Goal) -> Move:
        """Take work, exclusively and for a while."""
        params: dict[str, object] = {
            "todo_id": self.free(goal),
            "idempotency_key": self.choose(KEYS[:2]) if self.one_in(4) else self.choose(KEYS),
            "ttl_seconds": self.choose((30, 300, 300)),
            "write_scope": self.choose(([], [self.choose(SCOPES)])),
            "owner": "helper" if self.slip() else None,
            "expected_version": self.choose((0, 1)) if self.slip() else None,
        }
        beside = [scope for lease in goal.leases.values() if lease.status == "active" for scope in lease.write_scopes]
        if beside and self.one_in(3):
            # Two agents want one place: a rare meeting, if nobody goes looking for it.
            params["write_scope"] = [self.choose(beside)]
        if self.slip():
            params["write_scope"] = self.choose((["../x"], ["src/x"]))
        return Move(self.agent(), "task-lease.acquire", _given(goal, params))

    def keep(self, goal: Goal) -> Move:
        """Renew a lease, or give it back, or have the daemon write its end."""
        active = [lease.todo_id for lease in goal.leases.values() if lease.status == "active"]
        todo_id = self.choose(active) if active and not self.slip() else self.todo(goal)
        if self.one_in(4):
            return Move("daemon", "task-lease.expire", _given(goal, {"todo_id": todo_id}))
        lease = goal.leases.get(TodoId(todo_id))
        who = self.agent() if lease is None or self.slip() else lease.owner
        key, version = self.fence(lease) or ("run-1", 0)
        params = {"todo_id": todo_id, "idempotency_key": key, "expected_version": version}
        return Move(who, f"task-lease.{self.choose(('renew', 'renew', 'release'))}", _given(goal, params))

    def held(self, goal: Goal) -> Todo | None:
        """Work that an agent has in hand, mostly."""
        held = [goal.todos[todo_id] for mine in goal.mine.values() for todo_id in mine]
        return self.choose(held) if held and not self.slip() else None

    def submit(self, goal: Goal) -> Move:
        """Hand in evidence."""
        held = self.held(goal)
        if held is None and not self.slip():
            return self.claim(goal) if goal.ready else self.change(goal) if goal.todos else self.add(goal)
        todo_id = self.todo(goal) if held is None else held.todo_id
        params: dict[str, object] = {
            "label": "report.json",
            "sha256": digest(self.world.state.seq),
            "size_bytes": 812,
            "todo_id": None if self.slip() else todo_id,
            "criterion": ["c9"] if self.slip() else ["c1"],
        }
        return Move(self.holder(goal.todos.get(TodoId(todo_id))), "artifact.submit", _given(goal, params))

    def complete(self, goal: Goal) -> Move:
        """Finish work, mostly what has been proved; prove it first where it has not."""
        held = self.held(goal)
        if held is None and not self.slip():
            return self.submit(goal)
        todo_id = self.todo(goal) if held is None else held.todo_id
        proofs = [str(artifact.artifact_id) for artifact in goal.artifacts.values() if artifact.todo_id == todo_id]
        if held is not None and not proofs and not self.slip():
            return self.submit(goal)
        params: dict[str, object] = {
            "todo_id": todo_id,
            "evidence": self.choose(([], [*goal.artifacts][:1], ["art_none"])) if self.slip() else proofs,
            "completion_turn_key": self.choose((None, "turn-1", "turn-2")),
        }
        if self.one_in(4):
            params |= {"next_agent_todo": "Follow up", "next_claimed_by": self.choose((None, "helper"))}
            params |= {"next_claimed_by": "stranger"} if self.slip() else {}
        who = self.holder(goal.todos.get(TodoId(todo_id)))
        return Move(who, "todo.complete", _given(goal, params | self.fenced(goal, todo_id)))

    def complete_again(self, goal: Goal) -> Move:
        """Say once more that something is done, as another turn or with another successor."""
        done = [todo for todo in goal.todos.values() if todo.status == "done"]
        if not done:
            return self.complete(goal)
        todo = self.choose(done)
        turn = self.choose((todo.completion_turn_key, "turn-1", "turn-2"))
        params = {"todo_id": todo.todo_id, "completion_turn_key": turn, "next_agent_todo": "Follow up again"}
        who = self.person() if todo.completed_by is None or self.slip() else todo.completed_by
        return Move(who, "todo.complete", _given(goal, params))

    def finish_persons(self, goal: Goal) -> Move:
        """A person does what is a person's, where there is such work."""
        theirs = [todo.todo_id for todo in goal.todos.values() if todo.role == "user" and todo.status == "open"]
        if not theirs:
            return self.complete(goal)
        return Move(self.person(), "todo.complete", _given(goal, {"todo_id": self.choose(theirs)}))


def _given(goal: Goal, params: dict[str, object]) -> dict[str, object]:
    """The parameters that are there, and which goal they are about."""
    return {"goal_id": goal.goal_id} | {name: value for name, value in params.items() if value is not None}


_Command = Callable[[Walker, Goal], Move]
_WORK: tuple[_Command, ...] = (
    *(Walker.add,) * 3,
    *(Walker.claim,) * 3,
    *(Walker.acquire,) * 4,
    *(Walker.keep,) * 2,
    *(Walker.submit,) * 3,
    *(Walker.complete,) * 6,
    *(Walker.finish_persons,) * 2,
    Walker.complete_again,
    *(Walker.change,) * 2,
    *(Walker.deliver,) * 2,
    *(Walker.adopt,) * 2,
    *(Walker.settle,) * 3,
    Walker.revise,
    Walker.halt,
)
_SEASONS: dict[str, tuple[_Command, ...]] = {
    "proposed": (*(Walker.decide,) * 6, Walker.clarify, Walker.revise),
    "clarifying": (*(Walker.decide,) * 3, Walker.clarify, Walker.revise),
    "active": _WORK,
    "changes_requested": _WORK,
    "paused": (*(Walker.resume,) * 4, Walker.submit, Walker.complete, Walker.settle, Walker.halt),
    "delivered": (*(Walker.judge,) * 6, Walker.add, Walker.halt),
}
_ALWAYS: tuple[_Command, ...] = (*_WORK, Walker.decide, Walker.clarify, Walker.judge, Walker.resume)
