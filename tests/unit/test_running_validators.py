"""Validators as real processes: bounded in time and output, without our secrets, and ended with all they started."""

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from daemon.local import running
from daemon.local.running import CUT, OUTPUT_BYTES_MAX, environment, run, words_sha256

PYTHON = sys.executable


@pytest.fixture
def started(tmp_path):
    def start(*argv, seconds=30.0, more=None):
        output = tmp_path / f"{len(list(tmp_path.iterdir()))}.log"
        return run(
            argv, cwd=tmp_path, variables=environment(tmp_path, more or {}), seconds=seconds, output=output
        ), output

    return start


def python(code):
    return PYTHON, "-c", code


@pytest.mark.parametrize(
    ("argv", "exit_code", "remark"),
    [
        (python("pass"), 0, ""),
        (python("raise SystemExit(3)"), 3, ""),
        (python("import os; os.kill(os.getpid(), 9)"), -9, ""),
        (("no-such-program-anywhere",), 127, "there is no such program"),
        (("./no-such-file",), 127, "there is no such program"),
        (("/",), 126, "it cannot be run: Permission denied"),
        (("/etc/passwd",), 126, "it cannot be run: Permission denied"),
    ],
)
def test_how_it_ended_is_told(started, argv, exit_code, remark):
    ended, _ = started(*argv)
    assert (ended.exit_code, ended.remark, ended.timed_out, ended.passed) == (exit_code, remark, False, exit_code == 0)


def test_its_words_are_not_read_by_a_shell(started):
    ended, output = started(*python("import sys; print(sys.argv[1:])"), "$(id); `id`", "*", "a\nb", "'")
    assert ended.passed
    assert output.read_text() == f"{['$(id); `id`', '*', chr(10).join('ab'), chr(39)]}\n"


def test_it_sees_no_credential_and_no_home_of_ours(started, monkeypatch):
    for name in ("FRONTSTAGE_TOKEN", "FRONTSTAGE_HOME", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, "secret-value")
    _, output = started(*python("import os; print(dict(os.environ))"), more={"ARTIFACT_FILE": "report"})
    seen = output.read_text()
    assert "secret-value" not in seen
    assert f"'HOME': '{output.parent}'" in seen
    assert "'ARTIFACT_FILE': 'report'" in seen
    assert "'PATH'" in seen


def test_it_runs_where_it_is_told_to_with_nothing_to_read(started):
    _, output = started(*python("import os, sys; print(os.getcwd(), repr(sys.stdin.read()))"))
    assert output.read_text() == f"{output.parent} ''\n"


def test_what_it_prints_is_bounded_and_private(started):
    ended, output = started(*python(f"import sys; sys.stdout.write('x' * {3 * OUTPUT_BYTES_MAX}); print('end')"))
    assert (ended.exit_code, ended.output_bytes) == (0, 3 * OUTPUT_BYTES_MAX + 4)
    kept = output.read_bytes()
    assert (len(kept), kept.endswith(CUT)) == (OUTPUT_BYTES_MAX + len(CUT), True)
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def test_both_streams_are_kept_in_their_order(started):
    _, output = started(*python("import os; os.write(1, b'a'); os.write(2, b'b'); os.write(1, b'c')"))
    assert output.read_bytes() == b"abc"


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)",
        "while True: print('x' * 1000)",
    ],
    ids=["sleeps", "closes its output", "ignores signals", "never stops talking"],
)
def test_one_that_does_not_end_is_ended(started, code):
    before = time.monotonic()
    ended, output = started(*python(code), seconds=0.5)
    assert (ended.exit_code, ended.timed_out, ended.passed) == (None, True, False)
    assert 500 <= ended.duration_ms < 20_000
    assert time.monotonic() - before < 20
    assert output.stat().st_size <= OUTPUT_BYTES_MAX + len(CUT)


def test_what_it_left_behind_is_not_waited_for_and_ends_with_it(started):
    child = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(1)"
    ended, output = started(*python(code))
    assert (ended.exit_code, ended.duration_ms < 30_000) == (0, True)
    number = int(output.read_text())
    for _ in range(200):
        if not Path(f"/proc/{number}").exists() or "\nState:\tZ" in Path(f"/proc/{number}/status").read_text():
            break
        os.sched_yield()
        running.time.sleep(0.01)
    else:
        pytest.fail("a process that the validator started is still there")


def test_an_output_that_is_there_already_is_not_written_over(started, tmp_path):
    (tmp_path / "0.log").write_text("mine")
    with pytest.raises(FileExistsError):
        run(("true",), cwd=tmp_path, variables={}, seconds=1, output=tmp_path / "0.log")
    assert (tmp_path / "0.log").read_text() == "mine"


def test_the_digest_tells_words_apart_wherever_they_are_parted():
    digests = {words_sha256(words) for words in (["ab"], ["a", "b"], ["a b"], ["a", "b", ""], [""])}
    assert len(digests) == 5
    assert words_sha256(["true"]) == "debc2f07db78d52d2def07b7bc620d7042367501d9439a62ba09b559a98e0957"
