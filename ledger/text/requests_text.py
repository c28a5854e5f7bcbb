"""Requests, credentials, grants and delegations as lines for a terminal."""

from collections.abc import Callable

from ledger.text.pieces import (
    Doc,
    Fact,
    as_list,
    as_map,
    facts,
    head,
    joined,
    label,
    listed,
    moment,
    named,
    number,
    paragraph,
    rows_of,
    short,
    text_lines,
)
from ledger.text.say import Locale, one_line, say
from ledger.text.tables import table

FACTS = ("received", "adopted", "committed", "returned", "delivered")
"""What is true of a request, in the order in which it comes to be so."""


def _requests(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            request.get("request_id"),
            named("cli.request.status", request.get("status"), locale),
            f"{request.get('sender')} → {request.get('receiver')}",
            request.get("todo_id") or "-",
            request.get("purpose"),
        ]
        for request in rows_of(doc, "requests")
    ]
    lines = listed(table(rows), doc, "cli.empty.requests", locale)
    due = number(doc.get("returns_due"))
    return [*lines, *([say("cli.request.returns_due", locale, n=due)] if due else [])]


def _request(doc: Doc, locale: Locale) -> list[str]:
    between = f"{doc.get('sender')} → {doc.get('receiver')}"
    first = head(doc.get("request_id"), named("cli.request.status", doc.get("status"), locale), between)
    work = head(doc.get("todo_id"), named("state.todo", doc.get("todo_status"), locale) if doc.get("todo_id") else "")
    given: list[Fact] = [
        (label("context", locale), text_lines(doc.get("context") or "")),
        (label("constraints", locale), _bullets(doc.get("constraints"))),
        (label("inputs", locale), [_input(one, locale) for one in rows_of(doc, "inputs")]),
        (label("acceptance_criteria", locale), _bullets(doc.get("acceptance"))),
        (label("return_requirement", locale), text_lines(doc.get("return_requirement") or "")),
        (label("blocks", locale), doc.get("blocks_todo_id")),
        (label("parent", locale), doc.get("parent_id")),
        (label("children", locale), joined(doc.get("children"), locale)),
        (label("origin", locale), _origin(as_map(doc.get("origin")))),
        (label("answer", locale), _answer(doc, locale)),
        (label("work", locale), work),
        (label("facts", locale), _marks(as_map(doc.get("facts")), locale)),
        (label("return", locale), _return(as_map(doc.get("return")), locale)),
        (label("withdrawn", locale), _withdrawn(doc)),
    ]
    return [first, *paragraph(doc.get("purpose")), *facts(given)]


def _bullets(values: object) -> list[str]:
    return [f"- {one_line(str(value))}" for value in as_list(values)]


def _input(one: Doc, locale: Locale) -> str:
    relation = named("cli.request.relation", one.get("relation"), locale)
    return head(relation, one.get("ref"), one.get("description"), f"sha256 {short(one.get('sha256'))}")


def _origin(origin: Doc) -> str:
    return head(origin.get("surface"), origin.get("key"))


def _answer(doc: Doc, locale: Locale) -> str:
    answer = doc.get("answer")
    return head(named("cli.request.answer", answer, locale), doc.get("answer_reason")) if answer else ""


def _marks(marks: Doc, locale: Locale) -> list[str]:
    """Each fact on a line of its own: none of them follows from another."""
    lines = []
    for name in FACTS:
        mark, said = as_map(marks.get(name)), named("cli.request.fact", name, locale)
        lines.append(
            head(said, mark.get("actor"), moment(mark.get("at")), f"#{mark.get('seq')}") if mark else said + " -"
        )
    return lines


def _return(found: Doc, locale: Locale) -> list[str]:
    if not found:
        return []
    by_itself = say("cli.request.automatic", locale) if found.get("automatic") else ""
    lines = [head(named("cli.request.outcome", found.get("outcome"), locale), by_itself)]
    lines += [head(one.get("artifact_id"), f"sha256 {short(one.get('sha256'))}") for one in rows_of(found, "artifacts")]
    return [*lines, *(text_lines(found.get("summary")) if found.get("summary") else [])]


def _withdrawn(doc: Doc) -> str:
    mark = as_map(doc.get("withdrawn"))
    return head(mark.get("actor"), moment(mark.get("at")), doc.get("withdrawn_reason")) if mark else ""


def _tokens(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            token.get("token_id"),
            token.get("member_id"),
            named("cli.token.status", token.get("status"), locale),
            moment(token.get("expires_at")),
            _limits(token, ("actions", "goal_ids"), locale),
        ]
        for token in rows_of(doc, "tokens")
    ]
    return listed(table(rows), doc, "cli.empty.tokens", locale)


def _grants(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            grant.get("grant_id"),
            grant.get("member_id"),
            named("cli.grant.status", grant.get("status"), locale),
            moment(grant.get("until")),
            _limits(grant, ("goal_ids", "action_kinds", "write_scopes", "capabilities"), locale),
        ]
        for grant in rows_of(doc, "grants")
    ]
    return listed(table(rows), doc, "cli.empty.grants", locale)


def _limits(row: Doc, names: tuple[str, ...], locale: Locale) -> str:
    """What a right is limited to; one without limits says so, for silence would be read either way."""
    limits = [f"{label(name, locale)} {joined(row.get(name), locale)}" for name in names if as_list(row.get(name))]
    return head(*limits) or say("cli.grant.unlimited", locale)


def _delegations(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            one.get("grant_id"),
            f"{one.get('agent_id')} → {one.get('on_behalf_of')}",
            named("cli.grant.status", one.get("status"), locale),
            moment(one.get("until")),
            joined(one.get("todo_ids"), locale, 3),
            joined(one.get("actions"), locale),
            one.get("reason"),
        ]
        for one in rows_of(doc, "delegations")
    ]
    return listed(table(rows), doc, "cli.empty.delegations", locale)


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "request.list": _requests,
    "request.show": _request,
    "token.list": _tokens,
    "member.grants": _grants,
    "todo.delegations": _delegations,
}
"""By the name of the action."""
