"""Reading stored events: bytes to typed values, old versions included.

A wire name is a literal, versioned string in one table (`ledger.wire`). What is not in the table is an error,
never a guess: a reader that skips an event it does not know would show a state that is not true.
"""

import msgspec

from ledger.events import Body, Facts, Kind, Recorded, Words
from ledger.wire import kind_named

_decode_body = msgspec.json.Decoder(Body, strict=True).decode


class CodecError(ValueError):
    """Stored bytes are not what this program writes or once wrote."""


def decode_body(body_bytes: bytes) -> Body:
    """Read the hashed part of an event. Raises CodecError if it is not one."""
    try:
        return _decode_body(body_bytes)
    except msgspec.MsgspecError as error:
        raise CodecError(f"not an event body: {error}") from error


def decode_event(body_bytes: bytes, words_bytes: bytes | None, event_hash: bytes) -> Recorded:
    """Read a stored event, upcasting old versions. Raises CodecError for an unknown kind or shape."""
    body = decode_body(body_bytes)
    kind = kind_named(body.kind, body.version)
    if kind is None:
        raise CodecError(f"unknown event kind {body.kind} version {body.version} at seq {body.seq}")
    return Recorded(
        seq=body.seq,
        at_ms=body.at_ms,
        kind=body.kind,
        goal_id=body.goal_id,
        actor=body.actor,
        surface=body.surface,
        facts=_facts(kind, body),
        words=_words(kind, words_bytes),
        hash=event_hash,
    )


def _facts(kind: Kind, body: Body) -> Facts:
    try:
        facts = body.facts if kind.upcast is None else kind.upcast(body.facts)
        return msgspec.convert(facts, kind.facts)
    except msgspec.ValidationError as error:
        raise CodecError(f"facts of {body.kind} at seq {body.seq}: {error}") from error


def _words(kind: Kind, words_bytes: bytes | None) -> Words | None:
    if words_bytes is None or kind.words is None:
        return None
    try:
        return msgspec.json.decode(words_bytes, type=kind.words)
    except msgspec.MsgspecError as error:
        raise CodecError(f"words of {kind.name}: {error}") from error
