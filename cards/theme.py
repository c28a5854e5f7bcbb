"""Colours by state. A colour never says what words do not: every state is written out beside it."""

from cards.elements import TagColor, Template
from ledger.projections.views import FieldClass, GoalStateName

GOAL: dict[GoalStateName, Template] = {
    "proposed": "blue",
    "clarifying": "yellow",
    "active": "turquoise",
    "paused": "wathet",
    "delivered": "purple",
    "changes_requested": "orange",
    "accepted": "green",
    "declined": "grey",
    "withdrawn": "grey",
    "stopped": "red",
}
REVIEW: dict[str, Template] = {
    "open": "blue",
    "confirmed": "green",
    "declined": "grey",
    "withdrawn": "grey",
    "superseded": "grey",
}
ACCEPTANCE: dict[str, Template] = {
    "open": "purple",
    "accepted": "green",
    "changes_requested": "orange",
    "superseded": "grey",
}
GATE: dict[str, Template] = {
    "waiting_on_user": "orange",
    "deferred": "yellow",
    "approved": "green",
    "rejected": "red",
    "cancelled": "grey",
    "expired": "grey",
    "withdrawn": "grey",
    "superseded": "grey",
}
UNDECIDED: frozenset[str] = frozenset({"waiting_on_user", "deferred"})
SEVERITY: dict[str, TagColor] = {"low": "neutral", "normal": "neutral", "high": "orange", "critical": "red"}
PLAN: dict[str, Template] = {
    "open": "blue",
    "committed": "green",
    "partial": "orange",
    "rejected": "grey",
    "withdrawn": "grey",
    "superseded": "grey",
    "ended": "grey",
}
AMENDMENT: dict[str, Template] = {
    "open": "blue",
    "needs_rebase": "orange",
    "committed": "green",
    "rejected": "grey",
    "withdrawn": "grey",
    "ended": "grey",
}
REQUEST: dict[str, Template] = {
    "sent": "orange",
    "received": "orange",
    "adopted": "blue",
    "deferred": "yellow",
    "committed": "turquoise",
    "returned": "purple",
    "rejected": "red",
    "no_change": "purple",
    "delivered": "green",
    "withdrawn": "grey",
    "ended": "grey",
}
PRIORITY: dict[str, TagColor] = {"P0": "red", "P1": "orange"}
CLASS_ORDER: tuple[FieldClass, ...] = ("enforced", "retained", "advisory")
CLOSED: frozenset[GoalStateName] = frozenset({"accepted", "declined", "withdrawn", "stopped"})
CODES: dict[str, str] = {
    "handoff_mode": "handoff",
    "review": "card.review_by",
    "plan_approval": "card.plan_approval",
}
"""Fields of a promise that are one of a few codes, and where the names of the codes are."""
SWITCHES: frozenset[str] = frozenset({"fold_case", "private"})
"""Fields of a promise that are on, or not shown."""
