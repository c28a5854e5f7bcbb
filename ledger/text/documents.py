"""Documents of reads as text for a person at a terminal: compact, aligned, and the same facts as the document.

Whatever people and agents wrote passes through `plain` on its way, so that it can neither colour the terminal, nor
reorder a line, nor begin one of its own.
"""

from collections.abc import Callable

import msgspec

from ledger.text import (
    agents_text,
    gates_text,
    history_text,
    identity_text,
    packet_text,
    plans_text,
    requests_text,
    slots_text,
    summaries_text,
    views_text,
)
from ledger.text.held_text import proposal_rows, todo_holder
from ledger.text.lines import reason_line, step_line
from ledger.text.pieces import (
    COLON,
    TEXT_LINES_MAX,
    Doc,
    as_list,
    as_map,
    label,
    listed,
    named,
    number,
    page,
    rows_of,
    text_lines,
)
from ledger.text.say import Locale, one_line, plain, say
from ledger.text.tables import cell, pairs, table
from ledger.text.times import second_utc, short_utc

SCOPES_MAX = 6
_URGENT = frozenset({"high", "action"})


def render(action_name: str, document: Doc, locale: Locale) -> str:
    """The document as text. An action without a form of its own is shown as indented JSON."""
    plain_values = as_map(msgspec.to_builtins(document))
    draw = _RENDERERS.get(action_name)
    if draw is None:
        return plain(msgspec.json.format(msgspec.json.encode(plain_values), indent=2).decode())
    lines, withheld = draw(plain_values, locale), _withheld(plain_values)
    return "\n".join([*lines, say("cli.withheld", locale, n=withheld)] if withheld else lines)


def _withheld(value: object) -> int:
    """How many values are withheld in a document and in those that stand in it."""
    if isinstance(value, list):
        return sum(_withheld(one) for one in value)
    if not isinstance(value, dict):
        return 0
    own = [as_map(one) for one in as_list(value.get("source_warnings"))]
    inner = sum(_withheld(one) for name, one in value.items() if name != "source_warnings")
    return inner + sum(count if isinstance(count := one.get("count"), int) else 1 for one in own)


def _status(doc: Doc, locale: Locale) -> list[str]:
    queue = as_map(doc.get("attention_queue"))
    items = [as_map(item) for item in as_list(queue.get("items"))]
    lines = [
        say(
            "cli.status.head",
            locale,
            name=as_map(doc.get("workspace")).get("name"),
            total=doc.get("goals_total"),
            open=queue.get("total"),
            needing=queue.get("needing_somebody"),
        )
    ]
    if not items:
        return [*lines, say("cli.empty.attention", locale)]
    rows = table([_attention_row(item, locale) for item in items])
    for item, row in zip(items, rows, strict=True):
        step = as_map(as_map(item.get("goal_channel_projection")).get("next_safe_action"))
        lines += [row, f"    {_people(step.get('members'), locale)}{_step(step, locale)}"]
    return [*lines, *page(len(items), queue.get("total"), None, locale)]


def _attention_row(item: Doc, locale: Locale) -> list[object]:
    goal = as_map(item.get("goal_channel_projection"))
    totals = as_map(goal.get("todo_totals"))
    mark = "!" if item.get("severity") in _URGENT else "·"
    state = named("state", goal.get("state"), locale)
    return [mark, item.get("goal_id"), state, _progress(totals), goal.get("display_name")]


