"""`frontstage schema`, unknown settings, and homes whose socket could never be made: all without a daemon."""

import json

import pytest

from bot import config as bot_config
from daemon import doctor
from daemon.cli.main import run
from daemon.config import BotSection, ConfigError, LarkSection, load
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
    [
        ("[deamon]\n", "deamon"),
        ("[daemon]\nlog_lvl = 'INFO'\n", "daemon.log_lvl"),
        ("level = 1\n", "level"),
        ("[lark]\napp_id = 'cli_1'\nlokale = 'zh'\n", "lark.lokale"),
        ("[bot]\nlog_lvl = 'INFO'\n", "bot.log_lvl"),
    ],
)
def test_a_setting_nobody_reads_is_named_and_refused(tmp_path, text, named):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=rf"config\.toml: {named}: nothing is called so"):
        load(Home(str(tmp_path)))


def test_what_the_bot_reads_is_known_and_its_secret_is_not_kept(tmp_path):
    text = "[lark]\napp_id = 'cli_1'\napp_secret = 'hush'\nlocale = 'zh'\n[bot]\nlog_level = 'INFO'\n"
    (tmp_path / "config.toml").write_text(text)
    found = load(Home(str(tmp_path)))
    assert found.lark.app_id == "cli_1"
    assert "hush" not in repr(found)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(LarkSection, bot_config.LarkSection), (BotSection, bot_config.BotSection)]
)
def test_the_keys_that_the_bot_reads_are_those_that_it_knows(ours, theirs):
    assert ours.read_by_the_bot | ours.model_fields.keys() == theirs.model_fields.keys()


def test_doctor_names_a_setting_nobody_reads(tmp_path):
    (tmp_path / "config.toml").write_text("[bot]\nlog_lvl = 'INFO'\n")
    (finding,) = [one for one in doctor._lark(Home(str(tmp_path))) if one.level == "fail"]
    assert "bot.log_lvl" in finding.said


def test_a_home_whose_socket_path_is_too_long_is_refused_and_not_made(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("FRONTSTAGE_SOCKET", raising=False)
    home = tmp_path / ("h" * SOCKET_PATH_BYTES_MAX)
    assert run(["init", "--home", str(home), "--json"]) == 2
    assert "socket_path_too_long" in "".join(capfd.readouterr())
    assert not home.exists()
