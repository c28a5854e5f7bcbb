"""`python -m bot.journey.research.plan`: the planner of this research, as a steward asks one.

Two lanes that know nothing of each other measure the competing hypotheses; a third waits for both and interprets. Each
lane is bound to another agent, so that nobody interprets what they measured.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from bot.journey.research.measurement import Document
from bot.journey.research.protocol import NotRegistered, read
from bot.journey.research.seat import mapping, rows


def lanes(given: Document, seats: Sequence[str]) -> list[Document]:
    """The three lanes, by the criteria of the goal in their order. Raises NotRegistered."""
    goal = mapping(given, "goal")
    protocol = read(str(goal.get("objective", "")))
    criteria = [f"{one['criterion_id']}: {one['text']}" for one in rows(goal, "criteria")]
    good = [criteria[at] if at < len(criteria) else "" for at in range(3)]
    measured: list[Document] = [
        {
            "lane_id": f"measure-{one.letter.lower()}",
            "title": f"Measure hypothesis {one.letter}: {one.says}",
            "acceptance": good[at],
            "agent": seats[at],
            "validator": ["recomputed"],
            "priority": "P1",
        }
        for at, one in enumerate(protocol.question.hypotheses)
    ]
    interpreted: Document = {
        "lane_id": "interpret",
        "title": f"Say what the accepted measurements mean: {protocol.question.asks}",
        "acceptance": good[2],
        "agent": seats[2],
        "depends_on": ["measure-a", "measure-b"],
        "validator": ["follows"],
    }
    return [*measured, interpreted]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lanes for the packet on standard input."""
    parser = argparse.ArgumentParser(prog="plan", description="Plan the measurement of two hypotheses.")
    parser.add_argument(
        "--seats", nargs=3, required=True, help="agents: who measures A, who measures B, who interprets"
    )
    options = parser.parse_args(argv)
    try:
        given = json.load(sys.stdin)
        planned = lanes(given if isinstance(given, dict) else {}, options.seats)
    except (ValueError, NotRegistered) as problem:
        print(f"plan: {problem}", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps({"lanes": planned}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
