"""Searching words in SQLite: an FTS5 table of trigrams, in which any three letters of any script can be looked up.

A term of three letters or more is looked up as a phrase of its trigrams; a shorter one, as many Chinese words are, is
compared with each text of the range that was asked for, which is why that range is bounded. Terms are quoted, so that
nothing in them is syntax. What is found is compared once more as plain text: the index may only ever be too generous.
"""

from collections.abc import Sequence
from itertools import islice

import apsw

from ledger.ports import Erasure, SearchRow, SearchState
from ledger.store import statements

TRIGRAM = 3
_SQL = statements.named("search.sql")


def state(connection: apsw.Connection) -> SearchState:
    """How far the index has come, and which way of making it made it."""
    return SearchState._make(connection.execute(_SQL["state"]).fetchall()[0])


def keep(cursor: apsw.Cursor, found: SearchState, rows: Sequence[SearchRow]) -> None:
    """Enter rows and say how far the index is now; another way of making it begins with nothing."""
    if state(cursor.connection).version != found.version:
        cursor.execute(_SQL["forget_all"])
    cursor.executemany(_SQL["insert"], rows)
    cursor.execute(_SQL["set_state"], found)


def forget(cursor: apsw.Cursor, erasures: Sequence[Erasure]) -> None:
    """Take the texts out of which words were just erased."""
    for erasure in erasures:
        for seq in erasure.seqs:
            cursor.execute(_SQL["forget_without_words"], (seq,))
        if erasure.goal_id is not None:
            cursor.execute(_SQL["forget_goal"], (erasure.goal_id, erasure.through_seq))
        if erasure.member_id is not None:
            cursor.execute(_SQL["forget_member"], (erasure.member_id, erasure.through_seq))


def find(
    connection: apsw.Connection, terms: Sequence[str], after_seq: int, before_seq: int, limit: int
) -> list[SearchRow]:
    """Texts of these events that contain every term, the newest first."""
    phrases = [_phrase(term) for term in terms if len(term) >= TRIGRAM]
    cursor = connection.cursor()
    try:
        if phrases:
            found = cursor.execute(_SQL["matching"], (" AND ".join(phrases), after_seq, before_seq))
        else:
            found = cursor.execute(_SQL["between"], (after_seq, before_seq))
        rows = map(SearchRow._make, found)
        return list(islice((row for row in rows if all(term in row.folded for term in terms)), limit))
    finally:
        # A statement that stays open would keep the log from being folded back.
        cursor.close()


def _phrase(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
