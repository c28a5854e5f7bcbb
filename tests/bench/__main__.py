"""All benches, one table: `python -m tests.bench [part of a name ...] [--write FILE]`.

A bench is a module `bench_*.py` here with `run() -> list[Row]`. They run one after another, because a second one
would be measured by the first; the exit code is 1 when a limit is broken or a bench could not run. `--write` puts the
table of a full run where a document has the two marks for it.
"""

import argparse
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

from tests.bench.machine import machine
from tests.bench.row import Row, exit_code, markdown, table

BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def found(wanted: list[str]) -> list[str]:
    """The benches whose name contains one of the wanted parts; all when none is named."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    return [name for name in names if not wanted or any(part in name for part in wanted)]


def main(argv: list[str] | None = None) -> int:
    """Run them and print the table; progress goes to standard error."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measured ratios and their limits.")
    parser.add_argument("wanted", nargs="*", help="parts of bench names, such as `store`")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between its marks in this document")
    options = parser.parse_args(argv)
    names = found(options.wanted)
    if not names:
        parser.error("no bench has such a name")
    if options.write is not None and options.wanted:
        parser.error("only a full run is written down")
    rows, broken = _measured(names)
    print(table(rows))
    for name in broken:
        print(f"!! {name} could not run")
    if options.write is not None and not broken:
        document = options.write.read_text(encoding="utf-8")
        options.write.write_text(placed(document, f"{machine()}\n\n{markdown(rows)}"), encoding="utf-8")
    return 1 if broken else exit_code(rows)


def _measured(names: list[str]) -> tuple[list[Row], list[str]]:
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
    return rows, broken


def placed(document: str, table_text: str) -> str:
    """The document with this table between its marks, whatever was there before."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no place for a table: {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table_text}\n\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main())
