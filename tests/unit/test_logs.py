"""A log line holds no credential: not under a telling name, not in the midst of a message, by daemon and bot alike."""

import json
import logging

import pytest

from bot import logs as bot_logs
from daemon import logs as daemon_logs

SECRETS = ("password=hunter2", "ghp_" + "a1B2c3D4" * 5, "https://me:pw123@git.example.com/x", "AKIAIOSFODNN7EXAMPLE")
FORMATTERS = (daemon_logs.JsonLines(), bot_logs.JsonLines())


def line(formatter, message, **extra):
    record = logging.LogRecord("frontstage.x", logging.INFO, "x.py", 1, message, (), None)
    record.__dict__.update(extra)
    return json.loads(formatter.format(record))


@pytest.mark.parametrize("formatter", FORMATTERS, ids=["daemon", "bot"])
@pytest.mark.parametrize("secret", SECRETS)
def test_a_message_with_a_credential_is_struck_out(formatter, secret):
    long = "x " * 230 + secret
    for message in (secret, f"could not push with {secret} today", long):
        told = line(formatter, message)["event"]
        assert secret not in told
        assert secret[:12] not in told


@pytest.mark.parametrize("formatter", FORMATTERS, ids=["daemon", "bot"])
def test_an_ordinary_message_is_told_whole(formatter):
    assert line(formatter, "the ledger is at seq 12, token_cap 5")["event"] == "the ledger is at seq 12, token_cap 5"


def test_what_stands_under_a_telling_name_is_struck_out_whatever_it_looks_like():
    told = line(FORMATTERS[0], "done", stdout="line", apiKey="x", transcript="a b", seq=3, token_id="tok_1", backlog=4)
    struck = {name for name, value in told.items() if value == daemon_logs.STRUCK}
    assert struck == {"stdout", "apiKey", "transcript"}
    assert (told["seq"], told["token_id"], told["backlog"]) == (3, "tok_1", 4)
