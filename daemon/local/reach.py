"""Which refusals an action can give, read off the source of what decides it.

Nothing has to be declared beside a rule: whatever member of a refusal family the decider, or anything that it calls
inside the ledger, mentions is what it can answer with. They come in the order of the source, which is that of checks.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from types import FunctionType, ModuleType

from ledger.catalogue import Action
from ledger.projections.documents import READERS
from ledger.projections.stored import STORED_READERS
from ledger.refusals import GeneralRefusal
from ledger.rules.digest_schedules import ScheduleRefusal
from ledger.rules.goals import GoalRefusal
from ledger.rules.members import MemberRefusal
from ledger.rules.summary_params import SetDigest, SetQuietHours
from ledger.rules.tokens import IssueToken
from ledger.text.reference import FAMILIES

_WITHIN = ("ledger.rules.", "ledger.projections.")
EVERYWHERE = tuple(
    code.value
    for code in GeneralRefusal
    if code
    not in {
        GeneralRefusal.METHOD_NOT_ALLOWED,
        GeneralRefusal.BASIS_REQUIRED,
        GeneralRefusal.STALE_BASIS,
        GeneralRefusal.NOT_PERMITTED,
    }
)
"""What any command can be answered with, whatever it is about."""


def refusals_of(action: Action) -> tuple[str, ...]:
    """The codes of one action beside those of all, in the order in which its rules are checked."""
    readers: dict[str, object] = {**READERS, **STORED_READERS}
    root = readers[action.name] if action.decide is None else action.decide
    found = [] if "anyone" in action.who else [GeneralRefusal.NOT_PERMITTED.value]
    if action.goal_bound:
        # Whether the subject is there is asked before anything that a family of rules has to say.
        found.append(GoalRefusal.GOAL_NOT_FOUND.value)
    if action.params is IssueToken:
        # What there is to be asked for is known to the table alone, which stands above the families.
        found.append(MemberRefusal.TOKEN_ACTION_UNKNOWN.value)
    if action.params in {SetDigest, SetQuietHours}:
        # Which time zones there are is looked up before a command is queued: the rules have no tables.
        found.append(ScheduleRefusal.TIME_ZONE_UNKNOWN.value)
    found += [code.value for code in _in_order(list(dict.fromkeys(_Reading().all_of(root))))]
    return tuple(code for code in dict.fromkeys(found) if code not in EVERYWHERE)


def _in_order(codes: list[StrEnum]) -> list[StrEnum]:
    """The places that one family's codes have are theirs in the order of the family, which says what comes first."""
    ordered = list(codes)
    for family in _families():
        places = [place for place, code in enumerate(codes) if isinstance(code, family)]
        listed = sorted((codes[place] for place in places), key=list(family).index)
        for place, code in zip(places, listed, strict=True):
            ordered[place] = code
    return ordered


class _Reading:
    """One way through the source of a decider: what it calls is read where it is called."""

    def __init__(self) -> None:
        self._seen: set[FunctionType] = set()
        self._named: list[type[StrEnum]] = []
        """Families that were handed over as such: whoever gets one spells the code."""

    def all_of(self, root: object) -> Iterator[StrEnum]:
        """Every refusal; a code in quotes is one of a family that was handed over as such."""
        for found in list(self._codes_of(root)):
            if isinstance(found, _families()):
                yield found
            else:
                yield from (family(found) for family in self._named if found in list(family))

    def _codes_of(self, thing: object) -> Iterator[str]:
        """What a value is or stands for, as its source comes to it."""
        if isinstance(thing, _families()):
            yield thing
        elif isinstance(thing, type) and issubclass(thing, _families()):
            self._named.append(thing)
        elif isinstance(thing, str):
            yield thing
        elif isinstance(thing, FunctionType) and thing not in self._seen and thing.__module__.startswith(_WITHIN):
            self._seen.add(thing)
            for mentioned in _mentioned(thing):
                yield from self._codes_of(mentioned)
        elif isinstance(thing, dict):
            for value in thing.values():
                yield from self._codes_of(value)
        elif isinstance(thing, tuple | list | frozenset):
            for value in thing if isinstance(thing, tuple | list) else sorted(map(str, thing)):
                yield from self._codes_of(value)


@cache
def _families() -> tuple[type[StrEnum], ...]:
    return tuple(FAMILIES.values())


@cache
def _mentioned(function: FunctionType) -> tuple[object, ...]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return tuple(_values(tree, inspect.unwrap(function).__globals__))


def _values(node: ast.AST, names: dict[str, object]) -> Iterator[object]:
    """What the names in the source stand for, and the attributes of modules and families, as one reads it."""
    if isinstance(node, ast.Call):
        # What a call is given is there before the call.
        for given in (*node.args, *node.keywords, node.func):
            yield from _values(given, names)
        return
    if isinstance(node, ast.Name) and node.id in names:
        yield names[node.id]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = names.get(node.value.id)
        is_family = isinstance(owner, type) and issubclass(owner, StrEnum)
        if isinstance(owner, ModuleType) or is_family:
            yield getattr(owner, node.attr, None)
    for child in ast.iter_child_nodes(node):
        yield from _values(child, names)
