"""What whoever asked for something is told once others have decided on it."""

from typing import ClassVar, Literal

import msgspec

from ledger.projections.causes import Cause, DecisionView


class ToldView(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that fell: on which revision or delivery, by whom, when and in which words."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = False

    about: Literal["revision", "delivery"]
    number: int
    decision: DecisionView
    cause: Cause
