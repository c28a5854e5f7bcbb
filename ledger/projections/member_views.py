"""What the card of the members is drawn from: who is here, how near to work, and what each holds until when."""

from typing import ClassVar, Literal

import msgspec

from ledger.projections.causes import Cause
from ledger.projections.presence import PresenceName

BindingWord = Literal["none", "untested", "qualified"]
"""Whether what an agent is connected by was seen to work; `none` where no binding was recorded."""


class HeldView(msgspec.Struct, frozen=True, kw_only=True):
    """One todo that a member holds: under a lease with an end, or by a claim that has none."""

    goal_id: str
    title: str
    until_ms: int | None
    write_scopes: tuple[str, ...]


class MemberView(msgspec.Struct, frozen=True, kw_only=True):
    """One person or agent. Nothing here is the platform's: no id of it, and no name but the one given here."""

    name: str
    kind: Literal["person", "agent"]
    roles: tuple[str, ...]
    presence: PresenceName
    because: str
    binding: BindingWord
    held: tuple[HeldView, ...]
    held_total: int


class MembersView(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody who has a part in the goals of a place. `total` counts those for whom there was no room as well."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = False

    goals: tuple[str, ...]
    """The goals this is about, by id; none where it is about all of them."""
    goals_total: int
    """How many goals there are; where it is about all, the newest of them are looked at."""
    goals_seen: int
    people: int
    agents: int
    rows: tuple[MemberView, ...]
    total: int
    cause: Cause | None
    """The newest event of anybody in these goals, where there is one."""
