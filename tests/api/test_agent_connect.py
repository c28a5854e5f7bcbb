"""`frontstage agent connect`: a member, a private credential, and files that their runtimes read, with nothing lost."""

import dataclasses
import json
import stat
import tomllib

import jsonschema
import pytest

from daemon.agents.config_text import NotOurShape
from daemon.agents.runtimes import FILES, Connection, checked, digest_of
from daemon.agents.shape_check import problems, schema_named
from tests.api.agent_home import place_in

RUNTIMES = ("claude-code", "codex", "generic")
THEIRS = {
    ".mcp.json": '{"mcpServers": {"other": {"command": "npx", "args": ["-y", "x"]}}, "more": [1, 2.5, null]}',
    ".claude/settings.json": json.dumps(
        {
            "model": "opus",
            "hooks": {
                "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
                "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "look"}]}],
            },
        }
    ),
    ".codex/config.toml": '# mine\nmodel = "x"  # and this\n\n[mcp_servers.other]\ncommand = "npx"  # kept\n\n'
    "[features]\n# kept too\nweb_search_request = true\n",
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}',
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with place_in(tmp_path_factory.mktemp("connect")) as found:
        yield found


@pytest.fixture
def agent(place, request):
    """A new agent's name for each test."""
    number = len(place.owner.read("member.list").body["members"])
    return f"agent-{number}"


def connect(place, runtime, agent, *more):
    return place.run("agent", "connect", runtime, "--agent-id", agent, "--goal-id", "docs", *more)


def text_of(folder, file):
    return (folder / file.path).read_text(encoding="utf-8")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_it_makes_a_member_a_private_credential_and_files_as_documented(place, agent, tmp_path, runtime):
    ran = connect(place, runtime, agent, "--write", str(tmp_path), "--json")
    assert ran.code == 0, ran.err
    (member,) = [one for one in place.owner.read("member.list").body["members"] if one["member_id"] == agent]
    assert (member["kind"], member["goals"]) == ("agent", ["docs"])
    token = place.home / "agents" / f"{agent}.token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(token.parent.stat().st_mode) == 0o700
    secret = token.read_text().strip()
    assert secret not in ran.out + ran.err
    assert place.agent(agent).read("agent.inbox", {"goal_id": "docs"}).body["agent_id"] == agent
    for file in FILES[runtime]:
        text = text_of(tmp_path, file)
        assert secret not in text
        document = tomllib.loads(text) if file.path.endswith(".toml") else json.loads(text)
        jsonschema.validate(document, schema_named(file.schema))
    binding = place.binding(agent)
    assert (binding["state"], binding["because"]) == ("untested", "never_qualified")
    assert binding["config_sha256"] == ran.document["config_sha256"]


def test_the_credential_is_good_for_its_goals_and_ends(place, agent, tmp_path):
    connect(place, "generic", agent, "--ttl-days", "2", "--write", str(tmp_path))
    (token,) = place.owner.read("token.list", {"member_id": agent}).body["tokens"]
    assert token["goal_ids"] == ["docs"]
    assert token["expires_at"] is not None
    assert place.agent(agent).read("goal.list").code == "token_scope_forbids"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_same_again_changes_nothing_at_all(place, agent, tmp_path, runtime):
    connect(place, runtime, agent, "--write", str(tmp_path))
    before = {file.path: text_of(tmp_path, file) for file in FILES[runtime]}
    seq = place.owner.read("status.show").seq
    again = connect(place, runtime, agent, "--write", str(tmp_path))
    assert (again.code, place.owner.read("status.show").seq) == (0, seq)
    assert {file.path: text_of(tmp_path, file) for file in FILES[runtime]} == before
    assert "written" not in again.out


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_what_was_in_the_files_stays_and_comes_back_when_ours_is_removed(place, agent, tmp_path, runtime):
    for file in FILES[runtime]:
        (tmp_path / file.path).parent.mkdir(exist_ok=True)
        (tmp_path / file.path).write_text(THEIRS[file.path])
    assert connect(place, runtime, agent, "--write", str(tmp_path)).code == 0
    for file in FILES[runtime]:
        text = text_of(tmp_path, file)
        assert "frontstage" in text
        assert "other" in text or "say done" in text
    if runtime == "codex":
        text = (tmp_path / ".codex/config.toml").read_text()
        assert all(comment in text for comment in ("# mine", "# and this", "# kept", "# kept too"))
    assert place.run("agent", "connect", runtime, "--agent-id", agent, "--remove").code == 0
    for file in FILES[runtime]:
        text, theirs = text_of(tmp_path, file), THEIRS[file.path]
        if file.path.endswith(".toml"):
            assert (text, tomllib.loads(text)) == (theirs, tomllib.loads(theirs))
        else:
            assert json.loads(text) == json.loads(theirs)


