"""What happened to summaries and digests: posted, arrived or not, planned, decided on at their time."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import GoalId, MemberId
from ledger.parts.summaries import About, Because, ChatFate, GoalRows, TickOutcome


class SummaryPosted(Facts, frozen=True, kw_only=True):
    """A summary is to appear in these chats; what it says of the ledger is in it, but for people's words."""

    summary_id: str
    about: About
    goal_id: GoalId | None
    fates: tuple[ChatFate, ...]
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


class PostedWords(Words, frozen=True, kw_only=True):
    """What the poster wrote above the digest."""

    text: str


class SummarySettled(Facts, frozen=True, kw_only=True):
    """It is in the chat, or it will not come there."""

    summary_id: str
    channel_id: str
    outcome: Literal["sent", "failed"]
    because: Because | None


class DigestScheduled(Facts, frozen=True, kw_only=True):
    """A chat gets a digest at these times."""

    channel_id: str
    cron: str
    time_zone: str
    quiet_from: int | None
    quiet_until: int | None


class DigestUnscheduled(Facts, frozen=True, kw_only=True):
    """A chat gets none any more."""

    channel_id: str
    because: Literal["off", "unbound"]


class DigestTicked(Facts, frozen=True, kw_only=True):
    """One time of a schedule was decided on, and is never decided on again."""

    channel_id: str
    due_at_ms: int
    outcome: TickOutcome


class QuietHoursSet(Facts, frozen=True, kw_only=True):
    """A person is sent nothing of the bot's own accord in these hours."""

    member_id: MemberId
    time_zone: str
    quiet_from: int
    quiet_until: int


class QuietHoursEnded(Facts, frozen=True, kw_only=True):
    """A person has no quiet hours any more."""

    member_id: MemberId


KINDS = (
    Kind("summary.posted", 1, SummaryPosted, PostedWords),
    Kind("summary.settled", 1, SummarySettled),
    Kind("digest.scheduled", 1, DigestScheduled),
    Kind("digest.unscheduled", 1, DigestUnscheduled),
    Kind("digest.ticked", 1, DigestTicked),
    Kind("quiet_hours.set", 1, QuietHoursSet),
    Kind("quiet_hours.ended", 1, QuietHoursEnded),
)
