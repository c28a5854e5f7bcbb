"""`python -m tests.schedules`: see the package."""

import argparse
import sys
from collections import Counter
from time import monotonic

from tests.schedules.play import play
from tests.schedules.trouble import AMONG


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.schedules", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many, from the first seed on")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--among", choices=sorted(AMONG), default="all", help="which faults there may be")
    parser.add_argument("--verbose", action="store_true", help="tell what happened")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.count) if given.seed is None else [given.seed]
    began, failed, met = monotonic(), [], Counter()
    for seed in seeds:
        played = play(seed, given.among)
        met.update(played.faults)
        if given.verbose:
            print("\n".join(played.told))
        if played.wrong:
            failed.append(seed)
            print(f"seed {seed}: " + "; ".join(played.wrong[:3]), flush=True)
    print(f"{len(seeds)} schedules, {sum(met.values())} faults, {len(failed)} failed, {monotonic() - began:.1f} s")
    if failed:
        print("failed:", *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
