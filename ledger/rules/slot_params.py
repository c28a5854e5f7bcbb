"""What may be asked of the quota: admissions, spends, voids, settings and reads."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from ledger.params import GoalIdText, KeyText, MemberIdText, Params, Reason, TodoIdText
from ledger.parts.slots import WINDOW_HOURS_MAX

SLOTS_AT_ONCE_MAX = 60
SLOT_MINUTES_MAX = 1_440
ALLOWED_SLOTS_MAX = 1_000_000
ADMISSION_TTL_SECONDS_DEFAULT = 900
ADMISSION_TTL_SECONDS_MAX = 14_400
COMPUTE_PATTERN = r"^(0(\.[0-9]{1,3})?|1(\.0{1,3})?)$"
WHOLE_PERMILLE = 1_000
SPEND_ID_PATTERN = r"^spend_[0-9]{6,16}$"

_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Todo = Annotated[TodoIdText, Field(description="The todo.")]
_Turn = Annotated[KeyText, Field(description="Names the turn; each turn has its own.")]
_Slots = Annotated[int, Field(ge=1, le=SLOTS_AT_ONCE_MAX, description="How many slots.")]
_Agent = Annotated[MemberIdText | None, Field(description="The agent; the caller when absent.")]


class ReserveTurn(Params):
    """Ask whether to run and, if so, reserve the slots and the work for this turn."""

    goal_id: _Goal
    turn_instance_id: _Turn
    agent_id: _Agent = None
    slots: _Slots = 1
    ttl_seconds: Annotated[
        int, Field(ge=1, le=ADMISSION_TTL_SECONDS_MAX, description="How long it is kept, in seconds.")
    ] = ADMISSION_TTL_SECONDS_DEFAULT


class ReleaseAdmission(Params):
    """Give back what a turn reserved."""

    goal_id: _Goal
    turn_instance_id: _Turn
    agent_id: _Agent = None


class ExpireAdmission(Params):
    """Write off an admission that has passed its end; the daemon's own."""

    goal_id: GoalIdText
    todo_id: TodoIdText


class SpendSlot(Params):
    """Pay for a turn that delivered a todo."""

    goal_id: _Goal
    todo_id: _Todo
    turn_instance_id: _Turn
    agent_id: _Agent = None
    slots: _Slots = 1


class VoidSlot(Params):
    """Take a spend back."""

    goal_id: _Goal
    spend_id: Annotated[str, Field(pattern=SPEND_ID_PATTERN, description="The spend.")]
    reason: Annotated[Reason, Field(description="Why it is taken back.")]


def _as_text(given: object) -> object:
    """A share that a program gives as a number, written as a person writes it; no other value is touched."""
    return f"{given:g}" if type(given) in {int, float} else given


_Share = Annotated[str, BeforeValidator(_as_text), Field(pattern=COMPUTE_PATTERN)]


def _permille(compute: str) -> int:
    whole, _, part = compute.partition(".")
    return int(whole) * WHOLE_PERMILLE + int(part.ljust(3, "0"))


class SetQuota(Params):
    """Change how much may be done on a goal; what is absent stays as it is."""

    goal_id: _Goal
    compute_permille: Annotated[
        int | None, Field(ge=0, le=1_000, description="The share that is given, in thousandths; 0 pauses the goal.")
    ] = None
    compute: Annotated[_Share | None, Field(description="The same share as a number from 0 to 1, such as 0.5.")] = None
    window_hours: Annotated[
        int | None, Field(ge=1, le=WINDOW_HOURS_MAX, description="The rolling window, in hours.")
    ] = None
    slot_minutes: Annotated[int | None, Field(ge=1, le=SLOT_MINUTES_MAX, description="A slot, in minutes.")] = None
    allowed_slots: Annotated[
        int | None, Field(ge=0, le=ALLOWED_SLOTS_MAX, description="Slots in the window, whatever the share gives.")
    ] = None
    unset_allowed_slots: Annotated[
        bool,
        Field(description="Forget the number that was set: the promise or the share gives it again."),
    ] = False

    @model_validator(mode="after")
    def _set_or_forgotten(self) -> Self:
        if self.unset_allowed_slots and self.allowed_slots is not None:
            raise ValueError("unset_allowed_slots: a number is either set or forgotten")
        if self.compute is not None and self.compute_permille not in {None, _permille(self.compute)}:
            raise ValueError("compute: it is not the share that compute_permille gives")
        return self

    @property
    def permille(self) -> int | None:
        """The share, however it was given."""
        return self.compute_permille if self.compute is None else _permille(self.compute)


class ShowQuota(Params):
    """What may be spent on a goal, what was, and the receipts that explain it."""

    goal_id: _Goal
    limit: Annotated[int, Field(ge=1, le=200, description="How many receipts at most, the newest first.")] = 50


class PlanQuota(Params):
    """Which goal an agent would best turn to next; advice, and nothing is reserved."""

    agent_id: _Agent = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many goals at most.")] = 20
