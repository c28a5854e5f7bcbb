"""A daemon that is killed tells its hooks again and skips nothing; a hook that is unwell is in nobody's way."""

import json
import time
from pathlib import Path

import pytest

from daemon.client import Client
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import activate

KILLS = 6
WAIT_S_MAX = 60


def settings(made, text):
    (made.path / "config.toml").write_text(text, encoding="utf-8")
    (made.path / "config.toml").chmod(0o600)


def hook(name, script, **given):
    lines = [f"{key.replace('begin', 'from')} = {json.dumps(value)}" for key, value in given.items()]
    return "\n".join([f'[[hooks]]\nname = "{name}"', f"command = {json.dumps(['/bin/sh', '-c', script])}", *lines, ""])


def told(made, name="build"):
    path = made.path / "hooks" / name / "told"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def wait_until(holds):
    give_up_at = time.monotonic() + WAIT_S_MAX
    while not (found := holds()):
        assert time.monotonic() < give_up_at, "it did not come to pass"
        time.sleep(0.02)
    return found


def add(client: Client, name):
    return client.act("todo.add", {"goal_id": "docs", "todo_id": f"todo_no_{name}", "text": "One more"}, f"add-{name}")


def hooks_of(daemon):
    reply = daemon.client().get("/v1/hooks")
    assert reply.ok, reply.body
    return {row["name"]: row for row in reply.body["hooks"]}


@pytest.mark.slow
def test_what_is_killed_between_a_delivery_and_its_record_tells_again_and_skips_nothing():
    with fresh_home(activate) as made:
        settings(made, hook("build", "cat >> told", kinds=["todo.added"], begin="start"))
        added = 0
        for kill in range(KILLS):
            with DaemonProcess(made) as daemon:
                client, before = daemon.client(), len(told(made))
                for _ in range(3):
                    assert add(client, f"{kill}_{added}").ok
                    added += 1
                # As soon as something new was told; what was told is not written down yet.
                wait_until(lambda before=before: len(told(made)) > before)
                daemon.kill()
        with DaemonProcess(made) as daemon:
            wait_until(lambda: hooks_of(daemon)["build"]["behind_events"] == 0)
            seqs = [document["seq"] for document in told(made)]
            first_times = list(dict.fromkeys(seqs))
            assert len(first_times) == added + 1
            assert first_times == sorted(first_times)
            # The run has shown what it was for: something was told twice, and known by its id.
            assert len(seqs) > len(first_times)
            ids = {document["seq"]: document["delivery_id"] for document in told(made)}
            assert all(ids[document["seq"]] == document["delivery_id"] for document in told(made))
            assert daemon.stop() == 0


@pytest.mark.slow
def test_hooks_that_hang_flood_and_fail_are_in_nobodys_way():
    unwell = {"hangs": "sleep 600", "floods": "yes", "fails": "exit 3", "dies": "kill -SEGV $$"}
    unwell["kills"] = "kill -9 $PPID"
    texts = [hook(name, script, timeout_seconds=2.0, attempts=2, retry_seconds=0.1) for name, script in unwell.items()]
    with fresh_home(activate) as made:
        settings(made, "".join([*texts, hook("build", "cat >> told")]))
        with DaemonProcess(made) as daemon:
            client = daemon.client()
            slowest = 0.0
            for number in range(40):
                began = time.monotonic()
                assert add(client, f"n{number}").ok
                slowest = max(slowest, time.monotonic() - began)
            wait_until(lambda: len(told(made)) == 40)
            assert slowest < 2.0
            rows = wait_until(
                lambda: (rows := hooks_of(daemon)) and all(rows[name]["state"] == "parked" for name in unwell) and rows
            )
            reasons = {name: rows[name]["reason"] for name in unwell}
            assert reasons == {
                "hangs": "timeout",
                "floods": "timeout",
                "fails": "exit_code 3",
                "dies": "signal 11",
                "kills": "carrier_lost",
            }
            assert len({row["before_seq"] for name, row in rows.items() if name in unwell}) == 1
            assert not any("hooks" in str(line) and "sleep 600" in str(line) for line in daemon.records())
            assert daemon.stop() == 0


@pytest.mark.slow
def test_a_hook_that_is_taken_out_of_the_settings_and_put_back_misses_nothing():
    text = hook("build", "cat >> told", kinds=["todo.added"])
    with fresh_home(activate) as made:
        settings(made, text)
        with DaemonProcess(made) as daemon:
            assert add(daemon.client(), "one").ok
            wait_until(lambda: len(told(made)) == 1)
            assert daemon.stop() == 0
        settings(made, "")
        with DaemonProcess(made) as daemon:
            assert add(daemon.client(), "two").ok
            assert hooks_of(daemon)["build"]["state"] == "unconfigured"
            assert daemon.stop() == 0
        settings(made, text)
        with DaemonProcess(made) as daemon:
            assert add(daemon.client(), "three").ok
            # At least once: what was told just before a stop may be told again.
            wait_until(lambda: len(_subjects(made)) == 3)
            assert _subjects(made) == ["todo_no_one", "todo_no_two", "todo_no_three"]
            assert daemon.stop() == 0


def _subjects(made):
    return list(dict.fromkeys(document["subject"]["todo_id"] for document in told(made)))


@pytest.mark.slow
def test_a_daemon_that_is_told_to_stop_ends_in_time_while_a_hook_hangs():
    with fresh_home(activate) as made:
        settings(made, hook("hangs", "echo $$ > pid; sleep 600"))
        with DaemonProcess(made) as daemon:
            assert add(daemon.client(), "one").ok
            pid = made.path / "hooks" / "hangs" / "pid"
            wait_until(lambda: pid.exists() and pid.read_text())
            began = time.monotonic()
            assert daemon.stop() == 0
            assert time.monotonic() - began < 10
        number = int(pid.read_text())
        wait_until(lambda: _is_gone(number))


def _is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split(") ")[1].startswith("Z")
    except FileNotFoundError:
        return True


@pytest.mark.slow
def test_what_a_killed_daemon_ran_ends_with_it():
    with fresh_home(activate) as made:
        settings(made, hook("hangs", "echo $$ > pid; sleep 600", timeout_seconds=600.0))
        with DaemonProcess(made) as daemon:
            assert add(daemon.client(), "one").ok
            pid = made.path / "hooks" / "hangs" / "pid"
            number = int(wait_until(lambda: pid.exists() and pid.read_text()))
            daemon.kill()
        wait_until(lambda: _is_gone(number))
