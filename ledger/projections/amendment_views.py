"""What the card of an amendment is drawn from: its changes, what becomes of work in hand, and what has moved since."""

from typing import Literal, TypeAlias

import msgspec

from ledger.parts.amendments import AmendmentClass, Choice, OperationName
from ledger.projections.causes import Cause, DecisionView

AmendmentStatusName: TypeAlias = Literal["open", "needs_rebase", "committed", "rejected", "withdrawn", "ended"]
"""`ended` is an amendment that nobody decided on before its goal was over."""


class ChangeView(msgspec.Struct, frozen=True, kw_only=True):
    """One value before and after; `was` is None where that is not known, or where there was nothing before."""

    name: str
    was: tuple[str, ...] | None
    becomes: tuple[str, ...]


class OperationView(msgspec.Struct, frozen=True, kw_only=True):
    """One operation on one todo."""

    op: OperationName
    todo_id: str
    title: str
    changes: tuple[ChangeView, ...]


class DispositionView(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of work that somebody has in hand."""

    todo_id: str
    choice: Choice
    agent: str


class MovedView(msgspec.Struct, frozen=True, kw_only=True):
    """What an amendment saw and what is there now; no todo where it is about the goal as a whole."""

    todo_id: str
    name: str
    was: tuple[str, ...]
    becomes: tuple[str, ...]


class AmendmentView(msgspec.Struct, frozen=True, kw_only=True):
    """One amendment. `people` are those whose step comes next."""

    amendment_id: str
    amendment_class: AmendmentClass
    status: AmendmentStatusName
    why: str
    operations: tuple[OperationView, ...]
    dispositions: tuple[DispositionView, ...]
    moved: tuple[MovedView, ...]
    waits_for_gate: bool
    gate_id: str | None
    rebased_seq: int
    people: tuple[str, ...]
    submitted_by: str
    basis: str
    decision: DecisionView | None
    cause: Cause

    @property
    def open(self) -> bool:
        """Whether somebody may still act on it."""
        return self.status in {"open", "needs_rebase"}
