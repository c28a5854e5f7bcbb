"""Gaps: why a lane cannot be staffed as things are. A pure function of who is registered and what is allowed.

The gaps are part of what a plan is confirmed by: when the set changes, the yes to the old one is stale. A lane that
waits for a lane with a gap is a gap itself, for it could never begin.
"""

from ledger.ids import MemberId, TodoId
from ledger.parts.plans import Gap, GapReason, Lane
from ledger.records import Todo
from ledger.rules.authority import forbids
from ledger.rules.common import granted, lacking, registered
from ledger.scopes import within
from ledger.state import Goal, Workspace

_OF_GRANTS: dict[str, GapReason] = {
    "proposer_only": "audience_not_authorized",
    "goal_not_granted": "audience_not_authorized",
    "action_kind_not_granted": "action_kind_not_supported",
    "write_scope_not_granted": "scope_outside_boundary",
    "capability_missing": "capability_not_granted",
}
_ORDER: tuple[GapReason, ...] = (
    "scope_outside_boundary",
    "action_kind_not_supported",
    "capability_not_granted",
    "audience_not_authorized",
    "agent_not_registered",
)
"""How near somebody is to being able to do it, nearest first: of many who cannot, the nearest gives the reason."""


def gaps_of(workspace: Workspace, goal: Goal, lanes: tuple[Lane, ...], now_ms: int) -> tuple[Gap, ...]:
    """At most one gap for each lane, in the order of the lanes."""
    found = {lane.lane_id: gap for lane in lanes if (gap := _gap(workspace, goal, lane, now_ms)) is not None}
    while True:
        waiting = [
            Gap(lane_id=lane.lane_id, reason="lane_waits_for_gap", names=tuple(sorted(found.keys() & lane.depends_on)))
            for lane in lanes
            if lane.lane_id not in found and found.keys() & lane.depends_on
        ]
        if not waiting:
            return tuple(found[lane.lane_id] for lane in lanes if lane.lane_id in found)
        found |= {gap.lane_id: gap for gap in waiting}


def _gap(workspace: Workspace, goal: Goal, lane: Lane, now_ms: int) -> Gap | None:
    boundary, fold_case = goal.intent.write_scopes, goal.intent.fold_case
    outside = tuple(scope for scope in lane.write_scopes if not within(scope, boundary, fold_case=fold_case))
    if outside:
        return Gap(lane_id=lane.lane_id, reason="scope_outside_boundary", names=outside)
    if lane.agent is not None:
        return _unable(workspace, goal, lane, lane.agent, now_ms)
    nearest: Gap | None = None
    for member in workspace.members.values():
        if member.kind != "agent" or member.revoked:
            continue
        gap = _unable(workspace, goal, lane, member.member_id, now_ms)
        if gap is None:
            return None
        if nearest is None or _ORDER.index(gap.reason) < _ORDER.index(nearest.reason):
            nearest = gap
    return nearest or Gap(lane_id=lane.lane_id, reason="agent_not_registered")


def _unable(workspace: Workspace, goal: Goal, lane: Lane, agent_id: MemberId, now_ms: int) -> Gap | None:
    """Why this agent could not do the lane."""
    member = registered(workspace, agent_id)
    if member is None or member.kind != "agent":
        return Gap(lane_id=lane.lane_id, reason="agent_not_registered", names=(agent_id,))
    if not granted(member, goal.goal_id):
        return Gap(lane_id=lane.lane_id, reason="audience_not_authorized", names=(agent_id,))
    work = as_todo(lane)
    if missing := lacking(goal, work, member):
        return Gap(lane_id=lane.lane_id, reason="capability_not_granted", names=tuple(missing))
    code = forbids(workspace, agent_id, goal.goal_id, work, now_ms)
    if code is None:
        return None
    names = (lane.action_kind,) if code == "action_kind_not_granted" and lane.action_kind else (agent_id,)
    return Gap(lane_id=lane.lane_id, reason=_OF_GRANTS.get(code, "audience_not_authorized"), names=names)


def as_todo(lane: Lane) -> Todo:
    """The work that the lane would be, for the rules that ask about work."""
    return Todo(
        todo_id=TodoId(lane.lane_id),
        seq=0,
        role="agent",
        status="open",
        priority=lane.priority,
        task_class="advancement_task",
        action_kind=lane.action_kind,
        required_write_scopes=lane.write_scopes,
        required_capabilities=lane.capabilities,
        depends_on=(),
        bound_agent=lane.agent,
        excluded_agents=(),
        title="",
        acceptance="",
    )
