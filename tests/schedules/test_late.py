"""What the two exceptions for late messages take for good, and that they take nothing else.

A message may have two answers if somebody has run it from the card on which it was missed, and none if such a card
has shown it beside another one. What is evidence of it is taken away or bent, one piece at a time.
"""

import asyncio
import copy
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from tests.schedules.holds import faults_of
from tests.schedules.people import People
from tests.schedules.stage import Stage
from tests.schedules.test_scripts import ended, press, write
from tests.unit.virtual_time import in_virtual_time

ANSWERED_TWICE = "a message was answered 2 times: "
NOT_ANSWERED = "a message was acknowledged and not answered: "
TEXTS = ("propose Pages that load", "propose Pages that print")
HOUR_AND_MORE_MS = 3_700_000


@dataclass
class Missed:
    """Two late messages on one card: it answers the first, and shows the other."""

    card: Any
    first: Any
    other: Any


async def missed(stage, people, texts=TEXTS, apart_s=1.0):
    """Two messages that were written while no bot was there, and came when they were too old to be run."""
    await asyncio.sleep(3)
    await stage.kill_bot(*stage.bots)
    written = []
    for text in texts:
        written.append(write(stage, people, text))
        await asyncio.sleep(apart_s)
    stage.start_bot()
    await asyncio.sleep(3)
    stage.days(HOUR_AND_MORE_MS / 86_400_000)
    await asyncio.sleep(10)
    card = next(one for one in reversed(stage.platform.bots_cards()) if stage.shown[one.message_id][0][0].missed)
    first, other = sorted(written, key=lambda one: one.message_id != card.parent_id)
    assert (card.parent_id, len(rows_of(stage, card))) == (first.message_id, 2)
    return Missed(card, first, other)


def rows_of(stage, card):
    return stage.shown[card.message_id][-1][0].missed.rows


async def run(stage, card, message):
    """Somebody runs this message from the card."""
    at = next(at for at, row in enumerate(rows_of(stage, card)) if row.at_ms == message.created_ms)
    buttons = stage.platform.chat.card(card, stage.platform.world.people["ann"]).buttons
    await press(stage, card, buttons[at].path)
    await asyncio.sleep(5)


def answers(stage, message):
    """The bot's own replies to this message, in the order in which they were made."""
    return [
        one for one in stage.platform.world.messages.values() if one.from_app and one.parent_id == message.message_id
    ]


def answer_again(stage, message):
    """The bot answers a message that has its answer, and nobody has asked it to."""
    body = {"msg_type": "text", "content": '{"text":"Once more"}', "uuid": "once-more", "reply_in_thread": False}
    stage.platform.messages.reply(stage.platform.app, message.message_id, body, len(body["content"]))


def told(stage, people, of):
    """The faults of this kind, of which there is one at the most, and no other fault."""
    found = faults_of(stage, people)
    assert len(found) <= 1, found
    assert all(one.startswith(of) for one in found), found
    return bool(found)


@in_virtual_time
async def test_a_late_message_that_is_answered_again_is_a_fault_whatever_is_pressed_for_another_one():
    async with Stage("again") as stage:
        people = People(stage)
        late = await missed(stage, people)
        await ended(stage, people)
        answer_again(stage, late.first)
        assert told(stage, people, ANSWERED_TWICE)
        await run(stage, late.card, late.other)
        assert len(answers(stage, late.other)) == 1
        assert told(stage, people, ANSWERED_TWICE)


def nobody_pressed(stage, _slots):
    stage.daemon.presses.clear()


def the_press_was_refused(stage, _slots):
    for _, document in stage.daemon.presses:
        document["envelope"]["ok"] = False


def the_press_has_opened_another_card(stage, slots):
    bent(stage, [slots[0], f"{slots[1]}-of-another-message"])


def the_press_has_opened_nothing(stage, slots):
    bent(stage, slots[:1])


def what_was_opened_was_pressed_itself(stage, slots):
    bent(stage, slots[1:])


def the_press_was_on_another_card(stage, slots):
    bent(stage, [f"{slots[0]}-elsewhere", slots[1]])


def it_was_answered_before_the_press(stage, _slots):
    for event_id in stage.daemon.pressed_s:
        stage.daemon.pressed_s[event_id] = asyncio.get_running_loop().time()


def bent(stage, slots):
    """The one press named these slots."""
    ((_, document),) = stage.daemon.presses
    document["slots"] = slots