def _goal(doc: Doc, locale: Locale) -> list[str]:
    view, step = as_map(doc.get("view")), as_map(doc.get("next_safe_action"))
    head = " · ".join(
        (
            str(doc.get("goal_id")),
            named("state", doc.get("state"), locale),
            f"{label('revision', locale)} {doc.get('revision')}",
            str(doc.get("priority")),
        )
    )
    question = as_map(view.get("question"))
    facts: list[tuple[str, object]] = [
        (label("objective", locale), text_lines(view.get("objective"))),
        (label("criteria", locale), _criteria(doc)),
        *_responsible(doc, locale),
        (label("write_scopes", locale), _scopes(doc.get("write_scopes"), locale)),
        (label("quota", locale), _quota(doc, locale)),
        (label("todos", locale), _todo_lines(doc, locale)),
    ]
    if proposals := proposal_rows(doc, locale):
        facts.append((say("card.goal.proposals", locale, n=doc.get("proposals_total")), proposals))
    if question:
        options = [f"- {one_line(str(option))}" for option in as_list(question.get("options"))]
        facts.append((label("question", locale), [*text_lines(question.get("text")), *options]))
    if waiting := _waiting_revision(doc, locale):
        facts.append((f"{label('revision', locale)} {as_map(doc.get('pending_review')).get('revision')}", waiting))
    if evidence := [_artifact_line(as_map(one), doc, locale) for one in as_list(doc.get("artifacts"))]:
        facts.append((label("evidence", locale), evidence))
    facts += [
        (label("next", locale), f"{_people(step.get('members'), locale)}{_step(step, locale)}"),
        (label("basis", locale), _bases(doc, locale)),
        (say("cli.since", locale), _since(as_map(doc.get("cause")), locale)),
    ]
    return [head, one_line(str(doc.get("display_name"))), *pairs([(name, _joined(value)) for name, value in facts])]


def _responsible(doc: Doc, locale: Locale) -> list[tuple[str, object]]:
    """Whose the work is and until when it is claimed; a line is left out where there is nothing to say in it."""
    people, until = ", ".join(_names(doc.get("responsible"))), doc.get("claimed_until")
    who = people or ("" if doc.get("waiting_on") == "nobody" else say("card.nobody", locale))
    found: list[tuple[str, object]] = [(label("responsible", locale), who)] if who else []
    return [*found, (label("claimed_until", locale), short_utc(str(until)))] if until else found


def _criteria(doc: Doc) -> list[str]:
    """Each criterion, with what was delivered for it once something was."""
    acceptance = as_map(doc.get("acceptance"))
    decided_on = acceptance if acceptance.get("status") in {"open", "accepted"} else as_map(doc.get("review"))
    lines: list[str] = []
    for one in as_list(decided_on.get("criteria")):
        criterion = as_map(one)
        proof = ", ".join(str(as_map(artifact).get("artifact_id")) for artifact in as_list(criterion.get("artifacts")))
        text = one_line(str(criterion.get("text")))
        lines.append(f"{criterion.get('criterion_id')}  {text}" + (f"  [{proof}]" if proof else ""))
    return lines


def _waiting_revision(doc: Doc, locale: Locale) -> list[str]:
    """What a revision that waits for its owners would change."""
    now = {
        as_map(field).get("name"): as_map(field).get("items")
        for field in as_list(as_map(doc.get("review")).get("fields"))
    }
    lines: list[str] = []
    for one in as_list(as_map(doc.get("pending_review")).get("fields")):
        field = as_map(one)
        if field.get("items") != now.get(field.get("name")):
            items = "; ".join(one_line(str(item)) for item in as_list(field.get("items")))
            lines.append(f"{label(str(field.get('name')), locale)}: {items}")
    return [say("state.review.open", locale), *lines] if doc.get("pending_review") else []


def _quota(doc: Doc, locale: Locale) -> str:
    quota = as_map(doc.get("quota"))
    return say(
        "card.quota.slots.state",
        locale,
        spent=quota.get("spent_slots"),
        allowed=quota.get("allowed_slots"),
        state=named("state.quota", quota.get("state"), locale),
    )


def _todo_lines(doc: Doc, locale: Locale) -> list[str]:
    rows = [as_map(todo) for todo in (*as_list(doc.get("user_todos")), *as_list(doc.get("agent_todos")))]
    totals = as_map(doc.get("todo_totals"))
    waiting = number(totals.get("open")) + number(totals.get("blocked"))
    shown = table([_todo_row(todo, locale) for todo in rows[:TEXT_LINES_MAX]])
    more = [say("card.more", locale, n=waiting - len(shown))] if waiting > len(shown) else []
    return [_progress(totals), *shown, *more]


