"""What happened to the bindings of agents."""

from ledger.events import Facts, Kind
from ledger.ids import MemberId, TokenId
from ledger.parts.agents import FactName, Proof, Runtime


class AgentBound(Facts, frozen=True, kw_only=True):
    """An agent is connected by this runtime, configuration and credential; whether it works is not known yet."""

    agent_id: MemberId
    runtime: Runtime
    config_sha256: str
    token_id: TokenId


class AgentUnbound(Facts, frozen=True, kw_only=True):
    """The connection is no more; the member and its credential are what they were."""

    agent_id: MemberId


class AgentProbed(Facts, frozen=True, kw_only=True):
    """An agent wrote, by the credential of its binding, what whoever tests the binding had given it."""

    agent_id: MemberId
    token_id: TokenId
    challenge: str


class AgentQualified(Facts, frozen=True, kw_only=True):
    """What a bounded real turn through the binding proved, and what was tried and failed."""

    agent_id: MemberId
    config_sha256: str
    proven: tuple[Proof, ...]
    failed: tuple[FactName, ...]


KINDS = (
    Kind("agent.bound", 1, AgentBound),
    Kind("agent.unbound", 1, AgentUnbound),
    Kind("agent.probed", 1, AgentProbed),
    Kind("agent.qualified", 1, AgentQualified),
)
