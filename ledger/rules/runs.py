"""Runs: what a turn came to, and when the plan itself must be looked at.

Two turns in a row without progress oblige an agent to replan before it works on. A monitor that sees the same again is
quiet and free, until it has seen it as often as its todo allows.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId
from ledger.parts.runs import CADENCE_SECONDS_DEFAULT, MONITOR, PROGRESS, Run, Usage
from ledger.records import Todo
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, granted, next_seq, refuse, registered
from ledger.rules.leases import effective_claim
from ledger.rules.run_events import MonitorDue, MonitorObserved, RunReplanned, RunReported, RunWords, UsageReported
from ledger.rules.run_params import ObserveMonitor, ReplanRun, ReportRun, ReportUsage, RingMonitor
from ledger.state import Goal, Workspace

TURNS_WITHOUT_PROGRESS_MAX = 2
RUNS_MAX = 200_000
USAGE_MAX = 200_000


class RunRefusal(StrEnum):
    """Why a report is refused, in order of precedence."""

    ACTOR_NOT_REGISTERED = "actor_not_registered"
    RUN_ID_REUSED = "run_id_reused"
    USAGE_ID_REUSED = "usage_id_reused"
    TOO_MANY_RUNS = "too_many_runs"
    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    TODO_NOT_FOUND = "todo_not_found"
    NOT_A_MONITOR = "not_a_monitor"
    ACTOR_EXCLUDED = "actor_excluded"
    CLAIM_OWNER_MISMATCH = "claim_owner_mismatch"
    TODO_NOT_OPEN = "todo_not_open"
    EVIDENCE_REQUIRED = "evidence_required"
    ARTIFACT_NOT_FOUND = "artifact_not_found"
    ARTIFACT_OF_ANOTHER_TODO = "artifact_of_another_todo"
    RUN_NOT_FOUND = "run_not_found"
    REPLAN_NOT_DUE = "replan_not_due"


def replan_due(goal: Goal, agent_id: MemberId) -> bool:
    """Whether the agent had two turns in a row without progress and has not replanned since."""
    return replan_cause(goal, agent_id) is not None


def replan_cause(goal: Goal, agent_id: MemberId) -> str | None:
    """What obliges the agent to replan; a plan that was confirmed since is one, and so is a change to the graph."""
    streak = goal.runs.streaks.get(agent_id)
    if streak is None or replanned_since(goal, streak.seq):
        return None
    if streak.unchanged_monitor is not None:
        return "monitor_without_change"
    return "turns_without_progress" if streak.turns >= TURNS_WITHOUT_PROGRESS_MAX else None


def replanned_since(goal: Goal, seq: int) -> bool:
    """Whether a plan was confirmed or an amendment committed after this event."""
    if any(plan.status == "confirmed" and plan.decided_seq > seq for plan in goal.plans.by_id.values()):
        return True
    amendments = goal.amendments.by_id.values()
    return any(amendment.status == "committed" and amendment.decided_seq > seq for amendment in amendments)


def decide_report(workspace: Workspace, caller: Caller, ask: ReportRun, now_ms: int) -> Decision:
    """Keep what a run came to, once for each id; a result needs evidence and the hand that made it.

    It is taken in whatever state the goal is by then: the work was done, and what it came to must not be lost.
    """
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := _working(workspace, goal, caller)) is not None:
        return broken
    run_id = ask.run_id or f"run_{next_seq(workspace):06d}"
    facts = RunReported(
        run_id=run_id,
        agent_id=caller.member_id,
        todo_id=TodoId(ask.todo_id),
        turn_instance_id=ask.turn_instance_id,
        classification=ask.classification,
        delivery_outcome=ask.delivery_outcome,
        evidence=tuple(ArtifactId(text) for text in dict.fromkeys(ask.evidence)),
    )
    if (before := goal.runs.runs.get(run_id)) is not None:
        return _reported_before(before, facts)
    if len(goal.runs.runs) >= RUNS_MAX:
        return refuse(RunRefusal.TOO_MANY_RUNS, limit=RUNS_MAX)
    if (broken := _may_report(goal, caller, facts, now_ms) or _evidence(goal, facts)) is not None:
        return broken
    return (Draft(facts=facts, words=RunWords(summary=ask.summary), goal_id=goal.goal_id),)


def _working(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    member = registered(workspace, caller.member_id)
    if member is None or member.kind != "agent" or not granted(member, goal.goal_id):
        return refuse(RunRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    return None


def _reported_before(before: Run, facts: RunReported) -> Held | Refusal:
    same = ("agent_id", "todo_id", "turn_instance_id", "classification", "delivery_outcome", "evidence")
    if any(getattr(before, name) != getattr(facts, name) for name in same):
        return refuse(RunRefusal.RUN_ID_REUSED, run_id=before.run_id)
    return Held(seq=before.seq, facts={"run_id": before.run_id, "todo_id": before.todo_id})


def _may_report(goal: Goal, caller: Caller, facts: RunReported, now_ms: int) -> Refusal | None:
    todo = goal.todos.get(facts.todo_id)
    if todo is None:
        return refuse(RunRefusal.TODO_NOT_FOUND, todo_id=facts.todo_id)
    if _shut_out(todo, caller):
        return refuse(RunRefusal.ACTOR_EXCLUDED, member_id=caller.member_id)
    holder = todo.completed_by if todo.status == "done" else effective_claim(goal, todo, now_ms)
    if facts.delivery_outcome in PROGRESS and holder != caller.member_id:
        return refuse(RunRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    return None


def _shut_out(todo: Todo, caller: Caller) -> bool:
    return caller.member_id in todo.excluded_agents or todo.bound_agent not in {None, caller.member_id}


def _evidence(goal: Goal, facts: RunReported) -> Refusal | None:
    if facts.delivery_outcome in PROGRESS and not facts.evidence:
        return refuse(RunRefusal.EVIDENCE_REQUIRED, todo_id=facts.todo_id)
    for artifact_id in facts.evidence:
        artifact = goal.artifacts.get(artifact_id)
        if artifact is None:
            return refuse(RunRefusal.ARTIFACT_NOT_FOUND, artifact_id=artifact_id)
        if artifact.todo_id != facts.todo_id:
            return refuse(RunRefusal.ARTIFACT_OF_ANOTHER_TODO, artifact_id=artifact_id, todo_id=artifact.todo_id)
    return None


def decide_replan(workspace: Workspace, caller: Caller, ask: ReplanRun, _now_ms: int) -> Decision:
    """Meet the obligation; where there is none, nothing would be said."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := _working(workspace, goal, caller)) is not None:
        return broken
    match replan_cause(goal, caller.member_id):
        case "turns_without_progress" | "monitor_without_change" as cause:
            facts = RunReplanned(agent_id=caller.member_id, cause=cause)
            return (Draft(facts=facts, words=RunWords(summary=ask.summary), goal_id=goal.goal_id),)
        case _:
            return refuse(RunRefusal.REPLAN_NOT_DUE, agent_id=caller.member_id)


