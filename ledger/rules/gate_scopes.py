"""Decision scopes: `kind:granularity:scope_key`, and when a decision on one covers a need of another."""

from typing import NamedTuple

GRANULARITIES = ("action", "lane", "goal", "project", "global")
"""From the narrowest to the broadest."""
BROAD = frozenset({"goal", "project", "global"})
"""What may be decided once for every need like it."""
BEYOND_GOAL = frozenset({"project", "global"})
"""What is decided for every goal of the workspace, and so by the workspace's owners alone."""
DECISION_SCOPE_PATTERN = r"^[a-z][a-z0-9_-]{0,31}:(action|lane|goal|project|global):(\*|[A-Za-z0-9_./-]{1,80})$"


class DecisionScope(NamedTuple):
    """A scope in its parts."""

    kind: str
    granularity: str
    key: str


def parsed(text: str) -> DecisionScope | None:
    """The parts, or None for what is no scope: it covers nothing and nothing covers it."""
    kind, _, rest = text.partition(":")
    granularity, _, key = rest.partition(":")
    if not kind or not key or granularity not in GRANULARITIES:
        return None
    return DecisionScope(kind, granularity, key)


def covers(given: str, need: str) -> bool:
    """Whether a decision on `given` decides `need`: same kind, equal key or `*`, and at least as broad."""
    one, other = parsed(given), parsed(need)
    if one is None or other is None or one.kind != other.kind:
        return False
    if one.key not in {"*", other.key}:
        return False
    return GRANULARITIES.index(one.granularity) >= GRANULARITIES.index(other.granularity)
