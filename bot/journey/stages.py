"""One journey from its first process to its report.

Each round is a goal of its own: the steward proposes it, the owner reads and confirms it, the team works, somebody is
lost, the owner corrects, the steward delivers, the acceptor measures again, and the owner accepts. What the report says
is found afterwards, in the ledger's export and in what was measured; a journey that ends early is reported as well.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from bot.journey.expected import Lost, Measured, counts, expectations
from bot.journey.generate import NoDefect
from bot.journey.notices import Notice, read_notices
from bot.journey.owner import Owner
from bot.journey.plot import Content, Delivered, Finding, Round, Without
from bot.journey.records import read_export
from bot.journey.rejections import rejections
from bot.journey.report import Report
from bot.journey.research.functions import NoData
from bot.journey.team import Team, in_force
from bot.stage import OWNER, DemoFailed, Place, Processes, begin, pairing_code, run_cli, say, wait_connected
from daemon.wire import WireFault

ROUND_S_MAX = 150.0
ENDS_EARLY = (DemoFailed, NoDefect, NoData, WireFault, subprocess.SubprocessError, OSError, ValueError)
"""What may end a journey before its end; it is reported."""
PLANNER = (sys.executable, "-P", "-m", "bot.journey.programs.planner")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was asked for on the command line."""

    journey: str
    seed: int
    cycles: int = 2
    without: Without | None = None
    port: int = 0
    at_terminal: bool = False
    commands: Mapping[str, str] = field(default_factory=dict)
    """Programs for seats, by the agent's id, in place of ours."""


