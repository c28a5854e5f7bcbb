"""Bindings of agents: what was set up, what was seen to work, and when that says nothing any more.

A binding is a claim about a machine that the ledger cannot see: this runtime starts with this configuration and shows
this credential. Until somebody ran it, it is *untested*, and is called so. Whoever runs it records which facts were
seen. Two of them the ledger proves itself: the agent must have written, by the binding's own credential, a challenge
that only whoever runs it knew. A binding that has changed since, whose credential ended, or that was last run long ago
is untested again.
"""

from enum import StrEnum
from typing import Literal, NamedTuple

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TokenId
from ledger.parts.agents import FACTS, VOUCHED, Binding, FactName, Proof
from ledger.records import Token
from ledger.refusals import Refusal
from ledger.rules.agent_events import AgentBound, AgentProbed, AgentQualified, AgentUnbound
from ledger.rules.agent_params import BindAgent, ProbeAgent, ProveAgent, UnbindAgent, proof_of
from ledger.rules.common import Caller, Decision, Held, granted, refuse
from ledger.rules.members import living
from ledger.state import Workspace

QUALIFIED_DAYS_MAX = 30
QUALIFIED_MS_MAX = QUALIFIED_DAYS_MAX * 86_400_000
Word = Literal["untested", "qualified"]


class AgentRefusal(StrEnum):
    """Why a binding is not recorded, or nothing about it, in order of precedence."""

    MEMBER_NOT_FOUND = "member_not_found"
    MEMBER_REVOKED = "member_revoked"
    NOT_AN_AGENT = "not_an_agent"
    AGENT_NOT_BOUND = "agent_not_bound"
    TOKEN_NOT_FOUND = "token_not_found"  # noqa: S105  (the name of a rule)
    TOKEN_OF_ANOTHER = "token_of_another"  # noqa: S105
    BINDING_TOKEN_ENDED = "binding_token_ended"  # noqa: S105
    TOKEN_NOT_OF_BINDING = "token_not_of_binding"  # noqa: S105
    GOAL_NOT_FOUND = "goal_not_found"
    GOAL_NOT_GRANTED = "goal_not_granted"
    BINDING_CHANGED = "binding_changed"
    NOTHING_PROVEN = "nothing_proven"
    FACT_CONTRADICTED = "fact_contradicted"
    PROBE_MISSING = "probe_missing"
    PROBE_USED_TWICE = "probe_used_twice"


class Standing(NamedTuple):
    """The word for a binding, and why."""

    word: Word
    because: str
    until_ms: int | None = None
    """When time alone makes it untested again; None where it is untested."""


def standing_of(workspace: Workspace, binding: Binding, now_ms: int) -> Standing:
    """Whether what was proven of a binding still says something. The first reason that applies is the one given."""
    if (ended := _token_problem(workspace, binding, now_ms)) is not None:
        return Standing("untested", ended)
    run = binding.qualified
    if run is None:
        return Standing("untested", "never_qualified")
    if (run.runtime, run.config_sha256) != (binding.runtime, binding.config_sha256):
        return Standing("untested", "configuration_changed")
    if run.token_id != binding.token_id:
        return Standing("untested", "credential_changed")
    if now_ms >= run.at_ms + QUALIFIED_MS_MAX:
        return Standing("untested", "qualified_long_ago")
    if run.failed:
        return Standing("untested", "proof_failed")
    if (missing := unproven(binding)) == ("runtime_turn",):
        return Standing("untested", "runtime_not_run")
    if missing:
        return Standing("untested", "not_all_proven")
    token = _token(workspace, binding.token_id)
    ends = [run.at_ms + QUALIFIED_MS_MAX]
    ends += [token.expires_at_ms] if token is not None and token.expires_at_ms is not None else []
    return Standing("qualified", "all_proven", min(ends))


def unproven(binding: Binding) -> tuple[FactName, ...]:
    """The facts that were not proven of the binding as it is."""
    run = binding.qualified
    same = run is not None and (run.runtime, run.config_sha256, run.token_id) == (
        binding.runtime, binding.config_sha256, binding.token_id,
    )  # fmt: skip
    seen = {proof.fact for proof in run.proven} if run is not None and same else set()
    return tuple(fact for fact in FACTS if fact not in seen)


def _token(workspace: Workspace, token_id: TokenId) -> Token | None:
    digest = workspace.tokens_by_id.get(token_id)
    return None if digest is None else workspace.tokens[digest]


def _token_problem(workspace: Workspace, binding: Binding, now_ms: int) -> str | None:
    token = _token(workspace, binding.token_id)
    if token is None or token.revoked:
        return "credential_revoked"
    if binding.token_rotated:
        return "credential_rotated"
    return "credential_expired" if token.expires_at_ms is not None and now_ms >= token.expires_at_ms else None


