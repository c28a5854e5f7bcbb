"""What the documents tell people to type works, and answers what they say it answers."""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

import pytest

from daemon.cli.catalogue import ACTIONS
from daemon.cli.local import together
from daemon.cli.parse import parse
from tests.docs.blocks import Command, commands
from tests.tidy.sources import ROOT, documents, shown

SECONDS_MAX = 120
MARK = "== end of command, exit code "
SHELL = re.compile(r"^(\||&|;|\d?>)")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
WITH_COMMANDS = [path for path in documents() if any(c.runs for c in commands(path.read_text(encoding="utf-8")))]


@pytest.fixture
def place():
    """A home folder with a short path (the socket's must fit), and `frontstage` on the path."""
    with tempfile.TemporaryDirectory(prefix="fs") as folder:
        tool = Path(folder) / "bin" / "frontstage"
        tool.parent.mkdir()
        code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from daemon.cli.main import main; sys.exit(main())"
        tool.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -c {shlex.quote(code)} "$@"\n', encoding="utf-8"
        )
        tool.chmod(0o755)
        yield Path(folder)


def run_all(listed, place):
    """Run the commands in one shell; what each printed, and its exit code."""
    script = "".join(f"{{ {one.text}\n}} 2>&1\nprintf '\\n{MARK}%d\\n' $?\n" for one in listed)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FRONTSTAGE_", "PYTHON"))}
    environment = {**kept, "HOME": str(place), "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    output = place / "output"
    with output.open("wb") as file:
        shell = subprocess.Popen(
            ["bash", "-c", script], cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip
        try:
            shell.wait(SECONDS_MAX)
        finally:
            # Whatever a document starts in the background ends with its test.
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGTERM)
    pieces = re.split(rf"\n{MARK}(\d+)\n", output.read_text(encoding="utf-8"))
    return list(zip(pieces[0::2], map(int, pieces[1::2]), strict=False))


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_COMMANDS, ids=shown)
def test_the_commands_of_a_document_do_what_it_says(path, place):
    listed = [one for one in commands(path.read_text(encoding="utf-8")) if one.runs]
    results = run_all(listed, place)
    assert len(results) == len(listed)
    for one, (output, exit_code) in zip(listed, results, strict=True):
        assert exit_code == one.exit_code, f"$ {one.text}\n{output}"
        assert one.keeps(output), f"$ {one.text}\n{output}\n--- promised\n" + "\n".join(one.promised)


def test_the_tours_are_run():
    assert {"README.md", "docs/tour.md"} <= {shown(path) for path in WITH_COMMANDS}


@pytest.mark.parametrize("path", documents(), ids=shown)
def test_every_command_that_is_shown_exists(path):
    for one in commands(path.read_text(encoding="utf-8")):
        words = list(takewhile(lambda word: not SHELL.search(word), shlex.split(one.text, comments=True)))
        if words[:1] == ["frontstage"] and words[1:2] != ["demo"] and "$(" not in one.text:
            parsed = parse(words[1:], together(ACTIONS))
            assert parsed.verb is not None or parsed.options.help or words[1] == "help", one.text


@pytest.mark.parametrize("path", documents(), ids=shown)
def test_every_link_inside_the_project_leads_somewhere(path):
    targets = [target.partition("#")[0] for target in LINK.findall(path.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (path.parent / target).exists()] == []


@pytest.mark.parametrize(
    ("promised", "output", "kept"),
    [
        (["a … c"], "a b c\n", True),
        (["a … c"], "a b d\n", False),
        (["a", "…"], "a\nb\nc\n", True),
        (["a"], "a\nb\n", False),
        (["b"], "a\n", False),
        (["a", "(exit code 3)"], "a\n", True),
        ([], "whatever\n", True),
    ],
)
def test_a_promise_can_be_broken(promised, output, kept):
    assert Command("x", runs=True, promised=promised).keeps(output) is kept


def test_a_failing_command_is_seen(place):
    assert [code for _, code in run_all([Command("false", runs=True), Command("true", runs=True)], place)] == [1, 0]
