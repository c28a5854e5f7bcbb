"""The values of a turn: what is known of it, what may happen to it, what is to be done next."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from daemon.agents.worker_result import Decision, Outcome, SaidReview

TurnKind = Literal["todo", "rework", "request", "monitor"]
Phase = Literal["taking", "preparing", "running", "ending", "judging", "writing", "over"]
Close = Literal["", "done", "progress", "no_progress", "blocked", "failed", "refused", "fenced"]
StepName = Literal[
    "reserve", "claim", "lease", "take_over", "receive", "adopt_revision", "adopt_amendment", "inspect", "submit",
    "validate", "check", "review", "ask", "complete", "block", "report", "usage", "spend", "release_lease",
    "release_claim", "release_slot", "respond", "return", "observe",
]  # fmt: skip
Why = Literal["", "timed_out", "lease_lost", "interrupted", "rebase", "revision", "goal_over"]


class Step(NamedTuple):
    """One thing to ask or do."""

    name: StepName
    number: int = 0
    part: int = 0


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A file that lies in the store and is to be handed in."""

    sha256: str
    size_bytes: int
    label: str
    kind: str
    criteria: tuple[str, ...] = ()
    summary: str = ""
    inputs: tuple[str, ...] = ()
    revises: str | None = None


@dataclass(frozen=True, kw_only=True)
class Hand:
    """What a turn came to, judged and complete: nothing else is needed to write it back."""

    outcome: Outcome
    summary: str
    pieces: tuple[Piece, ...] = ()
    delivery_outcome: str = "no_progress"
    usage: tuple[tuple[str, int], ...] = ()
    reviews: tuple[SaidReview, ...] = ()
    digests: tuple[tuple[str, str], ...] = ()
    """Digests of what was in the packet, by artifact: a word is on these and on no newer ones."""
    decision: Decision = "adopt"
    answer_artifacts: tuple[str, ...] = ()
    ask: str = ""
    """The parameters of a request to somebody else, as JSON; nothing where there is none."""
    reason: str = ""
    seen: str = ""
    """For a monitor: the digest of what was seen."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """All that is known of a turn."""

    turn_id: str
    agent_id: str
    goal_id: str
    kind: TurnKind = "todo"
    subject: str = ""
    """The todo or the request."""
    handoff_mode: str = "optional_lease"
    came_over: tuple[str, int] | None = None
    """Key and version of a lease that was handed over to the agent, and that the turn goes on from."""
    lease_seconds: int
    timeout_seconds: int
    phase: Phase = "taking"
    steps: tuple[Step, ...] = ()
    version: int | None = None
    """The lease's, while the turn has one."""
    renew_at_ms: int = 0
    lease_until_ms: int = 0
    deadline_ms: int = 0
    why: Why = ""
    hold: str = ""
    """The amendment or the revision that is to be adopted before going on."""
    begun_anew: int = 0
    validators: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    """Validators that have passed on some of the evidence."""
    hand: Hand | None = None
    artifact_ids: tuple[str, ...] = ()
    run_id: str = ""
    problem: str = ""
    words: str = ""
    notes: tuple[str, ...] = ()
    close: Close = ""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return self.phase == "over"


# What may happen.


@dataclass(frozen=True)
class Answered:
    """The ledger did what the first step asks."""

    step: Step
    result: dict[str, object]


@dataclass(frozen=True)
class Refused:
    """The ledger, or a validator, said no to a step."""

    step: Step
    code: str


@dataclass(frozen=True)
class Prepared:
    """The folder and the packet are there."""

    validators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """The folder could not be made, or what the program left cannot be taken."""

    code: str
    words: str


@dataclass(frozen=True)
class Exited:
    """The program has ended: with an exit code, below zero for a signal."""

    exit_code: int


@dataclass(frozen=True)
class Judged:
    """What the program left is in the store."""

    hand: Hand


@dataclass(frozen=True)
class Tick:
    """Time passes."""


@dataclass(frozen=True)
class Renewed:
    """The lease holds for longer."""

    version: int


@dataclass(frozen=True)
class NotRenewed:
    """The lease is not this turn's any longer."""

    code: str


@dataclass(frozen=True)
class Moved:
    """What the turn rests on is not what it was."""

    why: Literal["rebase", "revision", "goal_over"]
    hold: str


@dataclass(frozen=True)
class StopNow:
    """End the program and give the work back."""


Event = (
    Answered | Refused | Prepared | Failed | Exited | Judged | Tick | Renewed | NotRenewed | Moved | StopNow
)  # fmt: skip


# What is to be done.

Command = Literal["ask", "validate", "prepare", "launch", "end", "judge", "renew", "over"]
"""`ask` and `validate` are about the first of the turn's steps; all others need no more than their name."""
Next = tuple[Turn, tuple[Command, ...]]
