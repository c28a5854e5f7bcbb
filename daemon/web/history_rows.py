"""Events as rows of the page: by day, each with where it leads to, and what was found with the words marked."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from daemon.web.asked import Asked
from ledger.projections.documents import Document
from ledger.searching import folded
from ledger.text.pieces import Doc, as_list, as_map
from ledger.text.say import one_line

ON_GOAL = {
    "todo_id": "todo", "gate_id": "gate", "plan_id": "plan", "amendment_id": "amendment", "request_id": "request",
    "artifact_id": "artifact",
}  # fmt: skip
"""Things that have a place on the page of their goal."""
EXPLAINED = ("gate_id", "amendment_id", "request_id", "todo_id", "plan_id")
"""Of which one can be told why they are as they are; the first that an event names is the one it is about."""


class Link(NamedTuple):
    """A thing that an event names, and where it is shown."""

    name: str
    text: str
    url: str


class Piece(NamedTuple):
    """A piece of a text, and whether it is one of the words that were looked for."""

    text: str
    marked: bool


def by_day(events: Sequence[Doc]) -> list[tuple[str, list[Doc]]]:
    """Events in their order, under the day on which they happened, in UTC."""
    return [(day, list(of_day)) for day, of_day in groupby(events, key=lambda event: str(event["at"])[:10])]


def links(event: Doc, asked: Asked) -> list[Link]:
    """Where an event leads to: its goal, what it names there, and agents."""
    goal_id, subjects = event.get("goal_id"), as_map(event.get("subjects"))
    found = [] if goal_id is None else [Link("goal_id", str(goal_id), asked.url(f"goals/{goal_id}"))]
    for name, value in subjects.items():
        text = str(value)
        if name in ON_GOAL and goal_id is not None:
            found.append(Link(name, text, f"{asked.url(f'goals/{goal_id}')}#{ON_GOAL[name]}-{text}"))
        elif name == "agent_id":
            found.append(Link(name, text, asked.url(f"agents/{text}")))
        elif name == "member_id":
            found.append(Link(name, text, asked.url("history", member_id=text)))
    return found


def why_url(event: Doc, asked: Asked) -> str | None:
    """Where one is told why the thing that an event is about is as it is now."""
    goal_id, subjects = event.get("goal_id"), as_map(event.get("subjects"))
    if goal_id is None:
        return None
    name = next((name for name in EXPLAINED if name in subjects), None)
    if name is None:
        return asked.url("history", goal_id=goal_id, why="goal")
    why = "lease" if name == "todo_id" and str(event.get("kind")).startswith("lease.") else ON_GOAL[name]
    return asked.url("history", goal_id=goal_id, why=why, **{name: subjects[name]})


def found_row(hit: Doc, query: str, asked: Asked) -> Document:
    """A thing that was found: where it is shown, and the piece of text with the words marked."""
    kind, goal_id, thing = str(hit.get("kind")), hit.get("goal_id"), str(hit.get("id"))
    at_event = asked.url("history", from_seq=hit.get("seq"), to_seq=hit.get("seq"))
    if goal_id is None or kind == "event":
        url = at_event
    else:
        url = asked.url(f"goals/{goal_id}") + ("" if kind == "goal" else f"#{kind}-{thing}")
    return {**hit, "url": url, "at_event": at_event, "pieces": marked(str(hit.get("snippet", "")), query)}


def marked(text: str, query: str) -> list[Piece]:
    """The text on one line in pieces, those marked that one looked for. What cannot be pointed at stays unmarked."""
    line = one_line(text)
    lower = line.casefold()
    if len(lower) != len(line):
        return [Piece(line, marked=False)]
    spans = sorted(span for term in folded(query).split() for span in _places(lower, term))
    pieces: list[Piece] = []
    end = 0
    for first, last in spans:
        if last <= end:
            continue
        start = max(first, end)
        pieces += [Piece(line[end:start], marked=False)] if start > end else []
        pieces.append(Piece(line[start:last], marked=True))
        end = last
    return [*pieces, Piece(line[end:], marked=False)] if end < len(line) else pieces


def _places(text: str, term: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(term)
    while at >= 0:
        found.append((at, at + len(term)))
        at = text.find(term, at + len(term))
    return found


def newest_first(events: object, *, backwards: bool) -> list[Doc]:
    """The events of a page that was read the other way round, turned back."""
    rows = [as_map(event) for event in as_list(events)]
    return rows[::-1] if backwards else rows
