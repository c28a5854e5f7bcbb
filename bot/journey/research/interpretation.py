"""What two measurements say together: which of two explanations the data support, and that may be neither.

The rule was registered before anything was measured. An interval that includes zero is "no effect", however large
the number in its middle looks; an effect below the smallest that matters is too small, however certain it is.
"""

from collections.abc import Mapping, Sequence

from bot.journey.research.measurement import Document, NotAMeasurement, interval_of, letter_of, parsed, too_wide
from bot.journey.research.protocol import Protocol, read

SCHEMA = "frontstage_interpretation_v0"
WORDS = {
    "effect": "holds: the difference is {effect:+.2f} [{low:+.2f}, {high:+.2f}]",
    "opposite": "is contradicted: the difference goes the other way, {effect:+.2f} [{low:+.2f}, {high:+.2f}]",
    "too_small": "is too small to matter: {effect:+.2f} [{low:+.2f}, {high:+.2f}]",
    "no_effect": "no effect was found: {effect:+.2f} [{low:+.2f}, {high:+.2f}] includes none",
}
CONCLUSIONS = {
    "A": "The data support A and not B.",
    "B": "The data support B and not A.",
    "both": "The data support both, and do not tell them apart.",
    "A_more": "The data support both, and A more than B.",
    "B_more": "The data support both, and B more than A.",
    "neither": "The data support neither explanation: no effect that matters.",
}


def verdict(effect: float, low: float, high: float, smallest: float) -> str:
    """What one interval says, by the registered rule."""
    if low <= 0 <= high:
        return "no_effect"
    if abs(effect) < smallest:
        return "too_small"
    return "effect" if effect > 0 else "opposite"


def supported(found: Mapping[str, tuple[float, float, float]], smallest: float) -> str:
    """Which explanation stands; one stands above the other only where their intervals do not meet."""
    standing = [letter for letter, one in found.items() if verdict(*one, smallest) == "effect"]
    if len(standing) != len(found):
        return standing[0] if standing else "neither"
    a, b = found["A"], found["B"]
    if a[1] > b[2]:
        return "A_more"
    return "B_more" if b[1] > a[2] else "both"


def interpret(protocol: Protocol, measurements: Sequence[tuple[str, Document]]) -> Document:
    """Interpret one measurement of each hypothesis, each with the digest of its bytes. Raises NotAMeasurement."""
    found: dict[str, tuple[float, float, float]] = {}
    basis = []
    for digest, document in measurements:
        letter = letter_of(document)
        if document.get("protocol") != protocol.sentence:
            raise NotAMeasurement(
                f"the measurement of {letter} follows another protocol than the one that is registered"
            )
        if letter in found:
            raise NotAMeasurement(f"hypothesis {letter} is measured twice")
        if problem := too_wide(document):
            raise NotAMeasurement(f"{letter}: {problem}")
        found[letter] = interval_of(document)
        basis.append(
            {"hypothesis": letter, "sha256": digest, "effect": found[letter][0], "interval": [*found[letter][1:]]}
        )
    if missing := {"A", "B"} - found.keys():
        raise NotAMeasurement(f"nothing is measured of {' and '.join(sorted(missing))}")
    return _document(protocol, found, sorted(basis, key=lambda one: str(one["hypothesis"])))


def _document(
    protocol: Protocol, found: Mapping[str, tuple[float, float, float]], basis: Sequence[Mapping[str, object]]
) -> Document:
    verdicts = {letter: verdict(*found[letter], protocol.smallest) for letter in ("A", "B")}
    stands = supported({letter: found[letter] for letter in ("A", "B")}, protocol.smallest)
    lines = [protocol.question.asks]
    for letter, said in verdicts.items():
        effect, low, high = found[letter]
        told = WORDS[said].format(effect=effect, low=low, high=high)
        lines.append(f"{letter} ({protocol.question.hypothesis(letter).says}): {told}.")
    lines.append(CONCLUSIONS[stands])
    return {
        "schema_version": SCHEMA,
        "protocol": protocol.sentence,
        "based_on": list(basis),
        "verdicts": verdicts,
        "supported": stands,
        "says": lines,
    }


def wrong(data: bytes, measurements: Sequence[tuple[str, Document]]) -> str:
    """Why an interpretation does not follow from these measurements; empty where it does."""
    try:
        document = parsed(data, SCHEMA)
        fresh = interpret(read(str(document.get("protocol"))), measurements)
    except NotAMeasurement as problem:
        return str(problem)
    return "" if document == fresh else "by the registered rule these measurements say something else"
