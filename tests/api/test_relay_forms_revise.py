"""Revising a goal from a card: the form comes to whoever may revise, filled with what holds, and changes only that."""

import msgspec
import pytest

from ledger.projections.revision_form import ROOM, filled, fits
from ledger.projections.views import CardView
from tests.api.test_relay_forms_kept import asked_in_a_group, said
from tests.api.test_relay_forms_kept import filled as filled_in
from tests.support.homes import CHAT
from tests.support.presses import Table, delivered, everybody
from tests.support.served import served

FULL = {
    "title": "Docs",
    "objective": "Check the docs.",
    "criterion": ("Links work", "Commands run"),
    "non_goal": ("Style",),
    "write_scope": ("docs/**",),
    "budget": "two hours",
    "stop_condition": ("Site gone",),
    "allowed_slots": 20,
    "token_cap": 5_000,
    "cost_cap_micros": 12_500_000,
    "priority": "P1",
}


def proposed(scribe, **changes):
    everybody(scribe)
    scribe.do("ann", "goal.propose", goal_id="docs", **(FULL | changes))


async def opened(table, who="ann", subject="review:docs:1"):
    """The form that a press on Revise brings; where it is, and its view."""
    pressed = await table.press(who, await table.token(subject, "goal.revise"))
    assert (pressed.code, pressed.kind) == ("", "info"), pressed.document
    slot = pressed.slots[1]
    return slot, msgspec.convert(await table.daemon.view(slot), CardView)


async def test_the_form_is_filled_with_every_field_and_sent_back_unchanged_it_changes_nothing():
    async with served(proposed) as daemon:
        table = Table(daemon)
        before = table.seq()
        slot, view = await opened(table)
        assert slot == "revise:docs:1@direct:ann"
        assert view.revise.values == filled(daemon.service.committed.goals["docs"].intents[0])
        assert (view.revise.values["cost_cap"], view.revise.values["criteria"]) == ("12.5", "Links work\nCommands run")
        same = await table.press("ann", view.tokens["goal.revise"], view.revise.values)
        assert (same.code, table.seq()) == ("nothing_to_change", before)


async def test_what_was_changed_is_changed_and_the_rest_is_word_for_word_what_it_was():
    async with served(proposed) as daemon:
        table = Table(daemon)
        _, view = await opened(table)
        new = {"criteria": "Links work\r\nAnchors work", "budget": "", "cost_cap": "3", "priority": "P0"}
        done = await table.press("ann", view.tokens["goal.revise"], view.revise.values | new)
        assert done.kinds == ["goal.revised"]
        first, second = daemon.service.committed.goals["docs"].intents
        assert (second.criteria, second.budget, second.cost_cap_micros, second.priority) == (
            ("Links work", "Anchors work"), "", 3_000_000, "P0",
        )  # fmt: skip
        for name in (
            "title",
            "objective",
            "non_goals",
            "write_scopes",
            "stop_conditions",
            "allowed_slots",
            "token_cap",
        ):
            assert getattr(second, name) == getattr(first, name)
        closed = msgspec.convert(await daemon.view("revise:docs:1@direct:ann"), CardView)
        assert (closed.revise.status, closed.tokens) == ("submitted", {})


async def test_what_is_longer_than_a_field_stays_in_full_unless_something_is_typed():
    long = "Every page. " * 200

    async with served(lambda scribe: proposed(scribe, objective=long)) as daemon:
        table = Table(daemon)
        _, view = await opened(table)
        assert view.revise.left_as_they_are == ("objective",)
        assert "Objective is longer than a field holds" in said(view)
        await table.press("ann", view.tokens["goal.revise"], view.revise.values | {"objective": "", "title": "New"})
        intent = daemon.service.committed.goals["docs"].intents[-1]
        assert (intent.title, intent.objective) == ("New", long)
        assert not fits("objective", intent.objective)


async def test_a_private_place_in_a_promise_is_not_shown_in_the_form_and_is_kept():
    async with served(lambda scribe: proposed(scribe, objective="See /home/ann/plans.md")) as daemon:
        table = Table(daemon)
        _, view = await opened(table)
        assert "/home/ann" not in str(msgspec.to_builtins(view))
        await table.press("ann", view.tokens["goal.revise"], view.revise.values | {"title": "New"})
        assert daemon.service.committed.goals["docs"].intents[-1].objective == "See /home/ann/plans.md"


@pytest.mark.parametrize("name", sorted(set(ROOM) - {"budget", "priority"}))
async def test_a_field_that_was_emptied_is_refused_by_its_name_and_the_rest_is_kept(name):
    async with served(proposed) as daemon:
        table = Table(daemon)
        slot, view = await opened(table)
        typed = view.revise.values | {"budget": "less", name: " "}
        pressed = await table.press("ann", view.tokens["goal.revise"], typed)
        assert pressed.code == "form_field_emptied"
        again = msgspec.convert(await daemon.view(slot), CardView)
        assert (again.revise.values, again.revise.problem_code) == (typed, "form_field_emptied")
        assert filled_in(again, "budget") == "less"


async def test_a_revision_that_another_one_overtook_comes_back_over_the_newer_one():
    async with served(proposed) as daemon:
        table = Table(daemon)
        _, view = await opened(table)
        await daemon.do("goal.revise", {"goal_id": "docs", "title": "Theirs"}, who="ann")
        pressed = await table.press("ann", view.tokens["goal.revise"], view.revise.values | {"budget": "mine"})
        assert (pressed.code, pressed.slots[1]) == ("stale_basis", "revise:docs:2@direct:ann")
        again = msgspec.convert(await daemon.view("revise:docs:2@direct:ann"), CardView)
        assert again.revise.values["budget"] == "mine"
        # What was not touched is not turned back: only what differs from the newer one is sent.
        assert (await table.press("ann", again.tokens["goal.revise"], again.revise.values)).kinds == ["goal.revised"]


async def test_who_may_not_revise_gets_no_form():
    async with served(asked_in_a_group) as daemon:
        table = Table(daemon)
        pressed = await table.press("vic", await table.token("review:docs:1", "goal.revise"))
        assert (pressed.code, pressed.slots) == ("not_the_proposer", [f"review:docs:1@{CHAT}"])
        assert table.codes()[-1] == ("vic", "goal.revise", "not_the_proposer")


async def test_a_goal_at_work_is_revised_from_its_own_card_and_a_delivered_one_is_not():
    def active(scribe):
        asked_in_a_group(scribe)
        scribe.do("ann", "goal.confirm", goal_id="docs", basis=scribe.state.goals["docs"].intent.basis)

    async with served(active) as daemon:
        table = Table(daemon)
        slot, view = await opened(table, "chen", "goal:docs")
        assert slot == "revise:docs:1@direct:chen"
        done = await table.press("chen", view.tokens["goal.revise"], view.revise.values | {"budget": "more"})
        assert done.kinds == ["goal.revised"]
        assert "goal.revise" not in (await daemon.view(f"goal:docs@{CHAT}"))["tokens"]
    async with served(delivered) as daemon:
        assert "goal.revise" not in (await daemon.view(f"goal:docs@{CHAT}"))["tokens"]
        over = msgspec.convert(await daemon.view("revise:docs:1@direct:ann"), CardView)
        assert (over.revise.status, over.open, over.tokens) == ("over", False, {})
