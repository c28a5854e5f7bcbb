"""The questions that can be asked of the data set: one outcome, and two explanations that compete for it.

Some explanations hold in the standard library and some do not; nothing here says which. Each is a statement that can
turn out wrong, in one direction: the functions that it names have more of the outcome than the others.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from bot.journey.research.functions import Function

ALPHABET_HALF = "m"
LONG_NAME = 14
MANY_ARGUMENTS = 3


@dataclass(frozen=True)
class Hypothesis:
    """The functions for which it holds have more of the outcome."""

    letter: str
    says: str
    holds: Callable[[Function], bool]


@dataclass(frozen=True)
class Question:
    """An outcome, how narrow its interval has to be, and what might go with it."""

    name: str
    asks: str
    width_max: float
    outcome: Callable[[Function], float]
    hypotheses: tuple[Hypothesis, Hypothesis]

    def hypothesis(self, letter: str) -> Hypothesis:
        """The one with this letter. Raises KeyError."""
        return {one.letter: one for one in self.hypotheses}[letter]


def _length(one: Function) -> float:
    """Lengths are skewed: twice as long counts as one more."""
    return math.log2(one.body_lines)


def _choices(one: Function) -> float:
    return math.log2(one.choices + 1)


def _first_half(one: Function) -> bool:
    return one.name.strip("_").lower()[:1] <= ALPHABET_HALF


_ALL = (
    Question(
        "length",
        "What goes with long functions?",
        0.75,
        _length,
        (
            Hypothesis("A", "Functions with a docstring have longer bodies than others", lambda one: one.documented),
            Hypothesis("B", "Functions named from A to M have longer bodies than others", _first_half),
        ),
    ),
    Question(
        "nesting",
        "What goes with deep nesting?",
        0.7,
        lambda one: float(one.nesting),
        (
            Hypothesis("A", "Methods nest deeper than plain functions", lambda one: one.in_class),
            Hypothesis(
                "B", "Functions of many arguments nest deeper than others", lambda one: one.arguments >= MANY_ARGUMENTS
            ),
        ),
    ),
    Question(
        "arguments",
        "What goes with many arguments?",
        0.65,
        lambda one: float(one.arguments),
        (
            Hypothesis("A", "Functions with a docstring take more arguments than others", lambda one: one.documented),
            Hypothesis(
                "B",
                "Functions whose names have an even number of letters take more arguments than others",
                lambda one: len(one.name) % 2 == 0,
            ),
        ),
    ),
    Question(
        "choices",
        "What goes with many branches and loops?",
        0.75,
        _choices,
        (
            Hypothesis(
                "A",
                "Functions of many arguments have more branches than others",
                lambda one: one.arguments >= MANY_ARGUMENTS,
            ),
            Hypothesis(
                "B", "Functions with long names have more branches than others", lambda one: len(one.name) >= LONG_NAME
            ),
        ),
    ),
    Question(
        "place",
        "What goes with where a function stands?",
        0.5,
        _length,
        (
            Hypothesis(
                "A", "Functions in the second half of their file have longer bodies", lambda one: one.place >= 0.5
            ),
            Hypothesis(
                "B", "Functions that begin on an even line have longer bodies", lambda one: one.first_line % 2 == 0
            ),
        ),
    ),
)

QUESTIONS = {one.name: one for one in _ALL}
