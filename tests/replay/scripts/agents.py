"""What can happen to the binding of an agent, once each."""

from msgspec.structs import replace

from tests.support.world import World, digest

CONFIG = digest("configuration")


def play(world: World) -> None:
    """Play it at the end of a history."""
    agent = {"agent_id": "stranger"}
    world.do("operator", "token.issue", member_id="stranger", secret_digest=digest("bound"), ttl_seconds=86_400)
    token_id = world.state.tokens[digest("bound")].token_id
    bound = {**agent, "runtime": "claude_code", "config_sha256": CONFIG, "token_id": token_id}
    world.do("operator", "agent.bind", **bound)
    probe = world.request("stranger", "agent.probe", challenge=digest("challenge"))
    (answer,) = world.drain(replace(probe, caller=replace(probe.caller, token_id=token_id)))
    assert answer.refusal is None
    proven = [f"packet_read={digest('packet')}", f"write_path={digest('challenge')}"]
    world.do("operator", "agent.prove", **agent, config_sha256=CONFIG, proven=proven, failed=["hook_turn_end"])
    world.do("operator", "token.rotate", token_id=token_id, secret_digest=digest("bound-2"))
    world.do("operator", "agent.unbind", **agent)
    token_id = world.state.tokens[digest("bound-2")].token_id
    world.do("operator", "agent.bind", **{**bound, "runtime": "codex", "token_id": token_id})
