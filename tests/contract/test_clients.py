"""What both clients promise, asked of each: the sync one, and the async one driven from ordinary code."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from contextlib import aclosing

import pytest

from daemon.aclient import AsyncClient
from daemon.client import Asked, Client, Dropped, FeedEvent, NobodyListens, NotOurs, Refused, TooSlow
from tests.api.cli_double import Double, answer
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import activate

ADD = {"kind": "agent", "display_name": "Bü", "profile_role": None, "capability": ["read", "write"]}
BUSY = answer(b'{"ok":false,"code":"busy"}', status=503, exit_code=7, more=b"Retry-After: 1\r\n")
DONE = answer(b'{"ok":true,"seq":9}')


class Driven:
    """The async client with the sync one's face."""

    def __init__(self, *words, **options):
        self._made = lambda: AsyncClient(*words, **options)

    def __getattr__(self, name):
        async def call(*words, **options):
            async with self._made() as client:
                return await getattr(client, name)(*words, **options)

        return lambda *words, **options: asyncio.run(call(*words, **options))

    def _events(self, name, after, count, *more):
        async def read():
            found = []
            async with self._made() as client, aclosing(getattr(client, name)(after, *more)) as feed:
                async for event in feed:
                    found.append(event)
                    if len(found) == count:
                        break
            return found

        return asyncio.run(read())

    def first(self, after, count):
        return self._events("feed", after, count)

    def followed(self, after, count, broke):
        return self._events("follow", after, count, broke)


class Plain(Client):
    def first(self, after, count):
        feed = self.feed(after)
        try:
            return [next(feed) for _ in range(count)]
        finally:
            feed.close()

    def followed(self, after, count, broke):
        feed = self.follow(after, broke)
        try:
            return [next(feed) for _ in range(count)]
        finally:
            feed.close()


