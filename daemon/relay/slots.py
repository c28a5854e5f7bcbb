"""Card slots: one live card for each subject in each chat.

    form:<message>@<chat>   review:<goal>:<revision>@<chat>   goal:<goal>@<chat>   acceptance:<goal>:<delivery>@<chat>

What should be shown follows from the state alone. A closed review or acceptance stays a slot, so that its card gets its
last patch; it is never sent anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from ledger.ids import GoalId
from ledger.outlines import outline_of
from ledger.records import Outline
from ledger.state import Goal, Workspace

Kind = Literal["review", "goal", "acceptance"]
CLOSED_SHOWN_MAX = 3
"""How many past revisions and deliveries of a goal keep a live card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place where a card belongs."""

    subject: str
    chat_id: str
    open: bool
    urgent: bool

    @property
    def name(self) -> str:
        """The slot's own name."""
        return f"{self.subject}@{self.chat_id}"

    def document(self) -> dict[str, object]:
        """As the bot gets it."""
        return {
            "slot": self.name,
            "chat_id": self.chat_id,
            "receive_id": self.chat_id,
            "receive_id_type": "chat_id",
            "open": self.open,
            "priority": 0 if self.urgent else 1,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A slot's name taken apart."""

    kind: Kind
    goal_id: GoalId
    number: int


def desired(workspace: Workspace, goal_id: str | None = None) -> Iterator[Slot]:
    """Every slot of one goal, or of all."""
    held = workspace.goals.held() if goal_id is None else [workspace.goals.peek(GoalId(goal_id))]
    for one in held:
        if one is not None and one.channels:
            outline = outline_of(one)
            for chat_id in outline.channels:
                yield from _of(outline, chat_id)


def _of(goal: Outline, chat_id: str) -> Iterator[Slot]:
    for number, waits in goal.reviews[-CLOSED_SHOWN_MAX:]:
        yield Slot(subject=f"review:{goal.goal_id}:{number}", chat_id=chat_id, open=waits, urgent=True)
    if goal.confirmed:
        yield Slot(subject=f"goal:{goal.goal_id}", chat_id=chat_id, open=True, urgent=False)
    elif goal.asks:
        yield Slot(subject=f"goal:{goal.goal_id}", chat_id=chat_id, open=True, urgent=True)
    for number, waits in goal.deliveries[-CLOSED_SHOWN_MAX:]:
        yield Slot(subject=f"acceptance:{goal.goal_id}:{number}", chat_id=chat_id, open=waits, urgent=True)


def split(slot: str) -> tuple[str, str]:
    """Subject and chat of a slot's name."""
    subject, _, chat_id = slot.rpartition("@")
    return subject, chat_id


def parse(workspace: Workspace, subject: str) -> tuple[Subject, Goal] | None:
    """The goal and the part of it that a subject names, or None if there is no such thing."""
    kind, _, rest = subject.partition(":")
    name, number = rest, 0
    if kind in {"review", "acceptance"}:
        name, _, digits = rest.rpartition(":")
        if not digits.isascii() or not digits.isdigit() or len(digits) > 6:
            return None
        number = int(digits)
    elif kind != "goal":
        return None
    goal = workspace.goals.get(GoalId(name))
    if goal is None:
        return None
    total = len(goal.intents) if kind == "review" else len(goal.deliveries)
    if kind != "goal" and not 1 <= number <= total:
        return None
    return Subject(kind=cast("Kind", kind), goal_id=goal.goal_id, number=number), goal
