"""Replay: a state from the log, and nothing taken on trust on the way.

Every event that is folded is proved first, as `ledger verify` proves it: its place, its hash over the bytes and over
all that came before, the columns it is found by, and its words. A history that does not hold makes no state, for
whoever then wrote would chain more onto what is broken.
"""

from collections.abc import Iterable
from hashlib import sha256

from ledger.codec import CodecError, decode_body, decode_row
from ledger.ports import EventRow, StoreUnusable
from ledger.reduce import fold
from ledger.state import Workspace

_NO_WORDS = b'"words_digest":null}'
_DIGEST_AT = slice(-66, -2)
"""Where the canonical spelling has the digest: `words_digest` is the last of its keys."""


def fold_proved(workspace: Workspace, rows: Iterable[EventRow]) -> None:
    """Fold the rows that go on from the state, each proved first. Raises StoreUnusable at the first that fails."""
    seq, last_hash = workspace.seq, workspace.hash
    for row in rows:
        number, goal_id, _, body, words, salt, row_hash = row
        seq += 1
        if number != seq or sha256(last_hash + body).digest() != row_hash:
            raise _broken(seq)
        try:
            event = decode_row(row)
        except CodecError as error:
            raise StoreUnusable(f"event {seq} cannot be read: {error}") from error
        if event.seq != seq or event.goal_id != goal_id or event.kind != row.kind:
            raise _broken(seq)
        if (words is not None or salt is not None) and not _are_words_of(body, words, salt):
            raise _broken(seq)
        fold(workspace, event)
        last_hash = row_hash


def fold_given(workspace: Workspace, rows: Iterable[EventRow]) -> None:
    """The same for rows that somebody else proves meanwhile; what comes of it is not used before that is done."""
    for row in rows:
        fold(workspace, decode_row(row))


def _are_words_of(body: bytes, words: bytes | None, salt: bytes | None) -> bool:
    if words is None or salt is None or body.endswith(_NO_WORDS):
        return False
    digest = sha256(salt + words).hexdigest()
    return body[_DIGEST_AT] == digest.encode() or decode_body(body).words_digest == digest


def _broken(seq: int) -> StoreUnusable:
    return StoreUnusable(f"the history does not hold at event {seq}: see `frontstage ledger verify`")