def _todo_row(todo: Doc, locale: Locale) -> list[object]:
    status = named("state.todo", todo.get("status"), locale)
    return [todo.get("todo_id"), todo.get("priority"), status, todo_holder(todo, locale), todo.get("title")]


def _bases(doc: Doc, locale: Locale) -> list[str]:
    basis = as_map(doc.get("basis"))
    names = {"confirm": "action.goal.confirm", "accept": "action.goal.accept", "state": "field.state"}
    return table([(say(key, locale), basis[name]) for name, key in names.items() if basis.get(name)])


def _since(cause: Doc, locale: Locale) -> str:
    return say(
        "cli.since.line",
        locale,
        event=named("event", cause.get("kind"), locale),
        who=cause.get("actor_name"),
        seq=cause.get("seq"),
        hash=cause.get("short_hash"),
        at=short_utc(str(cause.get("at"))),
    )


def _goals(doc: Doc, locale: Locale) -> list[str]:
    goals = [as_map(goal) for goal in as_list(doc.get("goals"))]
    rows = [
        [
            goal.get("goal_id"),
            goal.get("priority"),
            named("state", goal.get("state"), locale),
            _progress(as_map(goal.get("todos"))),
            goal.get("display_name"),
        ]
        for goal in goals
    ]
    return listed(table(rows), doc, "cli.empty.goals", locale)


def _todos(doc: Doc, locale: Locale) -> list[str]:
    todos = [as_map(todo) for todo in as_list(doc.get("todos"))]
    rows = table([_todo_row(todo, locale) for todo in todos])
    lines = [line for todo, row in zip(todos, rows, strict=True) for line in (row, *_handoff(todo, locale))]
    more = page(len(rows), doc.get("total"), doc.get("next_after"), locale)
    return [*lines, *more] or [say("cli.empty.todos", locale)]


def _handoff(todo: Doc, locale: Locale) -> list[str]:
    """What was left for whoever goes on with open work, until somebody has taken it up."""
    note = as_map(todo.get("handoff"))
    if not note or note.get("adopted_by") or todo.get("status") in {"done", "cancelled"}:
        return []
    to = note.get("to_agent") or say("cli.claim.none", locale)
    left = note.get("remaining_work") or note.get("context") or "-"
    said = say("cli.handoff.left", locale, by=note.get("from_agent"), to=to, left=cell(left))
    return [f"    {said}"]


def _ready(doc: Doc, locale: Locale) -> list[str]:
    rows = [_todo_row(as_map(todo), locale) for todo in as_list(doc.get("todos"))]
    more = [say("cli.more.ready", locale)] if doc.get("more") else []
    return [*table(rows), *more] or [say("cli.empty.ready", locale)]


def _lease(doc: Doc, locale: Locale) -> list[str]:
    if doc.get("missing"):
        return [say("cli.lease.missing", locale, todo_id=doc.get("todo_id"))]
    until = doc.get("expires_at") if doc.get("effective") else doc.get("released_at") or doc.get("expires_at")
    first = say(
        "cli.lease.active" if doc.get("effective") else "cli.lease.ended",
        locale,
        todo_id=doc.get("todo_id"),
        who=doc.get("owner"),
        until=second_utc(str(until)),
        version=doc.get("version"),
        epoch=doc.get("lease_epoch"),
    )
    return [first, *pairs([(label("write_scopes", locale), _joined(_scopes(doc.get("write_scopes"), locale)))])]


def _artifacts(doc: Doc, locale: Locale) -> list[str]:
    found = [as_map(one) for one in as_list(doc.get("artifacts"))]
    rows = [
        [
            one.get("artifact_id"),
            one.get("kind"),
            named("cli.artifact.status", one.get("status"), locale),
            one.get("todo_id") or "-",
            f"{one.get('size_bytes')} B",
            str(one.get("sha256"))[:12],
            one.get("label"),
        ]
        for one in found
    ]
    return listed(table(rows), doc, "cli.empty.artifacts", locale)