def test_removing_ends_the_credential_and_the_binding_and_keeps_the_member(place, agent, tmp_path):
    connect(place, "claude-code", agent, "--write", str(tmp_path))
    client = place.agent(agent)
    assert place.run("agent", "connect", "claude-code", "--agent-id", agent, "--remove").code == 0
    assert client.read("agent.inbox", {"goal_id": "docs"}).code == "credential_revoked"
    assert place.binding(agent) is None
    assert not list((place.home / "agents").glob(f"{agent}.*"))
    assert not (tmp_path / ".mcp.json").exists()
    again = place.run("agent", "connect", "claude-code", "--agent-id", agent, "--remove", "--json")
    assert (again.code, again.document["code"]) == (1, "agent_not_bound")


@pytest.mark.parametrize(
    ("runtime", "path", "text"),
    [
        ("claude-code", ".mcp.json", '{"mcpServers": {'),
        ("claude-code", ".mcp.json", '{"mcpServers": [1]}'),
        ("claude-code", ".mcp.json", '{"a": 1, "a": 2}'),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": "x"}}'),
        ("claude-code", ".claude/settings.json", '// comments are not JSON\n{"hooks": {}}'),
        ("codex", ".codex/config.toml", "[mcp_servers\n"),
        ("codex", ".codex/config.toml", 'mcp_servers = { frontstage = { command = "x" } }\n'),
        ("codex", ".codex/config.toml", "[features]\ncodex_hooks = false\n"),
        ("codex", ".codex/hooks.json", "[]"),
        ("claude-code", ".mcp.json", '{"half": "\\ud800"}'),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": [{"hooks": 7}]}}'),
        (
            "codex",
            ".codex/hooks.json",
            json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "agent hook turn-end '"}]}]}}),
        ),
        ("generic", "frontstage.agent.json", "notes of mine"),
        ("generic", "frontstage.agent.json", '{"mine": 1}'),
    ],
)
def test_a_file_that_only_a_person_can_change_is_refused_before_anything_is_made(
    place, agent, tmp_path, runtime, path, text
):
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    seq = place.owner.read("status.show").seq
    ran = connect(place, runtime, agent, "--write", str(tmp_path), "--json")
    assert (ran.code, ran.document["code"]) == (2, "config_malformed")
    assert (tmp_path / path).read_text() == text
    assert place.owner.read("status.show").seq == seq
    assert not (place.home / "agents" / f"{agent}.token").exists()


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_one_folder_connects_one_agent_under_our_name(place, agent, tmp_path, runtime):
    connect(place, runtime, agent, "--write", str(tmp_path))
    before = {file.path: text_of(tmp_path, file) for file in FILES[runtime]}
    other = connect(place, runtime, f"{agent}-b", "--write", str(tmp_path), "--json")
    assert (other.code, other.document["code"]) == (2, "config_malformed")
    assert agent in other.document["message"]
    assert {file.path: text_of(tmp_path, file) for file in FILES[runtime]} == before
    for file in FILES[runtime][:1]:
        with pytest.raises(NotOurShape):
            file.take(before[file.path], f"{agent}-b")


def test_a_comment_behind_our_table_is_somebodys_and_stays():
    (file, _), connection = FILES["codex"], _connection_of("codex")
    theirs = "[features]\ncodex_hooks = true\n"
    more = "\n# about the other one\n\n[mcp_servers.other]\ncommand = 'x'\n"
    text = file.put(theirs, connection) + more
    assert file.take(text, connection.agent_id) == theirs + more
    changed = dataclasses.replace(connection, socket="/elsewhere")
    assert more.strip() in file.put(text, changed)
    at_the_end = file.put(theirs, connection) + "# to do: another one\n"
    assert "# to do: another one" in file.take(at_the_end, connection.agent_id)


