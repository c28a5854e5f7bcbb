"""What the modules' specifications say, each written down as a definition that is slow and plain.

A reviewer measures with it: it draws inputs, and says for each what must come out. It is no program that one could hand
in instead, and whoever mends a module does not see it.
"""

import calendar
import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Value = int | bool | list[int] | list[bool] | list[list[int]]
Args = list[Value]


@dataclass(frozen=True)
class Definition:
    """One function: how inputs are drawn, and what it must give for them."""

    function: str
    draw: Callable[[random.Random], Args]
    expected: Callable[..., Value]


def _draw_spans(dice: random.Random) -> Args:
    pairs = [sorted((dice.randint(0, 12), dice.randint(0, 12))) for _ in range(dice.randint(0, 4))]
    return [[list(pair) for pair in pairs]]


def _points(spans: list[list[int]]) -> list[list[int]]:
    """Half points stand for what is between two whole ones."""
    held = [any(2 * start <= point <= 2 * end for start, end in spans) for point in range(30)]
    found: list[list[int]] = []
    for point, is_held in enumerate(held):
        if is_held and (point == 0 or not held[point - 1]):
            found.append([point // 2, point // 2])
        if is_held:
            found[-1][1] = point // 2
    return found


def _draw_page(dice: random.Random) -> Args:
    return [dice.randint(-1, 13), dice.randint(-1, 5), dice.randint(-1, 6)]


def _page(total: int, size: int, number: int) -> list[int]:
    if total <= 0 or size <= 0 or number < 1:
        return [0, 0]
    items = list(range(total))
    pages = [items[begin : begin + size] for begin in range(0, total, size)]
    if number > len(pages):
        return [total, total]
    return [pages[number - 1][0], pages[number - 1][-1] + 1]


def _draw_scores(dice: random.Random) -> Args:
    return [[dice.randint(-3, 4) for _ in range(dice.randint(0, 6))]]


def _ranks(scores: list[int]) -> list[int]:
    ordered = sorted(scores, reverse=True)
    return [ordered.index(one) + 1 for one in scores]


def _draw_month(dice: random.Random) -> Args:
    century = dice.choice((1600, 1700, 1800, 1900, 2000, 2100, 2400))
    return [century + dice.choice((0, 0, dice.randint(0, 99))), dice.choice((2, 2, dice.randint(1, 12)))]


def _days(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def _draw_digits(dice: random.Random) -> Args:
    return [[dice.randint(0, 9) for _ in range(dice.randint(0, 7))]]


def _checksum(digits: list[int]) -> int:
    doubled = {digit: sum(map(int, str(2 * digit))) for digit in range(10)}
    rightmost = digits[::-1]
    return (sum(rightmost[::2]) + sum(doubled[one] for one in rightmost[1::2])) % 10


def _draw_words(dice: random.Random) -> Args:
    return [[dice.randint(1, 7) for _ in range(dice.randint(0, 7))], dice.randint(3, 12)]


def _lines(lengths: list[int], width: int) -> list[int]:
    """Each line takes as many of the words that are left as its text, written out, has room for; at least one."""
    left, counts = ["x" * length for length in lengths], []
    while left:
        count = max([1, *(many for many in range(1, len(left) + 1) if len(" ".join(left[:many])) <= width)])
        counts.append(count)
        left = left[count:]
    return counts


def _draw_calls(dice: random.Random) -> Args:
    times = sorted(dice.randint(0, 14) for _ in range(dice.randint(0, 8)))
    return [times, dice.randint(1, 3), dice.randint(1, 6)]


def _allowed(times: list[int], limit: int, window: int) -> list[bool]:
    answers: list[bool] = []
    for call, now in enumerate(times):
        counted = [one for one, yes in zip(times[:call], answers, strict=True) if yes]
        answers.append(len([one for one in counted if one in range(now - window + 1, now + 1)]) < limit)
    return answers


def _draw_versions(dice: random.Random) -> Args:
    left = [dice.randint(0, 3) for _ in range(dice.randint(1, 4))]
    right = [*left[: dice.randint(0, len(left))], *(dice.randint(0, 2) for _ in range(dice.randint(0, 2)))] or [0]
    return [left, right] if dice.random() < 0.5 else [right, left]


def _compared(left: list[int], right: list[int]) -> int:
    longest = max(len(left), len(right))
    mine, other = (one + [0] * (longest - len(one)) for one in (left, right))
    return (mine > other) - (mine < other)


def _draw_amount(dice: random.Random) -> Args:
    return [dice.randint(0, 23), dice.randint(-1, 7)]


def _shared(amount: int, people: int) -> list[int]:
    """One cent after the other is handed round."""
    parts = [0] * max(0, people)
    for cent in range(amount if parts else 0):
        parts[cent % len(parts)] += 1
    return parts


def _draw_list(dice: random.Random) -> Args:
    return [sorted(dice.randint(0, 6) for _ in range(dice.randint(0, 7))), dice.randint(-1, 7)]


def _place(values: list[int], wanted: int) -> int:
    return len([one for one in values if one <= wanted])


def _draw_values(dice: random.Random) -> Args:
    return [[dice.randint(0, 5) for _ in range(dice.randint(0, 8))]]


def _longest(values: list[int]) -> int:
    stretches = [values[begin:end] for begin in range(len(values)) for end in range(begin + 1, len(values) + 1)]
    return max([0, *(len(one) for one in stretches if all(a < b for a, b in itertools.pairwise(one)))])


def _draw_ride(dice: random.Random) -> Args:
    ages = (0, 5, 6, 7, 16, 17, 18, 64, 65, 66, dice.randint(0, 99))
    hours = (0, 4, 5, 6, 21, 22, 23, dice.randint(0, 23))
    return [dice.choice(ages), dice.choice(hours)]


def _fare(age: int, hour: int) -> int:
    share = Fraction(0) if age in range(6) else Fraction(1, 2) if age in range(6, 18) or age >= 65 else Fraction(1)
    return int(240 * share) + (60 if share and hour in {22, 23, 0, 1, 2, 3, 4} else 0)


DEFINITIONS: dict[str, Definition] = {
    "intervals": Definition("merged", _draw_spans, _points),
    "paging": Definition("bounds", _draw_page, _page),
    "ranking": Definition("ranks", _draw_scores, _ranks),
    "calendar_days": Definition("days_in_month", _draw_month, _days),
    "check_digit": Definition("checksum", _draw_digits, _checksum),
    "lines": Definition("words_a_line", _draw_words, _lines),
    "throttle": Definition("allowed", _draw_calls, _allowed),
    "versions": Definition("compared", _draw_versions, _compared),
    "shares": Definition("shared", _draw_amount, _shared),
    "insertion": Definition("place", _draw_list, _place),
    "streaks": Definition("longest", _draw_values, _longest),
    "fares": Definition("fare", _draw_ride, _fare),
}


def drawn(name: str, seed: int, trials: int) -> list[Args]:
    """Inputs for a module's function."""
    dice = random.Random(seed)  # noqa: S311  (a draw of inputs)
    return [DEFINITIONS[name].draw(dice) for _ in range(trials)]


def counterexample(name: str, inputs: Sequence[Args], answers: Sequence[object]) -> tuple[Args, Value] | None:
    """The shortest input whose answer is not what the definition says, with what it says."""
    definition = DEFINITIONS[name]
    wrong = [
        (args, expected)
        for args, answer in zip(inputs, answers, strict=True)
        if (expected := definition.expected(*args)) != answer or type(expected) is not type(answer)
    ]
    return min(wrong, key=lambda one: len(str(one[0])), default=None)
