"""`python -m bot.journey.research.check NAME`: the validators of this research, each a question with one answer.

They read the file that `ARTIFACT_FILE` names and nothing of the ledger; exit code 0 says that it passes.

    redrawn      drawn again, the sample is the same, file for file
    interval     the interval is at most as wide as was registered
    recomputed   measured again, everything is the same, to the digit
    follows      the interpretation is what the registered rule makes of the values that it cites
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.journey.research import interpretation
from bot.journey.research.estimate import NoEstimate
from bot.journey.research.functions import NoData, library
from bot.journey.research.measurement import SCHEMA, Document, NotAMeasurement, again, different, parsed, too_wide
from bot.journey.research.protocol import NotRegistered
from bot.journey.research.sampling import redrawn

EXIT_USAGE = 2


def interval(data: bytes) -> str:
    """Why the interval is too wide; empty where it is not."""
    return too_wide(parsed(data, SCHEMA))


def recomputed(data: bytes) -> str:
    """What is different when it is measured again; empty where nothing is."""
    document = parsed(data, SCHEMA)
    return different(document, again(library(), document))


def follows(data: bytes) -> str:
    """Why the conclusion does not follow from the cited values; empty where it does."""
    document = parsed(data, interpretation.SCHEMA)
    return interpretation.wrong(data, [_cited(document, one) for one in _basis(document)])


def _basis(document: Document) -> list[Document]:
    basis = document.get("based_on")
    return [one for one in basis if isinstance(one, dict)] if isinstance(basis, list) else []


def _cited(document: Document, one: Document) -> tuple[str, Document]:
    """A measurement as far as the interpretation quotes it."""
    quoted = {name: one.get(name) for name in ("hypothesis", "effect", "interval")}
    return str(one.get("sha256")), {**quoted, "protocol": document.get("protocol")}


CHECKS: dict[str, Callable[[bytes], str]] = {
    "follows": follows,
    "interval": interval,
    "recomputed": recomputed,
    "redrawn": lambda data: redrawn(library(), data),
}


def problem_of(name: str, data: bytes) -> str:
    """Why these bytes do not pass a check; empty where they do."""
    try:
        return CHECKS[name](data)
    except (NotAMeasurement, NotRegistered, NoData, NoEstimate) as problem:
        return str(problem)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one check on the file of the environment."""
    words = list(sys.argv[1:] if argv is None else argv)
    path = os.environ.get("ARTIFACT_FILE")
    if len(words) != 1 or words[0] not in CHECKS or path is None:
        print(f"usage: ARTIFACT_FILE=FILE check {'|'.join(CHECKS)}", file=sys.stderr)  # noqa: T201
        return EXIT_USAGE
    problem = problem_of(words[0], Path(path).read_bytes())
    print(problem or "passes")  # noqa: T201
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
