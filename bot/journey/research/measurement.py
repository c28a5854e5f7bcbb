"""One measurement as a document: what was asked, of which bytes, and what came out.

Everything in it follows from the registered protocol, the hypothesis and the number of files. So whoever doubts it
measures again and compares the two documents, to the digit.
"""

import json
import platform
from dataclasses import replace
from pathlib import Path

from bot.journey.research.estimate import LEVEL, NoEstimate, estimate, sums_of
from bot.journey.research.functions import FILES_OF_A_SAMPLE, Sample, draw
from bot.journey.research.protocol import NotRegistered, Protocol, candidates, read

SCHEMA = "frontstage_measurement_v0"
METHOD = "difference of means in standard deviations; percentile interval over resampled files"
PILOT_FILES = 12
BYTES_MAX = 65_536
Document = dict[str, object]


class NotAMeasurement(Exception):
    """The bytes are no measurement that can be judged; says why."""


def measure(root: Path, protocol: Protocol, letter: str, files: int = FILES_OF_A_SAMPLE) -> Document:
    """Measure one hypothesis on the registered sample. Raises NoData and NoEstimate."""
    return measured(draw(root, protocol.seed, protocol.sample, files), protocol, letter)


def measured(sample: Sample, protocol: Protocol, letter: str) -> Document:
    """Measure one hypothesis on these files. Raises NoEstimate."""
    hypothesis = protocol.question.hypothesis(letter)
    kept = [[one for one in file if one.body_lines >= protocol.lines_min] for file in sample.files]
    sums = [sums_of(file, protocol.question.outcome, hypothesis.holds) for file in kept]
    dice = f"interval/{protocol.seed}/{protocol.sample}/{letter}"
    found = estimate(sums, resamples=protocol.resamples, seed=dice)
    return {
        "schema_version": SCHEMA,
        "protocol": protocol.sentence,
        "hypothesis": letter,
        "says": hypothesis.says,
        "method": METHOD,
        "data": {
            "source": "the standard library of Python " + platform.python_version(),
            "files": len(kept),
            "functions": sum(map(len, kept)),
            "sha256": sample.sha256,
        },
        "groups": {"holds": found.holds, "others": found.others},
        "effect": found.effect,
        "interval": [found.low, found.high],
        "width": found.width,
        "level": LEVEL,
        "resamples": protocol.resamples,
        "dice": dice,
    }


def again(root: Path, document: Document) -> Document:
    """The same measurement made anew. Raises NotAMeasurement, NotRegistered, NoData and NoEstimate."""
    data = document.get("data")
    files = data.get("files") if isinstance(data, dict) else None
    if type(files) is not int or not 1 <= files <= FILES_OF_A_SAMPLE:
        raise NotAMeasurement(f"it names {files} files, and a sample has 1 to {FILES_OF_A_SAMPLE}")
    return measure(root, read(str(document.get("protocol"))), letter_of(document), files)


def letter_of(document: Document) -> str:
    """Which hypothesis it measures. Raises NotAMeasurement."""
    letter = document.get("hypothesis")
    if letter not in {"A", "B"}:
        raise NotAMeasurement("it measures neither hypothesis A nor B")
    return str(letter)


def interval_of(document: Document) -> tuple[float, float, float]:
    """Effect, low end and high end. Raises NotAMeasurement."""
    ends = document.get("interval")
    values = [document.get("effect"), *(ends if isinstance(ends, list) else [])]
    if len(values) != 3 or not all(type(one) in {int, float} for one in values):
        raise NotAMeasurement("it has no effect with two ends of an interval")
    effect, low, high = (float(str(one)) for one in values)
    if not low <= high:
        raise NotAMeasurement("its interval ends before it begins")
    return effect, low, high


def written(document: Document) -> bytes:
    """A document as bytes: the same document gives the same bytes."""
    return (json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()


def parsed(data: bytes, schema: str) -> Document:
    """A document of this schema. Raises NotAMeasurement."""
    try:
        document = json.loads(data) if len(data) <= BYTES_MAX else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("schema_version") != schema:
        raise NotAMeasurement(f"it is no {schema}")
    return document


def too_wide(document: Document) -> str:
    """Why the interval is not the one that was registered; empty where it is. Raises NotAMeasurement, NotRegistered."""
    _, low, high = interval_of(document)
    bound = read(str(document.get("protocol"))).width_max
    if high - low <= bound:
        return ""
    return f"the interval is {high - low:.2f} wide, and at most {bound:.2f} is registered"


def different(document: Document, fresh: Document) -> str:
    """The first field in which two measurements differ; empty where none does."""
    names = sorted(document.keys() | fresh.keys())
    name = next((one for one in names if document.get(one) != fresh.get(one)), None)
    if name is None:
        return ""
    return f"measured again, {name} is {json.dumps(fresh.get(name))} and not {json.dumps(document.get(name))}"


def drawn(root: Path, seed: int, *, lines_min: int = 1) -> Protocol:
    """The seed's first question that a pilot leaves open: what a few files answer needs no study.

    It has to be left open for functions of at least `lines_min` lines, too. Raises NoData and NotRegistered.
    """
    pilot = draw(root, seed, 1, PILOT_FILES)
    for protocol in candidates(seed):
        if all(_is_open(pilot, replace(protocol, lines_min=least)) for least in {protocol.lines_min, lines_min}):
            return protocol
    raise NotRegistered(f"a pilot answers every question for seed {seed}")


def _is_open(pilot: Sample, protocol: Protocol) -> bool:
    try:
        return bool(too_wide(measured(pilot, protocol, "A")))
    except NoEstimate:
        return False
