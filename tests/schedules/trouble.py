"""The faults of a schedule, each a small function of the stage; a schedule has at least five of them."""

import asyncio

from bot.simulator.delivery import REPUSH_AFTER_MS

FAULTS_MIN = 5


async def _wire(stage, fate):
    stage.platform.wire.plan.append(fate)


async def _call(stage, fault, apis=("create", "reply", "patch"), times=1):
    stage.platform.plan[stage.chance.choice(apis)].extend([fault] * times)


async def the_next_event_comes_again(stage):
    await _wire(stage, "again")


async def the_next_event_comes_again_under_another_id(stage):
    await _wire(stage, "again_fresh")


async def the_next_event_is_overtaken(stage):
    await _wire(stage, "late")


async def the_next_acknowledgement_is_lost(stage):
    await _wire(stage, "ack_lost")


async def an_answer_about_a_message_is_lost(stage):
    await _call(stage, "dropped", times=stage.chance.randrange(1, 4))


async def a_gateway_answers_with_a_page(stage):
    await _call(stage, "html", times=stage.chance.randrange(1, 6))


async def the_token_is_refused(stage):
    await _call(stage, "token", times=stage.chance.randrange(1, 3))


async def a_limit_is_met(stage):
    await _call(stage, "limit", times=stage.chance.randrange(1, 8))


async def a_call_is_slow(stage):
    await _call(stage, "slow", times=3)


async def a_card_is_refused(stage):
    await _call(stage, "refused", apis=("create", "patch"))


async def an_answer_of_the_daemon_is_lost(stage):
    stage.daemon.lost[stage.chance.choice(("press", "press", "message", "put_delivery", "view", "slots", "heard"))] += 1


async def the_daemon_is_not_reached(stage):
    call = stage.chance.choice(("press", "message", "put_delivery", "put_delivery", "view", "slots", "leader", "heard"))
    stage.daemon.unheard[call] += stage.chance.randrange(1, 5)


async def the_records_of_deliveries_are_late(stage):
    stage.daemon.unheard["put_delivery"] += 6


async def the_daemon_is_slow(stage):
    stage.daemon.slow_s.extend(stage.chance.uniform(0.2, 3.0) for _ in range(stage.chance.randrange(1, 6)))


async def a_connection_ends(stage):
    for running in tuple(stage.bots.values()):
        running.gateway.cut()


async def a_feed_ends(stage):
    for running in stage.bots.values():
        for cut in tuple(running.line.cuts):
            cut.set_result(None)


async def the_daemon_is_killed(stage):
    if stage.daemon.life is None:
        return
    stage.daemon.kill()
    await asyncio.sleep(stage.chance.choice((0.0, 0.2, 1.0, 5.0)))
    if stage.daemon.life is None:
        stage.daemon.start()
        stage.tell("the daemon is up again")


async def the_daemon_is_killed_after_the_next_commit(stage):
    """What was pressed is done, and nobody is told."""
    stage.daemon.killed_after_presses += 1


async def a_bot_is_killed(stage):
    if stage.bots:
        await stage.kill_bot(stage.chance.choice(sorted(stage.bots)))
    await asyncio.sleep(stage.chance.choice((0.0, 0.3, 3.0, 12.0)))
    if not stage.bots:
        stage.start_bot()


async def a_second_bot_comes(stage):
    if len(stage.bots) < 2:
        stage.start_bot()


async def another_bot_takes_over(stage):
    if len(stage.bots) < 2:
        stage.start_bot()
        await asyncio.sleep(stage.chance.choice((0.1, 4.0)))
    for running in stage.leaders:
        await stage.kill_bot(running.name, cleanly=stage.chance.random() < 0.5)


async def the_leader_is_cut_off(stage):
    """It hears nothing of the daemon until its lease is over."""
    stage.daemon.unheard["leader"] += 8


async def the_wall_clock_jumps(stage):
    by_ms = stage.chance.choice((-3_600_000, -90_000, 90_000, 3_600_000, 40_000_000))
    stage.tell(f"a clock jumps by {by_ms} ms")
    if stage.chance.random() < 0.5:
        stage.clock.off_ms += by_ms
    else:
        stage.daemon.time.wall_off_ms += by_ms


async def a_message_is_taken_away(stage):
    shown = stage.platform.bots_cards(stage.platform.group)
    if shown:
        message = stage.chance.choice(shown)
        stage.tell(f"{message.message_id[:9]} is taken away")
        stage.platform.take_away(message)


async def the_bot_is_out_of_the_chat(stage):
    if stage.is_out:
        return
    stage.out_now()
    stage.platform.bot_in_group(present=False)
    await asyncio.sleep(stage.chance.uniform(1.0, 15.0))
    stage.platform.bot_in_group(present=True)
    stage.out_now()
    stage.tell("the bot is in the chat again")


async def an_hour_passes(stage):
    """At once, for everybody: send keys are forgotten, and events that nobody took are pushed again.

    No post is on its way then, as none is for an hour: it is repeated within the key's hour, or given up.
    """
    for _ in range(60):
        if not stage.posts_in_doubt:
            stage.days(max(REPUSH_AFTER_MS[2], 3_700_000) / 86_400_000)
            return
        await asyncio.sleep(0.5)


FAULTS = (
    the_next_event_comes_again,
    the_next_event_comes_again_under_another_id,
    the_next_event_is_overtaken,
    the_next_acknowledgement_is_lost,
    an_answer_about_a_message_is_lost,
    a_gateway_answers_with_a_page,
    the_token_is_refused,
    a_limit_is_met,
    a_call_is_slow,
    a_card_is_refused,
    an_answer_of_the_daemon_is_lost,
    the_daemon_is_not_reached,
    the_records_of_deliveries_are_late,
    the_daemon_is_slow,
    a_connection_ends,
    a_feed_ends,
    the_daemon_is_killed,
    the_daemon_is_killed_after_the_next_commit,
    a_bot_is_killed,
    a_second_bot_comes,
    another_bot_takes_over,
    the_leader_is_cut_off,
    the_wall_clock_jumps,
    a_message_is_taken_away,
    the_bot_is_out_of_the_chat,
    an_hour_passes,
)

AMONG = {
    "all": FAULTS,
    "answers": (
        the_next_event_comes_again,
        the_next_event_comes_again_under_another_id,
        the_next_acknowledgement_is_lost,
        an_answer_of_the_daemon_is_lost,
        the_daemon_is_killed,
        the_daemon_is_killed_after_the_next_commit,
    ),
    "leaders": (
        the_daemon_is_killed,
        the_daemon_is_not_reached,
        a_second_bot_comes,
        another_bot_takes_over,
        the_leader_is_cut_off,
        the_records_of_deliveries_are_late,
        a_message_is_taken_away,
    ),
    "calls": (
        an_answer_about_a_message_is_lost,
        a_gateway_answers_with_a_page,
        a_limit_is_met,
        a_call_is_slow,
        a_bot_is_killed,
        the_next_acknowledgement_is_lost,
    ),
}
"""What the faults of a schedule are drawn from: all, or some that make each other worse."""


async def cease(stage):
    """No fault any more: what was planned is off, and everybody is there."""
    stage.platform.plan.clear()
    stage.platform.wire.plan.clear()
    stage.daemon.lost.clear()
    stage.daemon.unheard.clear()
    stage.daemon.slow_s.clear()
    stage.daemon.killed_after_presses = 0
    if stage.daemon.life is None:
        stage.daemon.start()
    if not stage.bots:
        stage.start_bot()
