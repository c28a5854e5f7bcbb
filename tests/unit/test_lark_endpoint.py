"""Asking where to connect: what is fatal, what passes, and that nothing hangs or spins."""

import json

import httpx
import pytest
import respx

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_endpoint import (
    ENDPOINT_PATH,
    PING_INTERVAL_S_DEFAULT,
    Endpoint,
    connection_fault,
    discover,
    ping_interval_s,
)

DOMAIN = "https://open.larksuite.com"
URL = "wss://msg.example/ws/v2?device_id=d&service_id=33554678&access_key=k&ticket=t"


async def ask(answer):
    with respx.mock(base_url=DOMAIN) as router:
        route = router.post(ENDPOINT_PATH).mock(side_effect=[answer])
        async with httpx.AsyncClient(timeout=1.0) as http:
            found = await discover(http, domain=DOMAIN, app_id="cli_a", app_secret="hush", user_agent="sdk/1")
        return found, route.calls.last.request


def endpoint(url=URL, config=None):
    return httpx.Response(200, json={"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": config}})


async def test_the_address_and_the_interval_are_read():
    found, request = await ask(endpoint(config={"PingInterval": 90, "ReconnectCount": -1}))
    assert found == Endpoint(url=URL, ping_interval_s=90)
    assert json.loads(request.content) == {"AppID": "cli_a", "AppSecret": "hush"}
    assert (request.headers["locale"], request.headers["user-agent"]) == ("zh", "sdk/1")


@pytest.mark.parametrize(
    ("answer", "kind", "code", "words"),
    [
        (
            httpx.Response(200, json={"code": 1000040351, "msg": "Incorrect domain name"}),
            "fatal",
            1000040351,
            "other domain",
        ),
        (httpx.Response(400, json={"code": 1000040351, "msg": "x"}), "fatal", 1000040351, "other domain"),
        (httpx.Response(200, json={"code": 1000040350, "msg": "x"}), "fatal", 1000040350, "long connections"),
        (httpx.Response(200, json={"code": 514, "msg": "x"}), "fatal", 514, "credentials"),
        (httpx.Response(200, json={"code": 403, "msg": "x"}), "fatal", 403, "forbids"),
        (httpx.Response(200, json={"code": 1000040344, "msg": "x"}), "fatal", 1000040344, "app_id"),
        (httpx.Response(200, json={"code": 10014, "msg": "x"}), "fatal", 10014, "refused"),
        (httpx.Response(200, json={"code": 1, "msg": "system busy"}), "unknown_outcome", 1, "busy"),
        (httpx.Response(200, json={"code": 1000040343, "msg": "x"}), "unknown_outcome", 1000040343, "busy"),
        (httpx.Response(502, html="<html></html>"), "unknown_outcome", 0, "HTTP 502"),
        (httpx.Response(500, json={"code": 77, "msg": "x"}), "unknown_outcome", 77, "busy"),
        (httpx.Response(429, json={"code": 99991400, "msg": "x"}), "unknown_outcome", 99991400, "busy"),
        (httpx.Response(200, content=b""), "unknown_outcome", 0, "readable"),
        (httpx.ReadTimeout("silence"), "unknown_outcome", 0, "ReadTimeout"),
        (httpx.ConnectError("refused"), "unknown_outcome", 0, "ConnectError"),
        (httpx.Response(200, json={"code": 0, "data": None}), "unknown_outcome", 0, "address"),
        (endpoint(url="https://not-a-socket/?device_id=d&service_id=1"), "unknown_outcome", 0, "address"),
        (endpoint(url="wss://h/?device_id=d&service_id=x"), "unknown_outcome", 0, "address"),
        (endpoint(url="wss://h/?service_id=1"), "unknown_outcome", 0, "address"),
        (endpoint(url=""), "unknown_outcome", 0, "address"),
    ],
)
async def test_each_refusal_says_whether_to_try_again(answer, kind, code, words):
    with pytest.raises(LarkFault) as raised:
        await ask(answer)
    assert (raised.value.kind.value, raised.value.code) == (kind, code)
    assert words in str(raised.value)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"PingInterval": 1}, 1),
        ({"PingInterval": 86_400}, 86_400),
        ({"PingInterval": 86_401}, PING_INTERVAL_S_DEFAULT),
        ({"PingInterval": 0}, PING_INTERVAL_S_DEFAULT),
        ({"PingInterval": -5}, PING_INTERVAL_S_DEFAULT),
        ({"PingInterval": None}, PING_INTERVAL_S_DEFAULT),
        ({"PingInterval": True}, PING_INTERVAL_S_DEFAULT),
        ({}, PING_INTERVAL_S_DEFAULT),
    ],
)
def test_an_absurd_ping_interval_is_not_taken(config, expected):
    assert ping_interval_s(config) == expected


def test_a_handshake_refused_by_a_busy_server_passes():
    assert connection_fault(500).kind is LarkFaultKind.UNKNOWN_OUTCOME
    assert connection_fault(514).kind is LarkFaultKind.FATAL
