"""The page as a browser has it: a place that was gone to, and what a reader can tell of it."""

import asyncio
import json

from tests.api.simulator_browser import Browser
from tests.web.looking import Looked
from tests.web.story import BUSY

PLACES = (
    "",
    f"goals/{BUSY}",
    "history",
    "agents",
    "agents/builder",
    "compose",
    f"compose?action=gate.approve&goal_id={BUSY}",
)
"""One address of every page, and of the composer one with fields."""
WAIT_S_MAX = 60
PHONE, WIDE = (390, 844), (1280, 900)
OVERFLOWS = "document.documentElement.scrollWidth > innerWidth"
TABBABLE = """[...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])'
)].filter(one => !one.disabled && one.tabIndex >= 0 && one.type !== 'hidden' && one.checkVisibility({
    checkVisibilityCSS: true
})).length"""
FOCUSED = """(() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const look = getComputedStyle(one), box = one.getBoundingClientRect();
    const drawn = look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) > 0 || look.boxShadow !== 'none';
    const before = window.before;
    window.before = one;
    const inOrder = !before || Boolean(before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    const onScreen = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    const middle = document.elementFromPoint(
        Math.min(Math.max(box.left + Math.min(box.width, 40) / 2, 1), innerWidth - 1),
        Math.min(Math.max(box.top + Math.min(box.height, 40) / 2, 1), innerHeight - 1));
    const bare = middle && (one.contains(middle) || middle.contains(one));
    return {what: one.outerHTML.slice(0, 160), drawn, inOrder, onScreen, bare, skip: one.classList.contains('skip')};
})()"""


async def go(tab: Browser, looked: Looked, path: str, size: tuple[int, int] = WIDE, **chosen: str) -> None:
    """Open a place of the page and wait until it is there."""
    query = "&".join(f"{name}={value}" for name, value in chosen.items())
    url = looked.url + path + (f"{'&' if '?' in path else '?'}{query}" if query else "")
    await tab.open(url, *size, mobile=size == PHONE)
    await tab.until(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
    await tab.until("document.querySelector('main')")


async def arrived(tab: Browser, condition: str) -> None:
    """Wait for something on the place that a click or a form leads to: whoever waits on the way there waits again."""
    async with asyncio.timeout(WAIT_S_MAX):
        while True:
            try:
                await tab.until(f"document.readyState === 'complete' && ({condition})")
            except RuntimeError as error:
                if "navigated" not in str(error) and "context" not in str(error):
                    raise
            else:
                return
