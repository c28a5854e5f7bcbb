"""Containers that count how often they are looked into: what a rule costs, without a clock.

A search in a sorted list looks at a few of its entries and a scan at all of them, so that the two are told apart by a
number that is the same on every machine.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator

import msgspec

from ledger.scope_index import ScopeIndex
from ledger.state import Goal


class Looks:
    """How often the containers of a goal were looked into, by their names."""

    def __init__(self) -> None:
        self.by_name: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """All together."""
        return self.by_name.total()

    def each(self, name: str, items: Iterable[object]) -> Iterator[object]:
        """The items, each counted as it is handed out."""
        for item in items:
            self.by_name[name] += 1
            yield item


class CountedView:
    """The keys, values or items of a dict, counted as they are gone through."""

    def __init__(self, looks: Looks, name: str, items: object) -> None:
        self._looks = looks
        self._name = name
        self._items = items

    def __iter__(self) -> Iterator[object]:
        return self._looks.each(self._name, self._items)

    def __reversed__(self) -> Iterator[object]:
        return self._looks.each(self._name, reversed(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, item: object) -> bool:
        self._looks.by_name[self._name] += 1
        return item in self._items


class CountedDict(dict):
    """A dict that counts."""

    looks: Looks
    name: str

    def __getitem__(self, key):
        self.looks.by_name[self.name] += 1
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.looks.by_name[self.name] += 1
        return super().get(key, default)

    def __contains__(self, key):
        self.looks.by_name[self.name] += 1
        return super().__contains__(key)

    def __iter__(self):
        return self.looks.each(self.name, super().__iter__())

    def __reversed__(self):
        return self.looks.each(self.name, super().__reversed__())

    def keys(self):
        return CountedView(self.looks, self.name, super().keys())

    def values(self):
        return CountedView(self.looks, self.name, super().values())

    def items(self):
        return CountedView(self.looks, self.name, super().items())


class CountedList(list):
    """A list that counts."""

    looks: Looks
    name: str

    def __getitem__(self, key):
        found = super().__getitem__(key)
        self.looks.by_name[self.name] += len(found) if isinstance(key, slice) else 1
        return found

    def __iter__(self):
        return self.looks.each(self.name, super().__iter__())

    def __reversed__(self):
        return self.looks.each(self.name, super().__reversed__())

    def __contains__(self, item):
        self.looks.by_name[self.name] += len(self)
        return super().__contains__(item)


def counted(goal: Goal) -> Looks:
    """Put a counting container in the place of every dict and list of a goal, its parts and its indexes."""
    looks = Looks()
    _count(goal, goal.__slots__, looks)
    return looks


def _count(holder: object, names: Iterable[str], looks: Looks) -> None:
    for name in names:
        value = getattr(holder, name)
        if isinstance(value, ScopeIndex):
            _count(value, value.__slots__, looks)
        elif isinstance(value, msgspec.Struct) and not type(value).__struct_config__.frozen:
            _count(value, value.__struct_fields__, looks)
        elif isinstance(value, dict | list) and not isinstance(value, deque):
            twin = (CountedDict if isinstance(value, dict) else CountedList)(value)
            twin.looks, twin.name = looks, name
            setattr(holder, name, twin)
