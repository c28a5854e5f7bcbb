"""What every test run shares.

Browser tests need a Chromium, and say plainly when there is none. No test sees the settings of whoever runs it: a home
or a credential in the environment would lead a test to somebody's real ledger.
"""

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "REQUIRE_BROWSER"
"""Set where a browser is expected: then a missing one is a failure and not a skip."""

OF_THE_PRODUCT = (
    "FRONTSTAGE_HOME", "FRONTSTAGE_SOCKET", "FRONTSTAGE_TOKEN", "FRONTSTAGE_TOKEN_FILE", "FRONTSTAGE_LOCALE",
)  # fmt: skip


LONGEST_FIRST = (
    "e2e/test_journey_facts.py",
    "e2e/test_journey_engineering.py",
    "histories/test_machine.py",
    "faults/test_kill_cycles.py",
    "e2e/test_requests.py",
    "api/test_parity.py",
)
"""Files that take longest: begun last, one of them would keep one processor busy long after the others have nothing."""


def pytest_configure():
    for name in OF_THE_PRODUCT:
        os.environ.pop(name, None)


def pytest_collection_modifyitems(config, items):
    items.sort(key=_places(items).__getitem__)
    marked = [item for item in items if item.get_closest_marker("browser")]
    if not marked or any(shutil.which(name) for name in BROWSERS):
        return
    if os.environ.get(REQUIRED) == "1":
        raise pytest.UsageError(f"{REQUIRED}=1, but none of {', '.join(BROWSERS)} is installed")
    for item in marked:
        item.add_marker(pytest.mark.skip(reason=f"no browser: none of {', '.join(BROWSERS)} is installed"))
    config.stash[SKIPPED] = len(marked)


def pytest_terminal_summary(terminalreporter, config):
    if skipped := config.stash.get(SKIPPED, 0):
        terminalreporter.write_line(f"{skipped} browser tests did not run: install Chromium to run them.", yellow=True)


def _places(items):
    """When a test's file has its turn: the longest files first, then those with slow tests, then those with most."""
    slow, count = set(), Counter(item.path for item in items)
    slow.update(item.path for item in items if item.get_closest_marker("slow"))
    ranks = {ROOT / name: rank for rank, name in enumerate(LONGEST_FIRST)}
    return {
        item: (ranks.get(item.path, len(ranks)), item.path not in slow, -count[item.path], str(item.path))
        for item in items
    }


ROOT = Path(__file__).parent
SKIPPED = pytest.StashKey[int]()