class Journey:
    """One run."""

    def __init__(self, place: Place, content: Content, wanted: Wanted) -> None:
        self._place, self._content, self._wanted = place, content, wanted
        self._rounds: list[Round] = []
        self._lost: list[Lost] = []
        self._findings: list[tuple[str, tuple[Finding, ...]]] = []
        self._notices: tuple[Notice, ...] = ()
        self._plans = place.work / "plans"

    def play(self) -> Report:
        """All of it; what ends it early is in the report."""
        problem = ""
        with ExitStack() as stack:
            processes = Processes(self._place)
            stack.callback(processes.stop)
            try:
                self._play(processes, stack)
            except ENDS_EARLY as trouble:
                problem = str(trouble) or type(trouble).__name__
        return self._report(problem)

    def _play(self, processes: Processes, stack: ExitStack) -> None:
        wanted = self._wanted
        self._plans.mkdir(parents=True)
        # Before anybody sits down: a worker is told of the repository that the first round makes.
        now = self._content.round(1)
        base_url = begin(self._place, processes, wanted.port)
        team = Team(self._place, processes, self._content, wanted.commands, wanted.without)
        wait_connected(base_url, processes)
        # Before the processes end, and so while the chat can still be read.
        stack.callback(self._keep, base_url)
        owner = Owner(base_url, processes, at_terminal=wanted.at_terminal)
        say(f"The chat is at {base_url}/ where {OWNER} decides; the team is {', '.join(team.members)}.")
        team.begin((*PLANNER, str(self._plans)))
        code = pairing_code(self._place)
        owner.step("pair", f"send the pairing code {code} to the bot", team.owner_is_paired, code=code)
        for number in range(1, wanted.cycles + 1):
            self._round(number, now if number == 1 else self._content.round(number), team, owner)
        owner.rest()

    def _keep(self, base_url: str) -> None:
        self._notices = read_notices(base_url)

    def _round(self, number: int, now: Round, team: Team, owner: Owner) -> None:
        self._rounds.append(now)
        say(f"\nRound {number}: {now.promise.title} ({now.goal_id})")
        plan = json.dumps({"lanes": [dict(lane) for lane in now.lanes]})
        (self._plans / f"{now.goal_id}.json").write_text(plan, encoding="utf-8")
        team.propose(now)
        title, lines = now.promise.title, list(now.promise.criteria)
        show = f"write “@Frontstage bind {now.goal_id}” in the chat and choose to show it there"
        owner.step("bind", show, lambda: team.is_shown(now.goal_id), goal_id=now.goal_id, title=title)
        confirm = f"read “{title}” back and confirm it"
        owner.step("confirm", confirm, lambda: team.revision_in_force(now.goal_id) == 1, title=title, lines=lines)
        self._trouble(now, team, owner)
        team.wait_for_state(now.goal_id, frozenset({"delivered"}), ROUND_S_MAX)
        # What counts is the promise as it is now, by whomever it was corrected.
        now = replace(now, promise=in_force(now.promise, team.goal(now.goal_id)))
        delivered = self._delivered(now, team)
        for line in rejections(team.artifacts(now.goal_id)):
            say(f"  {line}")
        say(f"  {now.goal_id} is delivered: {', '.join(one.label for one in delivered)}")
        findings = tuple(self._content.measure(now, delivered))
        self._findings.append((now.goal_id, findings))
        for one in findings:
            say(f"  the acceptor measures {one.name}: {'holds' if one.holds else 'does not hold'}. {one.says}")
        if not all(one.holds for one in findings):
            raise DemoFailed(f"the acceptor's measures do not hold for {now.goal_id}, so nobody accepts it")
        accept = f"read the result of “{title}” and accept it"
        owner.step("accept", accept, lambda: team.goal(now.goal_id)["state"] == "accepted", title=title, lines=[])
        self._content.settle(now, delivered)

    def _trouble(self, now: Round, team: Team, owner: Owner) -> None:
        """Somebody is lost under a lease, the owner corrects meanwhile, and the seat is filled."""
        incident, correction = now.incident, now.correction
        lost = None
        if incident is not None:
            lost = team.lose(incident, now)
            self._lost.append(lost)
            say(f"  {incident.agent_id} is {incident.kind} while it holds {lost.todo_id}")
        if correction is not None:
            line = [line for text in correction.fields.values() for line in text.splitlines()][-1]
            owner.step(
                "revise", f"press Revise… on the card of “{now.promise.title}” and change: {correction.why}",
                lambda: team.revision_in_force(now.goal_id) > 1,
                title=now.promise.title, fields=dict(correction.fields), why=correction.why, line=line,
            )  # fmt: skip
        if incident is not None and lost is not None:
            taken = team.hand_over(lost)
            say(f"  {incident.successor if taken else 'nobody'} takes {lost.todo_id} over, and late words come in")

    def _delivered(self, now: Round, team: Team) -> Sequence[Delivered]:
        """What stands before the owner, from the store, each file's digest computed again."""
        store = self._place.home / "artifacts"
        found = []
        for one in team.delivered(now.goal_id):
            path = store / str(one["sha256"])
            is_whole = path.is_file() and sha256(path.read_bytes()).hexdigest() == one["sha256"]
            found.append(
                Delivered(
                    artifact_id=str(one["artifact_id"]), label=str(one["label"]), kind=str(one["kind"]),
                    sha256=str(one["sha256"]), path=path if is_whole else None,
                )
            )  # fmt: skip
        return found

    def _report(self, problem: str) -> Report:
        wanted = self._wanted
        nothing = Report(
            journey=wanted.journey, seed=wanted.seed, cycles=wanted.cycles, without=wanted.without,
            expectations=(), counts={}, problem=problem,
        )  # fmt: skip
        exported = self._place.home / "export.jsonl"
        try:
            verified = run_cli(self._place, "ledger", "verify")
            run_cli(self._place, "ledger", "export", "--output", str(exported))
            records = read_export(exported)
        except (DemoFailed, OSError, ValueError) as trouble:
            return nothing if problem else _with(nothing, str(trouble) or type(trouble).__name__)
        measured = Measured(
            rounds=tuple(self._rounds), lost=tuple(self._lost), findings=tuple(self._findings),
            notices=self._notices, ledger_holds="every hash holds" in verified,
        )  # fmt: skip
        return Report(
            journey=wanted.journey, seed=wanted.seed, cycles=wanted.cycles, without=wanted.without, problem=problem,
            expectations=expectations(records, measured, OWNER), counts=counts(records, measured, OWNER),
        )  # fmt: skip


def _with(report: Report, problem: str) -> Report:
    return Report(
        journey=report.journey, seed=report.seed, cycles=report.cycles, without=report.without,
        expectations=(), counts={}, problem=problem,
    )  # fmt: skip


def write_report(report: Report, path: Path) -> None:
    """The report as one document."""
    path.write_text(json.dumps(report.document(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
