"""Wire names: the literal, versioned string of every event kind, in one table.

The names are never import paths and are never changed. A changed shape is a new version; the old one stays with its
upcast, and its bytes stay as fixtures. Each family lists its kinds beside their facts.
"""

from ledger.events import Facts, Kind
from ledger.rules import (
    agent_events,
    amendment_events,
    artifacts,
    authority_events,
    erasures,
    gate_events,
    goal_events,
    grant_events,
    handoff_events,
    identity_events,
    leases,
    member_events,
    plan_events,
    request_events,
    review_events,
    run_events,
    slot_events,
    summary_events,
    todo_events,
)

_FAMILIES = (
    agent_events,
    amendment_events,
    artifacts,
    authority_events,
    erasures,
    gate_events,
    goal_events,
    grant_events,
    handoff_events,
    identity_events,
    leases,
    member_events,
    plan_events,
    request_events,
    review_events,
    run_events,
    slot_events,
    summary_events,
    todo_events,
)
_KINDS: tuple[Kind, ...] = tuple(kind for family in _FAMILIES for kind in family.KINDS)

KIND_OF: dict[type[Facts], Kind] = {kind.facts: kind for kind in _KINDS if kind.upcast is None}
"""The kind that new events of a facts type are written as."""

_NAMED = {(kind.name, kind.version): kind for kind in _KINDS}


def kind_named(name: str, version: int) -> Kind | None:
    """The kind of a wire name, or None if this program never knew it."""
    return _NAMED.get((name, version))


def all_kinds() -> tuple[Kind, ...]:
    """Every kind that can be read."""
    return _KINDS
