"""Attempts that were refused: who tried what, from where, and why nothing came of it, the newest first.

Read from the refusals' own chain, of which the oldest part may be gone. The first attempt of a kind is a row of its
own; those of the same member, action, reason and surface that follow within a minute are counted in one more row when
that minute is over. A call looks at a bounded number of rows and says where to go on. The words of a request are in no
row, so the reason is said without what only the request knew. A wish that already held is in the chain and is not
told here: nobody was refused anything.
"""

from typing import cast

from ledger.audit import Entry, entry_of
from ledger.ids import GoalId
from ledger.params import Params
from ledger.ports import Store
from ledger.projections.history import Asking, Document, Reading
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.history_params import SEQ_MAX, ListRefusals
from ledger.text.say import Locale, has, placeholders, say_refusal
from ledger.text.times import rfc3339

SCANNED_MAX = 5_000
"""Rows that one call looks at; a few hundredths of a second."""
HELD = "noop"
"""The outcome of a wish that already held."""
UNSAID = "…"
"""Stands for what only the request knew."""


def list_refusals(asking: Asking, asked: Params) -> Reading | Refusal:
    """A page of refused attempts that fit; of an earlier moment, those that had been made by then."""
    ask = cast("ListRefusals", asked)
    if ask.goal_id is not None and GoalId(ask.goal_id) not in asking.workspace.goals:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    return lambda store: _listed(store, ask, asking.now_ms, asking.locale)


def _listed(store: Store, ask: ListRefusals, now_ms: int, locale: Locale) -> Document:
    found: list[Document] = []
    seen, next_after = 0, None
    for scanned, row in enumerate(store.refusals_before(ask.after or SEQ_MAX + 1)):
        if scanned == SCANNED_MAX or len(found) == ask.limit:
            next_after = seen
            break
        seen = row.number
        entry = entry_of(row)
        if row.at_ms <= now_ms and _fits(entry, ask):
            found.append(_document(entry, locale))
    return {
        "schema_version": "frontstage_refusals_v1",
        "refusals": found,
        "next_after": next_after,
        "source_warnings": [],
    }


def _fits(entry: Entry, ask: ListRefusals) -> bool:
    wanted = (
        (entry.actor, ask.actor),
        (entry.action, ask.action),
        (entry.code, ask.code),
        (entry.goal_id, ask.goal_id),
    )
    return entry.outcome != HELD and all(value is None or is_ == value for is_, value in wanted)


def _document(entry: Entry, locale: Locale) -> Document:
    return {
        "number": entry.number,
        "at": rfc3339(entry.at_ms),
        "actor": entry.actor,
        "action": entry.action,
        "goal_id": entry.goal_id,
        "outcome": entry.outcome,
        "code": entry.code,
        "statement": reason(entry, locale),
        "times": entry.repeated,
        "surface": entry.surface,
        "proof": {"kind": entry.proof.kind, "relayed_by": entry.proof.relayed_by},
        "on_behalf_of": entry.on_behalf_of,
    }


def reason(entry: Entry, locale: Locale) -> str:
    """Why, as a sentence; what the chain does not keep is left open in it."""
    key = f"refusal.{entry.code}.message"
    known = {"action": entry.action, "actor": entry.actor, "goal_id": entry.goal_id or UNSAID}
    open_ones = dict.fromkeys(placeholders(key), UNSAID) if has(key) else {}
    said = say_refusal(entry.code, "message", locale, open_ones | known)
    # A sentence that ends with what is left open needs no full stop after it.
    return said.removesuffix(".") if said.endswith(f"{UNSAID}.") else said
