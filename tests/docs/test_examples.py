"""The example settings and units are accepted by what they are examples for."""

import re

import pytest

from bot import config as bot_config
from daemon import config as daemon_config
from daemon.cli.local import LOCAL
from daemon.paths import Home
from tests.tidy.sources import ROOT

EXAMPLE = ROOT / "config" / "frontstage.toml.example"
COMMENTED = re.compile(r"^# (\[+[a-z]+\]+|[a-z_]+ = .+)$", re.MULTILINE)
UNITS = sorted((ROOT / "config").glob("*.service"))


def home_with(text, tmp_path):
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    (tmp_path / "config.toml").chmod(0o600)
    return tmp_path


def test_the_example_as_it_is_runs_a_daemon(tmp_path):
    home = home_with(EXAMPLE.read_text(encoding="utf-8"), tmp_path)
    assert daemon_config.load(Home(str(home))) == daemon_config.Config()


WEBHOOK = (
    r'transport = "webhook"|listen = .*|path = .*|encrypt_key_file = .*|verification_token_file = .*|tenant_key = .*'
)


@pytest.mark.parametrize("transport", ["ws", "webhook"])
@pytest.mark.parametrize("without", ["app_secret", "app_secret_file"])
def test_every_setting_of_the_example_is_one_and_shows_its_default(without, transport, tmp_path):
    other = WEBHOOK if transport == "ws" else 'transport = "ws"'
    text = re.sub(
        rf"^({without} = .*|{other})\n",
        "",
        COMMENTED.sub(r"\1", EXAMPLE.read_text(encoding="utf-8")),
        flags=re.MULTILINE,
    )
    home = home_with(text, tmp_path)
    lark = bot_config.load(home).lark
    assert lark.app_id == daemon_config.load(Home(str(home))).lark.app_id
    plain = bot_config.LarkSection(app_id=lark.app_id, app_secret="x")
    assert (lark.domain, lark.path, lark.tenant_key, lark.locale) == (
        plain.domain,
        plain.path,
        plain.tenant_key,
        plain.locale,
    )
    assert (lark.transport, plain.transport) == (transport, "ws")


def test_every_setting_there_is_stands_in_the_example():
    text = EXAMPLE.read_text(encoding="utf-8")
    names = {*bot_config.LarkSection.model_fields, *daemon_config.DaemonSection.model_fields}
    assert [name for name in names if not re.search(rf"^(# )?{name} = ", text, re.MULTILINE)] == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_that_exists_and_keeps_files_private(unit):
    text = unit.read_text(encoding="utf-8")
    assert re.search(r"^ExecStart=\S+/frontstage (\S+)$", text, re.MULTILINE)[1] in LOCAL
    assert "UMask=0077" in text


def test_there_is_a_unit_for_each_process():
    assert [path.stem for path in UNITS] == ["frontstage-bot", "frontstage-daemon"]
