"""What every move of a walk is made with: who there is, how somebody goes wrong now and then, and what to choose from.

The chooser is whoever drives the walk (hypothesis, or a seeded generator). Now and then something is wrong on purpose:
a stale basis, another's key, a todo that is not there, a command out of season. What comes of it is the core's to say.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ledger.events import Surface
from ledger.ids import MemberId, TodoId
from ledger.records import Lease, Member, Todo
from ledger.rules.leases import effective_claim
from ledger.state import Goal, Workspace
from tests.support.world import World

Option = TypeVar("Option")
Choose = Callable[[Sequence[Option]], Option]

PEOPLE = ("ann", "bob", "cat", "vic")
"""The workspace's owner; one without a role, who may own a goal; an approver; a viewer."""
AGENTS = ("builder", "helper", "critic", "dreamer", "steward", "stranger")
"""Two executors, a reviewer, one who may only propose, a steward, and one who has another goal."""
WORKERS = ("builder", "helper")
SCOPES = ("reports/**", "reports/a", "reports/a/b", "docs/*.md", "docs/a.md", "docs", "docs/**", "src/*/x")
KEYS = tuple(f"run-{number}" for number in range(1, 13))
TURNS = ("turn-1", "turn-2", "turn-3")
STALE = "b1:" + "0" * 32
NEVER = "0" * 64


@dataclass(frozen=True)
class Move:
    """One command: who, what, with which parameters, and what it came by."""

    who: str
    action: str
    params: dict[str, object] = field(default_factory=dict)
    surface: Surface = "cli"
    channel_id: str | None = None
    token_id: str | None = None


class Walk:
    """Chooses; `shown` are the bases that somebody was shown of each subject of a goal, the oldest first."""

    def __init__(
        self, world: World, choose: Choose, slip_one_in: int = 9, shown: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.world = world
        self.choose = choose
        self.shown: Mapping[str, Sequence[str]] = {} if shown is None else shown
        self._slips = range(slip_one_in)

    @property
    def state(self) -> Workspace:
        """What a reader sees."""
        return self.world.state

    @property
    def at_ms(self) -> int:
        """The moment a command would be decided at."""
        return max(self.world.now_ms, self.world.state.at_ms)

    def slip(self) -> bool:
        """Whether something is wrong this time."""
        return self.choose(self._slips) == 0

    def one_in(self, number: int) -> bool:
        """Whether it happens this time."""
        return self.choose(range(number)) == 0

    def open_todos(self, goal: Goal) -> list[str]:
        """The work that is open."""
        return [todo.todo_id for todo in goal.todos.values() if todo.status == "open"]

    def todo(self, goal: Goal) -> str:
        """A todo, mostly an open one, now and then one that is not there."""
        open_ones = self.open_todos(goal)
        return self.choose([*goal.todos, "todo_none"] if self.slip() or not open_ones else open_ones)

    def free(self, goal: Goal) -> str:
        """A todo that an agent could take, mostly."""
        free = [todo_id for _, _, todo_id in goal.ready]
        return self.choose(free) if free and not self.slip() else self.todo(goal)

    def held(self, goal: Goal) -> Todo | None:
        """Work that an agent has in hand, mostly."""
        held = [goal.todos[todo_id] for mine in goal.mine.values() for todo_id in mine]
        return self.choose(held) if held and not self.slip() else None

    def leased(self, goal: Goal) -> list[str]:
        """The work that is under a lease, lapsed or not."""
        return [lease.todo_id for lease in goal.leases.values() if lease.status == "active"]

    def person(self) -> str:
        """Mostly the owner."""
        return self.choose((*PEOPLE, *AGENTS)) if self.slip() else "ann"

    def owner(self, goal: Goal) -> str:
        """Somebody who decides for the goal, mostly."""
        return self.choose((*PEOPLE, *AGENTS)) if self.slip() else self.choose(goal.intent.owners or ("ann",))

    def agent(self) -> str:
        """One of the two that have every goal, or somebody else."""
        return self.choose((*AGENTS, "ann")) if self.slip() else self.choose(WORKERS)

    def anybody(self) -> str:
        """Any member at all, those who were revoked or came later included."""
        return self.choose([*self.state.members])

    def members(self, fits: Callable[[Member], bool]) -> list[MemberId]:
        """The members of whom something holds."""
        return [member.member_id for member in self.state.members.values() if fits(member)]

    def holder(self, goal: Goal, todo: Todo | None) -> str:
        """Mostly whoever has the todo."""
        holder = None if todo is None else effective_claim(goal, todo, self.at_ms) or todo.bound_agent
        return self.agent() if holder is None or self.slip() else holder

    def basis(self, right: str, older: Sequence[str] = ()) -> str | None:
        """What is shown now, or something else."""
        return self.choose((*older, STALE, None)) if self.slip() else right

    def earlier(self, goal: Goal, subject: str, right: str) -> Sequence[str]:
        """What was shown of a subject before."""
        return [basis for basis in self.shown.get(f"{goal.goal_id}/{subject}", ()) if basis != right]

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


Command = Callable[[Walk, Goal], Move]


def given(goal: Goal, params: dict[str, object]) -> dict[str, object]:
    """The parameters that are there, and which goal they are about."""
    return {"goal_id": goal.goal_id} | {name: value for name, value in params.items() if value is not None}


def crowd(world: World) -> None:
    """Everybody a walk knows by name and the small world has not."""
    for person, role in (("cat", "approver"), ("vic", "viewer")):
        world.do("operator", "member.add", member_id=person, kind="person", display_name=person, role=[role])
    roles = (("critic", "reviewer"), ("dreamer", "dreaming_proposer"), ("steward", "steward"))
    for agent, role in roles:
        about = {"member_id": agent, "kind": "agent", "display_name": agent, "profile_role": role}
        world.do("operator", "member.add", **about, capability=["docs"])
