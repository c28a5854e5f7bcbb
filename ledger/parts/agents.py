"""Bindings: by which runtime, configuration and credential an agent is connected, and what was seen to work."""

from typing import Final, Literal, get_args

import msgspec

from ledger.ids import MemberId, TokenId
from ledger.parts.base import Part

Runtime = Literal["claude_code", "codex", "generic"]
FactName = Literal[
    "process_started", "protocol", "identity", "packet_read", "write_path",
    "hook_turn_start", "hook_tool_use", "hook_turn_end", "runtime_turn",
]  # fmt: skip
"""What can be proven of a binding, in the order in which it is tried."""
FACTS: Final[tuple[FactName, ...]] = get_args(FactName)
VOUCHED: Final[frozenset[FactName]] = frozenset({"write_path", "runtime_turn"})
"""Facts of which the ledger itself has the proof: a write that came in by the binding's own credential."""
PROBES_MAX = 8


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that was seen, and the digest of what was seen."""

    fact: FactName
    sha256: str


class Qualification(msgspec.Struct, frozen=True, kw_only=True):
    """What a bounded real turn proved, and of which configuration and credential."""

    runtime: Runtime
    config_sha256: str
    token_id: TokenId
    proven: tuple[Proof, ...]
    failed: tuple[FactName, ...]
    by: MemberId
    at_ms: int
    seq: int


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's connection. It says what was set up; only its qualification says what works."""

    agent_id: MemberId
    runtime: Runtime
    config_sha256: str
    token_id: TokenId
    by: MemberId
    at_ms: int
    seq: int
    token_rotated: bool = False
    probes: tuple[str, ...] = ()
    """Challenges that the agent wrote here by this credential since the last qualification, the newest last."""
    qualified: Qualification | None = None


class Agents(Part):
    """The bindings of agents, one for each that has one."""

    bindings: dict[MemberId, Binding] = msgspec.field(default_factory=dict)
