"""The engineering journey as anybody runs it: one command, real processes, a report, and an exit code that means it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JOURNEY_S_MAX = 420


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def journey(folder, *words):
    """Run it to its end; what it printed, and its report."""
    report = folder / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", "demo", "engineering", "--script", "--report", str(report), *words],
        check=False, capture_output=True, text=True, timeout=JOURNEY_S_MAX, cwd=folder, env=environment(),
    )  # fmt: skip
    return done, json.loads(report.read_text(encoding="utf-8"))


def failed(report):
    return {one["name"] for one in report["expectations"] if one["verdict"] == "failed"}


@pytest.mark.parametrize(
    "seed", [3, pytest.param(8, marks=pytest.mark.journeys), pytest.param(21, marks=pytest.mark.journeys)]
)
def test_two_rounds_show_everything_that_is_expected(tmp_path, seed):
    done, report = journey(tmp_path, "--seed", str(seed))
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["passed"]
    assert {one["verdict"] for one in report["expectations"]} == {"passed"}
    assert len(report["expectations"]) == 14
    figures = report["counts"]
    assert figures["duplicate_effects"] == 0
    assert figures["decisions_asked"] == figures["decisions_made"] == 5
    assert figures["interventions"] == 1
    assert figures["stale_writes_refused"] >= 4
    assert figures["tokens_in"] is None, "nobody knows how many tokens an ordinary program used"
    assert 0 < figures["notice_ms_max"] < 30_000
    told = done.stdout[done.stdout.index("\nJourney engineering") + 1 :].splitlines()
    assert len(told) <= 20
    assert told[-1].startswith("PASSED")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "missed"),
    [
        ("validator", {"validated before it was done", "measured again in a clean place"}),
        ("review", {"accepted by somebody else", "built on what was accepted", "measured again in a clean place"}),
        ("fence", {"a killed worker's work went on", "a late writer was refused"}),
    ],
)
def test_without_a_safeguard_it_fails_and_says_by_what(tmp_path, left_out, missed):
    done, report = journey(tmp_path, "--seed", "5", "--cycles", "1", "--without", left_out)
    assert done.returncode == 1, done.stdout + done.stderr
    assert not report["passed"]
    assert missed <= failed(report)
    if left_out == "fence":
        told = {one["name"]: one["says"] for one in report["expectations"]}["a late writer was refused"]
        assert "todo.completed" in told, "a late completion is really accepted where there is no fence"
    assert "FAILED" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--seed", "-1"], "--seed"),
        (["--cycles", "0"], "--cycles"),
        (["--seat", "fixer"], "--seat"),
        (["--seat", "nobody=true"], "nobody"),
        (["--without", "luck"], "--without"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_started(tmp_path, words, says):
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", "demo", "engineering", "--script", *words],
        check=False, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=environment(),
    )  # fmt: skip
    assert done.returncode == 2
    assert says in done.stdout + done.stderr
    assert "The chat is at" not in done.stdout


@pytest.mark.slow
def test_what_ends_early_leaves_no_process_and_no_folder(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "daemon.cli.main", "demo", "engineering", "--script", "--seed", "3",
         "--home", str(scratch / "home")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, env=environment(),
    )  # fmt: skip
    told = []
    for line in process.stdout:
        told.append(line)
        if "is killed while it holds" in line:
            break
    assert process.poll() is None, "".join(told)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130
    ends_at = time.monotonic() + 20
    while (left := ours(scratch)) and time.monotonic() < ends_at:
        time.sleep(0.2)
    assert left == []


def ours(home):
    """Processes that still name the journey's home in their words or variables."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            known = (one / "cmdline").read_bytes() + (one / "environ").read_bytes()
        except OSError:
            continue
        if str(home).encode() in known and one.name != str(os.getpid()):
            found.append(one.name)
    return found
