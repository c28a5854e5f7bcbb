"""Pieces of a page that were drawn before, kept by what they show.

Of a page that is made anew because one goal has moved, nearly everything is as it was. A piece is a function of the
values that are put into it, of the language and of what the addresses in it carry along; where all of these are the
same to the byte, so is the piece. What is kept is bounded by its size, and what nobody has wanted for longest goes.
"""

from collections import OrderedDict
from collections.abc import Callable

import msgspec
from markupsafe import Markup

BYTES_MAX = 8 << 20
"""What all pieces and the values that they are known by may take together."""


class Fragments:
    """The pieces of the pages of one daemon."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[tuple[object, ...], bytes], Markup] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def piece(self, where: tuple[object, ...], draw: Callable[..., str], *shown: object) -> Markup:
        """What `draw` makes of these values at this place, drawn now or before."""
        values = msgspec.json.encode(shown)
        key = (where, values)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        made = Markup(draw(*shown))  # noqa: S704  (it comes out of a template, where everything was escaped)
        self._kept[key] = made
        self._bytes += len(made) + len(values)
        while self._bytes > BYTES_MAX:
            (_, gone), piece = self._kept.popitem(last=False)
            self._bytes -= len(piece) + len(gone)
        return made

    def forget(self) -> None:
        """Words were erased: no piece that may show them stays."""
        self._kept.clear()
        self._bytes = 0
