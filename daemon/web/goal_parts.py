"""Small shapes of a goal's page: who holds what until when, which warning stands beside which panel, how it is signed.

All of them are read from the documents and add nothing to them; each keeps the place in the document it was read from.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ledger.projections.privacy import WITHHELD
from ledger.text.pieces import Doc, as_list, as_map, rows_of

DECIDED_TONES: Mapping[str, str] = {
    "accepted": "done",
    "committed": "done",
    "confirmed": "done",
    "delivered": "done",
    "open": "wait",
    "needs_rebase": "stop",
    "partial": "wait",
    "rejected": "stop",
    "sent": "wait",
    "received": "wait",
    "adopted": "go",
    "returned": "wait",
    "deferred": "wait",
    "changes_requested": "wait",
}
"""How a plan, an amendment, a request, a revision or a delivery is signed; what is not here is past."""

CODE_NAMES: Mapping[str, str] = {
    "handoff_mode": "handoff",
    "review": "card.review_by",
    "plan_approval": "card.plan_approval",
}
"""Fields of the promise whose values are codes, and where their names are."""


class Claim(NamedTuple):
    """Somebody's hold on a todo: a soft claim, or a lease that ends."""

    path: str
    todo_id: str
    title: str | None
    title_path: str
    owner: str
    until: str | None
    scopes: tuple[str, ...]
    kind: str


def claims_of(goal: Doc) -> list[Claim]:
    """Every hold that the projection lists, with the title of its todo where that is listed too."""
    titles = {
        str(row.get("todo_id")): (str(row.get("title")), f"{name}[{at}].title")
        for name in ("agent_todos", "user_todos")
        for at, row in enumerate(rows_of(goal, name))
    }
    claims = []
    for at, row in enumerate(rows_of(goal, "active_leases")):
        todo_id, until = str(row.get("todo_id")), row.get("lease_until")
        title, title_path = titles.get(todo_id, (None, ""))
        claims.append(
            Claim(
                path=f"active_leases[{at}]",
                todo_id=todo_id,
                title=title,
                title_path=title_path,
                owner=str(row.get("owner_agent")),
                until=None if until is None else str(until),
                scopes=tuple(str(scope) for scope in as_list(row.get("write_scope"))),
                kind=str(row.get("kind")),
            )
        )
    return claims


class Warnings:
    """What was withheld from a document, to be told beside what it affects."""

    def __init__(self, document: Doc) -> None:
        self.all = rows_of(document, "source_warnings")

    def beside(self, *places: str) -> list[Doc]:
        """The warnings about these fields and about what is in them."""
        return [one for one in self.all if any(_is_at(str(one.get("field_path")), place) for place in places)]

    def reasons(self, *places: str) -> list[str]:
        """Why something there was withheld, each reason once."""
        return list(dict.fromkeys(str(one.get("reason")) for one in self.beside(*places)))


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith((f"{place}.", f"{place}["))


class Vote(NamedTuple):
    """One yes: whose seat, who gave it, whether it counts still, and when."""

    seat: str
    voter: str
    counts: bool
    seq: int
    at: str


def votes_of(gate: Doc) -> tuple[int, int, list[Vote]]:
    """How many votes count, how many it takes, and each that was given."""
    votes = [
        Vote(
            seat=str(row.get("seat")),
            voter=str(row.get("voter")),
            counts=row.get("counts") is True,
            seq=_count(row.get("seq")),
            at=str(row.get("at")),
        )
        for row in rows_of(gate, "votes")
    ]
    return _count(gate.get("votes_counted")), _count(as_map(gate.get("policy")).get("quorum")), votes


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


class Criterion(NamedTuple):
    """One criterion of the promise and the evidence that names it."""

    criterion_id: str
    text: str
    artifacts: list[Doc]
    met: bool
    """Whether some of that evidence counts."""


def criteria_of(review: Doc, artifacts: Iterable[Doc]) -> list[Criterion]:
    """Each criterion of a revision with what was handed in for it, what counts first."""
    found: list[Criterion] = []
    given = list(artifacts)
    for row in rows_of(review, "criteria"):
        name = str(row.get("criterion_id"))
        mine = [one for one in given if name in as_list(one.get("criterion_ids"))]
        mine.sort(key=lambda one: one.get("counts") is not True)
        found.append(Criterion(name, str(row.get("text")), mine, any(one.get("counts") is True for one in mine)))
    return found


def gaps_first(plan: Doc) -> list[Doc]:
    """The lanes of a plan: first those that nobody can do as it stands, then the others, each in their order."""
    lanes = rows_of(plan, "lanes")
    return sorted(lanes, key=lambda lane: lane.get("gap") is None)


def usage_by_run(usage: Doc) -> dict[str, list[Doc]]:
    """What was reported to be used, by the run that used it."""
    found: dict[str, list[Doc]] = {}
    for report in rows_of(usage, "reports"):
        found.setdefault(str(report.get("run_id")), []).append(report)
    return found


def sentences(events: Sequence[Doc]) -> dict[int, Doc]:
    """Events by their seq; one whose sentence is withheld is told by its kind."""
    return {_count(event.get("seq")): event for event in events if event.get("sentence") != WITHHELD}
