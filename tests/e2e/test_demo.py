"""The demo as a newcomer runs it: one command, a person who knows only what a person sees, a verified end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEMO_S_MAX = 300


def run_demo(*words, cwd):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
    return subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", "demo", "--script", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=DEMO_S_MAX,
        cwd=cwd,
        env={**environment, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.slow
def test_an_owner_gets_from_proposal_to_acceptance_and_the_ledger_proves_it(tmp_path):
    done = run_demo(cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line for line in done.stdout.splitlines() if line.startswith("  #")]
    assert [line.split()[1].rstrip(":") for line in told] == [
        "goal.proposed",
        "channel.bound",
        "goal.confirmed",
        "goal.accepted",
    ]
    assert all("surface lark, proof lark" in line for line in told)
    assert "every hash holds" in done.stdout


@pytest.mark.slow
def test_a_broken_link_is_in_the_report_that_the_owner_reads(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "README.md").write_text("# One page\n\nIt leads to [another](missing.md) and to [itself](#one-page).\n")
    done = run_demo("--docs", str(docs), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 files, 1 headings, 2 links, 0 commands: 1 wrong" in done.stdout


@pytest.mark.slow
def test_without_callbacks_the_owner_is_told_and_the_script_fails(tmp_path):
    done = run_demo("--without-callbacks", cwd=tmp_path)
    assert done.returncode == 1
    assert "shows error" in done.stdout


def test_the_owner_imports_nothing_of_ours():
    script = (ROOT / "bot" / "demo_owner.py").read_text()
    imported = {line.split()[1].split(".")[0] for line in script.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names
