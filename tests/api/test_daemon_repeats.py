"""A question asked again, byte for byte, is answered on the connection itself, as fresh and as guarded as at first."""

import json

import pytest

from daemon.listen import IDLE_MS_MAX
from tests.support.homes import activate, sha256
from tests.support.served import Gate, head, served, until

SHOW = "/v1/actions/goal.show?goal_id=docs"
LEASE_S = 60


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


class Counted:
    """The server behind the guard, and how often anything was passed on to it."""

    def __init__(self, inner):
        self._inner = inner
        self.passed_on = 0

    def data_received(self, data):
        self.passed_on += 1
        self._inner.data_received(data)

    def __getattr__(self, name):
        return getattr(self._inner, name)


class Asker:
    """One connection that stays."""

    def __init__(self, connection, guard):
        self.connection = connection
        self.guard = guard
        self.behind = guard._inner = Counted(guard._inner)

    async def ask(self, request):
        """Send some bytes and read one answer."""
        await self.connection.send(request)
        return await self.connection.answer()


async def connected(daemon):
    guards = daemon.parts.watch._open
    before = set(guards.values())
    connection = await daemon.connect()
    await until(lambda: set(guards.values()) - before)
    (guard,) = set(guards.values()) - before
    return Asker(connection, guard)


def show(daemon, who="builder", **headers):
    return head("GET", SHOW, {"Authorization": f"Bearer {daemon.made.tokens[who]}", **headers}, None)


async def hot(daemon, request):
    """A connection on which a request is answered again."""
    asker = await connected(daemon)
    for _ in range(2):
        assert (await asker.ask(request)).status == 200
    asker.behind.passed_on = 0
    assert (await asker.ask(request)).status == 200
    assert asker.behind.passed_on == 0, "the third time it is answered on the connection"
    return asker


async def test_the_same_answer_comes_back_with_the_same_head(daemon):
    asker = await connected(daemon)
    answers = [await asker.ask(show(daemon)) for _ in range(4)]
    assert asker.behind.passed_on == 2
    assert answers[1:] == answers[:-1]


async def test_every_answer_shows_what_was_acknowledged_before(daemon):
    asker = await hot(daemon, show(daemon))
    for number in range(3):
        done = await daemon.do("todo.update", {"goal_id": "docs", "todo_id": "todo_000", "priority": f"P{number}"})
        document = (await asker.ask(show(daemon))).document
        assert document["seq"] == done["seq"] == document["truth_contract"]["goal_seq"]
        assert document["agent_todos"][0]["priority"] == f"P{number}"
    asker.behind.passed_on = 0
    other = await daemon.do("goal.propose", {"goal_id": "other", "objective": "Other", "criterion": ["Done"]})
    document = (await asker.ask(show(daemon))).document
    assert (document["seq"], asker.behind.passed_on) == (other["seq"], 0), "of another goal only the seq is seen"
    assert document["truth_contract"]["goal_seq"] < other["seq"]


async def test_a_lease_that_ends_by_time_alone_is_seen_to_end(daemon):
    lease = {"goal_id": "docs", "todo_id": "todo_000", "idempotency_key": "run-1", "ttl_seconds": LEASE_S}
    await daemon.do("task-lease.acquire", lease, who="builder")
    asker = await hot(daemon, show(daemon))
    assert (await asker.ask(show(daemon))).document["agent_todos"][0]["claimed_by"] == "builder"
    daemon.clock.advance(LEASE_S * 1_000)
    assert (await asker.ask(show(daemon))).document["agent_todos"][0]["claimed_by"] is None


async def test_a_revoked_member_and_a_revoked_token_are_turned_away_at_once(daemon):
    asker = await hot(daemon, show(daemon))
    await daemon.do("member.revoke", {"member_id": "builder"}, who=None)
    assert (await asker.ask(show(daemon))).code == "credential_revoked"
    await daemon.do("token.issue", {"member_id": "ann", "secret_digest": sha256("second")}, who=None)
    second = head("GET", SHOW, {"Authorization": "Bearer second"}, None)
    asker = await hot(daemon, second)
    issued = daemon.service.committed.tokens[sha256("second")]
    await daemon.do("token.revoke", {"token_id": issued.token_id}, who=None)
    assert (await asker.ask(second)).code == "credential_revoked"


async def test_a_revoked_token_gains_nothing_from_what_another_of_its_member_has_asked_since(daemon):
    await daemon.do("token.issue", {"member_id": "builder", "secret_digest": sha256("second")}, who=None)
    second = head("GET", SHOW, {"Authorization": "Bearer second"}, None)
    asker = await hot(daemon, second)
    issued = daemon.service.committed.tokens[sha256("second")]
    await daemon.do("token.revoke", {"token_id": issued.token_id}, who=None)
    await hot(daemon, show(daemon))
    assert (await asker.ask(second)).code == "credential_revoked"


async def test_a_token_that_ends_by_time_alone_is_turned_away(daemon):
    wanted = {"member_id": "builder", "secret_digest": sha256("short"), "ttl_seconds": LEASE_S}
    await daemon.do("token.issue", wanted, who=None)
    request = head("GET", SHOW, {"Authorization": "Bearer short"}, None)
    asker = await hot(daemon, request)
    daemon.clock.advance(LEASE_S * 1_000)
    assert (await asker.ask(request)).code == "credential_expired"


