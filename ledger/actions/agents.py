"""Actions on the bindings of agents: numbers 190 to 193, 206 and 207."""

from ledger.actions.base import AGENTS, ANYONE, OPERATOR, Action
from ledger.rules import agent_params, agents

_DIGEST = "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592"

ROWS = (
    Action(
        name="agent.bind",
        number=190,
        params=agent_params.BindAgent,
        who=OPERATOR,
        decide=agents.decide_bind,
        example=f"agent bind --agent-id builder --runtime generic --config-sha256 {_DIGEST} --token-id tok_12",
    ),
    Action(
        name="agent.prove",
        number=191,
        params=agent_params.ProveAgent,
        who=OPERATOR,
        decide=agents.decide_prove,
        example=f"agent prove --agent-id builder --config-sha256 {_DIGEST} --failed protocol",
    ),
    Action(
        name="agent.unbind",
        number=192,
        params=agent_params.UnbindAgent,
        who=OPERATOR,
        decide=agents.decide_unbind,
        example="agent unbind --agent-id builder",
    ),
    Action(
        name="agent.list",
        number=193,
        params=agent_params.ListBindingsOfAgents,
        who=ANYONE,
        example="agent list",
    ),
    Action(
        name="agent.probe",
        number=206,
        params=agent_params.ProbeAgent,
        who=AGENTS,
        decide=agents.decide_probe,
        example=f"agent probe --challenge {_DIGEST} --goal-id docs",
    ),
    Action(
        name="agent.inbox",
        number=207,
        params=agent_params.ShowInbox,
        who=ANYONE,
        example="agent inbox --goal-id docs --agent-id builder",
    ),
)
