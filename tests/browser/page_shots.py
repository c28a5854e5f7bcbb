"""Pictures of the local page as a person sees it: every page, light and dark, wide and on a phone, in both languages.

    python -m tests.browser.page_shots FOLDER [--docs]

Makes the workspace that the page's tests look at, serves it and takes the pictures. `--docs` takes only those that the
documentation shows, and FOLDER is then `docs/images`.
"""

import argparse
import asyncio
from pathlib import Path
from typing import NamedTuple

from tests.api.simulator_browser import Browser, browser
from tests.support.daemons import DaemonProcess
from tests.support.homes import short_folder
from tests.web.looking import Looked
from tests.web.scene import page_of, scene_home
from tests.web.seen import PHONE, go
from tests.web.story import BUSY

WIDE = (1_440, 900)
TALL_MAX = 4_000
DESK = (1_180, 780)
PAGES = {
    "workspace": "", "goal": f"goals/{BUSY}", "goal-then": f"goals/{BUSY}?at=90", "graph": "goals/rebuild",
    "history": "history", "agents": "agents", "agent": "agents/builder", "compose": "compose",
}  # fmt: skip


class Shot(NamedTuple):
    """One picture."""

    name: str
    path: str
    size: tuple[int, int]
    theme: str
    lang: str
    whole: bool = False
    """Whether what lies below the window is in it."""
    panel: str | None = None
    """Only this panel."""


DOCS = (
    Shot("page-workspace", "", DESK, "light", "en"),
    Shot("page-goal-phone", f"goals/{BUSY}", PHONE, "light", "en"),
    Shot("page-goal-phone-zh-dark", f"goals/{BUSY}", PHONE, "dark", "zh"),
    Shot("page-goal-dark", f"goals/{BUSY}", DESK, "dark", "en"),
    Shot("page-graph", f"goals/{BUSY}", WIDE, "light", "en", panel="work_graph"),
    Shot("page-history", "history", DESK, "light", "en"),
    Shot("page-compose", f"compose?action=gate.approve&goal_id={BUSY}&gate_id=gate_list", DESK, "light", "en"),
)


def every() -> list[Shot]:
    """Each page in each look."""
    return [
        Shot(f"{name}-{label}-{theme}-{lang}", path, size, theme, lang, whole=True)
        for name, path in PAGES.items()
        for label, size in (("wide", WIDE), ("phone", PHONE))
        for theme in ("light", "dark")
        for lang in ("en", "zh")
    ]


async def shoot(tab: Browser, looked: Looked, shot: Shot, folder: Path) -> None:
    """Take one picture."""
    await go(tab, looked, shot.path, shot.size, theme=shot.theme, lang=shot.lang)
    at_now = "at=" not in shot.path
    if at_now:
        await tab.until("document.querySelector('.live').dataset.state === 'live'")
    box = None
    if shot.panel is not None:
        where = f"document.querySelector('[data-panel={shot.panel}]')"
        box = await tab.run(f"""(() => {{
            const box = {where}.getBoundingClientRect();
            return {{x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}};
        }})()""")
    if shot.whole:
        height = min(TALL_MAX, await tab.run("document.documentElement.scrollHeight"))
        metrics = {"width": shot.size[0], "height": height, "deviceScaleFactor": 1, "mobile": shot.size == PHONE}
        await tab.call("Emulation.setDeviceMetricsOverride", **metrics)
    await tab.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await tab.picture(folder / f"{shot.name}.png", clip=box)
    assert not tab.errors, tab.errors


async def pictures(looked: Looked, shots: list[Shot], folder: Path) -> None:
    """Take them all with one browser."""
    async with browser() as tab:
        for shot in shots:
            await shoot(tab, looked, shot, folder)
            print(folder / f"{shot.name}.png")


def main() -> None:
    """Make the workspace, and look at it."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.page_shots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--only", default="", help="pictures whose names begin so")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    shots = [one for one in (DOCS if asked.docs else every()) if one.name.startswith(asked.only)]
    with short_folder() as home, DaemonProcess(scene_home(home, big_graph=not asked.docs)) as daemon:
        asyncio.run(pictures(Looked(daemon, page_of(daemon)), shots, asked.folder))


if __name__ == "__main__":
    main()
