"""The parameters of summaries, digests and quiet hours."""

from typing import Annotated, Literal

from pydantic import Field

from ledger.params import GoalIdText, MemberIdText, Params, Version
from ledger.params import Text as LongText
from ledger.rules.channels import ChannelText

TEXT_CHARS_MAX = 2_000
CRON_CHARS_MAX = 100
ZONE_CHARS_MAX = 64
LIST_LIMIT_MAX = 100
CLOCK_PATTERN = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
SUMMARY_ID_PATTERN = r"^sum_[0-9]{1,16}$"

SummaryIdText = Annotated[str, Field(pattern=SUMMARY_ID_PATTERN)]
_ClockText = Annotated[str, Field(pattern=CLOCK_PATTERN)]
_Cron = Annotated[str, Field(min_length=9, max_length=CRON_CHARS_MAX, pattern=r"^[0-9A-Za-z*,/ -]+$")]
_Zone = Annotated[str, Field(min_length=1, max_length=ZONE_CHARS_MAX, pattern=r"^[A-Za-z0-9_+/-]+$")]
_Moment = Annotated[int, Field(ge=0, le=2**53 - 1)]


class PostSummary(Params):
    """Post what changed, with a text above it, into the chats that show a goal or the workspace."""

    goal_id: Annotated[GoalIdText | None, Field(description="The goal that is told of.")] = None
    workspace: Annotated[bool, Field(description="All goals, and what is about none, in place of one goal.")] = False
    text: Annotated[
        Annotated[LongText, Field(max_length=TEXT_CHARS_MAX)] | None,
        Field(description="What stands above the digest, as plain text."),
    ] = None
    preview: Annotated[bool, Field(description="Show what would be posted in each chat, and post nothing.")] = False


class ListSummaries(Params):
    """What was posted, and how it is doing in each chat."""

    goal_id: Annotated[GoalIdText | None, Field(description="Only this goal's.")] = None
    limit: Annotated[int, Field(ge=1, le=LIST_LIMIT_MAX, description="How many, the newest first.")] = 20


class ShowSummary(Params):
    """One summary: what it says, and how it is doing in each chat."""

    summary_id: Annotated[SummaryIdText, Field(description="Which summary.")]


class SettleSummary(Params):
    """Write down what became of a summary in one chat; asked for by the daemon alone."""

    summary_id: SummaryIdText
    channel_id: Annotated[str, Field(min_length=1, max_length=200)]
    outcome: Literal["sent", "failed"]
    because: Literal["removed", "dissolved", "unbound", "refused", "unreachable", "in_doubt", "expired"] | None = None


class SetDigest(Params):
    """Post a digest into a chat at set times, or no longer."""

    channel_id: Annotated[
        ChannelText | None,
        Field(description="Which chat, by its id in Lark or the name that the list gives it; the one asked from."),
    ] = None
    cron: Annotated[_Cron | None, Field(description="When: minute, hour, day, month and day of the week.")] = None
    time_zone: Annotated[_Zone, Field(description="The zone that the times are in, as IANA names it.")] = "UTC"
    quiet_from: Annotated[_ClockText | None, Field(description="When the chat's quiet hours begin (22:00).")] = None
    quiet_until: Annotated[_ClockText | None, Field(description="When they end (07:00).")] = None
    off: Annotated[bool, Field(description="No digests any more.")] = False


class TickDigest(Params):
    """Decide on one time of a chat's schedule; asked for by the daemon alone."""

    channel_id: Annotated[str, Field(min_length=1, max_length=200)]
    due_at_ms: _Moment
    schedule_seq: Version


class SetQuietHours(Params):
    """Send a person no message of the bot's own accord in their quiet hours, or do again."""

    member_id: Annotated[MemberIdText | None, Field(description="Whose hours; the caller's when absent.")] = None
    quiet_from: Annotated[_ClockText | None, Field(description="When they begin (22:00).")] = None
    quiet_until: Annotated[_ClockText | None, Field(description="When they end (07:00).")] = None
    time_zone: Annotated[_Zone, Field(description="The zone that the times are in, as IANA names it.")] = "UTC"
    off: Annotated[bool, Field(description="No quiet hours any more.")] = False


def minutes_of(clock: str) -> int:
    """The minute of the day that a time names."""
    return int(clock[:2]) * 60 + int(clock[3:])
