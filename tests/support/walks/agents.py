"""Moves on the bindings of agents: connecting, probing, proving, and all that makes a proof worth nothing."""

from ledger.parts.agents import FACTS, VOUCHED, Binding
from ledger.state import Goal
from tests.support.walks.base import Move, Walk
from tests.support.world import digest

OPERATOR = "operator"
BOUND = ("builder", "helper", "stranger")
CONFIGS = tuple(digest(f"configuration {number}") for number in range(2))
CHALLENGES = tuple(digest(f"challenge {number}") for number in range(4))


def bind(walk: Walk, _goal: Goal) -> Move:
    """An agent is connected with one of its credentials, or with what is none of them."""
    agent = walk.anybody() if walk.slip() else walk.choose(BOUND)
    theirs = [token.token_id for token in walk.state.tokens.values() if token.member_id == agent and not token.revoked]
    if not theirs and not walk.slip():
        return Move(OPERATOR, "token.issue", {"member_id": agent, "secret_digest": digest(f"bound {walk.state.seq}")})
    tokens = [*walk.state.tokens_by_id, "tok_99999"]
    return Move(
        OPERATOR,
        "agent.bind",
        {
            "agent_id": "nobody" if walk.one_in(20) else agent,
            "runtime": walk.choose(("claude_code", "codex", "generic")),
            "config_sha256": walk.choose(CONFIGS),
            "token_id": walk.choose(tokens) if walk.slip() or not theirs else walk.choose(theirs),
        },
    )


def unbind(walk: Walk, _goal: Goal) -> Move:
    """A connection is taken back."""
    return Move(OPERATOR, "agent.unbind", {"agent_id": walk.choose(BOUND)})


def probe(walk: Walk, goal: Goal) -> Move:
    """The agent writes a challenge by the credential of its binding, or by another."""
    bindings = [*walk.state.agents.bindings.values()]
    if not bindings:
        agent = walk.choose(BOUND)
        return (
            Move(agent, "agent.probe", {"challenge": walk.choose(CHALLENGES)}) if walk.one_in(4) else bind(walk, goal)
        )
    found = walk.choose(bindings)
    params: dict[str, object] = {"challenge": walk.choose(CHALLENGES)}
    if walk.one_in(3):
        params["goal_id"] = "nowhere" if walk.slip() else goal.goal_id
    token_id = walk.choose([*walk.state.tokens_by_id]) if walk.slip() else found.token_id
    member = walk.state.tokens[walk.state.tokens_by_id[token_id]].member_id
    return Move(member if member in BOUND else found.agent_id, "agent.probe", params, token_id=token_id)


def prove(walk: Walk, goal: Goal) -> Move:
    """Whoever tests a binding says what was seen: mostly what was, now and then more than that."""
    bindings = [*walk.state.agents.bindings.values()]
    if not bindings:
        return Move(OPERATOR, "agent.prove", {"agent_id": walk.anybody(), "config_sha256": CONFIGS[0]})
    found = walk.choose(bindings)
    if walk.one_in(10):
        # What follows is asked of a binding whose credential has ended.
        return Move(OPERATOR, "token.revoke", {"token_id": found.token_id})
    config = walk.choose(CONFIGS) if walk.slip() else found.config_sha256
    proven = [f"{fact}={_seen(walk, found, fact)}" for fact in FACTS if not walk.one_in(4)]
    failed = [walk.choose(FACTS)] if walk.one_in(3) else []
    if not walk.slip():
        failed = [fact for fact in failed if not any(one.startswith(f"{fact}=") for one in proven)]
    params = {"agent_id": found.agent_id, "config_sha256": config, "proven": proven, "failed": failed}
    return Move(OPERATOR, "agent.prove", params | ({"proven": [], "failed": []} if walk.one_in(12) else {}))


def _seen(walk: Walk, found: Binding, fact: str) -> str:
    if fact not in VOUCHED or not found.probes or walk.slip():
        return walk.choose(CHALLENGES)
    return found.probes[0] if fact == "write_path" else found.probes[-1]


COMMANDS = (*(bind,) * 3, unbind, *(probe,) * 4, *(prove,) * 3)
