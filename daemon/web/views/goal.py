"""A goal: what it is, who has it until when, where they may write, what made it so, what waits, and what comes next."""

import re
from collections.abc import Mapping
from typing import cast

import msgspec

from daemon.web import goal_acts, goal_parts
from daemon.web.asked import Asked
from daemon.web.diffs import list_diff
from daemon.web.goal_reads import TODOS_MAX, Beside, read_beside, read_moments
from daemon.web.lease_terms import terms_of
from daemon.web.reads import Reads
from daemon.web.time_line import time_line
from daemon.web.tones import tone_of_artifact, tone_of_gate, tone_of_goal, tone_of_todo
from daemon.web.work_graph import graph_of, work_graph
from ledger.ids import GOAL_ID_PATTERN, TODO_ID_PATTERN
from ledger.projections.documents import Document
from ledger.projections.views import ReviewView
from ledger.records import CLOSED
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import GoalRefusal
from ledger.text.lines import reason_line, step_line
from ledger.text.pieces import COMMA, Doc, as_list, as_map, number, rows_of
from ledger.text.say import Locale

VIEWS = ("view", "review", "pending_review", "acceptance")
"""Parts of the document that are values of their own; the wire writes them as it writes everything else."""
ARTIFACTS_SHOWN_MAX = 15
MINUTE_CHARS = len("2026-06-20T00:30")
"""How exactly the pictures tell what time it is. What a minute ends, ends the documents that tell of it."""
SHOWN_STATUSES = ("all", "open", "blocked", "deferred", "done", "cancelled", "proposed")


async def view(reads: Reads, asked: Asked, names: Mapping[str, str]) -> Document | Refusal:
    """The page of one goal, as of now or of an earlier event."""
    goal_id = names["goal_id"]
    wrong = _not_understood(asked, goal_id)
    if wrong is not None:
        return wrong
    goal = await reads.document("goal.show", goal_id=goal_id)
    if isinstance(goal, Refusal):
        return await _before_it(reads, asked, goal_id, goal)
    status = asked.query.get("todos", "all")
    todos = await reads.document(
        "todo.list",
        goal_id=goal_id,
        status=None if status == "all" else status,
        after=asked.query.get("todos_after"),
        limit=TODOS_MAX,
    )
    if isinstance(todos, Refusal):
        return todos
    total = number(as_map(goal["todo_totals"]).get("all"))
    newest = goal["pending_review"] or goal["review"]
    beside = await read_beside(reads, goal_id, total, cast("ReviewView", newest).revision)
    if isinstance(beside, Refusal):
        return beside
    moment = await reads.moment(goal_id)
    shape = reads.shaped(
        ("goal", goal_id, tuple(sorted(asked.query.items())), moment[:MINUTE_CHARS]),
        (goal, todos, *beside.documents),
        lambda: _shaped(goal, todos, beside, asked, moment),
    )
    return {
        **shape.values,
        "shape": shape.number,
        "moments": await read_moments(reads, asked.at, goal_id, beside.events),
    }


def _not_understood(asked: Asked, goal_id: str) -> Refusal | None:
    """What of the address is no place on this page."""
    if re.fullmatch(GOAL_ID_PATTERN, goal_id) is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=goal_id)
    if asked.query.get("todos", "all") not in SHOWN_STATUSES:
        return refuse(
            GeneralRefusal.MALFORMED_PARAMS, field="todos", problem="must be one of " + ", ".join(SHOWN_STATUSES)
        )
    after = asked.query.get("todos_after")
    if after is not None and re.fullmatch(TODO_ID_PATTERN, after) is None:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="todos_after", problem="must be a todo id")
    return None


async def _before_it(reads: Reads, asked: Asked, goal_id: str, refused: Refusal) -> Document | Refusal:
    """A moment at which there was no such goal yet says so, and leads to the one at which there was."""
    if asked.at is None or refused.code is not GoalRefusal.GOAL_NOT_FOUND:
        return refused
    first = await reads.now().document("history.list", goal_id=goal_id, order="oldest", limit=1)
    events = [] if isinstance(first, Refusal) else rows_of(first, "events")
    if not events:
        return refused
    moments = await read_moments(reads, asked.at, goal_id, [])
    return {"goal": None, "goal_id": goal_id, "first": events[0], "moments": moments}


