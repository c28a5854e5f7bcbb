"""The research journey: two explanations compete for something in a real data set, and the data may support neither.

The seed draws the question and the sample. One agent draws the sample, two measure the competing hypotheses, each for
itself, a third says what the accepted measurements mean, and a reviewer measures everything again. In the first round
the owner corrects the direction: functions of one or two lines are left out. The second round is on a new sample, in
the corrected direction.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bot.journey.plot import Correction, Delivered, Finding, Incident, Lane, Promise, Round, Seat, Without
from bot.journey.research.functions import library
from bot.journey.research.interpretation import wrong
from bot.journey.research.measurement import SCHEMA as MEASURED
from bot.journey.research.measurement import Document, NotAMeasurement, drawn, parsed
from bot.journey.research.plan import lanes
from bot.journey.research.protocol import NotRegistered, Protocol, read
from bot.journey.research.review import checks_for

FIRST, SPARE, SECOND, READER, REVIEWER = "measurer-a", "measurer-spare", "measurer-b", "interpreter", "reviewer"
MEASURES = "measure-a"
CRITERIA = (
    "Hypothesis A is measured as registered, on the registered sample",
    "Hypothesis B is measured as registered, on the registered sample",
    "It is said what the accepted measurements mean; no effect is an answer",
)
CORRECTED_LINES_MIN = 3
CHECK_S_MAX = 240
PROGRAMS = "bot.journey.research"


class Research:
    """One question, asked of two samples."""

    title = "research: two explanations compete, and the data may support neither"
    repository: Path | None = None

    def __init__(self, folder: Path, seed: int, *, without: Without | None = None) -> None:
        self._is_measured = without != "validator"
        self._protocol = drawn(library(), seed, lines_min=CORRECTED_LINES_MIN)
        self.validators: Path | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if self._is_measured:
            self.validators = folder / "validators.toml"
            self.validators.write_text(_meanings(), encoding="utf-8")

    def seats(self) -> Sequence[Seat]:
        """Two who can measure A, of whom one stands by; one for B; one who interprets; one who measures again."""
        pilot = _program("measure", "--pilot")
        believing = () if self._is_measured else ("--unmeasured",)
        return (
            Seat(agent_id=FIRST, role="executor", command=pilot, capabilities=(MEASURES,)),
            Seat(agent_id=SPARE, role="executor", command=pilot, capabilities=(MEASURES,), is_spare=True),
            Seat(agent_id=SECOND, role="executor", command=_program("measure")),
            Seat(agent_id=READER, role="executor", command=_program("interpret")),
            Seat(agent_id=REVIEWER, role="reviewer", command=_program("review", *believing)),
        )

    def round(self, number: int) -> Round:
        """A sample, who is to be lost, and what the owner thinks better of."""
        protocol = replace(self._protocol, sample=2 - number % 2, lines_min=1 if number == 1 else CORRECTED_LINES_MIN)
        question = protocol.question
        promise = Promise(
            title=f"{question.asks.rstrip('?')}, round {number}",
            objective=_objective(protocol),
            criteria=CRITERIA,
            write_scopes=("reports/**",),
            constraints=("Nobody interprets what they measured.",),
        )
        corrected = incident = None
        if number == 1:
            # While the sample is not drawn, nobody else can begin: nothing is measured before the correction.
            incident = Incident(kind="killed", agent_id=FIRST, lane_id="sample", successor=SPARE)
            better = replace(protocol, lines_min=CORRECTED_LINES_MIN)
            why = f"functions of fewer than {CORRECTED_LINES_MIN} lines say nothing about it and are left out"
            corrected = Correction(fields={"Objective": _objective(better)}, why=why)
        elif number == 2:
            # Whoever took over in the first round holds the seat; it is the one who was killed that comes back.
            incident = Incident(kind="frozen", agent_id=SPARE, lane_id=MEASURES, successor=FIRST)
        return Round(
            goal_id=f"research-{number}",
            promise=promise,
            lanes=self._lanes(protocol),
            incident=incident,
            correction=corrected,
        )

    def measure(self, now: Round, delivered: Sequence[Delivered]) -> Sequence[Finding]:
        """Every check again on every file, and the interpretation against the measurements themselves."""
        try:
            registered = read(now.promise.objective)
        except NotRegistered as trouble:
            return (Finding(name="protocol", holds=False, says=f"{trouble}."),)
        found: list[Finding] = []
        measurements: list[tuple[str, Document]] = []
        for one in sorted(delivered, key=lambda one: one.label):
            names = checks_for(one.label)
            if not names:
                continue
            if one.path is None:
                found.append(Finding(name=one.label, holds=False, says="Its bytes are not here."))
                continue
            data = one.path.read_bytes()
            found += [_checked(one.label, name, data) for name in names]
            found.append(_follows_protocol(one.label, data, registered))
            if one.label.startswith("measurement-"):
                measurements.append((one.sha256, parsed(data, MEASURED)))
        found.append(_interpreted(delivered, measurements))
        return tuple(found)

    def settle(self, now: Round, delivered: Sequence[Delivered]) -> None:
        """Nothing follows: what was found stays found."""

    def _lanes(self, protocol: Protocol) -> tuple[Lane, ...]:
        criteria = [f"c{number}: {text}" for number, text in enumerate(CRITERIA, 1)]
        made = lanes(protocol, criteria, [{"capability": [MEASURES]}, {"agent": SECOND}, {"agent": READER}])
        if self._is_measured:
            return tuple(made)
        return tuple({name: value for name, value in lane.items() if name != "validator"} for lane in made)


def _objective(protocol: Protocol) -> str:
    a, b = protocol.question.hypotheses
    return f"{protocol.question.asks} A: {a.says}. B: {b.says}. {protocol.sentence}"


def _program(name: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", f"{PROGRAMS}.{name}", *words)


def _meanings() -> str:
    """What the validators' names mean on this machine."""
    return "".join(
        f"[{name}]\nargv = {json.dumps(_program('check', name))}\n"
        f'timeout_seconds = {CHECK_S_MAX}\nenv = ["PYTHONPATH", "VIRTUAL_ENV"]\n\n'
        for name in ("follows", "interval", "recomputed", "redrawn")
    )


