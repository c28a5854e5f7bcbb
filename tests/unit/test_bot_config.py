"""The bot's settings: what is taken, what is refused with which words, and that no secret is in any of them."""

import argparse

import pytest

from bot.app import read_setup
from bot.config import ConfigError, app_secret, load

SECRET = "s3cr3t-of-the-app"
GOOD = f'[lark]\napp_id = "cli_1"\napp_secret = "{SECRET}"\n'


@pytest.fixture
def home(tmp_path):
    (tmp_path / "bot.token").write_text("fs_token\n")
    (tmp_path / "bot.token").chmod(0o600)
    return tmp_path


def write(home, text, mode=0o600):
    (home / "config.toml").write_text(text)
    (home / "config.toml").chmod(mode)


def given(home, socket=None):
    return argparse.Namespace(home=str(home), socket=socket)


def test_defaults_are_the_feishu_domain_and_english(home):
    write(home, GOOD + "[daemon]\nlog_level = 'INFO'\n")
    setup = read_setup(given(home))
    assert (setup.lark.app_id, setup.lark.app_secret, setup.token) == ("cli_1", SECRET, "fs_token")
    assert (setup.lark.domain, setup.lark.locale) == ("https://open.feishu.cn", "en")
    assert setup.socket == str(home / "daemon.sock")
    assert SECRET not in repr(setup)
    assert "fs_token" not in repr(setup)
    assert read_setup(given(home, "/run/x.sock")).socket == "/run/x.sock"


def test_a_secret_may_stand_in_a_private_file_of_its_own(home):
    (home / "app.secret").write_text(f"{SECRET}\n")
    (home / "app.secret").chmod(0o600)
    write(home, '[lark]\napp_id = "cli_1"\napp_secret_file = "app.secret"\n', mode=0o644)
    assert app_secret(home, load(home).lark) == SECRET
    (home / "app.secret").chmod(0o640)
    with pytest.raises(ConfigError, match=r"app\.secret can be read by others"):
        app_secret(home, load(home).lark)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"config\.toml: lark: Field required"),
        ("[lark]\napp_secret = 'x'\n", r"lark\.app_id: Field required"),
        ("[lark]\napp_id = 'cli_1'\n", "needs app_secret_file or app_secret"),
        (GOOD + "app_secret_file = 'f'\n", "and not both"),
        (GOOD + "domain = 'http://open.feishu.cn'\n", r"lark\.domain: must be a bare origin"),
        (GOOD + "domain = 'https://open.feishu.cn/'\n", "bare origin"),
        (GOOD + "domain = 'https://user:pw@open.feishu.cn'\n", "bare origin"),
        (GOOD + "domain = 'https://open.feishu.cn/open-apis'\n", "bare origin"),
        (GOOD + "transport = 'mqtt'\n", r"lark\.transport"),
        (GOOD + "transport = 'webhook'\n", "the webhook needs listen, encrypt_key_file, verification_token_file"),
        (GOOD + "listen = '127.0.0.1:1'\n", 'listen: for transport = "webhook" alone'),
        (GOOD + "transport = 'webhook'\nlisten = '8080'\n", r"lark\.listen: must be HOST:PORT"),
        (GOOD + "transport = 'webhook'\nlisten = 'h:70000'\n", r"lark\.listen: must be HOST:PORT"),
        (GOOD + "transport = 'webhook'\npath = 'lark'\n", r"lark\.path: must begin with /"),
        (GOOD + "locale = 'fr'\n", r"lark\.locale"),
        (GOOD + "app_name = 'x'\n", r"lark\.app_name: Extra inputs"),
        (GOOD + "[bot]\nlog_level = 'LOUD'\n", r"bot\.log_level"),
        (f"[lark]\napp_secret = '{SECRET}\n", "is not TOML"),
    ],
)
def test_what_cannot_be_used_is_named_and_nothing_is_quoted(home, text, words):
    write(home, text)
    with pytest.raises(ConfigError, match=words) as caught:
        load(home)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("domain", ["https://open.larksuite.com", "http://127.0.0.1:8080", "http://localhost:1"])
def test_any_https_origin_and_this_machine_are_taken(home, domain):
    write(home, GOOD + f"domain = '{domain}'\n")
    assert load(home).lark.domain == domain


def test_settings_with_a_secret_in_them_are_private(home):
    write(home, GOOD, mode=0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        load(home)


@pytest.mark.parametrize(("content", "mode", "words"), [("", 0o600, "is empty"), ("fs_x", 0o644, "chmod 600")])
def test_the_credential_for_the_daemon_is_checked_too(home, content, mode, words):
    write(home, GOOD)
    (home / "bot.token").write_text(content)
    (home / "bot.token").chmod(mode)
    with pytest.raises(ConfigError, match=words):
        read_setup(given(home))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"config\.toml cannot be read: No such file"):
        load(tmp_path)
