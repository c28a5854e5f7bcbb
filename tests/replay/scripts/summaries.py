"""Summaries that arrive, fail and are left alone; digests at set times; quiet hours."""

from tests.support.world import World

GOAL = "told"
CHAT = "oc_told"
LOST = "oc_told_lost"
DAY_MS = 86_400_000


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL)
    for channel_id in (CHAT, LOST):
        world.do("ann", "channel.bind", goal_id=GOAL, channel_id=channel_id)
    _summaries(world)
    _digests(world)
    _quiet_hours(world)


def _settle(world: World, channel_id: str, **came_of: object) -> None:
    summary_id = [*world.state.summaries.by_id][-1]
    world.do("daemon", "summary.settle", summary_id=summary_id, channel_id=channel_id, **came_of)


def _summaries(world: World) -> None:
    world.do("ann", "summary.post", goal_id=GOAL, text="Begun. 已开始。")
    _settle(world, CHAT, outcome="sent")
    _settle(world, LOST, outcome="failed", because="unreachable")
    world.do("bot", "channel.report", channel_id=LOST, change="removed")
    world.add("todo_told", goal_id=GOAL)
    world.do("ann", "summary.post", goal_id=GOAL)
    _settle(world, CHAT, outcome="sent")


def _digests(world: World) -> None:
    planned = {"channel_id": CHAT, "cron": "0 9 * * mon-fri", "time_zone": "Asia/Shanghai"}
    world.do("ann", "channel.set-digest", **planned, quiet_from="22:00", quiet_until="07:00")
    for _ in range(2):
        # The first one tells, the second one finds that nothing changed.
        world.now_ms += DAY_MS
        seq = world.state.summaries.schedules[CHAT].seq
        world.do("daemon", "channel.tick-digest", channel_id=CHAT, due_at_ms=world.now_ms, schedule_seq=seq)
    _settle(world, CHAT, outcome="sent")
    world.do("ann", "channel.set-digest", channel_id=CHAT, off=True)


def _quiet_hours(world: World) -> None:
    world.do("bob", "member.set-quiet-hours", quiet_from="22:00", quiet_until="07:00", time_zone="Europe/Berlin")
    world.do("bob", "member.set-quiet-hours", off=True)
    world.do("ann", "member.set-quiet-hours", quiet_from="23:30", quiet_until="08:00")
