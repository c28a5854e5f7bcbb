"""The page in a real browser: it follows the ledger by itself, can be walked by keyboard, and asks nobody else.

In the order of the file; the last test takes the daemon away and gives it back.
"""

import asyncio
import json
import signal
import subprocess
import sys

import pytest

from daemon.cli.spawn import module_environment
from tests.api.simulator_browser import CHROMIUM
from tests.support.daemons import DaemonProcess
from tests.web.seen import FOCUSED, PHONE, PLACES, TABBABLE, WIDE, arrived, go
from tests.web.story import BUSY

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
GOAL = {"goal_id": BUSY}
HANDBOOK = f"goals/{BUSY}"
ANSWERS = ("what", "who", "claimed", "where", "cause", "next")


async def typed(looked, who, *words):
    """A command, as somebody types it."""
    given = {"FRONTSTAGE_HOME": looked.daemon.made.home.path, "FRONTSTAGE_TOKEN": looked.daemon.made.tokens[who]}
    command = [sys.executable, "-P", "-m", "daemon.cli.main", *words]
    done = await asyncio.to_thread(
        subprocess.run, command, env=module_environment() | given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("place", PLACES)
async def test_every_page_can_be_walked_by_keyboard_and_asks_nobody_but_its_daemon(tab, looked, place):
    tab.errors.clear()
    tab.requests.clear()
    await tab.watch_requests()
    await go(tab, looked, place)
    count = await tab.run(TABBABLE)
    assert count >= 8
    seen = []
    # An area that scrolls is reached by keyboard, too, whatever its markup says of that.
    for _ in range(2 * count + 20):
        await tab.key("Tab")
        focused = await tab.run(FOCUSED)
        if focused is None or (focused["skip"] and seen):
            break
        seen.append(focused)
    else:
        pytest.fail(f"the keyboard never leaves: {seen[-1]}")
    assert seen[0]["skip"], seen[0]
    for what in ("drawn", "inOrder", "onScreen", "bare"):
        assert [one["what"] for one in seen if not one[what]] == [], what
    assert tab.errors == []
    assert tab.requests
    assert [url for url in tab.requests if not url.startswith(looked.url) and url != "about:blank"] == []


async def test_the_skip_link_leads_past_the_head(tab, looked):
    await go(tab, looked, HANDBOOK)
    await tab.key("Tab")
    await tab.key("Enter")
    await tab.until("document.activeElement === document.getElementById('main')")
    await tab.key("Tab")
    assert await tab.run("document.getElementById('main').contains(document.activeElement)")


async def test_a_phone_shows_the_six_answers_without_scrolling_and_as_the_ledger_has_them(tab, looked):
    await go(tab, looked, HANDBOOK, PHONE)
    boxes = await tab.run("""[...document.querySelectorAll('[data-panel="six_answers"] .answer')].map(one => {
        const box = one.getBoundingClientRect(), mid = one.querySelector('dd').getBoundingClientRect();
        const top = document.elementFromPoint(mid.left + 4, mid.top + Math.min(mid.height / 2, 10));
        return {name: one.classList[1], top: box.top, bottom: box.bottom, left: box.left, right: box.right,
                bare: one.contains(top), height: mid.height};
    })""")
    assert [one["name"] for one in boxes] == list(ANSWERS)
    for one in boxes:
        assert one["bare"], one
        assert one["height"] > 0, one
        assert 0 <= one["top"] < one["bottom"] <= PHONE[1], one
        assert 0 <= one["left"] < one["right"] <= PHONE[0], one
    assert await tab.run("scrollY") == 0
    told = await tab.run("""Object.fromEntries([...document.querySelectorAll('[data-panel="six_answers"] [data-fact]')]
        .map(one => [one.dataset.fact, one.dataset.value]))""")
    document = looked.client().read("goal.show", GOAL).body
    for path in ("objective", "responsible", "claimed_until", "cause", "next_safe_action"):
        held = document[path]
        assert told[path] == held if isinstance(held, str) else json.loads(told[path]) == held, path
    lease = document["active_leases"][0]
    assert json.loads(told["active_leases[0].write_scope"]) == lease["write_scope"]


async def test_the_page_goes_through_time_by_address_and_by_slider(tab, looked):
    await go(tab, looked, f"{HANDBOOK}?at=60")
    assert await tab.run("document.body.dataset.at") == "60"
    assert await tab.run("document.querySelector('[data-fact=\"seq\"]').textContent") == "60"
    past = looked.client().read("goal.show", GOAL, at=60).body
    shown = await tab.run("document.querySelector('[data-fact=\"state\"]').dataset.value")
    assert shown == past["state"]
    # What came later is not there, and what is said of the lines to copy is that they are of then.
    assert await tab.run("!document.body.textContent.includes('May the draft go to the newcomers')")
    slider = "document.getElementById('moment-range')"
    box = await tab.run(
        f"(({slider}).scrollIntoView({{block: 'center'}}), ({slider}).getBoundingClientRect().toJSON())"
    )
    at = {"x": box["x"] + box["width"] * 0.75, "y": box["y"] + box["height"] / 2, "button": "left", "clickCount": 1}
    await tab.call("Input.dispatchMouseEvent", type="mousePressed", **at)
    await tab.call("Input.dispatchMouseEvent", type="mouseReleased", **at)
    await arrived(tab, "Number(document.body.dataset.at) > 100")
    assert await tab.run("new URLSearchParams(location.search).get('at') === document.body.dataset.at")
    assert await tab.run("document.querySelector('[data-live]').dataset.seq")


async def test_an_open_page_follows_what_is_done_elsewhere_and_leaves_its_reader_in_peace(tab, looked):
    tab.errors.clear()
    await go(tab, looked, HANDBOOK, PHONE)
    await tab.until("document.querySelector('.live').dataset.state === 'live'")
    await tab.run("""(() => {
        window.mark = document.querySelector('html');
        const unfolded = [...document.querySelectorAll('main details[id]')];
        unfolded.forEach(one => { one.open = true; });
        const link = document.querySelector('[data-panel="six_answers"] .answer.claimed a');
        link.focus({preventScroll: true});
        scrollTo(0, 600);
        window.place = () => document.querySelector('[data-panel="moment"]').getBoundingClientRect().top;
        window.kept = {unfolded: unfolded.map(one => one.id), link: link.textContent, place: place()};
    })()""")
    await typed(
        looked, "checker", "todo", "update", "--goal-id", BUSY, "--todo-id", "todo_pictures", "--note", "Half is done"
    )
    await tab.until("document.querySelector('[data-fact=\"cause\"]').textContent.includes('Half is done')")
    assert await tab.run("window.mark === document.documentElement")
    assert await tab.run("window.kept.unfolded.length") > 2
    assert await tab.run("window.kept.unfolded.filter(id => document.getElementById(id)?.open === false)") == []
    assert await tab.run("document.activeElement.textContent === window.kept.link")
    # What is read stays where it is, though what stands above it has another height now.
    assert await tab.run("Math.abs(place() - window.kept.place) < 2")
    assert tab.errors == []


async def test_a_page_of_then_stays_as_it_is(tab, looked):
    tab.requests.clear()
    await tab.watch_requests()
    await go(tab, looked, f"{HANDBOOK}?at=60")
    text = await tab.run("document.querySelector('main').textContent")
    await typed(
        looked, "checker", "todo", "update", "--goal-id", BUSY, "--todo-id", "todo_pictures", "--note", "All is done"
    )
    assert await tab.run("document.querySelector('main').textContent") == text
    assert [url for url in tab.requests if url.endswith("/live")] == [], "it does not even listen"
    await go(tab, looked, HANDBOOK)
    await tab.until("document.querySelector('.live').dataset.state === 'live'")
    assert [url for url in tab.requests if url.endswith("/live")], "which a page of now does"


async def test_a_page_that_is_opened_behind_another_keeps_no_connection_until_it_is_looked_at(tab, looked):
    hidden = "Object.defineProperty(document, 'hidden', {get: () => window.behind !== false, configurable: true})"
    added = await tab.call("Page.addScriptToEvaluateOnNewDocument", source=hidden)
    try:
        await go(tab, looked, HANDBOOK)
        await tab.until("document.readyState === 'complete'")
        assert await tab.run("document.querySelector('.live').dataset.state") == "still"
        assert await tab.run("feed === null"), "a browser has six connections for all pages of one address"
        await tab.run("window.behind = false; document.dispatchEvent(new Event('visibilitychange'))")
        await tab.until("document.querySelector('.live').dataset.state === 'live'")
    finally:
        await tab.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])


