"""The report of a journey: what was expected, whether the ledger and the measurements show it, and the figures.

Nothing here is counted while the journey runs. What is said comes from the ledger's export, from what the acceptor
measured, and from what was seen of processes and cards; an expectation that nothing bears on is untested, which is not
passed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

SCHEMA = "frontstage_journey_report_v0"
Verdict = Literal["passed", "failed", "untested"]
MARKS: Mapping[Verdict, str] = {"passed": "✓", "failed": "✗", "untested": "·"}
LINE_CHARS_MAX = 118


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """One thing that a journey must show."""

    name: str
    verdict: Verdict
    says: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """One journey, as it was found afterwards."""

    journey: str
    seed: int
    cycles: int
    without: str | None
    expectations: tuple[Expectation, ...]
    counts: Mapping[str, object]
    problem: str = ""
    """Why it ended before its end, if it did."""

    @property
    def passed(self) -> bool:
        """Whether it went to its end and everything that was expected was shown; of nothing, nothing was."""
        if not self.expectations:
            return False
        return not self.problem and all(one.verdict == "passed" for one in self.expectations)

    def document(self) -> dict[str, object]:
        """For programs."""
        return {
            "schema_version": SCHEMA,
            "journey": self.journey,
            "seed": self.seed,
            "cycles": self.cycles,
            "without": self.without,
            "passed": self.passed,
            "problem": self.problem or None,
            "expectations": [{"name": one.name, "verdict": one.verdict, "says": one.says} for one in self.expectations],
            "counts": dict(self.counts),
        }

    def text(self) -> str:
        """For people, on one screen."""
        left_out = f", without {self.without}" if self.without else ""
        lines = [f"Journey {self.journey}, seed {self.seed}, {self.cycles} round{'s' * (self.cycles != 1)}{left_out}"]
        lines += [_clipped(f" {MARKS[one.verdict]} {one.name}: {one.says}") for one in self.expectations]
        lines += [_clipped(f"   {line}") for line in _figures(self.counts)]
        if self.problem:
            lines.append(_clipped(f" ! It ended early: {self.problem}"))
        tally = {verdict: sum(one.verdict == verdict for one in self.expectations) for verdict in MARKS}
        said = ", ".join(f"{count} {verdict}" for verdict, count in tally.items())
        lines.append(f"{'PASSED' if self.passed else 'FAILED'}: {said}")
        return "\n".join(lines)


def _figures(counts: Mapping[str, object]) -> Sequence[str]:
    """The figures as sentences; a figure that was not to be had is said to be unknown."""

    def figure(name: str) -> str:
        value = counts.get(name)
        return "unknown" if value is None else str(value)

    owner = (
        f"decisions asked {figure('decisions_asked')}, made {figure('decisions_made')}; "
        f"interventions {figure('interventions')}; tokens in {figure('tokens_in')}, out {figure('tokens_out')}"
    )
    waits = (
        f"block → notice {figure('notice_ms_median')} ms (median), {figure('notice_ms_max')} ms at most, "
        f"{figure('decisions_shown')} of {figure('decisions_asked')} asks shown; "
        f"worker lost → noticed {figure('lost_ms_max')} ms"
    )
    effects = (
        f"duplicate effects {figure('duplicate_effects')}; stale writes refused {figure('stale_writes_refused')}; "
        f"accepted artifacts {figure('accepted_artifacts')}; events {figure('events')}"
    )
    return owner, waits, effects


def _clipped(line: str) -> str:
    return line if len(line) <= LINE_CHARS_MAX else line[: LINE_CHARS_MAX - 1] + "…"
