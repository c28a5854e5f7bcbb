"""What a journey is about: who sits where, what is promised in each round, what goes wrong, and how it is measured.

The frame knows processes, cards and the ledger; a content knows its subject, its programs and its measures. Neither
decides anything for anybody: agents work by their programs, a person decides on cards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Without = Literal["validator", "fence", "review"]
"""What can be left out, to see that the journey then fails."""
Lane = Mapping[str, object]
"""A lane as `plan propose` takes it."""


@dataclass(frozen=True, kw_only=True)
class Seat:
    """One agent of the team and the program that does its work."""

    agent_id: str
    role: str
    """As `member add` takes it: executor, reviewer, …"""
    command: Sequence[str]
    """What `worker run --exec` is given; any other program, an agent's too, may take its place."""
    capabilities: tuple[str, ...] = ()
    at_repository: bool = False
    """Whether its worker is told of the repository, so that each turn has a worktree of its own."""
    is_spare: bool = False
    """Whether it begins only when somebody it can stand in for is lost."""


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What a goal promises, as an owner reads it."""

    title: str
    objective: str
    criteria: tuple[str, ...]
    write_scopes: tuple[str, ...]
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Incident:
    """How the worker in one seat is lost while it holds the lease of a lane.

    `killed`: SIGKILL. `frozen`: stopped until another has taken the work over, then let go on. In both, what it had
    sent arrives when the work is another's.
    """

    kind: Literal["killed", "frozen"]
    agent_id: str
    lane_id: str
    successor: str
    """Whose worker takes the work over; it is started then."""


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What the owner changes on the form, by the beginning of each field's label, while the work is under way."""

    fields: Mapping[str, str]
    why: str


@dataclass(frozen=True, kw_only=True)
class Round:
    """One goal, from its proposal to its acceptance."""

    goal_id: str
    promise: Promise
    lanes: tuple[Lane, ...]
    incident: Incident | None = None
    correction: Correction | None = None


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """One artifact that was delivered, with the store's copy whose digest was computed again."""

    artifact_id: str
    label: str
    kind: str
    sha256: str
    path: Path | None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the acceptor measured itself, and whether it holds."""

    name: str
    holds: bool
    says: str


class Content(Protocol):
    """What a journey is about."""

    @property
    def title(self) -> str:
        """What the terminal says it is."""
        ...

    @property
    def repository(self) -> Path | None:
        """Where the work is written to, if anywhere."""
        ...

    @property
    def validators(self) -> Path | None:
        """The file in which the validators' names get their meaning."""
        ...

    def seats(self) -> Sequence[Seat]:
        """The team, the steward aside."""
        ...

    def round(self, number: int) -> Round:
        """Prepare a round, counted from 1: its files, its promise, its lanes."""
        ...

    def measure(self, now: Round, delivered: Sequence[Delivered]) -> Sequence[Finding]:
        """Run every check again, in a clean place, on what was delivered and on nothing else.

        The round's promise is the one in force now, as the owner has corrected it.
        """
        ...

    def settle(self, now: Round, delivered: Sequence[Delivered]) -> None:
        """What follows from the owner's yes, as merging what was accepted."""
        ...
