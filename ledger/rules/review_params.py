"""What may be asked about an artifact after it was handed in: the parameters of reviews and checks."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ledger.canonical import INTEGER_MAX
from ledger.params import ArtifactIdText, CapabilityText, GoalIdText, OptionalReason, Params, Sha256Text

_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Artifact = Annotated[ArtifactIdText, Field(description="The artifact.")]
EXIT_CODE_MAX = 255


class ReviewArtifact(Params):
    """Accept or reject evidence of somebody else's."""

    goal_id: _Goal
    artifact_id: _Artifact
    verdict: Annotated[Literal["accept", "reject"], Field(description="Whether work may build on it.")]
    sha256: Annotated[
        Sha256Text | None, Field(description="The digest of what was looked at; another one is not accepted.")
    ] = None
    reason: Annotated[OptionalReason, Field(description="Why; a rejection needs one.")] = ""

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.verdict == "reject" and not self.reason.strip():
            raise ValueError("reason: a rejection says why")
        return self


class RecordCheck(Params):
    """Record what a validator said of an artifact."""

    goal_id: _Goal
    artifact_id: _Artifact
    name: Annotated[CapabilityText, Field(description="The validator's name, as the todo asks for it.")]
    argv_sha256: Annotated[Sha256Text, Field(description="SHA-256 of the words it was run with, each ended by a NUL.")]
    exit_code: Annotated[
        int | None,
        Field(
            ge=-EXIT_CODE_MAX, le=EXIT_CODE_MAX, description="Its exit code; none where it was ended by the time-out."
        ),
    ] = None
    duration_ms: Annotated[int, Field(ge=0, le=INTEGER_MAX, description="How long it ran, in milliseconds.")]
    timed_out: Annotated[bool, Field(description="It did not end in time.")] = False

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if self.timed_out == (self.exit_code is not None):
            raise ValueError("exit_code: a validator ends by itself with an exit code, or by the time-out without one")
        return self
