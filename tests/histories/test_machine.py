"""Histories: random commands by everybody through the whole core, failures included, with an auditor beside it.

The machine counts what it reached. A kind of event, an action or a refusal that no history comes to would be a rule
that nothing here tests, so that fails it too; what cannot come up here is listed with the reason.
"""

import random

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from ledger.catalogue import ACTIONS
from ledger.refusals import GeneralRefusal
from ledger.wire import all_kinds
from tests.histories.machine import REACHED, Histories
from tests.histories.reached import ACTIONS_OF_NOBODY, FAMILIES, UNREACHED, name_of
from tests.support.walk import FAMILIES as MOVES
from tests.support.walks.openings import OPENINGS

EXAMPLES = 280
STEPS = 40
SHORT_STEPS = 12
SHORT_HISTORIES = 8
MORE_HISTORIES = 36
LATER_MS = (0, 0, 1_000, 20_000, 61_000)


def _play(opening: str, seed: int) -> None:
    """A short history from an opening, by a seed: what a broken rule shows soonest, and the same each time."""
    dice = random.Random(f"{opening} {seed}")
    machine = Histories()
    machine.it_begins(seed, opening, dice.sample(sorted(MOVES), 2))
    for _ in range(SHORT_STEPS):
        machine.world.now_ms += dice.choice(LATER_MS)
        machine.somebody_asks(dice.randrange(2**32), 8, 0)
        machine.the_state_says_what_the_events_said()
        machine.what_is_offered_can_be_taken()
        if dice.randrange(4) == 0:
            machine.an_answer_was_lost_and_the_call_is_repeated(dice.randrange(8))
            machine.the_daemon_does_what_is_due()
    machine.teardown()


def test_no_history_breaks_a_promise_and_every_rule_is_met():
    REACHED.clear()
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate, Phase.shrink],
        ),
    )
    for opening in sorted(OPENINGS):
        for seed in range(SHORT_HISTORIES, SHORT_HISTORIES + MORE_HISTORIES):
            _play(opening, seed)
    everything = {kind.name for kind in all_kinds()} | {name_of(code) for family in FAMILIES for code in family}
    everything |= {name for name, action in ACTIONS.items() if action.writes} - set(ACTIONS_OF_NOBODY)
    everything |= {name_of(code) for code in (GeneralRefusal.NOT_PERMITTED, GeneralRefusal.TOKEN_SCOPE_FORBIDS)}
    assert everything - set(REACHED) == {str(name) for name in UNREACHED}


@pytest.mark.parametrize("opening", sorted(OPENINGS))
def test_no_short_history_from_an_opening_breaks_a_promise(opening):
    for seed in range(SHORT_HISTORIES):
        _play(opening, seed)
