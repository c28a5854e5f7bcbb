"""Digests at set times, and the hours in which nobody is written to.

When a schedule is due is not decided here: that takes a calendar and the rules of a time zone, which the daemon has.
It asks for one time after another, and what is recorded is that this time was decided on, so that a time which was
missed is caught up once, and none is decided on twice, whoever asks and however often. What a time comes to is decided
by what the chat shows: a digest if something material is new to it, and nothing otherwise.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import MemberId
from ledger.parts.summaries import TickOutcome
from ledger.refusals import Refusal
from ledger.rules.channels import channel_name, is_known, resolved
from ledger.rules.common import Caller, Decision, Held, is_owner, refuse, registered
from ledger.rules.cron import MINUTES_BETWEEN_MIN, CronError, comes_too_often, ever_comes, fields_of
from ledger.rules.summaries import QUEUED_MAX, because_lost, of_chat, plan
from ledger.rules.summary_events import (
    DigestScheduled,
    DigestTicked,
    DigestUnscheduled,
    QuietHoursEnded,
    QuietHoursSet,
)
from ledger.rules.summary_params import SetDigest, SetQuietHours, TickDigest, minutes_of
from ledger.state import Workspace


class ScheduleRefusal(StrEnum):
    """Why a chat's digests or somebody's quiet hours stay as they are, in order of precedence."""

    TIME_ZONE_UNKNOWN = "time_zone_unknown"
    SCHEDULE_OR_OFF = "schedule_or_off"
    QUIET_HOURS_INCOMPLETE = "quiet_hours_incomplete"
    CRON_MALFORMED = "cron_malformed"
    CRON_NEVER_FIRES = "cron_never_fires"
    CRON_TOO_FREQUENT = "cron_too_frequent"
    CHANNEL_REQUIRED = "channel_required"
    CHANNEL_NOT_BOUND = "channel_not_bound"
    NOT_AN_OWNER = "not_an_owner"
    DIGEST_NOT_SCHEDULED = "digest_not_scheduled"
    DIGEST_TIME_DECIDED = "digest_time_decided"
    MEMBER_NOT_FOUND = "member_not_found"
    HOURS_NOT_YOURS = "hours_not_yours"


def decide_set_digest(workspace: Workspace, caller: Caller, ask: SetDigest, _now_ms: int) -> Decision:
    """Plan a chat's digests, or end them."""
    if (ask.cron is None) != ask.off:
        return refuse(ScheduleRefusal.SCHEDULE_OR_OFF)
    if (ask.quiet_from is None) != (ask.quiet_until is None) or (ask.quiet_from and ask.quiet_from == ask.quiet_until):
        return refuse(ScheduleRefusal.QUIET_HOURS_INCOMPLETE)
    if ask.cron is not None and (broken := _cron_problem(ask.cron)) is not None:
        return broken
    named = ask.channel_id or caller.channel_id
    if named is None:
        return refuse(ScheduleRefusal.CHANNEL_REQUIRED)
    channel_id = resolved(workspace, named)
    if channel_id is None or not is_known(workspace, channel_id):
        return refuse(ScheduleRefusal.CHANNEL_NOT_BOUND, channel=channel_id and channel_name(channel_id))
    if not _decides_for(workspace, caller, channel_id):
        return refuse(ScheduleRefusal.NOT_AN_OWNER)
    before = workspace.summaries.schedules.get(channel_id)
    if ask.cron is None:
        if before is None:
            return Held(seq=workspace.seq, facts={"channel": channel_name(channel_id)})
        return (Draft(facts=DigestUnscheduled(channel_id=channel_id, because="off")),)
    facts = DigestScheduled(
        channel_id=channel_id,
        cron=" ".join(ask.cron.split()),
        time_zone=ask.time_zone,
        quiet_from=None if ask.quiet_from is None else minutes_of(ask.quiet_from),
        quiet_until=None if ask.quiet_until is None else minutes_of(ask.quiet_until),
    )
    asked = (facts.cron, facts.time_zone, facts.quiet_from, facts.quiet_until)
    if before is not None and asked == (before.cron, before.time_zone, before.quiet_from, before.quiet_until):
        return Held(seq=before.seq, facts={"channel": channel_name(channel_id)})
    return (Draft(facts=facts),)


