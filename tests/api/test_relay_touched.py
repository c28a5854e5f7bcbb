"""A press that commits nothing changes a card: the bot that leads hears of it, whichever bot relayed it."""

from tests.api.test_relay_forms_revise import opened, proposed
from tests.support.presses import Table
from tests.support.served import served

FORM = "revise:docs:1@direct:ann"


async def leads(daemon, holder):
    answer = await daemon.relay("leader", {"holder": holder, "ttl_ms": 10_000})
    return answer.document["leader"], [one["slot"] for one in answer.document["touched"]]


async def test_whoever_leads_hears_of_a_form_that_opened_and_of_one_that_was_refused():
    async with served(proposed) as daemon:
        table = Table(daemon)
        assert await leads(daemon, "bot-a") == (True, [])
        _, view = await opened(table)
        _, named = await leads(daemon, "bot-a")
        assert FORM in named
        daemon.clock.advance(11_000)
        assert await leads(daemon, "bot-a") == (True, [])
        seq = table.seq()
        refused = await table.press("ann", view.tokens["goal.revise"], view.revise.values)
        assert (refused.code, table.seq()) == ("nothing_to_change", seq)
        assert await leads(daemon, "bot-b") == (False, [])
        assert await leads(daemon, "bot-a") == (True, [FORM])
