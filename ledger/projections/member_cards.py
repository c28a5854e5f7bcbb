"""The members on a card: everybody who has a part in the goals of a chat, with what each holds.

Rows keep their order: people first, then agents, each in the order in which they joined. Only what happens moves a
row's words; the ends of leases are absolute times, so that nothing on the card ages by itself.
"""

from ledger.ids import MemberId
from ledger.projections.causes import Cause
from ledger.projections.holds import hold_of, name_of
from ledger.projections.member_views import BindingWord, HeldView, MembersView, MemberView
from ledger.projections.presence import NEAREST_FIRST, Presence, presence_in, presence_over_all
from ledger.records import EventNote, Member
from ledger.rules.agents import standing_of
from ledger.rules.common import granted, owners_of
from ledger.state import Goal, Workspace

ROWS_MAX = 40
GOALS_MAX = 50
HELD_MAX = 4
"""How many todos of one member are shown; how many there are is always said."""


def goals_of_place(workspace: Workspace, place: str) -> list[Goal]:
    """The goals that go on and are shown in this chat, oldest first; the workspace's own has all but private ones."""
    is_workspaces = place in workspace.identity.channels
    return [
        goal
        for goal in workspace.goals.live()
        if place in goal.channels or (is_workspaces and not goal.intent.private and place not in goal.left_chats.since)
    ]


def members_view(workspace: Workspace, goals: list[Goal], now_ms: int, *, everywhere: bool) -> MembersView:
    """Who has a part in these goals; `everywhere` says that they are all goals there are, and nobody is left out."""
    goals_total, goals = len(goals), goals[-GOALS_MAX:]
    here = [
        member
        for member in workspace.members.values()
        if member.kind in {"person", "agent"} and not member.revoked
        and (everywhere or _takes_part(workspace, goals, member))
    ]  # fmt: skip
    people = [member for member in here if member.kind == "person"]
    agents = [member for member in here if member.kind == "agent"]
    rows = [*people, *agents]
    return MembersView(
        goals=() if everywhere else tuple(goal.goal_id for goal in goals),
        goals_total=goals_total,
        goals_seen=len(goals),
        people=len(people),
        agents=len(agents),
        rows=tuple(_row(workspace, goals, member, now_ms) for member in rows[:ROWS_MAX]),
        total=len(rows),
        cause=_cause(workspace, goals),
    )


def _takes_part(workspace: Workspace, goals: list[Goal], member: Member) -> bool:
    """Whether a member may act on one of the goals, decides for it, or did something there."""
    for goal in goals:
        if member.member_id in goal.acts or member.member_id in goal.mine:
            return True
        if member.kind == "agent" and granted(member, goal.goal_id):
            return True
        if member.member_id in owners_of(goal, workspace) or member.member_id in goal.intent.approvers:
            return True
    return False


def _row(workspace: Workspace, goals: list[Goal], member: Member, now_ms: int) -> MemberView:
    held = [one for goal in goals for one in _held(goal, member.member_id, now_ms)]
    presence = _presence(workspace, goals, member, now_ms)
    return MemberView(
        name=member.display_name,
        kind="person" if member.kind == "person" else "agent",
        roles=member.roles if member.kind == "person" else tuple(filter(None, (member.profile_role,))),
        presence=presence.name,
        because=presence.because,
        binding=_binding(workspace, member, now_ms),
        held=tuple(held[:HELD_MAX]),
        held_total=len(held),
    )


def _presence(workspace: Workspace, goals: list[Goal], member: Member, now_ms: int) -> Presence:
    """The word nearest to work over these goals; of a person only whether they can be reached."""
    if member.kind == "person" or not goals:
        found = presence_over_all(workspace, member, now_ms)
        assert found is not None, "whoever was revoked is not listed"
        return found
    words = [presence_in(workspace, goal, member, now_ms) for goal in goals]
    return min(words, key=lambda one: NEAREST_FIRST.index(one.name))


def _binding(workspace: Workspace, member: Member, now_ms: int) -> BindingWord:
    binding = workspace.agents.bindings.get(member.member_id)
    return "none" if binding is None else standing_of(workspace, binding, now_ms).word


def _held(goal: Goal, member_id: MemberId, now_ms: int) -> list[HeldView]:
    """What a member holds in a goal, in the order of its urgency. A lease that has ended holds nothing."""
    todos = sorted(
        (goal.todos[one] for one in goal.mine.get(member_id, ())), key=lambda todo: (todo.priority, todo.seq)
    )
    found: list[HeldView] = []
    for todo in todos:
        hold = hold_of(goal, todo, now_ms)
        if hold.owner == member_id:
            found.append(
                HeldView(
                    goal_id=goal.goal_id,
                    title=todo.title,
                    until_ms=None if hold.lease is None else hold.lease.expires_at_ms,
                    write_scopes=todo.required_write_scopes if hold.lease is None else hold.lease.write_scopes,
                )
            )
    return found


def _cause(workspace: Workspace, goals: list[Goal]) -> Cause | None:
    notes: list[EventNote] = [note for goal in goals for note in goal.acts.values()]
    last = max(notes, key=lambda note: note.seq, default=None)
    if last is None:
        return None
    return Cause(
        seq=last.seq,
        kind=last.kind,
        actor_id=last.actor,
        actor_name=name_of(workspace, last.actor),
        at_ms=last.at_ms,
        short_hash=last.short_hash,
    )
