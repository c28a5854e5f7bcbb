"""A counterexample in words that people read and programs find again.

The sentence ends with the call and what must come out of it, as Python writes them; whoever reads it back takes
literals and nothing else.
"""

import ast
import re
from dataclasses import dataclass

SAID = re.compile(r"`(?P<module>[a-z_]+)\.(?P<function>[a-z_]+)\((?P<args>[^`]*)\)` must be `(?P<expected>[^`]*)`")
CHARS_MAX = 1_000


@dataclass(frozen=True)
class Measured:
    """One input for which a module was wrong."""

    module: str
    function: str
    args: tuple[object, ...]
    expected: object

    @property
    def sentence(self) -> str:
        """What was measured, to be read by anybody."""
        call = f"{self.module}.{self.function}({', '.join(map(repr, self.args))})"
        return f"`{call}` must be `{self.expected!r}` by the specification."


def all_measured(text: str) -> list[Measured]:
    """Every counterexample in a text; what does not hold literals alone is none."""
    found = []
    for one in SAID.finditer(text):
        try:
            args = ast.literal_eval(f"({one['args']},)")
            expected = ast.literal_eval(one["expected"])
        except (SyntaxError, ValueError):
            continue
        found.append(Measured(one["module"], one["function"], tuple(args), expected))
    return found
