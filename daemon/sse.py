"""The feed's bytes as events: a parser of server-sent events that does no I/O.

Bytes go in as they arrive, cut anywhere; events come out when they are whole. What the daemon never sends is an
error and not a guess, so that a reader does not silently miss what it waits for.
"""

import json
from typing import NamedTuple

EVENT_BYTES_MAX = 65_536
_CHUNK_LINE_BYTES_MAX = 64


class FeedEvent(NamedTuple):
    """Something was committed: what kind of event, and about which goal, if any."""

    seq: int
    kind: str
    goal_id: str | None


class FeedMalformed(ValueError):
    """The stream is not the feed of a Frontstage daemon."""


class FeedParser:
    """Collects lines into events; comments are heartbeats and yield nothing."""

    def __init__(self) -> None:
        self._pending = b""
        self._data = b""

    def receive(self, data: bytes) -> list[FeedEvent]:
        """The events that these bytes complete. Raises FeedMalformed."""
        *lines, self._pending = (self._pending + data).replace(b"\r\n", b"\n").split(b"\n")
        if len(self._pending) + len(self._data) > EVENT_BYTES_MAX:
            raise FeedMalformed(f"an event is longer than {EVENT_BYTES_MAX} bytes")
        events: list[FeedEvent] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data += line[5:].strip()
            elif not line and self._data:
                events.append(_event(self._data))
                self._data = b""
        return events


def _event(data: bytes) -> FeedEvent:
    try:
        document = json.loads(data)
    except ValueError as error:
        raise FeedMalformed("an event is not JSON") from error
    if not isinstance(document, dict):
        raise FeedMalformed("an event is not an object")
    seq, kind, goal_id = document.get("seq"), document.get("kind"), document.get("goal_id")
    if type(seq) is not int or not isinstance(kind, str) or not isinstance(goal_id, str | None):
        raise FeedMalformed("an event lacks its seq, kind or goal_id")
    return FeedEvent(seq, kind, goal_id)


class ChunkParser:
    """Takes HTTP's chunked coding off a stream; `ended` once the last chunk is through."""

    def __init__(self) -> None:
        self._pending = b""
        self._left = 0
        self.ended = False

    def receive(self, data: bytes) -> bytes:
        """The content in these bytes. Raises FeedMalformed."""
        self._pending += data
        content: list[bytes] = []
        while self._pending and not self.ended:
            if self._left == 0:
                line, found, rest = self._pending.lstrip(b"\r\n").partition(b"\r\n")
                if not found:
                    if len(self._pending) > _CHUNK_LINE_BYTES_MAX:
                        raise FeedMalformed("the stream is not chunked")
                    break
                self._begin(line)
                self._pending = rest
                continue
            part, self._pending = self._pending[: self._left], self._pending[self._left :]
            self._left -= len(part)
            content.append(part)
        return b"".join(content)

    def _begin(self, line: bytes) -> None:
        try:
            self._left = int(line.split(b";")[0], 16)
        except ValueError as error:
            raise FeedMalformed("the stream is not chunked") from error
        self.ended = self._left == 0
