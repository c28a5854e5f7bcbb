"""The views across goals as lines for a terminal: who, what, how urgent, and what to do next."""

from collections.abc import Callable

from ledger.text.agents_text import binding_line
from ledger.text.lines import need_line, reason_line, step_line
from ledger.text.pieces import (
    COLON,
    Doc,
    Fact,
    as_list,
    as_map,
    facts,
    head,
    joined,
    label,
    moment,
    named,
    number,
    page,
    rows_of,
    text_lines,
)
from ledger.text.say import Locale, has, one_line, say
from ledger.text.tables import cell, table

URGENT = frozenset({"high", "action"})
SEVERITIES = ("high", "action", "watch", "info")
TEXT_CHARS_MAX = 100
MEMBERS_SHOWN_MAX = 40
SECONDS = ((86_400, "cli.age.days"), (3_600, "cli.age.hours"), (60, "cli.age.minutes"))


def _overview(doc: Doc, locale: Locale) -> list[str]:
    at, queue = as_map(doc.get("head")), as_map(doc.get("attention_queue"))
    lines = [
        head(
            as_map(doc.get("workspace")).get("name"),
            _counted(doc, locale),
            say("cli.overview.needs", locale, n=queue.get("total")),
            _head(at),
        )
    ]
    goals = rows_of(doc, "goals")
    rows = table([_goal_cells(goal, locale) for goal in goals])
    for goal, row in zip(goals, rows, strict=True):
        lines += [row, *(f"    {line}" for line in _goal_lines(goal, locale))]
    lines += [] if goals else [_no_goals(doc, locale)]
    lines += page(len(goals), doc.get("goals_listed"), doc.get("next_after"), locale)
    lines += [say("cli.overview.attention", locale), *_items(queue, locale, "  ")]
    members = rows_of(doc, "members")
    shown = table([_member_cells(one, locale) for one in members[:MEMBERS_SHOWN_MAX]], "  ")
    more = page(len(shown), doc.get("members_total"), None, locale)
    return [*lines, say("cli.overview.members", locale), *shown, *more]


def _counted(doc: Doc, locale: Locale) -> str | None:
    """How many goals there are; where none is listed, a line of its own says it."""
    listed, total = number(doc.get("goals_listed")), doc.get("goals_total")
    return say("cli.overview.goals", locale, listed=listed, total=total) if listed else None


def _no_goals(doc: Doc, locale: Locale) -> str:
    if number(doc.get("goals_listed")) or not number(doc.get("goals_total")):
        return say("cli.empty.goals", locale)
    return say("cli.empty.open_goals", locale, closed=doc.get("goals_total"))


def _head(at: Doc) -> str:
    return f"#{at.get('seq')} {at.get('short_hash')}"


def _goal_cells(goal: Doc, locale: Locale) -> list[object]:
    todos, quota = as_map(goal.get("todos")), as_map(goal.get("quota"))
    return [
        "!" if goal.get("severity") in URGENT else "·",
        goal.get("goal_id"),
        goal.get("priority"),
        named("state", goal.get("state"), locale),
        age(number(goal.get("age_seconds")), locale),
        f"{todos.get('done')}/{todos.get('total')}",
        f"{label('quota', locale)} {quota.get('spent_slots')}/{quota.get('allowed_slots')}",
        goal.get("display_name"),
    ]


def _goal_lines(goal: Doc, locale: Locale) -> list[str]:
    """Whose step it is and which; gates beside it; and what the row cannot be relied upon for."""
    step = as_map(goal.get("next_safe_action"))
    people = ", ".join(one_line(str(member)) for member in as_list(step.get("members")))
    first = f"{people}{COLON[locale]}" if people else ""
    lines = [first + step_line(str(step.get("code")), as_map(step.get("subject")), locale)]
    if number(goal.get("gates_waiting_total")):
        names = [gate.get("gate_id") for gate in rows_of(goal, "gates_waiting")]
        gates = joined(names, locale)
        lines.append(say("cli.overview.gates", locale, n=goal.get("gates_waiting_total"), gates=gates))
    for stale in rows_of(goal, "stale_sources"):
        affected = named("cli.affects", stale.get("affects"), locale)
        lines.append(f"? {affected}{COLON[locale]}{named('cli.stale', stale.get('kind'), locale)}")
    return lines