@pytest.fixture(params=[Plain, Driven], ids=["sync", "async"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def daemon():
    with fresh_home(activate) as made, DaemonProcess(made) as running:
        yield running


@pytest.fixture
def client(kind, daemon):
    return kind(daemon.made.home.socket, daemon.made.tokens["ann"])


@pytest.fixture
def double(tmp_path):
    double = Double(str(tmp_path / "s"))
    yield double
    double.close()


def test_the_sync_client_loads_nothing_but_the_standard_library():
    program = (
        "import sys; before = set(sys.modules); import daemon.client;"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(names - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "['daemon']"


def added(kind, name):
    return {**ADD, "member_id": f"{name}-{kind.__name__.lower()}"}


def test_a_write_its_receipt_and_its_refusal_are_values(kind, client):
    asked = added(kind, "first")
    done = client.act("member.add", asked, f"first-{kind.__name__}")
    assert (done.ok, done.status, done.exit_code, done.body["outcome"]) == (True, 200, 0, "committed")
    again = client.act("member.add", asked, f"first-{kind.__name__}")
    assert (again.body["replayed"], again.body["receipt_id"], again.seq) == (True, done.body["receipt_id"], done.seq)
    refused = client.act("member.add", asked)
    assert (refused.ok, refused.status, refused.exit_code, refused.code) == (False, 422, 1, "member_exists")
    other = client.act("member.add", {**asked, "display_name": "Other"}, f"first-{kind.__name__}")
    assert (other.status, other.code) == (422, "idempotency_conflict")


def test_a_refusal_can_be_raised(client):
    assert client.read("goal.list").or_raise().ok
    with pytest.raises(Refused, match="no goal") as refused:
        client.read("goal.show", {"goal_id": "nothing"}).or_raise()
    assert (refused.value.status, refused.value.code) == (404, "goal_not_found")


def test_reads_of_now_and_of_then(client):
    reply = client.read("todo.list", {"goal_id": "docs", "limit": 5, "after": None})
    assert [todo["todo_id"] for todo in reply.body["todos"]] == ["todo_000"]
    assert client.read("goal.list", at=2).seq == 2
    assert client.read("goal.list", at=10**6).code == "seq_not_reached"


def test_many_in_one_request(kind, client):
    asked = [
        Asked("member.add", added(kind, "many")),
        Asked("todo.paint", {}),
        Asked("member.add", added(kind, "more")),
    ]
    reply = client.batch(asked)
    assert (reply.ok, reply.body["ok"]) == (True, False)
    assert [one["ok"] for one in reply.body["answers"]] == [True, False, True]


def test_a_stranger_is_refused(kind, daemon):
    nobody = kind(daemon.made.home.socket, "fs_wrong")
    assert (nobody.read("member.list").status, nobody.read("member.list").code) == (401, "unauthenticated")
    with pytest.raises(Refused) as refused:
        nobody.first(0, 1)
    assert (refused.value.status, refused.value.code) == (401, "unauthenticated")


def test_what_is_too_large_is_refused_and_not_cut(client):
    reply = client.act("goal.propose", {"goal_id": "big", "objective": "x" * 300_000, "criterion": ["x"]})
    assert (reply.status, reply.code) == (400, "body_too_large")


def test_the_feed_begins_after_a_seq_and_has_everything(client):
    events = client.first(0, 5)
    assert [event.seq for event in events] == [1, 2, 3, 4, 5]
    assert events[0] == FeedEvent(1, "workspace.created", None)


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ([b""], Dropped),
        ([answer()[:-3]], Dropped),
        ([b"SSH-2.0\r\n\r\n"], NotOurs),
        ([answer(b"not json")], NotOurs),
        ([answer(b"[]")], NotOurs),
        ([answer(b"\xff\xfe")], NotOurs),
        ([answer(status=500, exit_code=None)], NotOurs),
        ([b"HTTP/1.1 200 X\r\nX-Frontstage-Exit: 0\r\nContent-Length: 99999999999\r\n\r\n{"], NotOurs),
    ],
    ids=["nothing", "cut", "no http", "no json", "no object", "no text", "no exit code", "endless"],
)
def test_what_is_no_answer_is_told_apart(kind, double, script, fault):
    double.script = script
    for patience_s in (0.0, 0.2):
        with pytest.raises(fault):
            kind(double.path, patience_s=patience_s).read("status.show")


def test_nothing_in_time(kind, double):
    waiting = threading.Event()
    double.on_asked = lambda: waiting.wait(5)
    try:
        with pytest.raises(TooSlow):
            kind(double.path, answer_ms_max=30).read("status.show")
    finally:
        waiting.set()


def test_nobody_there(kind, tmp_path):
    began = time.monotonic()
    with pytest.raises(NobodyListens):
        kind(str(tmp_path / "none")).read("status.show")
    with pytest.raises(NobodyListens):
        kind(str(tmp_path / "none"), patience_s=0.5).read("status.show")
    assert time.monotonic() - began < 5


def test_busy_is_an_answer_to_who_has_no_patience(kind, double):
    double.script = [BUSY]
    reply = kind(double.path).act("member.add", ADD)
    assert (reply.code, reply.exit_code, reply.retry_after_s) == ("busy", 7, 1.0)
    assert len(double.asked) == 1


def test_who_has_patience_asks_again_when_advised_under_the_same_key(kind, double):
    double.script = [BUSY, b"", BUSY, DONE]
    began = time.monotonic()
    reply = kind(double.path, patience_s=30).act("member.add", ADD)
    assert (reply.ok, reply.seq) == (True, 9)
    assert time.monotonic() - began >= 2
    keys = {asked.headers["idempotency-key"] for asked in double.asked}
    assert len(double.asked) >= 4
    assert len(keys) == 1
    assert len({asked.body for asked in double.asked}) == 1


def test_a_batch_keeps_its_keys_when_it_is_asked_again(kind, double):
    double.script = [BUSY, DONE]
    kind(double.path, patience_s=30).batch([Asked("member.add", ADD), Asked("member.add", ADD)])
    bodies = [json.loads(asked.body) for asked in double.asked]
    assert bodies[0] == bodies[1]
    assert len({one["request_key"] for one in bodies[0]["actions"]}) == 2


def test_patience_ends(kind, double):
    double.script = [BUSY]
    reply = kind(double.path, patience_s=1.5).act("member.add", ADD)
    assert reply.code == "busy"
    assert len(double.asked) == 2


def test_a_refusal_is_not_asked_again(kind, double):
    double.script = [answer(b'{"ok":false,"code":"member_exists"}', status=422, exit_code=1)]
    assert kind(double.path, patience_s=30).act("member.add", ADD).code == "member_exists"
    assert len(double.asked) == 1


def test_a_daemon_that_begins_anew_is_waited_for_and_nothing_is_done_twice(kind):
    with fresh_home(activate) as made:
        first = DaemonProcess(made)
        client = kind(made.home.socket, made.tokens["ann"], patience_s=60)
        assert client.act("member.add", added(kind, "before"), "key-1").ok
        first.kill()
        again: list[DaemonProcess] = []
        starting = threading.Timer(0.3, lambda: again.append(DaemonProcess(made)))
        starting.start()
        try:
            reply = client.act("member.add", added(kind, "before"), "key-1")
            assert (reply.ok, reply.body["replayed"]) == (True, True)
        finally:
            starting.join()
            again[0].kill()


def test_a_feed_that_breaks_goes_on_where_it_was(kind):
    with fresh_home(activate) as made:
        daemons = [DaemonProcess(made)]
        head = daemons[0].client().get("/healthz").body["seq"]
        broke = []

        def restart(fault):
            broke.append(fault)
            if len(broke) == 1:
                daemons.append(DaemonProcess(made))
                assert daemons[1].client().act("member.add", added(kind, "later"), "later").ok

        stopping = threading.Timer(0.5, daemons[0].kill)
        stopping.start()
        try:
            client = kind(made.home.socket, made.tokens["ann"])
            events = client.followed(0, head + 1, restart)
            assert [event.seq for event in events] == list(range(1, head + 2))
            assert broke
        finally:
            stopping.join()
            for daemon in daemons:
                daemon.kill()


def test_the_environment_names_daemon_and_credential(kind, daemon, monkeypatch):
    plain = Client if kind is Plain else AsyncClient
    monkeypatch.setenv("FRONTSTAGE_SOCKET", daemon.made.home.socket)
    monkeypatch.setenv("FRONTSTAGE_TOKEN", daemon.made.tokens["builder"])
    made = plain.of_environment(patience_s=3)
    if kind is Plain:
        with made as client:
            reply = client.read("member.list")
    else:

        async def read():
            async with made as client:
                return await client.read("member.list")

        reply = asyncio.run(read())
    assert reply.ok
