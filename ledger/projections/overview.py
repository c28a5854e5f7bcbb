"""The workspace on one page: every goal with what is next, what waits for whom, and how near its members are to work.

Each goal is read once. Its frame, its contract and its next step come from the one verdict that `goal show` reads, so
that the page and the goal cannot say different things. What a row rests on and cannot be relied upon is said beside it.
"""

from collections.abc import Callable, Iterable
from typing import cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.projections.agents import binding_document
from ledger.projections.attention import by_severity
from ledger.projections.channel import (
    Reading,
    cause_of,
    cause_row,
    next_action,
    read_goal,
    responsible_of,
    severity_of,
    waiting_on,
)
from ledger.projections.holds import claimed_until_ms, people_of
from ledger.projections.needs import Need
from ledger.projections.presence import Presence, presence_over_all
from ledger.projections.privacy import Part, Screen
from ledger.projections.readings import Read, Readings, agents_of
from ledger.projections.verdict import decision_frame, interaction_contract, quota_document
from ledger.records import CLOSED, Member, Outline
from ledger.refusals import Refusal
from ledger.rules import view_params
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.quota import usage_unknown
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
TITLE_CHARS_MAX = 120
NAME_CHARS_MAX = 120
MEMBERS_MAX = 200
GATES_MAX = 5
SHORT_HASH_BYTES = 4


