"""What survives the daemon's process, and calls that are made when none runs."""

import json
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from daemon.cli.spawn import module_environment
from tests.support.daemons import ENDS_S_MAX, DaemonProcess, fresh_home, proved, refused_start
from tests.support.homes import activate

WORK = {"goal_id": "docs", "todo_id": "todo_000"}
PROGRAM = "import sys; from daemon.cli.main import main; sys.exit(main())"


def cli(made, *words, who=None):
    """One call of the command line in a process of its own."""
    inherited = {name: value for name, value in module_environment().items() if not name.startswith("FRONTSTAGE_")}
    environment = inherited | {"FRONTSTAGE_HOME": made.home.path}
    if who is not None:
        environment["FRONTSTAGE_TOKEN"] = made.tokens[who]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, *words, "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
    )


def once(made, connection):
    """A daemon for this one connection."""
    descriptor = connection.fileno()
    return DaemonProcess(made, "--once", "--fd", str(descriptor), wait=False, pass_fds=(descriptor,))


class TestWithoutADaemon:
    """Calls that start one for themselves."""

    def test_a_call_is_answered_and_leaves_nothing_behind(self):
        with fresh_home(activate) as made:
            call = cli(made, "todo", "claim", "--goal-id", "docs", "--todo-id", "todo_000", who="builder")
            out, _ = call.communicate(timeout=ENDS_S_MAX)
            assert call.returncode == 0, out
            assert json.loads(out)["outcome"] == "committed"
            assert not Path(made.home.socket).exists()
            report = proved(made)
            assert (report.holds, report.head.seq) == (True, json.loads(out)["seq"])

    def test_the_one_connection_is_served_and_its_end_is_the_end(self):
        with fresh_home(activate) as made:
            ours, theirs = socket.socketpair()
            with once(made, theirs) as one:
                theirs.close()
                ours.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                ours.settimeout(ENDS_S_MAX)
                said = b"".join(iter(lambda: ours.recv(65_536), b""))
                assert said.startswith(b"HTTP/1.1 200")
                ours.close()
                assert one.ended() == 0
                assert one.log == []

    def test_a_caller_who_goes_away_first_does_not_keep_it(self):
        with fresh_home(activate) as made:
            ours, theirs = socket.socketpair()
            with once(made, theirs) as one:
                theirs.close()
                ours.close()
                assert one.ended() == 0

    def test_calls_side_by_side_take_turns_and_none_is_lost(self):
        with fresh_home(lambda scribe: activate(scribe, todos=4)) as made:
            calls = [
                cli(made, "todo", "claim", "--goal-id", "docs", "--todo-id", f"todo_{n:03d}", who="builder")
                for n in range(4)
            ]
            outs = [call.communicate(timeout=4 * ENDS_S_MAX)[0] for call in calls]
            assert [call.returncode for call in calls] == [0] * 4, outs
            seqs = sorted(json.loads(out)["events"][0]["seq"] for out in outs)
            assert seqs == list(range(seqs[0], seqs[0] + 4))
            assert proved(made).holds

    @pytest.mark.parametrize("delay_s", [0.0, 0.15, 0.3, 0.5])
    def test_a_daemon_that_starts_meanwhile_loses_nothing(self, delay_s):
        """Wherever in the call the daemon comes: the call is answered once, by the one or by the other."""
        with fresh_home(lambda scribe: activate(scribe, todos=3)) as made:
            calls = [
                cli(made, "todo", "claim", "--goal-id", "docs", "--todo-id", f"todo_{n:03d}", who="builder")
                for n in range(3)
            ]
            # On a quick machine the first may be through by then; the others take their turns behind it.
            with suppress(subprocess.TimeoutExpired):
                calls[0].wait(delay_s)
            with DaemonProcess(made) as daemon:
                outs = [call.communicate(timeout=4 * ENDS_S_MAX) for call in calls]
                assert [call.returncode for call in calls] == [0] * 3, outs
                assert {json.loads(out)["outcome"] for out, _ in outs} == {"committed"}
                todos = daemon.client().read("todo.list", {"goal_id": "docs"}).body["todos"]
                assert [todo["claimed_by"] for todo in todos] == ["builder"] * 3
                assert daemon.stop() == 0
            assert proved(made).holds

    def test_a_call_while_the_daemon_is_replaced_is_answered(self):
        with fresh_home(lambda scribe: activate(scribe, todos=4)) as made:
            with DaemonProcess(made) as first:
                calls = [
                    cli(made, "todo", "claim", "--goal-id", "docs", "--todo-id", f"todo_{n:03d}", who="builder")
                    for n in range(2)
                ]
                assert first.stop() == 0
            with DaemonProcess(made) as second:
                calls += [
                    cli(made, "todo", "claim", "--goal-id", "docs", "--todo-id", f"todo_{n:03d}", who="builder")
                    for n in range(2, 4)
                ]
                outs = [call.communicate(timeout=4 * ENDS_S_MAX) for call in calls]
                assert [call.returncode for call in calls] == [0] * 4, outs
                todos = second.client().read("todo.list", {"goal_id": "docs"}).body["todos"]
                assert [todo["claimed_by"] for todo in todos] == ["builder"] * 4


