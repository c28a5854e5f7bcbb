"""The feed's parser: bytes cut anywhere give the same events, and what is no feed is said to be none."""

import pytest

from daemon.sse import EVENT_BYTES_MAX, ChunkParser, FeedEvent, FeedMalformed, FeedParser

STREAM = (
    b": ping\r\n\r\n"
    b"id: 7\r\nevent: todo.claimed\r\n"
    b'data: {"seq":7,"kind":"todo.claimed","goal_id":"docs","actor":"b","at_ms":1}\r\n\r\n'
    b'id: 8\ndata: {"seq":8,"kind":"member.added","goal_id":null}\n\n'
)
EVENTS = [FeedEvent(7, "todo.claimed", "docs"), FeedEvent(8, "member.added", None)]
CHUNKED = (
    b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in (STREAM[:9], STREAM[9:40], STREAM[40:]))
    + b"0\r\n\r\n"
)


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_a_stream_cut_in_two_anywhere_has_the_same_events(cut):
    parser = FeedParser()
    assert parser.receive(STREAM[:cut]) + parser.receive(STREAM[cut:]) == EVENTS


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_a_chunked_stream_in_pieces_has_the_same_bytes_and_an_end(size):
    chunks = ChunkParser()
    pieces = [CHUNKED[start : start + size] for start in range(0, len(CHUNKED), size)]
    assert b"".join(map(chunks.receive, pieces)) == STREAM
    assert chunks.ended


def test_a_chunked_stream_that_breaks_off_has_no_end():
    chunks = ChunkParser()
    chunks.receive(CHUNKED[:-5])
    assert not chunks.ended


@pytest.mark.parametrize(
    "data",
    [
        b"data: {\n\n",
        b"data: []\n\n",
        b'data: {"seq":"7","kind":"k","goal_id":null}\n\n',
        b'data: {"seq":true,"kind":"k","goal_id":null}\n\n',
        b'data: {"seq":7,"goal_id":null}\n\n',
        b'data: {"seq":7,"kind":"k","goal_id":3}\n\n',
        b"x" * (EVENT_BYTES_MAX + 1),
        b"data: " + b"x" * EVENT_BYTES_MAX,
    ],
)
def test_what_is_no_event_is_an_error(data):
    with pytest.raises(FeedMalformed):
        FeedParser().receive(data)


@pytest.mark.parametrize("data", [b"zz\r\n", b"x" * 100])
def test_what_is_not_chunked_is_an_error(data):
    with pytest.raises(FeedMalformed):
        ChunkParser().receive(data)
