"""The history: what happened, event by event, what was found and refused, why a thing is as it is, and the proof."""

from collections.abc import Mapping

from daemon.api.envelope import command_line
from daemon.web.asked import Asked
from daemon.web.history_asked import ABOUT, PAGING, TYPED, Wanted, wanted
from daemon.web.history_rows import by_day, found_row, links, newest_first, why_url
from daemon.web.proving import Proving
from daemon.web.reads import Reads
from ledger.catalogue import ACTIONS
from ledger.params import Params
from ledger.projections.documents import Document
from ledger.projections.privacy import WITHHELD
from ledger.refusals import GeneralRefusal, Refusal
from ledger.text.explain import explain
from ledger.text.pieces import Doc, as_list, as_map
from ledger.text.say import Locale
from ledger.text.times import rfc3339
from ledger.wire import all_kinds

KINDS = tuple(sorted({kind.name.partition(".")[0] for kind in all_kinds()}))
"""Families of events, as the form offers them; an event's own kind is asked for by its link."""
_SEQ_DIGITS_MAX = 15


async def view(reads: Reads, asked: Asked, _names: Mapping[str, str]) -> Document | Refusal:
    """What is asked for; a question that cannot be answered is said on the page, whose form keeps what was typed."""
    want = wanted(asked.query)
    events = await _read(reads, "history.list", want.events if want.alone is None else None)
    if isinstance(events, Refusal) and events.code is GeneralRefusal.SEQ_NOT_REACHED:
        return events
    found = await _read(reads, "search.find", want.found)
    why = await _read(reads, "history.explain", want.why)
    refused = await _read(reads, "refusal.list", want.refused)
    broken = [one for one in (events, found, why, refused) if isinstance(one, Refusal)]
    proof = await _proof(reads.proving, reads.head, asked)
    return {
        "http_status": broken[0].status.http_status if broken else 200,
        "moving": proof["under_way"] is not None,
        "problems": _problems(broken, asked.locale),
        "want": want,
        "alone": want.alone,
        "kinds": KINDS,
        "chips": _chips(want, asked),
        "hidden": [(name, asked.query[name]) for name in ABOUT if asked.query.get(name)],
        "unfiltered": asked.here(**dict.fromkeys((*TYPED, *ABOUT, *PAGING))),
        "events": None if isinstance(events, Refusal) or events is None else _events(events, want, asked),
        "found": None if isinstance(found, Refusal) or found is None else _found(found, want, asked),
        "explained": None if isinstance(why, Refusal) or why is None else _explained(why, want, asked),
        "refused": None if isinstance(refused, Refusal) or refused is None else refused,
        "refused_line": _line("refusal.list", want.refused, asked),
        "proof": proof,
        # An event is drawn once and kept, so its links are made where it is drawn: by its values and by `url` alone.
        "links": lambda event: links(event, asked),
        "why": lambda event: why_url(event, asked),
        "withheld": WITHHELD,
    }


async def _read(reads: Reads, action: str, asked: Params | Refusal | None) -> Document | Refusal | None:
    if asked is None or isinstance(asked, Refusal):
        return asked
    return await reads.document(action, **asked.model_dump(exclude_none=True))


def _problems(broken: list[Refusal], locale: Locale) -> list[Document]:
    """Each thing that is wrong once, however many reads it kept from being made."""
    told: dict[str, Document] = {}
    for one in broken:
        message, hint = explain(one, locale)
        told[message] = {"code": one.code.value, "message": message, "hint": hint}
    return list(told.values())


def _events(document: Doc, want: Wanted, asked: Asked) -> Document:
    """A page of events, and what stands before and behind it."""
    rows = newest_first(document["events"], backwards=want.backwards)
    next_after = document["next_after"]
    whole = not isinstance(want.events, Refusal) and len(rows) >= want.events.limit
    return {
        "days": by_day(rows),
        "total": len(rows),
        "scanned": document["scanned"],
        "stopped_at": None if next_after is None or whole else next_after,
        "newest_first": want.said.get("order", "newest") == "newest",
        "warnings": document["source_warnings"],
        "line": _line("history.list", want.events, asked),
        **_pages(rows, next_after, want, asked),
    }


def _pages(rows: list[Doc], next_after: object, want: Wanted, asked: Asked) -> Document:
    """Where the pages before and behind this one are, and the first of all."""
    paged = want.backwards or bool(asked.query.get("after"))
    if want.backwards:
        behind, before = (rows[-1]["seq"] if rows else None), next_after
    else:
        behind, before = next_after, (rows[0]["seq"] if rows and paged else None)
    return {
        "first_page": asked.here(after=None, back=None) if paged else None,
        "before": None if before is None else asked.here(back=before, after=None),
        "behind": None if behind is None else asked.here(after=behind, back=None),
    }


def _found(document: Doc, want: Wanted, asked: Asked) -> Document:
    after = document["next_after"]
    return {
        **document,
        "hits": [found_row(as_map(hit), want.query, asked) for hit in as_list(document["hits"])],
        "behind": None if after is None else asked.here(found_after=after),
        "without": asked.here(query=None, found_after=None),
        "line": _line("search.find", want.found, asked),
    }


def _explained(document: Doc, want: Wanted, asked: Asked) -> Document:
    return {
        **document,
        "title": None if document["sentence"] == WITHHELD else document["sentence"],
        "rows": [as_map(event) for event in as_list(document["chain"])],
        "without": asked.here(why=None),
        "line": _line("history.explain", want.why, asked),
    }


def _line(action: str, params: Params | Refusal | None, asked: Asked) -> str | None:
    """The line that reads the same from a shell, as of the same event."""
    if params is None or isinstance(params, Refusal):
        return None
    return command_line(ACTIONS[action], params) + ("" if asked.at is None else f" --at {asked.at}")


def _chips(want: Wanted, asked: Asked) -> list[tuple[str, str, str]]:
    """What the list is narrowed by, each with the address without it."""
    paging = dict.fromkeys(PAGING)
    return [(name, text, asked.here(**{**paging, name: None})) for name, text in want.said.items() if name != "order"]


async def _proof(proving: Proving | None, head: int, asked: Asked) -> Document:
    """What is proved of the whole chain; an address that names a seq has it proved as far as that."""
    through, instead_of = _whole(asked.query.get("verify")), _whole(asked.query.get("verify_again"))
    if through is not None and proving is not None:
        proving.ask(min(through, head), instead_of=instead_of)
        await proving.settled()
    found, under_way = (None, None) if proving is None else (proving.found, proving.under_way)
    report = None if found is None else found.report
    return {
        "asked": through is not None,
        "head": head,
        # Whoever sees a result and asks has it proved anew; a page that only follows does not.
        "url": asked.here(verify=head, verify_again=None if found is None else found.number),
        "again": asked.here(),
        "under_way": under_way,
        "found": None if found is None else {"at": rfc3339(found.at_ms), "took_ms": found.took_ms},
        "report": report,
        "since": 0 if report is None else max(0, head - report.head.seq),
    }


def _whole(text: str | None) -> int | None:
    known = text is not None and text.isascii() and text.isdigit() and len(text) <= _SEQ_DIGITS_MAX
    return int(text) if known and text is not None else None
