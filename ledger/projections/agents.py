"""How agents are connected, and what one finds when its turn begins.

The inbox is one document for whatever stands at the edge of a turn: it says whether to work and on what, what was asked
of the agent, what came back to it, and what was decided since it last did anything. It is derived like every other
document: nothing is marked as read, the agent's own next event moves the mark.
"""

from collections.abc import Callable
from itertools import islice
from typing import Final, cast

from ledger.ids import GoalId, MemberId
from ledger.params import Params
from ledger.parts.agents import FACTS, Binding
from ledger.projections.presence import presence_in
from ledger.projections.verdict import should_run_document
from ledger.records import CLOSED, Member
from ledger.refusals import Refusal
from ledger.rules import agent_params
from ledger.rules.agents import AgentRefusal, standing_of, unproven
from ledger.rules.common import Caller, must_review, refuse
from ledger.rules.gates import awaited
from ledger.rules.leases import effective_lease
from ledger.rules.material import status_of
from ledger.rules.members import MemberRefusal
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]

ITEMS_MAX: Final = 10
"""How many of each thing an inbox shows; how many there are is always said."""
_OF_THE_VERDICT: Final = ("should_run", "decision", "state", "reason", "reason_codes", "selected_todo", "notices")


def binding_document(workspace: Workspace, member_id: MemberId, now_ms: int) -> Document | None:
    """How an agent is connected, for documents about it; None where nothing was recorded."""
    binding = workspace.agents.bindings.get(member_id)
    if binding is None:
        return None
    standing = standing_of(workspace, binding, now_ms)
    return {"runtime_kind": binding.runtime, "state": standing.word, "because": standing.because}


def qualified_until_ms(workspace: Workspace, now_ms: int) -> list[int]:
    """When bindings become untested again by time alone."""
    standings = (standing_of(workspace, binding, now_ms) for binding in workspace.agents.bindings.values())
    return [standing.until_ms for standing in standings if standing.until_ms is not None]


def _list(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("agent_params.ListBindingsOfAgents", asked)
    agents = [member for member in workspace.members.values() if member.kind == "agent"]
    if ask.agent_id is not None:
        agents = [member for member in agents if member.member_id == ask.agent_id]
        if not agents:
            return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=ask.agent_id)
    return {
        "schema_version": "frontstage_agent_list_v1",
        "agents": [_agent(workspace, member, now_ms) for member in agents],
        "total": len(agents),
    }


def _agent(workspace: Workspace, member: Member, now_ms: int) -> Document:
    binding = workspace.agents.bindings.get(member.member_id)
    return {
        "agent_id": member.member_id,
        "display_name": member.display_name,
        "profile_role": member.profile_role,
        "goals": list(member.goals),
        "revoked": member.revoked,
        "binding": None if binding is None else _binding(workspace, binding, now_ms),
    }


def _binding(workspace: Workspace, binding: Binding, now_ms: int) -> Document:
    standing, run = standing_of(workspace, binding, now_ms), binding.qualified
    missing = unproven(binding)
    return {
        "runtime_kind": binding.runtime,
        "state": standing.word,
        "because": standing.because,
        "config_sha256": binding.config_sha256,
        "token_id": binding.token_id,
        "bound_by": binding.by,
        "bound_at": rfc3339(binding.at_ms),
        "seq": binding.seq,
        "probes_sha256": list(binding.probes),
        "qualified_at": None if run is None else rfc3339(run.at_ms),
        "qualified_by": None if run is None else run.by,
        "qualified_until": rfc3339_or_none(standing.until_ms),
        "proven": []
        if run is None
        else [
            {"kind": proof.fact, "sha256": proof.sha256, "at": rfc3339(run.at_ms)}
            for proof in run.proven
            if proof.fact not in missing
        ],
        "failed_kinds": [] if run is None else list(run.failed),
        "unproven_kinds": [fact for fact in FACTS if fact in missing],
    }


