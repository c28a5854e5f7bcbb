"""`frontstage batch`: every line is answered in its place, whatever the others are."""

import json
import os
import subprocess

import pytest

from daemon import wire
from daemon.cli.main import run
from daemon.cli.spawn import module_environment
from daemon.client import Asked
from daemon.local import batch
from tests.api.cli_double import Double, answer
from tests.api.cli_home import daemon_in, make_home


def add(member_id, **more):
    return {"action": "member.add", "params": {"member_id": member_id, "kind": "agent", "display_name": "A"}} | more


GOOD = json.dumps(add("one")).encode()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("batch") / "home")


@pytest.fixture(scope="module")
def daemon(home):
    with daemon_in(home) as running:
        yield running


@pytest.fixture
def asked(daemon, home, tmp_path, capfd, monkeypatch):
    """Give it lines; the exit code, the answers and what was said beside them come back."""
    monkeypatch.setenv("FRONTSTAGE_HOME", str(home))

    def ask(*lines, flags=()):
        path = tmp_path / "lines"
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
        code = run(["batch", "--input", str(path), *flags])
        printed = capfd.readouterr()
        return code, [json.loads(line) for line in printed.out.splitlines()], printed.err

    return ask


def members(daemon):
    return {one["member_id"] for one in daemon.owner.read("member.list").body["members"]}


def test_each_line_has_its_answer_and_its_receipt(asked, daemon):
    code, answers, said = asked(add("b1"), b"", add("b2"), add("b1"), flags=("--request-key", "first"))
    assert (code, said) == (1, "")
    assert [(one["line"], one["ok"], one["exit_code"]) for one in answers] == [
        (1, True, 0),
        (3, True, 0),
        (4, False, 1),
    ]
    assert answers[2]["code"] == "member_exists"
    assert len({one["receipt_id"] for one in answers[:2]}) == 2
    assert {"b1", "b2"} <= members(daemon)


def test_the_same_input_again_is_answered_and_not_done_again(asked):
    lines = (add("again"), add("other", request_key="mine"))
    first = asked(*lines, flags=("--request-key", "twice"))[1]
    code, second, _ = asked(*lines, flags=("--request-key", "twice"))
    assert code == 0
    assert [one["replayed"] for one in second] == [True, True]
    assert [one["receipt_id"] for one in second] == [one["receipt_id"] for one in first]


BAD = [
    (b"{", "is not JSON"),
    (b"\xff\xfe", "is not JSON"),
    (b"[]", "is not an object"),
    (b"7", "is not an object"),
    (b'{"params": {}}', "is not an object"),
    (b'{"action": 7}', "is not an object"),
    (b'{"action": "todo.add", "actor": "ann"}', "has a field actor"),
    (b'{"action": "todo.add", "params": []}', "params that are no object"),
    (b'{"action": "todo.add", "request_key": 7}', "request_key that is no text"),
    (b'{"action": "todo.add", "action": "goal.stop"}', "names a field twice"),
    (b'{"action": "todo.add", "params": {"a": 1, "a": 2}}', "names a field twice"),
    (b'{"action": "todo.add", "params": {"a": NaN}}', "holds NaN"),
    (b'{"action": "todo.add", "params": {"a": "\\ud800"}}', "is not JSON"),
    (b"[" * 200_000, "is nested too deeply"),
    (b'{"action": "' + b"a" * batch.BYTES_MAX + b'"}', "is longer than"),
]


@pytest.mark.parametrize(("line", "problem"), BAD, ids=[problem for _, problem in BAD])
def test_a_line_that_is_none_is_answered_by_its_number_and_costs_no_other(asked, daemon, line, problem):
    number = len(members(daemon))
    code, answers, _ = asked(add(f"before-{number}"), line, add(f"after-{number}"))
    assert code == 2
    assert [(one["line"], one["exit_code"]) for one in answers] == [(1, 0), (2, 2), (3, 0)]
    assert answers[1]["code"] == "malformed_params"
    assert answers[1]["message"].startswith(f"line 2 {problem}") or problem in answers[1]["message"]
    assert answers[1]["details"]["line"] == 2
    assert {f"before-{number}", f"after-{number}"} <= members(daemon)


def test_what_the_daemon_refuses_of_one_line_costs_no_other(asked):
    reads, unknown = {"action": "member.list"}, {"action": "member.paint"}
    keys = add("k1", request_key="a b"), add("k2", request_key="k" * 200)
    code, answers, _ = asked(reads, unknown, *keys, add("k3"), {"action": "goal.show", "params": {"goal_id": "x"}})
    assert [one.get("code") for one in answers] == [
        "unknown_action", "unknown_action", "request_key_malformed", "request_key_malformed", None, "unknown_action",
    ]  # fmt: skip
    assert code == 3


@pytest.mark.parametrize("bad", [add("one-more", params={}), b"{"], ids=["refused", "no line"])
def test_it_stops_where_it_is_told_to_and_says_so(asked, daemon, bad):
    number = len(members(daemon))
    code, answers, said = asked(add(f"s{number}"), bad, add(f"t{number}"), flags=("--stop-on-refusal",))
    assert (code, [one["line"] for one in answers]) == (2, [1, 2])
    assert "nothing after line 2 was asked" in said
    assert f"t{number}" not in members(daemon)


