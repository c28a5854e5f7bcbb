"""Subjects of cards: what a card is about, where it is shown, and what each kind of card has to say for itself.

    form:<message>   review:<goal>:<revision>   goal:<goal>   acceptance:<goal>:<delivery>   ...

A subject's name begins with its kind; where it is about a goal, the goal's id comes next. A *slot* is a subject in a
*place*: a chat, or what the bot and one person have between them. What should be shown follows from the state alone. A
closed card stays a slot, so that it gets its last patch; it is never sent anew.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ledger.ids import GoalId, MemberId
from ledger.projections.cards import Offer
from ledger.projections.views import CardKind, CardPart
from ledger.state import Goal, Workspace

DIRECT: Final = "direct:"
"""Begins the place between the bot and one person. Where that is on the platform only the address knows."""
NUMBER_DIGITS_MAX: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A card that should be shown: its subject, whether it still wants something, and how urgent that is."""

    subject: str
    open: bool
    urgent: bool
    people: tuple[MemberId, ...] = ()
    """Who gets a copy directly, besides the chats."""
    chats: bool = True
    """Whether the chats show it; what is for one person alone is shown in no chat."""
    only: tuple[str, ...] | None = None
    """The chats that show it, where those are not all that show what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A subject's name taken apart: the goal it is about, if any, and which part of it."""

    kind: CardKind
    subject: str
    goal: Goal | None = None
    number: int = 0
    key: str = ""
    place: str = ""
    """Where the card is shown, as far as that is known: what is about no goal may be about those of its chat."""


def _nothing_fixed(_target: Target, _action: str) -> Mapping[str, object]:
    return {}


def _nothing_chosen(_form: Mapping[str, str]) -> Mapping[str, object]:
    return {}


Find = Callable[[Workspace, str], Target | None]
"""The target that the rest of a subject's name (after the kind) stands for, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of card."""

    kind: CardKind
    find: Find
    view: Callable[[Workspace, Target, int], CardPart]
    """What the card is drawn from, at this moment."""
    offers: Callable[[Workspace, Target, int], Iterable[Offer]]
    """The buttons it carries now."""
    of_goal: Callable[[Workspace, Goal, int], Iterator[Wanted]] | None = None
    """The cards that one goal wants."""
    of_workspace: Callable[[Workspace, int], Iterator[Wanted]] | None = None
    """The cards that belong to no goal."""
    fixed: Callable[[Target, str], Mapping[str, object]] = field(default=_nothing_fixed)
    """Parameters of an action that the subject itself says; nothing typed into a form replaces them."""
    chosen: Callable[[Mapping[str, str]], Mapping[str, object]] = field(default=_nothing_chosen)
    """Parameters that a choice of the card's own stands for."""
    now: Callable[[Target], str | None] | None = None
    """The subject that is asked about today, where another one may have taken this one's place."""
    mentions: Callable[[Workspace, Target], tuple[MemberId, ...]] | None = None
    """Whom the message names when it is new."""
    shows: Callable[[Workspace, Target], bool] | None = None
    """Whether there is still anything to draw for the place that it is asked for."""
    may_press: Callable[[Target, str, MemberId], bool] | None = None
    """Whether the copy that is for one person alone carries a button; on the chats' cards everybody sees all."""


def number_of(text: str) -> int | None:
    """A number in a subject's name, or None where it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= NUMBER_DIGITS_MAX else None


def goal_of(workspace: Workspace, name: str) -> Goal | None:
    """The goal of this name."""
    return workspace.goals.get(GoalId(name))


def numbered(kind: CardKind, count: Callable[[Goal], int]) -> Find:
    """Finds `<goal>:<number>`, of which a goal has `count`."""

    def find(workspace: Workspace, rest: str) -> Target | None:
        name, _, digits = rest.rpartition(":")
        goal, number = goal_of(workspace, name), number_of(digits)
        if goal is None or number is None or not 1 <= number <= count(goal):
            return None
        return Target(kind=kind, subject=f"{kind}:{rest}", goal=goal, number=number)

    return find


def keyed(kind: CardKind, known: Callable[[Goal], Container[str]]) -> Find:
    """Finds `<goal>:<key>`, where the goal knows the key."""

    def find(workspace: Workspace, rest: str) -> Target | None:
        name, _, key = rest.rpartition(":")
        goal = goal_of(workspace, name)
        if goal is None or key not in known(goal):
            return None
        return Target(kind=kind, subject=f"{kind}:{rest}", goal=goal, key=key)

    return find


def keyed_and_numbered(kind: CardKind, count: Callable[[Goal, str], int]) -> Find:
    """Finds `<goal>:<key>:<number>`, of which a key has `count`; of an unknown one there are none."""

    def find(workspace: Workspace, rest: str) -> Target | None:
        about, _, digits = rest.rpartition(":")
        name, _, key = about.rpartition(":")
        goal, number = goal_of(workspace, name), number_of(digits)
        if goal is None or number is None or not 1 <= number <= count(goal, key):
            return None
        return Target(kind=kind, subject=f"{kind}:{rest}", goal=goal, number=number, key=key)

    return find