def _checked(label: str, name: str, data: bytes) -> Finding:
    """Run a check in a folder that holds nothing but the file."""
    with tempfile.TemporaryDirectory(prefix="fs-accept-") as folder:
        file = Path(folder) / label
        file.write_bytes(data)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
        ended = subprocess.run(
            _program("check", name),
            cwd=folder,
            env={**kept, "ARTIFACT_FILE": str(file)},
            capture_output=True,
            text=True,
            timeout=CHECK_S_MAX,
            check=False,
        )
    told = (ended.stdout.strip() or ended.stderr.strip()).splitlines()
    return Finding(name=f"{label} {name}", holds=ended.returncode == 0, says=told[-1] if told else "It said nothing.")


def _follows_protocol(label: str, data: bytes, registered: Protocol) -> Finding:
    """Whether a file follows what the owner confirmed last."""
    document = json.loads(data)
    holds = isinstance(document, dict) and document.get("protocol") == registered.sentence
    says = "It follows the protocol that was confirmed last." if holds else "It follows another protocol."
    return Finding(name=f"{label} protocol", holds=holds, says=says)


def _interpreted(delivered: Sequence[Delivered], measurements: Sequence[tuple[str, Document]]) -> Finding:
    """Whether the conclusion is what the registered rule makes of the measurements that were delivered with it."""
    path = next((one.path for one in delivered if one.label == "interpretation.json"), None)
    if path is None:
        return Finding(name="interpretation", holds=False, says="There is none whose bytes are here.")
    try:
        problem = wrong(path.read_bytes(), measurements)
    except NotAMeasurement as trouble:
        problem = str(trouble)
    told = problem or json.loads(path.read_bytes())["says"][-1]
    return Finding(name="interpretation", holds=not problem, says=told)