@pytest.mark.parametrize(
    "theirs",
    [
        "",
        'model = "x"\n',
        "[features]\n",
        "[features] # mine\nweb_search_request = true\n",
        "[features]\ncodex_hooks = true\n",
        'model = "x"\n\n[features]\ncodex_hooks = true # mine\n',
    ],
)
def test_a_flag_is_taken_back_by_whoever_set_it(theirs):
    (file, _), connection = FILES["codex"], _connection_of("codex")
    text = file.put(theirs, connection)
    again = file.put(text, dataclasses.replace(connection, socket="/elsewhere"))
    assert tomllib.loads(again)["features"]["codex_hooks"] is True
    assert file.take(text, connection.agent_id) == theirs
    assert file.take(again, connection.agent_id) == theirs
    with_more = again.replace("[features]", "[features]\nshell_snapshot = true", 1)
    left = tomllib.loads(file.take(with_more, connection.agent_id))["features"]
    assert left == {**tomllib.loads(theirs).get("features", {}), "shell_snapshot": True}


def _connection_of(runtime):
    return Connection(
        runtime=runtime, agent_id="builder", program=("frontstage",), goals=("docs",), socket="/s", token_file="/t"
    )


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_without_a_folder_the_files_are_printed_and_nothing_is_written(place, agent, tmp_path, runtime):
    ran = place.run("agent", "connect", runtime, "--agent-id", agent, "--goal-id", "docs")
    assert ran.code == 0
    assert all(f"--- {file.path}" in ran.out for file in FILES[runtime])
    assert "untested" in ran.out
    assert not list(tmp_path.iterdir())


def test_the_credential_is_printed_where_it_is_asked_for(place, agent):
    ran = connect(place, "generic", agent, "--show-token")
    secret = (place.home / "agents" / f"{agent}.token").read_text().strip()
    assert f"secret: {secret}" in ran.out


@pytest.mark.parametrize(
    ("made", "code"),
    [
        ({"kind": "person", "display_name": "P"}, "not_an_agent"),
        ({"kind": "agent", "display_name": "A", "goal_id": ["elsewhere"]}, "goal_not_granted"),
    ],
)
def test_a_member_that_is_there_is_never_changed(place, agent, made, code):
    place.owner.act("member.add", {"member_id": agent, **made})
    seq = place.owner.read("status.show").seq
    ran = connect(place, "generic", agent, "--json")
    assert (ran.code, ran.document["code"]) == (1, code)
    assert place.owner.read("status.show").seq == seq


def test_a_member_that_is_there_and_may_is_connected_as_it_is(place, agent):
    place.owner.act("member.add", {"member_id": agent, "kind": "agent", "display_name": "Mine"})
    assert connect(place, "generic", agent, "--display-name", "Other").code == 0
    (member,) = [one for one in place.owner.read("member.list").body["members"] if one["member_id"] == agent]
    assert member["display_name"] == "Mine"


def test_another_scope_of_goals_gets_another_credential_and_the_old_one_ends(place, agent):
    place.owner.act("member.add", {"member_id": agent, "kind": "agent", "display_name": "Mine"})
    connect(place, "generic", agent)
    before = place.agent(agent)
    assert place.run("agent", "connect", "generic", "--agent-id", agent).code == 0
    assert before.read("agent.inbox", {"goal_id": "docs"}).code == "credential_revoked"
    assert place.agent(agent).read("goal.list").ok
    assert place.binding(agent)["state"] == "untested"


@pytest.mark.parametrize("name", ["../owner", "a/b", "Agent X", "", "x" * 81])
def test_a_name_that_is_no_members_id_is_refused_before_it_is_a_files(place, name):
    seq = place.owner.read("status.show").seq
    assert place.run("agent", "connect", "generic", "--agent-id", name).code == 2
    assert place.run("agent", "qualify", "--agent-id", name).code == 2
    assert place.owner.read("status.show").seq == seq


