"""Pieces of messages and acknowledgements."""

import base64

import orjson
import pytest

from bot.lark_frames import (
    ANSWER_BYTES_MAX,
    MESSAGE_BYTES_MAX,
    PIECES_MAX,
    PIECES_WAIT_MS,
    UNFINISHED_MAX,
    Pieces,
    acknowledged,
    answered,
    refused,
)


class Clock:
    ms = 0

    def now_ms(self):
        return self.ms


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pieces(clock):
    return Pieces(clock.now_ms)


def test_a_single_frame_is_the_message(pieces):
    assert pieces.add("m", 1, 0, b"whole") == b"whole"
    assert pieces.add("m", 1, 0, b"") == b""


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 0, 1, 2)])
def test_pieces_come_in_any_order_and_may_repeat(pieces, order):
    parts = (b"a", b"", b"c")
    results = [pieces.add("m", 3, index, parts[index]) for index in order]
    assert results == [None] * (len(order) - 1) + [b"ac"]


def test_messages_do_not_mix(pieces):
    assert pieces.add("m", 2, 0, b"m0") is None
    assert pieces.add("n", 2, 0, b"n0") is None
    assert pieces.add("m", 2, 1, b"m1") == b"m0m1"
    assert pieces.add("n", 2, 1, b"n1") == b"n0n1"


def test_a_repeated_piece_of_a_finished_message_finishes_nothing(pieces):
    pieces.add("m", 2, 0, b"0")
    assert pieces.add("m", 2, 1, b"1") == b"01"
    assert pieces.add("m", 2, 1, b"1") is None


def test_what_stays_incomplete_is_forgotten(pieces, clock):
    pieces.add("m", 2, 0, b"old")
    clock.ms += PIECES_WAIT_MS + 1
    assert pieces.add("m", 2, 1, b"1") is None
    assert pieces.add("m", 2, 0, b"0") == b"01"


@pytest.mark.parametrize(("total", "index"), [(0, 0), (-1, 0), (2, 2), (2, -1), (PIECES_MAX + 1, 0), (10**9, 5)])
def test_impossible_numbers_are_refused(pieces, total, index):
    with pytest.raises(ValueError, match="of"):
        pieces.add("m", total, index, b"x")


def test_too_many_bytes_are_refused_and_dropped(pieces):
    half = b"x" * (MESSAGE_BYTES_MAX // 2 + 1)
    assert pieces.add("m", 3, 0, half) is None
    with pytest.raises(ValueError, match="too long"):
        pieces.add("m", 3, 1, half)
    assert pieces.add("m", 3, 2, b"x") is None


def test_too_many_unfinished_messages_push_out_the_oldest(pieces):
    for number in range(UNFINISHED_MAX + 1):
        assert pieces.add(f"m{number}", 2, 0, b"0") is None
    assert pieces.add("m1", 2, 1, b"1") == b"01"
    assert pieces.add("m0", 2, 1, b"1") is None


def test_acknowledgements_have_the_platforms_shape():
    assert orjson.loads(acknowledged()) == {"code": 200}
    assert orjson.loads(refused()) == {"code": 500}


@pytest.mark.parametrize("answer", [{}, {"toast": {"type": "info", "content": "好"}}])
def test_an_answer_travels_as_base64_and_an_empty_one_is_an_object(answer):
    ack = orjson.loads(answered(answer))
    assert ack["code"] == 200
    assert orjson.loads(base64.b64decode(ack["data"])) == answer


def test_the_empty_answer_is_the_known_safe_one():
    assert answered({}) == b'{"code":200,"data":"e30="}'


@pytest.mark.parametrize("answer", [{"x": object()}, {"x": {1: 2}}, {"x": "\ud800"}, {"x": 2**70}])
def test_an_answer_that_is_no_json_is_refused(answer):
    with pytest.raises(ValueError, match="JSON"):
        answered(answer)


def test_an_answer_has_a_bound():
    frame = len(orjson.dumps({"x": ""}))
    answered({"x": "y" * (ANSWER_BYTES_MAX - frame)})
    with pytest.raises(ValueError, match="bytes"):
        answered({"x": "y" * (ANSWER_BYTES_MAX - frame + 1)})
