"""Who has a todo and what holds it back, in the few words that fit into a row of a list."""

from ledger.text.pieces import COMMA, Doc, as_list, joined, rows_of
from ledger.text.say import Locale, one_line, say
from ledger.text.tables import cell, table
from ledger.text.times import short_utc


def todo_holder(todo: Doc, locale: Locale) -> str:
    """What a row says of the holder. Work that waits for something is not called free, though nobody has it."""
    if todo.get("status") == "blocked" and todo.get("reason"):
        return cell(todo["reason"])
    waits = as_list(todo.get("waiting_for")) if todo.get("status") == "open" else []
    found = [say("cli.waits", locale, todos=", ".join(str(one) for one in waits))] if waits else []
    found += [_held(row, locale) for row in rows_of(todo, "held_by")]
    stale = as_list(todo.get("stale_evidence"))
    found += [say("cli.todo.stale", locale, artifacts=", ".join(str(one) for one in stale))] if stale else []
    held = todo.get("claimed_by") and not waits
    return COMMA[locale].join([*([_holder(todo, locale)] if held or stale or not found else []), *found])


def proposal_rows(doc: Doc, locale: Locale) -> list[str]:
    """What was only proposed for a goal, and by whom: a lane of its own, beside the work."""
    rows = []
    for one in rows_of(doc, "proposals"):
        who = joined([person.get("display_name") for person in rows_of(one, "proposed_by")], locale)
        said = say("cli.proposal.by", locale, who=who)
        rows.append([one.get("todo_id"), one.get("priority"), said, one.get("title")])
    return table(rows)


def _held(row: Doc, locale: Locale) -> str:
    people = joined(row.get("waits_for"), locale)
    said = say(f"cli.held.{row.get('code')}", locale, about=one_line(str(row.get("id"))))
    return said if people == "-" else say("cli.held.by", locale, said=said, people=people)


def _holder(todo: Doc, locale: Locale) -> str:
    if todo.get("status") in {"done", "cancelled"}:
        return str(todo.get("completed_by") or "")
    who, until = todo.get("claimed_by"), todo.get("claimed_until")
    if todo.get("role") == "user":
        return say("cli.claim.person", locale)
    if not who:
        return say("cli.claim.none", locale)
    if not until:
        return say("cli.claim.soft", locale, who=who)
    return say("cli.claim.lease", locale, who=who, until=short_utc(str(until)))
