"""What stands about a person: the goals they have a part in and what they decided, shaped out of documents."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ledger.text.pieces import Doc, as_list, as_map, number, rows_of

DECISIONS: Final = frozenset(
    {
        "goal.confirmed", "goal.declined", "goal.paused", "goal.resumed", "goal.stopped", "goal.accepted",
        "goal.changes_requested", "goal.question_answered",
        "gate.vote_recorded", "gate.approved", "gate.refused", "gate.deferred", "gate.delegated", "gate.lifted",
        "gate.grant_revoked", "plan.confirmed", "plan.rejected", "amendment.committed", "amendment.rejected",
        "artifact.reviewed", "artifact.invalidated", "todo.admitted", "todo.declined", "member.granted",
        "member.grant_ended", "member.revoked", "quota.set",
    }
)  # fmt: skip
"""Events by which somebody decided something that others have to live with."""
DECISIONS_MAX: Final = 20


class Part(NamedTuple):
    """A goal that has something to do with a person, and what."""

    path: str
    goal: Doc
    as_what: tuple[str, ...]
    """`responsible` for it, `next` to act, or `votes` on a gate that waits."""


def parts_in(person_id: str, goals: Sequence[Doc]) -> list[Part]:
    """The goals in which a person is responsible, is next, or has a vote that is awaited."""
    found: list[Part] = []
    for at, goal in enumerate(goals):
        step = as_map(goal.get("next_safe_action"))
        said = {
            "responsible": any(one.get("member_id") == person_id for one in rows_of(goal, "responsible")),
            "next": person_id in as_list(step.get("members")),
            "votes": any(person_id in as_list(gate.get("waits_for")) for gate in rows_of(goal, "gates_waiting")),
        }
        if any(said.values()):
            found.append(Part(f"goals[{at}]", goal, tuple(name for name, holds in said.items() if holds)))
    return found


class Decisions(NamedTuple):
    """The newest decisions of a person among the events that were read."""

    rows: list[Doc]
    more: int
    from_seq: int | None
    """The oldest event that was read; None where there is none."""


def decisions_in(events: Sequence[Doc]) -> Decisions:
    """What of these events, the newest first, decided something."""
    found = [one for one in events if one.get("kind") in DECISIONS]
    return Decisions(
        rows=found[:DECISIONS_MAX],
        more=max(0, len(found) - DECISIONS_MAX),
        from_seq=min((number(one.get("seq")) for one in events), default=None),
    )
