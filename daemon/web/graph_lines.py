"""From layers and places across to points of a picture: how long boxes are, and the lines between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from daemon.web.graph_layout import Layout

BOX_LONG, BOX_LONG_MIN, BOX_HIGH = 190, 120, 90
LAYER_GAP, EDGE_GAP = 42, 14
MARGIN = 14
WIDE_MAX = 1_580
"""The size of which 0.85 fits into a window of 1440."""
PORT_STEP = 9
"""How far apart arrows leave and enter a box."""
PORT_ROOM = BOX_HIGH - 40


@dataclass(frozen=True)
class Grid:
    """How long boxes are, and so where each layer begins."""

    long: int

    def wide(self, layers: int) -> int:
        """The width of the picture."""
        return self.x(max(layers, 1)) - LAYER_GAP + MARGIN

    @classmethod
    def of(cls, layers: int) -> "Grid":
        """The grid of a picture with so many layers: the more there are, the narrower, so that a window holds them."""
        long = (WIDE_MAX - 2 * MARGIN + LAYER_GAP) // max(layers, 1) - LAYER_GAP
        # What no window holds is scrolled, so that it may as well be wide.
        return cls(min(long, BOX_LONG) if long >= BOX_LONG_MIN else BOX_LONG)

    def x(self, layer: int) -> int:
        """Where a layer begins."""
        return MARGIN + layer * (self.long + LAYER_GAP)


def ports_of(layout: Layout) -> dict[tuple[int, int], int]:
    """How far from the middle of its boxes each edge leaves and enters, so that edges stand apart there."""
    at_side: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for at, route in enumerate(layout.routes):
        at_side.setdefault((0, *route[0]), []).append((route[1][1], at))
        at_side.setdefault((1, *route[-1]), []).append((route[-2][1], at))
    ports: dict[tuple[int, int], int] = {}
    for (side, *_), edges in at_side.items():
        step = min(PORT_STEP, PORT_ROOM // len(edges))
        for place, (_, at) in enumerate(sorted(edges)):
            ports[at, side] = (2 * place - len(edges) + 1) * step // 2
    return ports


def line_of(points: Sequence[tuple[int, int]], long: int) -> str:
    """A path from the side of one box to the side of the other, level where it passes a layer."""
    x, y = points[0][0] + long, points[0][1]
    path = [f"M{x} {y}"]
    for place, (there, across) in enumerate(points[1:], 2):
        middle = (x + there) // 2
        path.append(f"C{middle} {y} {middle} {across} {there} {across}")
        x, y = there, across
        if place < len(points):
            x = there + long
            path.append(f"H{x}")
    return "".join(path)


def head_of(x: int, y: int, way: int) -> str:
    """The head of an arrow that ends here; `way` is 1 to the right and -1 to the left."""
    return f"M{x} {y}l{-9 * way} -5v10z"
