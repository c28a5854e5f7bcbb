"""The action on words that must go: number 85."""

from ledger.actions.base import PEOPLE, Action
from ledger.rules import erasures

ROWS = (
    Action(
        name="words.erase",
        number=85,
        params=erasures.EraseWords,
        who=PEOPLE,
        decide=erasures.decide_erase,
        names_events=True,
        example="words erase --goal-id docs --seq 12 --reason-code personal_data",
    ),
)
