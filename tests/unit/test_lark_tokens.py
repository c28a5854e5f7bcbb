"""Tenant tokens: one fetch for all, renewed in time, kept through an outage, dropped when refused."""

import asyncio
import json

import httpx
import pytest
import respx

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_tokens import RENEW_BEFORE_MS, RENEW_PAUSE_MS, TOKEN_PATH, UNUSABLE_BEFORE_MS, TenantTokens

DOMAIN = "https://open.feishu.cn"
LIFE_MS = 7_200_000


class Clock:
    def __init__(self):
        self.ms = 1_000_000

    def now_ms(self):
        return self.ms


def token_answer(token, expire=7200):
    return httpx.Response(200, json={"code": 0, "msg": "ok", "tenant_access_token": token, "expire": expire})


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def http():
    async with httpx.AsyncClient(timeout=1.0) as client:
        yield client


@pytest.fixture
def tokens(http, clock):
    return TenantTokens(http, domain=DOMAIN, app_id="cli_a", app_secret="the-secret", now_ms=clock.now_ms)


@pytest.fixture
def route():
    with respx.mock(base_url=DOMAIN) as router:
        yield router.post(TOKEN_PATH)


async def test_the_credentials_go_in_the_body_and_the_token_is_kept(tokens, route):
    route.mock(side_effect=[token_answer("t-1")])
    assert [await tokens.get(), await tokens.get()] == ["t-1", "t-1"]
    assert json.loads(route.calls.last.request.content) == {"app_id": "cli_a", "app_secret": "the-secret"}
    assert "the-secret" not in str(route.calls.last.request.url)


async def test_a_hundred_callers_make_one_call(tokens, route):
    asked, released = asyncio.Event(), asyncio.Event()

    async def slow(request):
        asked.set()
        await released.wait()
        return token_answer("t-1")

    route.mock(side_effect=slow)
    async with asyncio.TaskGroup() as group:
        callers = [group.create_task(tokens.get()) for _ in range(100)]
        await asked.wait()
        released.set()
    assert {caller.result() for caller in callers} == {"t-1"}
    assert route.call_count == 1


async def test_a_hundred_callers_share_one_failure(tokens, route):
    asked, released = asyncio.Event(), asyncio.Event()

    async def slow(request):
        asked.set()
        await released.wait()
        return httpx.Response(502, html="<html>Bad Gateway</html>")

    route.mock(side_effect=slow)

    async def kind():
        try:
            await tokens.get()
        except LarkFault as fault:
            return fault.kind
        return None

    async with asyncio.TaskGroup() as group:
        callers = [group.create_task(kind()) for _ in range(100)]
        await asked.wait()
        released.set()
    assert {caller.result() for caller in callers} == {LarkFaultKind.UNKNOWN_OUTCOME}
    assert route.call_count == 1


async def test_the_next_caller_after_a_failure_asks_again(tokens, route):
    route.mock(side_effect=[httpx.Response(502), token_answer("t-1")])
    with pytest.raises(LarkFault):
        await tokens.get()
    assert await tokens.get() == "t-1"


async def test_a_cancelled_fetch_leaves_the_others_their_own(tokens, route):
    asked, released = asyncio.Event(), asyncio.Event()

    async def slow(request):
        asked.set()
        await released.wait()
        return token_answer("t-1")

    route.mock(side_effect=slow)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(tokens.get())
        await asked.wait()
        second = group.create_task(tokens.get())
        await asyncio.sleep(0)
        first.cancel()
        released.set()
    assert first.cancelled()
    assert second.result() == "t-1"


@pytest.mark.parametrize(
    ("age_ms", "expected"),
    [
        (LIFE_MS - RENEW_BEFORE_MS - 1, "t-1"),
        (LIFE_MS - RENEW_BEFORE_MS, "t-2"),
        (LIFE_MS - UNUSABLE_BEFORE_MS, "t-2"),
        (2 * LIFE_MS, "t-2"),
    ],
)
async def test_a_token_is_renewed_before_it_ends(tokens, route, clock, age_ms, expected):
    route.mock(side_effect=[token_answer("t-1"), token_answer("t-2")])
    await tokens.get()
    clock.ms += age_ms
    assert await tokens.get() == expected


async def test_a_good_token_outlives_an_outage_of_its_renewal(tokens, route, clock):
    route.mock(side_effect=[token_answer("t-1"), httpx.ConnectError("down"), token_answer("t-2")])
    await tokens.get()
    clock.ms += LIFE_MS - RENEW_BEFORE_MS
    assert [await tokens.get(), await tokens.get()] == ["t-1", "t-1"]
    assert route.call_count == 2, "a failed renewal is not repeated with every call"
    clock.ms += RENEW_PAUSE_MS
    assert await tokens.get() == "t-2"


async def test_a_token_that_ended_is_not_used_in_an_outage(tokens, route, clock):
    route.mock(side_effect=[token_answer("t-1"), httpx.ConnectError("down")])
    await tokens.get()
    clock.ms += LIFE_MS - UNUSABLE_BEFORE_MS
    with pytest.raises(LarkFault) as raised:
        await tokens.get()
    assert raised.value.kind is LarkFaultKind.UNKNOWN_OUTCOME


async def test_a_refused_token_is_dropped_and_a_newer_one_stays(tokens, route):
    route.mock(side_effect=[token_answer("t-1"), token_answer("t-2")])
    first = await tokens.get()
    tokens.invalidate(first)
    assert await tokens.get() == "t-2"
    tokens.invalidate(first)
    assert await tokens.get() == "t-2"
    assert route.call_count == 2


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (httpx.Response(200, json={"code": 10003, "msg": "invalid app_id"}), LarkFaultKind.FATAL, 10003),
        (httpx.Response(400, json={"code": 10014, "msg": "app secret invalid"}), LarkFaultKind.FATAL, 10014),
        (httpx.Response(429, json={"code": 99991400, "msg": "slow down"}), LarkFaultKind.RATE_LIMITED, 99991400),
        (httpx.Response(502, html="<html>502</html>"), LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (httpx.Response(200, content=b""), LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (httpx.Response(302, headers={"location": "/"}), LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (httpx.Response(200, json={"code": 0}), LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (
            httpx.Response(200, json={"code": 0, "tenant_access_token": "", "expire": 7200}),
            LarkFaultKind.UNKNOWN_OUTCOME,
            0,
        ),
        (
            httpx.Response(200, json={"code": 0, "tenant_access_token": "t-1", "expire": 0}),
            LarkFaultKind.UNKNOWN_OUTCOME,
            0,
        ),
        (
            httpx.Response(200, json={"code": 0, "tenant_access_token": "t-1", "expire": "x"}),
            LarkFaultKind.UNKNOWN_OUTCOME,
            0,
        ),
        (httpx.ReadTimeout("slow"), LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (httpx.ConnectError("refused"), LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (httpx.RemoteProtocolError("reset"), LarkFaultKind.UNKNOWN_OUTCOME, 0),
    ],
)
async def test_every_failure_has_a_kind_and_tells_no_secret(tokens, route, answer, kind, code):
    route.mock(side_effect=[answer])
    with pytest.raises(LarkFault) as raised:
        await tokens.get()
    assert (raised.value.kind, raised.value.code) == (kind, code)
    assert "the-secret" not in str(raised.value)


async def test_a_very_short_token_is_used_and_soon_replaced(tokens, route, clock):
    route.mock(side_effect=[token_answer("t-1", expire=20), token_answer("t-2")])
    assert [await tokens.get(), await tokens.get()] == ["t-1", "t-1"]
    clock.ms += 10_000
    assert await tokens.get() == "t-2"
