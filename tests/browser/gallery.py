"""Every state of every card as a person sees it: one picture each, and a sheet for each kind of card.

    python -m tests.browser.gallery [FOLDER] [--only KIND] [--docs]

Shows all golden views in the simulator's own page, in English on a light screen, in Chinese on a dark one, and on a
phone, and takes a picture of each card; then lays the pictures of one kind out on a sheet. A kind or a state that is
added to the golden views is in the gallery by itself. With `--docs` the sheets are written to `docs/images/cards` too,
where `docs/cards.md` shows them.
"""

import argparse
import asyncio
import base64
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import orjson

from bot.simulator.clock import SimClock
from bot.simulator.scenario import DEMO_APP_ID
from bot.simulator.server import Simulator
from cards.draw import draw, encode
from ledger.projections.views import CardView
from tests.api.simulator_browser import Browser, browser
from tests.golden.card_views import NOW_MS, SAMPLES

DOCS = Path(__file__).parents[2] / "docs" / "images" / "cards"
PALETTE = Path(__file__).with_name("palette.js")
SHEET_BYTES_MAX = 400_000
MARGIN = 8
GAP = 12


@dataclass(frozen=True)
class Mode:
    """Who looks, on what kind of screen, and how many cards stand beside each other on a sheet."""

    name: str
    person: str
    dark: bool
    width: int
    card: int
    columns: int

    @property
    def phone(self) -> bool:
        return self.width < 500


MODES = (
    Mode("en", "ann", dark=False, width=940, card=560, columns=2),
    Mode("zh-dark", "bo", dark=True, width=940, card=560, columns=2),
    Mode("phone", "ann", dark=False, width=390, card=328, columns=3),
)

# The page as it is, only so high that nothing has to be scrolled.
UNROLL = """(() => {
    const app = document.getElementById('app');
    app.style.height = 'auto';
    document.body.style.overflow = 'visible';
    document.documentElement.style.height = document.body.style.height = 'auto';
    for (const one of document.querySelectorAll('.room, .messages')) {
        one.style.overflow = 'visible';
        one.style.height = 'auto';
    }
    for (const one of document.querySelectorAll('.message-head, .avatar, .acts')) one.style.visibility = 'hidden';
    document.activeElement?.blur();
})()"""
BOXES = """[...document.querySelectorAll('.card')].map(card => {
    const box = card.getBoundingClientRect();
    return [box.left + scrollX, box.top + scrollY, box.width, box.height];
})"""
SHEET = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: {gap}px; width: {width}px; background: {back}; columns: {columns}; column-gap: {gap}px; }}
figure {{ margin: 0 0 12px; break-inside: avoid; }}
figcaption {{ font: 12px monospace; color: {ink}; padding: 0 0 2px 8px; }}
img {{ display: block; max-width: 100%; }}
</style>{figures}"""


def kinds() -> dict[str, dict[str, CardView]]:
    """The golden views by the kind of their card, in the order they were written down."""
    found: dict[str, dict[str, CardView]] = {}
    for name, view in SAMPLES.items():
        found.setdefault(view.kind, {})[name] = view
    return found


def chats(simulator: Simulator) -> dict[str, str]:
    """One chat for each kind with all its cards; the chats' ids."""
    world = simulator.world
    app = world.apps[DEMO_APP_ID]
    made = {}
    for kind, views in kinds().items():
        chat = world.add_group(kind, app.tenant_key, list(world.people), {app.app_id})
        made[kind] = chat.chat_id
        for view in views.values():
            content = orjson.loads(encode(draw(view, locale="en", now_ms=NOW_MS)))
            world.add_message(chat, "interactive", app.app_id, content, from_app=True)
    return made


async def photograph(page: Browser, clip: list[float], path: Path) -> None:
    """A picture of one part of the page."""
    left, top, width, height = clip
    area = {
        "x": left - MARGIN,
        "y": top - MARGIN,
        "width": width + 2 * MARGIN,
        "height": height + 2 * MARGIN,
        "scale": 1,
    }
    shot = await page.call("Page.captureScreenshot", format="png", clip=area, captureBeyondViewport=True)
    await asyncio.to_thread(path.write_bytes, base64.b64decode(shot["data"]))


