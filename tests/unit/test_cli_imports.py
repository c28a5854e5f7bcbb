"""What the command line loads: the hot path must not pay for what it does not use."""

import subprocess
import sys

import pytest

from tests.api.cli_double import Double

FORBIDDEN = (
    "argparse", "json", "re", "urllib", "typing", "pathlib", "dataclasses", "enum", "asyncio", "socket", "selectors",
    "subprocess", "logging", "collections", "functools", "hashlib", "importlib.metadata", "random", "tempfile",
    "contextlib", "inspect", "shutil", "signal", "threading", "traceback", "pydantic", "aiohttp", "msgspec", "orjson",
    "apsw", "ledger", "bot", "cards",
)  # fmt: skip
OURS = {
    "daemon", "daemon.cli", "daemon.cli.main", "daemon.cli.parse", "daemon.cli.catalogue", "daemon.cli.call",
    "daemon.cli.output", "daemon.cli.credential", "daemon.paths", "daemon.wire",
}  # fmt: skip
PROGRAM = """
import os, sys
before = set(sys.modules)
from daemon.cli.main import run
code = run({argv!r})
loaded = set(sys.modules) - before
os.write(2, ("\\n" + " ".join(sorted(loaded)) + "\\n" + str(code)).encode())
"""


@pytest.fixture
def daemon_double(tmp_path):
    double = Double(str(tmp_path / "s"))
    yield double
    double.close()


def loaded_by(argv: list[str], home: str) -> tuple[set[str], int]:
    """Every module a command line loads beyond a bare interpreter, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM.format(argv=argv)],
        capture_output=True,
        check=True,
        text=True,
        env={"FRONTSTAGE_HOME": home, "PYTHONPATH": ":".join(path for path in sys.path if path) + ":."},
    )
    *_, modules, code = done.stderr.splitlines()
    return set(modules.split()), int(code)


HOT = [
    ["quota", "should-run", "--goal-id", "docs"],
    ["todo", "claim", "--goal-id", "docs", "--todo-id", "todo_000012"],
    ["todo", "complete", "--goal-id", "docs", "--todo-id", "todo_000012", "--evidence", "art_1", "--evidence", "art_2"],
    ["todo", "list", "--goal-id", "docs", "--json"],
    ["task-lease", "acquire", "--goal-id", "docs", "--todo-id", "todo_000012", "--idempotency-key", "run-1"],
    ["status"],
    ["goal", "show", "--goal-id", "docs", "--locale", "zh"],
]


@pytest.mark.parametrize("argv", HOT)
def test_a_hot_command_loads_our_small_modules_and_built_in_ones_alone(argv, tmp_path, daemon_double):
    modules, code = loaded_by([*argv, "--socket", daemon_double.path], str(tmp_path))
    assert code == 0
    assert not {name for name in modules if name.startswith(FORBIDDEN) and name not in OURS}
    assert {name for name in modules if name.partition(".")[0] in {"daemon", "ledger", "bot", "cards"}} == OURS
    assert len(modules - OURS) <= 6, modules - OURS


def test_the_measure_can_fail(tmp_path):
    """Help is allowed more than the hot path, and the same look sees it."""
    modules, _ = loaded_by(["todo", "clam"], str(tmp_path))
    assert "difflib" in modules


def test_help_loads_no_library(tmp_path):
    modules, code = loaded_by(["--help"], str(tmp_path))
    assert code == 0
    assert not {name for name in modules if name.partition(".")[0] in FORBIDDEN}
