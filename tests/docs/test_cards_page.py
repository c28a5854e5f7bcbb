"""The page of cards shows every kind there is, as it is drawn now."""

from typing import get_args

from ledger.projections.views import CardKind
from tests.browser import cards_page
from tests.browser.gallery import MODES, SHEET_BYTES_MAX, kinds

ON_A_CARD_ALONE = {"member.answer-invitation"}  # nobody but the invited person answers, and a card is all they have
AS_ANOTHER = {"status"}  # a goal's own card, as the answer to whoever asked
AGAIN = "make it anew: python -m tests.browser.cards_page (and python -m tests.browser.gallery --docs for the pictures)"


def test_the_page_is_as_the_cards_are():
    text = cards_page.PAGE.read_text(encoding="utf-8")
    assert cards_page.page(text) == text, AGAIN


def test_every_kind_of_card_has_golden_views_and_words_of_its_own():
    assert set(kinds()) == set(get_args(CardKind)) - AS_ANOTHER
    text = cards_page.PAGE.read_text(encoding="utf-8")
    bare = [kind for kind in kinds() if f"\n## {cards_page.heading(kind)}\n\n<!--" in text]
    assert bare == [], "say in a few words what the kind is for, under its heading"


def test_every_button_has_a_command():
    known = cards_page.commands()
    offered = {
        cards_page.action_of(action) for views in kinds().values() for view in views.values() for action in view.tokens
    }
    changing = {action for action in offered if not action.startswith("open.")}  # these open a card and change nothing
    assert changing - set(known) == ON_A_CARD_ALONE


def test_every_kind_has_its_pictures_and_there_are_no_others():
    sheets = {path.name: path.stat().st_size for path in cards_page.DOCS.glob("*.png")}
    shown = [line for line in cards_page.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("![")]
    assert {line.partition("(images/cards/")[2].rstrip(")") for line in shown} == set(sheets)
    assert [name for name, size in sheets.items() if size > SHEET_BYTES_MAX] == []
    missing = [
        f"{kind}-{mode.name}"
        for kind in kinds()
        for mode in MODES
        if not any(name.startswith(f"{kind}-{mode.name}") for name in sheets)
    ]
    assert missing == [], AGAIN
