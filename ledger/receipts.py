"""Receipts: the durable answer to one request key.

Same key and same parameters: the original answer comes back, whatever happened since. Same key and other
parameters: a conflict. A refusal never consumes a key, so that what was refused can be asked again.
"""

import hashlib
import re

from ledger.ids import MemberId, ReceiptId
from ledger.params import Params

RECEIPT_KEY_BYTES = 22
_TIME_ORDERED = re.compile(r"k([0-9a-f]{12})-[0-9a-f]{8,32}")


def receipt_key(actor: MemberId, request_key: str) -> bytes:
    """The key a receipt is stored by: a time prefix where the client's key has one, then a digest.

    The digest includes the actor: two callers who happen to use one key never meet. The prefix only keeps new
    receipts together on disk; it decides nothing.
    """
    match = _TIME_ORDERED.fullmatch(request_key)
    prefix = bytes.fromhex(match.group(1)) if match else bytes(6)
    return prefix + hashlib.sha256(f"{actor}\0{request_key}".encode()).digest()[:16]


def receipt_id(key: bytes) -> ReceiptId:
    """The name of a receipt as people and programs see it."""
    return ReceiptId("r_" + key[6:].hex()[:24])


def params_digest(action_name: str, params: Params) -> bytes:
    """A digest of what was asked, without the defaults: a parameter added later changes no old digest.

    The fields come in the order of their declaration, which is as good as sorted: it is ours, not the caller's.
    """
    asked = params.__pydantic_serializer__.to_json(params, exclude_defaults=True)
    return hashlib.sha256(action_name.encode() + b"\0" + asked).digest()[:16]
