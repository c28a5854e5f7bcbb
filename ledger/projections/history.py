"""What happened, event by event: each with its sentence, by whom, how proved, on whose behalf and from where.

Read from the log itself, a page at a time. A call looks at a bounded number of events: where a filter lets few
through, the page says how far it has looked and where to go on, and is shorter than asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.ports import EventRow, Store
from ledger.projections.ends import ENDS, ends_of
from ledger.projections.privacy import quoted
from ledger.projections.told import Told, told_of
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.history_params import ListHistory
from ledger.state import Workspace
from ledger.text.happened import SAID, Ended, sentence
from ledger.text.say import Locale
from ledger.text.times import rfc3339, rfc3339_or_none
from ledger.wire import kind_named

Document = dict[str, object]
SCANNED_MAX = 5_000
"""Events that one call looks at; a few hundredths of a second."""
SAID_CHARS_MAX = 280
HASH_CHARS = 12
SUBJECTS = ("todo_id", "gate_id", "plan_id", "amendment_id", "request_id", "artifact_id", "member_id")
LINKED = (*SUBJECTS, "agent_id")
_OTHER_NAMES = {
    "todo_id": frozenset({"todo_id", "for_todo_id", "successor_todo_id", "unblocks_todo_id", "blocks_todo_id",
                          "todos", "todo_ids", "blocked_todo_ids"}),
    "artifact_id": frozenset({"artifact_id", "artifact_ids", "artifacts", "evidence", "revises", "inputs", "root"}),
    "gate_id": frozenset({"gate_id", "by_gate"}),
    "member_id": frozenset({"member_id", "agent_id", "owner", "from_owner", "from_agent", "to_agent", "receiver",
                            "delegate", "seat", "on_behalf_of", "claimed_by", "bound_agent", "completed_by"}),
}  # fmt: skip
"""The facts by which an event names a thing, where there is more than the id itself."""


Known = dict[tuple[int, Locale], Document]
"""Events as they were told, by seq and language. An event never changes; whoever keeps them begins anew when words are
erased."""
KNOWN_MAX = 2_048


class Asking(NamedTuple):
    """Who asks the store, of which moment, and in which language."""

    workspace: Workspace
    caller: Caller
    through_seq: int
    """The last event that is looked at."""
    now_ms: int
    locale: Locale
    known: "Known | None" = None
    """Events that were told before, if whoever asks keeps them."""


Reading = Callable[[Store], Document]
"""The part of a read that takes a while: it looks at the store, and no longer at the state, which may go on."""
StoredReader = Callable[[Asking, Params], Reading | Refusal]


def list_history(asking: Asking, asked: Params) -> Reading | Refusal:
    """A page of events that fit."""
    ask = cast("ListHistory", asked)
    if ask.goal_id is not None and GoalId(ask.goal_id) not in asking.workspace.goals:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    first, last = ask.from_seq or 1, min(ask.to_seq or asking.through_seq, asking.through_seq)
    if first > (ask.to_seq or first):
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="from_seq", problem="must not be after to_seq")
    known = {} if asking.known is None else asking.known
    return lambda store: _listed(store, ask, first, last, asking.locale, known)


def _listed(store: Store, ask: ListHistory, first: int, last: int, locale: Locale, known: Known) -> Document:
    scanned, seen = 0, 0
    found: list[EventRow | Told] = []
    all_fit = _all_fit(ask)
    for row in _rows(store, ask, first, last):
        if not first <= row.seq <= last:
            break
        if scanned == SCANNED_MAX or len(found) == ask.limit:
            return _page(ask, _documents(store, found, locale, known), seen, scanned)
        scanned, seen = scanned + 1, row.seq
        fits = row if all_fit else told_if(row, ask)
        if fits is not None:
            found.append(fits)
    return _page(ask, _documents(store, found, locale, known), None, scanned)


def _documents(store: Store, found: list[EventRow | Told], locale: Locale, known: Known) -> list[Document]:
    """Each event as it is told: those that were told before are not read again."""
    seqs = [one.seq if isinstance(one, EventRow) else one.row.seq for one in found]
    told = {seq: known.get((seq, locale)) for seq in seqs}
    fresh = [one for seq, one in zip(seqs, found, strict=True) if told[seq] is None]
    read = [told_of(one) if isinstance(one, EventRow) else one for one in fresh]
    ended = ends_of(store, read, locale)
    for one in read:
        document = told[one.row.seq] = event_document(one, locale, ended.get(one.row.seq))
        if one.row.kind not in ENDS:  # Whose work ended is looked for no further than one page may look.
            if len(known) >= KNOWN_MAX:
                known.clear()
            known[one.row.seq, locale] = document
    return [document for document in told.values() if document is not None]


def _rows(store: Store, ask: ListHistory, first: int, last: int) -> Iterator[EventRow]:
    """The rows to look at: where every one of them fits, no more than a page and the one behind it."""
    limit = ask.limit + 1 if _all_fit(ask) else None
    if ask.order == "newest":
        return store.events_before(min(ask.after or last + 1, last + 1), goal_id=ask.goal_id, limit=limit)
    return store.events(max(ask.after or 0, first - 1), goal_id=ask.goal_id, limit=limit)


def _all_fit(ask: ListHistory) -> bool:
    """Whether no event of the goal or the workspace is left out, but by its place."""
    return ask.kind is None and ask.actor is None and all(getattr(ask, name) is None for name in SUBJECTS)


def _page(ask: ListHistory, found: list[Document], next_after: int | None, scanned: int) -> Document:
    return {
        "schema_version": "frontstage_history_v1",
        "goal_id": ask.goal_id,
        "order": ask.order,
        "events": found,
        "scanned": scanned,
        "next_after": next_after,
        "source_warnings": [],
    }


def told_if(row: EventRow, ask: ListHistory) -> Told | None:
    """The event, if it is one of those asked for."""
    if ask.kind is not None and row.kind != ask.kind and row.kind.partition(".")[0] != ask.kind:
        return None
    wanted = [(name, value) for name in SUBJECTS if (value := getattr(ask, name)) is not None]
    # What an event names stands in its bytes, and to look for it there is cheap; only what has it is read.
    named = [value for _, value in wanted] + ([] if ask.actor is None else [ask.actor])
    if any(f'"{value}"'.encode() not in row.body for value in named):
        return None
    told = told_of(row)
    if ask.actor is not None and told.event.actor != ask.actor:
        return None
    return told if all(names(told.facts, name, value) for name, value in wanted) else None


def names(facts: object, name: str, value: str) -> bool:
    """Whether facts name a thing: by its id, in a list of such ids, or within one of their parts."""
    by = _OTHER_NAMES.get(name, frozenset({name}))
    if isinstance(facts, Mapping):
        own = (facts.get(key) for key in by)
        direct = any(one == value or (isinstance(one, list | tuple) and value in one) for one in own)
        return direct or any(
            names(one, name, value) for one in facts.values() if isinstance(one, Mapping | list | tuple)
        )
    return isinstance(facts, list | tuple) and any(names(one, name, value) for one in facts if isinstance(one, Mapping))


def event_document(told: Told, locale: Locale, ended: Ended | None = None) -> Document:
    """One event as a reader sees it."""
    row, body, event = told.row, told.body, told.event
    text = _said(told)
    return {
        "seq": row.seq,
        "at": rfc3339(event.at_ms),
        "kind": row.kind,
        "goal_id": row.goal_id,
        "subjects": {name: told.facts[name] for name in LINKED if isinstance(told.facts.get(name), str)},
        "sentence": sentence(
            row.kind, told.facts, event.actor, locale, text=text, erased=told.erased, at_ms=event.at_ms, ended=ended
        ),
        "actor": event.actor,
        "proof": {
            "kind": body.proof.kind,
            "token_id": body.proof.reference if body.proof.kind == "token" else None,
            "relayed_by": body.proof.relayed_by,
            "stepped_up": event.proof.code_step is not None,
        },
        "on_behalf_of": body.on_behalf_of,
        "surface": event.surface,
        "lease": _lease(told),
        "receipt_id": body.cause,
        "hash": row.hash.hex()[:HASH_CHARS],
        "words_erased": _word_fields(told) if told.erased else [],
    }


def _lease(told: Told) -> Document | None:
    """What the event did to a lease. The execution key belongs to whoever holds the lease with it."""
    if not told.row.kind.startswith("lease."):
        return None
    facts, at_ms = told.facts, told.event.at_ms
    expires, expired = facts.get("expires_at_ms"), facts.get("expired_at_ms")
    ended_ms = expired if isinstance(expired, int) else at_ms if told.row.kind == "lease.released" else None
    return {
        "todo_id": facts["todo_id"],
        "owner": facts.get("owner"),
        "from_owner": facts.get("from_owner"),
        "lease_epoch": facts.get("lease_epoch"),
        "version": facts.get("version"),
        "expires_at": rfc3339(expires) if isinstance(expires, int) else None,
        "ended_at": rfc3339_or_none(ended_ms),
    }


def _said(told: Told) -> str:
    """What of the words tells most, as far as it may be shown."""
    for name in SAID:
        said = getattr(told.event.words, name, None)
        if isinstance(said, str) and said.strip():
            return quoted(said, SAID_CHARS_MAX)
    return ""


def _word_fields(told: Told) -> list[str]:
    kind = kind_named(told.body.kind, told.body.version)
    return [] if kind is None or kind.words is None else list(kind.words.__struct_fields__)
