"""What the review says of the revisions before this one: what changed, and what was turned down."""

import msgspec

from ledger.projections.causes import DecisionView


class RevisedView(msgspec.Struct, frozen=True, kw_only=True):
    """One field before and after; `name` is its key in the shared texts (`field.<name>`)."""

    name: str
    was: tuple[str, ...]
    becomes: tuple[str, ...]


class BeforeView(msgspec.Struct, frozen=True, kw_only=True):
    """The revision that this one is read against: what differs, and the decision on it where that was a no."""

    revision: int
    changes: tuple[RevisedView, ...]
    turned_down: DecisionView | None
