"""A planner for the steward: it prints the lanes that stand in a file for the goal it is asked about.

python -m bot.journey.programs.planner FOLDER
"""

import json
import sys
from pathlib import Path


def main() -> int:
    """Print the plan of one goal; 1 where there is none."""
    goal_id = str(json.load(sys.stdin)["goal"]["goal_id"])
    path = Path(sys.argv[1]) / f"{goal_id}.json"
    if not path.is_file():
        return 1
    sys.stdout.write(path.read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
