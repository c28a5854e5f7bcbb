"""The gate: one generation of a question as it is put before its approvers.

Each generation is a message of its own, for a patched card notifies nobody. Whoever may vote and has not gets a copy
directly; the copies of the others are kept up, and never sent anew.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, keyed_and_numbered
from ledger.ids import MemberId
from ledger.parts.gates import Gate
from ledger.projections.cards import Offer
from ledger.projections.gate_cards import gate_offers, gate_view, may_be_decided, seated, shown_gates
from ledger.projections.gate_views import GateView
from ledger.rules.gates import awaited
from ledger.state import Goal, Workspace

KIND: Final = "gate"
GENERATIONS_SHOWN_MAX = 2
"""How many generations of a gate have a card: the one that counts, and the one that it took the place of."""


def _wanted(workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Wanted]:
    for gate in shown_gates(goal):
        waits_for = awaited(workspace, gate, now_ms)
        others = tuple(one for one in seated(gate) if one not in waits_for)
        for generation in range(max(1, gate.generation - GENERATIONS_SHOWN_MAX + 1), gate.generation + 1):
            subject = f"{KIND}:{goal.goal_id}:{gate.gate_id}:{generation}"
            is_open = may_be_decided(goal, gate, generation)
            yield Wanted(subject=subject, open=is_open, urgent=True, people=waits_for)
            yield Wanted(subject=subject, open=False, urgent=True, people=others, chats=False)


def _generations(goal: Goal, gate_id: str) -> int:
    gate = goal.gates.by_id.get(gate_id)
    return 0 if gate is None else gate.generation


def _of(target: Target) -> tuple[Goal, Gate]:
    assert target.goal is not None, "a gate is of a goal"
    return target.goal, target.goal.gates.by_id[target.key]


def _view(workspace: Workspace, target: Target, now_ms: int) -> GateView:
    return gate_view(workspace, *_of(target), target.number, now_ms)


def _offers(_workspace: Workspace, target: Target, now_ms: int) -> tuple[Offer, ...]:
    return gate_offers(*_of(target), target.number, now_ms)


def _fixed(target: Target, _action: str) -> Mapping[str, object]:
    return {"gate_id": target.key}


def _mentions(workspace: Workspace, target: Target) -> tuple[MemberId, ...]:
    goal, gate = _of(target)
    return awaited(workspace, gate, workspace.at_ms) if may_be_decided(goal, gate, target.number) else ()


FAMILY = Family(
    kind=KIND,
    of_goal=_wanted,
    find=keyed_and_numbered(KIND, _generations),
    view=_view,
    offers=_offers,
    fixed=_fixed,
    mentions=_mentions,
)
