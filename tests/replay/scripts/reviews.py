"""What can happen to reviews, once each."""

from tests.support.world import World


def play(world: World) -> None:
    """Play it at the end of a history."""
    del world