def _inbox(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("agent_params.ShowInbox", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(AgentRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    member = workspace.members.get(MemberId(ask.agent_id or caller.member_id))
    if member is None:
        return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=ask.agent_id or caller.member_id)
    if member.kind != "agent":
        return refuse(AgentRefusal.NOT_AN_AGENT, member_id=member.member_id)
    agent_id = member.member_id
    act = goal.acts.get(agent_id)
    since = 0 if act is None else act.seq
    going = not member.revoked and goal.state not in CLOSED
    presence = presence_in(workspace, goal, member, now_ms) if going else None
    verdict = should_run_document(workspace, goal, agent_id, now_ms)
    return {
        "schema_version": "frontstage_agent_inbox_v0",
        "mode": "read_only",
        "goal_id": goal.goal_id,
        "agent_id": agent_id,
        "since_seq": since,
        "presence": None if presence is None else presence.name,
        "presence_because": None if presence is None else presence.because,
        "binding": binding_document(workspace, agent_id, now_ms),
        **{name: verdict[name] for name in _OF_THE_VERDICT},
        "revision": _revision(goal, agent_id),
        **_section("requests", _requests(goal, agent_id)),
        **_section("returns", _returns(goal, agent_id, since)),
        **_section("decisions", _decisions(goal, since)),
        **_section("open_gates", _awaited(workspace, goal, now_ms)),
        **_section("leases", _leases(goal, agent_id, now_ms, own=caller.member_id == agent_id)),
    }


def _section(name: str, rows: list[Document]) -> Document:
    return {name: list(islice(rows, ITEMS_MAX)), f"{name}_total": len(rows)}


def _revision(goal: Goal, agent_id: MemberId) -> Document:
    return {
        "current": goal.confirmed,
        "adopted": goal.adopted.get(agent_id, goal.first_confirmed),
        "must_adopt": must_review(goal, agent_id),
    }


def _requests(goal: Goal, agent_id: MemberId) -> list[Document]:
    """What is asked of the agent and still open, the oldest first."""
    found = [goal.requests.by_id[request_id] for request_id in goal.requests.open_for.get(agent_id, ())]
    return [
        {
            "request_id": one.request_id,
            "status": status_of(one),
            "sender": one.sender,
            "purpose": one.purpose,
            "todo_id": one.todo_id,
            "blocks_todo_id": one.blocks_todo_id,
            "seq": one.seq,
        }
        for one in sorted(found, key=lambda one: one.seq)
    ]


def _returns(goal: Goal, agent_id: MemberId, since: int) -> list[Document]:
    """What came back to the agent since its last act, or never arrived; the newest first."""
    rows: list[Document] = []
    for one in reversed(goal.requests.by_id.values()):
        back = one.returned
        if one.sender != agent_id or back is None or (back.mark.seq <= since and one.delivered is not None):
            continue
        rows.append(
            {
                "request_id": one.request_id,
                "receiver": one.receiver,
                "outcome": back.outcome,
                "artifact_ids": list(back.artifact_ids),
                "summary": back.summary,
                "seq": back.mark.seq,
            }
        )
    return rows


def _decisions(goal: Goal, since: int) -> list[Document]:
    """The gates of the goal that somebody decided since the agent's last act, the newest first."""
    gates = [gate for gate in goal.gates.by_id.values() if gate.resolved_seq > since]
    return [
        {
            "gate_id": gate.gate_id,
            "status": gate.status,
            "question": gate.question,
            "resolved_by": gate.resolved_by,
            "resolved_at": rfc3339_or_none(gate.resolved_at_ms),
            "seq": gate.resolved_seq,
        }
        for gate in sorted(gates, key=lambda gate: -gate.resolved_seq)
    ]


def _awaited(workspace: Workspace, goal: Goal, now_ms: int) -> list[Document]:
    """What a person has to decide first, the oldest first; how it is answered is for people, and is not said here."""
    gates = [goal.gates.by_id[gate_id] for gate_id in goal.gates.waiting]
    return [
        {
            "gate_id": gate.gate_id,
            "kind": gate.kind,
            "question": gate.question,
            "blocks": [goal.goal_id] if gate.blocks_goal else list(gate.blocked_todo_ids),
            "waits_for": list(awaited(workspace, gate, now_ms)),
            "seq": gate.seq,
        }
        for gate in gates
    ]


def _leases(goal: Goal, agent_id: MemberId, now_ms: int, *, own: bool) -> list[Document]:
    """The leases in force that the agent holds; the execution key is shown to its holder alone."""
    rows: list[Document] = []
    for todo_id in goal.mine.get(agent_id, ()):
        lease = effective_lease(goal, todo_id, now_ms)
        if lease is not None and lease.owner == agent_id:
            rows.append(
                {
                    "todo_id": todo_id,
                    "version": lease.version,
                    "acquire_ttl_seconds": lease.acquire_ttl_seconds,
                    "updated_at": rfc3339(lease.updated_at_ms),
                    "expires_at": rfc3339(lease.expires_at_ms),
                    "remaining_seconds": max(0, (lease.expires_at_ms - now_ms) // 1000),
                    "idempotency_key": lease.idempotency_key if own else None,
                }
            )
    return rows


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {
    "agent.list": _list,
    "agent.inbox": _inbox,
}
