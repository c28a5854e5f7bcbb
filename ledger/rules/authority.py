"""Authority: what a member may do beyond what its registration says, until when, and by whose word."""

from ledger.ids import GoalId, MemberId
from ledger.records import Todo
from ledger.state import Workspace


def forbids(workspace: Workspace, member_id: MemberId, goal_id: GoalId, todo: Todo, now_ms: int) -> str | None:
    """The refusal code of the grant that this agent lacks for this work, or None."""
    del workspace, member_id, goal_id, todo, now_ms
    return None
