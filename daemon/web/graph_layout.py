"""Where the boxes of a whole graph stand: its parts side by side or below one another, what stands alone beside."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from daemon.web.graph_layers import Edge, Measures, Part, layers_of, parts_of, thread, turned_edges

KEPT_MAX = 64
"""Layouts kept: a page is made anew far more often than the work on it hangs together differently. No words in them."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layer of each box and its middle across; for each edge the places it goes through, from end to end."""

    layer: tuple[int, ...]
    middle: tuple[int, ...]
    routes: tuple[tuple[tuple[int, int], ...], ...]
    turned: frozenset[int]
    """Edges that point backwards, by their number: each of them closes a circle."""
    layers: int
    breadth: int


@lru_cache(maxsize=KEPT_MAX)
def lay_out(boxes: int, edges: tuple[Edge, ...], measures: Measures) -> Layout:
    """The layout of boxes numbered from 0, with edges between different ones."""
    turned = turned_edges(boxes, edges)
    onward = [(end, start) if at in turned else (start, end) for at, (start, end) in enumerate(edges)]
    layer = layers_of(boxes, onward)
    paths: list[list[int]] = [[] for _ in edges]
    parts: list[Part] = []
    alone: list[int] = []
    number = boxes
    for members in parts_of(boxes, onward):
        if len(members) == 1:
            alone += members
            continue
        part = Part(boxes, {box: layer[box] for box in members})
        inside = set(members)
        for at, edge in enumerate(onward):
            if edge[0] in inside:
                paths[at] = thread(part, edge, number)
                number += len(paths[at]) - 2
        part.settle(measures)
        parts.append(part)
    return _put_together(boxes, parts, alone, paths, turned, measures)


def _put_together(
    boxes: int,
    parts: Sequence[Part],
    alone: Sequence[int],
    paths: Sequence[Sequence[int]],
    turned: frozenset[int],
    measures: Measures,
) -> Layout:
    shelves = _Shelves(measures, max((len(part.rows) for part in parts), default=0))
    places: dict[int, tuple[int, int]] = {}
    # The broadest first: beside it there is room for others.
    for part in sorted(parts, key=lambda part: -part.breadth):
        along, across = shelves.room(len(part.rows), part.breadth)
        places |= {vertex: (part.layer[vertex] + along, at + across) for vertex, at in part.middle.items()}
    places |= zip(alone, shelves.cells(len(alone)), strict=True)
    return Layout(
        layer=tuple(places[box][0] for box in range(boxes)),
        middle=tuple(places[box][1] for box in range(boxes)),
        routes=tuple(tuple(places[vertex] for vertex in path) for path in paths),
        turned=turned,
        layers=shelves.layers,
        breadth=shelves.breadth,
    )


@dataclass
class _Shelf:
    top: int
    breadth: int
    along: int


class _Shelves:
    """Room for parts: side by side while the layers suffice, then below."""

    def __init__(self, measures: Measures, deepest: int) -> None:
        self._measures = measures
        self._wide = max(measures.layers, deepest)
        self._shelves: list[_Shelf] = []
        self.layers = self.breadth = 0

    def room(self, layers: int, breadth: int) -> tuple[int, int]:
        """Where a part of this size begins."""
        shelf = next((one for one in self._shelves if one.along + layers <= self._wide), None)
        if shelf is None or shelf.breadth < breadth:
            shelf = _Shelf(self.breadth + self._measures.part_gap if self._shelves else 0, breadth, 0)
            self._shelves.append(shelf)
            self.breadth = shelf.top + breadth
        found = shelf.along, shelf.top
        shelf.along += layers
        self.layers = max(self.layers, shelf.along)
        return found

    def cells(self, count: int) -> list[tuple[int, int]]:
        """Places for single boxes: beside the parts first, then in rows of their own."""
        box, step = self._measures.box, self._measures.box + self._measures.gap
        found: list[tuple[int, int]] = []
        for shelf in self._shelves:
            for row in range((shelf.breadth + self._measures.gap) // step):
                found += ((along, shelf.top + row * step + box // 2) for along in range(shelf.along, self._wide))
        found = found[:count]
        top = self.breadth + self._measures.part_gap if self._shelves else 0
        rest = range(count - len(found))
        found += ((at % self._wide, top + at // self._wide * step + box // 2) for at in rest)
        self.layers = max([self.layers, *(along + 1 for along, _ in found)])
        self.breadth = max([self.breadth, *(across + box // 2 for _, across in found)])
        return found
