"""What one action is: its parameters, who may ask, and what decides."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ledger.params import Params
from ledger.rules.common import Caller, Decision
from ledger.state import Workspace

Who = Literal["operator", "owner", "person", "agent", "bot", "daemon", "anyone"]
"""Classes of callers. `person` and `agent` are any member of that kind; `owner` is any person with that role."""

Decider = Callable[[Workspace, Caller, Params, int], Decision]
Basis = Literal["none", "intent", "delivery", "state"]


@dataclass(frozen=True, kw_only=True)
class Action:
    """One thing that can be done or asked. `number` names it in button tokens and is never used again."""

    name: str
    number: int
    params: type[Params]
    who: frozenset[Who]
    decide: Callable[..., Decision] | None = None
    basis: Basis = "none"
    hidden: bool = False
    example: str = ""
    mints: str | None = None
    """The parameter that holds the digest of a secret which the command line makes and prints once."""
    names_events: bool = False
    """Whether its parameter `seq` names recorded events, which are looked up for its decider."""

    takes_code: bool = False
    """Whether its parameter `code` is a one-time code, which is checked and taken out before anything else sees it."""

    goal_bound: bool = field(init=False)
    """Whether it is about one existing goal."""

    def __post_init__(self) -> None:
        goal = self.params.model_fields.get("goal_id")
        object.__setattr__(self, "goal_bound", goal is not None and goal.is_required())

    @property
    def writes(self) -> bool:
        """Whether it can change anything."""
        return self.decide is not None

    @property
    def noun(self) -> str:
        """The first half of its name."""
        return self.name.partition(".")[0]

    @property
    def verb(self) -> str:
        """The second half of its name."""
        return self.name.partition(".")[2]

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (self.params.__doc__ or "").strip().splitlines()[0]


def who(*names: Who) -> frozenset[Who]:
    """A set of classes of callers."""
    return frozenset(names)


PEOPLE = who("person")
AGENTS = who("agent")
WORKERS = who("person", "agent")
OPERATOR = who("operator", "owner")
ANYONE = who("anyone")
