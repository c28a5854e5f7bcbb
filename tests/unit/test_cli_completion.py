"""The completion scripts, run by the shells they are for where those are installed."""

import shutil
import subprocess

import pytest

from daemon.cli.main import run

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_frontstage
printf '%s\\n' "${COMPREPLY[@]}"
"""


def written(capfd, tmp_path, shell):
    assert run(["completion", shell]) == 0
    path = tmp_path / f"frontstage.{shell}"
    path.write_text(capfd.readouterr().out)
    return path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["to"], {"todo", "token"}),
        (["todo", "cl"], {"claim"}),
        (["todo", "claim", "--to"], {"--todo-id"}),
        (["todo", "claim", "--goal-id", "docs", "--ag"], {"--agent-id"}),
        (["todo", "list", "--status", "o"], {"open"}),
        (["status", "--li"], {"--limit"}),
        (["ledger", "tail", "--f"], {"--follow", "--format"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["init", "--ow"], {"--owner", "--owner-name"}),
    ],
)
def test_bash(capfd, tmp_path, words, expected):
    path = written(capfd, tmp_path, "bash")
    done = subprocess.run(
        ["bash", "-c", ASK, "-", str(path), "frontstage", *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_others_can_be_read_by_their_shell(capfd, tmp_path, shell):
    path = written(capfd, tmp_path, shell)
    text = path.read_text()
    assert "task-lease" in text
    assert "expected" in text
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n", str(path)], check=True)
