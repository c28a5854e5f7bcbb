"""`python -m bot.journey.research.interpret`: the seat of who says what two accepted measurements mean together.

It measures nothing itself and builds on nothing that does not count: a measurement that nobody has accepted, or that
was replaced, is no basis, and then it says so and waits.
"""

import sys

from bot.journey.research.interpretation import interpret
from bot.journey.research.measure import criteria_of
from bot.journey.research.measurement import SCHEMA as MEASURED
from bot.journey.research.measurement import Document, NotAMeasurement, parsed
from bot.journey.research.protocol import NotRegistered, read
from bot.journey.research.seat import NotTheInput, bytes_of, finish, hand_in, mapping, objective, packet, rows


def take(given: Document) -> int:
    """One turn. Raises NotRegistered, NotTheInput and NotAMeasurement."""
    inputs = [one for one in rows(given, "inputs") if str(one.get("label", "")).startswith("measurement-")]
    if open_ones := [one for one in inputs if not (one.get("status") == "accepted" and one.get("counts") is True)]:
        names = ", ".join(f"{one.get('label')} ({one.get('status')})" for one in open_ones)
        return finish("blocked", "Nothing was interpreted.", reason=f"Not accepted yet: {names}.")
    measurements = [(str(one.get("sha256")), parsed(bytes_of(one), MEASURED)) for one in inputs]
    document = interpret(read(objective(given)), measurements)
    says = document["says"]
    assert isinstance(says, list)
    handed = hand_in(document, "interpretation.json", criteria_of(mapping(given, "todo"), given))
    return finish(
        "done", " ".join(map(str, says)), artifacts=[handed | {"inputs": [one["artifact_id"] for one in inputs]}]
    )


def main() -> int:
    """Interpret what the packet brings."""
    given = packet()
    try:
        return take(given)
    except (NotRegistered, NotTheInput, NotAMeasurement) as problem:
        return finish("blocked", "Nothing was interpreted.", reason=f"{problem}.")


if __name__ == "__main__":
    sys.exit(main())
