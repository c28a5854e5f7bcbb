"""Actions on what happened: numbers 144 to 149, and 208."""

from ledger.actions.base import ANYONE, OPERATOR, Action
from ledger.rules import history_params, search_params

ROWS = (
    Action(
        name="history.list",
        number=144,
        params=history_params.ListHistory,
        who=ANYONE,
        example="history --goal-id docs --limit 20",
    ),
    Action(
        name="history.explain",
        number=145,
        params=history_params.ExplainHistory,
        who=ANYONE,
        example="history explain --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="search.find",
        number=146,
        params=search_params.FindWords,
        who=ANYONE,
        example="search --query 'broken link' --kind todo",
    ),
    Action(
        name="refusal.list",
        number=208,
        params=history_params.ListRefusals,
        who=OPERATOR,
        example="refusal list --actor builder",
    ),
)
