"""Standing grants: what a broad gate without a target decided for every need like it, until it is taken back."""

from typing import Literal

import msgspec

from ledger.ids import GoalId, MemberId
from ledger.parts.base import Part


class StandingGrant(msgspec.Struct, frozen=True, kw_only=True):
    """A decision on a whole scope. A no stands as durably as a yes."""

    grant_id: str
    gate_id: str
    from_goal: GoalId
    goal_id: GoalId | None
    """The goal that it holds in; None for the whole workspace."""
    decision_scope: str
    verdict: Literal["approved", "denied"]
    granted_by: MemberId
    seq: int
    at_ms: int
    revoked: bool = False
    revoked_by: MemberId | None = None
    revoked_seq: int = 0


class Grants(Part):
    """Standing grants that hold in the whole workspace or in one goal of it."""

    by_id: dict[str, StandingGrant] = msgspec.field(default_factory=dict)
    latest: dict[str, str] = msgspec.field(default_factory=dict)
    """By place and scope: the latest decision; an earlier one on the same scope never comes back."""
    of_kind: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By place and kind of decision: the latest decisions on scopes of that kind."""

    def put(self, grant: StandingGrant) -> None:
        """Enter a decision; it takes the place of the earlier one on the same scope."""
        place = grant.goal_id or "*"
        exact, kind = f"{place} {grant.decision_scope}", f"{place} {grant.decision_scope.partition(':')[0]}"
        before = self.latest.get(exact)
        self.by_id[grant.grant_id] = grant
        self.latest[exact] = grant.grant_id
        self.of_kind[kind] = (*(one for one in self.of_kind.get(kind, ()) if one != before), grant.grant_id)
