"""A team of real processes: a daemon, a steward, two workers and a reviewer; and what is killed on the way.

The programs in the seats are small and ordinary: one writes a file, one writes about the files it is given, one
computes the digests again and accepts what is as it was handed in.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.daemons import DaemonProcess, fresh_home, proved
from tests.support.homes import secret_of
from tests.support.stewarded import seed
from tests.tidy.sources import ROOT

pytestmark = pytest.mark.slow
WAIT_S_MAX = 120

PROGRAM = """
import hashlib, json, os, sys
given = json.load(sys.stdin)
result = {"schema_version": "frontstage_worker_result_v0", "outcome": "done", "summary": "Done."}
out = os.environ["FRONTSTAGE_OUT"]
if given["kind"] == "request":
    wrong = [one["label"] for one in given["inputs"] if one["path"] is None or
             hashlib.sha256(open(one["path"], "rb").read()).hexdigest() != one["sha256"]]
    word = {"decision": "reject" if wrong else "accept", "reason": "compared with what was handed in"}
    result |= {"decision": "adopt", "reviews": [{"artifact_id": one["artifact_id"], **word} for one in given["inputs"]]}
else:
    slow = os.environ.get("SLOW_UNTIL")
    if slow and not os.path.exists(slow):
        import time
        open(slow + ".begun", "w").close()
        time.sleep(600)
    named = [line.partition(":")[0] for line in given["todo"]["acceptance"].splitlines() if line.startswith("c")]
    name = given["todo"]["todo_id"] + ".txt"
    with open(os.path.join(out, name), "w") as file:
        file.write("".join(f"{one['label']} {one['sha256']}\\n" for one in given["inputs"]) or given["todo"]["title"])
    result["artifacts"] = [{"path": name, "label": name, "kind": "report", "criteria": named}]
with open(os.environ["FRONTSTAGE_RESULT"], "w") as file:
    json.dump(result, file)
"""


class Team:
    """The processes of the members, each with a log."""

    def __init__(self, daemon, folder):
        self.daemon, self.folder, self.processes = daemon, folder, {}
        (folder / "program.py").write_text(PROGRAM, encoding="utf-8")

    def begin(self, who, *words, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE_")}
        with (self.folder / f"{who}.log").open("ab") as log:
            self.processes[who] = subprocess.Popen(
                [sys.executable, "-m", "daemon.cli.main", *words, "--agent", who, "--home", str(self.daemon.made.path)],
                cwd=ROOT, stdout=log, stderr=log, start_new_session=True,
                env={**kept, "PYTHONPATH": str(ROOT), "FRONTSTAGE_TOKEN": secret_of(who), **environment},
            )  # fmt: skip

    def steward(self):
        self.begin("guide", "steward", "run")

    def worker(self, who, **environment):
        program = f"{sys.executable} {self.folder / 'program.py'}"
        self.begin(who, "worker", "run", "--exec", program, "--lease-seconds", "5", **environment)

    def kill(self, who):
        """Kill it and all that it started, as a machine that goes away would."""
        process = self.processes.pop(who)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, who):
        process = self.processes.pop(who)
        process.send_signal(signal.SIGTERM)
        return process.wait(WAIT_S_MAX)

    def read(self, action, **params):
        reply = self.daemon.client().read(action, {"goal_id": "docs", **params})
        assert reply.ok, reply.body
        return reply.body

    def until(self, holds, what):
        end = time.monotonic() + WAIT_S_MAX
        while not (found := holds()):
            logs = "\n".join(f"{who}: {(self.folder / f'{who}.log').read_text()[-1500:]}" for who in self.processes)
            assert time.monotonic() < end, f"{what} did not come about\n{logs}"
            time.sleep(0.2)
        return found

    def close(self):
        for who in tuple(self.processes):
            self.kill(who)


@contextmanager
def team(tmp_path, **more):
    with fresh_home(seed(**more)) as made, DaemonProcess(made) as daemon:
        daemon.wait_until_ready()
        there = Team(daemon, tmp_path)
        try:
            yield there
        finally:
            there.close()
        assert proved(made).holds


def test_a_goal_is_planned_worked_on_reviewed_and_delivered_by_processes_that_only_share_the_ledger(tmp_path):
    with team(tmp_path) as there:
        there.steward()
        mark = tmp_path / "goes-on"
        there.worker("builder", SLOW_UNTIL=str(mark))
        there.worker("helper")
        there.worker("judge")
        there.until(lambda: Path(f"{mark}.begun").exists(), "the first turn")
        # One worker dies in the middle of a turn, with its lease effective; the steward dies, too.
        there.kill("builder")
        there.kill("guide")
        assert next(one["claimed_by"] for one in there.read("todo.list")["todos"]) == "builder"
        mark.touch()
        there.worker("builder")
        there.steward()
        shown = there.until(
            lambda: (found := there.read("goal.show"))["state"] == "delivered" and found, "the delivery"
        )
        criteria = {one["criterion_id"]: one["artifacts"] for one in shown["acceptance"]["criteria"]}
        assert all(criteria[name] for name in ("c1", "c2"))
        artifacts = [one for one in there.read("artifact.list")["artifacts"] if one["todo_id"] is not None]
        assert [(one["status"], one["review"]["reviewer"]) for one in artifacts] == [("accepted", "judge")] * 3
        assert len(there.read("plan.list")["plans"]) == 1
        requests = there.read("request.list")["requests"]
        assert sorted(one["status"] for one in requests) == ["delivered"] * 3
        assert there.stop("guide") == 0
