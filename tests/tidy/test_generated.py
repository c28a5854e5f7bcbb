"""Generated files are what their generators would write now (`make generate`).

The compiled message catalogues have a test beside their sources' own: tests/unit/test_po_files.py.
"""

import pytest

from daemon.cli import generate
from daemon.local import manual_pages
from ledger.text.say import LOCALES


def test_the_command_line_knows_every_action_as_the_table_declares_it():
    assert generate.TARGET.read_text(encoding="utf-8") == generate.render()


@pytest.mark.parametrize("locale", LOCALES)
def test_the_manual_says_what_models_rules_and_sentences_say(locale):
    assert manual_pages.target(locale).read_text(encoding="utf-8") == manual_pages.render(locale)


def test_agents_are_offered_every_action_as_the_table_declares_it():
    assert generate.AGENTS_TARGET.read_text(encoding="utf-8") == generate.render_agents()
