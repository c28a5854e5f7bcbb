"""Search: goals, todos, gates, artifacts and events by the words that were written about them.

Every term must stand in the text just as it was typed; nothing in a search is syntax. Answers are ids, the newest
words first, with a short piece of the text around what was found, read from the log and not from the index. Of a
private goal those find nothing who have no part in it: what is withheld from a reader is not found by guessing either.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from ledger.codec import decode_row
from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.params import Params
from ledger.ports import SearchRow, Store
from ledger.projections.history import Asking, Document, Reading
from ledger.projections.outlet import rights_of
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.search_params import TERMS_MAX, FindWords
from ledger.searching import folded, parts_of, texts_of
from ledger.text.times import rfc3339

SNIPPET_CHARS = 160
BEFORE_CHARS = 40
FETCHED_MAX = 200
"""Texts that are fetched at once."""
LOOKED_AT_MAX = 2_000
"""Texts that one call looks at, found or not; beyond them the page says where to go on."""
SHORT_SPAN = 50_000
"""Events that one call looks through for terms of one or two letters, which no index knows."""
SHORT = 3


def find_words(asking: Asking, asked: Params) -> Reading | Refusal:
    """A page of what was found."""
    ask = cast("FindWords", asked)
    terms = tuple(dict.fromkeys(folded(ask.query).split()))
    if not terms:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="query", problem="has nothing to look for")
    if len(terms) > TERMS_MAX:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="query", problem=f"has more than {TERMS_MAX} words")
    workspace = asking.workspace
    if ask.goal_id is not None and GoalId(ask.goal_id) not in workspace.goals:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    rights_in = rights_of(workspace, asking.caller)
    hidden = frozenset(goal_id for goal_id in workspace.goals if rights_in(goal_id) == "stranger")
    before = min(ask.after or asking.through_seq + 1, asking.through_seq + 1)
    return lambda store: _found(store, ask, terms, hidden, before, asking.through_seq)


def _found(
    store: Store, ask: FindWords, terms: tuple[str, ...], hidden: frozenset[GoalId], before: int, through_seq: int
) -> Document:
    short = all(len(term) < SHORT for term in terms)
    floor = max(0, before - 1 - SHORT_SPAN) if short else 0
    hits: list[Document] = []
    seen = before
    next_after = floor + 1 if floor else None
    for looked_at, row in enumerate(_texts(store, terms, floor, before)):
        if len(hits) >= ask.limit or looked_at == LOOKED_AT_MAX:
            next_after = seen
            break
        seen = row.seq
        if _fits(row, ask) and row.goal_id not in hidden:
            hits += [hit for hit in _hits(store, row, terms) if ask.kind is None or hit["kind"] == ask.kind]
    indexed = store.search_state().through_seq
    return {
        "schema_version": "frontstage_search_v1",
        "hits": hits,
        "indexed_through": min(indexed, through_seq),
        "complete": indexed >= through_seq,
        "next_after": next_after,
        "source_warnings": [],
    }


def _texts(store: Store, terms: tuple[str, ...], floor: int, before: int) -> Iterator[SearchRow]:
    while rows := store.find_words(terms, floor, before, FETCHED_MAX):
        yield from rows
        before = rows[-1].seq


def _fits(row: SearchRow, ask: FindWords) -> bool:
    """Whether a text may be of what is asked for; among the words of a plan there are those of its todos."""
    kind = ask.kind is None or row.kind == ask.kind or (ask.kind == "todo" and row.kind == "event")
    return kind and (ask.goal_id is None or row.goal_id == ask.goal_id)


def _hits(store: Store, row: SearchRow, terms: tuple[str, ...]) -> list[Document]:
    """The todos within an event of which everything is said that was asked for; where there are none, the thing itself.

    Nothing, if its words went in this very moment.
    """
    stored = next(store.events(row.seq - 1, limit=1), None)
    if stored is None or stored.words is None:
        return []
    event = decode_row(stored)
    fitting = [(todo_id, said) for todo_id, said in parts_of(event.facts, event.words) if _all_in(said, terms)]
    if fitting:
        return [_hit(row, event, "todo", todo_id, said, terms) for todo_id, said in fitting]
    return [_hit(row, event, row.kind, row.subject_id, texts_of(event.words), terms)]


def _all_in(texts: Iterable[str], terms: tuple[str, ...]) -> bool:
    whole = "\n".join(folded(text) for text in texts)
    return all(term in whole for term in terms)


def _hit(
    row: SearchRow, event: Recorded, kind: str, subject_id: str, texts: Iterable[str], terms: tuple[str, ...]
) -> Document:
    """One thing with what was found of it."""
    text = next((text for text in texts if any(term in folded(text) for term in terms)), "")
    return {
        "kind": kind,
        "id": subject_id,
        "goal_id": row.goal_id,
        "seq": row.seq,
        "at": rfc3339(event.at_ms),
        "event_kind": event.kind,
        "snippet": _snippet(text, terms),
    }


def _snippet(text: str, terms: tuple[str, ...]) -> str:
    """A piece of the text around the first term that can be pointed at, on one line."""
    line = " ".join(text.split())
    lower = line.casefold()
    places = [lower.find(term) for term in terms] if len(lower) == len(line) else []
    start = max(0, min((place for place in places if place >= 0), default=0) - BEFORE_CHARS)
    piece = line[start : start + SNIPPET_CHARS]
    return ("…" if start else "") + piece + ("…" if start + SNIPPET_CHARS < len(line) else "")
