"""Folds of the bindings of agents."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import Facts, Recorded
from ledger.ids import MemberId, TokenId
from ledger.parts.agents import PROBES_MAX, Binding, Qualification
from ledger.rules import agent_events
from ledger.state import Workspace


def _bound(workspace: Workspace, event: Recorded) -> None:
    """What was proven before is kept beside: it says why the binding is untested now."""
    facts = cast("agent_events.AgentBound", event.facts)
    before = workspace.agents.bindings.get(facts.agent_id)
    workspace.agents.bindings[facts.agent_id] = Binding(
        agent_id=facts.agent_id,
        runtime=facts.runtime,
        config_sha256=facts.config_sha256,
        token_id=facts.token_id,
        by=event.actor,
        at_ms=event.at_ms,
        seq=event.seq,
        qualified=None if before is None else before.qualified,
    )


def _unbound(workspace: Workspace, event: Recorded) -> None:
    del workspace.agents.bindings[cast("agent_events.AgentUnbound", event.facts).agent_id]


def _probed(workspace: Workspace, event: Recorded) -> None:
    facts = cast("agent_events.AgentProbed", event.facts)
    binding = workspace.agents.bindings[facts.agent_id]
    probes = (*binding.probes, facts.challenge)[-PROBES_MAX:]
    workspace.agents.bindings[facts.agent_id] = replace(binding, probes=probes)


def _qualified(workspace: Workspace, event: Recorded) -> None:
    """A challenge proves one qualification."""
    facts = cast("agent_events.AgentQualified", event.facts)
    binding = workspace.agents.bindings[facts.agent_id]
    run = Qualification(
        runtime=binding.runtime,
        config_sha256=facts.config_sha256,
        token_id=binding.token_id,
        proven=facts.proven,
        failed=facts.failed,
        by=event.actor,
        at_ms=event.at_ms,
        seq=event.seq,
    )
    workspace.agents.bindings[facts.agent_id] = replace(binding, qualified=run, probes=())


def token_rotated(workspace: Workspace, member_id: MemberId, replaced: TokenId) -> None:
    """The configuration of a binding holds a secret that was replaced."""
    binding = workspace.agents.bindings.get(member_id)
    if binding is not None and binding.token_id == replaced:
        workspace.agents.bindings[member_id] = replace(binding, token_rotated=True)


FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {
    agent_events.AgentBound: _bound,
    agent_events.AgentUnbound: _unbound,
    agent_events.AgentProbed: _probed,
    agent_events.AgentQualified: _qualified,
}