async def test_what_could_not_be_read_is_asked_for_again(tab, looked):
    await go(tab, looked, "", WIDE)
    await tab.until("document.querySelector('.live').dataset.state === 'live'")
    await tab.run("""(() => {
        const fetch = window.fetch;
        window.fetch = () => { window.fetch = fetch; return Promise.reject(new TypeError("it went away")); };
    })()""")
    await typed(
        looked, "ann", "goal", "propose", "--objective", "A thing that was missed", "--criterion", "It is there"
    )
    await tab.until("document.body.textContent.includes('A thing that was missed')")
    await tab.until("document.querySelector('.stale').hidden")


async def test_a_daemon_that_hangs_is_not_taken_for_one_that_rests(tab, looked):
    await go(tab, looked, "", WIDE)
    await tab.until("document.querySelector('.live').dataset.state === 'live'")
    # As if it had been silent for half a minute: no test waits so long.
    await tab.run("""(() => {
        const later = window.later = window.setTimeout;
        window.setTimeout = (what, ms) => later(what, ms === SILENT_AFTER_MS ? 500 : ms);
    })()""")
    looked.daemon.process.send_signal(signal.SIGSTOP)
    try:
        await tab.run("feed.dispatchEvent(new Event('alive'))")
        await tab.until("!document.querySelector('.stale').hidden")
    finally:
        looked.daemon.process.send_signal(signal.SIGCONT)
        await tab.run("window.setTimeout = window.later")
    await tab.until("document.querySelector('.stale').hidden")


async def test_a_page_outlives_its_daemon(tab, looked):
    await go(tab, looked, "", WIDE)
    await tab.until("document.querySelector('.live').dataset.state === 'live'")
    await tab.run("window.mark = 1")
    await asyncio.to_thread(looked.daemon.kill)
    await tab.until("!document.querySelector('.stale').hidden && document.querySelector('.stale').checkVisibility()")
    looked.daemon = await asyncio.to_thread(DaemonProcess, looked.daemon.made)
    await typed(looked, "ann", "goal", "propose", "--objective", "A thing that is new", "--criterion", "It is there")
    await tab.until("document.body.textContent.includes('A thing that is new')")
    await tab.until("document.querySelector('.stale').hidden")
    assert await tab.run("window.mark") == 1
