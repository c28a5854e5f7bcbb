"""`frontstage agent qualify`: what is configured is run as it is written, and only what was seen is on record."""

import json
import shlex
import stat
import sys

import pytest

from daemon.agents.program_words import program_words
from daemon.cli.parse import UsageError
from tests.api.agent_home import GOAL, place_in

ALL = {
    "process_started", "protocol", "identity", "packet_read", "write_path",
    "hook_turn_start", "hook_tool_use", "hook_turn_end", "runtime_turn",
}  # fmt: skip
PROBES = """import os, subprocess, sys
words = ["agent", "probe", "--challenge", os.environ["FRONTSTAGE_CHALLENGE"]]
goal = os.environ.get("FRONTSTAGE_GOAL_ID")
sys.exit(subprocess.call([sys.argv[1], *words, *(["--goal-id", goal] if goal else [])]))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with place_in(tmp_path_factory.mktemp("qualify")) as found:
        yield found


@pytest.fixture
def agent(place):
    return f"agent-{len(place.owner.read('member.list').body['members'])}"


@pytest.fixture
def connected(place, agent, tmp_path):
    def make(runtime="generic", *more):
        words = ["--agent-id", agent, "--goal-id", "docs", "--write", str(tmp_path), *more]
        ran = place.run("agent", "connect", runtime, *words)
        assert ran.code == 0, ran.err
        return agent

    return make


@pytest.fixture
def turn(place, tmp_path):
    """A program that does what a runtime would: it writes its challenge back by what it finds in its environment."""
    script = tmp_path / "turn.py"
    script.write_text(PROBES)
    return shlex.join([sys.executable, str(script), str(place.bin / "frontstage")])


def qualify(place, agent, *more, **variables):
    ran = place.run("agent", "qualify", agent, "--json", *more, **variables)
    facts = {row["fact"]: row for row in ran.document.get("facts", [])}
    return ran, {fact: row["state"] for fact, row in facts.items()}, facts


def test_all_of_it_is_proven_by_a_real_turn_and_changes_no_goal(place, connected, turn):
    agent = connected()
    before = place.owner.read("goal.show", GOAL).body["quota"]
    runs = place.owner.read("run.list", GOAL).body["runs"]
    ran, states, _ = qualify(place, agent, "--exec", turn)
    assert states == dict.fromkeys(ALL, "proven"), ran.out
    assert (ran.code, ran.document["state"], ran.document["ok"]) == (0, "qualified", True)
    binding = place.binding(agent)
    assert (binding["state"], {one["kind"] for one in binding["proven"]}) == ("qualified", ALL)
    assert binding["probes_sha256"] == []
    assert place.owner.read("goal.show", GOAL).body["quota"] == before
    assert place.owner.read("run.list", GOAL).body["runs"] == runs


@pytest.mark.parametrize(("runtime", "program"), [("claude-code", "claude"), ("codex", "codex"), ("generic", "--exec")])
def test_without_the_runtimes_program_the_connection_is_proven_and_the_runtime_untested(
    place, connected, runtime, program
):
    agent = connected(runtime)
    ran, states, facts = qualify(place, agent)
    assert states == dict.fromkeys(ALL - {"runtime_turn"}, "proven") | {"runtime_turn": "not_proven"}
    assert program in facts["runtime_turn"]["why"]
    assert (ran.code, ran.document["state"], ran.document["because"]) == (1, "untested", "runtime_not_run")
    assert "untested" in place.run("agent", "list", "--agent-id", agent).out
    assert "untested" in place.run("member", "show", "--agent-id", agent).out


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_the_runtimes_own_program_is_run_with_its_configuration_and_a_bounded_prompt(
    place, connected, tmp_path, runtime, monkeypatch
):
    """A stand-in under the runtime's name takes the documented flags and writes the challenge that is in the prompt."""
    monkeypatch.setenv("KEY_OF_SOMEBODY", "is-secret-to-others")
    agent = connected(runtime, "--env", "KEY_OF_SOMEBODY")
    monkeypatch.delenv("KEY_OF_SOMEBODY")
    name = {"claude-code": "claude", "codex": "codex"}[runtime]
    stand_in = place.bin / name
    stand_in.write_text(
        f"#!{sys.executable}\nimport json, re, subprocess, sys\nwords = sys.argv[1:]\n"
        f"json.dump(words, open({str(tmp_path / 'words.json')!r}, 'w'))\n"
        f"import os; json.dump(dict(os.environ), open({str(tmp_path / 'env.json')!r}, 'w'))\n"
        "prompt = next(word for word in words if 'agent.probe' in word)\n"
        'challenge, goal = re.search(r\'"challenge": "(\\w+)", "goal_id": "(\\w+)"\', prompt).groups()\n'
        f"env = {{'FRONTSTAGE_SOCKET': {place.daemon.socket!r}, 'PATH': '/usr/bin:/bin', "
        f"'FRONTSTAGE_TOKEN_FILE': {str(place.home / 'agents' / f'{agent}.token')!r}}}\n"
        f"probe = [{str(place.bin / 'frontstage')!r}, 'agent', 'probe', '--challenge', challenge, '--goal-id', goal]\n"
        "sys.exit(subprocess.call(probe, env=env))\n"
    )
    stand_in.chmod(0o755)
    try:
        ran, states, facts = qualify(place, agent)
    finally:
        stand_in.unlink()
    assert (ran.code, states["runtime_turn"]) == (0, "proven"), facts["runtime_turn"]
    words = json.loads((tmp_path / "words.json").read_text())
    # Everybody on a machine can read a command line.
    assert not any("is-secret-to-others" in word for word in words)
    if runtime == "claude-code":
        assert words[0] == "-p"
        assert {"--mcp-config", "--strict-mcp-config", "--allowedTools", "--max-turns"} <= {*words}
    else:
        assert words[0] == "exec"
        assert any(word.startswith("mcp_servers.frontstage.command=") for word in words)
        assert 'mcp_servers.frontstage.env_vars=["KEY_OF_SOMEBODY"]' in words
        assert json.loads((tmp_path / "env.json").read_text())["KEY_OF_SOMEBODY"] == "is-secret-to-others"


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_a_program_in_a_runtimes_place_does_not_prove_the_runtime(place, connected, turn, runtime):
    ran, states, facts = qualify(place, connected(runtime), "--exec", turn)
    assert (ran.code, states["runtime_turn"], ran.document["state"]) == (1, "not_proven", "untested")
    assert "in its place" in facts["runtime_turn"]["why"]


