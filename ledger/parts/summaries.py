"""Summaries: what was posted into which chats, what became of each, which chats get digests, and who rests when.

Everything here belongs to the workspace and to no goal, because a chat may show several goals and because what was
posted outlives them. A summary is kept until newer ones take its place; what was told last in a chat is kept as a mark,
so that the next one begins where it ended.
"""

from typing import Literal

import msgspec

from ledger.ids import GoalId, MemberId
from ledger.parts.base import Part

SUMMARIES_KEPT_MAX = 200
"""Summaries that are settled in every chat and still remembered."""
MARKS_KEPT_MAX = 8
"""Marks of one chat: the last one, and those before it in case it fails."""

About = Literal["goal", "workspace", "chat"]
Fate = Literal["queued", "unchanged", "failed"]
Because = Literal["removed", "dissolved", "unbound", "refused", "unreachable", "in_doubt", "expired"]
Status = Literal["queued", "sent", "failed", "unchanged"]
TickOutcome = Literal["posted", "unchanged", "unreachable"]


class FactRow(msgspec.Struct, frozen=True, kw_only=True):
    """One material fact as it was told: no words, so that those can be erased elsewhere and are gone here too."""

    seq: int
    kind: str
    subject: str
    now: str
    actor: MemberId | None


class GoalRows(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in one goal, or beside all goals, the newest last; `earlier` rows before them were left out."""

    goal_id: GoalId | None
    rows: tuple[FactRow, ...]
    earlier: int


class ChatFate(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided for one chat when a summary was posted."""

    channel_id: str
    fate: Fate
    because: Because | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a summary is doing in one chat, and since which event."""

    status: Status
    because: Because | None
    seq: int
    at_ms: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One summary as it was posted. `text` is the poster's words; empty where there are none."""

    summary_id: str
    about: About
    goal_id: GoalId | None
    channels: tuple[str, ...]
    posted_by: MemberId
    seq: int
    at_ms: int
    since: int
    until: int
    head_hash: str
    head_at_ms: int
    material: str
    total: int
    goals: tuple[GoalRows, ...]
    goals_left_out: int
    scheduled_for_ms: int | None
    has_text: bool
    text: str


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Up to where a chat was told, and what was material then."""

    summary_id: str
    until: int
    material: str


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """When a chat gets its digest. Quiet hours are minutes of the day in the same zone; they may go over midnight."""

    channel_id: str
    cron: str
    time_zone: str
    quiet_from: int | None
    quiet_until: int | None
    set_by: MemberId
    seq: int
    at_ms: int
    due_at_ms: int | None = None
    """The last time that was decided on; what is due next comes after it."""
    outcome: TickOutcome | None = None
    ticked_seq: int = 0


class QuietHours(msgspec.Struct, frozen=True, kw_only=True):
    """When a person is sent no message of their own accord."""

    member_id: MemberId
    time_zone: str
    quiet_from: int
    quiet_until: int
    seq: int


class Summaries(Part):
    """What is known of summaries and digests."""

    by_id: dict[str, Summary] = msgspec.field(default_factory=dict)
    outcomes: dict[str, Outcome] = msgspec.field(default_factory=dict)
    """By summary and chat (`in_chat`)."""
    queued: dict[str, None] = msgspec.field(default_factory=dict)
    """The same, of which nothing is known yet, oldest first."""
    marks: dict[str, tuple[Mark, ...]] = msgspec.field(default_factory=dict)
    """By what is told (`told_key`) and the chat it is told in."""
    schedules: dict[str, Schedule] = msgspec.field(default_factory=dict)
    quiet: dict[MemberId, QuietHours] = msgspec.field(default_factory=dict)


def told_key(about: About, goal_id: GoalId | None) -> str:
    """What is told, as the marks know it: a goal, the workspace, or whatever a chat shows."""
    return f"goal:{goal_id}" if about == "goal" else about


def in_chat(what: str, channel_id: str) -> str:
    """A summary, or what is told, in one chat."""
    return f"{what}@{channel_id}"


def parted(key: str) -> tuple[str, str]:
    """The summary and the chat that such a name stands for."""
    what, _, channel_id = key.partition("@")
    return what, channel_id
