"""What a frame of the long connection carries: pieces put together, and the acknowledgement.

The protobuf itself is the SDK's; this is the part that works on values. An acknowledgement is the same frame with
the payload `{"code":200,"data":<base64 of the answer's JSON>}`: without `data` for an event, always with `data` for
a press, because a press acknowledged without it shows an error on the presser's device.
"""

import base64
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson

PIECES_MAX: Final = 64
MESSAGE_BYTES_MAX: Final = 4 * 1024 * 1024
UNFINISHED_MAX: Final = 64
PIECES_WAIT_MS: Final = 5_000
# The platform bounds a card at 30 KB; an answer that carries one stays below it.
ANSWER_BYTES_MAX: Final = 30 * 1024


@dataclass(slots=True)
class _Unfinished:
    since_ms: int
    total: int
    pieces: dict[int, bytes] = field(default_factory=dict)


class Pieces:
    """Puts messages together that came in several frames; bounded in number, bytes and time."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._unfinished: OrderedDict[str, _Unfinished] = OrderedDict()

    def add(self, message_id: str, total: int, index: int, piece: bytes) -> bytes | None:
        """Return the whole message with its last piece, None before; raises ValueError on impossible numbers."""
        if not 1 <= total <= PIECES_MAX or not 0 <= index < total:
            raise ValueError(f"piece {index} of {total}")
        if total == 1:
            return piece
        self._forget_old()
        entry = self._unfinished.get(message_id)
        if entry is None or entry.total != total:
            entry = self._unfinished[message_id] = _Unfinished(self._now_ms(), total)
            if len(self._unfinished) > UNFINISHED_MAX:
                self._unfinished.popitem(last=False)
        entry.pieces[index] = piece
        if sum(map(len, entry.pieces.values())) > MESSAGE_BYTES_MAX:
            del self._unfinished[message_id]
            raise ValueError("a message in pieces is too long")
        if len(entry.pieces) < total:
            return None
        del self._unfinished[message_id]
        return b"".join(entry.pieces[number] for number in range(total))

    def _forget_old(self) -> None:
        # The platform sends the whole message again when no acknowledgement came, so nothing is lost here.
        limit_ms = self._now_ms() - PIECES_WAIT_MS
        for message_id in [known for known, entry in self._unfinished.items() if entry.since_ms < limit_ms]:
            del self._unfinished[message_id]


def acknowledged() -> bytes:
    """Say that an event was taken; the platform will not send it again."""
    return b'{"code":200}'


def refused() -> bytes:
    """Say that an event was not taken; the platform will send it again."""
    return b'{"code":500}'


def answer_text(answer: Mapping[str, object]) -> bytes:
    """A press's answer as JSON, an object in every case; raises ValueError if it cannot be sent."""
    try:
        text = orjson.dumps(dict(answer))
    except (TypeError, ValueError) as error:
        raise ValueError("a callback answer must be a JSON object") from error
    if len(text) > ANSWER_BYTES_MAX:
        raise ValueError(f"a callback answer may have {ANSWER_BYTES_MAX} bytes, not {len(text)}")
    return text


def framed(text: bytes) -> bytes:
    """Acknowledge a press with an answer that is JSON already."""
    return orjson.dumps({"code": 200, "data": base64.b64encode(text).decode("ascii")})


def answered(answer: Mapping[str, object]) -> bytes:
    """Acknowledge a press with its answer; raises ValueError if it cannot be sent."""
    return framed(answer_text(answer))
