"""All benches, one table: `python -m tests.bench [part of a name ...]`.

A bench is a module `bench_*.py` here with `run() -> list[Row]`. They run one after another, because a second one
would be measured by the first; the exit code is 1 when a limit is broken or a bench could not run.
"""

import argparse
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

from tests.bench.row import Row, exit_code, table


def found(wanted: list[str]) -> list[str]:
    """The benches whose name contains one of the wanted parts; all when none is named."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    return [name for name in names if not wanted or any(part in name for part in wanted)]


def main(argv: list[str] | None = None) -> int:
    """Run them and print the table; progress goes to standard error."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measured ratios and their limits.")
    parser.add_argument("wanted", nargs="*", help="parts of bench names, such as `store`")
    names = found(parser.parse_args(argv).wanted)
    if not names:
        parser.error("no bench has such a name")
    rows: list[Row] = []
    broken: list[str] = []
    for name in names:
        started = time.perf_counter()
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            rows.extend(import_module(f"tests.bench.{name}").run())
        except Exception:  # noqa: BLE001  (the others are still worth knowing; the exit code tells)
            traceback.print_exc()
            broken.append(name)
        print(f"{name} took {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    print(table(rows))
    for name in broken:
        print(f"!! {name} could not run")
    return 1 if broken else exit_code(rows)


if __name__ == "__main__":
    sys.exit(main())
