"""A walk: the next command of somebody who is mostly sensible, chosen from what the state offers.

The chooser is whoever drives the walk (hypothesis, or a seeded generator). About one choice in a few is wrong on
purpose: a stale basis, another's key, a todo that is not there. What comes of it is the core's to say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ledger.rules.goals import state_basis
from ledger.state import Goal, Todo
from tests.support.world import World, digest

Option = TypeVar("Option")
Choose = Callable[[Sequence[Option]], Option]

PEOPLE = ("ann", "bob")
AGENTS = ("builder", "helper", "stranger")
GOALS = ("docs", "site")
SCOPES = ("reports/**", "reports/a", "reports/a/b", "docs/*.md", "docs/a.md", "docs", "**")
KEYS = ("run-1", "run-2", "run-3", "run-4", "run-5", "run-6")
REVISIONS: tuple[dict[str, object], ...] = (
    {"objective": "Better docs"},
    {"objective": "Best docs"},
    {"budget": "two hours"},
    {"priority": "P0"},
    {"priority": "P2"},
    {"write_scope": ["~"]},
    {"enforce": ["constraints"]},
)
STALE = "b1:" + "0" * 32


@dataclass(frozen=True)
class Move:
    """One command: who, what, and with which parameters."""

    who: str
    action: str
    params: dict[str, object] = field(default_factory=dict)


class Walker:
    """Chooses the next command."""

    def __init__(self, world: World, choose: Choose) -> None:
        self.world = world
        self.choose = choose

    def next(self) -> Move:
        """The next command, about whatever there is."""
        if not self.world.state.goals:
            return self.propose()
        return self.choose(_WEIGHTED)(self)

    # What to choose from.

    def maybe(self, value: Option, one_in: int = 4) -> Option | None:
        """The value, or now and then nothing."""
        return None if self.choose(range(one_in)) == 0 else value

    def goal(self) -> Goal:
        """A goal, mostly one that is under way."""
        goals = list(self.world.state.goals.values())
        moving = [goal for goal in goals if goal.state in {"active", "changes_requested", "proposed", "delivered"}]
        return self.choose(moving if moving and self.choose(range(6)) else goals)

    def todo(self, goal: Goal) -> str:
        """A todo, mostly an open one, now and then one that is not there."""
        open_ones = [todo.todo_id for todo in goal.todos.values() if todo.status == "open"]
        every = [*goal.todos, "todo_none"]
        return self.choose(open_ones if open_ones and self.choose(range(5)) else every)

    def worker(self) -> str:
        """Mostly an agent."""
        return self.choose((*AGENTS, "builder", "helper", "builder", *PEOPLE))

    def person(self) -> str:
        """Mostly the owner."""
        return self.choose(("ann", "ann", "ann", "bob"))

    def holder(self, todo: Todo | None) -> str:
        """Mostly whoever has the todo."""
        if todo is not None and todo.claimed_by is not None and self.choose(range(4)):
            return todo.claimed_by
        return self.worker()

    def fence(self, goal: Goal, todo_id: str, prefix: str = "") -> dict[str, object]:
        """The lease's key and version, mostly the right ones; nothing where there is no lease."""
        lease = goal.leases.get(todo_id)  # type: ignore[call-overload]  # a walk may ask for what is not there
        if lease is None or (lease.status != "active" and self.choose(range(4))):
            return {}
        key = self.choose((lease.idempotency_key,) * 4 + KEYS[:2])
        version = self.choose((lease.version,) * 4 + (lease.version + 1, None))
        version_name = "expected_version" if prefix == "" else f"{prefix}expected_version"
        return {f"{prefix}idempotency_key": key} | ({} if version is None else {version_name: version})

    # The commands.

    def propose(self) -> Move:
        """Put a goal before its owners."""
        params: dict[str, object] = {
            "goal_id": self.choose(GOALS),
            "objective": "Check the docs",
            "criterion": self.choose((["Every link works"], ["Every link works", "Every command runs"])),
            "write_scope": self.choose((["**"], ["**"], ["reports/**", "docs"], [], ["../x"])),
            "handoff_mode": self.choose(("optional_lease", "optional_lease", "soft_claim", "hard_lease")),
            "owner": self.choose(([], [], ["ann"], ["ann", "bob"], ["builder"])),
            "enforce": self.choose(([], [], [], ["write_scopes"], ["budget"])),
        }
        return Move(self.choose((*PEOPLE, "builder")), "goal.propose", params)

    def revise(self) -> Move:
        """Change the promise."""
        goal = self.goal()
        changes = self.choose(REVISIONS)
        basis = self.maybe(goal.intents[-1].basis, 2) or self.choose((None, None, None, STALE))
        return Move(self.choose((*PEOPLE, "ann", "builder")), "goal.revise", _given(goal, changes | {"basis": basis}))

    def clarify(self) -> Move:
        """Ask or answer."""
        goal = self.goal()
        asked = {"question": "Which folder?"}
        answered = {"answer": "docs", "question_id": self.choose((None, None, "q_1"))}
        params = self.choose((asked, answered, answered, asked | answered))
        return Move(self.choose((*PEOPLE, *AGENTS)), "goal.clarify", _given(goal, params))

    def decide(self) -> Move:
        """Say yes or no to the revision that waits, or to one that did."""
        goal = self.goal()
        bases = [intent.basis for intent in goal.intents]
        action = self.choose(("goal.confirm",) * 6 + ("goal.decline", "goal.withdraw"))
        who = self.choose((self.person(), self.person(), self.person(), self.worker()))
        basis = self.choose((bases[-1],) * 5 + (bases[0], STALE, None))
        return Move(who, action, _given(goal, {"basis": basis}))

    def change_state(self) -> Move:
        """Pause, resume or, seldom, stop."""
        goal = self.goal()
        action = "goal.resume" if goal.state == "paused" else self.choose(("goal.pause", "goal.resume", "goal.stop"))
        if action == "goal.stop" and self.choose(range(3)):
            action = "goal.pause"
        basis = self.choose((None, state_basis(goal), STALE))
        return Move(self.choose((self.person(), self.person(), "builder")), action, _given(goal, {"basis": basis}))

    def adopt(self) -> Move:
        """Read the promise."""
        goal = self.goal()
        revision = self.choose((goal.confirmed or 1,) * 3 + (9,))
        return Move(self.choose(AGENTS), "goal.adopt", _given(goal, {"revision": revision}))

    def deliver(self) -> Move:
        """Put the result before the owners."""
        return Move(
            self.choose((*AGENTS, "builder", "ann", "bob")), "goal.deliver", _given(self.goal(), {"summary": "Done"})
        )

    def judge(self) -> Move:
        """Accept the delivery that waits, or send it back."""
        goal = self.goal()
        bases = [delivery.basis for delivery in goal.deliveries] or [STALE]
        basis = self.choose((bases[-1],) * 5 + (bases[0], STALE, None))
        action = self.choose(("goal.accept", "goal.request-changes", "goal.request-changes"))
        reason = {"reason": "Check the anchors"} if action == "goal.request-changes" else {}
        return Move(
            self.choose((self.person(), self.person(), self.worker())), action, _given(goal, reason | {"basis": basis})
        )

    def add(self) -> Move:
        """Add work."""
        goal = self.goal()
        names = tuple(f"todo_{name}" for name in ("aaa", "bbb", "ccc", "ddd"))
        params: dict[str, object] = {
            "text": "Check the links",
            "todo_id": self.choose((*names, None, f"todo_{self.world.state.seq + 3:06d}")),
            "depends_on": self.choose(([], [], [*goal.todos][:1], [*goal.todos][-1:], ["todo_none"])),
            "required_write_scope": self.choose(([], [], [self.choose(SCOPES)], ["/etc"], ["src"])),
            "required_capability": self.choose(([], [], [], ["docs"], ["gpu"])),
            "excluded_agent": self.choose(([], [], [], ["helper"], ["nobody"])),
            "bound_agent": self.choose((None, None, None, "builder", "helper")),
            "role": self.choose(("agent",) * 5 + ("user",)),
            "task_class": self.choose((None, "advancement_task", "user_action")),
            "priority": self.choose(("P0", "P1", "P2")),
        }
        return Move(self.choose((*PEOPLE, "ann", *AGENTS)), "todo.add", _given(goal, params))

    def claim(self) -> Move:
        """Take work, softly, or give it back."""
        goal = self.goal()
        todo_id = self.todo(goal)
        if self.choose(range(5)) == 0:
            return Move(self.holder(goal.todos.get(todo_id)), "todo.release", _given(goal, {"todo_id": todo_id}))  # type: ignore[call-overload]
        params = {"todo_id": todo_id, "agent_id": self.choose((None,) * 6 + ("builder",))}
        return Move(self.choose(AGENTS), "todo.claim", _given(goal, params))

    def change(self) -> Move:
        """Change, block or cancel work."""
        goal = self.goal()
        todo_id = self.todo(goal)
        todo = goal.todos.get(todo_id)  # type: ignore[call-overload]
        who = self.choose((self.holder(todo), "ann", "bob"))
        fence = self.choose(({}, self.fence(goal, todo_id, "task_lease_")))
        if todo is not None and todo.status == "blocked" and self.choose(range(3)):
            return Move(who, "todo.update", _given(goal, {"todo_id": todo_id, "status": "open"}))
        match self.choose(("update", "block", "cancel", "update")):
            case "block":
                return Move(who, "todo.block", _given(goal, fence | {"todo_id": todo_id, "reason": "The site is down"}))
            case "cancel":
                return Move(who, "todo.cancel", _given(goal, fence | {"todo_id": todo_id}))
            case _:
                changes = self.choose(
                    ({"priority": "P0"}, {"note": "Half done"}, {"status": "open"}, {"priority": "P2"})
                )
                return Move(who, "todo.update", _given(goal, changes | {"todo_id": todo_id}))

    def acquire(self) -> Move:
        """Take work, exclusively and for a while."""
        goal = self.goal()
        params: dict[str, object] = {
            "todo_id": self.todo(goal),
            "idempotency_key": self.choose(KEYS),
            "ttl_seconds": self.choose((30, 30, 300)),
            "write_scope": self.choose(([], [], [self.choose(SCOPES)], ["../x"], ["src/x"])),
            "owner": self.choose((None,) * 7 + ("helper",)),
            "expected_version": self.choose((None,) * 6 + (0, 1)),
        }
        return Move(self.choose(AGENTS), "task-lease.acquire", _given(goal, params))

    def keep(self) -> Move:
        """Renew a lease, or give it back, or have the daemon write its end."""
        goal = self.goal()
        todo_id = self.choose([*goal.leases, "todo_none", *([self.todo(goal)] if goal.todos else [])])
        lease = goal.leases.get(todo_id)  # type: ignore[call-overload]
        if self.choose(range(4)) == 0:
            return Move("daemon", "task-lease.expire", _given(goal, {"todo_id": todo_id}))
        who = lease.owner if lease is not None and self.choose(range(5)) else self.choose(AGENTS)
        params = self.fence(goal, todo_id) or {"idempotency_key": "run-1", "expected_version": 0}
        params.setdefault("idempotency_key", "run-1")
        return Move(
            who, self.choose(("task-lease.renew", "task-lease.release")), _given(goal, params | {"todo_id": todo_id})
        )

    def submit(self) -> Move:
        """Hand in evidence."""
        goal = self.goal()
        todo_id = self.todo(goal)
        params: dict[str, object] = {
            "label": "report.json",
            "sha256": digest(self.world.state.seq),
            "size_bytes": 812,
            "todo_id": self.choose((todo_id, todo_id, todo_id, None)),
            "criterion": self.choose(([], ["c1"], ["c9"])),
        }
        return Move(self.holder(goal.todos.get(todo_id)), "artifact.submit", _given(goal, params))  # type: ignore[call-overload]

    def complete(self) -> Move:
        """Finish work, mostly what has been proved."""
        goal = self.goal()
        proved = [artifact for artifact in goal.artifacts.values() if artifact.todo_id is not None]
        open_proved = [artifact for artifact in proved if goal.todos[artifact.todo_id].status == "open"]  # type: ignore[index]
        chosen = self.choose(open_proved or proved) if proved and self.choose(range(5)) else None
        todo_id = self.todo(goal) if chosen is None else str(chosen.todo_id)
        evidence = [str(chosen.artifact_id)] if chosen else self.choose(([], [*goal.artifacts][:1], ["art_none"]))
        params: dict[str, object] = {
            "todo_id": todo_id,
            "evidence": evidence,
            "completion_turn_key": self.choose((None, None, "turn-1")),
            "next_agent_todo": self.choose((None, None, "Follow up")),
        }
        if params["next_agent_todo"] is not None:
            params["next_claimed_by"] = self.choose((None, "helper", "stranger"))
        params |= self.fence(goal, todo_id, "task_lease_")
        return Move(self.holder(goal.todos.get(todo_id)), "todo.complete", _given(goal, params))  # type: ignore[call-overload]


def _given(goal: Goal, params: dict[str, object]) -> dict[str, object]:
    """The parameters that are there, and which goal they are about."""
    return {"goal_id": goal.goal_id} | {name: value for name, value in params.items() if value is not None}


_WEIGHTED: tuple[Callable[[Walker], Move], ...] = (
    Walker.propose,
    Walker.revise,
    Walker.clarify,
    *(Walker.decide,) * 3,
    Walker.change_state,
    Walker.adopt,
    *(Walker.deliver,) * 2,
    *(Walker.judge,) * 2,
    *(Walker.add,) * 3,
    *(Walker.claim,) * 3,
    *(Walker.change,) * 2,
    *(Walker.acquire,) * 4,
    *(Walker.keep,) * 3,
    *(Walker.submit,) * 4,
    *(Walker.complete,) * 4,
)