def _artifact_line(artifact: Doc, doc: Doc, locale: Locale) -> str:
    """One artifact; where it stands is what the goal's card says of it."""
    named_so = {one.get("artifact_id"): one.get("status") for one in rows_of(as_map(doc.get("view")), "artifacts")}
    status = named_so.get(artifact.get("artifact_id"))
    said = f"  {named('cli.artifact.status', status, locale)}" if status else ""
    return (
        f"{artifact.get('artifact_id')}  {cell(artifact.get('label'))}  sha256 {str(artifact.get('sha256'))[:12]}{said}"
    )


def _members(doc: Doc, locale: Locale) -> list[str]:
    members = [as_map(member) for member in as_list(doc.get("members"))]
    rows = [
        [
            member.get("member_id"),
            named("cli.member.kind", member.get("kind"), locale),
            _abilities(member, locale),
            _standing(member, locale),
            member.get("display_name"),
        ]
        for member in members
    ]
    return table(rows)


def _abilities(member: Doc, locale: Locale) -> str:
    """Roles by their names, and capabilities as they are written."""
    roles = [named("card.members.role", one, locale) for one in as_list(member.get("roles"))]
    return ", ".join((*roles, *(str(one) for one in as_list(member.get("capabilities"))))) or "-"


def _standing(member: Doc, locale: Locale) -> str:
    if member.get("revoked"):
        return say("cli.member.revoked", locale)
    return say("cli.member.paired", locale) if member.get("paired") else "-"


def _should_run(doc: Doc, locale: Locale) -> list[str]:
    todo, step = as_map(doc.get("selected_todo")), as_map(doc.get("next_safe_action"))
    codes = as_list(doc.get("reason_codes"))
    reason = reason_line(str(codes[0]), locale) if codes else named("state.quota", doc.get("state"), locale)
    lines = [f"{named('cli.decision', doc.get('decision'), locale)} · {reason}"]
    facts: list[tuple[str, object]] = []
    if todo:
        facts.append(
            (label("todo_id", locale), f"{todo.get('todo_id')}  {todo.get('priority')}  {cell(todo.get('title'))}")
        )
    boundary = as_map(doc.get("goal_boundary"))
    facts += [
        (label("write_scopes", locale), _joined(_scopes(boundary.get("write_scopes"), locale))),
        (label("quota", locale), _quota(doc, locale)),
        (label("next", locale), _step(step, locale)),
    ]
    return [*lines, *pairs(facts)]


_RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "status.show": _status,
    "goal.show": _goal,
    "goal.list": _goals,
    "todo.list": _todos,
    "todo.ready": _ready,
    "task-lease.inspect": _lease,
    "artifact.list": _artifacts,
    "member.list": _members,
    "quota.should-run": _should_run,
    **agents_text.RENDERERS,
    **gates_text.RENDERERS,
    **history_text.RENDERERS,
    **identity_text.RENDERERS,
    **summaries_text.RENDERERS,
    **packet_text.RENDERERS,
    **plans_text.RENDERERS,
    **requests_text.RENDERERS,
    **slots_text.RENDERERS,
    **views_text.RENDERERS,
}


def _step(step: Doc, locale: Locale) -> str:
    return step_line(str(step.get("code")), as_map(step.get("subject")), locale)


def _people(members: object, locale: Locale) -> str:
    shown = [one_line(str(member)) for member in as_list(members)]
    return ", ".join(shown) + COLON[locale] if shown else ""


def _progress(totals: Doc) -> str:
    total = totals.get("total")
    if total is None:
        total = number(totals.get("all")) - number(totals.get("cancelled"))
    return f"{totals.get('done')}/{total}"


def _scopes(scopes: object, locale: Locale) -> list[str]:
    found = [one_line(str(scope)) for scope in as_list(scopes)]
    more = [say("card.more", locale, n=len(found) - SCOPES_MAX)] if len(found) > SCOPES_MAX else []
    return [*found[:SCOPES_MAX], *more] or [say("card.no_writes", locale)]


def _joined(value: object) -> object:
    return value if not isinstance(value, list) or value else "-"


def _names(people: object) -> list[str]:
    return [one_line(str(as_map(person).get("display_name"))) for person in as_list(people)]
