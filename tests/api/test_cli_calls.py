"""The command line against a daemon's double: what goes over the wire, and what is made of each answer."""

import hashlib
import json
import os
import re
import signal
import stat
import threading

import pytest

from daemon import wire
from daemon.cli.main import run
from tests.api.cli_double import OK, Double, answer

CLAIM = ["todo", "claim", "--goal-id", "docs", "--todo-id", "todo_000012"]
REFUSAL = b'{"schema_version":"frontstage_result_v1","ok":false,"code":"already_claimed"}'


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith("FRONTSTAGE_") or name in {"LANG", "LC_ALL", "LC_MESSAGES"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("FRONTSTAGE_HOME", str(tmp_path))


@pytest.fixture
def double(tmp_path):
    double = Double(str(tmp_path / "daemon.sock"))
    yield double
    double.close()


def test_a_write_is_a_post_with_a_body_a_key_and_a_surface(double, capfd):
    double.script = [answer("Übernommen · 已认领\n".encode())]
    assert run([*CLAIM, "--locale", "zh"]) == 0
    asked = double.asked[0]
    assert (asked.method, asked.target) == ("POST", "/v1/actions/todo.claim")
    assert json.loads(asked.body) == {"goal_id": "docs", "todo_id": "todo_000012"}
    assert re.fullmatch(r"k[0-9a-f]{12}-[0-9a-f]{16}", asked.headers["idempotency-key"])
    assert asked.headers["x-frontstage-surface"] == "cli"
    assert asked.headers["x-frontstage-locale"] == "zh"
    assert asked.headers["accept"] == "text/plain"
    assert "authorization" not in asked.headers
    assert capfd.readouterr() == ("Übernommen · 已认领\n", "")


def test_a_read_is_a_get_with_its_parameters_quoted_and_no_key(double, capfd):
    assert run(["goal", "list", "--state", "a&b=ü ", "--limit", "5", "--at", "12", "--json"]) == 0
    asked = double.asked[0]
    assert (asked.method, asked.target) == ("GET", "/v1/actions/goal.list?at=12&state=a%26b%3D%C3%BC%20&limit=5")
    assert "idempotency-key" not in asked.headers
    assert asked.headers["accept"] == "application/json"
    assert capfd.readouterr().out == OK.decode() + "\n"


def test_a_question_that_reserves_is_asked_as_the_write_it_is(double):
    asked = ["quota", "should-run", "--goal-id", "docs", "--reserve", "--turn-instance-id", "turn-1", "--slots", "2"]
    assert run([*asked, "--ttl-seconds", "60"]) == 0
    (sent,) = double.asked
    assert (sent.method, sent.target) == ("POST", "/v1/actions/quota.reserve")
    assert json.loads(sent.body) == {"goal_id": "docs", "turn_instance_id": "turn-1", "slots": 2, "ttl_seconds": 60}


@pytest.mark.parametrize(
    "text", ['quote " backslash \\', "line\nbreak\ttab", "\x00\x1b\x7f", "汉字 🙂 \u2028 \u202e", "</script>"]
)
def test_any_text_arrives_as_it_was_typed(double, text):
    assert (
        run(["todo", "add", "--goal-id", "d", f"--text={text}", "--depends-on=todo_aaa", "--depends-on=todo_bbb"]) == 0
    )
    assert json.loads(double.asked[0].body) == {"goal_id": "d", "text": text, "depends_on": ["todo_aaa", "todo_bbb"]}


def test_the_parts_of_a_number_stay_a_number(double):
    assert run(["artifact", "submit", "--goal-id=d", "--label=l", f"--sha256={'0' * 64}", "--size-bytes=812"]) == 0
    assert json.loads(double.asked[0].body)["size_bytes"] == 812


@pytest.mark.parametrize("exit_code", [1, 2, 3, 4, 5, 6, 8])
def test_a_refusal_goes_to_standard_error_and_ends_with_its_code(double, capfd, exit_code):
    double.script = [answer(b"It is claimed.\nAsk its holder.\n", status=422, exit_code=exit_code)]
    assert run(CLAIM) == exit_code
    assert capfd.readouterr() == ("", "It is claimed.\nAsk its holder.\n")


def test_a_refusal_in_json_goes_to_standard_output(double, capfd):
    double.script = [answer(REFUSAL, status=422, exit_code=1)]
    assert run([*CLAIM, "--json"]) == 1
    assert capfd.readouterr() == (REFUSAL.decode() + "\n", "")


def test_a_connection_that_breaks_is_asked_again_with_the_same_key(double, capfd):
    double.script = [answer()[:20], answer()]
    assert run(CLAIM) == 0
    first, second = double.asked
    assert first == second
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("cut", [0, 1, 30, len(answer()) - 1])
def test_an_answer_that_never_comes_whole_is_unknown_and_says_how_to_ask_again(double, capfd, cut):
    double.script = [answer()[:cut]]
    assert run([*CLAIM, "--request-key", "mine-1"]) == 7
    assert len(double.asked) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "--request-key mine-1" in err


def test_busy_prints_the_key_to_ask_again_with(double, capfd):
    double.script = [answer(b"Too much at once.\n", status=503, exit_code=7, more=b"Retry-After: 1\r\n")]
    assert run(CLAIM) == 7
    err = capfd.readouterr().err
    assert err.startswith("Too much at once.\n")
    assert double.asked[0].headers["idempotency-key"] in err


@pytest.mark.parametrize("argv", [[], ["--json"]])
def test_a_connection_too_many_is_busy(double, capfd, argv):
    double.script = [answer(b"", status=503, exit_code=7, more=b"Retry-After: 1\r\n")]
    assert run([*CLAIM, *argv]) == 7
    out, err = capfd.readouterr()
    assert double.asked[0].headers["idempotency-key"] in out + err
    assert not argv or json.loads(out)["code"] == "busy"


def test_unknown_in_json_is_an_envelope_with_the_key(double, capfd):
    double.script = [b""]
    assert run([*CLAIM, "--json"]) == 7
    document = json.loads(capfd.readouterr().out)
    assert (document["ok"], document["code"], document["action"]) == (False, "daemon_unreachable", "todo.claim")
    assert document["details"]["request_key"] == double.asked[0].headers["idempotency-key"]


def test_a_daemon_that_hangs_is_not_waited_for_for_ever(double, capfd, monkeypatch):
    monkeypatch.setattr(wire.ask, "__defaults__", (30,))
    waiting = threading.Event()
    double.on_asked = lambda: waiting.wait(5)
    assert run(CLAIM) == 7
    waiting.set()
    assert "no answer within 0.03 s" in capfd.readouterr().err


def test_an_interruption_says_how_to_ask_again(double, capfd):
    over = threading.Event()

    def interrupt():
        # The connection stays open until the call has ended: nothing but the signal can end it.
        os.kill(os.getpid(), signal.SIGINT)
        over.wait(10)

    double.on_asked = interrupt
    double.script = [b""]
    # Whoever runs the tests in the background has the signal ignored, and Python then leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run(CLAIM)
    finally:
        over.set()
        signal.signal(signal.SIGINT, before)
    assert code == 130
    assert double.asked[0].headers["idempotency-key"] in capfd.readouterr().err


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX-Frontstage-Exit: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Frontstage-Exit: 9\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Frontstage-Exit: 0\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Frontstage-Exit: 0\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 20x OK\r\n\r\n",
        b"x" * (wire.HEADER_BYTES_MAX + 10),
    ],
)
def test_what_is_not_a_daemon_of_ours_is_a_fault(double, capfd, reply):
    double.script = [reply]
    assert run(CLAIM) == 8
    assert "--request-key" in capfd.readouterr().err