def decide_observe(workspace: Workspace, caller: Caller, ask: ObserveMonitor, now_ms: int) -> Decision:
    """A look at a monitor. A look is free; too many without a change oblige whoever looks to replan."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := _working(workspace, goal, caller)) is not None:
        return broken
    if not goal.is_executable:
        return refuse(RunRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    todo = goal.todos.get(TodoId(ask.todo_id))
    if todo is None:
        return refuse(RunRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    if todo.task_class != MONITOR:
        return refuse(RunRefusal.NOT_A_MONITOR, task_class=todo.task_class)
    if _shut_out(todo, caller):
        return refuse(RunRefusal.ACTOR_EXCLUDED, member_id=caller.member_id)
    if (claim := effective_claim(goal, todo, now_ms)) not in {None, caller.member_id}:
        return refuse(RunRefusal.CLAIM_OWNER_MISMATCH, claimed_by=claim)
    if todo.status != "open":
        return refuse(RunRefusal.TODO_NOT_OPEN, status=todo.status)
    before = goal.runs.monitors[todo.todo_id]
    unchanged = before.consecutive_no_change + 1 if before.result_hash == ask.result_hash else 0
    limit = todo.max_no_change_before_replan
    facts = MonitorObserved(
        todo_id=todo.todo_id,
        agent_id=caller.member_id,
        result_hash=ask.result_hash,
        # Who replans begins to count again.
        consecutive_no_change=unchanged if limit is None or unchanged < limit else 0,
        next_due_at_ms=now_ms + 1_000 * (todo.cadence_seconds or CADENCE_SECONDS_DEFAULT),
        replan=limit is not None and unchanged >= limit,
    )
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def decide_ring(workspace: Workspace, _caller: Caller, ask: RingMonitor, now_ms: int) -> Decision:
    """Say that a monitor is due, once each time: whoever waits for events need not ask again and again."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    due_ms = goal.runs.rings.get(TodoId(ask.todo_id))
    if due_ms is None or due_ms > now_ms or not goal.is_executable:
        return Held(seq=goal.last_seq, facts={"todo_id": ask.todo_id})
    facts = MonitorDue(todo_id=TodoId(ask.todo_id), due_at_ms=due_ms)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def decide_usage(workspace: Workspace, caller: Caller, ask: ReportUsage, now_ms: int) -> Decision:
    """Keep what was used, once for each id, in whatever state the goal is by then."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := _working(workspace, goal, caller)) is not None:
        return broken
    facts = UsageReported(
        usage_id=ask.usage_id or f"usage_{next_seq(workspace):06d}",
        agent_id=caller.member_id,
        run_id=ask.run_id,
        source=ask.source,
        tokens_in=ask.tokens_in,
        tokens_out=ask.tokens_out,
        cost_micros=ask.cost_micros,
        measured_at_ms=max(0, now_ms - 1_000 * ask.age_seconds),
    )
    if (before := goal.runs.usage.get(facts.usage_id)) is not None:
        return _used_before(before, facts)
    if len(goal.runs.usage) >= USAGE_MAX:
        return refuse(RunRefusal.TOO_MANY_RUNS, limit=USAGE_MAX)
    if facts.run_id is not None and facts.run_id not in goal.runs.runs:
        return refuse(RunRefusal.RUN_NOT_FOUND, run_id=facts.run_id)
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def _used_before(before: Usage, facts: UsageReported) -> Held | Refusal:
    same = ("agent_id", "run_id", "source", "tokens_in", "tokens_out", "cost_micros")
    if any(getattr(before, name) != getattr(facts, name) for name in same):
        return refuse(RunRefusal.USAGE_ID_REUSED, usage_id=before.usage_id)
    return Held(seq=before.seq, facts={"usage_id": before.usage_id})
