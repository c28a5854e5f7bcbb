"""The simulator's frame codec: the golden bytes, every frame there and back, and malformed bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.simulator.frames import CONTROL, DATA, Frame, decode, encode

PING = Frame(seq_id=0, log_id=0, service=33554678, method=CONTROL, headers=(("type", "ping"),))
EVENT = Frame(
    seq_id=7,
    log_id=9,
    service=33554678,
    method=DATA,
    headers=(("type", "event"), ("message_id", "m-1"), ("sum", "1"), ("seq", "0"), ("trace_id", "t-1")),
    payload=b'{"schema":"2.0"}',
)
PING_HEX = "0800100018f681801020002a0c0a0474797065120470696e67"
EVENT_HEX = (
    "0807100918f681801020012a0d0a047479706512056576656e742a110a0a6d6573736167655f696412036d2d312a080a0373756d12013"
    "12a080a037365711201302a0f0a0874726163655f69641203742d3142107b22736368656d61223a22322e30227d"
)


@pytest.mark.parametrize(("frame", "golden"), [(PING, PING_HEX), (EVENT, EVENT_HEX)], ids=["ping", "event"])
def test_the_golden_bytes_are_written_and_read(frame, golden):
    assert encode(frame).hex() == golden
    assert decode(bytes.fromhex(golden)) == frame


def test_a_negative_service_takes_ten_bytes_as_proto2_writes_it():
    frame = Frame(seq_id=1, log_id=2, service=-1, method=DATA)
    assert encode(frame).hex() == "0801100218ffffffffffffffffff012001"
    assert decode(encode(frame)) == frame


def test_unknown_fields_are_skipped():
    extra = bytes.fromhex("50015a01616100000000000000ff6d000000ff")  # fields 10 to 13, one of each wire type
    assert decode(bytes.fromhex(PING_HEX) + extra) == PING


@pytest.mark.parametrize(
    ("hexed", "reason"),
    [
        ("", "required fields are missing: SeqID, LogID, service, method"),
        (PING_HEX[8:], "required fields are missing: SeqID, LogID"),
        (PING_HEX[:-2], "ends inside a field"),
        ("08ffffffffffffffffffff01", "longer than ten bytes"),
        ("0880", "ends inside a number"),
        ("0b00", "wire type 3"),
        (PING_HEX + "4a01ff", "utf-8"),
    ],
)
def test_malformed_bytes_are_a_value_error(hexed, reason):
    with pytest.raises(ValueError, match=reason):
        decode(bytes.fromhex(hexed))


words = st.text(max_size=20)
frames = st.builds(
    Frame,
    seq_id=st.integers(0, 2**64 - 1),
    log_id=st.integers(0, 2**64 - 1),
    service=st.integers(-(2**31), 2**31 - 1),
    method=st.integers(0, 1),
    headers=st.lists(st.tuples(words, words), max_size=6).map(tuple),
    payload_encoding=words,
    payload_type=words,
    payload=st.binary(max_size=300),
    log_id_new=words,
)


@given(frames)
def test_every_frame_survives_the_wire(frame):
    assert decode(encode(frame)) == frame


@given(st.binary(max_size=200))
def test_any_bytes_give_a_frame_or_a_value_error(data):
    try:
        frame = decode(data)
    except ValueError:
        return
    assert decode(encode(frame)) == frame
