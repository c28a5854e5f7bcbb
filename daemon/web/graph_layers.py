"""One part of a graph in layers, so that every arrow points onwards and few of them cross.

The steps are those that Sugiyama found: edges that close a circle are turned for the time of the layout; each box gets
the layer after the last one that it builds on; long edges pass the layers between as threads, and each layer is ordered
by the middle of its neighbours; then the places across are those nearest to the neighbours' that keep their distances.
Nothing here depends on anything but what is given: the same graph always gets the same layout.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

ORDER_SWEEPS = 8
PLACE_SWEEPS = 10
BOTH_SIDES_SWEEPS = 4
"""The last of them look to both sides, so that nothing leans."""
THREAD_WEIGHT = 8
"""How much straighter a thread is kept than an arrow between two boxes."""
THREAD_END_WEIGHT = 2

Edge = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Measures:
    """Lengths across the layers, in whole units; the first two are even, so that they have a middle."""

    box: int
    thread: int
    gap: int
    part_gap: int
    layers: int
    """How many layers may stand side by side before parts go below one another."""


@dataclass
class Part:
    """Boxes that hang together, with the threads between them."""

    boxes: int
    """How many boxes the whole graph has: a vertex with this number or a higher one is a thread."""
    layer: dict[int, int]
    before: dict[int, list[int]] = field(default_factory=dict)
    after: dict[int, list[int]] = field(default_factory=dict)
    rows: list[list[int]] = field(default_factory=list)
    """The vertices of each layer in their order."""
    middle: dict[int, int] = field(default_factory=dict)
    """Across; the part begins at 0."""
    breadth: int = 0

    def settle(self, measures: Measures) -> None:
        """Give every vertex its place."""
        first = min(self.layer.values())
        self.layer = {vertex: at - first for vertex, at in self.layer.items()}
        _order(self)
        _place(self, measures)

    def breadth_of(self, vertex: int, measures: Measures) -> int:
        """What a vertex takes up across."""
        return measures.box if vertex < self.boxes else measures.thread

    def weight(self, one: int, other: int) -> int:
        """How straight the way between two vertices is to be."""
        threads = (one >= self.boxes) + (other >= self.boxes)
        return (1, THREAD_END_WEIGHT, THREAD_WEIGHT)[threads]


def turned_edges(boxes: int, edges: Sequence[Edge]) -> frozenset[int]:
    """Edges that lead back to a box which is still being followed: without them there is no circle."""
    leaving: list[list[int]] = [[] for _ in range(boxes)]
    for at, (start, _) in enumerate(edges):
        leaving[start].append(at)
    found: set[int] = set()
    state = [0] * boxes
    for first in range(boxes):
        if state[first]:
            continue
        state[first], trail = 1, [(first, iter(leaving[first]))]
        while trail:
            box, rest = trail[-1]
            at = next(rest, -1)
            if at < 0:
                state[box] = 2
                trail.pop()
            elif state[end := edges[at][1]] == 1:
                found.add(at)
            elif state[end] == 0:
                state[end] = 1
                trail.append((end, iter(leaving[end])))
    return frozenset(found)


def layers_of(boxes: int, edges: Sequence[Edge]) -> list[int]:
    """The longest way to each box; where a way begins, it begins as late as it can."""
    after: list[list[int]] = [[] for _ in range(boxes)]
    waits = [0] * boxes
    for start, end in edges:
        after[start].append(end)
        waits[end] += 1
    first = [box for box in range(boxes) if not waits[box]]
    layer, ready = [0] * boxes, list(first)
    for box in ready:
        for end in after[box]:
            layer[end] = max(layer[end], layer[box] + 1)
            waits[end] -= 1
            if not waits[end]:
                ready.append(end)
    for box in first:
        layer[box] = min((layer[end] - 1 for end in after[box]), default=0)
    return layer


def parts_of(boxes: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Boxes that hang together, each part in the order of its boxes."""
    beside: list[list[int]] = [[] for _ in range(boxes)]
    for start, end in edges:
        beside[start].append(end)
        beside[end].append(start)
    seen = [False] * boxes
    parts: list[list[int]] = []
    for first in range(boxes):
        if seen[first]:
            continue
        seen[first], part = True, [first]
        for box in part:
            for other in beside[box]:
                if not seen[other]:
                    seen[other] = True
                    part.append(other)
        parts.append(sorted(part))
    return parts


