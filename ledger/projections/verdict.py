"""`quota should-run` as a document: one closed verdict, and every boolean derived from its decision.

Nothing here decides anything. `FRAMES` is the one place where a decision becomes booleans, so that no two of them can
contradict each other, in this document or in any other projection.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from ledger.ids import GoalId, MemberId
from ledger.projections.holds import hold_of, listed_todos
from ledger.projections.steps import Given, Step, next_step
from ledger.records import Todo
from ledger.rules.common import granted, unmet
from ledger.rules.quota import QuotaDecision, QuotaState, Verdict, decide_should_run, verdict_of, verdict_of_state
from ledger.rules.slots import allowed_slots, reserved_slots
from ledger.rules.waking import to_wake
from ledger.state import Goal, Workspace
from ledger.text.lines import reason_line
from ledger.text.times import rfc3339_or_none

AGENTS_LOOKED_AT_MAX = 32
USER_ACTIONS_MAX = 3
SPEND_POLICY: Final = "a slot is spent only after a result was validated and written back"


class Frame(NamedTuple):
    """What a decision means, once."""

    mode: str
    effective_action: str
    user_action_required: bool = False
    agent_action_required: bool = False
    quiet_noop_allowed: bool = False


FRAMES: Final[dict[QuotaDecision, Frame]] = {
    QuotaDecision.RUN: Frame("bounded_delivery", "advance_selected_todo", agent_action_required=True),
    QuotaDecision.OBSERVE: Frame("monitor_observation", "observe_monitor", agent_action_required=True),
    QuotaDecision.REPLAN: Frame("replan", "write_a_new_plan", agent_action_required=True),
    QuotaDecision.REPAIR: Frame("repair", "repair_before_work", agent_action_required=True),
    QuotaDecision.ASK_USER: Frame("user_decision", "wait_for_decision", user_action_required=True),
    QuotaDecision.SKIP: Frame("quiet_skip", "stay_quiet", quiet_noop_allowed=True),
}

_RANK = {decision: rank for rank, decision in enumerate(FRAMES)}


def goal_verdict(workspace: Workspace, goal: Goal, now_ms: int) -> Given:
    """One verdict for the goal: of an agent that may run, else of the one who could do most about it."""
    best: Given | None = None
    for agent_id in _agents(workspace, goal, now_ms):
        verdict = decide_should_run(workspace, goal.goal_id, agent_id, now_ms)
        if verdict.decision is QuotaDecision.RUN:
            return Given(agent_id, verdict)
        if best is None or _RANK[verdict.decision] < _RANK[best.verdict.decision]:
            best = Given(agent_id, verdict)
    return best or Given(None, _without_agent(goal))


def _agents(workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[MemberId]:
    """Agents who may work on it, those who hold work first; one is enough where nothing is free to begin."""
    working = sorted(agent_id for agent_id in goal.mine if _may_work(workspace, goal, agent_id))
    looked_at = AGENTS_LOOKED_AT_MAX
    for agent_id in working[:looked_at]:
        looked_at -= 1
        yield agent_id
    freed = chain(goal.lapsed(now_ms), to_wake(workspace, goal, now_ms))
    free = goal.is_executable and (goal.ready or next(freed, None) is not None)
    looked_at = looked_at if free else min(looked_at, 0 if working else 1)
    for agent_id in workspace.members:
        if looked_at <= 0:
            return
        if agent_id not in working and _may_work(workspace, goal, agent_id):
            looked_at -= 1
            yield agent_id


def _may_work(workspace: Workspace, goal: Goal, agent_id: MemberId) -> bool:
    member = workspace.members.get(agent_id)
    return member is not None and member.kind == "agent" and not member.revoked and granted(member, goal.goal_id)


def _without_agent(goal: Goal) -> Verdict:
    """The same verdicts where no agent is there to give them to."""
    halted = verdict_of_state(goal)
    return halted or verdict_of(QuotaState.FOCUS_WAIT, QuotaDecision.SKIP, "no_agent_granted")


def reason_of(verdict: Verdict) -> str:
    """The reason as a sentence; programs read the codes beside it."""
    return reason_line(verdict.reason_codes[0], "en")


def decision_frame(verdict: Verdict) -> dict[str, object]:
    """The three booleans everybody reads, from the one decision."""
    frame = FRAMES[verdict.decision]
    return {
        "user_action_required": frame.user_action_required,
        "agent_action_required": frame.agent_action_required,
        "quiet_noop_allowed": frame.quiet_noop_allowed,
    }


def quota_document(goal: Goal, verdict: Verdict, agent_id: MemberId | None, now_ms: int) -> dict[str, object]:
    """The budget beside the state it is in. What is not known of the usage is said, and is in no sum."""
    settings, intent, runs = goal.slots.settings, goal.intent, goal.runs
    return {
        "state": verdict.state.value,
        "reason": reason_of(verdict),
        "pause_cause": verdict.reason_codes[0] if verdict.state is QuotaState.PAUSED else None,
        "spend_policy": SPEND_POLICY,
        "allowed_slots": allowed_slots(goal),
        "spent_slots": goal.slots.spent(now_ms),
        "reserved_slots": reserved_slots(goal, agent_id, now_ms),
        "window_hours": settings.window_hours,
        "slot_minutes": settings.slot_minutes,
        "compute": settings.compute_permille / 1_000,
        "token_cap": intent.token_cap,
        "tokens_known": runs.tokens,
        "tokens_unknown_reports": runs.tokens_unknown,
        "cost_cap_micros": intent.cost_cap_micros,
        "cost_known_micros": runs.cost_micros,
        "cost_unknown_reports": runs.cost_unknown,
    }


def should_run_document(workspace: Workspace, goal: Goal, agent_id: MemberId, now_ms: int) -> dict[str, object]:
    """Whether this agent may do a turn now, on what, within which bounds, and what to do instead if not."""
    verdict = decide_should_run(workspace, goal.goal_id, agent_id, now_ms)
    step = next_step(workspace, goal, Given(agent_id, verdict), listed_todos(goal), now_ms)
    # Work with scopes of its own may write there and nowhere else, however far the goal reaches.
    own = () if verdict.todo is None else verdict.todo.required_write_scopes
    boundary: dict[str, object] = {
        "write_scopes": list(own or goal.intent.write_scopes),
        "capabilities": list(goal.intent.capabilities),
        "handoff_mode": goal.intent.handoff_mode,
        "revision": goal.confirmed,
    }
    return _decided(goal.goal_id, agent_id, verdict, step) | {
        "selected_todo": None if verdict.todo is None else _selected(goal, verdict.todo, now_ms),
        "quota": quota_document(goal, verdict, agent_id, now_ms),
        "goal_boundary": boundary,
        "notices": _notices(goal, verdict),
    }


def unreadable_document(workspace: Workspace, goal_id: GoalId, agent_id: MemberId, now_ms: int) -> dict[str, object]:
    """The same for a goal that cannot be read: nobody begins anything, and whoever runs the machine is to look."""
    verdict = decide_should_run(workspace, goal_id, agent_id, now_ms)
    step = Step(key="repair", action=None, by="operator", subject={"goal_id": goal_id})
    nothing: dict[str, object] = {"selected_todo": None, "quota": None, "goal_boundary": None, "notices": []}
    return _decided(goal_id, agent_id, verdict, step) | nothing


def _decided(goal_id: GoalId, agent_id: MemberId, verdict: Verdict, step: Step) -> dict[str, object]:
    frame = FRAMES[verdict.decision]
    return {
        "schema_version": "quota_should_run_v0",
        "goal_id": goal_id,
        "agent_id": agent_id,
        "should_run": verdict.decision is QuotaDecision.RUN,
        "decision": verdict.decision.value,
        "effective_action": frame.effective_action,
        "state": verdict.state.value,
        "reason": reason_of(verdict),
        "reason_codes": list(verdict.reason_codes),
        "requires_user_action": frame.user_action_required,
        "next_safe_action": step.document(),
        "interaction_contract": interaction_contract(verdict, step),
        "decision_frame": decision_frame(verdict),
        "spend_policy": SPEND_POLICY,
    }


def _notices(goal: Goal, verdict: Verdict) -> list[dict[str, object]]:
    """What is open beside the work, and the request that it waits for, by its name."""
    notices: list[dict[str, object]] = []
    if goal.confirmed and goal.pending:
        notices.append({"kind": "revision_waits_for_owner", "goal_id": goal.goal_id, "revision": goal.pending})
    if verdict.request_id is not None:
        notices.append({"kind": "request_open", "goal_id": goal.goal_id, "request_id": verdict.request_id})
    return notices


def interaction_contract(verdict: Verdict, step: Step) -> dict[str, object]:
    """Who is asked for what, on which channel: the same for every document that shows this verdict."""
    frame = FRAMES[verdict.decision]
    action = {"action": step.action, "params": step.subject}
    return {
        "schema_version": "loopx_interaction_contract_v0",
        "mode": frame.mode,
        "user_channel": {
            "action_required": frame.user_action_required,
            "notify": "NOTIFY" if frame.user_action_required else "DONT_NOTIFY",
            "max_items": USER_ACTIONS_MAX,
            "actions": [step.document()] if frame.user_action_required else [],
        },
        "agent_channel": {
            "must_attempt": frame.agent_action_required,
            "delivery_allowed": verdict.decision is QuotaDecision.RUN,
            "quiet_noop_allowed": frame.quiet_noop_allowed,
            "primary_action": frame.effective_action,
        },
        "cli_channel": {
            "next_cli_actions": [action]
            if step.action is not None and step.by == "agent" and frame.agent_action_required
            else [],
            "spend_after_validation": verdict.decision is QuotaDecision.RUN,
            "spend_policy": SPEND_POLICY,
        },
    }


def _selected(goal: Goal, todo: Todo, now_ms: int) -> dict[str, object]:
    """The work in full: what an agent needs to begin it."""
    hold = hold_of(goal, todo, now_ms)
    return {
        "todo_id": todo.todo_id,
        "title": todo.title,
        "acceptance": todo.acceptance,
        # What is selected is open, though a deferral that is over may not be written as such yet.
        "status": "open",
        "priority": todo.priority,
        "task_class": todo.task_class,
        "action_kind": todo.action_kind,
        "claimed_by": hold.owner,
        "claim": hold.kind,
        "claimed_until": rfc3339_or_none(None if hold.lease is None else hold.lease.expires_at_ms),
        "lease_version": None if hold.lease is None else hold.lease.version,
        "required_write_scopes": list(todo.required_write_scopes),
        "required_capabilities": list(todo.required_capabilities),
        "depends_on": list(todo.depends_on),
        "waiting_for": unmet(goal, todo),
        "note": todo.note,
    }