class TestRestart:
    """What survives the process."""

    def test_everything_that_was_acknowledged_and_nothing_more(self):
        with fresh_home(lambda scribe: activate(scribe, todos=3)) as made:
            with DaemonProcess(made) as first:
                first.client("builder").act("todo.claim", WORK, "one")
                shown = first.client().read("goal.show", {"goal_id": "docs"}).body
                assert first.stop() == 0
            with DaemonProcess(made) as second:
                assert second.client().read("goal.show", {"goal_id": "docs"}).body == shown
                again = second.client("builder").act("todo.claim", WORK, "one")
                assert again.body["replayed"] is True

    def test_from_a_snapshot_and_from_the_log_the_documents_are_the_same(self):
        """The first start folds the log, a graceful stop leaves a snapshot, the next start uses it."""
        with fresh_home(lambda scribe: activate(scribe, todos=3)) as made:
            with DaemonProcess(made) as first:
                first.client("builder").act("todo.claim", WORK)
                first.kill()
            assert snapshots(made) == 0
            documents = []
            for expected in (0, 2):
                assert snapshots(made) == expected
                with DaemonProcess(made) as daemon:
                    documents.append([daemon.client().read(*asked).body for asked in ASKED])
                    assert daemon.stop() == 0
            assert documents[0] == documents[1]

    @pytest.mark.parametrize("spoil", ["digest", "hash", "seq", "body", "goal body"])
    def test_a_snapshot_that_does_not_fit_is_passed_over(self, spoil):
        with fresh_home(lambda scribe: activate(scribe, todos=3)) as made:
            with DaemonProcess(made) as first:
                first.client("builder").act("todo.claim", WORK)
                wanted = [first.client().read(*asked).body for asked in ASKED]
                assert first.stop() == 0
            assert snapshots(made) == 2
            spoil_snapshot(made, spoil)
            with DaemonProcess(made) as second:
                assert [second.client().read(*asked).body for asked in ASKED] == wanted
                assert second.client("builder").act("todo.release", WORK).ok
                assert second.stop() == 0
            assert proved(made).holds

    def test_without_its_button_key_it_says_so_and_does_not_start(self):
        with fresh_home() as made:
            for spoil in (lambda: Path(made.home.button_key).write_text("not hex"), Path(made.home.button_key).unlink):
                spoil()
                code, said = refused_start(made)
                assert code == 1
                assert "button.key" in said
                assert "Traceback" not in said


ASKED = (
    ("goal.show", {"goal_id": "docs"}),
    ("todo.list", {"goal_id": "docs"}),
    ("member.list", {}),
    ("status.show", {}),
    ("quota.should-run", {"goal_id": "docs", "agent_id": "builder"}),
)


def rows(made, statement, values=()):
    connection = apsw.Connection(made.home.ledger)
    try:
        return list(connection.execute(statement, values))
    finally:
        connection.close()


def snapshots(made):
    return rows(made, "SELECT count(*) FROM snapshot")[0][0]


def spoil_snapshot(made, spoil):
    match spoil:
        case "digest":
            rows(made, "UPDATE snapshot SET reducer_digest = 'another'")
        case "hash":
            rows(made, "UPDATE snapshot SET hash = zeroblob(32)")
        case "seq":
            rows(made, "UPDATE snapshot SET seq = seq - 1")
        case "body":
            rows(made, "UPDATE snapshot SET body = zeroblob(40) WHERE scope = 'workspace'")
        case _:
            rows(made, "UPDATE snapshot SET body = zeroblob(40) WHERE scope <> 'workspace'")
