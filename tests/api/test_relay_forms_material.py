"""A long objective becomes attached material: kept in full with its digest, said on the form, never cut in silence."""

import hashlib

import pytest

from daemon.relay.forms import FORMS_CHARS_MAX, MATERIAL_CHARS_MAX
from daemon.relay.wire import MESSAGE_CHARS_MAX
from tests.api.test_relay_forms_kept import GROUP, said, shown
from tests.support.homes import CHAT
from tests.support.presses import FORM, Table, everybody
from tests.support.served import served

LONG = "检查文档\n" + "Every page, and **every** <at id=all></at> link. " * 60
SHA256 = hashlib.sha256(LONG.strip().encode()).hexdigest()


def objective(daemon, pressed):
    return daemon.service.committed.goals[pressed.document["goal_id"]].intents[0].objective


@pytest.mark.parametrize("locale", ["en", "zh"])
async def test_a_long_message_is_attached_in_full_and_the_form_says_so(locale):
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(text=f"propose {LONG}")
        view = await shown(daemon, f"{form}@{CHAT}")
        assert view.form.values == {"objective": "检查文档", "title": "检查文档"}
        assert (view.form.material_chars, view.form.material_sha256) == (len(LONG.strip()), SHA256)
        assert f"{len(LONG.strip())}" in said(view, locale)
        assert SHA256[:12] in said(view, locale)
        token = view.tokens["goal.propose"]
        pressed = await table.press("ann", token, FORM | {"attached": SHA256}, locale=locale)
        kept = objective(daemon, pressed)
        assert kept.startswith(FORM["objective"] + "\n\n")
        assert kept.endswith("\n" + LONG.strip())
        assert SHA256 in kept


async def test_what_was_taken_off_does_not_go_along_and_stays_off_when_the_form_comes_back():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(text=LONG)
        await table.submit("ann", form, FORM | {"attached": "", "criteria": " "})
        view = await shown(daemon, f"{form}@{CHAT}")
        assert view.form.values["attached"] == ""
        assert "selected_values" not in said(view)
        assert objective(daemon, await table.submit("ann", form, FORM | {"attached": ""})) == FORM["objective"]


async def test_it_goes_along_when_the_form_comes_back_to_its_writer_directly():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(text=LONG, **GROUP)
        await table.submit("ann", form, FORM | {"attached": SHA256, "criteria": ""})
        mine = await shown(daemon, f"{form}@direct:ann")
        assert (mine.form.material_sha256, mine.form.values["attached"]) == (SHA256, SHA256)
        assert mine.form.values["objective"] == FORM["objective"]
        pressed = await table.press("ann", mine.tokens["goal.propose"], FORM | {"attached": SHA256})
        assert objective(daemon, pressed).endswith(LONG.strip())


async def test_a_text_that_is_forgotten_is_refused_and_never_left_out():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(text=LONG)
        token = await table.token(form, "goal.propose")
        for _ in range(FORMS_CHARS_MAX // MESSAGE_CHARS_MAX + 1):
            await table.form(text="x" * MESSAGE_CHARS_MAX)
        lost = await table.press("ann", token, FORM | {"attached": SHA256})
        assert (lost.code, len(daemon.service.committed.goals)) == ("form_material_lost", 0)


async def test_the_longest_text_that_is_attached_fits_under_the_longest_objective():
    async with served(everybody) as daemon:
        table = Table(daemon)
        text = "y" * MATERIAL_CHARS_MAX
        form = await table.form(text=text)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        pressed = await table.submit("ann", form, FORM | {"objective": "x" * 1_000, "attached": sha256})
        assert objective(daemon, pressed).endswith(text)
