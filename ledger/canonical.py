"""Canonical bytes: one value, one spelling.

JSON with sorted keys, no spaces, UTF-8, no floats, ASCII keys and integers below 2**53. On that domain the
bytes equal RFC 8785; a test compares them with an independent implementation. What is hashed is what was
encoded here, never what was received.
"""

import hashlib

import msgspec

INTEGER_MAX = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

canonical = msgspec.json.Encoder(order="sorted").encode
"""Encode a value of strings, integers, booleans, null, lists, mappings and Structs."""


def digest_hex(value: object) -> str:
    """SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def basis_of(*parts: object) -> str:
    """A basis: what somebody saw when they decided, as a short digest that a card or a shell can carry."""
    return "b1:" + digest_hex(parts)[:32]
