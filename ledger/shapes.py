"""One shape by which a text gives something away, and what it would give away.

A shape has words that must stand in the text before its pattern is tried, so that ordinary text costs a few searches
for plain strings. Patterns are bounded and begin at a literal: no text makes one of them take more than linear time.
"""

import re
from typing import Literal, NamedTuple

Reason = Literal["credential", "key_material", "private_url", "absolute_path", "contact"]


class Shape(NamedTuple):
    """What is looked for, and in which texts it is worth looking."""

    reason: Reason
    signs: frozenset[str]
    """Signs of which one must stand in the text; none where there are none."""
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    cased: bool = False
    """Whether it looks at the text with its capitals."""
    whole: bool = False
    """Whether it is the credential alone, without a name before it: such a one is known where lines cut it, too."""