def age(seconds: int, locale: Locale) -> str:
    """How long something has been so, in its largest whole unit."""
    for unit, key in SECONDS:
        if seconds >= unit:
            return say(key, locale, n=seconds // unit)
    return say("cli.age.now", locale)


def _member_cells(member: Doc, locale: Locale) -> list[object]:
    held = [member["profile_role"]] if member.get("profile_role") else as_list(member.get("roles"))
    role = joined([named("card.members.role", one, locale) for one in held], locale)
    return [
        member.get("member_id"),
        named("cli.member.kind", member.get("kind"), locale),
        role,
        _presence(member, locale) + _binding(member, locale),
        member.get("display_name"),
    ]


def _binding(member: Doc, locale: Locale) -> str:
    """Whether the connection of an agent was seen to work, where one is on record."""
    binding = as_map(member.get("binding"))
    return f" · {named('agents.binding', binding.get('state'), locale)}" if binding else ""


def _presence(member: Doc, locale: Locale) -> str:
    name = member.get("presence")
    if name is None:
        return say("cli.presence.none", locale)
    because = str(member.get("presence_because"))
    known = f"cli.presence.because.{because}"
    said = say(known, locale) if has(known) else reason_line(because, locale)
    return f"{named('cli.presence', name, locale)}{COLON[locale]}{said}"


def _items(queue: Doc, locale: Locale, indent: str = "") -> list[str]:
    items = rows_of(queue, "items")
    rows = table([_item_cells(item, locale) for item in items], indent)
    lines: list[str] = []
    for item, row in zip(items, rows, strict=True):
        people = joined(item.get("waits_for"), locale)
        said = need_line(str(item.get("kind")), _code(item), as_map(item.get("subject")), locale)
        lines += [row, f"{indent}    {f'{people}{COLON[locale]}' if people != '-' else ''}{said}"]
    if not items:
        return [indent + say("cli.empty.attention", locale)]
    return [*lines, *page(len(items), queue.get("total"), None, locale)]


def _item_cells(item: Doc, locale: Locale) -> list[object]:
    return [
        "!" if item.get("severity") in URGENT else "·",
        item.get("goal_id"),
        named("cli.kind", item.get("kind"), locale),
        moment(item.get("opened_at")) if item.get("opened_at") else f"#{item.get('seq')}",
        cell(item.get("text") or "-", TEXT_CHARS_MAX),
    ]


def _code(item: Doc) -> str | None:
    code = item.get("reason_code")
    return None if code is None else str(code)


def _attention(doc: Doc, locale: Locale) -> list[str]:
    counts = as_map(doc.get("by_severity"))
    counted = head(*(f"{named('cli.severity', one, locale)} {counts[one]}" for one in SEVERITIES if counts.get(one)))
    whom = doc.get("member_id") or say("cli.attention.everybody", locale)
    return [head(whom, say("cli.overview.needs", locale, n=doc.get("total")), counted), *_items(doc, locale)]


def _digest(doc: Doc, locale: Locale) -> list[str]:
    first = head(
        doc.get("goal_id") or say("cli.digest.workspace", locale),
        say("cli.digest.since", locale, seq=doc.get("since")),
        _head(as_map(doc.get("head"))),
    )
    if doc.get("unchanged"):
        lines = [first, say("cli.digest.unchanged", locale)]
    else:
        earlier = number(doc.get("earlier"))
        more = [say("cli.digest.earlier", locale, n=earlier)] if earlier else []
        rows = [_change_cells(change, locale) for change in rows_of(doc, "changes")]
        lines = [first, *more, *table(rows)]
    needs = say("cli.digest.needs", locale, yours=doc.get("needs_you"), all=doc.get("needs_somebody"))
    return [*lines, needs]


STATES = {
    "goal": "state",
    "revision": "state.review",
    "delivery": "state.acceptance",
    "todo": "state.todo",
    "artifact": "cli.artifact.status",
    "gate": "cli.gate.status",
    "plan": "cli.plan.status",
    "amendment": "cli.amendment.status",
    "request": "cli.request.status",
    "grant": "cli.grant.status",
    "standing_grant": "cli.grant.verdict",
    "question": "cli.question.status",
    "replan": "cli.reason",
}
"""Where the names of what is true now are, by what a row is about."""


def _change_cells(change: Doc, locale: Locale) -> list[object]:
    kind = str(change.get("kind"))
    return [
        f"#{change.get('seq')}",
        change.get("goal_id") or "-",
        named("cli.kind", kind, locale),
        change.get("subject"),
        named(STATES.get(kind, "state"), change.get("now"), locale),
        change.get("actor") or "-",
        cell(change.get("text") or "-", TEXT_CHARS_MAX),
    ]


def _member(doc: Doc, locale: Locale) -> list[str]:
    profile = as_map(doc.get("profile"))
    act = as_map(doc.get("last_action"))
    role = doc.get("profile_role")
    first = head(doc.get("agent_id"), doc.get("display_name"), _presence(doc, locale))
    given: list[Fact] = [
        (label("profile_role", locale), say("cli.member.advisory", locale, role=role) if role else None),
        (label("binding", locale), binding_line(doc.get("binding"), locale)),
        (label("scope_summary", locale), text_lines(profile.get("scope_summary") or "")),
        (label("capabilities", locale), joined(doc.get("capabilities"), locale)),
        (label("goals", locale), table([_member_goal(row, locale) for row in rows_of(doc, "goals")])),
        (label("claims", locale), table([_claim(claim, locale) for claim in rows_of(doc, "current_claims")])),
        (label("last_action", locale), _act(act, locale)),
        (label("handoff", locale), named("cli.handoff.status", doc.get("handoff_assignment_status"), locale)),
    ]
    return [first, *facts(given)]


def _member_goal(row: Doc, locale: Locale) -> list[object]:
    return [row.get("goal_id"), named("state", row.get("state"), locale), _presence(row, locale)]


def _claim(claim: Doc, locale: Locale) -> list[object]:
    until = claim.get("claimed_until")
    return [
        claim.get("goal_id"),
        claim.get("todo_id"),
        say("cli.member.until", locale, until=moment(until)) if until else say("cli.member.softly", locale),
        claim.get("title"),
    ]


def _act(act: Doc, locale: Locale) -> str:
    if not act:
        return ""
    return head(
        named("event", act.get("kind"), locale), act.get("subject"), moment(act.get("at")), f"#{act.get('seq')}"
    )


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "overview.show": _overview,
    "attention.show": _attention,
    "digest.show": _digest,
    "member.show": _member,
}
"""By the name of the action."""
