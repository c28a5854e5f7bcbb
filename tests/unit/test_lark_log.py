"""No credential and no id of the platform reaches a log through the SDK."""

import logging

import pytest

from bot.lark_log import SDK_LOGGER, RedactingFilter, redacted, silence_sdk

SECRETS = (
    "K9secretkey",
    "T7ticket",
    "D3device",
    "S4secret",
    "t-caecc734c2e3",
    "c-295ee57216a5",
    "ou_3c14f3a5",
    "oc_e4d26",
    "om_574d6",
    "cli_a5fb",
)


@pytest.mark.parametrize(
    "text",
    [
        "connected to wss://h/ws/v2?device_id=D3device&service_id=1&access_key=K9secretkey&ticket=T7ticket [conn_id=x]",
        'body {"AppID":"cli_a5fb","AppSecret":"S4secret"}',
        r"body {\"app_id\":\"cli_a5fb\",\"app_secret\":\"S4secret\"}",
        "headers {'Authorization': 'Bearer t-caecc734c2e3'}",
        "Authorization: Bearer t-caecc734c2e3",
        "app_secret = S4secret, tenant_access_token: t-caecc734c2e3",
        '{"token":"c-295ee57216a5","operator":{"open_id":"ou_3c14f3a5"},"open_chat_id":"oc_e4d26"}',
        "PATCH https://h/open-apis/im/v1/messages/om_574d6",
        "bearer t-caecc734c2e3",
    ],
)
def test_texts_lose_their_secrets(text):
    clean = redacted(text)
    assert not [secret for secret in SECRETS if secret in clean], clean


@pytest.mark.parametrize(
    "text",
    ["receive message loop exit, err: no close frame received or sent", "the token was refused", "a ticket is late"],
)
def test_ordinary_words_stay(text):
    assert redacted(text) == text


def test_the_sdks_logger_is_quiet_clean_and_single(caplog):
    sdk = logging.getLogger(SDK_LOGGER)
    sdk.addHandler(logging.StreamHandler())
    silence_sdk()
    silence_sdk()
    assert sdk.handlers == []
    assert sum(isinstance(known, RedactingFilter) for known in sdk.filters) == 1
    with caplog.at_level(logging.DEBUG):
        sdk.info("connected to wss://h/?access_key=%s", "K9secretkey")
        sdk.error("failed for %s", "ou_3c14f3a5")
    assert [record.getMessage() for record in caplog.records] == ["failed for …"]


def test_a_traceback_leaves_its_type_only(caplog):
    silence_sdk()
    try:
        int("a private message")
    except ValueError:
        logging.getLogger(SDK_LOGGER).exception("handle message failed")
    assert "private" not in caplog.text
    assert "ValueError" in caplog.text


@pytest.mark.parametrize("name", ["websockets.client", "httpx", "httpcore", "urllib3"])
def test_the_transports_are_quiet_too(name):
    silence_sdk()
    assert not logging.getLogger(name).isEnabledFor(logging.INFO)
