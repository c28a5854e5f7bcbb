"""Places: a card in a chat is the chat's, and a card that one person got directly is that person's alone."""

import pytest

from daemon.relay.forms import to_parameters
from daemon.relay.press import UNPAIRED
from daemon.relay.slots import addressee, place_of, split
from daemon.relay.subjects.base import number_of
from ledger.catalogue import ACTIONS
from ledger.ids import MemberId
from tests.support.presses import Table, everybody
from tests.support.served import served


@pytest.mark.parametrize("member_id", ["ann", "ann@example", "a:b", "a.b-c_d"])
def test_a_persons_place_is_told_apart_and_read_back_whatever_the_name(member_id):
    place = place_of(MemberId(member_id))
    assert addressee(place) == member_id
    assert split(f"review:docs:1@{place}") == ("review:docs:1", place)
    assert addressee("oc_chat") is None


async def test_a_direct_card_is_pressed_by_the_one_who_got_it_in_whatever_chat_that_is():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        view = await daemon.view(f"review:{goal}:1@{place_of(MemberId('ann'))}")
        assert view["audience"] == "direct"
        token = view["tokens"]["goal.confirm"]
        for who in ("chen", "vic", "stranger"):
            assert (await table.press(who, token, chat_id="oc_between_two")).code == "button_elsewhere"
        pressed = await table.press("ann", token, chat_id="oc_between_two")
        assert (pressed.kind, pressed.kinds) == ("success", ["goal.confirmed"])
        assert pressed.slots == [f"review:{goal}:1@direct:ann"]


async def test_the_chats_own_button_is_no_persons():
    async with served(everybody) as daemon:
        table = Table(daemon)
        token = await table.token(f"review:{await table.proposed()}:1", "goal.confirm")
        assert (await table.press("ann", token, chat_id="oc_between_two")).code == "button_elsewhere"


def test_an_input_is_a_parameter_by_its_own_name_or_by_the_one_that_people_know():
    form = {"criteria": " One \n\n Two ", "title": " T ", "unknown": "x", "budget": "  ", "question": "Why?"}
    assert to_parameters(ACTIONS["goal.propose"], form) == {"criterion": ["One", "Two"], "title": "T"}
    assert to_parameters(ACTIONS["gate.delegate"], {"to": "dan", "reason": "Away\nfor a day"})["to"] == "dan"


@pytest.mark.parametrize("digits", ["", "-1", "1e3", "１", "1234567", " 1"])
def test_a_number_in_a_subject_is_plain_digits(digits):
    assert number_of(digits) is None


def test_nobody_is_called_what_stands_for_an_unpaired_person():
    with pytest.raises(ValueError):
        ACTIONS["member.add"].params.model_validate({"member_id": UNPAIRED, "kind": "person", "display_name": "X"})
