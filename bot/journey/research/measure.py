"""`python -m bot.journey.research.measure`: the seat of who draws the sample and measures one hypothesis on it.

It begins as many do: with a few files, because that is quick, and hands in what came out. Where that was turned down
it measures the whole sample. Which hypothesis it measures stands in the todo, how in the goal. It measures on no other
files than those of the sample that was accepted.
"""

import argparse
import re
import sys
import time
from collections.abc import Sequence

from bot.journey.research.estimate import NoEstimate
from bot.journey.research.functions import FILES_OF_A_SAMPLE, NoData, library
from bot.journey.research.measurement import PILOT_FILES, Document, NotAMeasurement, measure
from bot.journey.research.protocol import NotRegistered, Protocol, read
from bot.journey.research.sampling import other_files, sample
from bot.journey.research.seat import NotTheInput, bytes_of, finish, hand_in, mapping, objective, packet, rows

PAUSE_S_MAX = 600.0
_HYPOTHESIS = re.compile(r"\bhypothesis ([AB])\b", re.IGNORECASE)
_DRAWS = re.compile(r"draw\b", re.IGNORECASE)
_CRITERION = re.compile(r"\bc[0-9]+\b")


def letter_of(todo: Document) -> str | None:
    """The hypothesis that a todo names; none where it names no single one."""
    for text in (str(todo.get("title", "")), str(todo.get("acceptance", ""))):
        found = {str(one).upper() for one in _HYPOTHESIS.findall(text)}
        if len(found) == 1:
            return found.pop()
    return None


def criteria_of(todo: Document, given: Document) -> list[str]:
    """The criteria that a todo's acceptance names, as far as the goal has them."""
    known = {str(one.get("criterion_id")) for one in rows(mapping(given, "goal"), "criteria")}
    return [one for one in dict.fromkeys(_CRITERION.findall(str(todo.get("acceptance", "")))) if one in known]


def take(given: Document, *, pilot: bool) -> int:
    """One turn. Raises NotRegistered, NoData, NoEstimate, NotTheInput and NotAMeasurement."""
    todo = mapping(given, "todo")
    protocol = read(objective(given))
    if _DRAWS.match(str(todo.get("title", ""))):
        drawn = sample(library(), protocol)
        summary = f"{len(rows(drawn, 'files'))} files with {drawn['functions']} functions are drawn."
        return finish("done", summary, artifacts=[hand_in(drawn, "sample.json", criteria_of(todo, given))])
    letter = letter_of(todo)
    if letter is None:
        return finish(
            "blocked", "Nothing was measured.", reason="The todo names neither hypothesis A nor hypothesis B."
        )
    _same_sample(given, protocol)
    # What was turned down once is not tried a second time.
    small = pilot and not rows(given, "rejected")
    document = _pilot(protocol, letter) if small else None
    if document is None:
        document = measure(library(), protocol, letter, FILES_OF_A_SAMPLE)
    low, high = _pair(document["interval"])
    summary = (
        f"Hypothesis {letter}: {document['says']}. Difference {document['effect']} standard deviations, "
        f"interval [{low}, {high}], from {mapping(document, 'data')['files']} files "
        f"and {mapping(document, 'data')['functions']} functions."
    )
    label = f"measurement-{letter.lower()}.json"
    return finish("done", summary, artifacts=[hand_in(document, label, criteria_of(todo, given))])


def _same_sample(given: Document, protocol: Protocol) -> None:
    """Compare the accepted sample with what is drawn here. Raises NotTheInput, NotAMeasurement and NoData."""
    inputs = [one for one in rows(given, "inputs") if one.get("label") == "sample.json"]
    if any(not (one.get("status") == "accepted" and one.get("counts") is True) for one in inputs):
        raise NotTheInput("the sample is not accepted yet")
    for one in inputs:
        if problem := other_files(library(), protocol, bytes_of(one)):
            raise NotTheInput(problem)


def _pilot(protocol: Protocol, letter: str) -> Document | None:
    """What a few files say; nothing where they say nothing at all. Raises NoData."""
    try:
        return measure(library(), protocol, letter, PILOT_FILES)
    except NoEstimate:
        return None


def _pair(value: object) -> tuple[object, object]:
    assert isinstance(value, list)
    return value[0], value[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what the packet asks for."""
    parser = argparse.ArgumentParser(prog="measure", description="Measure one hypothesis, as it is registered.")
    parser.add_argument("--pilot", action="store_true", help="begin with a few files")
    parser.add_argument("--pause-seconds", type=float, default=0.0, help="wait before measuring, for whoever watches")
    options = parser.parse_args(argv)
    given = packet()
    time.sleep(min(max(options.pause_seconds, 0.0), PAUSE_S_MAX))
    try:
        return take(given, pilot=options.pilot)
    except (NotRegistered, NoData, NoEstimate, NotTheInput, NotAMeasurement) as problem:
        return finish("blocked", "Nothing was measured.", reason=str(problem))


if __name__ == "__main__":
    sys.exit(main())