def test_many_lines_are_many_requests_and_keep_their_order(asked):
    lines = [add(f"many-{number}") for number in range(3 * batch.ACTIONS_MAX + 1)]
    code, answers, _ = asked(*lines, b"")
    assert code == 0
    assert [one["line"] for one in answers] == list(range(1, len(lines) + 1))
    assert [one["result"]["member_id"] for one in answers] == [one["params"]["member_id"] for one in lines]


def test_long_lines_fit_a_request_together_or_apart(asked):
    words = "目" * 30_000
    lines = [{"action": "goal.propose", "params": {"objective": words, "criterion": ["x"]}} for _ in range(6)]
    code, answers, _ = asked(*lines)
    assert (code, {one["code"] for one in answers}) == (2, {"malformed_params"})
    assert [one["line"] for one in answers] == [1, 2, 3, 4, 5, 6]


def test_a_program_may_wait_for_each_answer(daemon, home):
    argv = [os.sys.executable, "-c", "from daemon.cli.main import main; main()", "batch", "--home", str(home)]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=module_environment(), bufsize=0
    ) as process:
        for number in (1, 2, 3):
            process.stdin.write(json.dumps(add(f"wait-{number}")).encode() + b"\n")
            assert json.loads(process.stdout.readline())["line"] == number
        process.stdin.close()
        assert process.wait(20) == 0


def test_answers_are_in_the_language_that_is_asked_for_and_readable(home, daemon, tmp_path, capfd):
    (tmp_path / "lines").write_text('{"action": "member.add"}\n{\n')
    assert run(["batch", "--input", str(tmp_path / "lines"), "--home", str(home), "--locale", "zh"]) == 2
    first, second = capfd.readouterr().out.splitlines()
    assert "字段 成员编号（member_id） 无效：缺少该字段" in first
    assert "line 2 is not JSON" in second


def test_no_input_is_nothing_to_do(asked):
    assert asked(b"") == (0, [], "")


def test_an_agents_token_does_what_an_agent_may(asked, daemon, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_wrong")
    code, answers, _ = asked(add("x1"), add("x2"))
    assert (code, [(one["line"], one["code"]) for one in answers]) == (
        5, [(1, "unauthenticated"), (2, "unauthenticated")],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--input", "/nowhere/lines"], "/nowhere/lines cannot be read"),
        (["--request-key", "k" * 150], "at most 147 characters"),
        (["--input", "/"], "cannot be read"),
    ],
)
def test_input_that_cannot_be_used_is_refused_before_anything_is_asked(home, capfd, monkeypatch, flags, said):
    monkeypatch.setenv("FRONTSTAGE_HOME", str(home))
    assert run(["batch", *flags]) == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("script", "code", "exit_code"),
    [
        ([b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n"], "daemon_unreachable", 7),
        ([answer(b'{"ok":true,"answers":[],"not_asked":0}')], "fault", 8),
        ([answer(b"{")], "fault", 8),
    ],
)
def test_where_the_outcome_is_unknown_the_keys_are_told(tmp_path, capfd, monkeypatch, script, code, exit_code):
    double = Double(str(tmp_path / "s"))
    try:
        double.script = script
        lines = tmp_path / "lines"
        lines.write_bytes(GOOD + b"\n" + GOOD + b"\n")
        flags = ["--request-key", "lost", "--socket", double.path]
        assert run(["batch", "--input", str(lines), *flags]) == exit_code
        printed = capfd.readouterr()
        answers = [json.loads(line) for line in printed.out.splitlines()]
        assert [(one["line"], one["code"]) for one in answers] == [(1, code), (2, code)]
        assert [one["details"]["request_key"] for one in answers] == ["lost/1", "lost/2"]
        assert "nothing after line 2 was asked" in printed.err
    finally:
        double.close()


def test_a_client_asks_many_things_at_once(daemon):
    member = {"kind": "agent", "display_name": "C", "profile_role": None}
    asked = [
        Asked("member.add", {"member_id": "c1"} | member, "c-1"),
        Asked("member.add", {"member_id": "c1"} | member),
    ]
    reply = daemon.owner.batch(asked)
    assert (reply.ok, reply.exit_code, reply.body["ok"]) == (True, 1, False)
    assert [one["exit_code"] for one in reply.body["answers"]] == [0, 1]
    stopped = daemon.owner.batch([asked[1], asked[0]], stop_on_refusal=True)
    assert stopped.body["not_asked"] == 1
    assert daemon.owner.batch([asked[0]]).body["answers"][0]["replayed"]
    with pytest.raises(wire.NobodyListens):
        type(daemon.owner)("/nowhere/s").batch(asked)


def test_a_dash_is_standard_input(daemon, home):
    argv = [os.sys.executable, "-c", "from daemon.cli.main import main; main()", "batch", "--input", "-"]
    given = json.dumps(add("by-dash")).encode()
    argv += ["--home", str(home)]
    done = subprocess.run(argv, check=False, input=given, stdout=subprocess.PIPE, env=module_environment(), timeout=30)
    assert done.returncode == 0
    assert json.loads(done.stdout)["ok"] is True
    assert "by-dash" in members(daemon)
