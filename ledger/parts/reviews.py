"""What became of the artifacts of a goal: reviews, checks, invalidations.

An artifact is never changed. What changes is whether work may build on it: somebody says so once, and a revision or a
rejection of anything it was made from undoes it for good. A newer artifact takes its place or nothing does.
"""

from typing import Literal

import msgspec

from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.parts.base import Part

Verdict = Literal["accepted", "rejected"]


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One person's or agent's word on an artifact. `reason` is words."""

    verdict: Verdict
    reviewer: MemberId
    at_ms: int
    seq: int
    reason: str


class Undone(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing more is built on an artifact: a newer one has its place, or what it was made from was undone."""

    how: Literal["superseded", "invalidated"]
    by: ArtifactId
    """The artifact that replaced it, or the one that it was made from and that no longer holds."""
    because: Literal["revised", "rejected"]
    seq: int


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What a validator said of an artifact, as whoever ran it recorded it."""

    name: str
    argv_sha256: str
    exit_code: int | None
    duration_ms: int
    timed_out: bool
    recorded_by: MemberId
    at_ms: int
    seq: int

    @property
    def passed(self) -> bool:
        """Whether the validator found nothing wrong."""
        return self.exit_code == 0 and not self.timed_out


class Reviews(Part):
    """What became of the artifacts of a goal."""

    decisions: dict[ArtifactId, Review] = msgspec.field(default_factory=dict)
    undone: dict[ArtifactId, Undone] = msgspec.field(default_factory=dict)
    checks: dict[ArtifactId, tuple[Check, ...]] = msgspec.field(default_factory=dict)
    revises: dict[ArtifactId, ArtifactId] = msgspec.field(default_factory=dict)
    inputs: dict[ArtifactId, tuple[tuple[ArtifactId, str], ...]] = msgspec.field(default_factory=dict)
    """What an artifact was made from, with the digests that it was made from."""
    consumers: dict[ArtifactId, tuple[ArtifactId, ...]] = msgspec.field(default_factory=dict)
    """The same the other way round: what was made directly from an artifact."""
    built_on: dict[ArtifactId, int] = msgspec.field(default_factory=dict)
    """How many artifacts were made from it, over however many steps."""
    unblockers: dict[TodoId, tuple[TodoId, ...]] = msgspec.field(default_factory=dict)
    """The decisions that a todo waits for beside its dependencies."""

    def is_sound(self, artifact_id: ArtifactId) -> bool:
        """Whether nothing speaks against the artifact: not undone, and not rejected."""
        decision = self.decisions.get(artifact_id)
        return artifact_id not in self.undone and (decision is None or decision.verdict == "accepted")

    def holds(self, artifact_id: ArtifactId, *, independent: bool) -> bool:
        """Whether work may build on it; where reviews are asked for, silence is no yes."""
        return self.is_sound(artifact_id) and (not independent or artifact_id in self.decisions)

    def check_of(self, artifact_id: ArtifactId, name: str) -> Check | None:
        """The latest check of this name."""
        found = (check for check in reversed(self.checks.get(artifact_id, ())) if check.name == name)
        return next(found, None)

    def ancestors(self, artifact_ids: tuple[ArtifactId, ...]) -> dict[ArtifactId, None]:
        """These artifacts and all that they were made from."""
        found: dict[ArtifactId, None] = dict.fromkeys(artifact_ids)
        queue = list(found)
        for one in queue:
            for other, _ in self.inputs.get(one, ()):
                if other not in found:
                    found[other] = None
                    queue.append(other)
        return found

    def descendants(self, artifact_id: ArtifactId) -> dict[ArtifactId, ArtifactId]:
        """All that was made from an artifact, each with the input through which it was."""
        found: dict[ArtifactId, ArtifactId] = {}
        queue = [artifact_id]
        for one in queue:
            for consumer in self.consumers.get(one, ()):
                if consumer not in found:
                    found[consumer] = one
                    queue.append(consumer)
        return found
