"""Folds of standing grants."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import Facts, Recorded
from ledger.parts.grants import StandingGrant
from ledger.rules import grant_events
from ledger.state import Workspace


def _recorded(workspace: Workspace, event: Recorded) -> None:
    facts = cast("grant_events.GrantRecorded", event.facts)
    workspace.grants.put(
        StandingGrant(
            grant_id=facts.grant_id,
            gate_id=facts.gate_id,
            from_goal=facts.from_goal,
            goal_id=facts.goal_id,
            decision_scope=facts.decision_scope,
            verdict=facts.verdict,
            granted_by=event.actor,
            seq=event.seq,
            at_ms=event.at_ms,
        )
    )


def _revoked(workspace: Workspace, event: Recorded) -> None:
    grant_id, grants = cast("grant_events.GrantRevoked", event.facts).grant_id, workspace.grants
    grants.by_id[grant_id] = replace(
        grants.by_id[grant_id], revoked=True, revoked_by=event.actor, revoked_seq=event.seq
    )


FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {
    grant_events.GrantRecorded: _recorded,
    grant_events.GrantRevoked: _revoked,
}