async def test_whoever_proves_themselves_by_the_connection_is_asked_every_time(daemon):
    asker = await connected(daemon)
    for _ in range(4):
        assert (await asker.ask(head("GET", SHOW, {}, None))).status == 200
    assert asker.behind.passed_on == 4


@pytest.mark.parametrize("headers", [{"Accept": "text/plain"}, {"X-Frontstage-Surface": "lark"}])
async def test_lines_for_people_and_refusals_are_made_every_time(daemon, headers):
    asker = await connected(daemon)
    for _ in range(4):
        await asker.ask(show(daemon, **headers))
    assert asker.behind.passed_on == 4


async def test_a_request_that_asks_to_hang_up_is_hung_up_on(daemon):
    await hot(daemon, show(daemon))
    for _ in range(3):
        asker = await connected(daemon)
        assert (await asker.ask(show(daemon, Connection="close"))).status == 200
        assert await asker.connection.ended() == b""


async def test_requests_sent_ahead_are_answered_in_their_order(daemon):
    asker = await hot(daemon, show(daemon))
    list_todos = show(daemon).replace(b"goal.show", b"todo.list")
    await asker.connection.send(list_todos + show(daemon) + list_todos)
    for _ in range(5):
        await asker.connection.send(show(daemon))
    versions = [(await asker.connection.answer()).document["schema_version"] for _ in range(8)]
    listed, shown = "frontstage_todo_list_v1", "goal_channel_projection_v0"
    assert versions == [listed, shown, listed, *[shown] * 5]
    assert asker.behind.passed_on, "once requests were sent ahead, the connection goes the long way"


@pytest.mark.parametrize("sent", ["alone", "behind another", "in pieces"])
async def test_a_repeat_waits_for_the_answer_to_what_was_asked_before_it(daemon, sent):
    asker = await hot(daemon, show(daemon))
    gate = Gate(daemon.store)
    first = show(daemon) if sent == "behind another" else b""
    pieces = [first + claim(daemon)] if sent != "in pieces" else [claim(daemon)[:-1], claim(daemon)[-1:]]
    for piece in pieces:
        heard = asker.behind.passed_on
        await asker.connection.send(piece)
        await until(lambda heard=heard: asker.behind.passed_on > heard)
    await until(lambda: daemon.service.waiting == 1)
    heard = asker.behind.passed_on
    await asker.connection.send(show(daemon))
    await until(lambda: asker.behind.passed_on > heard)
    gate.open()
    if first:
        assert (await asker.connection.answer()).document["agent_todos"][0]["claimed_by"] is None
    assert (await asker.connection.answer()).document["outcome"] == "committed"
    assert (await asker.connection.answer()).document["agent_todos"][0]["claimed_by"] == "builder"


def claim(daemon):
    """A write that goes the long way, for no client of ours sends such a header."""
    body = json.dumps({"goal_id": "docs", "todo_id": "todo_000"}).encode()
    own = {"Authorization": f"Bearer {daemon.made.tokens['builder']}", "Idempotency-Key": "claim-1", "X-Trace": "1"}
    return head("POST", "/v1/actions/todo.claim", own, body)


async def test_bytes_that_look_like_a_repeat_but_are_a_body_are_a_body(daemon):
    repeat = show(daemon)
    asker = await hot(daemon, repeat)
    own = {"Authorization": f"Bearer {daemon.made.tokens['builder']}", "Content-Length": str(len(repeat))}
    await asker.connection.send(head("GET", "/healthz", own, b""))
    await until(lambda: asker.behind.passed_on == 1)
    await asker.connection.send(repeat)
    assert (await asker.connection.answer()).document["ok"]
    asker.connection.close()
    assert await asker.connection.ended() == b"", "there was one request, and there is one answer"


async def test_a_reader_that_reads_nothing_is_not_answered_beyond_what_fits(daemon):
    asker = await hot(daemon, show(daemon))
    asker.guard.pause_writing()
    await asker.ask(show(daemon))
    assert asker.behind.passed_on == 1, "the server behind knows how to wait"
    asker.guard.resume_writing()
    await asker.ask(show(daemon))
    assert asker.behind.passed_on == 1


async def test_a_connection_that_only_repeats_is_in_use():
    async with served(activate) as daemon:
        asker = await hot(daemon, show(daemon))
        for _ in range(3):
            daemon.clock.advance(IDLE_MS_MAX)
            assert (await asker.ask(show(daemon))).status == 200
            assert daemon.parts.watch.sweep() == 0
        daemon.clock.advance(IDLE_MS_MAX + 1)
        assert daemon.parts.watch.sweep() == 1


async def test_no_secret_is_kept_with_what_is_remembered(daemon):
    await hot(daemon, show(daemon))
    secret = daemon.made.tokens["builder"].encode()
    assert daemon.parts.watch.repeats._kept
    assert not [asked for asked in daemon.parts.watch.repeats._kept if secret in asked]
