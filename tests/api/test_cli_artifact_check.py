"""`frontstage artifact check` with real programs and a real daemon: what is recorded is how each program ended."""

import hashlib
import json
import stat
import sys
from pathlib import Path

import pytest

from daemon.cli.main import run
from daemon.local.running import words_sha256
from tests.api.cli_home import daemon_in, make_home

GOAL = {"goal_id": "docs"}
REPORT = b"41 links work\n"
PASS = [sys.executable, "-c", "print('fine')"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("check") / "home")


@pytest.fixture(scope="module")
def daemon(home):
    with daemon_in(home) as running:
        running.owner.act("member.add", {"member_id": "builder", "kind": "agent", "display_name": "Builder"})
        token = hashlib.sha256(b"fs_of_builder").hexdigest()
        running.owner.act("token.issue", {"member_id": "builder", "secret_digest": token})
        running.owner.act("goal.propose", GOAL | {"objective": "Check", "criterion": ["It works"]})
        basis = running.owner.read("goal.show", GOAL).body["basis"]["confirm"]
        running.owner.act("goal.confirm", GOAL | {"basis": basis})
        yield running


@pytest.fixture
def artifact(daemon, monkeypatch, home, tmp_path):
    """A new artifact of a todo that asks for two validators, handed in by Builder, who asks."""
    number = len(daemon.owner.read("todo.list", GOAL).body["todos"])
    todo = GOAL | {"todo_id": f"todo_links_{number}"}
    daemon.owner.act("todo.add", todo | {"text": "Check", "validator": ["links", "words"]})
    monkeypatch.setenv("FRONTSTAGE_HOME", str(home))
    monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_of_builder")
    client = type(daemon.owner)(daemon.socket, "fs_of_builder")
    client.act("todo.claim", todo)
    digest = hashlib.sha256(REPORT).hexdigest()
    handed = client.act("artifact.submit", todo | {"label": "r", "sha256": digest, "size_bytes": len(REPORT)})
    (tmp_path / "report.txt").write_bytes(REPORT)
    return handed.body["result"]["artifact_id"]


def toml(**validators):
    return "".join(
        f"[{name}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in one.items()) for name, one in validators.items()
    )


@pytest.fixture
def check(artifact, tmp_path, capfd):
    def ask(text, *flags):
        (tmp_path / "checks.toml").write_text(text, encoding="utf-8")
        words = ["--goal-id", "docs", "--artifact-id", artifact, "--validators", str(tmp_path / "checks.toml")]
        code = run(["artifact", "check", *words, "--cwd", str(tmp_path), *flags])
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return ask


def recorded(daemon, artifact):
    listed = daemon.owner.read("artifact.list", GOAL).body["artifacts"]
    return next(one for one in listed if one["artifact_id"] == artifact)["checks"]


def test_all_that_the_todo_asks_for_is_run_and_recorded(check, daemon, artifact):
    code, out, err = check(toml(links={"argv": PASS}, words={"argv": PASS}))
    assert (code, err) == (0, "")
    assert [line.partition(" (")[0] for line in out.splitlines()] == ["links: passed", "words: passed"]
    rows = recorded(daemon, artifact)
    assert [(row["name"], row["exit_code"], row["timed_out"]) for row in rows] == [
        ("links", 0, False),
        ("words", 0, False),
    ]
    assert {row["argv_sha256"] for row in rows} == {words_sha256(PASS)}
    assert {row["recorded_by"] for row in rows} == {"builder"}
    path = Path(out.splitlines()[0].partition("output: ")[2])
    assert path.read_text() == "fine\n"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)


def test_what_fails_is_recorded_as_what_it_was(check, daemon, artifact):
    slow = {"argv": [sys.executable, "-c", "import time; time.sleep(60)"], "timeout_seconds": 1}
    code, out, _ = check(toml(links={"argv": ["no-such-program"]}, words=slow), "--json")
    document = json.loads(out)
    assert (code, document["ok"], document["passed"]) == (1, True, False)
    assert [(one["exit_code"], one["timed_out"]) for one in document["checks"]] == [(127, False), (None, True)]
    rows = recorded(daemon, artifact)
    assert [(row["name"], row["exit_code"], row["timed_out"]) for row in rows] == [
        ("links", 127, False),
        ("words", None, True),
    ]


