"""Buttons over the wire: yesterday's cards through a rotation, a restart and hands they were not meant for."""

import base64

import pytest

from tests.support.homes import CHAT, person
from tests.support.served import served

DAY_S = 86_400
PROPOSAL = {"objective": "Every page can be followed", "title": "Docs", "criteria": "Every link works"}


async def confirm_token(daemon):
    """Propose by card and take the token of its review's first button."""
    await daemon.message("/propose Every page can be followed", message_id="om_form")
    slot = f"form:om_form@{CHAT}"
    form = await daemon.view(slot)
    done = (await daemon.press(form["tokens"]["goal.propose"], form=PROPOSAL)).document
    assert done["envelope"]["ok"], done
    goal_id = done["goal_id"]
    view = await daemon.view(f"review:{goal_id}:1@{CHAT}")
    return goal_id, view["tokens"]["goal.confirm"]


@pytest.fixture
async def daemon():
    async with served() as running:
        yield running


async def test_rotating_the_key_keeps_yesterday_s_cards_working_for_their_grace_time(daemon):
    goal_id, old = await confirm_token(daemon)
    await daemon.do("button-key.rotate", {"grace_seconds": DAY_S}, who=None)
    new = (await daemon.view(f"review:{goal_id}:1@{CHAT}"))["tokens"]["goal.confirm"]
    assert new != old
    daemon.clock.advance(DAY_S * 1_000 - 1)
    done = (await daemon.press(old)).document
    assert (done["envelope"]["ok"], done["toast"]["type"]) == (True, "success")
    assert daemon.service.committed.goals[goal_id].state == "active"


async def test_after_the_grace_the_old_card_is_stale_and_the_new_one_works(daemon):
    goal_id, old = await confirm_token(daemon)
    await daemon.do("button-key.rotate", {"grace_seconds": DAY_S}, who=None)
    daemon.clock.advance(DAY_S * 1_000)
    before = daemon.seq
    late = (await daemon.press(old)).document
    assert (late["envelope"]["code"], late["envelope"]["outcome"]) == ("button_expired", "stale")
    assert late["slots"] == [f"review:{goal_id}:1@{CHAT}"]
    assert daemon.seq == before
    new = (await daemon.view(f"review:{goal_id}:1@{CHAT}"))["tokens"]["goal.confirm"]
    assert (await daemon.press(new)).document["envelope"]["ok"]


async def test_a_rotation_without_grace_ends_the_old_cards_at_once(daemon):
    _, old = await confirm_token(daemon)
    await daemon.do("button-key.rotate", {"grace_seconds": 0}, who=None)
    assert (await daemon.press(old)).document["envelope"]["code"] == "button_expired"


async def test_two_rotations_do_not_end_the_first_grace_early(daemon):
    _, old = await confirm_token(daemon)
    await daemon.do("button-key.rotate", {"grace_seconds": DAY_S}, who=None)
    await daemon.do("button-key.rotate", {"grace_seconds": 1}, who=None)
    daemon.clock.advance(10_000)
    assert (await daemon.press(old)).document["envelope"]["ok"]


FORGERIES = {
    "nothing": "",
    "text": "confirm",
    "half": lambda token: token[: len(token) // 2],
    "one letter": lambda token: token[:40] + ("A" if token[40] != "A" else "B") + token[41:],
    "longer": lambda token: token + "AAAA",
    "signature of zeros": lambda token: base64.urlsafe_b64encode(
        base64.urlsafe_b64decode(token + "==")[:-16] + bytes(16)
    ).decode(),
    "no letters at all": "目" * 40,
    "much": "A" * 1_000,
}


@pytest.mark.parametrize("forged", FORGERIES.values(), ids=FORGERIES)
async def test_a_forged_token_does_nothing_and_is_audited(daemon, forged):
    _, token = await confirm_token(daemon)
    before = daemon.seq
    answer = (await daemon.press(forged(token) if callable(forged) else forged)).document
    assert (answer["envelope"]["code"], answer["envelope"]["outcome"]) == ("button_forged", "denied")
    assert answer["toast"]["type"] == "error"
    assert answer["toast"]["en"]
    assert answer["toast"]["zh"]
    assert daemon.seq == before
    assert [row["code"] for row in daemon.audited()] == ["button_forged"]


@pytest.mark.parametrize(
    ("elsewhere", "code"),
    [
        ({"chat_id": "oc_other"}, "button_elsewhere"),
        ({"tenant_key": "tenant_other"}, "tenant_foreign"),
        ({"app_id": "cli_other"}, "tenant_foreign"),
        ({"operator": {"open_id": "ou_stranger1"}}, "identity_unpaired"),
        ({"operator": person("bob")}, "not_an_owner"),
    ],
    ids=["chat", "tenant", "app", "stranger", "no owner"],
)
async def test_a_good_token_in_the_wrong_place_or_hands_does_nothing(daemon, elsewhere, code):
    _, token = await confirm_token(daemon)
    before = daemon.seq
    answer = (await daemon.press(token, **elsewhere)).document
    assert answer["envelope"]["code"] == code
    assert daemon.seq == before
    assert [row["code"] for row in daemon.audited()] == [code]
