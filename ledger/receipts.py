"""Receipts: the durable answer to one request key.

Same key and same parameters: the original answer comes back, whatever happened since. Same key and other
parameters: a conflict. A refusal never consumes a key, so that what was refused can be asked again.
"""

import hashlib
import re

from ledger.ids import MemberId, ReceiptId
from ledger.params import Params

RECEIPT_KEY_BYTES = 22
DIGEST_BYTES = 16
"""Of what was asked."""
_PREFIX_BYTES = 6
RECENT_KEYS_MAX = 16_384
"""Keys remembered in each of two generations."""
_TIME_ORDERED = re.compile(r"k([0-9a-f]{12})-[0-9a-f]{8,32}")


def receipt_key(actor: MemberId, request_key: str) -> bytes:
    """The key a receipt is stored by: a time prefix where the client's key has one, then a digest.

    The digest includes the actor: two callers who happen to use one key never meet. The prefix only keeps new
    receipts together on disk; it decides nothing.
    """
    match = _TIME_ORDERED.fullmatch(request_key)
    prefix = bytes.fromhex(match.group(1)) if match else bytes(_PREFIX_BYTES)
    return prefix + hashlib.sha256(f"{actor}\0{request_key}".encode()).digest()[:16]


def receipt_id(key: bytes) -> ReceiptId:
    """The name of a receipt as people and programs see it."""
    return ReceiptId("r_" + key[_PREFIX_BYTES:].hex()[:24])


def params_digest(action_name: str, params: Params) -> bytes:
    """A digest of what was asked, without the defaults: a parameter added later changes no old digest.

    The fields come in the order of their declaration, which is as good as sorted: it is ours, not the caller's.
    """
    asked = params.__pydantic_serializer__.to_json(params, exclude_defaults=True)
    return hashlib.sha256(action_name.encode() + b"\0" + asked).digest()[:DIGEST_BYTES]


class RecentKeys:
    """Which keys may have a receipt, so that the store is asked only about those.

    A new request brings a new key, and looking for its receipt in vain costs more than deciding it. The keys stored
    since the start are remembered, the oldest dropped by the generation, and with them the newest time prefix of all
    that are not remembered: a key that is newer than it and not among the remembered ones has no receipt. Only what
    is asked of the store rests on the prefix, never an answer: a clock that runs ahead makes this slower, not wrong.
    """

    def __init__(self, newest_stored: bytes | None, *, kept_max: int = RECENT_KEYS_MAX) -> None:
        self._kept_max = kept_max
        self._floor = (newest_stored or b"")[:_PREFIX_BYTES].ljust(_PREFIX_BYTES, b"\0")
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()

    def add(self, key: bytes) -> None:
        """Remember a key that will be stored."""
        if len(self._young) >= self._kept_max:
            self._floor = max(self._floor, max(self._old, default=b"")[:_PREFIX_BYTES])
            self._young, self._old = set(), self._young
        self._young.add(key)

    def may_include(self, key: bytes) -> bool:
        """Whether a receipt of this key may have been stored."""
        return key[:_PREFIX_BYTES] <= self._floor or key in self._young or key in self._old

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._young) + len(self._old)
