"""What happened to amendments."""

import msgspec

from ledger.events import Facts, Kind, Words
from ledger.ids import MemberId, TodoId
from ledger.parts.amendments import AmendmentClass, Disposition, Operation, Seen
from ledger.rules.todo_events import TodoAdded


class OperationWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one operation; None are left as they were."""

    title: str | None
    acceptance: str | None


class AmendmentSubmitted(Facts, frozen=True, kw_only=True):
    """A change was put forward and admitted: it can be done to what it saw."""

    amendment_id: str
    amendment_class: AmendmentClass
    operations: tuple[Operation, ...]
    dispositions: tuple[Disposition, ...]
    seen: Seen
    gate_id: str | None


class AmendmentWords(Words, frozen=True, kw_only=True):
    """Why, and the words of each operation in their order."""

    why: str
    operations: tuple[OperationWords, ...]


class AmendmentRebased(Facts, frozen=True, kw_only=True):
    """The same change, on what is there now."""

    amendment_id: str
    dispositions: tuple[Disposition, ...]
    seen: Seen


class AmendmentCommitted(Facts, frozen=True, kw_only=True):
    """The change is made, all of it; added todos are listed each after those it waits for."""

    amendment_id: str
    amendment_class: AmendmentClass
    basis: str
    operations: tuple[Operation, ...]
    todos: tuple[TodoAdded, ...]
    dispositions: tuple[Disposition, ...]


class AmendmentRejected(Facts, frozen=True, kw_only=True):
    """Somebody who decides said no."""

    amendment_id: str


class AmendmentWithdrawn(Facts, frozen=True, kw_only=True):
    """Whoever submitted it took it back."""

    amendment_id: str


class AmendmentAdopted(Facts, frozen=True, kw_only=True):
    """An agent has read what the amendment changed for this todo, and may go on with it."""

    amendment_id: str
    todo_id: TodoId
    agent_id: MemberId


class AmendmentReasonWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


KINDS = (
    Kind("amendment.submitted", 1, AmendmentSubmitted, AmendmentWords),
    Kind("amendment.rebased", 1, AmendmentRebased),
    Kind("amendment.committed", 1, AmendmentCommitted),
    Kind("amendment.rejected", 1, AmendmentRejected, AmendmentReasonWords),
    Kind("amendment.withdrawn", 1, AmendmentWithdrawn, AmendmentReasonWords),
    Kind("amendment.adopted", 1, AmendmentAdopted),
)
