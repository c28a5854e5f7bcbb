"""Why something is as a view shows it: the event that made it so, and the decision behind it."""

import msgspec


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """The event that made the shown state true."""

    seq: int
    kind: str
    actor_id: str
    actor_name: str
    at_ms: int
    short_hash: str


class DecisionView(msgspec.Struct, frozen=True, kw_only=True):
    """Who decided, when, and in which words."""

    outcome: str
    by_name: str
    at_ms: int
    reason: str