def test_a_runtime_that_only_says_it_wrote_proves_nothing(place, connected):
    agent = connected()
    ran, states, facts = qualify(place, agent, "--exec", shlex.join([sys.executable, "-c", "print('I wrote it')"]))
    assert (ran.code, states["runtime_turn"], ran.document["because"]) == (1, "failed", "proof_failed")
    log = place.home / "agents" / f"{agent}.qualify.log"
    assert (log.read_text(), stat.S_IMODE(log.stat().st_mode)) == ("I wrote it\n", 0o600)
    assert str(log) in facts["runtime_turn"]["why"]


def test_a_runtime_that_does_not_end_is_ended(place, connected):
    agent = connected()
    hangs = shlex.join([sys.executable, "-c", "import select; select.select([], [], [], 600)"])
    _, states, facts = qualify(place, agent, "--exec", hangs, "--timeout-seconds", "1")
    assert states["runtime_turn"] == "failed"
    assert "within 1 seconds" in facts["runtime_turn"]["why"]


def test_another_agents_credential_proves_nothing_of_this_binding(place, connected, turn, tmp_path):
    agent = connected()
    other = f"{agent}-b"
    assert place.run("agent", "connect", "generic", "--agent-id", other, "--goal-id", "docs").code == 0
    token = (place.home / "agents" / f"{other}.token").read_text()
    (place.home / "agents" / f"{agent}.token").write_text(token)
    ran, states, facts = qualify(place, agent, "--exec", turn)
    assert ran.document["state"] == "untested"
    assert states["identity"] == "failed", facts
    assert states["runtime_turn"] == "failed"


@pytest.mark.parametrize(
    ("command", "fact"),
    [("/nowhere/at/all", "process_started"), (sys.executable, "protocol")],
)
def test_a_program_that_is_not_there_or_speaks_no_protocol_is_told_apart(place, connected, tmp_path, command, fact):
    agent = connected()
    file = tmp_path / "frontstage.agent.json"
    document = json.loads(file.read_text())
    document["mcp"] |= {"command": command, "args": ["-c", "print('hello')"]}
    file.write_text(json.dumps(document))
    ran, states, facts = qualify(place, agent, "--no-runtime")
    assert states[fact] == "failed", facts
    assert states["write_path"] == "not_proven"
    assert (ran.code, ran.document["because"]) == (1, "proof_failed")


def test_a_configuration_that_was_changed_by_hand_is_untested_and_run_as_it_is(place, connected, turn, tmp_path):
    agent = connected()
    assert qualify(place, agent, "--exec", turn)[0].code == 0
    before = place.binding(agent)["config_sha256"]
    file = tmp_path / "frontstage.agent.json"
    document = json.loads(file.read_text())
    document["hooks"]["turn-end"] = [sys.executable, "-c", "import sys; sys.exit('no')"]
    file.write_text(json.dumps(document))
    ran, states, _ = qualify(place, agent, "--exec", turn)
    assert (states["hook_turn_end"], ran.document["state"]) == ("failed", "untested")
    assert place.binding(agent)["config_sha256"] != before