def decide_bind(workspace: Workspace, _caller: Caller, ask: BindAgent, now_ms: int) -> Decision:
    """Keep how the agent is connected; the same again is what already holds."""
    member = living(workspace, ask.agent_id)
    if isinstance(member, Refusal):
        return member
    if member.kind != "agent":
        return refuse(AgentRefusal.NOT_AN_AGENT, member_id=member.member_id)
    token = _token(workspace, TokenId(ask.token_id))
    if token is None:
        return refuse(AgentRefusal.TOKEN_NOT_FOUND, token_id=ask.token_id)
    if token.member_id != member.member_id:
        return refuse(AgentRefusal.TOKEN_OF_ANOTHER, token_id=token.token_id)
    if token.revoked or (token.expires_at_ms is not None and now_ms >= token.expires_at_ms):
        return refuse(AgentRefusal.BINDING_TOKEN_ENDED, token_id=token.token_id)
    before = workspace.agents.bindings.get(member.member_id)
    facts = AgentBound(
        agent_id=member.member_id, runtime=ask.runtime, config_sha256=ask.config_sha256, token_id=token.token_id
    )
    same = ("runtime", "config_sha256", "token_id")
    if before is not None and not before.token_rotated and all(getattr(before, n) == getattr(facts, n) for n in same):
        return Held(seq=before.seq, facts={"agent_id": before.agent_id})
    return (Draft(facts=facts),)


def decide_unbind(workspace: Workspace, _caller: Caller, ask: UnbindAgent, _now_ms: int) -> Decision:
    """End the binding, also that of a member who was revoked."""
    binding = workspace.agents.bindings.get(MemberId(ask.agent_id))
    if binding is None:
        return refuse(AgentRefusal.AGENT_NOT_BOUND, agent_id=ask.agent_id)
    return (Draft(facts=AgentUnbound(agent_id=binding.agent_id)),)


def decide_probe(workspace: Workspace, caller: Caller, ask: ProbeAgent, now_ms: int) -> Decision:
    """Keep that this challenge came in by the binding's own credential; another one proves nothing about it."""
    binding = workspace.agents.bindings.get(caller.member_id)
    if binding is None:
        return refuse(AgentRefusal.AGENT_NOT_BOUND, agent_id=caller.member_id)
    if _token_problem(workspace, binding, now_ms) is not None:
        return refuse(AgentRefusal.BINDING_TOKEN_ENDED, token_id=binding.token_id)
    if caller.token_id != binding.token_id:
        return refuse(AgentRefusal.TOKEN_NOT_OF_BINDING, token_id=binding.token_id)
    if ask.goal_id is not None and ask.goal_id not in workspace.goals:
        return refuse(AgentRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    if ask.goal_id is not None and not granted(workspace.members[caller.member_id], GoalId(ask.goal_id)):
        return refuse(AgentRefusal.GOAL_NOT_GRANTED, goal_id=ask.goal_id)
    if ask.challenge in binding.probes:
        return Held(seq=binding.seq, facts={"agent_id": binding.agent_id})
    return (Draft(facts=AgentProbed(agent_id=binding.agent_id, token_id=binding.token_id, challenge=ask.challenge)),)


def decide_prove(workspace: Workspace, _caller: Caller, ask: ProveAgent, now_ms: int) -> Decision:
    """Keep what was proven of the binding as it is now; what the ledger can check itself must be so."""
    member = living(workspace, ask.agent_id)
    if isinstance(member, Refusal):
        return member
    binding = workspace.agents.bindings.get(member.member_id)
    if binding is None:
        return refuse(AgentRefusal.AGENT_NOT_BOUND, agent_id=member.member_id)
    if _token_problem(workspace, binding, now_ms) is not None:
        return refuse(AgentRefusal.BINDING_TOKEN_ENDED, token_id=binding.token_id)
    if ask.config_sha256 != binding.config_sha256:
        return refuse(AgentRefusal.BINDING_CHANGED, agent_id=member.member_id)
    proven = sorted(map(proof_of, ask.proven), key=lambda proof: FACTS.index(proof.fact))
    failed = tuple(fact for fact in FACTS if fact in ask.failed)
    if (broken := _unfounded(binding, proven, failed)) is not None:
        return broken
    facts = AgentQualified(
        agent_id=binding.agent_id, config_sha256=ask.config_sha256, proven=tuple(proven), failed=failed
    )
    return (Draft(facts=facts),)


def _unfounded(binding: Binding, proven: list[Proof], failed: tuple[FactName, ...]) -> Refusal | None:
    if not proven and not failed:
        return refuse(AgentRefusal.NOTHING_PROVEN, agent_id=binding.agent_id)
    if both := [proof.fact for proof in proven if proof.fact in failed]:
        return refuse(AgentRefusal.FACT_CONTRADICTED, fact=both[0])
    vouched = [proof for proof in proven if proof.fact in VOUCHED]
    if lacking := [proof.fact for proof in vouched if proof.sha256 not in binding.probes]:
        return refuse(AgentRefusal.PROBE_MISSING, fact=lacking[0])
    if len({proof.sha256 for proof in vouched}) < len(vouched):
        return refuse(AgentRefusal.PROBE_USED_TWICE, agent_id=binding.agent_id)
    return None
