"""What may be asked of the bindings of agents."""

from typing import Annotated, cast

from pydantic import AfterValidator, Field, WithJsonSchema

from ledger.params import GoalIdText, MemberIdText, Params, Sha256Text
from ledger.parts.agents import FACTS, FactName, Proof, Runtime
from ledger.rules.tokens import TokenIdText


def _known(text: str) -> str:
    if text.partition("=")[0] not in FACTS:
        raise ValueError("must be one of " + ", ".join(FACTS))
    return text


ProofText = Annotated[
    str,
    Field(pattern=r"^[a-z_]{1,32}=[0-9a-f]{64}$"),
    AfterValidator(_known),
    WithJsonSchema({"type": "string", "pattern": f"^({'|'.join(FACTS)})=[0-9a-f]{{64}}$"}),
]
"""One fact and the digest of what was seen, as `packet_read=9f86…`."""

_Agent = Annotated[MemberIdText, Field(description="Which agent.")]


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    facts = [name.partition("=")[0] for name in names]
    if len(facts) != len(set(facts)):
        raise ValueError("given more than once")
    return names


def proof_of(text: str) -> Proof:
    """A validated text as what it says."""
    fact, _, sha256 = text.partition("=")
    return Proof(fact=cast("FactName", fact), sha256=sha256)


class BindAgent(Params):
    """Record how an agent is connected: by which runtime, configuration and credential; untested until qualified."""

    agent_id: _Agent
    runtime: Annotated[Runtime, Field(description="What runs the agent.")]
    config_sha256: Annotated[Sha256Text, Field(description="Digest of the configuration that was made for it.")]
    token_id: Annotated[TokenIdText, Field(description="The agent's credential that the configuration uses.")]


class UnbindAgent(Params):
    """Record that an agent is connected no more; the member and its credential stay."""

    agent_id: _Agent


class ProbeAgent(Params):
    """Write back what whoever tests this binding gave; proves that its writes arrive, and changes nothing else."""

    challenge: Annotated[Sha256Text, Field(description="What was given, as it was given.")]
    goal_id: Annotated[
        GoalIdText | None, Field(description="A goal that the credential is good for, where it is not good for all.")
    ] = None


class ProveAgent(Params):
    """Record what a bounded real turn through an agent's binding proved, and what failed."""

    agent_id: _Agent
    config_sha256: Annotated[Sha256Text, Field(description="Digest of the configuration that was run.")]
    proven: Annotated[
        tuple[ProofText, ...],
        Field(
            max_length=len(FACTS),
            description="A fact that was seen and the digest of what was seen, FACT=SHA256.",
            json_schema_extra={"uniqueItems": True},
        ),
        AfterValidator(_once),
    ] = ()
    failed: Annotated[
        tuple[FactName, ...],
        Field(
            max_length=len(FACTS),
            description="A fact that was tried and did not hold.",
            json_schema_extra={"uniqueItems": True},
        ),
        AfterValidator(_once),
    ] = ()


class ListBindingsOfAgents(Params):
    """How each agent is connected, what was proven of it, and what is untested."""

    agent_id: Annotated[MemberIdText | None, Field(description="Only this agent's.")] = None


class ShowInbox(Params):
    """What an agent finds when its turn begins: the verdict, requests, answers, decisions, revisions, leases."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    agent_id: Annotated[MemberIdText | None, Field(description="Whose; the caller's own when absent.")] = None
