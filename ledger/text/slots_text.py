"""What was spent, run and used, and which goal comes next, as lines for a terminal."""

from collections.abc import Callable, Mapping

from ledger.text.say import Locale, say
from ledger.text.tables import pairs, table
from ledger.text.times import short_utc

Doc = Mapping[str, object]


def _status(doc: Doc, locale: Locale) -> list[str]:
    facts: list[tuple[str, object]] = [
        (say("field.spent", locale), f"{doc.get('spent_slots')}/{doc.get('allowed_slots')}"),
        (say("field.window", locale), say("cli.quota.window", locale, hours=doc.get("window_hours"))),
    ]
    if doc.get("pause_cause"):
        facts.append((say("field.state", locale), say(f"cli.reason.{doc['pause_cause']}", locale)))
    receipts = [
        [row.get("spend_id"), f"#{row.get('seq')}", row.get("slots"), row.get("todo_id"), row.get("agent_id")]
        for row in _rows(doc, "receipts")
    ]
    held = [
        [row.get("admission_id"), f"#{row.get('seq')}", row.get("slots"), row.get("todo_id"), row.get("agent_id")]
        for row in _rows(doc, "admissions")
    ]
    return [*pairs(facts), *table([*receipts, *held], "  ")]


def _plan(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [row.get("goal_id"), row.get("priority"), say(f"cli.decision.{row.get('decision')}", locale), row.get("reason")]
        for row in _rows(doc, "goals")
    ]
    return table(rows) or [say("cli.quota.no_goal", locale)]


def _runs(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            *(row.get("run_id"), short_utc(str(row.get("at"))), row.get("todo_id"), row.get("agent_id")),
            *(row.get("delivery_outcome"), row.get("summary") or "-"),
        ]
        for row in _rows(doc, "runs")
    ]
    return table(rows) or [say("cli.run.none", locale)]


def _usage(doc: Doc, locale: Locale) -> list[str]:
    return pairs(
        [
            (say("field.tokens", locale), _known(doc, "tokens_known", "token_cap", "tokens_unknown_reports", locale)),
            (
                say("field.cost_micros", locale),
                _known(doc, "cost_known_micros", "cost_cap_micros", "cost_unknown_reports", locale),
            ),
        ]
    )


def _known(doc: Doc, known: str, cap: str, unknown: str, locale: Locale) -> str:
    """What is known, of how much, and how many reports did not say."""
    most = "" if doc.get(cap) is None else f"/{doc.get(cap)}"
    missing = f" · {say('cli.usage.unknown', locale, n=doc.get(unknown))}" if doc.get(unknown) else ""
    return f"{doc.get(known)}{most}{missing}"


def _rows(doc: Doc, name: str) -> list[Doc]:
    found = doc.get(name)
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list | tuple) else []


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "quota.status": _status,
    "quota.plan": _plan,
    "run.list": _runs,
    "usage.show": _usage,
}
"""By the name of the action."""
