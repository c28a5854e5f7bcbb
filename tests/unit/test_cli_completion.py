"""The completion scripts, run by the shells they are for where those are installed."""

import os
import re
import shlex
import shutil
import subprocess

import pytest

from daemon.cli.catalogue import ACTIONS
from daemon.cli.local import together
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


ZSH = """
source_of=$1; shift
compdef() { :; }
_files() { :; }
_describe() { print -l -- ${list%%:*}; }
compadd() { shift; print -l -- "$@"; }
source $source_of
words=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]
_frontstage | grep -e "^${PREFIX//-/\\\\-}" || true
"""
CASES = [
    (["to"], {"todo", "token"}),
    (["todo", "cl"], {"claim"}),
    (["todo", "claim", "--to"], {"--todo-id"}),
    (["todo", "claim", "--goal-id", "docs", "--ag"], {"--agent-id"}),
    (["todo", "list", "--status", "o"], {"open"}),
    (["gate", "open", "--goal-id", "docs", "--on-expiry", ""], {"deny", "escalate", "wait"}),
    (["status", "--locale", ""], {"en", "zh"}),
    (["status", "--li"], {"--limit"}),
    (["history", "--order", ""], {"newest", "oldest"}),
    (["history", "list", "--order", "n"], {"newest"}),
    (["history", "explain", "--le"], {"--lease"}),
    (["artifact", "check", "--validators=x", "--cw"], {"--cwd"}),
    (["ledger", "tail", "--f"], {"--follow", "--format"}),
    (["completion", ""], {"bash", "zsh", "fish"}),
    (["init", "--ow"], {"--owner", "--owner-name"}),
    (["init", "--for"], {"--format"}),
    (["init", "--req"], set()),
    (["init", "--at"], set()),
    (["demo", "--for"], set()),
    (["demo", "--js"], set()),
    (["todo", "claim", "--at"], set()),
    (["todo", "list", "--at"], {"--at"}),
    (["todo", "list", "--req"], set()),
    (["todo", "claim", "--goal-id", ""], set()),
    (["todo", "claim", "--json", "--to"], {"--todo-id"}),
    (["help", "to"], {"todo", "token"}),
    (["help", "todo", "cl"], {"claim"}),
    (["help", "todo", "claim", ""], set()),
]


def installed(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_bash(capfd, tmp_path, words, expected):
    path = written(capfd, tmp_path, "bash")
    done = subprocess.run(
        ["bash", "-c", ASK, "-", str(path), "frontstage", *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == expected


@installed("zsh")
@pytest.mark.parametrize(("words", "expected"), CASES)
def test_zsh(capfd, tmp_path, words, expected):
    path = written(capfd, tmp_path, "zsh")
    done = subprocess.run(
        ["zsh", "-f", "-c", ZSH, "-", str(path), "frontstage", *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == expected


@installed("fish")
@pytest.mark.parametrize(("words", "expected"), CASES)
def test_fish(capfd, tmp_path, words, expected):
    path = written(capfd, tmp_path, "fish")
    line = shlex.join(["frontstage", *words]).replace("''", "")
    done = subprocess.run(
        ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", str(path), line],
        capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stderr == ""
    assert {one.split("\t")[0] for one in done.stdout.splitlines()} == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_what_may_be_chosen_is_offered_where_the_shell_is_not_at_hand(capfd, tmp_path, shell):
    text = written(capfd, tmp_path, shell).read_text()
    for noun, verbs in together(ACTIONS).items():
        for name, verb in verbs.items():
            for field, parameter in verb["parameters"].items():
                for choice in parameter.get("choices", ()):
                    words, flag = f"{noun} {name}".rstrip(), field.replace("_", "-")
                    line = rf"{words} --{flag}'\).* {choice}[ ;]" if shell == "zsh" else rf"-l {flag} .*\b{choice}\b"
                    assert re.search(line, text), (noun, name, field, choice)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_others_can_be_read_by_their_shell(capfd, tmp_path, shell):
    path = written(capfd, tmp_path, shell)
    text = path.read_text()
    assert "task-lease" in text
    assert "expected" in text
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n", str(path)], check=True)
