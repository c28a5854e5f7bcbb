"""Hostile words on every page: nothing runs, nothing is markup, nothing leads away, and the page keeps its shape."""

import pytest

from tests.api.simulator_browser import CHROMIUM
from tests.support.daemons import DaemonProcess
from tests.support.homes import short_folder
from tests.web.hostile import Words, hostile_home
from tests.web.looking import Looked
from tests.web.scene import page_of
from tests.web.seen import OVERFLOWS, PHONE, WIDE, go

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
GOALS = ("docs", "delivered", "stopped", "declined")
PLACES = (
    "", *(f"goals/{one}" for one in GOALS), "goals/docs?at=60", "history", "history?order=oldest", "agents",
    *(f"agents/{one}" for one in ("builder", "helper", "ann")), "compose",
    "compose?action=gate.approve&goal_id=docs&gate_id=gate_open",
)  # fmt: skip
CENSUS = """(() => {
    const count = {};
    const add = (what) => { count[what] = (count[what] || 0) + 1; };
    // How many words of two texts are the same is no matter of markup.
    for (const one of document.querySelectorAll('*:not(del, ins)')) {
        add(one.tagName);
        for (const each of one.attributes) add(`${one.tagName} ${each.name}`);
    }
    return count;
})()"""
LEADS_AWAY = """[...document.querySelectorAll('[href], [src], [action], [formaction]')].map(one =>
    one.href?.baseVal ?? one.href ?? one.src ?? one.action).filter(one =>
    typeof one === 'string' && !one.startsWith(location.origin + '/') && !one.startsWith('#'))"""
REORDERED = r"""[...document.querySelectorAll('head title, option')].map(one => one.textContent + one.label)
    .filter(one => /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(one))"""
"""What a browser shows outside of the page keeps its direction to itself by having none."""
LEADS_NOWHERE = """[...document.querySelectorAll('a.more[href^="#"]')].filter(one =>
    document.querySelector(one.hash).closest('article, section').contains(one)).map(one => one.outerHTML)"""
"""Whoever wants more is not led to where they are."""
WIDEST = """[...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1
    && !one.closest('[data-scroll]')).slice(0, 3).map(one => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def both():
    """A workspace with hostile words, and its harmless twin."""
    with short_folder() as folder:
        worse, twin = (hostile_home(folder / name, Words(hostile=name == "worse")) for name in ("worse", "twin"))
        with DaemonProcess(worse) as first, DaemonProcess(twin) as second:
            yield Looked(first, page_of(first)), Looked(second, page_of(second))


@pytest.mark.parametrize("place", PLACES)
async def test_words_are_shown_and_do_nothing(tab, both, place):
    worse, twin = both
    tab.errors.clear()
    tab.requests.clear()
    await tab.watch_requests()
    await go(tab, worse, place, PHONE)
    seen = await tab.run(CENSUS)
    assert await tab.run("document.body.textContent.includes('window.ran=1')"), "the words are there"
    assert await tab.run(REORDERED) == []
    assert await tab.run(LEADS_NOWHERE) == []
    await tab.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert not await tab.run(OVERFLOWS), await tab.run(WIDEST)
    await tab.call("Emulation.setDeviceMetricsOverride", width=WIDE[0], height=900, deviceScaleFactor=1, mobile=False)
    assert not await tab.run(OVERFLOWS), await tab.run(WIDEST)
    assert await tab.run("typeof window.ran") == "undefined"
    assert await tab.run(LEADS_AWAY) == []
    assert tab.errors == []
    # The other page is the one before this, whose picture may be asked for late.
    ours = (worse.url, twin.url, "about:blank")
    assert [url for url in tab.requests if not url.startswith(ours)] == []
    await go(tab, twin, place, PHONE)
    harmless = await tab.run(CENSUS)
    assert {
        what: (seen.get(what), harmless.get(what))
        for what in seen.keys() | harmless.keys()
        if seen.get(what) != harmless.get(what)
    } == {}
