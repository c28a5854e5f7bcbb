"""An answer for which there is no room is lost in one sentence, whatever was asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.cli.spawn import module_environment
from tests.api.cli_home import make_home

PROGRAM = "import sys; from daemon.cli.main import main; sys.exit(main())"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("full") / "home")


FULL = {
    "export": ["ledger", "export"],
    "tail": ["ledger", "tail"],
    "verify": ["ledger", "verify"],
    "verify as JSON": ["ledger", "verify", "--json"],
    "schema": ["schema", "todo.claim"],
    "help": ["help"],
    "the manual of a command": ["todo", "claim", "--help"],
    "completion": ["completion", "bash"],
    "version": ["version"],
    "doctor": ["doctor"],
    "doctor as JSON": ["doctor", "--json"],
    "a mistake as JSON": ["todo", "claim", "--json"],
    "what is not there as JSON": ["status", "--json", "--home", "/nowhere/at/all"],
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("argv", FULL.values(), ids=FULL)
def test_an_answer_that_cannot_be_written_is_one_sentence(home, argv):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *argv],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**module_environment(), "FRONTSTAGE_HOME": str(home)},
            timeout=60,
            check=False,
        )
    said = done.stderr.decode()
    assert (done.returncode, said.count("cannot write the answer"), "Traceback" in said) == (8, 1, False), said
