"""Why something is as it is: the events that made it so, each with its sentence, and what is needed next.

The chain is read from the log, newest first, down to the event the thing began with. A long one is shown by its
beginning and its latest events, and says how many are left out.
"""

from collections.abc import Callable
from typing import NamedTuple, cast

from ledger.ids import GoalId, TodoId
from ledger.params import Params
from ledger.ports import EventRow, Store
from ledger.projections import wanting
from ledger.projections.channel import channel_projection
from ledger.projections.ends import ends_of
from ledger.projections.history import Asking, Document, Reading, event_document, names
from ledger.projections.told import Told, told_of
from ledger.projections.wanting import Wanting
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.amendments import AmendmentRefusal
from ledger.rules.common import refuse
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.goals import GoalRefusal
from ledger.rules.history_params import ExplainHistory
from ledger.rules.leases import effective_lease
from ledger.rules.material import status_of
from ledger.rules.plans import PlanRefusal
from ledger.rules.requests import RequestRefusal
from ledger.rules.todos import TodoRefusal
from ledger.state import Goal
from ledger.text.explain import display_details
from ledger.text.lines import step_line
from ledger.text.say import Locale, has, placeholders, say

CHAIN_MAX = 32
SCANNED_MAX = 20_000
"""Events of the goal that one explanation looks at."""
_SUBJECTS = ("todo_id", "gate_id", "plan_id", "amendment_id", "request_id")
_LEASE_KINDS = frozenset(
    {"todo.claimed", "todo.completed", "todo.cancelled", "todo.handed_off", "todo.adopted", "todo.released"}
)


class _Subject(NamedTuple):
    kind: str
    id: str
    state: str
    began_seq: int
    makes: Callable[[EventRow], bool]
    """Whether an event could be one of those that made it so, told from its bytes."""
    tells: Callable[[Told], bool]
    wants: list[Wanting]


def explain_history(asking: Asking, asked: Params) -> Reading | Refusal:
    """Why one thing is in its present state."""
    ask = cast("ExplainHistory", asked)
    goal = asking.workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    named = [name for name in _SUBJECTS if getattr(ask, name) is not None]
    if len(named) > 1:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field=named[1], problem="one thing is explained at a time")
    if ask.lease and named != ["todo_id"]:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="lease", problem="needs a todo_id")
    subject = _subject(asking, goal, ask, named[0] if named else None)
    if isinstance(subject, Refusal):
        return subject
    said: Document = {
        "schema_version": "frontstage_explanation_v1",
        "goal_id": goal.goal_id,
        "subject": {"kind": subject.kind, "id": subject.id},
        "state": subject.state,
        "sentence": _is(subject, asking),
        "next": _goal_next(asking, goal) if subject.kind == "goal" else [_need(one, asking) for one in subject.wants],
    }
    goal_id, through_seq, locale = goal.goal_id, asking.through_seq, asking.locale
    return lambda store: said | _chain(store, goal_id, through_seq, subject, locale)


def _subject(asking: Asking, goal: Goal, ask: ExplainHistory, name: str | None) -> _Subject | Refusal:
    match name:
        case None:
            return _Subject("goal", goal.goal_id, goal.state, goal.created_seq, _of_goal, lambda _: True, [])
        case "todo_id":
            return _todo(asking, goal, TodoId(str(ask.todo_id)), lease=ask.lease)
        case "gate_id":
            return _gate(asking, goal, str(ask.gate_id))
        case "plan_id":
            return _plan(asking, goal, str(ask.plan_id))
        case "amendment_id":
            return _amendment(asking, goal, str(ask.amendment_id))
        case _:
            return _request(goal, str(ask.request_id))


def _of_goal(row: EventRow) -> bool:
    return row.kind.startswith("goal.")


def _naming(name: str, value: str) -> tuple[Callable[[EventRow], bool], Callable[[Told], bool]]:
    """Events that name a thing: looked for in the bytes first, which is cheap, and then in the facts."""
    mark = f'"{value}"'.encode()
    return (lambda row: mark in row.body), (lambda told: names(told.facts, name, value))


def _todo(asking: Asking, goal: Goal, todo_id: TodoId, *, lease: bool) -> _Subject | Refusal:
    todo = goal.todos.get(todo_id)
    if todo is None:
        return refuse(TodoRefusal.TODO_NOT_FOUND, todo_id=todo_id)
    makes, tells = _naming("todo_id", todo_id)
    if not lease:
        wants = wanting.of_todo(asking.workspace, goal, todo, asking.now_ms)
        return _Subject("todo", todo_id, todo.status, todo.seq, makes, tells, wants)
    held = goal.leases.get(todo_id)
    if held is None:
        state = "none"
    else:
        state = "active" if effective_lease(goal, todo_id, asking.now_ms) is not None else "released"

    def leased(row: EventRow) -> bool:
        return makes(row) and (row.kind.startswith("lease.") or row.kind in _LEASE_KINDS)

    wants = wanting.of_lease(asking.workspace, goal, todo, asking.now_ms)
    return _Subject("lease", todo_id, state, todo.seq, leased, tells, wants)


