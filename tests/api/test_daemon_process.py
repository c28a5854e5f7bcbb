"""The daemon as a process: its socket, its lock, its log, what survives it, and calls made when none runs."""

import json
import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from daemon.client import Client
from daemon.lock import take
from daemon.paths import SOCKET_PATH_BYTES_MAX
from tests.support.daemons import DaemonProcess, daemon_on_fresh_home, fresh_home, refused_start
from tests.support.homes import CHAT, TENANT, activate, person

WORK = {"goal_id": "docs", "todo_id": "todo_000"}


class TestSocket:
    """Where the daemon listens."""

    def test_only_its_owner_can_open_it_and_it_is_gone_afterwards(self):
        with daemon_on_fresh_home() as daemon:
            path = Path(daemon.made.home.socket)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_ISSOCK(path.stat().st_mode)
            assert daemon.stop() == 0
            assert not path.exists()

    def test_it_is_private_whatever_the_umask(self):
        before = os.umask(0)
        try:
            with daemon_on_fresh_home() as daemon:
                assert stat.S_IMODE(Path(daemon.made.home.socket).stat().st_mode) == 0o600
        finally:
            os.umask(before)

    def test_one_that_nobody_is_behind_is_replaced(self):
        with fresh_home() as made:
            with DaemonProcess(made) as first:
                first.kill()
            assert Path(made.home.socket).exists()
            with DaemonProcess(made) as second:
                assert second.client().get("/healthz").ok
                assert second.stop() == 0

    @pytest.mark.parametrize("kind", ["file", "folder", "link"])
    def test_what_is_no_socket_is_never_removed(self, kind):
        with fresh_home() as made:
            mine = made.path / "mine.txt"
            target = made.path / "target"
            match kind:
                case "file":
                    mine.write_text("my work")
                case "folder":
                    mine.mkdir()
                case _:
                    target.write_text("my work")
                    mine.symlink_to(target)
            code, said = refused_start(made, "--socket", str(mine))
            assert code == 1
            assert said == f"frontstage: {mine} is there and is no socket: move it away, or choose another path\n"
            assert mine.exists()

    def test_another_ledger_s_socket_is_not_taken(self):
        with daemon_on_fresh_home() as daemon, fresh_home() as other:
            code, said = refused_start(other, "--socket", daemon.made.home.socket)
            assert code == 1
            assert "another ledger's daemon listens there" in said
            assert daemon.client().get("/healthz").ok

    def test_a_path_that_is_too_long_is_said_with_its_remedy(self):
        with fresh_home() as made:
            path = str(made.path / ("s" * SOCKET_PATH_BYTES_MAX))
            code, said = refused_start(made, "--socket", path)
            assert code == 1
            assert said == (
                f"frontstage: the socket's path has {len(path)} bytes, at most {SOCKET_PATH_BYTES_MAX} fit: "
                "choose a shorter home or set FRONTSTAGE_SOCKET\n"
            )

    def test_the_longest_path_works(self):
        with fresh_home() as made:
            made.home.socket = str(made.path / ("s" * (SOCKET_PATH_BYTES_MAX - len(made.home.path) - 1)))
            assert len(made.home.socket) == SOCKET_PATH_BYTES_MAX
            with DaemonProcess(made, "--socket", made.home.socket) as daemon:
                assert daemon.client().get("/healthz").ok

    def test_a_folder_that_is_not_there_is_said_plainly(self):
        with fresh_home() as made:
            code, said = refused_start(made, "--socket", str(made.path / "none" / "s"))
            assert code == 1
            assert said.startswith("frontstage: cannot listen at ")
            assert "Traceback" not in said


