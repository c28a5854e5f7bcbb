"""The page for everybody: axe-core finds nothing on any page, whatever the size, appearance and language.

axe-core comes from npm in exactly the version of the lock file; without npm these tests are skipped, unless
`REQUIRE_NODE` says that it must be there.
"""

import json

import pytest

from tests.api.simulator_browser import CHROMIUM
from tests.support.node import KEPT, installed
from tests.tidy.sources import ROOT
from tests.web.seen import OVERFLOWS, PHONE, PLACES, WIDE, go

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
SOURCE = ROOT / "tests" / "web" / "axe_node"
LOOKS = (
    {"size": WIDE, "theme": "light", "lang": "en"},
    {"size": PHONE, "theme": "dark", "lang": "zh"},
)
"""Appearance decides contrast, size decides layout, language decides what is said: two looks have each of each once."""


@pytest.fixture(scope="module")
def axe():
    """The checks, as a script."""
    return (installed(SOURCE, KEPT / "axe") / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("look", LOOKS, ids=("wide", "phone"))
@pytest.mark.parametrize("place", [*PLACES, "goals/nowhere", f"{PLACES[1]}?at=60"])
async def test_axe_finds_nothing(tab, looked, axe, place, look):
    await go(tab, looked, place, **look)
    # Everything unfolded, so that what is hidden at first is looked at, too.
    await tab.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    await tab.run(axe + "; undefined")
    found = json.loads(await tab.run("axe.run().then(seen => JSON.stringify(seen.violations))"))
    assert {f"{one['id']}: {node['html'][:150]}" for one in found for node in one["nodes"]} == set()
    assert not await tab.run(OVERFLOWS)
