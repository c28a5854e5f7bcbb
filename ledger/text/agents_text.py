"""How agents are connected, and what one finds when its turn begins, as lines for a terminal or for the agent."""

from collections.abc import Callable

from ledger.text.lines import reason_line
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
    rows_of,
    short,
)
from ledger.text.say import Locale, say
from ledger.text.tables import cell, table

TEXT_CHARS_MAX = 160


def binding_line(binding: object, locale: Locale) -> str:
    """How an agent is connected, in words; one that nobody ran is called untested."""
    found = as_map(binding)
    if not found:
        return say("agents.binding.none", locale)
    state, because = found.get("state"), found.get("because")
    return head(
        named("agents.runtime", found.get("runtime_kind"), locale),
        named("agents.state", state, locale),
        named("agents.because", because, locale) if state != "qualified" else "",
    )


def _agents(doc: Doc, locale: Locale) -> list[str]:
    agents = rows_of(doc, "agents")
    if not agents:
        return listed([], doc, "cli.empty.agents", locale)
    lines: list[str] = []
    for agent in agents:
        binding = as_map(agent.get("binding"))
        revoked = say("cli.member.revoked", locale) if agent.get("revoked") else ""
        lines.append(
            head(agent.get("agent_id"), agent.get("display_name"), revoked, binding_line(agent.get("binding"), locale))
        )
        if binding:
            lines += facts(_of_binding(binding, locale))
    return lines


def _of_binding(binding: Doc, locale: Locale) -> list[Fact]:
    proven = [f"{_fact(one.get('kind'), locale)} ({short(one.get('sha256'))})" for one in rows_of(binding, "proven")]
    failed = [_fact(one, locale) for one in as_list(binding.get("failed_kinds"))]
    unproven = [_fact(one, locale) for one in as_list(binding.get("unproven_kinds")) if one not in _failed(binding)]
    run = head(binding.get("qualified_by"), moment(binding.get("qualified_at")))
    return [
        (label("configuration", locale), short(binding.get("config_sha256"))),
        (label("credential", locale), binding.get("token_id")),
        (label("qualified", locale), run if binding.get("qualified_at") else None),
        (label("good_until", locale), moment(binding.get("qualified_until"))),
        (label("proven", locale), proven),
        (label("failed", locale), failed),
        (label("not_proven", locale), unproven),
    ]


def _failed(binding: Doc) -> list[object]:
    return as_list(binding.get("failed_kinds"))


def _fact(name: object, locale: Locale) -> str:
    return named("agents.fact", name, locale)


def _inbox(doc: Doc, locale: Locale) -> list[str]:
    """Bounded: ten of each thing, each on one line, and how many more there are."""
    codes, todo = as_list(doc.get("reason_codes")), as_map(doc.get("selected_todo"))
    reason = reason_line(str(codes[0]), locale) if codes else ""
    lines = [head(doc.get("goal_id"), named("cli.decision", doc.get("decision"), locale), reason)]
    given: list[Fact] = [
        (label("binding", locale), binding_line(doc.get("binding"), locale)),
        (label("todo_id", locale), _todo(todo) if todo else None),
        (label("revision", locale), _revision(as_map(doc.get("revision")), locale)),
        (label("requests", locale), _rows(doc, "requests", _request, locale)),
        (label("returns", locale), _rows(doc, "returns", _return, locale)),
        (label("decisions", locale), _rows(doc, "decisions", _decision, locale)),
        (label("open_gates", locale), _rows(doc, "open_gates", _gate, locale)),
        (label("leases", locale), _rows(doc, "leases", _lease, locale)),
    ]
    return [*lines, *facts(given)]


def _clipped(text: object) -> str:
    return cell(str(text or ""), TEXT_CHARS_MAX)


def _todo(todo: Doc) -> str:
    return head(todo.get("todo_id"), todo.get("priority"), _clipped(todo.get("title")))


def _revision(revision: Doc, locale: Locale) -> str:
    if not revision.get("must_adopt"):
        return ""
    return say("agents.inbox.adopt", locale, adopted=revision.get("adopted"), current=revision.get("current"))


def _rows(doc: Doc, name: str, row: Callable[[Doc, Locale], list[object]], locale: Locale) -> list[str]:
    rows = rows_of(doc, name)
    more = number(doc.get(f"{name}_total")) - len(rows)
    return [*table([row(one, locale) for one in rows]), *([say("card.more", locale, n=more)] if more > 0 else [])]


def _request(one: Doc, locale: Locale) -> list[object]:
    status = named("cli.request.status", one.get("status"), locale)
    return [one.get("request_id"), status, one.get("sender"), _clipped(one.get("purpose"))]


def _return(one: Doc, locale: Locale) -> list[object]:
    outcome = named("cli.request.outcome", one.get("outcome"), locale)
    return [one.get("request_id"), outcome, one.get("receiver"), _clipped(one.get("summary"))]


def _decision(one: Doc, locale: Locale) -> list[object]:
    status = named("state.gate", one.get("status"), locale)
    return [one.get("gate_id"), status, one.get("resolved_by") or "-", _clipped(one.get("question"))]


def _gate(one: Doc, locale: Locale) -> list[object]:
    return [one.get("gate_id"), joined(one.get("waits_for"), locale, 3), _clipped(one.get("question"))]


def _lease(one: Doc, locale: Locale) -> list[object]:
    return [one.get("todo_id"), say("cli.member.until", locale, until=moment(one.get("expires_at")))]


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {"agent.list": _agents, "agent.inbox": _inbox}
"""By the name of the action."""