def _gate(asking: Asking, goal: Goal, gate_id: str) -> _Subject | Refusal:
    gate = goal.gates.by_id.get(gate_id)
    if gate is None:
        return refuse(GateRefusal.GATE_NOT_FOUND, gate_id=gate_id)
    wants = wanting.of_gate(asking.workspace, goal, gate, asking.now_ms)
    return _Subject("gate", gate_id, gate.status, gate.seq, *_naming("gate_id", gate_id), wants)


def _plan(asking: Asking, goal: Goal, plan_id: str) -> _Subject | Refusal:
    plan = goal.plans.by_id.get(plan_id)
    if plan is None:
        return refuse(PlanRefusal.PLAN_NOT_FOUND, plan_id=plan_id)
    wants = wanting.of_plan(asking.workspace, goal, plan)
    return _Subject("plan", plan_id, plan.status, goal.created_seq, *_naming("plan_id", plan_id), wants)


def _amendment(asking: Asking, goal: Goal, amendment_id: str) -> _Subject | Refusal:
    amendment = goal.amendments.by_id.get(amendment_id)
    if amendment is None:
        return refuse(AmendmentRefusal.AMENDMENT_NOT_FOUND, amendment_id=amendment_id)
    makes, tells = _naming("amendment_id", amendment_id)
    began = amendment.seq
    if amendment.gate_id is not None:
        gate_makes, gate_tells = _naming("gate_id", amendment.gate_id)
        own_makes, own_tells = makes, tells
        makes, tells = (
            (lambda row: own_makes(row) or gate_makes(row)),
            (lambda told: own_tells(told) or gate_tells(told)),
        )
        gate = goal.gates.by_id.get(amendment.gate_id)
        began = amendment.seq if gate is None else min(amendment.seq, gate.seq)
    wants = wanting.of_amendment(asking.workspace, goal, amendment, asking.now_ms)
    return _Subject("amendment", amendment_id, amendment.status, began, makes, tells, wants)


def _request(goal: Goal, request_id: str) -> _Subject | Refusal:
    request = goal.requests.by_id.get(request_id)
    if request is None:
        return refuse(RequestRefusal.REQUEST_NOT_FOUND, request_id=request_id)
    makes, tells = _naming("request_id", request_id)
    return _Subject("request", request_id, status_of(request), request.seq, makes, tells, wanting.of_request(request))


def _chain(store: Store, goal_id: GoalId, through_seq: int, subject: _Subject, locale: Locale) -> Document:
    """The events in their order, how many between are left out, and whether all could be looked at."""
    newest: list[Told] = []
    first: Told | None = None
    count, whole = 0, True
    for scanned, row in enumerate(store.events_before(through_seq + 1, goal_id=goal_id)):
        if row.seq < subject.began_seq:
            break
        if scanned == SCANNED_MAX:
            whole = False
            break
        told = told_of(row) if subject.makes(row) else None
        if told is not None and subject.tells(told):
            count, first = count + 1, told
            if len(newest) < CHAIN_MAX:
                newest.append(told)
    shown = newest if first is None or first is newest[-1] else [*newest[: CHAIN_MAX - 1], first]
    ended = ends_of(store, shown, locale)
    chain = [event_document(told, locale, ended.get(told.row.seq)) for told in reversed(shown)]
    return {"chain": chain, "left_out": count - len(shown), "complete": whole, "source_warnings": []}


def _is(subject: _Subject, asking: Asking) -> str:
    locale = asking.locale
    key = next((key for key in _state_keys(subject) if has(key)), None)
    state = subject.state if key is None else say(key, locale)
    # Within a sentence a state is no heading.
    state = state[:1].lower() + state[1:]
    return say("history.is", locale, kind=say(f"history.subject.{subject.kind}", locale), id=subject.id, state=state)


def _state_keys(subject: _Subject) -> tuple[str, ...]:
    kind, state = subject.kind, subject.state
    return f"history.state.{kind}.{state}", f"state.{kind}.{state}", f"state.{state}"


def _need(one: Wanting, asking: Asking) -> Document:
    key = f"history.need.{one.code}"
    shown = display_details({**one.subject, "members": list(one.members) or "-"}, asking.locale)
    sentence = say(key, asking.locale, **{name: shown.get(name, "-") for name in placeholders(key)})
    return {"code": one.code, "members": list(one.members), "subject": one.subject, "sentence": sentence}


def _goal_next(asking: Asking, goal: Goal) -> list[Document]:
    """The next safe step, as every other document of the goal has it."""
    step = cast("dict[str, object]", channel_projection(asking.workspace, goal, asking.now_ms)["next_safe_action"])
    subject = cast("dict[str, object]", step["subject"])
    sentence = step_line(str(step["code"]), subject, asking.locale)
    return [{"code": step["code"], "members": step["members"], "subject": subject, "sentence": sentence}]