def test_connecting_again_with_something_else_makes_it_untested(place, connected, turn):
    agent = connected()
    assert qualify(place, agent, "--exec", turn)[0].code == 0
    connected("generic", "--env", "PATH")
    binding = place.binding(agent)
    assert (binding["state"], binding["because"], binding["proven"]) == ("untested", "configuration_changed", [])


def test_a_credential_that_was_replaced_makes_it_untested(place, connected, turn):
    agent = connected()
    assert qualify(place, agent, "--exec", turn)[0].code == 0
    token_id = place.binding(agent)["token_id"]
    place.owner.act("token.rotate", {"token_id": token_id, "secret_digest": "e" * 64, "grace_seconds": 3600})
    assert place.binding(agent)["because"] == "credential_rotated"


def test_who_is_not_connected_is_not_qualified(place):
    ran = place.run("agent", "qualify", "nobody", "--json")
    assert (ran.code, ran.document["code"]) == (1, "agent_not_bound")


def test_a_hook_that_cannot_ask_is_no_proof(place, connected, tmp_path):
    agent = connected()
    file = tmp_path / "frontstage.agent.json"
    document = json.loads(file.read_text())
    words = document["hooks"]["turn-start"]
    document["hooks"]["turn-start"] = ["/nowhere/daemon.sock" if w.endswith("daemon.sock") else w for w in words]
    file.write_text(json.dumps(document))
    _, states, facts = qualify(place, agent, "--no-runtime")
    assert (states["hook_turn_start"], states["hook_tool_use"]) == ("failed", "proven")
    assert "could not ask" in facts["hook_turn_start"]["why"]


@pytest.mark.parametrize("program", ["pass", "import os; print(os.environ['FRONTSTAGE_CHALLENGE'])"])
def test_a_program_that_is_no_hook_proves_none(place, connected, tmp_path, program):
    agent = connected()
    file = tmp_path / "frontstage.agent.json"
    document = json.loads(file.read_text())
    document["hooks"] = {event: [sys.executable, "-c", program] for event in document["hooks"]}
    document["hooks"]["turn-start"][-1] += "; print('Begin.')"
    file.write_text(json.dumps(document))
    _, states, facts = qualify(place, agent, "--no-runtime")
    hooks = ("hook_turn_start", "hook_tool_use", "hook_turn_end")
    assert {states[fact] for fact in hooks} == {"failed"}
    assert all("did not write back" in facts[fact]["why"] for fact in hooks)


@pytest.mark.parametrize("text", ["python3 'turn.py", "", "   ", "''"])
def test_a_text_that_names_no_program_is_an_error_of_use(text):
    with pytest.raises(UsageError) as error:
        program_words(text, "planner")
    assert (error.value.field, "--planner" in error.value.message) == ("planner", True)


def test_a_command_that_cannot_be_read_is_an_error_of_use_and_runs_nothing(place, connected):
    agent = connected()
    seq = place.owner.read("status.show").seq
    ran = place.run("agent", "qualify", agent, "--json", "--exec", "python3 'turn.py")
    assert (ran.code, ran.document["details"].get("field")) == (2, "exec"), ran.out + ran.err
    assert place.owner.read("status.show").seq == seq


def test_the_doctor_says_untested_and_what_is_not_as_it_was(place, connected, turn, tmp_path):
    agent = connected()

    def told():
        findings = place.run("doctor", "--json").document["findings"]
        return next(f for f in findings if f["subject"] == "bindings" and f["said"].startswith(agent))

    assert (told()["level"], "untested (never_qualified)" in told()["said"]) == ("warn", True)
    qualify(place, agent, "--exec", turn)
    assert told()["level"] == "ok"
    file = tmp_path / "frontstage.agent.json"
    file.write_text(file.read_text().replace("turn-end", "turn-end-", 1))
    assert "is not what was recorded" in told()["said"]
    (place.home / "agents" / f"{agent}.token").unlink()
    assert told()["level"] == "fail"


def test_the_answer_for_a_person_names_each_fact_and_the_word(place, connected):
    agent = connected()
    ran = place.run("agent", "qualify", agent, "--no-runtime")
    lines = ran.out.splitlines()
    assert len(lines) == len(ALL) + 1
    assert lines[-1] == f"{agent}: untested (runtime_not_run)"
    assert "runtime_turn: not proven (as asked)" in lines
