"""Decisions as cards tell them: who decided what, when and in which words, and the event that made it so."""

from typing import Literal

from ledger.projections.causes import Cause, DecisionView
from ledger.projections.holds import name_of
from ledger.projections.told_views import ToldView
from ledger.records import Delivery, EventNote, Intent
from ledger.state import Workspace


def cause_view(workspace: Workspace, note: EventNote) -> Cause:
    """The event that made something so."""
    return Cause(
        seq=note.seq,
        kind=note.kind,
        actor_id=note.actor,
        actor_name=name_of(workspace, note.actor),
        at_ms=note.at_ms,
        short_hash=note.short_hash,
    )


def made(workspace: Workspace, outcome: str, decided: Intent | Delivery) -> DecisionView | None:
    """Who decided on a revision or a delivery, if somebody did."""
    if decided.decided_by is None or decided.decided_at_ms is None:
        return None
    return DecisionView(
        outcome=outcome,
        by_name=name_of(workspace, decided.decided_by),
        at_ms=decided.decided_at_ms,
        reason=decided.reason,
    )


def told_view(workspace: Workspace, decided: Intent | Delivery) -> ToldView:
    """A decision as whoever asked for it is told."""
    is_intent = isinstance(decided, Intent)
    outcome = "confirmed" if is_intent and decided.status == "superseded" else decided.status
    decision = made(workspace, outcome, decided)
    assert decision is not None, "only a decision is told"
    about: Literal["revision", "delivery"] = "revision" if is_intent else "delivery"
    return ToldView(about=about, number=decided.number, decision=decision, cause=cause_view(workspace, decided.note))
