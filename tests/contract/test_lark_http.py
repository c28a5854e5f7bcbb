"""The adapter's calls against answers that no platform should give and every platform has given.

The transport is answered by hand (respx), below the SDK's own HTTP client: everything above it is the real thing.
"""

import httpx
import orjson
import pytest
import respx

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_api import open_lark
from bot.lark_settings import LarkSettings
from bot.lark_tokens import RENEW_BEFORE_MS, TOKEN_PATH
from tests.contract.lark_rigs import card

DOMAIN = "https://open.feishu.cn"
MESSAGES = f"{DOMAIN}/open-apis/im/v1/messages"
SENT = {"code": 0, "msg": "success", "data": {"message_id": "om_1", "chat_id": "oc_1"}}
UNKNOWN, LIMITED = LarkFaultKind.UNKNOWN_OUTCOME, LarkFaultKind.RATE_LIMITED
PAGE = "<html><center><h1>502 Bad Gateway</h1></center></html>"
RESET = {"x-ogw-ratelimit-limit": "5", "x-ogw-ratelimit-reset": "7"}
HOUR_MS = 3_600_000


class Platform:
    """Answers by hand, and a clock that only the test moves."""

    def __init__(self, routes):
        self.ms = 0
        self.given = 0
        self.token = routes.post(DOMAIN + TOKEN_PATH).mock(side_effect=self._token)
        self.messages = routes.post(url__startswith=MESSAGES)

    def _token(self, _):
        self.given += 1
        return httpx.Response(200, json={"code": 0, "tenant_access_token": f"t-{self.given}", "expire": 7_200})

    def tokens_used(self):
        return [call.request.headers["Authorization"] for call in self.messages.calls]

    def sent(self):
        return [orjson.loads(call.request.content) for call in self.messages.calls]


@pytest.fixture
async def platform():
    with respx.mock(assert_all_called=False) as routes:
        platform = Platform(routes)
        settings = LarkSettings(app_id="cli_1", app_secret="hush", domain=DOMAIN)
        async with open_lark(settings, now_ms=lambda: platform.ms, chance=lambda: 0.0) as platform.lark:
            yield platform


async def send(platform, uuid="key-1"):
    return await platform.lark.send_card("oc_1", "chat_id", card(), uuid)


async def fault_of(platform):
    with pytest.raises(LarkFault) as raised:
        await send(platform)
    return raised.value


def refusal(code, status=400, **more):
    return httpx.Response(status, json={"code": code, "msg": "no"}, **more)


@pytest.mark.parametrize(
    ("answer", "kind", "retry_after_s"),
    [
        (httpx.Response(502, text=PAGE, headers={"Content-Type": "text/html"}), UNKNOWN, None),
        (httpx.Response(200, text=PAGE, headers={"Content-Type": "text/html"}), UNKNOWN, None),
        (httpx.Response(200, content=b""), UNKNOWN, None),
        (httpx.Response(200, json=[]), UNKNOWN, None),
        (httpx.Response(200, json={"msg": "no code"}), UNKNOWN, None),
        (httpx.Response(200, json={"code": "0", "data": {"message_id": "om_1"}}), UNKNOWN, None),
        (httpx.Response(200, json={"code": 0, "data": {}}), UNKNOWN, None),
        (httpx.Response(500, json=SENT), UNKNOWN, None),
        (httpx.ConnectTimeout("slow"), UNKNOWN, None),
        (httpx.ReadTimeout("slow"), UNKNOWN, None),
        (httpx.RemoteProtocolError("cut"), UNKNOWN, None),
        (httpx.ReadError("reset"), UNKNOWN, None),
        (refusal(99991400, 429, headers=RESET), LIMITED, 7.0),
        (refusal(99991400, 400, headers=RESET), LIMITED, 7.0),
        (refusal(230020, 400), LIMITED, None),
        (httpx.Response(429, text=PAGE, headers=RESET), LIMITED, 7.0),
        (refusal(99991400, 429, headers={"x-ogw-ratelimit-reset": "soon"}), LIMITED, None),
        # The SDK's generic call reports this as success.
        (refusal(230025, 200), LarkFaultKind.REFUSED_CARD, None),
        (refusal(99991403, 400), LarkFaultKind.FATAL, None),
    ],
)
async def test_each_answer_is_the_fault_it_means_after_one_call(platform, answer, kind, retry_after_s):
    if isinstance(answer, Exception):
        platform.messages.mock(side_effect=answer)
    else:
        platform.messages.mock(return_value=answer)
    fault = await fault_of(platform)
    assert (fault.kind, fault.retry_after_s) == (kind, retry_after_s)
    assert platform.messages.call_count == 1, "whoever wants it again says so"
    assert "hush" not in str(fault)


async def test_an_answer_that_was_lost_is_asked_for_again_under_the_same_key(platform):
    platform.messages.mock(side_effect=[httpx.ReadError("cut after the commit"), httpx.Response(200, json=SENT)])
    assert (await fault_of(platform)).kind is UNKNOWN
    assert (await send(platform)).message_id == "om_1"
    first, second = platform.sent()
    assert first == second
    assert first["uuid"] == "key-1"


@pytest.mark.parametrize("code", [99991663, 99991668, 99991661, 99991677])
async def test_a_refused_token_costs_exactly_one_repetition_with_a_fresh_one(platform, code):
    platform.messages.mock(side_effect=[refusal(code), httpx.Response(200, json=SENT)])
    assert (await send(platform)).message_id == "om_1"
    assert platform.tokens_used() == ["Bearer t-1", "Bearer t-2"]
    assert platform.lark.health().send_fault is None


async def test_a_token_that_stays_refused_is_told_by_health_and_heals_by_itself(platform):
    platform.messages.mock(side_effect=lambda _: refusal(99991663))
    for _ in range(3):
        assert (await fault_of(platform)).kind is LarkFaultKind.TOKEN
    assert platform.messages.call_count == 6, "twice each, and no storm"
    assert "99991663" in platform.lark.health().send_fault
    platform.messages.mock(return_value=httpx.Response(200, json=SENT))
    await send(platform)
    assert platform.lark.health().send_fault is None


async def test_an_app_that_is_refused_is_told_and_a_passing_fault_is_not(platform):
    platform.messages.mock(return_value=httpx.Response(502, text=PAGE))
    await fault_of(platform)
    assert platform.lark.health().send_fault is None
    platform.messages.mock(return_value=refusal(99991672))
    await fault_of(platform)
    assert "permission" in platform.lark.health().send_fault


async def test_a_bot_that_runs_for_days_renews_its_token_before_it_ends(platform):
    platform.messages.mock(return_value=httpx.Response(200, json=SENT))
    for _ in range(3 * 24):
        await send(platform)
        platform.ms += HOUR_MS
    used = platform.tokens_used()
    assert len(set(used)) == platform.given <= 3 * 12 + 1
    assert platform.messages.call_count == 72, "none of them was refused first"
    platform.ms += 2 * HOUR_MS - RENEW_BEFORE_MS
    platform.token.mock(side_effect=httpx.ConnectError("away"))
    assert (await fault_of(platform)).kind is UNKNOWN


async def test_a_renewal_that_fails_leaves_a_good_token_in_use(platform):
    platform.messages.mock(return_value=httpx.Response(200, json=SENT))
    await send(platform)
    platform.ms += 2 * HOUR_MS - RENEW_BEFORE_MS
    platform.token.mock(return_value=httpx.Response(502, text=PAGE))
    await send(platform)
    assert platform.tokens_used() == ["Bearer t-1", "Bearer t-1"]
