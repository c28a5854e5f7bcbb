"""`frontstage demo engineering`: a journey as it is asked for on the command line.

A journey runs in a folder of its own and ends with a report, whatever came of it; the exit code is 0 only when all that
was expected was shown.
"""

import secrets
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from bot.journey.engineering import Engineering
from bot.journey.plot import Content, Without
from bot.journey.research.content import Research
from bot.journey.research.protocol import SEED_MAX
from bot.journey.stages import Journey, Wanted, write_report
from bot.stage import Place, say, show_logs

CYCLES_MAX = 8
EXIT_FAILED, EXIT_USAGE = 1, 2
Made = Callable[[Path, int, Without | None], Content]
JOURNEYS: dict[str, Made] = {
    "engineering": lambda folder, seed, without: Engineering(folder, seed, without=without),
    "research": lambda folder, seed, without: Research(folder, seed, without=without),
}


class Mistaken(Exception):
    """What was asked for cannot be done, in one sentence."""


def run(name: str, given: Mapping[str, object], home: Path | None, root: Path) -> int:
    """One journey, from its first process to its report. Raises OSError."""
    try:
        wanted = wanted_of(name, given)
        place = Place(home=home or root / "home", work=root / "work")
        place.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = JOURNEYS[name](place.work, wanted.seed, wanted.without)
        _require_seats(content, wanted)
    except Mistaken as mistake:
        say(str(mistake))
        return EXIT_USAGE
    say(f"Frontstage demo {content.title}. Seed {wanted.seed}.")
    report = Journey(place, content, wanted).play()
    if not report.passed:
        show_logs(place.home)
    say(f"\n{report.text()}")
    if "report" in given:
        write_report(report, Path(str(given["report"])))
    return 0 if report.passed else EXIT_FAILED


def wanted_of(name: str, given: Mapping[str, object]) -> Wanted:
    """What was asked for. Raises Mistaken."""
    seed = int(str(given["seed"])) if "seed" in given else secrets.randbelow(1_000)
    cycles = int(str(given.get("cycles", 2)))
    if not 0 <= seed < SEED_MAX:
        raise Mistaken(f"--seed is a number from 0 to {SEED_MAX - 1}.")
    if not 1 <= cycles <= CYCLES_MAX:
        raise Mistaken(f"--cycles is a number from 1 to {CYCLES_MAX}.")
    if shutil.which("git") is None:
        raise Mistaken("The journey needs git on the path.")
    seats = given.get("seat", ())
    return Wanted(
        journey=name,
        seed=seed,
        cycles=cycles,
        without=next((one for one in get_args(Without) if one == given.get("without")), None),
        port=int(str(given.get("port", 0))),
        at_terminal=not given.get("script") and sys.stdin.isatty(),
        commands=commands_of(seats if isinstance(seats, Sequence) and not isinstance(seats, str) else ()),
    )


def _require_seats(content: Content, wanted: Wanted) -> None:
    known = [seat.agent_id for seat in content.seats()]
    if strange := sorted(wanted.commands.keys() - set(known)):
        raise Mistaken(f"There is no seat {strange[0]}; there are {', '.join(known)}.")


def _is_command(text: str) -> bool:
    """Whether its words can be told apart, and the first names something."""
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return bool(words and words[0].strip())


def commands_of(seats: Sequence[object]) -> dict[str, str]:
    """The programs that were named for seats. Raises Mistaken."""
    found: dict[str, str] = {}
    for text in map(str, seats):
        agent_id, equals, command = text.partition("=")
        if not equals or not agent_id or not _is_command(command):
            raise Mistaken("--seat is AGENT=COMMAND, as in fixer='python3 mend.py'.")
        found[agent_id] = command
    return found
