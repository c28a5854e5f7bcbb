"""A journey as its command runs it, watched from outside while it goes on: its report, and what four surfaces said."""

import asyncio
import json
import os
import re
import sys
import tomllib
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.journey.research.interpretation import CONCLUSIONS
from tests.e2e.same_facts import Differ, surfaces

ROOT = Path(__file__).parents[2]
JOURNEY_S_MAX = 420
LOOK_S = 0.2
LOOKS_S_MAX = 30


@dataclass
class Seen:
    """What came of it."""

    exit_code: int = -1
    printed: str = ""
    report: dict = field(default_factory=dict)
    steps: list = field(default_factory=list)
    differences: list = field(default_factory=list)

    def verdicts(self):
        """Each expectation's verdict."""
        return {one["name"]: one["verdict"] for one in self.report["expectations"]}


async def run_journey(name, seed, folder, *words, watched_by=None):
    """Run one to its end; where an agent's id is given, all surfaces are compared whenever the ledger rests."""
    home, report = folder / "home", folder / "report.json"
    argv = ["demo", name, "--script", "--seed", str(seed), "--home", str(home), "--report", str(report), *words]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", *argv, cwd=folder, env={**kept, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    seen = Seen()
    try:
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(_watch(home, watched_by, seen)) if watched_by else None
            out, _ = await asyncio.wait_for(process.communicate(), JOURNEY_S_MAX)
            if watching is not None:
                watching.cancel()
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
    seen.exit_code, seen.printed = process.returncode, out.decode()
    seen.report = json.loads(report.read_text()) if report.exists() else {}
    return seen


async def _watch(home, agent_id, seen):
    """Compare all surfaces for the goal that is being worked on, until the journey ends."""
    token = home / f"{agent_id}.token"
    while not (token.exists() and token.read_text().strip() and (home / "daemon.sock").exists()):  # noqa: ASYNC110
        await asyncio.sleep(LOOK_S)
    settings = tomllib.loads((home / "config.toml").read_text())
    opened = surfaces(home, base_url=settings["lark"]["domain"], token=token.read_text().strip())
    async with _until_it_ends(opened) as ways:
        seen.steps = ways.steps
        while True:
            await _look(ways, seen)
            await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def _until_it_ends(opened):
    """A group of tasks that is ended with the journey raises what it was doing; that is no finding."""
    with suppress(BaseExceptionGroup):
        async with opened as ways:
            yield ways


async def _look(ways, seen):
    goals = (await ways.http("goal.list", {}))["goals"]
    for goal in goals[-1:]:
        before = {(one.goal_id, one.seq) for one in ways.steps}
        if (goal["goal_id"], await ways.head()) in before:
            continue
        try:
            await ways.agree(goal["goal_id"], waits_s=LOOKS_S_MAX, pinned=True)
        except Differ as found:
            seen.differences.append(str(found))


def passed(seen):
    """The journey showed all that was expected, and what is unknown is not made up."""
    assert seen.exit_code == 0, seen.printed
    assert set(seen.verdicts().values()) == {"passed"}, seen.verdicts()
    assert seen.report["counts"]["duplicate_effects"] == 0
    assert seen.report["counts"]["tokens_in"] is None


def research_passed(seen):
    """And in both rounds a sample, two measurements and one of the conclusions that there are were delivered."""
    passed(seen)
    delivered = re.findall(r"research-\d is delivered: (.+)", seen.printed)
    names = {"sample.json", "measurement-a.json", "measurement-b.json", "interpretation.json"}
    assert [set(one.split(", ")) for one in delivered] == [names, names]
    conclusions = re.findall(r"the acceptor measures interpretation: holds\. (.+)", seen.printed)
    assert len(conclusions) == 2
    assert set(conclusions) <= set(CONCLUSIONS.values())
