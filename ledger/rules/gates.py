"""Gates: a question that only named people can answer, and what stands still until they do."""

from ledger.ids import MemberId
from ledger.records import Todo
from ledger.state import Goal, Workspace


def blocking(workspace: Workspace, goal: Goal, todo: Todo | None, agent_id: MemberId, now_ms: int) -> str | None:
    """The id of the gate that holds up this todo for this agent, or the whole goal where no todo is named."""
    del workspace, goal, todo, agent_id, now_ms
    return None
