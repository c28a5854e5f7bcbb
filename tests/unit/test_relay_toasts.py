"""Toasts: what they say is what happened to this goal, and they are short."""

from tests.support.presses import FORM, Table, everybody
from tests.support.served import served
from tests.unit.test_relay_presses import revised


async def test_a_later_revision_is_confirmed_or_declined_for_what_it_is():
    """What was promised before goes on, so nobody is told that work can start, or that none will."""
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        await revised(table, goal)
        said = [(await table.press("ann", await table.token(f"review:{goal}:2", "goal.confirm"))).en]
        for number, verb in ((3, "decline"), (4, "confirm")):
            await daemon.do("goal.revise", {"goal_id": goal, "budget": f"{number} hours"})
            said.append((await table.press("ann", await table.token(f"review:{goal}:{number}", f"goal.{verb}"))).en)
        assert said == [
            "Confirmed. Work can start.",
            "Declined. What was confirmed before stays in force.",
            "Confirmed. This revision is in force from now on.",
        ]


async def test_a_toast_is_short_whatever_is_in_it_and_keeps_the_next_step():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form()
        pressed = await table.submit("ann", form, FORM | {"write_scopes": "/" + "很长" * 180})
        assert [len(said) <= 280 for said in (pressed.en, pressed.zh)] == [True, True]
        assert pressed.en.endswith("as in docs/**, without a leading slash or ~, without .. and without spaces")
        assert "…" in pressed.en
