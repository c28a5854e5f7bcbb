"""The documents of gates: what is asked, who may answer and has, and the basis to answer by."""

from collections.abc import Callable
from itertools import islice
from typing import cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.parts.gates import Gate
from ledger.parts.grants import StandingGrant
from ledger.projections.privacy import Screen
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules import gate_params
from ledger.rules.common import Caller, refuse
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.gates import awaited, counted, counts, gate_basis
from ledger.rules.goals import GoalRefusal
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
Reader = Callable[[Workspace, Caller, Params, int], Document | Refusal]

QUESTION_CHARS_MAX = 2_000
OPEN_GATES_MAX = 20


def open_gate_rows(workspace: Workspace, goal: Goal, screen: Screen, now_ms: int, place: int = 0) -> list[Document]:
    """The gates that wait, oldest first, as the channel shows them from `place` on; `blocks` means the waiting work."""
    if goal.state in CLOSED:
        return []
    rows: list[Document] = []
    for gate_id in islice(goal.gates.waiting, OPEN_GATES_MAX):
        gate, path = goal.gates.by_id[gate_id], f"open_gates[{place + len(rows)}].question"
        rows.append(
            {
                "gate_id": gate.gate_id,
                "kind": gate.kind,
                "status": gate.status,
                "blocks": [goal.goal_id] if gate.blocks_goal else list(gate.blocked_todo_ids),
                "opened_at": rfc3339(gate.opened_at_ms),
                "generation": gate.generation,
                "severity": gate.severity,
                "question": screen.show(gate.question, QUESTION_CHARS_MAX, path),
                "decision_scope": gate.decision_scope,
                "votes": counted(workspace, gate),
                "quorum": gate.policy.quorum,
                "waits_for": list(awaited(workspace, gate, now_ms)),
                "expires_at": rfc3339_or_none(gate.policy.expires_at_ms),
                "escalated_to": None if gate.escalated_to is None else list(gate.escalated_to),
            }
        )
    return rows


def _show(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("gate_params.ShowGate", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    gate = goal.gates.by_id.get(ask.gate_id)
    if gate is None:
        return refuse(GateRefusal.GATE_NOT_FOUND, gate_id=ask.gate_id)
    policy, screen = gate.policy, Screen()
    return {
        "schema_version": "frontstage_gate_v1",
        **_row(workspace, goal, gate, screen),
        "basis": gate_basis(goal, gate),
        "options": [screen.show(text, QUESTION_CHARS_MAX, f"options[{at}]") for at, text in enumerate(gate.options)],
        "default": screen.show(gate.default, QUESTION_CHARS_MAX, "default") or None,
        "evidence_digest": gate.evidence_digest,
        "waits_for": list(awaited(workspace, gate, now_ms)) if gate.is_open else [],
        "escalated_to": None if gate.escalated_to is None else list(gate.escalated_to),
        "policy": {
            "approvers": list(policy.approvers),
            "quorum": policy.quorum,
            "exclude_proposer": policy.exclude_proposer,
            "delegable": policy.delegable,
            "expires_at": rfc3339_or_none(policy.expires_at_ms),
            "on_expiry": policy.on_expiry,
            "remind_every_seconds": None if policy.remind_every_ms is None else policy.remind_every_ms // 1_000,
            "step_up": policy.step_up,
        },
        "votes": [
            {
                "seat": vote.seat, "voter": vote.voter, "counts": counts(workspace, gate, vote), "seq": vote.seq,
                "at": rfc3339(vote.at_ms),
            }
            for vote in gate.votes
        ],
        "delegates": [
            {"seat": one.seat, "delegate": one.delegate, "until": rfc3339(one.until_ms), "over": one.until_ms <= now_ms}
            for one in gate.delegates
        ],
        "standing_grants": [
            _grant(grant) for grant in workspace.grants.by_id.values()
            if (grant.from_goal, grant.gate_id) == (goal.goal_id, gate.gate_id)
        ],
        "reason": screen.show(gate.reason, QUESTION_CHARS_MAX, "reason"),
        "source_warnings": screen.warnings,
    }  # fmt: skip


def _row(workspace: Workspace, goal: Goal, gate: Gate, screen: Screen) -> Document:
    return {
        "goal_id": goal.goal_id,
        "gate_id": gate.gate_id,
        "generation": gate.generation,
        "kind": gate.kind,
        "severity": gate.severity,
        "status": gate.status,
        "question": screen.show(gate.question, QUESTION_CHARS_MAX, f"{gate.gate_id}.question"),
        "blocks": [goal.goal_id] if gate.blocks_goal else list(gate.blocked_todo_ids),
        "decision_scope": gate.decision_scope,
        "votes_counted": counted(workspace, gate),
        "quorum": gate.policy.quorum,
        "opened_by": gate.opened_by,
        "opened_at": rfc3339(gate.opened_at_ms),
        "resolved_by": gate.resolved_by,
        "on_behalf_of": gate.resolved_for,
        "resolved_at": rfc3339_or_none(gate.resolved_at_ms),
        "seq": gate.resolved_seq or gate.seq,
    }


def _grant(grant: StandingGrant) -> Document:
    return {
        "grant_id": grant.grant_id,
        "goal_id": grant.goal_id,
        "decision_scope": grant.decision_scope,
        "verdict": grant.verdict,
        "revoked": grant.revoked,
    }


def _list(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("gate_params.ListGates", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    wanted = [
        gate
        for gate in reversed(goal.gates.by_id.values())
        if ask.status is None or gate.is_open == (ask.status == "open")
    ]
    screen = Screen()
    return {
        "schema_version": "frontstage_gate_list_v1",
        "goal_id": goal.goal_id,
        "gates": [_row(workspace, goal, gate, screen) for gate in wanted[: ask.limit]],
        "total": len(wanted),
        "source_warnings": screen.warnings,
    }


READERS: dict[str, Reader] = {"gate.show": _show, "gate.list": _list}
