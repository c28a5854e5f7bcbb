"""Reading stored events: bytes to typed values, old versions included.

A wire name is a literal, versioned string in one table (`ledger.wire`). What is not in the table is an error,
never a guess: a reader that skips an event it does not know would show a state that is not true.

Nearly every event of a long log is of the present version of its kind. `decode_row` reads such a one in one step, by a
decoder that was made for its kind; whatever that one does not take, an old version or a damaged row, goes the long way.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

import msgspec
from msgspec.structs import force_setattr

from ledger.events import Body, Facts, Kind, Recorded, Words, code_step_of
from ledger.ports import EventRow
from ledger.wire import all_kinds, kind_named

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
        proof=code_step_of(body.proof),
    )


class _Reader(NamedTuple):
    """How an event of one kind and of its present version is read: its bytes, and its words where it has any."""

    event: Callable[[bytes], Recorded]
    words: Callable[[bytes], Words] | None


def _reader(kind: Kind) -> _Reader:
    """Decoders of one kind; the version and the name are part of the type, so that no other event passes for it."""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [
        ("kind", Literal[kind.name]),
        ("version", Literal[kind.version]),
        ("facts", kind.facts),
        ("words", Words | None, None),
        ("hash", bytes, b""),
    ]
    typed = msgspec.defstruct(kind.facts.__name__, fields, bases=(Recorded,), frozen=True, kw_only=True)
    words = None if kind.words is None else msgspec.json.Decoder(kind.words, strict=True).decode
    return _Reader(cast("Callable[[bytes], Recorded]", msgspec.json.Decoder(typed, strict=True).decode), words)


_READERS = {kind.name: _reader(kind) for kind in all_kinds() if kind.upcast is None}


def decode_row(row: EventRow) -> Recorded:
    """The same as `decode_event` for a whole row, in a third of the time where the event is of the present version."""
    _, _, kind, body, words, _, event_hash = row
    reader = _READERS.get(kind)
    if reader is not None:
        try:
            event = reader.event(body)
            # What the bytes may have under these names is not theirs to say.
            force_setattr(event, "words", None if words is None or reader.words is None else reader.words(words))
            force_setattr(event, "hash", event_hash)
        except msgspec.MsgspecError:
            return decode_event(body, words, event_hash)
        return event
    return decode_event(body, words, event_hash)


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
