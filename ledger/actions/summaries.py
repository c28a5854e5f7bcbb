"""Actions on summaries, digests and quiet hours: numbers 194 to 199 and 216."""

from ledger.actions.base import ANYONE, PEOPLE, WORKERS, Action, who
from ledger.rules import digest_schedules, summaries, summary_params

ROWS = (
    Action(
        name="summary.post",
        number=194,
        params=summary_params.PostSummary,
        who=WORKERS,
        decide=summaries.decide_post,
        example="summary post --goal-id docs --text 'Two of three chapters are accepted.'",
    ),
    Action(
        name="summary.list",
        number=195,
        params=summary_params.ListSummaries,
        who=ANYONE,
        example="summary list --goal-id docs",
    ),
    Action(
        name="summary.show",
        number=196,
        params=summary_params.ShowSummary,
        who=ANYONE,
        example="summary show --summary-id sum_12",
    ),
    Action(
        name="channel.set-digest",
        number=197,
        params=summary_params.SetDigest,
        who=PEOPLE,
        decide=digest_schedules.decide_set_digest,
        example="channel set-digest --channel-id oc_docs --cron '0 9 * * 1-5' --time-zone Asia/Shanghai",
    ),
    Action(
        name="channel.tick-digest",
        number=198,
        params=summary_params.TickDigest,
        who=who("daemon"),
        decide=digest_schedules.decide_tick,
        hidden=True,
    ),
    Action(
        name="summary.settle",
        number=199,
        params=summary_params.SettleSummary,
        who=who("daemon"),
        decide=summaries.decide_settle,
        hidden=True,
    ),
    Action(
        name="member.set-quiet-hours",
        number=216,
        params=summary_params.SetQuietHours,
        who=who("operator", "person"),
        decide=digest_schedules.decide_set_quiet_hours,
        example="member set-quiet-hours --quiet-from 22:00 --quiet-until 07:00 --time-zone Asia/Shanghai",
    ),
)
