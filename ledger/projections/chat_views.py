"""What the cards of a conversation are drawn from: answers to what somebody asked, and one person's own list.

They are about no single goal. A row that can be opened names its button; what the button opens is in its token, and on
no card. A row without a button names an action and its subject, from which the line for a shell is drawn.
"""

from typing import ClassVar

import msgspec


class AttentionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that waits for the person: what, in which goal, since which event, until when, and how to settle it.

    `seq` is 0 where the event that made it wait is not known by itself.
    """

    goal_id: str
    title: str
    kind: str
    code: str | None
    subject: dict[str, str]
    text: str
    severity: str
    seq: int
    until_ms: int | None
    action: str
    flags: dict[str, str]
    """The parameters of the action that the subject gives, for the line that settles it."""
    button: str = ""


class AttentionView(msgspec.Struct, frozen=True, kw_only=True):
    """All that waits for one person now. `superseded`: a newer message shows the list."""

    tells: ClassVar[bool] = True

    rows: tuple[AttentionRow, ...]
    total: int
    high: int
    superseded: bool = False

    @property
    def open(self) -> bool:
        """Whether anything waits, and this is the message that says so."""
        return self.total > 0 and not self.superseded


class DigestRow(msgspec.Struct, frozen=True, kw_only=True):
    """One material fact: about what, what is true of it now, by whom, and the words that name it."""

    seq: int
    kind: str
    subject: str
    now: str
    actor: str
    text: str


class DigestGoal(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in one goal, the newest last; `earlier` rows before them are left out."""

    goal_id: str
    title: str
    state: str
    rows: tuple[DigestRow, ...]
    earlier: int


class DigestView(msgspec.Struct, frozen=True, kw_only=True):
    """What changed since the last digest of this place, and the ledger's head, which makes the chat its witness."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = False

    since: int
    goals: tuple[DigestGoal, ...]
    total: int
    goals_left_out: int
    needs_somebody: int
    head_seq: int
    head_hash: str
    head_at_ms: int


class HelpView(msgspec.Struct, frozen=True, kw_only=True):
    """What one can do here: whether the one who asked is known, and whether they asked in private."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = False

    paired: bool
    direct: bool


class MissedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One message that came too late to act on. A code is not shown. `done`: it was opened since."""

    text: str
    by: str
    at_ms: int
    is_code: bool
    done: bool
    button: str = ""


class MissedView(msgspec.Struct, frozen=True, kw_only=True):
    """The messages that came late, in one place, at about one time; `left_out` came after those that are shown."""

    tells: ClassVar[bool] = True

    rows: tuple[MissedRow, ...]
    left_out: int

    @property
    def open(self) -> bool:
        """Whether any of it can still be opened."""
        return any(row.button for row in self.rows)


class WhichRow(msgspec.Struct, frozen=True, kw_only=True):
    """One goal that may be meant."""

    goal_id: str
    title: str
    state: str
    button: str


class WhichView(msgspec.Struct, frozen=True, kw_only=True):
    """The question which goal was meant, and what was asked about it."""

    tells: ClassVar[bool] = True

    verb: str
    rows: tuple[WhichRow, ...]
    left_out: int

    @property
    def open(self) -> bool:
        """Whether there is anything to choose from."""
        return bool(self.rows)


ChatPart = AttentionView | DigestView | HelpView | MissedView | WhichView
