"""A structural dump of a state: every record, every container and every index, in an order that says nothing.

Two states are the same when their dumps are. A field of a type that is not known here is an error, so that nothing
that is added later can be left out of the comparison unseen.
"""

from collections import deque

import msgspec

from ledger.canonical import digest_hex
from ledger.goal_map import Goals
from ledger.scope_index import ScopeIndex
from ledger.state import Goal, Workspace

Dumped = dict[str, "Dumped"] | list["Dumped"] | str | int | bool | None


def dump(value: object) -> Dumped:
    """The value in plain lists and mappings; whatever has no order of its own is sorted."""
    match value:
        case None | str() | int() | bool():
            return value
        case bytes():
            return value.hex()
        case Goals():
            # What was put away is read back: what is in memory is no part of what is true.
            return {str(goal_id): dump(goal) for goal_id, goal in sorted(value.items())}
        case ScopeIndex():
            # Of one that is a special kind too: these are all its fields.
            return {name: dump(getattr(value, name)) for name in sorted(ScopeIndex.__slots__)}
        case Workspace() | Goal():
            return {name: dump(getattr(value, name)) for name in sorted(value.__slots__)}
        case msgspec.Struct():
            return {name: dump(getattr(value, name)) for name in value.__struct_fields__}
        case dict():
            return {str(key): dump(value[key]) for key in sorted(value, key=str)}
        case set() | frozenset():
            return [dump(item) for item in sorted(value)]
        case list() | tuple() | deque():
            return [dump(item) for item in value]
    raise TypeError(f"a state holds a {type(value).__name__}, which this dump does not know")


def state_digest(workspace: Workspace) -> str:
    """A digest of the whole dump."""
    return digest_hex(dump(workspace))