async def cards_of(page: Browser, url: str, chat_id: str, names: list[str], mode: Mode, folder: Path) -> list[Path]:
    """Pictures of all cards of one chat."""
    scheme = "dark" if mode.dark else "light"
    await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await page.open(f"{url}/#{urlencode({'person': mode.person, 'chat': chat_id})}", mode.width, 900, mobile=mode.phone)
    await page.until(f"document.querySelectorAll('.card').length === {len(names)}")
    await page.run(UNROLL)
    await page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    paths = [folder / f"{name}-{mode.name}.png" for name in names]
    for path, box in zip(paths, await page.run(BOXES), strict=True):
        await photograph(page, box, path)
    assert not page.errors, page.errors
    return paths


async def sheet(page: Browser, taken: list[Path], mode: Mode, path: Path) -> None:
    """Pictures beside each other, with their names."""
    beside = min(mode.columns, len(taken))
    width = beside * (mode.card + 2 * MARGIN) + (beside - 1) * GAP
    ink, back = ("#c8c8c8", "#161617") if mode.dark else ("#555", "#f5f6f7")
    figures = "".join(
        f"<figure><figcaption>{one.stem.removesuffix('-' + mode.name)}</figcaption><img src='{one.name}'></figure>"
        for one in taken
    )
    html = taken[0].parent / "sheet.html"
    text = SHEET.format(width=width, back=back, ink=ink, columns=beside, gap=GAP, figures=figures)
    await asyncio.to_thread(html.write_text, text)
    await page.open(html.as_uri(), width + 2 * GAP, 100)
    loaded = "[...document.images].every(one => one.complete && one.naturalWidth)"
    await page.until(f"document.images.length === {len(taken)} && {loaded}")
    height = await page.run("document.documentElement.scrollHeight")
    await photograph(page, [MARGIN, MARGIN, width + 2 * GAP - 2 * MARGIN, height - 2 * MARGIN], path)
    encoded = base64.b64encode(await asyncio.to_thread(path.read_bytes)).decode()
    smaller = await page.run(f"({PALETTE.read_text(encoding='utf-8')})('{encoded}')")
    await asyncio.to_thread(path.write_bytes, base64.b64decode(smaller))
    html.unlink()


async def sheets(page: Browser, taken: list[Path], mode: Mode, out: Path, kind: str) -> list[Path]:
    """All pictures of one kind on one sheet, or evenly on as few as keep each within the bound."""
    for count in range(1, len(taken) + 1):
        each = -(-len(taken) // count)
        parts = [taken[at : at + each] for at in range(0, len(taken), each)]
        names = [f"{kind}-{mode.name}{f'-{number}' if count > 1 else ''}.png" for number in range(1, len(parts) + 1)]
        paths = [out / name for name in names]
        for part, path in zip(parts, paths, strict=True):
            await sheet(page, part, mode, path)
        if all(path.stat().st_size <= SHEET_BYTES_MAX for path in paths) or each == 1:
            return paths
        for path in paths:
            path.unlink()
    return []


async def pictures(out: Path, only: str | None = None) -> list[Path]:
    """All pictures into the folder's `cards`, and the sheets into the folder; the sheets' paths."""
    single = out / "cards"
    single.mkdir(parents=True, exist_ok=True)
    simulator = Simulator(clock=SimClock(frozen_at_ms=NOW_MS), seed="gallery")
    shown = chats(simulator)
    url = await simulator.start()
    made: list[Path] = []
    try:
        async with browser() as page:
            for kind, views in kinds().items():
                if only not in {None, kind}:
                    continue
                for mode in MODES:
                    taken = await cards_of(page, url, shown[kind], list(views), mode, single)
                    made += await sheets(page, taken, mode, out, kind)
    finally:
        await simulator.stop()
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.gallery", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(os.environ.get("FRONTSTAGE_SHOTS", ".shots")))
    parser.add_argument("--only", metavar="KIND", choices=sorted(kinds()), help="one kind of card")
    parser.add_argument("--docs", action="store_true", help="put the sheets into docs/images/cards too")
    options = parser.parse_args()
    made = asyncio.run(pictures(options.folder, options.only))
    if options.docs:
        DOCS.mkdir(parents=True, exist_ok=True)
        for kind in [options.only] if options.only else kinds():
            for mode in MODES:
                for old in DOCS.glob(f"{kind}-{mode.name}*.png"):
                    old.unlink()
        for path in made:
            shutil.copy(path, DOCS / path.name)


if __name__ == "__main__":
    main()
