"""A ladder: the rules of one action in their order of precedence, each with a way to break it and nothing else.

From a base that is taken, each rung alone must give its own refusal, and two neighbours together the first one's.
The order of the rungs must be the order of the family's enumeration, so that docs, enum and test cannot drift apart.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from tests.support.world import World

Change = Callable[[World], object]


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One rule: its code, and what breaks it: another goal, another world, other parameters or another caller.

    A parameter that is a function is asked for its value when the world is ready.
    """

    code: StrEnum
    goal: dict[str, object] = field(default_factory=dict)
    world: Change = lambda _: None
    late: bool = False
    """This change closes the door on others, so it comes after them."""
    params: dict[str, object] = field(default_factory=dict)
    who: str | None = None
    alone: bool = False
    """It cannot hold together with the next one."""


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """One action with a base that is taken; `base` makes the goal with what the rungs change in it."""

    action: str
    who: str
    base: Callable[[World, dict[str, object]], object]
    params: dict[str, object]
    rungs: tuple[Rung, ...]
    expected: str = "committed"

    def outcome(self, *broken: Rung) -> str:
        """What comes of the call with these rules broken; of two that change one thing, the first has its way."""
        world, goal = World(), {}
        params, who = dict(self.params), self.who
        for rung in reversed(broken):
            goal |= rung.goal
            params |= rung.params
            who = rung.who or who
        self.base(world, goal)
        last_first = [*reversed(broken)]
        for rung in [rung for rung in last_first if not rung.late] + [rung for rung in last_first if rung.late]:
            rung.world(world)
        given = {name: value(world) if callable(value) else value for name, value in params.items()}
        return world.outcome(who, self.action, **{name: value for name, value in given.items() if value is not None})

    def cases(self) -> Iterator[tuple[str, tuple[Rung, ...]]]:
        """Nothing broken, every rung alone, and every two neighbours that can hold together."""
        yield f"{self.action} is taken when no rule is broken", ()
        for rung in self.rungs:
            yield f"{self.action} is refused with {rung.code.value}", (rung,)
        for first, second in pairwise(self.rungs):
            if not first.alone:
                yield f"{self.action}: {first.code.value} comes before {second.code.value}", (first, second)


Case = tuple[Ladder, tuple[Rung, ...]]


def cases(*ladders: Ladder) -> dict[str, Case]:
    """All cases by their sentence, to parametrise a test with."""
    found: dict[str, Case] = {}
    for ladder in ladders:
        for sentence, broken in ladder.cases():
            name = sentence if sentence not in found else f"{sentence} ({len(found)})"
            found[name] = (ladder, broken)
    return found


def check(case: Case) -> None:
    """The first broken rule is the answer."""
    ladder, broken = case
    assert ladder.outcome(*broken) == (broken[0].code.value if broken else ladder.expected)


def check_order(ladder: Ladder) -> None:
    """The rules are checked in the order in which the enumerations list them."""
    for family in {type(rung.code) for rung in ladder.rungs}:
        listed = list(family)
        places = [listed.index(rung.code) for rung in ladder.rungs if type(rung.code) is family]
        assert places == sorted(places), [listed[place] for place in places]


def untested(family: type[StrEnum], *ladders: Ladder) -> set[str]:
    """Codes of a family that no rung of its ladders reaches."""
    given = {(type(rung.code), rung.code.name) for ladder in ladders for rung in ladder.rungs}
    # By family and name: codes of two families that are spelt alike are equal.
    return {code for code in family if (family, code.name) not in given}
