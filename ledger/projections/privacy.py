"""The filter that every document and every view passes through on its way out, and what it leaves behind.

It walks whatever it is given, so that a projection is covered without knowing of it. A value is withheld whole where
its name means raw material or a secret, where a detector finds something in it, or where it is what people wrote for
a private goal and the reader has no part in that goal. It becomes a mark, and a warning names the field and the reason,
never the value; warnings stand in the nearest `source_warnings` around the field, or in the document's own.
Ordinary text yields no warning, and then the very document that came in goes out.
"""

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Literal, TypeVar, cast

import msgspec

from ledger.detectors import reason_of
from ledger.key_families import key_reason
from ledger.projections.ordinary import MARK, is_ordinary, is_ordinary_name, ordinary_names, ordinary_texts
from ledger.projections.private_words import CLOSED, is_ledger_made, is_promise

WITHHELD: Final = MARK
WARNING_KIND: Final = "raw_or_private_material_omitted"
WARNINGS: Final = "source_warnings"
MARKED: Final = "private_material"
"""The reason where a text has the mark in it already."""
MORE: Final = "more"
WARNINGS_MAX: Final = 32
"""Warnings in one list; the last one counts those that it has no room for."""

Rights = Literal["open", "member", "stranger"]
"""What a reader is to a goal: any reader of one that is not private, one who has a part in a private one, or none."""
RightsIn = Callable[[str], Rights]
_Value = TypeVar("_Value")
_NUMBERS: Final = frozenset({int, float, bool, type(None)})
_EMPTY: Final[tuple[object, ...]] = ("", (), [], {})


def private_reason(text: str) -> str | None:
    """Why this text is withheld, or None where there is nothing to withhold."""
    return reason_of(text)


def clip(text: str, chars_max: int) -> str:
    """Display copy within its limit; an ellipsis marks where it was cut.

    Text that is withheld is not cut: half of a secret is one that no detector knows any more.
    """
    if len(text) <= chars_max:
        return text
    return text[: chars_max - 1] + "…" if reason_of(text, confidential=True) is None else WITHHELD


def quoted(text: str, chars_max: int) -> str:
    """The text within its limit, for a sentence of ours that quotes it: what is withheld is only the quotation."""
    return clip(text, chars_max) if reason_of(text) is None else WITHHELD


def screened(value: _Value, rights_in: RightsIn, goal_id: str | None = None) -> _Value:
    """The document without what is withheld from this reader; itself where nothing is. It is never changed in place."""
    rights = "open" if goal_id is None else rights_in(goal_id)
    if rights == "open" and _is_clean(value, rights_in, set()):
        return value
    walk = _Walk(rights_in)
    found = walk.value("", value, rights, "")
    if isinstance(found, dict):
        walk.tell(found, walk.warnings)
    return cast("_Value", found)


class Part(dict[str, object]):
    """A part of documents that is made once, put into many of them and changed by nobody.

    Whether its own words are ordinary is found out once. Whose they are is asked again whenever it is read.
    """

    __slots__ = ("_goal_ids",)

    def goal_ids(self) -> frozenset[str] | None:
        """The goals that it is about, or None where some of it may have to be withheld from anybody."""
        try:
            return self._goal_ids
        except AttributeError:
            seen: set[str] = set()
            clean = _is_clean(dict(self), lambda _goal_id: "open", seen)
            self._goal_ids: frozenset[str] | None = frozenset(seen) if clean else None
            return self._goal_ids


def _is_clean(document: object, rights_in: RightsIn, open_goals: set[str]) -> bool:
    """Whether nothing in it can be withheld, told quickly; a private goal is always looked at in full.

    The goals that it is about are put into `open_goals`, as far as they are.
    """
    left: list[object] = [[document]]
    while left:
        value = left.pop()
        kind = type(value)
        names: AbstractSet[str] = _NO_NAMES
        values: Iterable[object]
        goal_ids: AbstractSet[str] | None
        if kind is dict:
            named = cast("dict[str, object]", value)
            names, values, goal_ids = named.keys(), named.values(), _ids(named.get("goal_id"))
        elif kind is Part:
            values, goal_ids = (), cast("Part", value).goal_ids()
        elif kind is list or kind is tuple:
            values, goal_ids = cast("list[object]", value), _NO_NAMES
        elif isinstance(value, msgspec.Struct):
            names, values = _names_of(type(value)), msgspec.structs.astuple(value)
            goal_ids = _ids(getattr(value, "goal_id", None))
        else:
            continue
        if not (names <= ordinary_names or all(map(is_ordinary_name, names))):
            return False
        if not _is_open(goal_ids, rights_in, open_goals):
            return False
        for one in values:
            kind = type(one)
            if kind is str:
                if one not in ordinary_texts and not is_ordinary(cast("str", one)):
                    return False
            elif one and kind not in _NUMBERS:
                left.append(one)
    return True


def _ids(goal_id: object) -> AbstractSet[str]:
    return {goal_id} if type(goal_id) is str else _NO_NAMES


