"""What can happen to authority, once each."""

from tests.support.world import World


def play(world: World) -> None:
    """Play it at the end of a history."""
    (event,) = world.do("ann", "member.grant", member_id="stranger", capability=["docs"], ttl_seconds=60, reason="Help")
    world.do("ann", "member.revoke-grant", grant_id=event.facts.grant_id, reason="Done")
    profile = {"scope_summary": "Checks links", "preferred_action_kind": ["check"]}
    world.do("operator", "member.profile", member_id="stranger", profile_role="executor", **profile)
