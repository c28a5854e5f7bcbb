"""What must be so before the examples of people and chats can be run."""

from tests.support.agent_scenes import Stage

DOCS = {"goal_id": "docs"}


def invited(stage: Stage) -> None:
    """Somebody of the workspace's organisation was invited."""
    person = {"open_id": "ou_zoe", "display_name": "Zoe"}
    stage.do("ann", "member.invite", member_id="zoe", **person)


def told(stage: Stage) -> None:
    """A summary of the goal was posted."""
    bound(stage)
    stage.do("ann", "summary.post", **DOCS)


def bound(stage: Stage) -> None:
    """A chat shows the goal."""
    stage.do("ann", "channel.bind", **DOCS, channel_id="oc_docs")