def thread(part: Part, edge: Edge, number: int) -> list[int]:
    """The way of an edge: through a thread of its own in each layer between its ends."""
    start, end = edge
    first, last = part.layer[start], part.layer[end]
    path = [start, *range(number, number + last - first - 1), end]
    for at, vertex in enumerate(path[1:-1], first + 1):
        part.layer[vertex] = at
    for one, other in pairwise(path):
        part.after.setdefault(one, []).append(other)
        part.before.setdefault(other, []).append(one)
    return path


def _order(part: Part) -> None:
    """The order within each layer that was found to have the fewest crossings."""
    rows: list[list[int]] = [[] for _ in range(max(part.layer.values()) + 1)]
    for vertex, at in sorted(part.layer.items()):
        rows[at].append(vertex)
    best, fewest = [list(row) for row in rows], _crossings(part, rows)
    for sweep in range(ORDER_SWEEPS):
        if not fewest:
            break
        back = sweep % 2
        for at in range(len(rows) - 2, -1, -1) if back else range(1, len(rows)):
            _sort(rows[at], rows[at + 1 if back else at - 1], part.after if back else part.before)
        crossings = _crossings(part, rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    part.rows = best


def _sort(row: list[int], fixed: Sequence[int], beside: dict[int, list[int]]) -> None:
    """Each vertex at the middle of its neighbours in the row beside; one without any keeps its place."""
    place = {vertex: at for at, vertex in enumerate(fixed)}
    middle: dict[int, float] = {vertex: at for at, vertex in enumerate(row)}
    for vertex in row:
        found = [place[one] for one in beside.get(vertex, ())]
        if found:
            middle[vertex] = sum(found) / len(found)
    row.sort(key=middle.__getitem__)


def _crossings(part: Part, rows: Sequence[Sequence[int]]) -> int:
    """How often arrows cross between neighbouring layers."""
    crossings = 0
    for row, following in pairwise(rows):
        place = {vertex: at for at, vertex in enumerate(following)}
        seen: list[int] = []
        for vertex in row:
            ends = sorted(place[one] for one in part.after.get(vertex, ()))
            crossings += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings


def _place(part: Part, measures: Measures) -> None:
    """The middles across, and how broad the part is: near to the neighbours, and never nearer than the measures."""
    apart = [
        [0, *((part.breadth_of(one, measures) + part.breadth_of(two, measures)) // 2 + measures.gap
              for one, two in pairwise(row))]
        for row in part.rows
    ]  # fmt: skip
    place: dict[int, float] = {}
    for row, steps in zip(part.rows, apart, strict=True):
        at, half = 0, sum(steps) / 2
        for vertex, step in zip(row, steps, strict=True):
            at += step
            place[vertex] = at - half
    for sweep in range(PLACE_SWEEPS):
        both = sweep >= PLACE_SWEEPS - BOTH_SIDES_SWEEPS
        order = range(len(part.rows)) if sweep % 2 == 0 else range(len(part.rows) - 1, -1, -1)
        for at in order:
            row, wanted, weights = part.rows[at], [], []
            for vertex in row:
                beside = [*(part.before.get(vertex, ()) if both or sweep % 2 == 0 else ()),
                          *(part.after.get(vertex, ()) if both or sweep % 2 else ())]  # fmt: skip
                pulls = [part.weight(vertex, one) for one in beside]
                weights.append(sum(pulls) or 1)
                pulled = sum(place[one] * pull for one, pull in zip(beside, pulls, strict=True))
                wanted.append(pulled / sum(pulls) if pulls else place[vertex])
            place.update(zip(row, settled(wanted, weights, apart[at]), strict=True))
    top = min(place[row[0]] - part.breadth_of(row[0], measures) / 2 for row in part.rows)
    part.middle = {vertex: int(at - top + 0.5) for vertex, at in place.items()}
    part.breadth = max(part.middle[row[-1]] + part.breadth_of(row[-1], measures) // 2 for row in part.rows)


def settled(wanted: Sequence[float], weights: Sequence[float], apart: Sequence[float]) -> list[float]:
    """The places nearest to those wanted, by least squares, of which each is at least `apart` from the one before."""
    blocks: list[tuple[float, float, int]] = []
    shifts: list[float] = []
    shift = 0.0
    for want, weight, step in zip(wanted, weights, apart, strict=True):
        shift += step
        shifts.append(shift)
        block = (weight * (want - shift), weight, 1)
        while blocks and blocks[-1][0] / blocks[-1][1] >= block[0] / block[1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    means = [total / weight for total, weight, count in blocks for _ in range(count)]
    return [mean + moved for mean, moved in zip(means, shifts, strict=True)]