def test_a_goal_that_is_not_there_is_refused_before_anything_is_made(place, agent):
    seq = place.owner.read("status.show").seq
    ran = place.run("agent", "connect", "generic", "--agent-id", agent, "--goal-id", "nowhere", "--json")
    assert (ran.code, ran.document["code"]) == (3, "goal_not_found")
    assert place.owner.read("status.show").seq == seq
    assert not list((place.home / "agents").glob(f"{agent}*"))


def test_an_agent_is_connected_in_one_place_so_that_nothing_goes_on_working_unseen(place, agent, tmp_path):
    connect(place, "claude-code", agent, "--write", str(tmp_path))
    for runtime, more in (
        ("codex", ("--write", str(tmp_path))),
        ("claude-code", ()),
        ("claude-code", ("--write", "/")),
    ):
        ran = connect(place, runtime, agent, *more, "--json")
        assert (ran.code, ran.document["code"]) == (1, "connected_elsewhere")
    assert place.run("agent", "connect", "claude-code", "--agent-id", agent, "--remove").code == 0
    assert connect(place, "codex", agent, "--write", str(tmp_path)).code == 0


def test_a_variable_of_ours_or_one_that_is_not_set_is_not_passed_on(place, agent):
    assert connect(place, "generic", agent, "--env", "FRONTSTAGE_TOKEN").code == 2
    assert connect(place, "generic", agent, "--env", "NOT_SET_ANYWHERE").code == 2


@pytest.mark.parametrize(("more", "mode"), [((), 0o644), (("--env", "PATH"), 0o600)])
def test_a_new_file_that_holds_what_was_passed_on_is_for_its_owner_alone(place, agent, tmp_path, more, mode):
    assert connect(place, "claude-code", agent, "--write", str(tmp_path), *more).code == 0
    assert stat.S_IMODE((tmp_path / ".mcp.json").stat().st_mode) == mode


CONNECTION = Connection(
    runtime="codex", agent_id="builder", program=("/opt/front stage/bin/frontstage",), goals=("docs",),
    socket="/run/a b/daemon.sock", token_file="/home/x/.frontstage/agents/builder.token",
    variables={"QUOTED": 'say "hi" \\ 目标'},
)  # fmt: skip


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("number", range(2))
def test_our_part_reads_back_as_it_was_meant_whatever_stands_in_it(runtime, number):
    connection = Connection(**{**CONNECTION.__dict__, "runtime": runtime})
    found = {}
    for file in FILES[runtime]:
        text = file.put(THEIRS.get(file.path, "") if number and runtime != "generic" else "", connection)
        found |= file.read(checked(file, text))
    assert digest_of({"runtime": runtime, "agent_id": "builder", **found}) == connection.sha256


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_our_small_reader_of_schemas_says_what_a_whole_one_says(runtime):
    connection = Connection(**{**CONNECTION.__dict__, "runtime": runtime})
    for file in FILES[runtime]:
        schema = schema_named(file.schema)
        text = file.put("", connection)
        document = tomllib.loads(text) if file.path.endswith(".toml") else json.loads(text)
        assert problems(document, schema) == []
        jsonschema.validate(document, schema)
        for broken in broken_ways(document):
            whole = not list(jsonschema.Draft202012Validator(schema).iter_errors(broken))
            assert (problems(broken, schema) == []) == whole, broken


def broken_ways(document, path=()):
    """The document with one value after another replaced, or gone."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for name, value in items:
        for other in (None, 0, "", [], {}, [{}], {"x": {}}):
            yield replaced(document, name, other)
        if isinstance(document, dict):
            yield {key: one for key, one in document.items() if key != name}
        if isinstance(value, dict | list):
            for inner in broken_ways(value):
                yield replaced(document, name, inner)


def replaced(document, name, value):
    twin = dict(document) if isinstance(document, dict) else list(document)
    twin[name] = value
    return twin


def test_a_configuration_that_its_runtime_would_not_read_is_not_written():
    file = FILES["claude-code"][1]
    with pytest.raises(NotOurShape):
        checked(file, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ""}]}]}}')