def test_a_named_socket_that_is_not_there_starts_nothing_else(tmp_path, capfd):
    missing = str(tmp_path / "none.sock")
    assert run([*CLAIM, "--socket", missing]) == 7
    assert f"there is no daemon at {missing}" in capfd.readouterr().err


def test_the_environment_names_the_socket(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("FRONTSTAGE_SOCKET", str(tmp_path / "none.sock"))
    assert run(CLAIM) == 7
    assert "none.sock" in capfd.readouterr().err


def test_a_socket_path_that_is_too_long_is_said(tmp_path, capfd):
    assert run([*CLAIM, "--socket", str(tmp_path / ("x" * 120))]) == 7
    assert "path too long" in capfd.readouterr().err


def test_a_reader_who_leaves_does_not_change_the_exit_code(double):
    reading, writing = os.pipe()
    os.close(reading)
    kept = os.dup(1)
    os.dup2(writing, 1)
    try:
        assert run(CLAIM) == 0
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(writing)


def test_an_answer_that_cannot_be_written_is_told_with_the_key(double, capfd):
    full = os.open("/dev/full", os.O_WRONLY)
    kept = os.dup(1)
    os.dup2(full, 1)
    try:
        assert run(CLAIM) == 8
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(full)
    err = capfd.readouterr().err
    assert "answered with exit code 0" in err
    assert double.asked[0].headers["idempotency-key"] in err


class TestWhoseName:
    """Which credential a call carries."""

    def bearer(self, double):
        assert run(CLAIM) == 0
        return double.asked[0].headers.get("authorization")

    def token(self, tmp_path, name, text, mode=0o600):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def test_without_any_the_daemon_sees_a_bare_connection(self, double):
        assert self.bearer(double) is None

    def test_the_owners_is_taken_from_the_home(self, double, tmp_path):
        self.token(tmp_path, "owner.token", "fs_owner\n")
        assert self.bearer(double) == "Bearer fs_owner"

    def test_a_file_comes_before_the_owners_and_the_variable_before_both(self, double, tmp_path, monkeypatch):
        self.token(tmp_path, "owner.token", "fs_owner\n")
        monkeypatch.setenv("FRONTSTAGE_TOKEN_FILE", str(self.token(tmp_path, "agent", "fs_file")))
        assert self.bearer(double) == "Bearer fs_file"
        monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_variable")
        double.asked.clear()
        assert self.bearer(double) == "Bearer fs_variable"

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
    def test_a_file_that_others_can_use_is_refused_with_the_remedy(self, double, tmp_path, capfd, mode):
        path = self.token(tmp_path, "owner.token", "fs_owner\n", mode)
        assert run(CLAIM) == 2
        assert f"chmod 600 {path}" in capfd.readouterr().err
        assert double.asked == []
        assert stat.S_IMODE(path.stat().st_mode) == mode

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("FRONTSTAGE_TOKEN", ""),
            ("FRONTSTAGE_TOKEN", "two words"),
            ("FRONTSTAGE_TOKEN", "a\r\nX-Evil: 1"),
            ("FRONTSTAGE_TOKEN", "ü"),
            ("FRONTSTAGE_TOKEN", "x" * 5_000),
            ("FRONTSTAGE_TOKEN_FILE", ""),
            ("FRONTSTAGE_TOKEN_FILE", "/nonexistent/token"),
            ("FRONTSTAGE_TOKEN_FILE", "/"),
        ],
    )
    def test_a_token_that_was_meant_and_is_none_never_falls_through_to_the_owners(
        self, double, tmp_path, monkeypatch, capfd, name, value
    ):
        self.token(tmp_path, "owner.token", "fs_owner\n")
        monkeypatch.setenv(name, value)
        assert run([*CLAIM, "--json"]) == 2
        assert double.asked == []
        out = capfd.readouterr().out
        document = json.loads(out)
        assert (document["code"], document["action"]) == ("credential_unusable", "todo.claim")
        assert not value or len(value) < 8 or value.startswith("/") or value not in out

    def test_an_empty_owners_file_is_refused(self, double, tmp_path, capfd):
        self.token(tmp_path, "owner.token", "\n")
        assert run(CLAIM) == 2
        assert "holds no token" in capfd.readouterr().err


