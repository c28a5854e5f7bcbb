"""`agent_member_v1`: an agent as its peers see it, for one goal or over all open ones.

The document is read-only and grants nothing: a profile is what the agent says of itself, its role is advisory, and
presence is what the ledger can vouch for (`ledger.projections.presence` says which facts each word rests on).
"""

from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Final, Literal, cast

from ledger.ids import GoalId, MemberId
from ledger.params import Params
from ledger.projections.agents import binding_document
from ledger.projections.holds import hold_of
from ledger.projections.presence import Presence, presence_in, presence_over_all
from ledger.projections.privacy import Screen
from ledger.projections.readings import Read, Readings
from ledger.records import CLOSED, EventNote, Member
from ledger.refusals import Refusal
from ledger.rules import view_params
from ledger.rules.common import Caller, granted, refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.members import MemberRefusal
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
Assignment = Literal["none", "assigned", "adopted", "handed_off"]

NAME_CHARS_MAX = 120
SUMMARY_CHARS_MAX = 320
TITLE_CHARS_MAX = 220
CLAIMS_MAX = 50
GOALS_MAX = 50
AGENT_MODEL: Final = "peer_v1"
_STRONGEST: Final[tuple[Assignment, ...]] = ("assigned", "handed_off", "adopted", "none")


