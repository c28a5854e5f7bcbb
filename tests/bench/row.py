"""One measured ratio and the limit it must keep.

Ratios are compared, never absolute figures: each is taken against a probe that ran beside it on the same machine in
the same round, and the median of the rounds' ratios counts.
"""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["at least", "at most"]
"""On which side of its limit a ratio is good."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one line of the table says."""

    name: str
    ratio: float
    limit: float
    direction: Direction
    note: str
    """What was divided by what, with its unit and the absolute figures of this run."""
    unit: str = "x"
    """Of what is limited: a multiple, where nothing else is said."""
    measured: bool = True
    """False where what it is compared with is not at hand; `note` says what was missing."""

    @property
    def holds(self) -> bool:
        """Whether the limit is kept; what was not measured breaks none."""
        if not self.measured:
            return True
        return self.ratio >= self.limit if self.direction == "at least" else self.ratio <= self.limit


def table(rows: list[Row]) -> str:
    """The rows as text, one line each, the broken ones marked."""
    width = max((len(row.name) for row in rows), default=0)
    return "\n".join(_line(row, width) for row in rows)


def _line(row: Row, width: int) -> str:
    mark = "  " if row.holds else "!!"
    limit = f"{row.direction:8} {row.limit:6.2f} {row.unit:3}"
    ratio = f"{row.ratio:8.2f} {row.unit:3}" if row.measured else f"{'--':>8}    "
    return f"{mark} {row.name:{width}}  {ratio}  {limit}  {row.note}"


def markdown(rows: list[Row]) -> str:
    """The same for a document."""
    lines = ["| | measured | limit | what and against what |", "|---|---|---|---|"]
    for row in rows:
        kept = "" if row.holds else " **broken**"
        ratio = f"{row.ratio:.2f} {row.unit}{kept}" if row.measured else "not measured"
        lines.append(f"| {row.name} | {ratio} | {row.direction} {row.limit:g} {row.unit} | {row.note} |")
    return "\n".join(lines)


def exit_code(rows: list[Row]) -> int:
    """0 when every limit is kept. A run that measured nothing proves nothing."""
    return 0 if any(row.measured for row in rows) and all(row.holds for row in rows) else 1