class TestSecrets:
    """Secrets that are made here: the daemon gets the digest, the person the secret, once."""

    ISSUE = ("token", "issue", "--member-id", "builder")
    PAIR = ("member", "pair", "--member-id", "ann")

    def test_a_credential(self, double, capfd):
        double.script = [answer(b"Issued tok_7.\n")]
        assert run([*self.ISSUE]) == 0
        secret = re.fullmatch(r"Issued tok_7\.\nsecret: (fs_[A-Za-z0-9_-]{43})\n", capfd.readouterr().out).group(1)
        digest = hashlib.sha256(secret.encode()).hexdigest()
        assert json.loads(double.asked[0].body) == {"member_id": "builder", "secret_digest": digest}
        assert secret not in repr(double.asked)

    def test_a_pairing_code_is_hashed_without_its_dash(self, double, capfd):
        double.script = [answer(b'{"ok":true,"action":"member.pair"}')]
        assert run([*self.PAIR, "--json"]) == 0
        document = json.loads(capfd.readouterr().out)
        assert document["ok"] is True
        assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", document["secret"])
        digest = hashlib.sha256(document["secret"].replace("-", "").encode()).hexdigest()
        assert json.loads(double.asked[0].body)["code_digest"] == digest

    def test_a_refusal_prints_no_secret(self, double, capfd):
        double.script = [answer(b"No such member.\n", status=404, exit_code=3)]
        assert run([*self.ISSUE]) == 3
        assert "fs_" not in "".join(capfd.readouterr())

    def test_a_digest_of_ones_own_makes_no_secret(self, double, capfd):
        assert run([*self.ISSUE, "--secret-digest", "0" * 64]) == 0
        assert "secret" not in capfd.readouterr().out
        assert json.loads(double.asked[0].body)["secret_digest"] == "0" * 64

    def test_an_unknown_outcome_keeps_the_secret_and_says_how_to_ask_for_the_same_again(self, double, capfd):
        double.script = [b""]
        assert run([*self.ISSUE]) == 7
        out, err = capfd.readouterr()
        digest = json.loads(double.asked[0].body)["secret_digest"]
        key = double.asked[0].headers["idempotency-key"]
        assert f"--request-key {key} --secret-digest {digest}" in err
        assert re.fullmatch(r"secret: fs_\S{43}\n", out)

    def test_an_answer_nobody_understands_does_not_cost_the_secret(self, double, capfd):
        double.script = [answer(b"not json")]
        assert run([*self.ISSUE, "--json"]) == 0
        assert json.loads(capfd.readouterr().out.splitlines()[-1])["secret"].startswith("fs_")