def _is_open(goal_ids: AbstractSet[str] | None, rights_in: RightsIn, open_goals: set[str]) -> bool:
    """Whether none of these goals is private; they are then among those of which it is known."""
    if goal_ids is None:
        return False
    for goal_id in goal_ids - open_goals:
        if rights_in(goal_id) != "open":
            return False
        open_goals.add(goal_id)
    return True


_NO_NAMES: Final[AbstractSet[str]] = frozenset()


@lru_cache(maxsize=1_024)
def _names_of(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(kind.__struct_fields__)


class _Walk:
    """One pass over a value: a copy without what is withheld, and what to say about it."""

    __slots__ = ("_rights_in", "warnings")

    def __init__(self, rights_in: RightsIn) -> None:
        self._rights_in = rights_in
        self.warnings: list[dict[str, object]] = []

    def value(
        self, name: str, value: object, rights: Rights, path: str, owner: str = "", beside: Collection[str] = ()
    ) -> object:
        """The value under its name, in a document of `owner`'s shape that has these fields, or the mark."""
        if value is None or isinstance(value, bool):
            return value
        family = key_reason(name)
        if family is not None and value not in _EMPTY and (family == "credential" or type(value) not in _NUMBERS):
            return self._withheld(path, family)
        if isinstance(value, str):
            return self._text(name, value, rights, path, owner, beside)
        if isinstance(value, dict):
            return self._named(value, "open" if name in CLOSED else rights, path)
        if isinstance(value, list | tuple):
            rows = [self.value(name, one, rights, f"{path}[{at}]", owner, beside) for at, one in enumerate(value)]
            return rows if isinstance(value, list) else tuple(rows)
        if isinstance(value, msgspec.Struct):
            return self._struct(value, rights, path)
        return value

    def tell(self, document: dict[str, object], warnings: list[dict[str, object]]) -> None:
        """Put the warnings into the document that they are about, bounded.

        A document of the past comes here twice. What an earlier pass told of is not told again: a mark that it left is
        found by the next one, which knows no reason for it.
        """
        if not warnings:
            return
        given = cast("list[dict[str, object]]", document.get(WARNINGS) or [])
        named = [one for one in given if one.get("reason") != MORE]
        counted = sum(cast("int", one["count"]) for one in given if one.get("reason") == MORE)
        told = {one.get("field_path") for one in named}
        new = [one for one in warnings if one["reason"] != MARKED or not (counted or one["field_path"] in told)]
        together = [*named, *new]
        if counted or len(together) > WARNINGS_MAX:
            kept = together[: WARNINGS_MAX - 1]
            more = {
                "kind": WARNING_KIND,
                "field_path": "",
                "reason": MORE,
                "count": counted + len(together) - len(kept),
            }
            together = [*kept, more]
        document[WARNINGS] = together

    def _named(self, document: dict[str, object], rights: Rights, path: str) -> dict[str, object]:
        goal_id = document.get("goal_id")
        if isinstance(goal_id, str):
            rights = self._rights_in(goal_id)
        outer, is_own = self.warnings, isinstance(document.get(WARNINGS), list)
        if is_own:
            self.warnings = []
        start = "" if is_own or not path else f"{path}."
        found = {
            name: one if name == WARNINGS else self.value(name, one, rights, f"{start}{name}", "", document.keys())
            for name, one in document.items()
        }
        if is_own:
            self.tell(found, self.warnings)
            self.warnings = outer
        return found

    def _struct(self, value: msgspec.Struct, rights: Rights, path: str) -> msgspec.Struct:
        goal_id = getattr(value, "goal_id", None)
        if isinstance(goal_id, str):
            rights = self._rights_in(goal_id)
        owner = type(value).__name__
        start = f"{path}." if path else ""
        given = {name: getattr(value, name) for name in value.__struct_fields__}
        found = {name: self.value(name, one, rights, f"{start}{name}", owner) for name, one in given.items()}
        changed = {name: one for name, one in found.items() if one is not given[name] and one != given[name]}
        return msgspec.structs.replace(value, **changed) if changed else value

    def _text(self, name: str, text: str, rights: Rights, path: str, owner: str, beside: Collection[str]) -> str:
        if WITHHELD in text:
            # What it was made from was looked at already; the rest of a sentence of ours stays.
            self._withheld(path, MARKED)
            return WITHHELD if rights == "stranger" and not is_ledger_made(name, owner, text, beside) else text
        reason: str | None
        if rights == "open":
            reason = reason_of(text)
        elif is_ledger_made(name, owner, text, beside):
            # Digits of a digest or a moment are no telephone number; the promise is people's words all the same.
            reason = reason_of(text, confidential=is_promise(name, owner))
        else:
            reason = "private_goal" if rights == "stranger" and text else reason_of(text, confidential=True)
        return text if reason is None else self._withheld(path, reason)

    def _withheld(self, path: str, reason: str) -> str:
        self.warnings.append({"kind": WARNING_KIND, "field_path": path, "reason": reason})
        return WITHHELD


class Screen:
    """Cuts the texts of one projection; what is withheld is found where the document leaves."""

    __slots__ = ("warnings",)

    def __init__(self) -> None:
        self.warnings: list[dict[str, object]] = []

    def show(self, text: str, chars_max: int, field_path: str) -> str:
        """The text within its limit."""
        del field_path
        return clip(text, chars_max)
