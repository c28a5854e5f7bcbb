"""The table of actions: everything anybody can do or ask, declared once.

Command line, HTTP route, OpenAPI document, card button and audit line are all made from these rows. A row names its
parameters, who may ask, by which surfaces, and what decides; a reader may ask nothing that writes.
"""

from ledger.actions import (
    agents,
    amendments,
    artifacts,
    gates,
    goals,
    handoffs,
    history,
    identity,
    leases,
    members,
    plans,
    quota,
    requests,
    runs,
    summaries,
    todos,
    views,
    words,
)
from ledger.actions.base import Action, Basis, Decider, Who

__all__ = ["ACTIONS", "BY_NUMBER", "Action", "Basis", "Decider", "Who"]

_FAMILIES = (
    members, goals, todos, leases, artifacts, quota, gates, plans, amendments, runs, requests, views, handoffs,
    history, words, identity, agents, summaries,
)  # fmt: skip
_ROWS = tuple(row for family in _FAMILIES for row in family.ROWS)

ACTIONS: dict[str, Action] = {action.name: action for action in _ROWS}
BY_NUMBER: dict[int, Action] = {action.number: action for action in _ROWS}

assert len(ACTIONS) == len(BY_NUMBER) == len(_ROWS), "a name or a number stands for two actions"