class TestLanguage:
    """Which language is asked for."""

    @pytest.mark.parametrize(
        ("environment", "expected"),
        [
            ({}, "en"),
            ({"LANG": "zh_CN.UTF-8"}, "zh"),
            ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
            ({"LANG": "de_DE.UTF-8"}, "en"),
            ({"LANG": "en_US.UTF-8", "FRONTSTAGE_LOCALE": "zh"}, "zh"),
        ],
    )
    def test_of_the_environment(self, double, monkeypatch, environment, expected):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert run(CLAIM) == 0
        assert double.asked[0].headers["x-frontstage-locale"] == expected

    def test_one_that_is_none_is_refused(self, double, monkeypatch, capfd):
        monkeypatch.setenv("FRONTSTAGE_LOCALE", "fr")
        assert run(CLAIM) == 2
        assert double.asked == []


@pytest.mark.parametrize("variable", ["FRONTSTAGE_HOME", "FRONTSTAGE_SOCKET"])
def test_a_variable_that_is_empty_chooses_no_other_ledger(monkeypatch, capfd, variable):
    monkeypatch.setenv(variable, "")
    assert run(CLAIM) == 2
    assert variable in capfd.readouterr().err


def test_a_mistake_in_json_is_the_envelope_the_daemon_would_send(capfd):
    assert run(["todo", "list", "--goal-id", "d", "--limit", "x", "--json"]) == 2
    document = json.loads(capfd.readouterr().out)
    assert document["code"] == "malformed_params"
    assert document["action"] == "todo.list"
    assert document["details"]["field"] == "limit"
    assert set(document) == {
        "schema_version", "ok", "action", "outcome", "code", "message", "hint", "details", "basis", "seq"
    }  # fmt: skip


def test_a_command_left_unfinished_shows_its_manual_and_fails(capfd):
    assert run(["todo"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "claim " in err
    assert run(["help", "todo"]) == 0
    assert "claim " in capfd.readouterr().out
