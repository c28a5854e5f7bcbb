"""Secrets that are made here and shown once.

The ledger takes the digest of a secret and never the secret, so that neither its files nor its log can give one away
and a repeated request is the same request. A credential is 256 random bits; a pairing code is short enough to type
into a chat and lives for minutes.
"""

import hashlib
import json
import os
from base64 import urlsafe_b64encode

SECRET_BYTES = 32
CODE_CHARS = 8
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SECRET_PREFIX = "fs_"  # noqa: S105  (lets a log filter know one by its look)


class Minted:
    """A new secret as it is shown, and the digest that is sent."""

    __slots__ = ("digest", "shown")

    def __init__(self, shown: str, hashed: str) -> None:
        self.shown = shown
        self.digest = hashlib.sha256(hashed.encode("ascii")).hexdigest()


def mint(field: str) -> Minted:
    """Make the secret whose digest goes into `field`."""
    if field == "code_digest":
        # 256 is a multiple of 32: every letter is equally likely.
        code = "".join(CROCKFORD[byte % 32] for byte in os.urandom(CODE_CHARS))
        return Minted(f"{code[:4]}-{code[4:]}", code)
    secret = SECRET_PREFIX + urlsafe_b64encode(os.urandom(SECRET_BYTES)).decode("ascii").rstrip("=")
    return Minted(secret, secret)


def with_secret(body: bytes, secret: str, *, as_json: bool) -> bytes:
    """The daemon's answer with the secret beside it."""
    if not as_json:
        return body.rstrip(b"\n") + f"\nsecret: {secret}\n".encode()
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        # An answer nobody understands must not cost the secret.
        return body.rstrip(b"\n") + b"\n" + json.dumps({"secret": secret}).encode("ascii")
    return json.dumps({**document, "secret": secret}).encode("ascii")
