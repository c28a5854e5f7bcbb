"""The composer: helps to write a proposal or a decision, and yields the line to run. It sends nothing.

What is typed stays in the browser. From here come the fields, the goals and gates that can be named, and the basis of
the decision: the mark of exactly the state that this page was drawn from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daemon.web import composing
from daemon.web.asked import Asked
from daemon.web.composing import Field
from daemon.web.reads import Reads
from daemon.web.tones import tone_of_goal, tone_of_severity
from ledger.catalogue import ACTIONS
from ledger.projections.documents import Document
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.text.lines import need_line, step_line
from ledger.text.pieces import Doc, as_map, named, number, rows_of
from ledger.text.say import Locale, has, say

GOALS_MAX = 200
LISTED_MAX = 50
"""Todos, gates and so on of one goal that are offered by name; others are typed."""
DECIDED_MAX = 20
"""Gates, plans or amendments of which the basis is looked up."""
NEEDS_MAX = 12
_LISTS: Mapping[str, tuple[str, str]] = {
    "gate_id": ("gate.list", "gates"),
    "todo_id": ("todo.list", "todos"),
    "plan_id": ("plan.list", "plans"),
    "amendment_id": ("amendment.list", "amendments"),
    "request_id": ("request.list", "requests"),
    "artifact_id": ("artifact.list", "artifacts"),
}
"""Which document names what a field can hold, and where in it."""
_SAME: Mapping[str, str] = {
    "unblocks_todo_id": "todo_id",
    "blocks_todo_id": "todo_id",
    "parent_id": "request_id",
    "revises": "artifact_id",
    **dict.fromkeys(
        ("agent_id", "to", "to_agent", "bound_agent", "next_claimed_by", "on_behalf_of", "member_id"), "member_id"
    ),
}
"""Fields that hold what another field holds."""
_ABOUT = frozenset({"goal_id", "todo_id", *composing.SUBJECTS})
"""What another answer to the same question is about, too."""
_OPEN = frozenset({"open", "needs_rebase"})
"""Plans and amendments that can still be decided."""
_SAYS = ("question", "title", "purpose", "label", "display_name", "amendment_class", "status")
"""What tells one entry of a list from the next, by the first that there is."""
PROBLEMS = {
    "missing": "problem.missing", "chars_max": "problem.chars_max", "chars_min": "problem.chars_min",
    "empty": "problem.empty", "pattern": "problem.pattern", "integer": "problem.integer",
    "at_least": "problem.at_least", "at_most": "problem.at_most", "items_max": "problem.items_max",
    "json": "problem.own.json", "object": "problem.own.object", "unicode": "problem.own.unicode",
    "nul": "page.compose.problem.nul", "word": "page.compose.problem.word",
}  # fmt: skip
"""What can be wrong with a value: in the words in which the daemon would refuse it."""
_WORDS = ("needs", "wrong", "ready", "of_state", "passed", "moved_on", "no_basis")


@dataclass
class Context:
    """What of the ledger a line is about."""

    goal: Doc | None = None
    bases: dict[str, str] = field(default_factory=dict)
    """The basis of a decision by what it is about."""
    decided: list[Doc] = field(default_factory=list)
    """The gates, plans or amendments that it can be about."""
    known: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """What a field can hold, by the field: the value, and what it is."""


async def view(reads: Reads, asked: Asked, _names: Mapping[str, str]) -> Document | Refusal:
    """Where to begin, or one action's fields."""
    name = asked.query.get("action")
    if name is None:
        return await _beginning(reads, asked)
    if name not in composing.offered():
        return refuse(GeneralRefusal.UNKNOWN_ACTION, action=name[:64])
    context = await _context(reads, name, asked)
    if isinstance(context, Refusal):
        return context
    fields = _filled(name, composing.fields_of(name, asked.locale, asked.query), context, asked)
    return {
        "action": name,
        "command": composing.command_of(name),
        "summary": composing.summary_of(name, asked.locale),
        "who": composing.who_of(name, asked.locale),
        "example": f"frontstage {ACTIONS[name].example}",
        "subject": composing.subject_of(name),
        "first": [one for one in fields if _is_first(one)],
        "more": [one for one in fields if not _is_first(one)],
        "line": composing.drawn(name, fields),
        "goal": context.goal,
        "step": None if context.goal is None else _step(context.goal, asked.locale),
        "tone": None if context.goal is None else tone_of_goal(str(context.goal.get("state")), "info"),
        "decided": context.decided,
        "known": context.known,
        "listed": {one.name: of for one in fields if (of := _SAME.get(one.name, one.name)) in context.known},
        "bases": context.bases,
        "at_seq": reads.seq,
        "stale": _is_stale(name, fields, context),
        "texts": _texts(asked.locale),
        "offers_basis": _takes_basis(name),
        "instead": {one: named("action", one.replace("-", "_"), asked.locale) for one in composing.instead_of(name)},
        "about": {one.name: one.value for one in fields if one.name in _ABOUT and one.value},
    }


async def _beginning(reads: Reads, asked: Asked) -> Document | Refusal:
    """What can be composed, and what waits for somebody to decide it."""
    queue = await reads.document("attention.show", everybody=True, limit=NEEDS_MAX)
    if isinstance(queue, Refusal):
        return queue
    offered = set(composing.offered())
    needs = [_need(row, asked.locale) for row in rows_of(queue, "items") if str(row.get("action")) in offered]
    return {
        "action": None,
        "needs": needs,
        "needs_more": max(0, number(queue.get("total")) - NEEDS_MAX),
        "groups": composing.groups(asked.locale),
        "goal_id": asked.query.get("goal_id"),
    }