def decide_tick(workspace: Workspace, _caller: Caller, ask: TickDigest, now_ms: int) -> Decision:
    """Decide on one time of a schedule; one that lies before the last that was decided on was decided on."""
    schedule = workspace.summaries.schedules.get(ask.channel_id)
    if schedule is None or schedule.seq != ask.schedule_seq:
        return refuse(ScheduleRefusal.DIGEST_NOT_SCHEDULED, channel=channel_name(ask.channel_id))
    if not is_known(workspace, ask.channel_id):
        return (Draft(facts=DigestUnscheduled(channel_id=ask.channel_id, because="unbound")),)
    last = schedule.at_ms if schedule.due_at_ms is None else schedule.due_at_ms
    if not last < ask.due_at_ms <= now_ms:
        return refuse(ScheduleRefusal.DIGEST_TIME_DECIDED, channel=channel_name(ask.channel_id))
    target = of_chat(workspace, ask.channel_id)
    planned = plan(workspace, target, (ask.channel_id,), scheduled_for_ms=ask.due_at_ms, has_text=False)
    full = len(workspace.summaries.queued) >= QUEUED_MAX
    outcome: TickOutcome = "posted" if planned.queued else "unchanged"
    if full or because_lost(workspace, ask.channel_id) is not None:
        outcome = "unreachable"
    ticked = Draft(facts=DigestTicked(channel_id=ask.channel_id, due_at_ms=ask.due_at_ms, outcome=outcome))
    return (Draft(facts=planned.facts), ticked) if outcome == "posted" else (ticked,)


def decide_set_quiet_hours(workspace: Workspace, caller: Caller, ask: SetQuietHours, _now_ms: int) -> Decision:
    """A person's own hours; who administers may set anybody's."""
    given = (ask.quiet_from, ask.quiet_until)
    if (None in given) != ask.off or (ask.off and given != (None, None)):
        return refuse(ScheduleRefusal.SCHEDULE_OR_OFF)
    if not ask.off and ask.quiet_from == ask.quiet_until:
        return refuse(ScheduleRefusal.QUIET_HOURS_INCOMPLETE)
    member_id = MemberId(ask.member_id or caller.member_id)
    member = workspace.members.get(member_id)
    if member is None or member.revoked or member.kind != "person":
        return refuse(ScheduleRefusal.MEMBER_NOT_FOUND, member_id=member_id)
    actor = registered(workspace, caller.member_id)
    administers = caller.kind == "operator" or (actor is not None and "owner" in actor.roles)
    if member.member_id != caller.member_id and not administers:
        return refuse(ScheduleRefusal.HOURS_NOT_YOURS)
    before = workspace.summaries.quiet.get(member.member_id)
    if ask.quiet_from is None or ask.quiet_until is None:
        if before is None:
            return Held(seq=workspace.seq, facts={"member_id": member.member_id})
        return (Draft(facts=QuietHoursEnded(member_id=member.member_id)),)
    facts = QuietHoursSet(
        member_id=member.member_id,
        time_zone=ask.time_zone,
        quiet_from=minutes_of(ask.quiet_from),
        quiet_until=minutes_of(ask.quiet_until),
    )
    if before is not None and (before.time_zone, before.quiet_from, before.quiet_until) == (
        facts.time_zone,
        facts.quiet_from,
        facts.quiet_until,
    ):
        return Held(seq=before.seq, facts={"member_id": member.member_id})
    return (Draft(facts=facts),)


def _cron_problem(cron: str) -> Refusal | None:
    try:
        fields = fields_of(cron)
    except CronError as error:
        return refuse(ScheduleRefusal.CRON_MALFORMED, problem=str(error))
    if not ever_comes(fields):
        return refuse(ScheduleRefusal.CRON_NEVER_FIRES)
    if comes_too_often(fields):
        return refuse(ScheduleRefusal.CRON_TOO_FREQUENT, minutes=MINUTES_BETWEEN_MIN)
    return None


def _decides_for(workspace: Workspace, caller: Caller, channel_id: str) -> bool:
    """Whether the caller owns something that the chat shows, or the workspace."""
    member = registered(workspace, caller.member_id)
    if member is not None and "owner" in member.roles:
        return True
    shown = (workspace.goals.get(held.goal_id) for held in workspace.goals.held() if channel_id in held.channels)
    return any(goal is not None and is_owner(goal, caller.member_id, workspace) for goal in shown)
