"""A ledger as JSON lines, complete: whoever has them can compute every hash again without this program.

One object a line. `ledger` comes first and says which life of which ledger this is. Each `event` carries its body
exactly as hashed, its words as recorded (null where they were erased or never were), the salt and the chained hash.
Then come `receipt` and `refusal` lines, and an `end` line with counts, heads and a digest of all lines before it: a
file without it is not whole. The chain of events proves which receipt an event names, not what was asked by it, and it
proves no refusal; the digest does, and the digest of the whole file, which is told when it was written, proves it.
"""

import base64
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from daemon.cli.output import STDOUT, write
from ledger.canonical import canonical
from ledger.ports import EventRow, Head, ReceiptRow, RefusalRow
from ledger.store.sqlite_read import SqliteReads

FORMAT = "frontstage_ledger_export_v2"
FILE_MODE = 0o600
_encode = msgspec.json.Encoder().encode


@dataclass
class Counts:
    """What was written, or read."""

    events: int = 0
    receipts: int = 0
    refusals: int = 0


@dataclass
class Copied(Counts):
    """All of a file."""

    digest: str = ""
    """Of its bytes, as `sha256sum` says it."""
    is_proved: bool = True
    """Whether its end line has a digest of the others; without it receipts and refusals rest on nobody's word."""


def copy_out(store: SqliteReads, target: Path | None) -> Copied:
    """Write everything to a new private file, or to standard output. Raises FileExistsError and OSError.

    A file that could not be finished is removed: a part that looks like a whole is worse than none.
    """
    if target is None:
        return _copy(store, lambda data: write(STDOUT, data))
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:

            def put(data: bytes) -> None:
                file.write(data)

            counts = _copy(store, put)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return counts


def _copy(store: SqliteReads, write_out: Callable[[bytes], None]) -> Copied:
    counts, lines = Counts(), hashlib.sha256()

    def put(data: bytes) -> None:
        lines.update(data)
        write_out(data)

    anchor = store.refusals_anchor()
    last = Head(0, bytes(32))
    put(
        _line(
            {"record": "ledger", "format": FORMAT, "incarnation": store.incarnation(), "refusals_after": _head(anchor)}
        )
    )
    for event in store.events(0):
        put(_line(_event(event)))
        counts.events += 1
        last = Head(event.seq, event.hash)
    for receipt in store.receipts():
        if receipt.last_seq > last.seq:
            continue  # Committed while the events were read; the end line says how far this export goes.
        put(_line(_receipt(receipt)))
        counts.receipts += 1
    last_refusal = anchor
    for refusal in store.refusals(anchor.seq):
        put(_line(_refusal(refusal)))
        counts.refusals += 1
        last_refusal = Head(refusal.number, refusal.hash)
    heads = {"head": _head(last), "refusals_head": _head(last_refusal)}
    put(_line({"record": "end", **vars(counts), **heads, "lines_digest": lines.hexdigest()}))
    return Copied(**vars(counts), digest=lines.hexdigest())


def _line(record: dict[str, object]) -> bytes:
    return _encode(record) + b"\n"


def _head(head: Head) -> str:
    return f"{head.seq}:{head.hash.hex()}"


def _event(row: EventRow) -> dict[str, object]:
    return {
        "record": "event",
        "seq": row.seq,
        "goal_id": row.goal_id,
        "kind": row.kind,
        **_bytes("body", row.body),
        **(_bytes("words", row.words) if row.words is not None else {"words": None}),
        "salt": None if row.salt is None else row.salt.hex(),
        "hash": row.hash.hex(),
    }


def _receipt(row: ReceiptRow) -> dict[str, object]:
    return {
        "record": "receipt",
        "key": row.key.hex(),
        "params_digest": row.params_digest.hex(),
        "action": row.action,
        "first_seq": row.first_seq,
        "last_seq": row.last_seq,
    }


def _refusal(row: RefusalRow) -> dict[str, object]:
    return {
        "record": "refusal",
        "number": row.number,
        "at_ms": row.at_ms,
        **_bytes("body", row.body),
        "hash": row.hash.hex(),
    }


def _bytes(name: str, data: bytes) -> dict[str, object]:
    """Stored bytes as the JSON they are; as base64 if they are not exactly what would be encoded again."""
    try:
        exact = canonical(msgspec.json.decode(data)) == data
    except (msgspec.DecodeError, UnicodeDecodeError):
        exact = False
    if exact:
        return {name: msgspec.Raw(data)}
    return {f"{name}_base64": base64.b64encode(data).decode("ascii")}
