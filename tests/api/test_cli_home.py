"""Commands on a real home: begin it, use it without a daemon, prove it, copy it, stop it, look it over."""

import fcntl
import hashlib
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from daemon.cli.main import run
from daemon.cli.spawn import module_argv, module_environment
from ledger.store.sqlite import open_sqlite
from tests.api.cli_double import Double, answer
from tests.api.cli_home import daemon_in, make_home

PROGRAM = "import sys; from daemon.cli.main import main; sys.exit(main())"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("FRONTSTAGE_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def fresh_home(tmp_path_factory):
    """A home as `init` leaves it; copied for each test."""
    return make_home(tmp_path_factory.mktemp("fresh") / "home")


@pytest.fixture(scope="module")
def grown_home(fresh_home, tmp_path_factory):
    """The same with two members and a refusal; copied for each test."""
    path = tmp_path_factory.mktemp("grown") / "home"
    shutil.copytree(fresh_home, path)
    with daemon_in(path) as daemon:
        for name, done in (("one", True), ("two", True), ("one", False)):
            assert daemon.owner.act("member.add", {"member_id": name, "kind": "agent", "display_name": name}).ok is done
    return path


@pytest.fixture
def home(fresh_home, tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_HOME", str(tmp_path / "home"))
    shutil.copytree(fresh_home, tmp_path / "home")
    return tmp_path / "home"


def document(capfd):
    return json.loads(capfd.readouterr().out)


def add(name, key=None):
    line = ["member", "add", "--member-id", name, "--kind", "agent", "--display-name", name, "--json"]
    return run(line if key is None else [*line, "--request-key", key])


class TestInit:
    """Making a home."""

    def test_everything_in_it_is_private(self, home):
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        for file in home.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
        assert {"ledger.sqlite3", "owner.token", "bot.token", "button.key"} <= {file.name for file in home.iterdir()}

    def test_a_second_time_changes_nothing(self, home, capfd):
        before = {file.name: file.read_bytes() for file in home.iterdir() if "ledger" not in file.name}
        assert run(["init", "--json"]) == 1
        assert document(capfd)["code"] == "home_exists"
        after = {file.name: file.read_bytes() for file in home.iterdir() if "ledger" not in file.name}
        assert {name: data for name, data in after.items() if name != "daemon.lock"} == {
            name: data for name, data in before.items() if name != "daemon.lock"
        }
        assert run(["ledger", "verify"]) == 0

    def test_a_folder_that_others_may_enter_and_that_holds_something_is_refused(self, tmp_path, capfd):
        shared = tmp_path / "shared"
        shared.mkdir(mode=0o755)
        (shared / "theirs").touch()
        assert run(["init", "--home", str(shared)]) == 2
        assert f"chmod 700 {shared}" in capfd.readouterr().err
        assert [file.name for file in shared.iterdir()] == ["theirs"]

    @pytest.mark.parametrize(
        ("argv", "field"),
        [(["--owner", "Ann!"], "owner"), (["--name", ""], "name"), (["--owner-name", "x" * 200], "owner_name")],
    )
    def test_a_name_that_is_none_is_refused_and_can_be_mended(self, tmp_path, capfd, argv, field):
        line = ["init", "--home", str(tmp_path / "h"), "--json"]
        assert run([*line, *argv]) == 2
        assert document(capfd)["details"]["field"] == field
        assert run(line) == 0

    def test_an_owner_id_that_is_reserved_is_refused_and_can_be_mended(self, tmp_path, capfd):
        line = ["init", "--home", str(tmp_path / "h"), "--json"]
        assert run([*line, "--owner", "daemon"]) == 1
        assert document(capfd)["code"] == "member_id_reserved"
        assert run(line) == 0


class TestWithoutADaemon:
    """The command stays usable when no daemon runs."""

    def test_a_write_is_durable_and_a_read_sees_it(self, home, capfd):
        assert add("builder") == 0
        written = document(capfd)
        assert (written["outcome"], written["seq"]) == ("committed", 6)
        assert run(["member", "list", "--json"]) == 0
        assert "builder" in {row["member_id"] for row in document(capfd)["members"]}

    def test_the_same_key_is_answered_and_not_done_again(self, home, capfd):
        assert add("builder", "once") == 0
        first = document(capfd)
        assert add("builder", "once") == 0
        again = document(capfd)
        assert (again["replayed"], again["receipt_id"], again["seq"]) == (True, first["receipt_id"], first["seq"])
        assert add("other", "once") == 1
        assert document(capfd)["code"] == "idempotency_conflict"

    def test_a_socket_that_was_left_behind_is_no_daemon(self, home):
        stale = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stale.bind(str(home / "daemon.sock"))
        stale.close()
        assert add("builder") == 0

    def test_a_daemon_that_dies_in_the_middle_of_an_answer_is_stood_in_for(self, home, capfd):
        double = Double(str(home / "daemon.sock"), script=[answer()[:30]])
        double.on_asked = double.stop_listening
        assert add("builder") == 0
        assert document(capfd)["outcome"] == "committed"
        double.close()

    def test_many_at_once_take_turns(self, home):
        line = ["member", "add", "--kind", "agent", "--display-name", "x", "--member-id"]
        running = [
            subprocess.Popen([sys.executable, "-c", PROGRAM, *line, f"agent-{number}"], env=module_environment())
            for number in range(4)
        ]
        assert [process.wait(60) for process in running] == [0, 0, 0, 0]

    def test_the_callers_folder_decides_nothing(self, home, tmp_path, monkeypatch):
        for name in ("json.py", "daemon.py", "aiohttp.py"):
            (tmp_path / name).write_text("raise SystemExit(99)")
        monkeypatch.chdir(tmp_path)
        assert add("builder") == 0

    def test_the_callers_credential_is_not_handed_on(self, monkeypatch):
        monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_secret")
        assert "fs_secret" not in module_environment().values()

    def test_a_home_without_a_ledger_is_said_to_be_one(self, tmp_path, capfd):
        assert run(["status", "--home", str(tmp_path / "none")]) == 2
        assert "run frontstage init" in capfd.readouterr().err
        assert not (tmp_path / "none").exists()

    def test_why_none_could_be_started_is_said(self, home, capfd):
        (home / "config.toml").write_text("not toml")
        assert add("builder") == 7
        assert "config.toml" in document(capfd)["message"]


class TestLedger:
    """Reading the file itself."""

    @pytest.fixture
    def grown(self, grown_home, tmp_path, monkeypatch):
        monkeypatch.setenv("FRONTSTAGE_HOME", str(tmp_path / "home"))
        shutil.copytree(grown_home, tmp_path / "home")
        return tmp_path / "home"

    def test_a_whole_history_holds(self, grown, capfd):
        assert run(["ledger", "verify", "--json"]) == 0
        report = document(capfd)
        assert (report["ok"], report["events"], report["receipts"], report["first_break"]) == (True, 7, 2, None)
        head = f"{report['seq']}:{report['head']}"
        assert run(["ledger", "verify", "--expect-head", head]) == 0
        said = capfd.readouterr().out
        assert f"\nhead {head}\n" in said
        assert f"\nrefusals head {report['refusals_head']}\n" in said

    @pytest.mark.parametrize(
        ("change", "part", "number", "defect"),
        [
            ("UPDATE event SET words = replace(words, 'one', 'eno') WHERE seq = 6", "event", 6, "words_changed"),
            ("UPDATE event SET body = replace(body, 'one', 'eno') WHERE seq = 6", "event", 6, "hash_broken"),
            ("UPDATE event SET kind = 'member.gone' WHERE seq = 2", "event", 2, "columns_disagree"),
            ("DELETE FROM event WHERE seq = 3", "event", 3, "not_contiguous"),
            ("DELETE FROM event WHERE seq = 7", "receipt", 7, "events_missing"),
            ("DELETE FROM receipt WHERE first_seq = 7", "event", 7, "receipt_missing"),
            ("UPDATE receipt SET first_seq = 6 WHERE first_seq = 7", "receipt", 6, "receipt_disagrees"),
        ],
    )
    def test_a_changed_row_is_found(self, grown, capfd, change, part, number, defect):
        with apsw.Connection(str(grown / "ledger.sqlite3")) as connection:
            for trigger in ("event_is_never_deleted", "event_is_never_changed", "event_words_are_only_erased"):
                connection.execute(f"DROP TRIGGER {trigger}")
            connection.execute(change.replace("replace(words,", "CAST(replace(CAST(words AS TEXT),").replace(
                "replace(body,", "CAST(replace(CAST(body AS TEXT),"
            ).replace("'eno')", "'eno') AS BLOB)"))  # fmt: skip
        assert run(["ledger", "verify", "--json"]) == 1
        assert document(capfd)["first_break"] == {"part": part, "number": number, "defect": defect}
        assert run(["ledger", "verify"]) == 1
        assert f"BROKEN at {part} {number}" in capfd.readouterr().out

    def test_a_ledger_of_which_nothing_is_left_is_neither_served_nor_verified(self, grown, capfd):
        for name in ("ledger.sqlite3-wal", "ledger.sqlite3-shm"):
            (grown / name).unlink(missing_ok=True)
        ledger = grown / "ledger.sqlite3"
        ledger.write_bytes(b"")
        assert run(["ledger", "verify"]) == 8
        served = subprocess.run(
            [*module_argv("daemon.app"), "--home", str(grown)],
            stderr=subprocess.PIPE,
            env=module_environment(),
            timeout=60,
            check=False,
        )
        assert (served.returncode, b"is empty and no ledger" in served.stderr) == (1, True), served.stderr
        assert ledger.read_bytes() == b""
        assert run(["ledger", "verify"]) == 8

    def test_a_ledger_without_its_first_event_does_not_hold(self, grown, capfd):
        ledger = grown / "ledger.sqlite3"
        ledger.unlink()
        open_sqlite(ledger).close()
        assert run(["ledger", "verify", "--json"]) == 1
        assert document(capfd)["first_break"] == {"part": "event", "number": 1, "defect": "events_missing"}

    def test_a_head_that_is_not_part_of_it_is_found(self, grown, capfd):
        assert run(["ledger", "verify", "--expect-head", "3:" + "0" * 64, "--json"]) == 1
        assert document(capfd)["expected_head_found"] is False
        assert run(["ledger", "verify", "--expect-head", "99:" + "0" * 64]) == 1
        assert "is NOT part of" in capfd.readouterr().out

    @pytest.mark.parametrize("head", ["x", "3", "3:ab", ":abcdefgh", "-1:abcdefgh"])
    def test_a_head_that_is_none_is_refused(self, home, capfd, head):
        assert run(["ledger", "verify", f"--expect-head={head}"]) == 2

    def test_an_export_can_be_verified_by_hand(self, grown, tmp_path, capfd):
        target = tmp_path / "out.jsonl"
        assert run(["ledger", "export", "--output", str(target)]) == 0
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        lines = [json.loads(line) for line in target.read_text().splitlines()]
        assert [line["record"] for line in lines] == [
            "ledger",
            *["event"] * 7,
            "receipt",
            "receipt",
            *["refusal"] * 1,
            "end",
        ]
        last = bytes(32)
        for event in (line for line in lines if line["record"] == "event"):
            body = json.dumps(event["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
            last = hashlib.sha256(last + body).digest()
            assert last.hex() == event["hash"]
        end = lines[-1]
        assert (end["events"], end["receipts"], end["refusals"]) == (7, 2, 1)
        assert end["head"] == f"7:{last.hex()}"
        assert run(["ledger", "verify", "--expect-head", end["head"]]) == 0

    def test_an_export_replaces_nothing(self, grown, tmp_path, capfd):
        target = tmp_path / "mine"
        target.write_text("mine")
        assert run(["ledger", "export", "--output", str(target)]) == 2
        assert target.read_text() == "mine"
        assert run(["ledger", "export", "--output", str(tmp_path / "no" / "folder")]) == 2

    def test_the_tail_shows_what_came_after(self, grown, capfd):
        assert run(["ledger", "tail", "--after", "5", "--json"]) == 0
        rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        assert [(row["seq"], row["kind"], row["actor"], row["surface"]) for row in rows] == [
            (6, "member.added", "ann", "http"),
            (7, "member.added", "ann", "http"),
        ]
        assert run(["ledger", "tail"]) == 0
        assert len(capfd.readouterr().out.splitlines()) == 7

    def test_the_tail_follows_a_running_daemon(self, grown):
        with daemon_in(grown) as daemon:
            argv = [sys.executable, "-c", PROGRAM, "ledger", "tail", "--follow", "--after", "7", "--json"]
            following = subprocess.Popen(argv, stdout=subprocess.PIPE, env=module_environment())
            assert following.stdout is not None
            for name in ("three", "four"):
                assert daemon.owner.act("member.add", {"member_id": name, "kind": "agent", "display_name": name}).ok
                assert json.loads(following.stdout.readline())["kind"] == "member.added"
            following.terminate()
            following.wait(10)
            following.stdout.close()
            assert run(["ledger", "verify"]) == 0


class TestStop:
    """Stopping the daemon of a home."""

    def test_none_runs(self, home, capfd):
        assert run(["stop"]) == 0
        assert "no daemon runs" in capfd.readouterr().out

    def test_it_waits_until_the_daemon_is_gone(self, home, capfd):
        with daemon_in(home) as daemon:
            assert run(["stop"]) == 0
            assert daemon.process.wait(5) == 0
            assert f"stopped (process {daemon.process.pid})" in capfd.readouterr().out
        assert not (home / "daemon.sock").exists()

    def test_a_holder_elsewhere_is_named_and_left_alone(self, home, capfd):
        with (home / "daemon.lock").open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(
                json.dumps({"pid": os.getpid(), "host": "other", "started_at_ms": 0, "version": "0", "socket": ""})
            )
            file.truncate()
            file.flush()
            assert run(["stop"]) == 8
        assert "other" in capfd.readouterr().err


class TestDoctor:
    """What is looked at, and what is said to mend it."""

    def findings(self, capfd):
        code = run(["doctor", "--json"])
        found = document(capfd)
        assert found["ok"] is (code == 0)
        return code, {(finding["subject"], finding["level"]): finding for finding in found["findings"]}

    def test_a_healthy_home_without_a_daemon(self, home, capfd):
        code, found = self.findings(capfd)
        assert code == 0
        assert {level for _, level in found} == {"ok", "warn"}
        assert ("daemon", "warn") in found
        assert all(finding["remedy"] for finding in found.values() if finding["level"] != "ok")

    def test_a_healthy_home_with_one(self, home, capfd):
        with daemon_in(home):
            assert add("builder") == 0
            capfd.readouterr()
            code, found = self.findings(capfd)
        assert code == 0
        assert {("daemon", "ok"), ("credential", "ok"), ("lock", "ok"), ("clock", "ok"), ("agents", "warn")} <= set(
            found
        )

    @pytest.mark.parametrize("name", [".", "ledger.sqlite3", "owner.token", "bot.token", "button.key"])
    def test_what_others_can_use_fails_with_the_remedy(self, home, capfd, name):
        path = Path(home, name)
        path.chmod(0o755)
        code, found = self.findings(capfd)
        assert code == 1
        failed = [finding for finding in found.values() if finding["level"] == "fail"]
        assert any(f"chmod {'700' if name == '.' else '600'} {path}" in finding["remedy"] for finding in failed)
        assert stat.S_IMODE(path.stat().st_mode) == 0o755, "a doctor changes nothing"

    def test_a_credential_that_was_revoked_fails(self, home, capfd):
        assert run(["token", "issue", "--member-id", "ann"]) == 0
        with daemon_in(home):
            assert run(["token", "revoke", "--token-id", "tok_3"]) == 0
            capfd.readouterr()
            code, found = self.findings(capfd)
        assert code == 1
        assert "credential_revoked" in found["credential", "fail"]["said"]

    def test_a_missing_key_a_bad_config_and_a_foreign_file_fail(self, home, capfd):
        (home / "button.key").unlink()
        (home / "config.toml").write_text("[lark\n")
        code, found = self.findings(capfd)
        assert code == 1
        assert {("button.key", "fail"), ("config", "fail")} <= set(found)
        (home / "ledger.sqlite3").write_bytes(b"not a database at all" * 100)
        assert ("ledger", "fail") in self.findings(capfd)[1]

    def test_lark_half_set_up_fails(self, home, capfd):
        config = home / "config.toml"
        config.write_text('[lark]\napp_id = "cli_1"\n')
        config.chmod(0o600)
        assert ("lark", "fail") in self.findings(capfd)[1]
        config.write_text('[lark]\napp_id = "cli_1"\napp_secret_file = "lark.secret"\n')
        assert "lark.secret is missing" in self.findings(capfd)[1]["lark", "fail"]["said"]
        (home / "lark.secret").write_text("s")
        (home / "lark.secret").chmod(0o644)
        assert "chmod 600" in self.findings(capfd)[1]["lark", "fail"]["remedy"]
        (home / "lark.secret").chmod(0o600)
        assert ("lark", "ok") in self.findings(capfd)[1]

    def test_no_home_at_all(self, tmp_path, capfd, monkeypatch):
        monkeypatch.setenv("FRONTSTAGE_HOME", str(tmp_path / "none"))
        code, found = self.findings(capfd)
        assert code == 1
        assert "frontstage init" in found["home", "fail"]["remedy"]
