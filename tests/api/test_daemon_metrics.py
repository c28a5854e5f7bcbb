"""Metrics: read by the library's own parser, true, and as few with a thousand goals of hostile names as with one."""

import asyncio
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from daemon.api.metrics import MEDIA
from daemon.tally import Histogram
from ledger.catalogue import ACTIONS
from ledger.refusals import RefusalClass
from tests.support.homes import activate
from tests.support.served import served

HOSTILE = "evil_token-sk.1:@x"
SECRET = 'pay "4711"\n} 1\nfrontstage_head_seq 9'


@pytest.fixture
async def daemon():
    async with served(lambda scribe: activate(scribe, todos=3)) as running:
        yield running


async def scraped(daemon, who=None):
    answer = await daemon.ask("GET", "/metrics", who=who)
    assert (answer.status, answer.headers["content-type"]) == (200, MEDIA)
    families = {family.name: family for family in text_string_to_metric_families(answer.body.decode())}
    return answer.body.decode(), families


def value(families, name, **labels):
    family = next(family for family in families.values() if any(one.name == name for one in family.samples))
    (found,) = [one.value for one in family.samples if one.name == name and one.labels.items() >= labels.items()]
    return found


async def test_the_library_reads_what_is_served_and_it_is_true(daemon):
    await daemon.do("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
    assert (await daemon.act("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, who="helper")).status == 422
    assert (await daemon.act("todo.claim", {"goal_id": 1}, who="builder")).status == 400
    await daemon.ask("GET", "/v1/actions/goal.list", headers={"Authorization": "Bearer nobody"}, who=None)
    _, families = await scraped(daemon)
    assert value(families, "frontstage_commits_total", action="todo.claim", surface="http") == 1
    assert value(families, "frontstage_refusals_total", **{"class": "rule"}) == 1
    assert value(families, "frontstage_refusals_total", **{"class": "usage"}) == 1
    assert value(families, "frontstage_malformed_total") == 1
    assert value(families, "frontstage_unauthenticated_total") == 1
    assert value(families, "frontstage_head_seq") == daemon.seq
    assert value(families, "frontstage_goals") == 1
    assert value(families, "frontstage_queue_depth") == 0
    assert value(families, "frontstage_writable") == 1
    assert value(families, "frontstage_clock_jumped") == 0
    assert value(families, "frontstage_group_size_count") == value(families, "frontstage_commit_seconds_count") == 3
    assert value(families, "frontstage_group_size_bucket", le="1.0") == 3


async def test_a_repeated_request_is_counted_once(daemon):
    for _ in range(3):
        claim = {"goal_id": "docs", "todo_id": "todo_001"}
        assert (await daemon.act("todo.claim", claim, who="builder", key="the-same")).status == 200
    _, families = await scraped(daemon)
    assert value(families, "frontstage_commits_total", action="todo.claim") == 1


async def test_a_clock_that_jumped_is_seen(daemon):
    daemon.clock.wall += 10_000_000
    daemon.service.clock.now_ms()
    _, families = await scraped(daemon)
    assert value(families, "frontstage_clock_jumped") == 1
    assert value(families, "frontstage_clock_skew_seconds") == 10_000


async def test_readers_and_cards_are_counted_and_a_state_nobody_knows_has_a_name_of_ours(daemon):
    for number, state in enumerate(("live", "live", 'x"} 1')):
        row = {
            "slot": f"slot:{number}",
            "chat_id": "oc_1",
            "message_id": f"om_{number}",
            "digest": "d",
            "version": 1,
            "sent_at_ms": 1,
            "state": state,
        }
        assert (await daemon.relay("deliveries", row, method="PUT")).status == 200
    reading = await daemon.connect()
    await reading.send(b"GET /v1/feed HTTP/1.1\r\nHost: x\r\n\r\n")
    await reading.reader.readuntil(b"\r\n\r\n")
    _, families = await scraped(daemon)
    assert value(families, "frontstage_cards", state="live") == 2
    assert value(families, "frontstage_cards", state="other") == 1
    assert value(families, "frontstage_feed_readers") == 1
    reading.close()


async def test_no_id_and_no_text_ever_appears_and_a_thousand_goals_have_the_series_of_one(daemon):
    member = {"member_id": HOSTILE, "kind": "agent", "display_name": SECRET}
    assert (await daemon.act("member.add", member, who=None)).status == 200
    goal = {"title": SECRET, "objective": SECRET, "criterion": [SECRET]}
    await daemon.do("goal.propose", {**goal, "goal_id": "evil-0"})
    _, before = await scraped(daemon)
    await asyncio.gather(*(daemon.do("goal.propose", {**goal, "goal_id": f"evil-{n}"}) for n in range(1, 1_000)))
    assert (await daemon.ask("POST", f"/v1/actions/{HOSTILE}", body=b"{}")).status == 404
    text, after = await scraped(daemon)
    assert value(after, "frontstage_goals") == 1_001
    assert "evil" not in text
    assert "4711" not in text

    def series(families):
        return {(one.name, *sorted(one.labels.items())) for family in families.values() for one in family.samples}

    assert series(after) == series(before)
    for name, *labels in series(after):
        allowed = {
            "action": set(ACTIONS),
            "surface": {"cli", "http", "lark", "mcp", "daemon"},
            "class": set(RefusalClass),
        }
        assert all(value in allowed.get(label, {value}) for label, value in labels), name
        assert {label for label, _ in labels} <= {"action", "surface", "class", "le", "state"}


async def test_whoever_may_ask_for_health_may_scrape(daemon):
    for who in (None, "ann", "builder", "bot"):
        await scraped(daemon, who)


def test_each_observation_is_in_every_bucket_from_its_own_up():
    seen = Histogram((1, 2, 4))
    for size in (1, 2, 2, 3, 4, 5):
        seen.observe(size)
    assert seen.cumulative() == [(1, 1), (2, 3), (4, 5), (float("inf"), 6)]
    assert seen.total == 17


def test_a_daemon_that_writes_and_is_not_scraped_never_loads_the_library():
    script = """
import asyncio, sys
from tests.support.homes import activate
from tests.support.served import served
async def go():
    async with served(lambda scribe: activate(scribe, todos=1)) as daemon:
        await daemon.do("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
        print(any(name.startswith("prometheus") for name in sys.modules))
        await daemon.ask("GET", "/metrics", who=None)
        print(any(name.startswith("prometheus") for name in sys.modules))
asyncio.run(go())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["False", "True"]
