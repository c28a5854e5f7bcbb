"""How a request proves that the platform sent it, and how it is opened: pure functions of bytes.

The platform signs the raw body (`sha256(timestamp + nonce + key + body)`, in hex) and encrypts its content (AES-256-CBC
under `sha256(key)`, the first block being the initialisation vector, padded as PKCS #7). The vendor's own handler
compares signatures in a time that depends on them, knows no window of time, answers a replay like the original, and
takes a request whose headers are spelt in small letters for an unsigned one; hence this file.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from Crypto.Cipher import AES
from Crypto.Util.Padding import unpad

SIGNATURE_HEADER: Final = "x-lark-signature"
TIMESTAMP_HEADER: Final = "x-lark-request-timestamp"
NONCE_HEADER: Final = "x-lark-request-nonce"
# A request older or newer than this is none of now, whatever it is signed with.
WINDOW_MS: Final = 5 * 60_000
TIMESTAMP_DIGITS_MAX: Final = 12
NONCE_CHARS_MAX: Final = 128
_BLOCK: Final = AES.block_size


class UnprovenError(Exception):
    """The request does not show that the platform sent it now; says why in a fixed word, and quotes nothing."""

    def __init__(self, why: str) -> None:
        """`why` is one of `unsigned`, `stale`, `forged`."""
        super().__init__(why)
        self.why = why


class SealedError(Exception):
    """What is said to be encrypted cannot be opened with this key."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """What names one signed request: the same nonce and the same digest are the same request."""

    nonce: str
    digest: bytes


class StaleError(UnprovenError):
    """The platform sent it, and not now."""

    def __init__(self, proof: Proof) -> None:
        """`proof` names the request, for whoever waits for it."""
        super().__init__("stale")
        self.proof = proof


def prove(headers: Mapping[str, str], body: bytes, *, encrypt_key: str, now_ms: int) -> Proof:
    """Check signature and time of a raw request. Raises UnprovenError."""
    found = {name.lower(): value for name, value in headers.items()}
    signature, timestamp = found.get(SIGNATURE_HEADER, ""), found.get(TIMESTAMP_HEADER, "")
    nonce = found.get(NONCE_HEADER, "")
    if not signature or not timestamp or not 0 < len(nonce) <= NONCE_CHARS_MAX:
        raise UnprovenError("unsigned")
    # A header may hold bytes that are no text: they sign nothing, and are no mistake of ours.
    stamped = timestamp.encode(errors="replace")
    sealed = b"".join((stamped, nonce.encode(errors="replace"), encrypt_key.encode(), body))
    if not same_text(hashlib.sha256(sealed).hexdigest(), signature):
        raise UnprovenError("forged")
    proof = Proof(nonce=nonce, digest=hashlib.sha256(stamped + b"\0" + body).digest())
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= TIMESTAMP_DIGITS_MAX):
        raise StaleError(proof)
    if abs(now_ms - int(timestamp) * 1_000) > WINDOW_MS:
        raise StaleError(proof)
    return proof


def is_signed(headers: Mapping[str, str]) -> bool:
    """Whether the request claims to be signed at all; the platform's question for its own challenge is not."""
    return any(name.lower() == SIGNATURE_HEADER for name in headers)


def same_text(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


def opened(encrypted: str, *, encrypt_key: str) -> bytes:
    """The content of an encrypted body. Raises SealedError."""
    try:
        raw = base64.b64decode(encrypted, validate=True)
    except (binascii.Error, ValueError) as error:
        raise SealedError from error
    if len(raw) < 2 * _BLOCK or len(raw) % _BLOCK:
        raise SealedError
    cipher = AES.new(hashlib.sha256(encrypt_key.encode()).digest(), AES.MODE_CBC, iv=raw[:_BLOCK])
    try:
        return unpad(cipher.decrypt(raw[_BLOCK:]), _BLOCK)
    except ValueError as error:
        raise SealedError from error
