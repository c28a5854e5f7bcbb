"""Identities and chats: invitations of every end, a binding that ends, an absence, chats that come and go."""

from tests.support.world import World, digest

GOAL = "shown"
CHAT = "oc_shown"
HOME = {"tenant_key": "t1", "app_id": "cli_1"}
PATRICK = {**HOME, "open_id": "ou_pat", "union_id": ""}


def play(world: World) -> None:
    """Play it at the end of a history."""
    _invitations(world)
    _bindings(world)
    _channels(world)


def _invited(world: World, who: str) -> str:
    asked = {"display_name": f"{who} 李", "role": ["approver"], "open_id": f"ou_{who}", "ttl_seconds": 300, **HOME}
    world.do("ann", "member.invite", member_id=who, **asked)
    return [*world.state.identity.invitations][-1]


def _invitations(world: World) -> None:
    accepted = {"invitation_id": _invited(world, "pat"), "answer": "accept", **PATRICK}
    world.do("bot", "member.answer-invitation", **accepted)
    declined = {"invitation_id": _invited(world, "quinn"), "answer": "decline", **PATRICK, "open_id": "ou_quinn"}
    world.do("bot", "member.answer-invitation", **declined)
    world.do("ann", "member.withdraw-invitation", invitation_id=_invited(world, "quinn"))
    late = _invited(world, "quinn")
    world.now_ms += 300_000
    world.do("daemon", "member.end-invitation", invitation_id=late)


def _bindings(world: World) -> None:
    world.do("bot", "member.upgrade-identity", **PATRICK | {"union_id": "on_pat"})
    world.do("bot", "member.report", member_id="pat", change="left_chat")
    world.do("bot", "member.report", member_id="pat", change="back")
    world.do("operator", "member.pair", member_id="pat", code_digest=digest("pat again"))
    world.do("ann", "member.unbind", member_id="pat")


def _channels(world: World) -> None:
    world.activate(GOAL)
    for shown in ({"goal_id": GOAL}, {"workspace": True}):
        world.do("ann", "channel.bind", **shown, channel_id=CHAT)
    world.do("bot", "channel.report", channel_id=CHAT, change="removed")
    world.do("bot", "channel.report", channel_id=CHAT, change="added")
    for shown in ({"goal_id": GOAL}, {"workspace": True}):
        world.do("ann", "channel.unbind", **shown, channel_id=CHAT)
    world.do("ann", "channel.bind", goal_id=GOAL, channel_id="oc_other")