def _shaped(shown: Document, todos: Document, beside: Beside, asked: Asked, moment: str) -> Document:
    """What is read from the documents for the eye: claims, votes, criteria, gaps, sentences, lines, the picture."""
    goal = {**shown, **{name: msgspec.to_builtins(shown[name]) for name in VIEWS}}
    locale, goal_id = asked.locale, str(goal["goal_id"])
    artifacts = rows_of(beside.artifacts, "artifacts")
    total = number(as_map(goal["todo_totals"]).get("all"))
    return {
        "goal": goal,
        "goal_id": goal_id,
        "todos": todos,
        "todos_status": asked.query.get("todos", "all"),
        "statuses": SHOWN_STATUSES,
        "graph": work_graph(graph_of(beside.drawn, artifacts, beside.gates_open, goal_id), total),
        "time_line": time_line(terms_of(beside.lease_events, moment), moment),
        **_told(goal, beside, locale),
        **_beside(beside, artifacts, as_map(goal["review"])),
        **_drawn(goal, beside, asked),
        "revisions": [_changes(as_map(goal[name])) for name in ("pending_review", "review") if goal[name] is not None],
        "comma": COMMA[locale],
        "tone_of_goal": tone_of_goal,
        "tone_of_todo": tone_of_todo,
        "tone_of_artifact": tone_of_artifact,
        "tone_of_gate": tone_of_gate,
        "code_names": goal_parts.CODE_NAMES,
        "decided_tones": goal_parts.DECIDED_TONES,
    }


def _told(goal: Document, beside: Beside, locale: Locale) -> Document:
    """The goal's own facts as sentences, and who holds what."""
    step, cause = as_map(goal["next_safe_action"]), as_map(goal["cause"])
    by_seq = goal_parts.sentences(beside.events)
    return {
        "claims": goal_parts.claims_of(goal),
        "warnings": goal_parts.Warnings(goal),
        "next_sentence": step_line(str(step["code"]), as_map(step["subject"]), locale),
        "quota_reason": _quota_reason(goal, locale),
        "cause_sentence": by_seq.get(cast("int", cause["seq"]), {}).get("sentence"),
        "sentence_of": by_seq,
    }


def _beside(beside: Beside, artifacts: list[Doc], review: Doc) -> Document:
    """What stands beside the goal, each list as long as it is shown."""
    return {
        "gates_open": [(gate, goal_parts.votes_of(gate)) for gate in beside.gates_open],
        "gates_open_total": beside.gates_open_total,
        "gates_past": [(gate, goal_parts.votes_of(gate)) for gate in beside.gates_past],
        "gates_past_total": beside.gates_past_total,
        "criteria": goal_parts.criteria_of(review, artifacts),
        "artifacts_read": len(artifacts),
        "artifact_rows": list(reversed(artifacts[-ARTIFACTS_SHOWN_MAX:])),
        "plans": beside.plans,
        "plan": beside.plan,
        "lanes": [] if beside.plan is None else goal_parts.gaps_first(beside.plan),
        "amendments": [{**one, "view": msgspec.to_builtins(one["view"])} for one in beside.amendments],
        "amendments_total": beside.amendments_total,
        "requests": beside.requests,
        "runs": beside.runs,
        "usage": beside.usage,
        "usage_of": goal_parts.usage_by_run(beside.usage),
        "revised": beside.revised,
    }


def _quota_reason(goal: Document, locale: Locale) -> str:
    """The reason in the reader's language, as far as the document has it in that one; the state stands beside it."""
    quota = as_map(goal["quota"])
    code = quota.get("pause_cause")
    if code is not None:
        return reason_line(str(code), locale)
    return str(quota["reason"]) if locale == "en" else ""


def _changes(review: Doc) -> Document:
    """A revision with each changed field as the pieces that stayed, came and went."""
    before = as_map(review.get("before"))
    return {
        "review": review,
        "before": before or None,
        "changes": [
            {
                "name": change["name"],
                "entries": list_diff(
                    tuple(map(str, as_list(change.get("was")))), tuple(map(str, as_list(change.get("becomes"))))
                ),
            }
            for change in rows_of(before, "changes")
        ],
    }


def _drawn(goal: Document, beside: Beside, asked: Asked) -> Document:
    """The lines of now. A moment that is past has none: whatever was open then may be decided since."""
    if asked.at is not None:
        return {"next_line": None, "acts": [], "gate_acts": {}, "is_past": True}
    is_over = goal["state"] in CLOSED
    open_amendments = [one for one in beside.amendments if one["status"] in {"open", "needs_rebase"}]
    waiting = goal_acts.Waiting(
        plans=[] if is_over or beside.plan is None or beside.plan["status"] != "open" else [beside.plan],
        amendments=[] if is_over else open_amendments,
        gates=[] if is_over else beside.gates_open,
    )
    goal_id = str(goal["goal_id"])
    return {
        "next_line": goal_acts.next_line(goal),
        "acts": goal_acts.acts_of(goal, waiting),
        "gate_acts": {str(gate["gate_id"]): goal_acts.gate_acts(goal_id, gate) for gate in waiting.gates},
        "is_past": False,
    }
