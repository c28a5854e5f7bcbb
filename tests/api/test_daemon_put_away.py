"""Closed goals leave a running daemon's memory and come back, for readers and for the writer, and nobody can tell."""

import socket

import pytest
from prometheus_client.parser import text_string_to_metric_families

from daemon import service as service_module
from ledger.ids import GoalId
from ledger.ports import StoreFault
from ledger.records import Outline
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import activate
from tests.support.served import Gate, served, until

NAMES = ("one", "two", "three")


def three(scribe):
    for name in NAMES:
        activate(scribe, name, todos=2)


@pytest.fixture
async def daemon(monkeypatch):
    monkeypatch.setattr(service_module, "CLOSED_RESIDENT_MAX", 0)
    async with served(three) as running:
        yield running


async def stop(daemon, *names):
    for name in names:
        seen = (await daemon.read("goal.show", f"?goal_id={name}")).document
        await daemon.do("goal.stop", {"goal_id": name, "basis": seen["basis"]["state"], "reason": "Enough"})


def away(daemon):
    return [held.goal_id for held in daemon.service.committed.goals.held() if isinstance(held, Outline)]


async def metric(daemon, name):
    text = (await daemon.ask("GET", "/metrics", who=None)).body.decode()
    samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
    (value,) = [one.value for one in samples if one.name == name]
    return value


async def test_what_is_shown_before_and_after_is_the_same(daemon):
    await stop(daemon, "one", "two")
    questions = [
        ("goal.show", "?goal_id=one"),
        ("todo.list", "?goal_id=one"),
        ("goal.list", ""),
        ("status.show", ""),
        ("overview.show", "?closed=true"),
        ("quota.should-run", "?goal_id=two&agent_id=builder"),
    ]
    before = [(await daemon.read(action, query)).document for action, query in questions]
    assert await daemon.service.let_go() == 2
    assert away(daemon) == ["one", "two"]
    assert [(await daemon.read(action, query)).document for action, query in questions] == before
    assert [question[0] for question, told in zip(questions, before, strict=True) if not told["ok"]] == []


async def test_lists_and_overviews_bring_nothing_back(daemon):
    await stop(daemon, "one", "two")
    await daemon.service.let_go()
    for action in ("goal.list", "status.show", "overview.show", "attention.show", "digest.show"):
        assert (await daemon.read(action)).status == 200
    assert away(daemon) == ["one", "two"]
    slots = await daemon.ask("GET", "/v1/relay/slots", who="bot")
    assert slots.status == 200
    assert (await metric(daemon, "frontstage_goals"), await metric(daemon, "frontstage_goals_in_memory")) == (3, 1)


async def test_a_goal_is_kept_when_it_goes_and_only_where_it_is_not_kept_already(daemon):
    await stop(daemon, "one")
    await daemon.service.let_go()
    await until(lambda: daemon.store.snapshot("goal:one") is not None)
    kept = daemon.store.snapshot("goal:one")
    await daemon.read("goal.show", "?goal_id=one")
    saved = []
    daemon.store.save_snapshots = lambda term, rows: saved.append(rows)
    assert await daemon.service.let_go() == 1
    await daemon.do("goal.propose", {"goal_id": "later", "objective": "More", "criterion": ["It is there"]})
    assert saved == []
    assert daemon.store.snapshot("goal:one") == kept


async def test_the_writer_decides_on_a_goal_that_is_not_in_memory(daemon):
    await stop(daemon, "one")
    await daemon.service.let_go()
    loads = await metric(daemon, "frontstage_goal_loads_total")
    refused = await daemon.act("todo.claim", {"goal_id": "one", "todo_id": "todo_000"}, who="builder")
    assert (refused.status, refused.code) == (422, "goal_not_executable")
    assert await metric(daemon, "frontstage_goal_loads_total") > loads


async def test_nothing_goes_while_a_commit_is_under_way(daemon):
    await stop(daemon, "one")
    gate = Gate(daemon.store)
    connection = await daemon.connect()
    body = b'{"goal_id":"later","objective":"More","criterion":["It is there"]}'
    lines = f"Authorization: Bearer {daemon.made.tokens['ann']}\r\nIdempotency-Key: k\r\nContent-Length: {len(body)}"
    await connection.send(f"POST /v1/actions/goal.propose HTTP/1.1\r\nHost: x\r\n{lines}\r\n\r\n".encode() + body)
    await until(lambda: daemon.service.waiting == 1)
    assert await daemon.service.let_go() == 0
    gate.open()
    assert (await connection.answer()).status == 200
    assert await daemon.service.let_go() == 1
    connection.close()


async def test_erased_words_do_not_come_back_with_their_goal(daemon):
    added = await daemon.do("todo.add", {"goal_id": "one", "text": "Call 555-0100"})
    await stop(daemon, "one")
    await daemon.service.let_go()
    await until(lambda: daemon.store.snapshot("goal:one") is not None)
    assert b"555-0100" in daemon.store.snapshot("goal:one").body
    await daemon.do(
        "words.erase", {"goal_id": "one", "seq": [added["events"][0]["seq"]], "reason_code": "personal_data"}
    )
    for _ in range(2):
        listed = (await daemon.read("todo.list", "?goal_id=one")).body
        assert b"555-0100" not in listed
        await daemon.service.let_go()
    await until(lambda: daemon.store.snapshot("goal:one") is not None)
    assert b"555-0100" not in daemon.store.snapshot("goal:one").body


def test_a_start_reads_no_closed_goal_and_answers_about_it_as_before():
    asked = (("goal.list", {}), ("goal.show", {"goal_id": "two"}), ("status.show", {}))
    with fresh_home(three) as made:
        with DaemonProcess(made) as first:
            for name in ("one", "two"):
                seen = first.client().read("goal.show", {"goal_id": name}).body
                wish = {"goal_id": name, "basis": seen["basis"]["state"], "reason": "Enough"}
                assert first.client().act("goal.stop", wish).ok
            before = [first.client().read(*one).body for one in asked]
            assert first.stop() == 0
        with DaemonProcess(made) as second:
            assert b"\nfrontstage_goals_in_memory 1.0\n" in scraped(made)
            assert [second.client().read(*one).body for one in asked] == before
            assert b"\nfrontstage_goal_loads_total 1.0\n" in scraped(made)
            assert b"\nfrontstage_goals 3.0\n" in scraped(made)
            assert second.stop() == 0


def scraped(made):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(made.home.socket)
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
    return b"".join(parts)


async def test_a_goal_that_cannot_be_read_back_is_a_fault_to_a_reader(daemon):
    await stop(daemon, "one")
    await daemon.service.let_go()

    def gone(goal_id: GoalId, _seq: int) -> None:
        raise StoreFault(f"no {goal_id}")

    daemon.service.committed.goals.loader = gone
    answer = await daemon.read("goal.show", "?goal_id=one")
    assert (answer.status, answer.code) == (500, "fault")
    assert (await daemon.read("goal.show", "?goal_id=nowhere")).status == 404
    assert (await daemon.read("goal.list")).document["total"] == 3
