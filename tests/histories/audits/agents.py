"""Bindings of agents: what the ledger vouches for was written by the very credential that the binding names."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case

_VOUCHED = {"write_path", "runtime_turn"}


def _bound(case: Case) -> None:
    facts, model = case.facts, case.model
    member, _, _, revoked = model.tokens[facts.token_id]
    assert (member, revoked) == (facts.agent_id, False), "connected by a credential that is another's or no more"
    assert model.living(facts.agent_id) is not None
    assert model.members[facts.agent_id].kind == "agent"
    model.bindings[facts.agent_id] = (facts.config_sha256, facts.token_id, [])


def _unbound(case: Case) -> None:
    del case.model.bindings[case.facts.agent_id]


def _probed(case: Case) -> None:
    facts = case.facts
    _, token_id, probes = case.model.bindings[facts.agent_id]
    assert case.event.actor == facts.agent_id, "somebody else wrote an agent's challenge"
    assert facts.token_id == token_id
    if case.request is not None:
        assert case.request.caller.token_id == token_id, "a write by another credential proved a binding"
    probes.append(facts.challenge)


def _qualified(case: Case) -> None:
    facts = case.facts
    config, token_id, probes = case.model.bindings[facts.agent_id]
    being = case.model.members.get(case.event.actor)
    assert being is None or being.kind == "person", "an agent qualified a binding"
    assert case.model.tokens[token_id][3] is False, "a binding whose credential is revoked was qualified"
    assert facts.config_sha256 == config, "another configuration was proven"
    vouched = [proof.sha256 for proof in facts.proven if proof.fact in _VOUCHED]
    assert {*vouched} <= {*probes}, "proven by a write that the ledger has not"
    assert len(vouched) == len({*vouched}), "one write proved two things"
    assert not {proof.fact for proof in facts.proven} & {*facts.failed}
    probes.clear()


CHECKS: dict[str, Callable[[Case], None]] = {
    "agent.bound": _bound,
    "agent.unbound": _unbound,
    "agent.probed": _probed,
    "agent.qualified": _qualified,
}
