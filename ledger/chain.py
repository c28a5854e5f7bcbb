"""The chain: each event's hash covers its bytes and everything before it.

Words enter only as a salted digest. Erasing them takes the salt away too, so that nobody can check a guess,
and leaves every hash as it was.
"""

import hashlib


def link(prev_hash: bytes, body_bytes: bytes) -> bytes:
    """The hash that chains `body_bytes` to everything before it."""
    return hashlib.sha256(prev_hash + body_bytes).digest()


def words_digest(words_bytes: bytes, salt: bytes) -> str:
    """Digest of words under their salt, in hex."""
    return hashlib.sha256(salt + words_bytes).hexdigest()
