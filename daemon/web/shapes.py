"""What pages are drawn from, kept while the documents that it was shaped from are the very same.

A document that is found again is the same object; where all of them are, so is what was made of them, and whatever was
drawn of it. Each shape has a number of its own, so that a drawing can be known by it.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from ledger.projections.documents import Document

SHAPES_MAX = 128
"""Shapes kept in memory, with the documents they were made from."""


class Shape(NamedTuple):
    """Values for a template, and the number that no other shape has."""

    number: int
    values: Document


class _Entry(NamedTuple):
    documents: tuple[object, ...]
    shape: Shape


class Shapes:
    """The shapes of the pages of one daemon."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._kept: OrderedDict[object, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, key: object, documents: Sequence[object], make: Callable[[], Document]) -> Shape:
        """What `make` makes of these documents at this place, made now or before."""
        found = self._kept.get(key)
        if found is not None and _same(found.documents, documents):
            self._kept.move_to_end(key)
            return found.shape
        shape = Shape(next(self._numbers), make())
        self._kept[key] = _Entry(tuple(documents), shape)
        self._kept.move_to_end(key)
        if len(self._kept) > SHAPES_MAX:
            self._kept.popitem(last=False)
        return shape

    def forget(self) -> None:
        """Words were erased: nothing that may hold them stays."""
        self._kept.clear()


def _same(before: Sequence[object], now: Sequence[object]) -> bool:
    return len(before) == len(now) and all(one is other for one, other in zip(before, now, strict=True))