def test_only_those_that_are_named_are_run_and_each_run_is_a_fact_of_its_own(check, daemon, artifact):
    text = toml(links={"argv": PASS}, other={"argv": PASS})
    for _ in range(2):
        assert check(text, "--validator", "other", "--validator", "other")[0] == 0
    assert [row["name"] for row in recorded(daemon, artifact)] == ["other", "other"]
    code, _, err = check(text, "--validator", "other", "--request-key", "turn-1")
    assert (code, "takes no --request-key" in err) == (2, True)


def test_a_validator_is_given_the_evidence_and_no_credential(check, tmp_path, monkeypatch):
    monkeypatch.setenv("LINKS_CACHE", "here")
    code = "import os, sys; data = open(os.environ['ARTIFACT_FILE'], 'rb').read(); assert data == b'41 links work\\n'\n"
    code += (
        "assert os.environ['LINKS_CACHE'] == 'here'; assert not [n for n in os.environ if n.startswith('FRONTSTAGE')]"
    )
    text = toml(links={"argv": [sys.executable, "-c", code], "env": ["LINKS_CACHE"]})
    assert check(text, "--validator", "links", "--file", str(tmp_path / "report.txt"))[0] == 0


@pytest.mark.parametrize(
    ("text", "flags", "said"),
    [
        ("[links", (), "is not TOML"),
        ("", (), "does not say what links, words means"),
        (toml(links={"argv": PASS}), (), "does not say what words means"),
        ("links = 7\nwords = 7", (), "is no table"),
        (toml(links={"argv": "true"}), ("--validator", "links"), "argv of [links]"),
        (toml(links={"argv": []}), ("--validator", "links"), "argv of [links]"),
        (toml(links={"argv": ["a\0b"]}), ("--validator", "links"), "argv of [links]"),
        (toml(links={"argv": ["x"] * 65}), ("--validator", "links"), "argv of [links]"),
        (toml(links={"argv": PASS, "timeout_seconds": 0}), ("--validator", "links"), "timeout_seconds of [links]"),
        (toml(links={"argv": PASS, "timeout_seconds": True}), ("--validator", "links"), "timeout_seconds of [links]"),
        (toml(links={"argv": PASS, "shell": True}), ("--validator", "links"), "has shell"),
        (toml(links={"argv": PASS, "env": ["FRONTSTAGE_TOKEN"]}), ("--validator", "links"), "none of Frontstage's own"),
        (toml(links={"argv": PASS}), ("--validator", "links", "--file", "/nowhere"), "cannot be read"),
    ],
)
def test_what_is_not_sound_is_refused_before_anything_is_run(check, daemon, artifact, text, flags, said):
    code, out, err = check(text, *flags)
    assert (code, out) == (2, "")
    assert said in err
    assert recorded(daemon, artifact) == []


def test_other_evidence_than_what_was_handed_in_is_refused_before_anything_is_run(check, daemon, artifact):
    code, out, err = check(toml(links={"argv": PASS}), "--validator", "links", "--file", __file__)
    assert (code, out, "is not what was handed in" in err) == (4, "", True)
    assert recorded(daemon, artifact) == []


def test_a_folder_or_an_artifact_that_is_not_there_is_refused(check, capfd):
    text = toml(links={"argv": PASS}, words={"argv": PASS})
    code, _, err = check(text, "--cwd=/nowhere")
    assert (code, "given twice" in err) == (2, True)
    words = ["--validators", "/x", "--cwd", "/"]
    assert run(["artifact", "check", "--goal-id", "docs", "--artifact-id", "art_999999", *words]) == 3
    assert "there is no artifact art_999999" in capfd.readouterr().err
    assert run(["artifact", "check", "--goal-id", "nowhere", "--artifact-id", "art_999999", *words]) == 3
    assert "There is no goal nowhere" in capfd.readouterr().err


def test_what_the_daemon_refuses_is_said_as_anywhere(check, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_wrong")
    code, out, err = check(toml(links={"argv": PASS}, words={"argv": PASS}))
    assert (code, out) == (5, "")
    assert err.strip()


def test_without_a_daemon_nothing_is_run(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_HOME", str(tmp_path))
    words = ["--goal-id", "docs", "--artifact-id", "art_000001", "--validators", "/x", "--cwd", "/", "--json"]
    assert run(["artifact", "check", *words]) == 7
    assert json.loads(capfd.readouterr().out)["code"] == "daemon_unreachable"


def test_it_stands_beside_what_the_daemon_does_with_artifacts(capfd):
    assert run(["artifact", "--help"]) == 0
    page = capfd.readouterr().out
    assert "\n  check " in page
    assert "\n  submit " in page
    assert run(["artifact", "check", "--help"]) == 0
    assert "exit code 127" in capfd.readouterr().out
