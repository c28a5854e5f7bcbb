"""What of an event can be searched: its words as folded text, and the thing that they were said about.

The texts are derived from the log and made when somebody searches, never when somebody writes. Folding makes letters
of either case, and of either width, the same, and a run of blanks one blank; a search is folded in the same way and
then looked for as it is. Identities of the platform are no words to search, and a text that carries a credential or a
private address is not entered: nobody can find out by guessing what nobody is shown.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from ledger.codec import decode_row
from ledger.detectors import reason_of
from ledger.events import Facts, Words
from ledger.parts.plans import todo_id_of
from ledger.ports import EventRow, SearchRow, SearchState, Store, Term
from ledger.rules.amendment_events import AmendmentSubmitted, AmendmentWords
from ledger.rules.plan_events import PlanProposed, PlanWords

VERSION = 2
"""Of the way texts are made; one more, and all of them are made anew."""
FOLDED_CHARS_MAX = 20_000
SearchKind = Literal["goal", "todo", "gate", "artifact", "event"]
_THINGS: dict[str, tuple[SearchKind, str]] = {
    "goal.proposed": ("goal", "goal_id"),
    "goal.revised": ("goal", "goal_id"),
    "todo.added": ("todo", "todo_id"),
    "todo.proposed": ("todo", "todo_id"),
    "todo.updated": ("todo", "todo_id"),
    "gate.opened": ("gate", "gate_id"),
    "gate.revised": ("gate", "gate_id"),
    "artifact.submitted": ("artifact", "artifact_id"),
}
"""Events whose words say what a thing is; all others are found as events."""


OF_THE_PLATFORM: Final = frozenset({"tenant_key", "app_id", "open_id", "union_id"})
"""Fields of words that say where somebody is reached, whichever words they are: nobody finds a person by them."""


def folded(text: str) -> str:
    """The text as it is compared: width, case and blanks make no difference, and nothing in it is invisible."""
    plain = unicodedata.normalize("NFKC", text[:FOLDED_CHARS_MAX]).casefold()
    shown = "".join(sign if sign.isprintable() else " " for sign in plain)
    return " ".join(shown.split())[:FOLDED_CHARS_MAX]


def search_row(row: EventRow) -> SearchRow | None:
    """What of an event can be searched, or None where nothing of it can."""
    if row.words is None:
        return None
    event = decode_row(row)
    texts = [folded(text) for text in texts_of(event.words)]
    if not any(texts):
        return None
    kind, subject_id = thing_of(event.kind, event.facts, event.goal_id)
    return SearchRow(row.seq, "\n".join(text for text in texts if text), kind, subject_id, row.goal_id)


def texts_of(words: Words | None) -> Iterator[str]:
    """What was written, text by text, without what may not be shown."""
    if words is not None:
        yield from _texts_in(words)


def _texts_in(value: object) -> Iterator[str]:
    """The texts of words, of their parts and of lists of either: a plan says of each lane what it is."""
    if isinstance(value, str):
        if value.strip() and reason_of(value) is None:
            yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in OF_THE_PLATFORM:
                yield from _texts_in(getattr(value, name))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts_in(one)


def thing_of(kind: str, facts: Facts, goal_id: str | None) -> tuple[SearchKind, str]:
    """What the words were said about."""
    found, name = _THINGS.get(kind, ("event", ""))
    return found, str(getattr(facts, name, None) or goal_id or "")


def parts_of(facts: Facts, words: Words | None) -> Iterator[tuple[str, list[str]]]:
    """Todos that are told of within the words of something else, with what is said of each."""
    if isinstance(facts, PlanProposed) and isinstance(words, PlanWords):
        for lane, said in zip(facts.lanes, words.lanes, strict=True):
            yield todo_id_of(facts.plan_id, lane.lane_id), list(_texts_in(said))
    elif isinstance(facts, AmendmentSubmitted) and isinstance(words, AmendmentWords):
        for operation, restated in zip(facts.operations, words.operations, strict=True):
            yield operation.todo_id, list(_texts_in(restated))


def index_words(store: Store, term: Term, count_max: int) -> int:
    """Make the words of the next events searchable; returns how far they are now. Only the writer may."""
    state = store.search_state()
    through = state.through_seq if state.version == VERSION else 0
    events = list(store.events(through, limit=count_max))
    if events:
        through = events[-1].seq
        rows = [row for row in map(search_row, events) if row is not None]
        store.keep_searched(term, SearchState(VERSION, through), rows)
    return through
