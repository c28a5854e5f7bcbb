"""`frontstage schema`, unknown settings, and homes whose socket could never be made: all without a daemon."""

import json

import pytest

from daemon.cli.main import run
from daemon.config import ConfigError, load
from daemon.paths import SOCKET_PATH_BYTES_MAX, Home
from ledger.catalogue import ACTIONS

VISIBLE = [action for action in ACTIONS.values() if not action.hidden]


@pytest.mark.parametrize("action", VISIBLE, ids=lambda action: action.name)
def test_every_action_has_a_schema_that_names_what_it_takes(capfd, action):
    assert run(["schema", action.name]) == 0
    schema = json.loads(capfd.readouterr().out)
    assert set(schema.get("properties", {})) == set(action.params.model_fields)
    assert set(schema.get("required", [])) == {
        name for name, field in action.params.model_fields.items() if field.is_required()
    }


def test_noun_and_verb_may_be_two_words(capfd):
    assert run(["schema", "todo", "claim", "--json"]) == 0
    assert "todo_id" in json.loads(capfd.readouterr().out)["properties"]


def test_all_actions_are_listed_but_hidden_ones(capfd):
    assert run(["schema", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    assert [row["action"] for row in listed["actions"]] == [action.name for action in VISIBLE]
    assert listed["total"] == len(VISIBLE)
    assert run(["schema"]) == 0
    assert [line.split()[0] for line in capfd.readouterr().out.splitlines()] == [action.name for action in VISIBLE]


@pytest.mark.parametrize("name", ["todo.fly", "workspace.create", "../etc", "todo"])
def test_no_such_action_is_wrong_usage(capfd, name):
    assert run(["schema", name]) == 2
    assert name in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "named"),
    [("[deamon]\n", "deamon"), ("[daemon]\nlog_lvl = 'INFO'\n", "daemon.log_lvl"), ("level = 1\n", "level")],
)
def test_a_setting_nobody_reads_is_named_and_refused(tmp_path, text, named):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=rf"config\.toml: {named}: nothing is called so"):
        load(Home(str(tmp_path)))


def test_the_sections_of_the_bot_are_known(tmp_path):
    (tmp_path / "config.toml").write_text("[lark]\napp_id = 'cli_1'\nother = 1\n[bot]\nlocale = 'zh'\n")
    assert load(Home(str(tmp_path))).lark.app_id == "cli_1"


def test_a_home_whose_socket_path_is_too_long_is_refused_and_not_made(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("FRONTSTAGE_SOCKET", raising=False)
    home = tmp_path / ("h" * SOCKET_PATH_BYTES_MAX)
    assert run(["init", "--home", str(home), "--json"]) == 2
    assert "socket_path_too_long" in "".join(capfd.readouterr())
    assert not home.exists()
