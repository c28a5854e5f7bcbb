"""What can happen to requests, once each."""

from tests.support.world import World


def play(world: World) -> None:
    """Play it at the end of a history."""
    del world
