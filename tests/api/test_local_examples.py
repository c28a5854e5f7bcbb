"""The examples of the commands that need no daemon, typed one after the other as a newcomer would."""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from daemon.cli.local import LOCAL
from daemon.cli.spawn import module_environment
from tests.tidy.sources import ROOT

ELSEWHERE = {
    "demo": "tests/e2e/test_demo.py",
    "demo engineering": "tests/e2e/test_journey_engineering.py",
    "demo research": "tests/e2e/test_journey_research.py",
    "watch": "tests/api/test_watch.py",
    "open": "tests/api/test_page_open.py",
    "bot": "tests/e2e/test_bot_with_simulator.py",
    "artifact check": "docs/checks.md",
    "agent connect": "docs/agents.md",
    "agent hook": "docs/agents.md",
    "agent qualify": "docs/agents.md",
    "lark doctor": "tests/e2e/test_webhook.py",
    "steward run": "docs/steward.md",
    "mcp": "tests/api/test_mcp_server.py",
    "worker run": "docs/worker.md",
    "worker status": "docs/worker.md",
    "hook retry": "docs/hooks.md",
}
"""Where those are run that need a platform, or work that is handed in."""
UNTIL = {"daemon": b'"ready"', "up": b'"ready"', "ledger tail": b"workspace.created"}
"""What runs until it is ended has begun when it says this."""
ORDER = (
    "version", "schema", "completion bash", "completion zsh", "completion fish", "init", "doctor", "lark setup",
    "hook list", "ledger verify", "ledger export", "ledger import", "batch", "ledger tail", "daemon", "up", "stop",
)  # fmt: skip
SECONDS_MAX = 60
WORK = {"action": "member.add", "params": {"member_id": "scout", "kind": "agent", "display_name": "Scout"}}


def examples():
    return {f"{noun} {name}".rstrip(): verb["example"] for noun, verbs in LOCAL.items() for name, verb in verbs.items()}


def test_every_example_is_run_here_or_where_it_is_said():
    assert {*ORDER, *ELSEWHERE} == examples().keys()
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).exists()] == []
    assert "artifact check" in (ROOT / ELSEWHERE["artifact check"]).read_text(encoding="utf-8")


@pytest.mark.slow
def test_they_work_one_after_the_other():
    with tempfile.TemporaryDirectory(prefix="fs") as folder:
        here = Path(folder)
        (here / "work.jsonl").write_text(json.dumps(WORK) + "\n", encoding="utf-8")
        kept = {name: value for name, value in module_environment().items() if not name.startswith("FRONTSTAGE_")}
        environment = {**kept, "HOME": folder}
        running = None
        for name in ORDER:
            words = [word.replace("~", folder) for word in shlex.split(examples()[name])]
            argv = [sys.executable, "-c", "import sys; from daemon.cli.main import main; sys.exit(main())", *words]
            if name in UNTIL:
                process = begun(argv, environment, here, UNTIL[name])
                # The last daemon is left for `stop` to end.
                if name != "up":
                    ended(process)
                else:
                    running = process
                continue
            done = subprocess.run(
                argv, env=environment, cwd=here, capture_output=True, timeout=SECONDS_MAX, check=False
            )
            assert done.returncode == 0, (name, done.stdout, done.stderr)
            assert done.stdout.strip() or done.stderr.strip(), name
        ended(running)


def begun(argv, environment, here, sign):
    process = subprocess.Popen(argv, env=environment, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    too_long = threading.Timer(SECONDS_MAX, process.kill)
    too_long.start()
    try:
        for line in process.stdout:
            if sign in line:
                return process
        raise AssertionError(f"{argv[3:]} ended with {process.wait()} and never said {sign}")
    finally:
        too_long.cancel()


def ended(process):
    """A process ends when it is asked to, in a shell that keeps interrupts from its children as well."""
    if process.poll() is None:
        os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=SECONDS_MAX)
