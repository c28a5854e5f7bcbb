"""Button tokens: what a card's button carries, minted and verified by the daemon alone.

A token names an action, its subject (the card slot without the chat), the basis it was drawn from, its audience (the
tenant and chat), when it ends, and a nonce. It is signed, compact and opaque to everybody else. Nothing else on a card
is trusted; and the token says what may be asked, never who may ask it.
"""

import base64
import hashlib
import hmac
import struct
from dataclasses import dataclass

from ledger.catalogue import BY_NUMBER, Action

TOKEN_CHARS_MAX = 480
"""Fits the longest subject there can be: a question in one person's behalf under a message id of 200 characters."""
MAC_BYTES = 16
NONCE_BYTES = 8
AUDIENCE_BYTES = 8
LIFE_MS = 14 * 86_400_000
_HEAD = struct.Struct(">BHHI8s8s")
_VERSION = 1
NONCE_KEY_ID = 0
"""No token is signed with it."""


class ForgedError(Exception):
    """The token is not one of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """What a verified token says."""

    action: Action
    subject: str
    basis: str | None
    audience: bytes
    expires_at_ms: int
    nonce: bytes
    expired: bool
    """Once good: it may be answered with a fresh card, and with nothing else."""


def audience_of(tenant_key: str, chat_id: str) -> bytes:
    """A digest of where a card is shown."""
    return hashlib.sha256(f"{tenant_key}\0{chat_id}".encode()).digest()[:AUDIENCE_BYTES]


class ButtonKeys:
    """The keys of the ledger's button tokens, derived from one secret that never leaves this machine."""

    def __init__(self, master: bytes) -> None:
        self._master = master

    def mint(
        self,
        key_id: int,
        *,
        action: Action,
        subject: str,
        basis: str | None,
        audience: bytes,
        expires_at_ms: int,
        turn: int = 0,
    ) -> str:
        """Sign a token. The nonce follows from what it stands for, so the same card gets the same token.

        It does not follow from the key: a press under an old key and one under the new are the same request.
        """
        meant = f"{subject}\0{basis}\0{action.number}\0".encode() + audience
        meant += f"\0{turn}".encode() if turn else b""
        nonce = self._mac(NONCE_KEY_ID, b"nonce", meant)[:NONCE_BYTES]
        head = _HEAD.pack(_VERSION, key_id, action.number, expires_at_ms // 1000, audience, nonce)
        seen = bytes.fromhex(basis[3:]) if basis else b""
        payload = head + bytes([len(seen)]) + seen + subject.encode()
        return (
            base64.urlsafe_b64encode(payload + self._mac(key_id, b"token", payload)[:MAC_BYTES]).rstrip(b"=").decode()
        )

    def verify(self, token: str, keys: dict[int, int | None], now_ms: int) -> Button:
        """Read a token, which may have ended. Raises ForgedError."""
        payload, mac = _split(token)
        version, key_id, number, expires_s, audience, nonce = _HEAD.unpack_from(payload)
        if version != _VERSION or key_id not in keys or number not in BY_NUMBER:
            raise ForgedError
        if not hmac.compare_digest(self._mac(key_id, b"token", payload)[:MAC_BYTES], mac):
            raise ForgedError
        until_ms = keys[key_id]
        rest = payload[_HEAD.size :]
        seen, subject = rest[1 : 1 + rest[0]], rest[1 + rest[0] :].decode()
        return Button(
            action=BY_NUMBER[number],
            subject=subject,
            basis=f"b1:{seen.hex()}" if seen else None,
            audience=audience,
            expires_at_ms=expires_s * 1000,
            nonce=nonce,
            expired=now_ms >= expires_s * 1000 or (until_ms is not None and now_ms >= until_ms),
        )

    def _mac(self, key_id: int, purpose: bytes, message: bytes) -> bytes:
        key = hmac.digest(self._master, b"button\0%d" % key_id, "sha256")
        return hmac.digest(key, purpose + b"\0" + message, "sha256")


def _split(token: str) -> tuple[bytes, bytes]:
    if len(token) > TOKEN_CHARS_MAX:
        raise ForgedError
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise ForgedError from error
    if len(raw) <= _HEAD.size + 1 + MAC_BYTES:
        raise ForgedError
    return raw[:-MAC_BYTES], raw[-MAC_BYTES:]