class TestLock:
    """One daemon per ledger."""

    def test_a_second_daemon_refuses_and_names_the_holder(self):
        with daemon_on_fresh_home() as daemon:
            code, said = refused_start(daemon.made)
            assert code == 7
            assert said == (
                f"frontstage: the ledger is held by process {daemon.process.pid} on {socket.gethostname()}\n"
            )
            holder = json.loads(Path(daemon.made.home.lock).read_bytes())
            assert holder["pid"] == daemon.process.pid
            assert holder["socket"] == daemon.made.home.socket
            assert set(holder) == {"pid", "host", "started_at_ms", "version", "socket"}
            assert daemon.client().get("/healthz").ok

    def test_the_name_of_one_that_was_killed_holds_nothing(self):
        with fresh_home() as made:
            with DaemonProcess(made) as first:
                first.kill()
            assert json.loads(Path(made.home.lock).read_bytes())["pid"] == first.process.pid
            with DaemonProcess(made) as second:
                assert json.loads(Path(made.home.lock).read_bytes())["pid"] == second.process.pid

    def test_a_lock_file_of_rubbish_stops_nobody(self):
        with fresh_home() as made:
            Path(made.home.lock).write_bytes(b"\xff not json")
            with DaemonProcess(made) as daemon:
                assert daemon.client().get("/healthz").ok

    def test_a_daemon_waits_for_a_single_call_and_then_serves(self):
        """A single call names no socket in the lock: it will be gone in a moment."""
        with fresh_home() as made:
            held = take(Path(made.home.lock), started_at_ms=1, socket_path="")
            with DaemonProcess(made, wait=False) as daemon:
                with pytest.raises(subprocess.TimeoutExpired):
                    daemon.process.wait(1)
                held.close()
                daemon.wait_until_ready()
                assert daemon.client().get("/healthz").ok


class TestLog:
    """What a busy daemon writes down."""

    def test_no_secret_no_text_and_no_lark_id_is_in_it(self):
        """Everything goes by: words, refusals, presses, messages, bad requests, faults of clients."""
        words = "the merger with Contoso"
        with daemon_on_fresh_home(lambda scribe: activate(scribe, todos=3)) as daemon:
            ann, builder = daemon.client(), daemon.client("builder")
            for number in range(20):
                assert ann.act("todo.add", {"goal_id": "docs", "text": f"{words} {number}"}).ok
            builder.act("todo.claim", WORK)
            builder.act("todo.block", WORK | {"reason": words})
            builder.act("goal.confirm", {"goal_id": "docs"})
            ann.act("goal.show", {"goal_id": words})
            ann.act("goal.propose", {"objective": 5, "title": words})
            Client(daemon.made.home.socket, "fs_wrong_secret_0123456789abcdef").read("goal.list")
            bot = daemon.client("bot")
            relayed = {"app_id": "cli_tests", "tenant_key": TENANT, "chat_id": CHAT, "event_id": "e1"}
            bot._ask("POST", "/v1/relay/message", json.dumps(message(relayed, words)).encode(), None)
            bot._ask("POST", "/v1/relay/message", json.dumps(message(relayed, "ABCD-2345")).encode(), None)
            pressed = relayed | {"operator": person("ann"), "message_id": "om_card0000", "token": "AAAA" * 20}
            bot._ask("POST", "/v1/relay/press", json.dumps(pressed).encode(), None)
            proof = f"HTTP/1.1\r\nAuthorization: Bearer {daemon.made.tokens['ann']}"
            packed = "Content-Encoding: gzip\r\nContent-Length: 23"
            for said in (
                f"{words}\r\n\r\n",
                f"GET /{words.replace(' ', '-')} {proof}\x00\r\n\r\n",
                f"GET / {proof * 200}\r\n\r\n",
                f"GET / HTTP/1.1\r\n{words}\x00: x\r\n\r\n",
                f"GET / HTTP/1.1\r\nX: {words * 800}\r\n\r\n",
                f"POST /v1/actions/goal.propose {proof}\r\n{packed}\r\n\r\n{words}",
            ):
                send(daemon.made.home.socket, said.encode())
            assert daemon.stop() == 0
        text = "".join(daemon.log)
        assert '"event": "ready"' in text
        forbidden = [words, "merger", "Contoso", "merger-with", "ABCD", "oc_tests", TENANT, "om_card0000", "Ann Li"]
        forbidden += [*daemon.made.tokens.values(), "fs_wrong_secret", *person("ann").values(), "AAAAAAAA"]
        assert [secret for secret in forbidden if secret in text] == []
        assert {record["level"] for record in daemon.records()} <= {"info", "error"}

    def test_every_line_is_an_object_with_a_time_a_level_and_an_event(self):
        with daemon_on_fresh_home() as daemon:
            send(daemon.made.home.socket, b"no http\r\n\r\n")
            assert daemon.stop() == 0
        for record in daemon.records():
            assert {"at", "level", "event"} <= record.keys()


def message(relayed, text):
    return relayed | {
        "event_id": text,
        "message_id": f"om_{len(text)}",
        "sender": person("ann"),
        "chat_type": "p2p",
        "text": text,
        "create_time_ms": 4_000_000_000_000,
    }


def send(path, data):
    """Say something that no client says, and wait until the daemon has done with it."""
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(30)
        one.connect(path)
        one.sendall(data)
        one.shutdown(socket.SHUT_WR)
        while one.recv(65_536):
            pass
