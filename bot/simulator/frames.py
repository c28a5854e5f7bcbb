"""Frames of the long connection: a proto2 message of nine fields, written and read by hand.

The codec shares nothing with the SDK's, nor with the bot's: two readings of one format that check each other, with
golden bytes in the tests as the third witness. Layout: 1 SeqID, 2 LogID (varint), 3 service, 4 method (varint,
0 control, 1 data), 5 headers (repeated {1 key, 2 value}), 6 payload_encoding, 7 payload_type, 8 payload, 9 LogIDNew.
The first four are required.
"""

from collections.abc import Iterator
from dataclasses import dataclass

CONTROL = 0
DATA = 1
FRAME_BYTES_MAX = 4 * 1024 * 1024

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_U64 = (1 << 64) - 1


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One frame; `headers` keeps the order of the wire."""

    seq_id: int
    log_id: int
    service: int
    method: int
    headers: tuple[tuple[str, str], ...] = ()
    payload_encoding: str = ""
    payload_type: str = ""
    payload: bytes = b""
    log_id_new: str = ""

    def header(self, key: str) -> str:
        """The first header of that name, or an empty string."""
        return next((value for name, value in self.headers if name == key), "")


def _varint(value: int) -> bytes:
    value &= _U64  # proto2 writes a negative int32 as ten bytes of two's complement
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _chunk(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(data)) + data


def encode(frame: Frame) -> bytes:
    """Write a frame; optional fields that are empty are left out."""
    numbers = (frame.seq_id, frame.log_id, frame.service, frame.method)
    out = b"".join(_varint(field << 3) + _varint(value) for field, value in enumerate(numbers, start=1))
    for key, value in frame.headers:
        out += _chunk(5, _chunk(1, key.encode()) + _chunk(2, value.encode()))
    tail = (
        (6, frame.payload_encoding.encode()),
        (7, frame.payload_type.encode()),
        (8, frame.payload),
        (9, frame.log_id_new.encode()),
    )
    return out + b"".join(_chunk(field, data) for field, data in tail if data)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("the frame ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _U64, at
    raise ValueError("a number is longer than ten bytes")


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _read_varint(data, at)
        elif kind in {_FIXED64, _FIXED32}:
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"wire type {kind} is not one of proto2's")
        if at + size > len(data):
            raise ValueError("the frame ends inside a field")
        yield key >> 3, data[at : at + size]
        at += size


def _header(data: bytes) -> tuple[str, str]:
    parts = {field: value for field, value in _fields(data) if isinstance(value, bytes)}
    return parts.get(1, b"").decode(), parts.get(2, b"").decode()


def decode(data: bytes) -> Frame:
    """Read a frame; a malformed one, or one without a required field, is a ValueError."""
    numbers: dict[int, int] = {}
    chunks: dict[int, bytes] = {}
    headers: list[tuple[str, str]] = []
    for field, value in _fields(data):
        if isinstance(value, int):
            numbers[field] = value
        elif field == 5:
            headers.append(_header(value))
        else:
            chunks[field] = value
    missing = [name for field, name in enumerate(("SeqID", "LogID", "service", "method"), 1) if field not in numbers]
    if missing:
        raise ValueError(f"required fields are missing: {', '.join(missing)}")
    service = numbers[3] - (1 << 64) if numbers[3] >> 63 else numbers[3]
    return Frame(
        seq_id=numbers[1],
        log_id=numbers[2],
        service=service,
        method=numbers[4],
        headers=tuple(headers),
        payload_encoding=chunks.get(6, b"").decode(),
        payload_type=chunks.get(7, b"").decode(),
        payload=chunks.get(8, b""),
        log_id_new=chunks.get(9, b"").decode(),
    )
