"""What happened to the quota: admissions, spends, voids, settings."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import MemberId, TodoId


class AdmissionReserved(Facts, frozen=True, kw_only=True):
    """One agent may do one turn on one todo; nobody else is offered it meanwhile."""

    admission_id: str
    agent_id: MemberId
    todo_id: TodoId
    turn_instance_id: str
    slots: int
    decision: Literal["run"]
    state: Literal["eligible"]
    reason_codes: tuple[str, ...]
    expires_at_ms: int


class AdmissionReleased(Facts, frozen=True, kw_only=True):
    """It was given back, or its agent began another turn on the same todo."""

    ended_admission_id: str
    todo_id: TodoId
    cause: Literal["given_back", "another_turn"]


class AdmissionExpired(Facts, frozen=True, kw_only=True):
    """It ended by itself."""

    ended_admission_id: str
    todo_id: TodoId
    expired_at_ms: int


class SlotSpent(Facts, frozen=True, kw_only=True):
    """A turn that delivered was paid for, once."""

    spend_id: str
    agent_id: MemberId
    todo_id: TodoId
    turn_instance_id: str
    run_id: str
    slots: int


class SlotVoided(Facts, frozen=True, kw_only=True):
    """A spend was taken back, once."""

    spend_id: str
    slots: int


class VoidWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


class QuotaSet(Facts, frozen=True, kw_only=True):
    """How much may be done from now on."""

    compute_permille: int
    window_hours: int
    slot_minutes: int
    allowed_slots: int | None


KINDS: tuple[Kind, ...] = (
    Kind("admission.reserved", 1, AdmissionReserved),
    Kind("admission.released", 1, AdmissionReleased),
    Kind("admission.expired", 1, AdmissionExpired),
    Kind("slot.spent", 1, SlotSpent),
    Kind("slot.voided", 1, SlotVoided, VoidWords),
    Kind("quota.set", 1, QuotaSet),
)
