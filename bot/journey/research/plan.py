"""`python -m bot.journey.research.plan`: the planner of this research, as a steward asks one.

The sample is drawn first. Two lanes that know nothing of each other measure the competing hypotheses on it; the last
waits for both and interprets. Nobody interprets what they measured.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from bot.journey.research.measurement import Document
from bot.journey.research.protocol import NotRegistered, Protocol, read
from bot.journey.research.seat import mapping, rows

Bound = Document
"""By whom a lane may be done: `{"agent": …}`, or `{"capability": […]}` where several can."""


def lanes(protocol: Protocol, criteria: Sequence[str], bound: Sequence[Bound]) -> list[Document]:
    """The four lanes: the sample, A, B and what they mean; criteria and bounds are those of the last three."""
    good = [criteria[at] if at < len(criteria) else "" for at in range(3)]
    measures = [
        {
            "lane_id": f"measure-{one.letter.lower()}",
            "title": f"Measure hypothesis {one.letter}: {one.says}",
            "acceptance": good[at],
            "depends_on": ["sample"],
            "validator": ["recomputed"],
            **bound[at],
        }
        for at, one in enumerate(protocol.question.hypotheses)
    ]
    return [
        {"lane_id": "sample", "title": "Draw the registered sample", "validator": ["redrawn"], **bound[0]},
        *measures,
        {
            "lane_id": "interpret",
            "title": f"Say what the accepted measurements mean: {protocol.question.asks}",
            "acceptance": good[2],
            "depends_on": ["measure-a", "measure-b"],
            "validator": ["follows"],
            **bound[2],
        },
    ]


def planned(given: Document, seats: Sequence[str]) -> list[Document]:
    """The lanes for a steward's packet. Raises NotRegistered."""
    goal = mapping(given, "goal")
    criteria = [f"{one['criterion_id']}: {one['text']}" for one in rows(goal, "criteria")]
    return lanes(read(str(goal.get("objective", ""))), criteria, [{"agent": one} for one in seats])


def question(given: Document) -> Document:
    """What to ask before anything is planned: nothing, unless no protocol can be read."""
    try:
        read(str(mapping(given, "goal").get("objective", "")))
    except NotRegistered as problem:
        return {"question": f"Which protocol is to be followed? {problem}.", "options": []}
    return {}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lanes for the packet on standard input."""
    parser = argparse.ArgumentParser(prog="plan", description="Plan the measurement of two hypotheses.")
    parser.add_argument(
        "--seats", nargs=3, required=True, help="agents: who measures A, who measures B, who interprets"
    )
    options = parser.parse_args(argv)
    try:
        read_in = json.load(sys.stdin)
        given = read_in if isinstance(read_in, dict) else {}
        asks = given.get("stage") == "clarify"
        printed: Document = question(given) if asks else {"lanes": planned(given, options.seats)}
    except (ValueError, NotRegistered) as problem:
        print(f"plan: {problem}", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps(printed))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
