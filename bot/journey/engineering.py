"""The engineering journey: a small repository with a defect that the seed draws, mended, noted and reviewed.

The fixer finds and mends it, the writer notes it from the accepted patch only, the reviewer measures both in a clean
checkout. In the second round the repository has moved on: what was accepted is in it, and a new module has brought
another defect.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.journey.generate import Defect, commit, git, make_repository, spoil_again
from bot.journey.plot import Correction, Delivered, Finding, Incident, Lane, Promise, Round, Seat, Without
from bot.journey.programs.checkouts import clean_checkout
from bot.journey.programs.note_check import faults_in
from bot.journey.programs.notes import faults, wants_input
from bot.journey.programs.patch_check import definition, suite

FIXER, SPARE, WRITER, REVIEWER = "fixer", "fixer-two", "writer", "reviewer"
MENDS = "mend"
SUITE, NOTED = "suite", "noted"
CRITERIA = (
    "The suite passes in a clean checkout with the patch",
    "A change note names every file and every line that came",
)
CORRECTED = "A change note names every file, every line that came, and an input that came out wrong"
PROGRAMS = "bot.journey.programs"
ACCEPTOR_SEED_STEP = 1_000_003
"""The acceptor draws inputs of its own."""


class Engineering:
    """One repository and what is done to it."""

    title = "engineering: a defect is found, mended, reviewed and noted"

    def __init__(self, folder: Path, seed: int, *, without: Without | None = None) -> None:
        self.repository = folder / "repository"
        self.validators: Path | None = None if without == "validator" else folder / "validators.toml"
        self._seed = seed
        self._known: tuple[str, ...] = ()
        self._is_measured = without != "validator"
        folder.mkdir(parents=True, exist_ok=True)
        if self.validators is not None:
            self.validators.write_text(self._meanings(), encoding="utf-8")

    def seats(self) -> Sequence[Seat]:
        """Two who can mend, of whom one stands by; one who writes; one who measures."""
        at = ("--repository", str(self.repository))
        measures = (*at, "--seed", str(self._seed), *(() if self._is_measured else ("--unmeasured",)))
        mends = program("fixer")
        return (
            Seat(agent_id=FIXER, role="executor", command=mends, capabilities=(MENDS,), at_repository=True),
            Seat(
                agent_id=SPARE, role="executor", command=mends, capabilities=(MENDS,), at_repository=True, is_spare=True
            ),
            Seat(agent_id=WRITER, role="executor", command=program("writer", *at)),
            Seat(agent_id=REVIEWER, role="reviewer", command=program("reviewer", *measures)),
        )

    def round(self, number: int) -> Round:
        """A defect, and who is to be lost while it is looked for."""
        defect = self._spoil(number)
        promise = Promise(
            title=f"Mend the suite, round {number}",
            objective=f"The tests of {defect.module} fail. Find out why, mend it, and say what was changed.",
            criteria=CRITERIA,
            write_scopes=("tally/**", "tests/**"),
        )
        if number % 2:
            incident = Incident(kind="killed", agent_id=FIXER, lane_id="fix", successor=SPARE)
            correction = Correction(
                fields={"Acceptance criteria": f"{CRITERIA[0]}\n{CORRECTED}"},
                why="the note is to name an input that came out wrong",
            )
            return Round(
                goal_id=f"mend-{number}", promise=promise, lanes=self._lanes(), incident=incident, correction=correction
            )
        # Whoever took over the round before holds the seat now; it is the one who was killed that comes back.
        incident = Incident(kind="frozen", agent_id=SPARE, lane_id="fix", successor=FIXER)
        return Round(goal_id=f"mend-{number}", promise=promise, lanes=self._lanes(), incident=incident)

    def measure(self, now: Round, delivered: Sequence[Delivered]) -> Sequence[Finding]:
        """The suite and the specification, with inputs of the acceptor's own; and the note against the patch."""
        patch = next((one.path for one in delivered if one.kind == "patch"), None)
        note = next((one.path for one in delivered if one.kind == "note"), None)
        if patch is None or note is None:
            return (Finding(name="delivered", holds=False, says="There is no patch and note whose bytes are here."),)
        found = [
            suite(self.repository, patch, "HEAD"),
            definition(self.repository, patch, "HEAD", self._seed + ACCEPTOR_SEED_STEP),
        ]
        with_input = wants_input(now.promise.criteria)
        text = note.read_text(encoding="utf-8")
        with clean_checkout(self.repository) as root:
            wrong = [*faults(text, patch, with_input=with_input), *faults_in(text, root)]
        says = " ".join(wrong) or "It says what the patch does."
        return (
            *(Finding(name=one.name, holds=one.exit_code == 0, says=one.says) for one in found),
            Finding(name="note", holds=not wrong, says=says),
        )

    def settle(self, now: Round, delivered: Sequence[Delivered]) -> None:
        """What the owner accepted is in the repository from now on."""
        patch = next(one.path for one in delivered if one.kind == "patch")
        git(self.repository, "apply", "--whitespace=nowarn", "--", str(patch))
        commit(self.repository, f"{now.promise.title}, as accepted")

    def _spoil(self, number: int) -> Defect:
        if number == 1:
            defect, self._known = make_repository(self.repository, self._seed)
        else:
            defect = spoil_again(self.repository, self._seed + number - 1, self._known)
            self._known = (*self._known, defect.module)
        return defect

    def _lanes(self) -> tuple[Lane, ...]:
        fix: dict[str, object] = {
            "lane_id": "fix",
            "title": "Find out why the suite fails, and mend it",
            "acceptance": "Every test passes, and one of them fails without the change",
            "capability": [MENDS],
            "write_scope": ["tally/**", "tests/**"],
        }
        note: dict[str, object] = {
            "lane_id": "note",
            "title": "Write the change note of the accepted patch",
            "acceptance": "It names the patch, every file and every line that came",
            "agent": WRITER,
            "depends_on": ["fix"],
        }
        if self._is_measured:
            fix["validator"], note["validator"] = [SUITE], [NOTED]
        return fix, note

    def _meanings(self) -> str:
        """What the validators' names mean on this machine."""
        at = ["--repository", str(self.repository)]
        words = {
            SUITE: [*program("patch_check"), "suite", *at],
            NOTED: [*program("note_check"), *at],
        }
        return "".join(
            f'[{name}]\nargv = {json.dumps(argv)}\ntimeout_seconds = 120\nenv = ["PYTHONPATH", "VIRTUAL_ENV"]\n\n'
            for name, argv in words.items()
        )


def program(name: str, *words: str) -> tuple[str, ...]:
    """One of the programs here, run by this interpreter and not by what lies in the folder of the work."""
    return (sys.executable, "-P", "-m", f"{PROGRAMS}.{name}", *words)


def line_of(command: Sequence[str]) -> str:
    """A command as `worker run --exec` takes it."""
    return shlex.join(command)
