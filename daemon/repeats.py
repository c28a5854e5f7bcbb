"""Questions asked again, byte for byte: most of what an agent asks is what it asked a moment ago.

Such a request is answered where it is heard, without being parsed, routed and given a task, which is three quarters of
what a hot read costs. Who answered it the first time leaves behind how to answer it again, and that gives None as soon
as the answer could be another: then the request goes the long way. Requests are kept by digest, for they hold secrets.
"""

import hashlib
import re
from collections.abc import Callable

Again = Callable[[], bytes | None]
"""Makes the whole answer, head and body, from the state of now; None when the question has to be asked in full."""

KEPT_MAX = 2_048
ASKED_BYTES_MAX = 2_048
_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,9})[ \t]*(?=\r\n)", re.IGNORECASE)
_OTHER_BODY = re.compile(rb"\r\n(?:transfer-encoding|expect|upgrade)[ \t]*:", re.IGNORECASE)


class Repeats:
    """The requests that can be answered again."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Again] = {}

    def answer(self, asked: bytes) -> bytes | None:
        """The answer to a request that was answered before, if it is still true."""
        if not asked.startswith(b"GET ") or len(asked) > ASKED_BYTES_MAX:
            return None
        again = self._kept.get(hashlib.sha256(asked).digest())
        return None if again is None else again()

    def keep(self, asked: bytes, again: Again) -> None:
        """From now on, `asked` may be answered by `again`. It must be the whole of one request."""
        if len(asked) > ASKED_BYTES_MAX:
            return
        if len(self._kept) >= KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        self._kept[hashlib.sha256(asked).digest()] = again


def is_one_request(heard: bytes) -> bool:
    """Whether these bytes are one request and nothing beyond it, as far as can be seen without parsing it."""
    head, end, body = heard.partition(_HEAD_END)
    head += b"\r\n"
    if not end or _OTHER_BODY.search(head) is not None:
        return False
    lengths = _LENGTH.findall(head)
    if not lengths:
        return not body and b"content-length" not in head.lower()
    return len(lengths) == 1 and len(body) == int(lengths[0])