@pytest.mark.parametrize(
    "bend",
    [
        nobody_pressed,
        the_press_was_refused,
        the_press_has_opened_another_card,
        the_press_has_opened_nothing,
        what_was_opened_was_pressed_itself,
        the_press_was_on_another_card,
        it_was_answered_before_the_press,
    ],
)
@in_virtual_time
async def test_a_late_message_has_two_answers_only_if_it_was_run_from_its_card(bend):
    async with Stage("run") as stage:
        people = People(stage)
        late = await missed(stage, people)
        await run(stage, late.card, late.first)
        assert len(answers(stage, late.first)) == 2
        await ended(stage, people)
        ((_, document),) = stage.daemon.presses
        bend(stage, copy.copy(document["slots"]))
        assert told(stage, people, ANSWERED_TWICE)


@in_virtual_time
async def test_a_late_message_that_was_run_from_its_card_has_no_third_answer():
    async with Stage("third") as stage:
        people = People(stage)
        late = await missed(stage, people)
        await run(stage, late.card, late.first)
        await ended(stage, people)
        answer_again(stage, late.first)
        assert told(stage, people, "a message was answered 3 times: ")


@in_virtual_time
async def test_a_form_that_a_message_in_time_has_opened_makes_no_second_answer_good():
    async with Stage("in time") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        message = write(stage, people, TEXTS[0])
        await asyncio.sleep(5)
        (form,) = answers(stage, message)
        await press(stage, form, "Submit", {"Acceptance criteria, one a line": "Every page loads"})
        await ended(stage, people)
        answer_again(stage, message)
        assert told(stage, people, ANSWERED_TWICE)


def no_card_showed_it(stage, late):
    shown_with(stage, late.card, lambda row: row.at_ms != late.other.created_ms)


def the_card_showed_the_like_of_another_moment(stage, late):
    """Twice the row of the first: as many as there are messages, and the other one is not among them."""
    first = next(row for row in rows_of(stage, late.card) if row.at_ms == late.first.created_ms)
    views = stage.shown[late.card.message_id]
    views[:] = [(with_rows(view, (first,) * len(view.missed.rows)), at_s) for view, at_s in views]


def the_card_showed_other_words(stage, late):
    shown_with(stage, late.card, lambda _row: True, text="Something else")


def it_was_put_on_no_card(stage, late):
    """The daemon answers that nothing is to be said, and the row is there nevertheless."""
    for body, document in stage.daemon.messages:
        if body["message_id"] == late.other.message_id:
            document["reply"] = None


def it_was_put_on_a_card_that_was_never_posted(stage, late):
    for body, document in stage.daemon.messages:
        if body["message_id"] == late.other.message_id:
            document["reply"]["slot"] = f"missed:{late.other.message_id}@{late.other.chat_id}"


def shown_with(stage, card, is_kept, **changes):
    """The card showed these rows only, and so changed."""
    views = stage.shown[card.message_id]
    views[:] = [
        (with_rows(view, (msgspec.structs.replace(row, **changes) for row in view.missed.rows if is_kept(row))), at_s)
        for view, at_s in views
    ]


def with_rows(view, rows):
    return msgspec.structs.replace(view, missed=msgspec.structs.replace(view.missed, rows=tuple(rows)))


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:1] * 2], ids=["two texts", "one text"])
@pytest.mark.parametrize(
    "bend",
    [
        no_card_showed_it,
        the_card_showed_the_like_of_another_moment,
        the_card_showed_other_words,
        it_was_put_on_no_card,
        it_was_put_on_a_card_that_was_never_posted,
    ],
)
@in_virtual_time
async def test_a_late_message_without_an_answer_was_shown_on_the_card_of_another_one_or_is_a_fault(bend, texts):
    async with Stage("shared") as stage:
        people = People(stage)
        late = await missed(stage, people, texts)
        assert (len(answers(stage, late.first)), len(answers(stage, late.other))) == (1, 0)
        await ended(stage, people)
        bend(stage, late)
        assert told(stage, people, NOT_ANSWERED)


@in_virtual_time
async def test_of_two_late_messages_that_are_alike_to_the_moment_both_have_to_be_shown():
    async with Stage("alike") as stage:
        people = People(stage)
        late = await missed(stage, people, TEXTS[:1] * 2, apart_s=0.0)
        assert late.first.created_ms == late.other.created_ms
        await ended(stage, people)
        views = stage.shown[late.card.message_id]
        views[:] = [(with_rows(view, view.missed.rows[:1]), at_s) for view, at_s in views]
        assert told(stage, people, NOT_ANSWERED)


@in_virtual_time
async def test_the_first_message_of_a_card_is_answered_by_it_and_not_only_shown():
    async with Stage("first") as stage:
        people = People(stage)
        late = await missed(stage, people)
        await ended(stage, people)
        late.card.parent_id = ""
        assert told(stage, people, NOT_ANSWERED)