def _show(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    return overview_from(Readings())(workspace, caller, asked, now_ms)


def overview_from(readings: Readings) -> Callable[[Workspace, Caller, Params, int], Document | Refusal]:
    """The reader of this document that uses what is known already of the open goals."""

    def show(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
        ask = cast("view_params.ShowOverview", asked)
        last = None if ask.after is None else workspace.goals.peek(GoalId(ask.after))
        if ask.after is not None and last is None:
            return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.after)
        return _document(readings.all(workspace, now_ms), workspace, ask, last, now_ms)

    return show


def _document(
    reads: list[Read], workspace: Workspace, ask: view_params.ShowOverview, last: Goal | Outline | None, now_ms: int
) -> Document:
    """The page after `last`: goals with the newest first, so that a goal which is added moves none of the others."""
    screen = Screen()
    read = {one.goal.goal_id: one for one in reads}
    waiting = sorted(
        ((urgency, one, at) for one in reads for at, urgency in enumerate(one.urgencies)), key=lambda row: row[0]
    )
    listed = [held for held in workspace.goals.newest() if ask.closed or held.state not in CLOSED]
    rest = listed if last is None else [held for held in listed if held.created_seq < last.created_seq]
    page = rest[: ask.limit]
    totals: dict[str, int] = {}
    for held in workspace.goals.held():
        totals[held.state] = totals.get(held.state, 0) + 1
    return {
        "schema_version": "frontstage_overview_v1",
        "mode": "read_only",
        "workspace": {"name": screen.show(workspace.name, NAME_CHARS_MAX, "workspace.name")},
        "head": head_of(workspace),
        "goals": [
            _goal_row(workspace, goal, read.get(goal.goal_id), screen, now_ms)
            for goal in map(workspace.goals.whole, page)
        ],
        "goals_listed": len(listed),
        "goals_total": len(workspace.goals),
        "goals_by_state": totals,
        "next_after": page[-1].goal_id if page and len(rest) > len(page) else None,
        "attention_queue": {
            "items": [one.item(at) for _, one, at in waiting[: ask.limit]],
            "total": len(waiting),
            "by_severity": by_severity(need for one in reads for need in one.needs),
        },
        **_members(workspace, reads, screen, now_ms),
        "source_warnings": screen.warnings,
    }


def head_of(workspace: Workspace) -> Document:
    """The last event there is: what a reader names to say which ledger they looked at."""
    short_hash = workspace.hash[:SHORT_HASH_BYTES].hex()
    return {"seq": workspace.seq, "short_hash": short_hash, "at": rfc3339(workspace.at_ms)}


def _goal_row(workspace: Workspace, goal: Goal, read: Read | None, screen: Screen, now_ms: int) -> Document:
    """The row, of which only the age is made anew where the goal was read before."""
    if read is None:
        row = _unaged_row(workspace, goal, read_goal(workspace, goal, now_ms), [], screen, now_ms)
    elif read.row is None:
        made = _unaged_row(workspace, goal, read.reading, read.needs, screen, now_ms)
        row = read.row = {name: Part(part) if isinstance(part, dict) else part for name, part in made.items()}
    else:
        row = read.row
    return {**row, "age_seconds": max(0, now_ms - _entered_ms(goal)) // 1_000}


def _entered_ms(goal: Goal) -> int:
    """When the goal came into the state it is in."""
    return cause_of(goal).at_ms if goal.state_note is None else goal.state_note.at_ms


def _unaged_row(
    workspace: Workspace, goal: Goal, found: Reading, needs: list[Need], screen: Screen, now_ms: int
) -> Document:
    verdict, counts, cause = found.given.verdict, found.listed.counts, cause_of(goal)
    gates = [need for need in needs if need.kind == "gate"]
    return {
        "goal_id": goal.goal_id,
        "display_name": screen.show(goal.intent.title, TITLE_CHARS_MAX, "goals.display_name"),
        "state": goal.state,
        "entered_at": rfc3339(_entered_ms(goal)),
        "age_seconds": 0,
        "priority": goal.intent.priority,
        "revision": goal.intent.number,
        "pending_revision": goal.pending or None,
        "severity": "info" if goal.state in CLOSED else severity_of(goal, found),
        "waiting_on": waiting_on(goal, found),
        "responsible": people_of(workspace, responsible_of(workspace, goal, found)),
        "claimed_until": rfc3339_or_none(claimed_until_ms(goal, now_ms)),
        "next_action": next_action(found.step),
        "next_safe_action": found.step.document(),
        "decision_frame": decision_frame(verdict),
        "interaction_contract": interaction_contract(verdict, found.step),
        "gates_waiting": [
            {"gate_id": need.gate_id, "severity": need.severity, "waits_for": list(need.waits_for)}
            for need in gates[:GATES_MAX]
        ],
        "gates_waiting_total": len(gates),
        "needs_total": len(needs),
        "quota": quota_document(goal, verdict, None, now_ms),
        "todos": {
            "open": counts.open,
            "blocked": counts.blocked,
            "done": counts.done,
            "total": counts.all - counts.cancelled,
        },
        "stale_sources": stale_sources(goal, found, now_ms),
        "cause": cause_row(workspace, cause),
    }


def stale_sources(goal: Goal, found: Reading, now_ms: int) -> list[Document]:
    """What a row rests on that is old, unknown or gone, each with the field that it makes unsure."""
    stale: list[Document] = []
    if usage_unknown(goal):
        stale.append({"affects": "quota", "kind": "usage_unknown"})
    if found.given.agent_id is None and goal.state not in CLOSED:
        stale.append({"affects": "decision_frame", "kind": "no_agent_granted"})
    if next(goal.lapsed(now_ms), None) is not None:
        stale.append({"affects": "responsible", "kind": "lease_lapsed"})
    if undone := _rests_on_undone(goal):
        stale.append({"affects": "todos", "kind": "evidence_undone", "artifacts": undone})
    return stale


def _rests_on_undone(goal: Goal) -> int:
    """How many artifacts that finished work names no longer hold."""
    if not goal.reviews.undone and not goal.reviews.decisions:
        return 0
    done = (todo for todo in goal.todos.values() if todo.status == "done")
    return sum(not goal.reviews.is_sound(one) for todo in done for one in todo.evidence)


def _members(workspace: Workspace, reads: list[Read], screen: Screen, now_ms: int) -> Document:
    members = [one for one in workspace.members.values() if one.kind != "bot" and not one.revoked]
    columns = zip(*(read.presences for read in reads), strict=True)
    found = dict(zip((one.member_id for one in agents_of(workspace)), columns, strict=bool(reads)))
    shown = members[:MEMBERS_MAX]
    return {
        "members": [_member_row(workspace, one, found.get(one.member_id, ()), screen, now_ms) for one in shown],
        "members_total": len(members),
    }


def _member_row(
    workspace: Workspace, member: Member, found: Iterable[Presence], screen: Screen, now_ms: int
) -> Document:
    presence = presence_over_all(workspace, member, now_ms, found)
    return {
        "member_id": member.member_id,
        "kind": member.kind,
        "display_name": screen.show(member.display_name, NAME_CHARS_MAX, "goals.display_name"),
        "roles": list(member.roles),
        "profile_role": member.profile_role,
        "presence": None if presence is None else presence.name,
        "presence_because": None if presence is None else presence.because,
        "binding": binding_document(workspace, member.member_id, now_ms),
    }


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {"overview.show": _show}
"""By the name of the action."""
