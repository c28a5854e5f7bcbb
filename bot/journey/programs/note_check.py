"""A validator of change notes: whether what a note says of a patch is so in the repository.

    python -m bot.journey.programs.note_check --repository R [--base REF]

It reads the note from `ARTIFACT_FILE` and has no patch: it looks whether each line that the note says was there before
is there in the commit, in the file that the note names for it, and whether the note names a patch at all.
"""

import argparse
import os
import re
import sys
from pathlib import Path

from bot.journey.programs.checkouts import clean_checkout

PATCH = re.compile(r"^Patch `[0-9a-f]{64}`\.$", re.MULTILINE)
FILE = re.compile(r"^- `(?P<path>[^`]+)`: \d+ line\(s\) went, \d+ came\.$")
BEFORE = re.compile(r"^  - before: `(?P<line>.*)`$")


def faults_in(note: str, root: Path) -> list[str]:
    """What the note says that is not so before the change."""
    found = [] if PATCH.search(note) else ["It names no patch."]
    path, files = root, 0
    for line in note.splitlines():
        if (named := FILE.match(line)) is not None:
            files += 1
            path = root / named["path"]
        elif (was := BEFORE.match(line)) is not None:
            lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
            if was["line"] not in [one.strip() for one in lines]:
                found.append(f"`{was['line']}` does not stand in {path.relative_to(root)}.")
    return found if files else [*found, "It names no file."]


def main(argv: list[str] | None = None) -> int:
    """As a validator: 0 where all is so."""
    parser = argparse.ArgumentParser(prog="note_check", description="Look whether a change note is so.")
    parser.add_argument("--repository", required=True, type=Path)
    parser.add_argument("--base", default="HEAD")
    asked = parser.parse_args(argv)
    with clean_checkout(asked.repository, base=asked.base) as root:
        found = faults_in(Path(os.environ["ARTIFACT_FILE"]).read_text(encoding="utf-8"), root)
    print("\n".join(found) or "What it says of the commit is so.")  # noqa: T201  (the validator's own output)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
