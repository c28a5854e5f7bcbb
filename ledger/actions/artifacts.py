"""Actions on artifacts: numbers 60 to 69."""

from ledger.actions.base import ANYONE, WORKERS, Action
from ledger.rules import artifacts, review_params, reviews

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
    Action(
        name="artifact.review",
        number=62,
        params=review_params.ReviewArtifact,
        who=WORKERS,
        decide=reviews.decide_review,
        example="artifact review --goal-id docs --artifact-id art_000014 --verdict accept",
    ),
    Action(
        name="artifact.record-check",
        number=63,
        params=review_params.RecordCheck,
        who=WORKERS,
        decide=reviews.decide_check,
        example=(
            "artifact record-check --goal-id docs --artifact-id art_000014 --name links --argv-sha256 … "
            "--exit-code 0 --duration-ms 812"
        ),
    ),
)
