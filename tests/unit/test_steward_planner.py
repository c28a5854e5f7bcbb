"""A planner is a stranger's program: whatever it prints, and however much of it, the steward goes on."""

import os
import sys
import time

import pytest

from daemon.agents.steward_planner import PlannerFailed, ask_planner


def asked(code, **more):
    return ask_planner((sys.executable, "-c", f"import json, sys, time\n{code}"), {"stage": "plan"}, **more)


def test_what_it_is_given_and_what_it_prints():
    assert asked("print(json.dumps({'was': json.load(sys.stdin)}))") == {"was": {"stage": "plan"}}


def test_one_that_takes_its_time_is_waited_for():
    assert asked("time.sleep(0.3); print(json.dumps({'was': json.load(sys.stdin)}))") == {"was": {"stage": "plan"}}


@pytest.mark.parametrize("printed", ["'[' * 60_000", "'{\"a\":' * 10_000"])
def test_what_is_nested_without_end_is_not_json(printed):
    with pytest.raises(PlannerFailed, match="not JSON"):
        asked(f"print({printed})")


def test_one_that_prints_without_end_is_ended_at_once(tmp_path):
    began = time.monotonic()
    with pytest.raises(PlannerFailed, match="more than 65536 bytes"):
        asked(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(__import__('os').getpid()))\n"
              "while True: print('x' * 1_000, flush=True); time.sleep(0.001)", seconds=60)  # fmt: skip
    assert time.monotonic() - began < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_one_that_does_not_end_is_ended():
    with pytest.raises(PlannerFailed, match=r"within 0\.3 s"):
        asked("time.sleep(60)", seconds=0.3)