def _need(row: Doc, locale: Locale) -> Document:
    code = row.get("reason_code")
    return {
        **row,
        "tone": tone_of_severity(str(row.get("severity"))),
        "line": need_line(
            str(row.get("kind")), None if code is None else str(code), as_map(row.get("subject")), locale
        ),
        "given": {
            name: value
            for name, value in as_map(row.get("subject")).items()
            if name in ACTIONS[str(row["action"])].params.model_fields
        },
    }


def _step(goal: Doc, locale: Locale) -> str:
    step = as_map(goal.get("next_safe_action"))
    return step_line(str(step.get("code")), as_map(step.get("subject")), locale)


def _is_first(one: Field) -> bool:
    """Whether a field is shown without being asked for."""
    return one.required or bool(one.value) or one.name in {"basis", "reason", "title"}


def _takes_basis(name: str) -> bool:
    return "basis" in ACTIONS[name].params.model_fields


def _filled(name: str, fields: tuple[Field, ...], context: Context, asked: Asked) -> tuple[Field, ...]:
    """The fields with what only one value can be meant for; a past state is no basis for anything."""
    subject = composing.subject_of(name)
    only = next(iter(context.bases)) if len(context.bases) == 1 else ""
    about = asked.query.get(subject) or only
    filled: list[Field] = []
    for one in fields:
        value = one.value
        if one.name == subject and not value:
            value = only
        elif one.name == "basis" and not value and asked.at is None:
            value = context.bases.get(about, "")
        filled.append(replace(one, value=value))
    return tuple(filled)


def _is_stale(name: str, fields: tuple[Field, ...], context: Context) -> bool:
    """Whether the address gave a basis that is none any more."""
    given = {one.name: one.value for one in fields}
    return bool(given.get("basis")) and given["basis"] != context.bases.get(given[composing.subject_of(name)])


async def _context(reads: Reads, name: str, asked: Asked) -> Context | Refusal:
    context = Context()
    params = ACTIONS[name].params.model_fields
    goal_id = asked.query.get("goal_id")
    if "goal_id" in params and ACTIONS[name].goal_bound:
        listed = await reads.document("goal.list", limit=GOALS_MAX)
        if isinstance(listed, Refusal):
            return listed
        context.known["goal_id"] = _named(rows_of(listed, "goals"), "goal_id")
        if goal_id:
            refusal = await _of_goal(reads, name, goal_id, context)
            if refusal is not None:
                return refusal
    if any(_SAME.get(one) == "member_id" for one in params):
        members = await reads.document("member.list")
        if isinstance(members, Refusal):
            return members
        context.known["member_id"] = _named(rows_of(members, "members"), "member_id")
    return context


async def _of_goal(reads: Reads, name: str, goal_id: str, context: Context) -> Refusal | None:
    """The goal, what of it can be named, and the bases of what can be decided about it."""
    goal = await reads.document("goal.show", goal_id=goal_id)
    if isinstance(goal, Refusal):
        return goal
    context.goal = goal
    wanted = {_SAME.get(one, one) for one in ACTIONS[name].params.model_fields}
    for one, (reader, rows) in _LISTS.items():
        if one not in wanted:
            continue
        bound = {"status": "open"} if one in {"gate_id", "request_id"} else {}
        limit = {} if one == "artifact_id" else {"limit": LISTED_MAX}
        listed = await reads.document(reader, goal_id=goal_id, **bound, **limit)
        if isinstance(listed, Refusal):
            return listed
        found = rows_of(listed, rows)
        context.known[one] = _named(found, one)
        if one == composing.subject_of(name):
            open_ones = found if bound else [row for row in found if row.get("status") in _OPEN]
            context.decided = open_ones[:DECIDED_MAX]
    return await _bases(reads, name, goal_id, context)


async def _bases(reads: Reads, name: str, goal_id: str, context: Context) -> Refusal | None:
    assert context.goal is not None, "it was read"
    subject = composing.subject_of(name)
    if not _takes_basis(name):
        return None
    if subject == "goal_id":
        kind = {"intent": "confirm", "none": "confirm", "delivery": "accept", "state": "state"}[ACTIONS[name].basis]
        basis = as_map(context.goal.get("basis")).get(kind)
        context.bases = {goal_id: str(basis)} if basis else {}
        return None
    for row in context.decided:
        one = str(row[subject])
        shown = await reads.document(f"{subject.removesuffix('_id')}.show", goal_id=goal_id, **{subject: one})
        if isinstance(shown, Refusal):
            return shown
        context.bases[one] = str(shown["basis"])
    return None


def _named(rows: list[Doc], name: str) -> list[tuple[str, str]]:
    """Values of a field, each with what tells it from the next."""
    return [(str(row[name]), next((str(row[one]) for one in _SAYS if row.get(one)), "")) for row in rows if name in row]


def _texts(locale: Locale) -> dict[str, str]:
    """What the script says; what is to be put into a sentence stays in braces."""
    told = {name: _template(key, locale) for name, key in PROBLEMS.items()}
    return {**told, **{name: _template(f"page.compose.{name}", locale) for name in _WORDS}}


def _template(key: str, locale: Locale) -> str:
    assert has(key), key
    return say(key, locale, **{name: "{" + name + "}" for name in ("limit", "pattern", "names", "seq")})
