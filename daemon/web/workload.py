"""Who carries how much: one row for each agent, counted out of the documents of the goals it works in.

A number is only as good as what was read: where a document shows the latest of many rows, what is counted out of it is
a lower bound, and the row says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ledger.parts.runs import NEUTRAL, PROGRESS
from ledger.text.pieces import Doc, as_list, number, rows_of


class Books(NamedTuple):
    """What one goal's documents say that is counted here."""

    quota: Doc
    runs: Doc
    artifacts: Doc


class Refused(NamedTuple):
    """How often each member's writes were refused, as far as was read."""

    times: Mapping[str, int]
    partly: bool


def refused_in(document: Doc) -> Refused:
    """Counted out of the list of refusals, in which one row may stand for several attempts."""
    times: dict[str, int] = {}
    for row in rows_of(document, "refusals"):
        times[str(row.get("actor"))] = times.get(str(row.get("actor")), 0) + max(1, number(row.get("times")))
    return Refused(times, not document or document.get("next_after") is not None)


class Load(NamedTuple):
    """One agent's row."""

    agent_id: str
    name: str
    claims: int
    leases: int
    in_review: int
    spent: int
    without_progress: int
    refused: int
    at_least: frozenset[str]
    """The counts for which something was left out that might belong to them."""


def load_of(shown: Doc, books: Mapping[str, Books], refused: Refused) -> Load:
    """What one agent has in hand and what came of its turns, over the goals that were read."""
    agent_id = str(shown.get("agent_id"))
    rows = rows_of(shown, "goals")
    claims = [claim for row in rows for claim in rows_of(row, "current_claims")]
    acted = [str(row.get("goal_id")) for row in rows if row.get("last_action") is not None]
    mine = [books[goal_id] for goal_id in acted if goal_id in books]
    streaks = [turns_without_progress(rows_of(book.runs, "runs"), agent_id) for book in mine]
    return Load(
        agent_id=agent_id,
        name=str(shown.get("display_name")),
        claims=len(claims),
        leases=sum(claim.get("kind") == "hard_lease" for claim in claims),
        in_review=sum(waits_for_review(one, agent_id) for book in mine for one in rows_of(book.artifacts, "artifacts")),
        spent=sum(spent_by(book.quota, agent_id) for book in mine),
        without_progress=max(streaks, default=0),
        refused=refused.times.get(agent_id, 0),
        at_least=_at_least(shown, books, mine, refused),
    )


def _at_least(shown: Doc, books: Mapping[str, Books], mine: list[Books], refused: Refused) -> frozenset[str]:
    """What was not wholly counted. Of an agent that never acted in an open goal nothing can be missing there."""
    rows = rows_of(shown, "goals")
    more = number(shown.get("goals_total")) > len(rows)
    closed = any(str(row.get("goal_id")) not in books for row in rows if row.get("last_action") is not None)
    unread = closed or any(map(_cut, mine)) or (more and shown.get("last_action") is not None)
    found = {"claims", "leases"} if more else set()
    found |= {"in_review", "spent", "without_progress"} if unread else set()
    return frozenset(found | ({"refused"} if refused.partly else set()))


def waits_for_review(artifact: Doc, agent_id: str) -> bool:
    """Whether an agent handed it in and nobody has judged it."""
    return artifact.get("submitted_by") == agent_id and artifact.get("status") == "submitted"


def spent_by(quota: Doc, agent_id: str) -> int:
    """The slots that an agent spent in a goal's window."""
    return sum(number(one.get("slots")) for one in rows_of(quota, "receipts") if one.get("agent_id") == agent_id)


def turns_without_progress(runs: Iterable[Doc], agent_id: str) -> int:
    """How many of an agent's latest turns in a row, the newest first, came to nothing; each turn counts once."""
    turns: set[object] = set()
    for run in runs:
        outcome = run.get("delivery_outcome")
        if run.get("agent_id") != agent_id or outcome in NEUTRAL:
            continue
        if outcome in PROGRESS:
            break
        turns.add(run.get("turn_instance_id"))
    return len(turns)


def _cut(books: Books) -> bool:
    listed = ((books.quota, "receipts", "receipts_total"), (books.runs, "runs", "total"),
              (books.artifacts, "artifacts", "total"))  # fmt: skip
    return any(number(doc.get(total)) > len(rows_of(doc, name)) for doc, name, total in listed)


class Untaken(NamedTuple):
    """Work that could begin now and that no agent may take."""

    goal_id: str
    todo_id: str
    title: str
    why: str
    """A sentence's name: what keeps agents from it."""
    needs: list[str]
    """What would have to be granted, or to whom it is bound."""


def may_take(agents: Sequence[Doc], goal_id: str) -> list[Doc]:
    """The agents that may act on a goal."""
    return [
        one
        for one in agents
        if one.get("kind") == "agent" and not one.get("revoked") and {"*", goal_id} & set(as_list(one.get("goals")))
    ]


def untaken(goal_id: str, free: Sequence[Doc], takers: Sequence[Doc], taken: set[str]) -> list[Untaken]:
    """The free work of a goal that is on no agent's own list of what it could begin."""
    return [
        Untaken(goal_id, str(todo.get("todo_id")), str(todo.get("title")), *_why(todo, takers))
        for todo in free
        if str(todo.get("todo_id")) not in taken
    ]


def _why(todo: Doc, takers: Sequence[Doc]) -> tuple[str, list[str]]:
    if not takers:
        return "nobody_granted", []
    if todo.get("bound_agent") is not None:
        return "bound_to_one", [str(todo.get("bound_agent"))]
    wanted = [str(one) for one in as_list(todo.get("required_capabilities"))]
    lacking = [one for one in wanted if not any(one in as_list(agent.get("capabilities")) for agent in takers)]
    if lacking:
        return "capability_missing", lacking
    excluded = set(as_list(todo.get("excluded_agents")))
    if all(agent.get("member_id") in excluded for agent in takers):
        return "all_excluded", []
    return "rights_missing", [str(one) for one in as_list(todo.get("required_write_scopes"))]
