"""Plans and amendments as lines for a terminal: what would change, what is in the way, and how it came out."""

from collections.abc import Callable

from ledger.text.pieces import (
    Doc,
    Fact,
    as_list,
    facts,
    head,
    joined,
    label,
    listed,
    moment,
    named,
    paragraph,
    rows_of,
    text_lines,
)
from ledger.text.say import Locale, one_line, say
from ledger.text.tables import cell, table

LANES_MAX = 12
OPERATIONS_MAX = 20


def _plans(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            plan.get("plan_id"),
            _plan_status(plan, locale),
            say("cli.plan.lanes", locale, n=plan.get("lanes_total")),
            plan.get("proposed_by"),
            moment(plan.get("proposed_at")),
        ]
        for plan in rows_of(doc, "plans")
    ]
    return listed(table(rows), doc, "cli.empty.plans", locale)


def _plan_status(plan: Doc, locale: Locale) -> str:
    return named("cli.plan.status", plan.get("outcome") or plan.get("status"), locale)


def _plan(doc: Doc, locale: Locale) -> list[str]:
    revision = f"{label('revision', locale)} {doc.get('revision')}"
    first = head(doc.get("plan_id"), _plan_status(doc, locale), revision, doc.get("proposed_by"))
    lanes = rows_of(doc, "lanes")
    shown = table([_lane(lane, locale) for lane in lanes[:LANES_MAX]], "  ")
    more = [say("card.more", locale, n=len(lanes) - LANES_MAX)] if len(lanes) > LANES_MAX else []
    given: list[Fact] = [
        (label("gaps", locale), [_gap(gap, locale) for gap in rows_of(doc, "gap_lanes")]),
        (label("decision", locale), _decided(doc, _plan_status(doc, locale))),
        (label("basis", locale), doc.get("basis") if doc.get("status") == "open" else None),
    ]
    return [first, *shown, *more, *facts(given)]


def _lane(lane: Doc, locale: Locale) -> list[object]:
    after = as_list(lane.get("depends_on"))
    status = lane.get("todo_status")
    return [
        lane.get("lane_id"),
        lane.get("priority"),
        lane.get("agent") or say("cli.plan.anybody", locale),
        say("cli.plan.after", locale, lanes=joined(after, locale)) if after else "-",
        named("state.todo", status, locale) if status else "!" if lane.get("gap") else "-",
        lane.get("title"),
    ]


def _gap(gap: Doc, locale: Locale) -> str:
    names = joined(gap.get("names"), locale)
    return head(gap.get("lane_id"), named("cli.gap", gap.get("reason"), locale), "" if names == "-" else names)


def _decided(doc: Doc, status: str) -> list[str]:
    if not doc.get("decided_by"):
        return []
    first = head(status, doc.get("decided_by"), moment(doc.get("decided_at")))
    return [first, *(text_lines(doc.get("reason")) if doc.get("reason") else [])]


def _amendments(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            one.get("amendment_id"),
            named("cli.amendment.status", one.get("status"), locale),
            named("cli.amendment.class", one.get("amendment_class"), locale),
            say("cli.amendment.operations", locale, n=one.get("operations_total")),
            one.get("submitted_by"),
            moment(one.get("submitted_at")),
        ]
        for one in rows_of(doc, "amendments")
    ]
    return listed(table(rows), doc, "cli.empty.amendments", locale)


def _amendment(doc: Doc, locale: Locale) -> list[str]:
    status = named("cli.amendment.status", doc.get("status"), locale)
    first = head(
        doc.get("amendment_id"),
        status,
        named("cli.amendment.class", doc.get("amendment_class"), locale),
        doc.get("submitted_by"),
    )
    operations = rows_of(doc, "operations")
    shown = table([_operation(one, locale) for one in operations[:OPERATIONS_MAX]], "  ")
    more = [say("card.more", locale, n=len(operations) - OPERATIONS_MAX)] if len(operations) > OPERATIONS_MAX else []
    dispositions = [
        head(one.get("todo_id"), named("cli.amendment.choice", one.get("choice"), locale), one.get("agent_id"))
        for one in rows_of(doc, "dispositions")
    ]
    given: list[Fact] = [
        (label("dispositions", locale), dispositions),
        (label("held", locale), joined(doc.get("held"), locale)),
        (label("moved", locale), [_moved(one, locale) for one in rows_of(doc, "moved")]),
        (label("gate", locale), doc.get("gate_id")),
        (label("decision", locale), _decided(doc, status)),
        (label("basis", locale), doc.get("basis") if not doc.get("decided_by") else None),
    ]
    return [first, *paragraph(doc.get("why")), *shown, *more, *facts(given)]


def _operation(one: Doc, locale: Locale) -> list[object]:
    """What an operation does to which todo; what it does not change is not mentioned."""
    changed = [str(one[name]) for name in ("priority", "agent") if one.get(name)]
    changed += [joined(one[name], locale) for name in ("depends_on", "write_scopes") if as_list(one.get(name))]
    changed += [cell(one[name]) for name in ("title", "acceptance") if one.get(name)]
    return [named("cli.amendment.op", one.get("op"), locale), one.get("todo_id"), head(*changed) or "-"]


def _moved(one: Doc, locale: Locale) -> str:
    """What an amendment saw, and what is there now."""
    subject = one.get("todo_id") or label("goal_id", locale)
    return f"{one_line(str(subject))} {one_line(str(one.get('field')))}: {_value(one, 'was')} → {_value(one, 'now')}"


def _value(one: Doc, name: str) -> str:
    value = one.get(name)
    return ", ".join(one_line(str(item)) for item in value) or "-" if isinstance(value, list) else cell(value)


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "plan.list": _plans,
    "plan.show": _plan,
    "amendment.list": _amendments,
    "amendment.show": _amendment,
}
"""By the name of the action."""
