"""Which bytes are one request, and which requests are answered again."""

import asyncio

import pytest

from daemon.clock import SystemClock
from daemon.listen import Guard, Watch
from daemon.repeats import ASKED_BYTES_MAX, KEPT_MAX, Repeats, is_one_request

GET = b"GET /v1/actions/goal.show?goal_id=docs HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: x\r\n"
CLAIM = POST + b"Content-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize(
    ("heard", "is_one"),
    [
        (GET, True),
        (GET + GET, False),
        (GET + b"G", False),
        (GET[:-1], False),
        (b"", False),
        (POST + b"\r\n", True),
        (POST + b"Content-Length: 2\r\n\r\n{}", True),
        (POST + b"content-length:2\r\n\r\n{}", True),
        (POST + b"CONTENT-LENGTH: \t2 \r\n\r\n{}", True),
        (POST + b"Content-Length: 2\r\n\r\n{", False),
        (POST + b"Content-Length: 2\r\n\r\n{}" + GET, False),
        (POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", False),
        (POST + b"Content-Length: +2\r\n\r\n{}", False),
        (POST + b"Content-Length : 2\r\n\r\n{}", False),
        (POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", False),
        (POST + b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n", False),
        (POST + b"Expect: 100-continue\r\n\r\n", False),
        (GET[:-2] + b"Upgrade: websocket\r\n\r\n", False),
        (GET[:-2] + b"Content-Length: 0\r\n\r\n", True),
        (GET[:-2] + b"Content-Length: 5\r\n\r\n", False),
    ],
)
def test_what_is_one_request_and_nothing_beyond_it(heard, is_one):
    assert is_one_request(heard) is is_one


def test_a_request_is_answered_again_for_as_long_as_its_answer_holds():
    repeats, answers = Repeats(), [b"first", b"second", None]
    repeats.keep(GET, lambda: answers.pop(0))
    assert [repeats.answer(GET) for _ in range(3)] == [b"first", b"second", None]
    assert repeats.answer(GET[:-2] + b"\r\n\r\n") is None, "one byte more is another request"


def test_only_reads_of_an_ordinary_size_are_answered_again():
    repeats = Repeats()
    long = b"GET /" + b"x" * ASKED_BYTES_MAX + b" HTTP/1.1\r\n\r\n"
    for asked in (POST + b"\r\n", long):
        repeats.keep(asked, lambda: b"again")
        assert repeats.answer(asked) is None


def test_the_oldest_request_is_forgotten_when_there_are_too_many():
    repeats = Repeats()
    asked = [b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(KEPT_MAX + 1)]
    for one in asked:
        repeats.keep(one, lambda one=one: one)
    assert [repeats.answer(one) for one in (asked[0], asked[1], asked[-1])] == [None, asked[1], asked[-1]]


class Behind(asyncio.Protocol):
    """The server behind the guard: it hears, and answers when the test says so."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        self.heard.append(data)


class Line(asyncio.Transport):
    """The other end, which keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)


@pytest.fixture
def guard():
    watch = Watch(SystemClock())
    watch.repeats.keep(GET, lambda: b"again")
    guard = Guard(Behind(), watch)
    guard.connection_made(Line())
    return guard


def begun(guard):
    return guard._watch.begins(guard.transport)


def ended(guard):
    guard._watch.ends(guard)


def test_between_two_requests_a_repeat_is_answered_by_the_guard(guard):
    guard.data_received(CLAIM)
    begun(guard)
    ended(guard)
    guard.data_received(GET)
    assert (guard._inner.heard, guard.transport.written) == ([CLAIM], [b"again"])


def test_what_was_sent_ahead_once_may_still_wait_behind_when_an_answer_has_been_given(guard):
    guard.data_received(CLAIM)
    begun(guard)
    guard.data_received(GET)
    ended(guard)
    guard.data_received(GET)
    assert (guard._inner.heard, guard.transport.written) == ([CLAIM, GET, GET], [])


@pytest.mark.parametrize("heard", [CLAIM + GET, CLAIM[:-1], GET + b"G", CLAIM[:-1] + b"}\r\n"])
def test_after_anything_but_one_whole_request_the_connection_goes_the_long_way(guard, heard):
    guard.data_received(heard)
    begun(guard)
    ended(guard)
    guard.data_received(GET)
    assert (guard._inner.heard, guard.transport.written) == ([heard, GET], [])
