"""What every test run shares.

Browser tests need a Chromium, and say plainly when there is none. No test sees the settings of whoever runs it: a home
or a credential in the environment would lead a test to somebody's real ledger.
"""

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "REQUIRE_BROWSER"
"""Set where a browser is expected: then a missing one is a failure and not a skip."""

OF_THE_PRODUCT = (
    "FRONTSTAGE_HOME", "FRONTSTAGE_SOCKET", "FRONTSTAGE_TOKEN", "FRONTSTAGE_TOKEN_FILE", "FRONTSTAGE_LOCALE",
)  # fmt: skip


def pytest_configure():
    for name in OF_THE_PRODUCT:
        os.environ.pop(name, None)


def pytest_collection_modifyitems(config, items):
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


SKIPPED = pytest.StashKey[int]()