def _show(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    return member_from(Readings())(workspace, caller, asked, now_ms)


def member_from(readings: Readings) -> Callable[[Workspace, Caller, Params, int], Document | Refusal]:
    """The reader of this document that uses what is known already of the open goals."""

    def show(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
        ask = cast("view_params.ShowMember", asked)
        member = workspace.members.get(MemberId(ask.agent_id))
        if member is None or member.kind != "agent":
            return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=ask.agent_id)
        if ask.goal_id is None:
            return _over_all(readings, workspace, member, now_ms)
        goal = workspace.goals.get(GoalId(ask.goal_id))
        if goal is None:
            return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
        row = _goal_row(goal, member, _presence(workspace, goal, member, now_ms), now_ms)
        presence = row["presence"], row["presence_because"]
        return _document(workspace, member, [goal], [row], presence, now_ms) | {"goal_id": goal.goal_id}

    return show


def _over_all(readings: Readings, workspace: Workspace, member: Member, now_ms: int) -> Document:
    """The member over all its open goals, the newest first."""
    reads = readings.all(workspace, now_ms)
    mine = [read for read in reversed(reads) if _has_to_do(member, read.goal)]

    def row(read: Read) -> Document:
        presence = None if member.revoked else read.presence(member)
        return _goal_row(read.goal, member, presence, now_ms)

    rows = [read.of_member("member.show", member.member_id, partial(row, read)) for read in mine[:GOALS_MAX]]
    found = presence_over_all(workspace, member, now_ms, map(Read.presence, reads, repeat(member)))
    presence = (None, None) if found is None else tuple(found)
    return _document(workspace, member, [read.goal for read in mine], rows, presence, now_ms)


def _document(
    workspace: Workspace,
    member: Member,
    goals: list[Goal],
    rows: list[Document],
    presence: tuple[object, ...],
    now_ms: int,
) -> Document:
    """The member with its rows; what stands above them is said of all these goals together."""
    screen = Screen()
    last = max((goal.acts[member.member_id] for goal in goals if member.member_id in goal.acts), key=_seq, default=None)
    claims = [claim for row in rows for claim in cast("list[Document]", row["current_claims"])]
    return {
        "schema_version": "agent_member_v1",
        "mode": "read_only",
        "agent_id": member.member_id,
        "agent_model": AGENT_MODEL,
        "display_name": screen.show(member.display_name, NAME_CHARS_MAX, "display_name"),
        "profile_role": member.profile_role,
        "profile_role_is_advisory": True,
        "profile": _profile(workspace, member, screen),
        "capabilities": list(member.capabilities),
        "revoked": member.revoked,
        "goal_id": None,
        "presence": presence[0],
        "presence_because": presence[1],
        "binding": binding_document(workspace, member.member_id, now_ms),
        "current_claims": claims[:CLAIMS_MAX],
        "claims_total": len(claims),
        "last_action": _act(last),
        "handoff_assignment_status": min(
            (cast("Assignment", row["handoff_assignment_status"]) for row in rows), key=_STRONGEST.index, default="none"
        ),
        "goals": rows,
        "goals_total": len(goals),
        "source_warnings": screen.warnings,
    }


def _seq(note: EventNote) -> int:
    return note.seq


def _has_to_do(member: Member, goal: Goal) -> bool:
    """Whether it may act on the goal, still holds something there or once did."""
    return granted(member, goal.goal_id) or member.member_id in goal.mine or member.member_id in goal.acts


def _profile(workspace: Workspace, member: Member, screen: Screen) -> Document | None:
    profile = workspace.authority.profiles.get(member.member_id)
    if profile is None:
        return None
    return {
        "schema_version": "agent_profile_v1",
        "agent_id": member.member_id,
        "profile_role": member.profile_role,
        "scope_summary": screen.show(profile.scope_summary, SUMMARY_CHARS_MAX, "profile.scope_summary"),
        "default_task_classes": list(profile.default_task_classes),
        "preferred_action_kinds": list(profile.preferred_action_kinds),
        "avoid_action_kinds": list(profile.avoid_action_kinds),
        "seq": profile.seq,
    }


def _presence(workspace: Workspace, goal: Goal, member: Member, now_ms: int) -> Presence | None:
    return None if member.revoked or goal.state in CLOSED else presence_in(workspace, goal, member, now_ms)


def _goal_row(goal: Goal, member: Member, presence: Presence | None, now_ms: int) -> Document:
    return {
        "goal_id": goal.goal_id,
        "state": goal.state,
        "presence": None if presence is None else presence.name,
        "presence_because": None if presence is None else presence.because,
        "current_claims": _claims(goal, member.member_id, Screen(), now_ms),
        "last_action": _act(goal.acts.get(member.member_id)),
        "handoff_assignment_status": assignment_of(goal, member.member_id),
    }


def _claims(goal: Goal, agent_id: MemberId, screen: Screen, now_ms: int) -> list[Document]:
    """What it holds, softly or under a lease; a lease that has ended holds nothing, whether or not that is written."""
    rows: list[Document] = []
    for todo_id in goal.mine.get(agent_id, ()):
        todo = goal.todos[todo_id]
        hold = hold_of(goal, todo, now_ms)
        if hold.owner == agent_id:
            rows.append(
                {
                    "goal_id": goal.goal_id,
                    "todo_id": todo_id,
                    "title": screen.show(todo.title, TITLE_CHARS_MAX, f"current_claims.{todo_id}.title"),
                    "kind": "soft_claim" if hold.lease is None else "hard_lease",
                    "claimed_until": rfc3339_or_none(None if hold.lease is None else hold.lease.expires_at_ms),
                    "seq": todo.claim_seq,
                }
            )
    return rows


def _act(note: EventNote | None) -> Document | None:
    if note is None:
        return None
    return {"seq": note.seq, "kind": note.kind, "subject": note.subject, "at": rfc3339(note.at_ms)}


def assignment_of(goal: Goal, agent_id: MemberId) -> Assignment:
    """Where the agent stands in handing work over.

    `assigned`: work was handed to it and it has not done anything here since. `handed_off`: what it left waits for
    somebody. `adopted`: it took over what another left and still has it. What somebody has to act on goes first.
    """
    found: set[Assignment] = {"none"}
    act = goal.acts.get(agent_id)
    for todo_id, note in goal.handoffs.notes.items():
        todo = goal.todos[todo_id]
        if todo.status in {"done", "cancelled"}:
            continue
        mine = todo.claimed_by == agent_id
        if mine and note.to_agent == agent_id and note.adopted_by is None and (act is None or act.seq < note.seq):
            found.add("assigned")
        elif mine and agent_id in {note.to_agent, note.adopted_by}:
            found.add("adopted")
        elif note.from_agent == agent_id and note.to_agent is None and note.adopted_by is None:
            found.add("handed_off")
    return min(found, key=_STRONGEST.index)


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {"member.show": _show}
