"""Summaries as a terminal shows them: what was posted, what would be, and how it is doing in each chat."""

from collections.abc import Callable, Mapping

from ledger.text.pieces import COLON, Doc, as_map, head, listed, moment, named, number, paragraph, rows_of
from ledger.text.say import Locale, say
from ledger.text.tables import cell, table
from ledger.text.views_text import STATES

TEXT_CHARS_MAX = 100


def posted_text(result: Mapping[str, object], locale: Locale) -> str:
    """What posting came to, or would come to."""
    if result.get("preview"):
        first = say("cli.summary.preview", locale)
    elif result.get("summary_id"):
        first = say("cli.summary.posted", locale, summary_id=result.get("summary_id"))
    else:
        first = say("cli.summary.unchanged", locale)
    lines = [first, *_channels(result, locale)]
    if result.get("preview"):
        lines += _says(result, locale)
    return "\n".join(lines)


def _says(doc: Doc, locale: Locale) -> list[str]:
    at = as_map(doc.get("head"))
    lines = [
        head(
            doc.get("goal_id") or say("cli.digest.workspace", locale),
            say("cli.digest.since", locale, seq=doc.get("since")),
            f"#{at.get('seq')} {at.get('short_hash')}",
        ),
        *paragraph(doc.get("text")),
    ]
    for goal in rows_of(doc, "goals"):
        lines.append(str(goal.get("goal_id") or say("cli.digest.workspace", locale)))
        earlier = number(goal.get("earlier"))
        lines += [f"  {say('cli.digest.earlier', locale, n=earlier)}"] if earlier else []
        lines += table([_cells(row, locale) for row in rows_of(goal, "rows")], "  ")
    more = number(doc.get("goals_left_out"))
    return [*lines, *([say("cli.summary.more", locale, n=more)] if more else [])]


def _cells(row: Doc, locale: Locale) -> list[object]:
    kind = str(row.get("kind"))
    return [
        f"#{row.get('seq')}",
        named("cli.kind", kind, locale),
        row.get("subject"),
        named(STATES.get(kind, "state"), row.get("now"), locale),
        row.get("actor") or "-",
        cell(row.get("text") or "", TEXT_CHARS_MAX),
    ]


def _channels(doc: Doc, locale: Locale) -> list[str]:
    return table([[one.get("channel"), _status(one, locale)] for one in rows_of(doc, "channels")], "  ")


def _status(one: Doc, locale: Locale) -> str:
    status, because = named("cli.summary.status", one.get("status"), locale), one.get("because")
    return status if because is None else f"{status}{COLON[locale]}{named('cli.summary.because', because, locale)}"


def _list(doc: Doc, locale: Locale) -> list[str]:
    lines: list[str] = []
    for one in rows_of(doc, "summaries"):
        lines += [_first(one, locale), *_channels(one, locale)]
    count = len(rows_of(doc, "summaries"))
    return listed(lines, {**doc, "total": 0 if count == doc.get("total") else doc.get("total")},
                  "cli.empty.summaries", locale)  # fmt: skip


def _first(one: Doc, locale: Locale) -> str:
    who = say("cli.summary.scheduled", locale) if one.get("scheduled_at") else one.get("posted_by")
    about = one.get("goal_id") or say(f"cli.summary.about.{one.get('about')}", locale)
    return head(one.get("summary_id"), about, who, moment(one.get("at")), f"#{one.get('seq')}")


def _show(doc: Doc, locale: Locale) -> list[str]:
    return [_first(doc, locale), *_channels(doc, locale), *_says(doc, locale)]


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {"summary.list": _list, "summary.show": _show}
"""By the name of the action."""
