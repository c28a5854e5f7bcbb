"""An event as it is told: the row of the log, read, with everything that is known of it."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from ledger.codec import decode_body, decode_event
from ledger.events import Body, Recorded
from ledger.ports import EventRow


class Told(NamedTuple):
    """An event with everything that is known of it."""

    row: EventRow
    body: Body
    event: Recorded
    facts: Mapping[str, object]

    @property
    def erased(self) -> bool:
        """Whether it had words that are gone."""
        return self.body.words_digest is not None and self.row.words is None


def told_of(row: EventRow) -> Told:
    """A stored event, read."""
    event = decode_event(row.body, row.words, row.hash)
    return Told(row, decode_body(row.body), event, msgspec.to_builtins(event.facts))
