"""Settings of hooks: what cannot work is refused at the start, and said without what may be secret."""

import pytest
from pydantic import ValidationError

from daemon import config
from daemon.config import ConfigError
from daemon.hook_settings import HOOKS_MAX, HookSection
from daemon.paths import Home

COMMAND = {"name": "build", "command": ["true"]}
URL = {"name": "chat", "url": "https://hooks.example.org/in", "secret_file": "chat.secret"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "build"}, "either a command or a url"),
        ({**COMMAND, "url": "https://x.example"}, "either a command or a url"),
        ({**COMMAND, "name": "Build"}, "pattern"),
        ({**COMMAND, "command": []}, "at least 1"),
        ({**COMMAND, "command": [""]}, "at least 1"),
        ({**COMMAND, "command": "rm -rf /"}, "valid tuple"),
        ({**COMMAND, "kinds": ["goal.confirmd"]}, "no kind of event"),
        ({**COMMAND, "kinds": ["nothing.*"]}, "no kind of event"),
        ({**COMMAND, "goals": ["Docs!"]}, "no id of a goal"),
        ({**COMMAND, "env": ["FRONTSTAGE_TOKEN"]}, "no variable that may be passed on"),
        ({**COMMAND, "env": ["A=B"]}, "no variable that may be passed on"),
        ({**COMMAND, "secret_file": "s"}, "are for a url"),
        ({**COMMAND, "headers": {"X-A": "b"}}, "are for a url"),
        ({**COMMAND, "timeout_seconds": 0}, "greater than 0"),
        ({**COMMAND, "timeout_seconds": 601}, "less than or equal"),
        ({**COMMAND, "attempts": 0}, "greater than or equal"),
        ({**COMMAND, "from": -1}, "greater than or equal"),
        ({**COMMAND, "from": "yesterday"}, "'now' or 'start'"),
        ({**COMMAND, "shell": True}, "Extra inputs"),
        ({**URL, "secret_file": None}, "needs a secret_file"),
        ({**URL, "url": "http://hooks.example.org/in"}, "must begin with https://"),
        ({**URL, "url": "https://"}, "must begin with https://"),
        ({**URL, "url": "https://ann:pw@hooks.example.org"}, "no user and no password"),
        ({**URL, "url": "https://hooks.example.org/#x"}, "no fragment"),
        ({**URL, "url": "https://hooks.example.org:port/"}, "Port"),
        ({**URL, "url": "https://hooks.example.org/a b"}, "printable ASCII"),
        ({**URL, "url": "https://hooks.example.org/a\r\nX: y"}, "printable ASCII"),
        ({**URL, "headers": {"Host": "x"}}, "no header that may be set"),
        ({**URL, "headers": {"frontstage-signature": "x"}}, "no header that may be set"),
        ({**URL, "headers": {"X-A": "a\r\nb"}}, "not one line"),
        ({**URL, "env": ["HOME"]}, "env is for a command"),
    ],
)
def test_what_cannot_work_is_refused(given, said):
    with pytest.raises(ValidationError) as refused:
        HookSection.model_validate(given)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("given", "kind", "goal_id", "asked"),
    [
        ({}, "goal.confirmed", "docs", True),
        ({}, "member.added", None, True),
        ({"kinds": ["goal.confirmed"]}, "goal.confirmed", "docs", True),
        ({"kinds": ["goal.confirmed"]}, "goal.declined", "docs", False),
        ({"kinds": ["gate.*", "goal.confirmed"]}, "gate.opened", "docs", True),
        ({"kinds": ["gate.*"]}, "goal.confirmed", "docs", False),
        ({"goals": ["docs"]}, "goal.confirmed", "docs", True),
        ({"goals": ["docs"]}, "goal.confirmed", "other", False),
        ({"goals": ["docs"]}, "member.added", None, False),
        ({"goals": ["docs"], "kinds": ["todo.*"]}, "goal.confirmed", "docs", False),
    ],
)
def test_a_hook_is_told_of_what_it_asks_for(given, kind, goal_id, asked):
    assert HookSection.model_validate({**COMMAND, **given}).asks_for(kind, goal_id) is asked


def test_what_is_shown_of_a_target_is_no_secret():
    command = HookSection.model_validate({**COMMAND, "command": ["/opt/tools/tell.py", "--password", "hunter2"]})
    url = HookSection.model_validate({**URL, "url": "https://hooks.example.org:8443/T0/B0/a-secret?key=b"})
    assert (command.target, url.target) == ("tell.py", "https://hooks.example.org")


def settings_of(folder, text):
    home = Home(str(folder))
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return config.load(home)


def test_the_settings_name_each_hook_once(tmp_path):
    one = '[[hooks]]\nname = "build"\ncommand = ["true"]\n'
    assert [hook.name for hook in settings_of(tmp_path, one).hooks] == ["build"]
    with pytest.raises(ConfigError, match="two hooks have one name"):
        settings_of(tmp_path, one * 2)
    many = "".join(one.replace("build", f"build{number}") for number in range(HOOKS_MAX + 1))
    with pytest.raises(ConfigError, match="hooks"):
        settings_of(tmp_path, many)


def test_a_bad_address_is_not_repeated(tmp_path):
    text = '[[hooks]]\nname = "chat"\nsecret_file = "s"\nurl = "http://hooks.example.org/T0/very-secret"\n'
    with pytest.raises(ConfigError) as refused:
        settings_of(tmp_path, text)
    assert "very-secret" not in str(refused.value)
    assert "hooks.0.url" in str(refused.value)
