"""What happened to standing grants: events of the workspace, for a grant may hold beyond the goal it came from."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import GoalId


class GrantRecorded(Facts, frozen=True, kw_only=True):
    """A broad gate without a target was decided: so it stands for every need it covers."""

    grant_id: str
    gate_id: str
    from_goal: GoalId
    goal_id: GoalId | None
    decision_scope: str
    verdict: Literal["approved", "denied"]


class GrantRevoked(Facts, frozen=True, kw_only=True):
    """A standing grant holds no longer; no earlier one comes back in its place."""

    grant_id: str


class GrantReasonWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


KINDS = (
    Kind("gate.grant_recorded", 1, GrantRecorded),
    Kind("gate.grant_revoked", 1, GrantRevoked, GrantReasonWords),
)
