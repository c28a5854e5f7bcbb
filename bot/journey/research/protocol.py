"""What is registered before anything is measured, as one sentence that a person confirms and a program reads.

The sentence stands in the goal's objective. So a correction of direction is a revision of the goal like any other, and
whoever measures, interprets or reviews reads the same promise that the owner confirmed.
"""

import random
import re
from dataclasses import dataclass

from bot.journey.research.questions import QUESTIONS, Question

SMALLEST_EFFECT = 0.2
RESAMPLES = 1_000
LEVEL_PERCENT = 95
SAMPLES = 2
SEED_MAX = 1_000_000_000
LINES_MAX = 100
RESAMPLES_MAX = 20_000

_SENTENCE = re.compile(
    r"Protocol: question (?P<question>[a-z]+), seed (?P<seed>[0-9]{1,10}), sample (?P<sample>[12]), "
    r"functions of at least (?P<lines_min>[0-9]{1,3}) lines, effect in standard deviations, "
    r"interval 95% of (?P<resamples>[0-9]{2,5}) resamples of files, at most (?P<width_max>[0-9]\.[0-9]{1,3}) wide, "
    r"smallest effect that matters (?P<smallest>[0-9]\.[0-9]{1,3})\."
)


class NotRegistered(Exception):
    """No protocol, or one that cannot be followed; says why."""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One registered measurement of two competing hypotheses."""

    question: Question
    seed: int
    sample: int
    lines_min: int
    resamples: int
    width_max: float
    smallest: float

    @property
    def sentence(self) -> str:
        """The protocol as it stands in the goal."""
        return (
            f"Protocol: question {self.question.name}, seed {self.seed}, sample {self.sample}, "
            f"functions of at least {self.lines_min} lines, effect in standard deviations, "
            f"interval {LEVEL_PERCENT}% of {self.resamples} resamples of files, at most {self.width_max:.2f} wide, "
            f"smallest effect that matters {self.smallest:.2f}."
        )


def candidates(seed: int) -> list[Protocol]:
    """What could be asked first, in the order in which the seed draws the questions."""
    names = sorted(QUESTIONS)
    random.Random(f"question/{seed}").shuffle(names)  # noqa: S311  (a draw, no secret)
    return [
        Protocol(
            question=QUESTIONS[name],
            seed=seed,
            sample=1,
            lines_min=1,
            resamples=RESAMPLES,
            width_max=QUESTIONS[name].width_max,
            smallest=SMALLEST_EFFECT,
        )
        for name in names
    ]


def read(text: str) -> Protocol:
    """The one protocol in a text. Raises NotRegistered for none, for two, and for one out of bounds."""
    # A person's form may have broken the lines anew.
    found = list(_SENTENCE.finditer(" ".join(text.split())))
    if len(found) != 1:
        raise NotRegistered(f"the goal registers {len(found)} protocols that can be read, and one is needed")
    given = found[0].groupdict()
    question = QUESTIONS.get(given["question"])
    if question is None:
        raise NotRegistered(f"there is no question {given['question']}, only {', '.join(sorted(QUESTIONS))}")
    protocol = Protocol(
        question=question,
        seed=int(given["seed"]),
        sample=int(given["sample"]),
        lines_min=int(given["lines_min"]),
        resamples=int(given["resamples"]),
        width_max=float(given["width_max"]),
        smallest=float(given["smallest"]),
    )
    if protocol.seed > SEED_MAX or protocol.lines_min > LINES_MAX or protocol.resamples > RESAMPLES_MAX:
        raise NotRegistered(f"seed, lines or resamples are beyond {SEED_MAX}, {LINES_MAX} and {RESAMPLES_MAX}")
    return protocol
