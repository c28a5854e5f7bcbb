"""What happened to artifacts after they were handed in: reviews, checks, invalidations."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import ArtifactId


class ArtifactReviewed(Facts, frozen=True, kw_only=True):
    """Somebody who is not the author said whether exactly this evidence counts."""

    artifact_id: ArtifactId
    sha256: str
    verdict: Literal["accepted", "rejected"]


class ReviewWords(Words, frozen=True, kw_only=True):
    """Why, in the reviewer's words."""

    reason: str


class ArtifactInvalidated(Facts, frozen=True, kw_only=True):
    """What this artifact was made from no longer holds, so it does not either."""

    artifact_id: ArtifactId
    root: ArtifactId
    """The artifact that was revised or rejected."""
    through: ArtifactId
    """Its own input by which that reaches it."""
    because: Literal["revised", "rejected"]


class CheckRecorded(Facts, frozen=True, kw_only=True):
    """Somebody ran a validator on an artifact and recorded what came of it; nothing beyond that is known."""

    artifact_id: ArtifactId
    name: str
    argv_sha256: str
    exit_code: int | None
    duration_ms: int
    timed_out: bool


KINDS = (
    Kind("artifact.reviewed", 1, ArtifactReviewed, ReviewWords),
    Kind("artifact.invalidated", 1, ArtifactInvalidated),
    Kind("artifact.checked", 1, CheckRecorded),
)
