"""Actions on quota and status: numbers 70 to 89."""

from ledger.actions.base import ANYONE, Action
from ledger.rules import quota

ROWS = (
    Action(
        name="quota.should-run",
        number=70,
        params=quota.ShouldRun,
        who=ANYONE,
        example="quota should-run --goal-id docs --agent-id builder",
    ),
    Action(name="status.show", number=80, params=quota.ShowStatus, who=ANYONE, example="status"),
)
