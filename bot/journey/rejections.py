"""What was rejected by measurement while a goal was worked on, told as it stands in the ledger's own list."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def rejections(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each artifact that somebody said no to after a check of it had failed."""
    successors = {str(one["revises"]): str(one["artifact_id"]) for one in rows if one["revises"]}
    for row in rows:
        review = row["review"]
        if review is None or review["verdict"] != "rejected":
            continue
        failed = [one for one in row["checks"] if not one["passed"] and one["seq"] < review["seq"]]
        if not failed:
            continue
        artifact_id, check = str(row["artifact_id"]), failed[-1]
        how = "does not end in time" if check["timed_out"] else f"ends with exit code {check['exit_code']}"
        after = successors.get(artifact_id)
        made = f"{after} takes its place" if after else "nothing is in its place"
        yield f"{review['reviewer']} rejects {artifact_id} ({row['label']}): `{check['name']}` {how}; {made}"
