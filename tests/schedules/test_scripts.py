"""Schedules that are written down: for each of the three things that keep effects and cards single, the case it is for.

The receipt key, the version of a record, and the key of a send: a mutant takes each of them out.
"""

import asyncio
import copy

import pytest

from tests.schedules.holds import faults_of
from tests.schedules.people import People
from tests.schedules.stage import Stage
from tests.schedules.trouble import cease
from tests.unit.virtual_time import in_virtual_time


async def ended(stage, people):
    """The end of every schedule: the faults stop, time flows, and all is well."""
    await cease(stage)
    await asyncio.sleep(30)
    assert faults_of(stage, people) == []


def card_with(stage, label, person="ann", *, anywhere=False):
    """The newest card in the group, or anywhere, on which this person finds this button."""
    chat, who = stage.platform.chat, stage.platform.world.people[person]
    return next(
        one
        for one in reversed(stage.platform.bots_cards(None if anywhere else stage.platform.group))
        if any(button.label == label for button in chat.card(one, who).buttons)
    )


async def press(stage, message, label, inputs=None, person="ann"):
    return await stage.platform.chat.press(
        stage.platform.world.people[person], message.message_id, label, inputs=inputs or {}, confirmed=True
    )


def write(stage, people, text):
    platform = stage.platform
    group = platform.world.chats[platform.group]
    message = platform.chat.type_text(platform.world.people["ann"], group, text, mention_bot=True, reply_to="")
    people.wrote.append(message)
    return message


@in_virtual_time
async def test_a_form_that_was_taken_as_the_daemon_fell_is_one_goal_however_often_it_is_sent():
    async with Stage("receipt") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        before = len(stage.daemon.life.service.committed.goals)
        write(stage, people, "propose Pages that load")
        await asyncio.sleep(3)
        form = card_with(stage, "Submit")
        inputs = {"Acceptance criteria, one a line": "Every page loads"}
        stage.daemon.killed_after_presses = 1
        await press(stage, form, "Submit", inputs)
        for _ in range(3):
            await asyncio.sleep(0.1)
            stage.daemon.back()
            await press(stage, form, "Submit", inputs)
        await asyncio.sleep(5)
        assert len(stage.daemon.life.service.committed.goals) == before + 1
        await ended(stage, people)


@in_virtual_time
async def test_the_record_of_a_bot_that_was_cut_off_comes_too_late():
    async with Stage("version") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        (first,) = stage.bots.values()
        made, stage.platform.on_made = stage.platform.on_made, None

        def cut_off_at_once(one):
            first.line.is_cut_off = True
            made(one)

        stage.platform.on_made = cut_off_at_once
        await people.everything_moves()
        await asyncio.sleep(2)
        stage.platform.on_made = made
        stage.start_bot()
        await asyncio.sleep(15)
        (second,) = stage.leaders
        assert second is not first
        await people.everything_moves()
        await asyncio.sleep(3)
        first.line.is_cut_off = False
        await asyncio.sleep(60)
        await ended(stage, people)


@in_virtual_time
async def test_the_lead_is_not_given_away_while_the_daemon_begins_anew():
    async with Stage("lead") as stage:
        people = People(stage)
        await asyncio.sleep(3.2)
        (first,) = stage.bots.values()
        stage.start_bot()
        second = next(one for one in stage.bots.values() if one is not first)
        await asyncio.sleep(1)
        stage.daemon.kill()
        await asyncio.sleep(0.2)
        stage.daemon.start()
        first.line.is_cut_off = True
        for _ in range(40):
            await asyncio.sleep(0.1)
            assert not (first.bot.leadership.holds() and second.bot.leadership.holds())
        first.line.is_cut_off = False
        await ended(stage, people)


@pytest.mark.parametrize("times", [1, 3])
@in_virtual_time
async def test_a_post_whose_answer_was_lost_is_the_same_message_when_it_is_made_again(times):
    async with Stage(f"uuid {times}") as stage:
        people = People(stage)
        stage.platform.plan["create"].extend(["dropped"] * times)
        stage.platform.plan["reply"].extend(["dropped"] * times)
        await asyncio.sleep(30)
        write(stage, people, "propose Pages that load")
        await asyncio.sleep(60)
        await ended(stage, people)


async def refused_revision(stage):
    """The card of a form that was opened, filled in wrongly, and sent."""
    await press(stage, card_with(stage, "Revise…"), "Revise…")
    await asyncio.sleep(5)
    form = card_with(stage, "Submit revision", anywhere=True)
    await press(stage, form, "Submit revision", {"Token cap (optional)": "many"})
    await asyncio.sleep(5)
    assert "Not submitted" in str(form.content)
    return form


@in_virtual_time
async def test_a_form_that_is_refused_through_the_bot_that_does_not_lead_says_so():
    async with Stage("unled") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        stage.start_bot()
        await asyncio.sleep(3)
        (leader,) = stage.leaders
        stage.platform.wire.connections.remove(leader.gateway.connection)
        seq = stage.daemon.life.service.committed.seq
        await refused_revision(stage)
        assert (stage.leaders, stage.daemon.life.service.committed.seq) == ([leader], seq)
        await ended(stage, people)


@in_virtual_time
async def test_what_was_typed_before_the_daemon_was_killed_stays_on_the_card_and_nothing_else_may():
    async with Stage("typed") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        form = await refused_revision(stage)
        stage.daemon.kill()
        stage.daemon.start()
        await ended(stage, people)
        assert "Not submitted" in str(form.content)
        # The same draft on a card that says something else besides, or that was changed since, would be a fault.
        whole = copy.deepcopy(form.content)
        form.content["header"]["title"]["content"] = "Something else"
        assert len(faults_of(stage, people)) == 1
        form.content.update(whole)
        assert faults_of(stage, people) == []
        view, _ = stage.shown[form.message_id][-1]
        stage.shown[form.message_id][-1] = (view, asyncio.get_running_loop().time())
        assert len(faults_of(stage, people)) == 1
