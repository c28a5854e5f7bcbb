"""Moves on summaries, digests at set times and quiet hours."""

from collections.abc import Iterator

from ledger.ids import GoalId
from ledger.parts.summaries import parted
from ledger.state import Goal
from tests.support.walks.base import Move, Walk

CHATS = ("oc_one", "oc_two")
NIGHT = {"quiet_from": "22:00", "quiet_until": "07:00"}
DAILY = {"cron": "0 9 * * *"}
PROMISE = {"objective": "Check the docs", "criterion": ["Every link works"], "review": "owner"}


def post(walk: Walk, goal: Goal) -> Move:
    """A goal is told of, or the workspace; now and then with a text, or only to look."""
    target: dict[str, object] = {"goal_id": goal.goal_id} if not walk.one_in(4) else {"workspace": True}
    more: dict[str, object] = walk.choose(({}, {}, {"text": "So far so good"}, {"preview": True}))
    return Move(walk.choose((walk.owner(goal), "ann", "steward")), "summary.post", target | more)


def settle(walk: Walk, goal: Goal) -> Move:
    """What became of one that waits; or of one that does not."""
    waiting = [*walk.state.summaries.queued]
    if not waiting:
        return post(walk, goal)
    summary_id, channel_id = parted(walk.choose(waiting))
    came_of: dict[str, object] = {"outcome": "sent"}
    if walk.one_in(3):
        came_of = {"outcome": "failed", "because": walk.choose(("removed", "refused", "expired"))}
    about = {"summary_id": "sum_1" if walk.slip() else summary_id, "channel_id": channel_id}
    return Move("daemon", "summary.settle", about | came_of)


def plan(walk: Walk, goal: Goal) -> Move:
    """A chat gets digests, at other times, or none any more."""
    chosen: dict[str, object] = walk.choose((DAILY, {"cron": "30 8 * * mon"}, DAILY | NIGHT, {"off": True}))
    chat: dict[str, object] = {"channel_id": walk.choose(CHATS)}
    return Move(walk.choose(("ann", walk.owner(goal))), "channel.set-digest", chat | chosen)


def tick(walk: Walk, goal: Goal) -> Move:
    """It is time for a digest; or it was decided on already."""
    schedules = [*walk.state.summaries.schedules.values()]
    if not schedules:
        return plan(walk, goal)
    one = walk.choose(schedules)
    due = walk.at_ms - (1 if walk.one_in(4) else 0)
    asked = {"channel_id": one.channel_id, "due_at_ms": due, "schedule_seq": one.seq + int(walk.slip())}
    return Move("daemon", "channel.tick-digest", asked)


def rest(walk: Walk, _goal: Goal) -> Move:
    """Somebody's quiet hours."""
    hours: dict[str, object] = walk.choose((NIGHT, {"quiet_from": "12:00", "quiet_until": "13:00"}, {"off": True}))
    whose: dict[str, object] = {} if walk.one_in(2) else {"member_id": walk.anybody()}
    who = walk.choose(("ann", "bob", "operator") if whose else ("ann", "bob"))
    return Move(who, "member.set-quiet-hours", hours | whose)


def told(walk: Walk) -> Iterator[Move]:
    """Two chats, one of them lost; a summary that waits, digests that came; and what is not let through."""
    for goal_id, more in (("docs", {}), ("hushed", {"private": True})):
        yield Move("ann", "goal.propose", {"goal_id": goal_id, **PROMISE, **more})
        basis = walk.state.goals[GoalId(goal_id)].intents[-1].basis
        yield Move("ann", "goal.confirm", {"goal_id": goal_id, "basis": basis})
    docs: dict[str, object] = {"goal_id": "docs"}
    yield Move("ann", "summary.post", docs)
    for channel_id in CHATS:
        yield Move("ann", "channel.bind", docs | {"channel_id": channel_id})
    yield from _not_posted()
    yield Move("ann", "summary.post", docs | {"text": "Begun"})
    yield from _settled(walk)
    yield from _planned(walk)
    yield from _hours()
    for channel_id in CHATS if walk.one_in(2) else CHATS[1:]:
        yield Move("bot", "channel.report", {"channel_id": channel_id, "change": "removed"})
    yield Move("ann", "todo.add", docs | {"todo_id": "todo_one", "text": "Look"})
    yield Move("ann", "summary.post", docs)


def _not_posted() -> Iterator[Move]:
    yield Move("ann", "summary.post", {"goal_id": "docs", "workspace": True})
    yield Move("ann", "summary.post", {"goal_id": "none"})
    yield Move("vic", "summary.post", {"goal_id": "docs"})
    yield Move("helper", "summary.post", {"goal_id": "docs"})
    yield Move("ann", "summary.post", {"goal_id": "hushed", "text": "Hush"})
    yield Move("daemon", "summary.settle", {"summary_id": "sum_1", "channel_id": "oc_one", "outcome": "sent"})


def _settled(walk: Walk) -> Iterator[Move]:
    for key in [*walk.state.summaries.queued]:
        summary_id, channel_id = parted(key)
        came_of = {"outcome": "failed", "because": "refused"} if walk.one_in(3) else {"outcome": "sent"}
        yield Move("daemon", "summary.settle", {"summary_id": summary_id, "channel_id": channel_id, **came_of})


def _planned(walk: Walk) -> Iterator[Move]:
    here = {"channel_id": CHATS[0]}
    for wrong in ({}, DAILY | {"quiet_from": "22:00"}, {"cron": "0 9 * * x"}, {"cron": "0 9 31 6 *"},
                  {"cron": "* 9 * * *"}):  # fmt: skip
        yield Move("ann", "channel.set-digest", here | wrong)
    yield Move("ann", "channel.set-digest", dict(DAILY))
    yield Move("ann", "channel.set-digest", {"channel_id": "oc_nowhere", **DAILY})
    yield Move("vic", "channel.set-digest", here | DAILY)
    yield Move("ann", "channel.set-digest", here | DAILY | NIGHT)
    one = walk.state.summaries.schedules.get(CHATS[0])
    if one is not None:
        due = {"channel_id": CHATS[0], "due_at_ms": walk.at_ms, "schedule_seq": one.seq}
        yield Move("daemon", "channel.tick-digest", due | {"due_at_ms": one.at_ms})
        yield Move("daemon", "channel.tick-digest", due | {"schedule_seq": one.seq + 1})


def _hours() -> Iterator[Move]:
    yield Move("bob", "member.set-quiet-hours", {"off": True, **NIGHT})
    yield Move("bob", "member.set-quiet-hours", NIGHT | {"quiet_until": "22:00"})
    yield Move("bob", "member.set-quiet-hours", NIGHT | {"member_id": "ann"})
    yield Move("ann", "member.set-quiet-hours", NIGHT | {"member_id": "nobody"})
    yield Move("bob", "member.set-quiet-hours", dict(NIGHT))
    yield Move("ann", "member.set-quiet-hours", {"member_id": "bob", "off": True})


COMMANDS = (*(post,) * 4, *(settle,) * 5, *(plan,) * 2, *(tick,) * 4, rest)
