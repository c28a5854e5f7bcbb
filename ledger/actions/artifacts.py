"""Actions on artifacts: numbers 60 to 69."""

from ledger.actions.base import ANYONE, WORKERS, Action
from ledger.rules import artifacts

ROWS = (
    Action(
        name="artifact.submit",
        number=60,
        params=artifacts.SubmitArtifact,
        who=WORKERS,
        decide=artifacts.decide_submit,
        example="artifact submit --goal-id docs --todo-id todo_000012 --label report.json --sha256 … --size-bytes 812",
    ),
    Action(
        name="artifact.list",
        number=61,
        params=artifacts.ListArtifacts,
        who=ANYONE,
        example="artifact list --goal-id docs",
    ),
)
