"""What changed since an event, as plain rows: the material facts that are true now and were made true after it.

A digest is of states, not of events: work that was added and finished since is one row, and a lease that was renewed a
hundred times is none. Where nothing material changed it is empty and says so, however many events there were.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, cast

from ledger.ids import ArtifactId, GoalId, TodoId
from ledger.params import Params
from ledger.projections.attention import is_for, read_open_goals
from ledger.projections.channel import cause_of, read_goal
from ledger.projections.needs import Need, needs_of
from ledger.projections.overview import head_of
from ledger.projections.privacy import Screen
from ledger.records import Outline
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules import view_params
from ledger.rules.common import Caller, refuse, registered
from ledger.rules.goals import GoalRefusal
from ledger.rules.material import Fact, all_facts, facts_of_workspace
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339

Document = dict[str, object]
TEXT_CHARS_MAX = 160
MATERIAL: Final = (
    "goal", "revision", "question", "delivery", "todo", "artifact", "gate", "plan", "amendment", "request",
    "replan", "grant", "standing_grant",
)  # fmt: skip
"""What a row can be about."""


class Change(NamedTuple):
    """One material fact: since which event, about what, what is true of it now, by whom, and the words that name it."""

    seq: int
    kind: str
    subject: str
    now: str
    actor: str | None
    text: str = ""


def _show(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("view_params.ShowDigest", asked)
    goal = None if ask.goal_id is None else workspace.goals.get(GoalId(ask.goal_id))
    if ask.goal_id is not None and goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    if ask.since > workspace.seq:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="since", problem="is after the last event")
    found = list(_changes(workspace, goal, ask.since))
    found.sort(key=lambda row: (row[1].seq, row[0] or "", row[1].kind, row[1].subject))
    needs = _needs(workspace, goal, now_ms)
    mine = registered(workspace, caller.member_id)
    yours = needs if mine is None else [need for need in needs if is_for(need, caller.member_id)]
    screen = Screen()
    newest = found[-ask.limit :]
    return {
        "schema_version": "frontstage_digest_v1",
        "mode": "read_only",
        "goal_id": ask.goal_id,
        "since": ask.since,
        "head": head_of(workspace) if goal is None else _goal_head(goal),
        "unchanged": not found,
        "changes": [_row(goal_id, one, screen, f"changes[{at}]") for at, (goal_id, one) in enumerate(newest)],
        "total": len(found),
        "earlier": len(found) - len(newest),
        "needs_you": len(yours),
        "needs_somebody": len(needs),
        "source_warnings": screen.warnings,
    }


def _needs(workspace: Workspace, goal: Goal | None, now_ms: int) -> list[Need]:
    if goal is None:
        return [need for _, _, needs in read_open_goals(workspace, now_ms) for need in needs]
    return needs_of(workspace, goal, read_goal(workspace, goal, now_ms), now_ms)


def _goal_head(goal: Goal) -> Document:
    """The last event that changed the goal; the ledger's own head stands beside the document, where it is served."""
    cause = cause_of(goal)
    return {"seq": cause.seq, "short_hash": cause.short_hash, "at": rfc3339(cause.at_ms)}


def _row(goal_id: str | None, change: Change, screen: Screen, path: str) -> Document:
    return {
        "seq": change.seq,
        "goal_id": goal_id,
        "kind": change.kind,
        "subject": change.subject,
        "now": change.now,
        "actor": change.actor,
        "text": screen.show(change.text, TEXT_CHARS_MAX, f"{path}.text"),
    }


def _changes(workspace: Workspace, only: Goal | None, since: int) -> Iterator[tuple[str | None, Change]]:
    yield from changes_in(workspace, workspace.goals.held() if only is None else (only,), since)
    if only is None:
        yield from ((None, one) for one in _of_workspace(workspace) if one.seq > since)


def changes_in(workspace: Workspace, goals: Iterable[Goal | Outline], since: int) -> Iterator[tuple[GoalId, Change]]:
    """The material facts of these goals that were made true after an event."""
    for held in goals:
        if held.last_seq > since:
            goal = workspace.goals.whole(held)
            for fact in all_facts(goal):
                if fact.seq > since:
                    yield goal.goal_id, Change(*fact, words_of(goal, fact))


def _of_workspace(workspace: Workspace) -> Iterator[Change]:
    for fact in facts_of_workspace(workspace):
        yield Change(*fact, workspace_words_of(workspace, fact))


def words_of(goal: Goal, fact: Fact) -> str:
    """The words that name what a material fact of a goal is about."""
    find = _WORDS.get(fact.kind)
    return "" if find is None else find(goal, fact.subject)


def workspace_words_of(workspace: Workspace, fact: Fact) -> str:
    """The same for a fact that is about no goal."""
    if fact.kind == "grant":
        return workspace.authority.grants[fact.subject].member_id
    return workspace.grants.by_id[fact.subject].decision_scope


def _question(goal: Goal, question_id: str) -> str:
    """A question has words as long as it is the open one."""
    asked = goal.question
    return asked.text if asked is not None and asked.question_id == question_id else ""


_WORDS: dict[str, Callable[[Goal, str], str]] = {
    "goal": lambda goal, _: goal.intent.title,
    "revision": lambda goal, number: goal.intents[int(number) - 1].title,
    "delivery": lambda goal, number: goal.deliveries[int(number) - 1].summary,
    "question": _question,
    "todo": lambda goal, todo_id: goal.todos[TodoId(todo_id)].title,
    "artifact": lambda goal, artifact_id: goal.artifacts[ArtifactId(artifact_id)].label,
    "gate": lambda goal, gate_id: goal.gates.by_id[gate_id].question,
    "amendment": lambda goal, amendment_id: goal.amendments.by_id[amendment_id].why,
    "request": lambda goal, request_id: goal.requests.by_id[request_id].purpose,
}
"""By the kind of fact: what people called it; a plan and a duty to plan anew have no words of their own."""

READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {"digest.show": _show}
"""By the name of the action."""
