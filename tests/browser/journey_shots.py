"""Pictures of a journey as the owner sees it, taken while it runs.

    python -m tests.browser.journey_shots research|engineering [FOLDER] [SEED]

Runs the journey's own command with a program in the owner's place, looks at the chat page beside it, and takes a
picture of the first card that shows each of these moments: a promise to confirm, work under a lease, evidence that was
rejected by measurement, a delivery to accept. What the terminal says at the end is put beside them as `report.txt`.
"""

import asyncio
import os
import sys
import tempfile
import tomllib
from pathlib import Path
from urllib.parse import urlencode

import aiohttp

from tests.api.simulator_browser import browser

ROOT = Path(__file__).parents[2]
SIZE = (860, 1180)
LOOK_S = 0.15
MOMENTS = {
    "promise": ("Proposal · ", "Confirm"),
    "working": ("Goal · Active", "leased to"),
    "rejected": ("Goal · Active", "Rejected in review"),
    "delivery": ("Delivery 1 · ", "Accept"),
}
"""By the beginning of a card's subtitle and something that stands on it, or on a button of it."""
LAST_CARD = "[...document.querySelectorAll('.card')].findLast(one => one.textContent.includes({words}))"


def found(cards, begins, words):
    """Whether a card shows this moment."""
    return any(
        one["subtitle"].startswith(begins)
        and any(words in text for text in (*one["texts"], *(button["label"] for button in one["buttons"])))
        for one in cards
    )


async def shoot(page, url, chat, words, path):
    """A picture of the page with the card that says this."""
    await page.open(f"{url}/#{urlencode({'person': 'ann', 'chat': chat})}", *SIZE)
    card = LAST_CARD.format(words=repr(words))
    await page.until(f"{card} !== undefined")
    await page.run(f"{card}.scrollIntoView({{block: 'start'}})")
    await page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await page.picture(path)


async def watch(session, url, out):
    """Wait for each moment and take its picture."""
    missing = dict(MOMENTS)
    async with session.get(f"{url}/chat/api/chats", params={"person": "ann"}) as got:
        chat = next(one["chat_id"] for one in (await got.json())["chats"] if one["kind"] == "group")
    async with browser() as page:
        while missing:
            asked = {"person": "ann", "limit": 100}
            async with session.get(f"{url}/chat/api/chats/{chat}/messages", params=asked) as got:
                messages = (await got.json())["messages"]
            cards = [one["card"] for one in messages if one["kind"] == "card"]
            for name, (begins, words) in list(missing.items()):
                if found(cards, begins, words):
                    await shoot(page, url, chat, words, out / f"{name}.png")
                    del missing[name]
            await asyncio.sleep(LOOK_S)


async def main(name, out, seed):
    """Run the journey and take the pictures; the journey's exit code."""
    home = Path(tempfile.mkdtemp(prefix="fs-", dir="/tmp")) / "home"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", "demo", name, "--script", "--seed", str(seed), "--home", str(home),
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
        while not (home / "daemon.sock").exists():  # noqa: ASYNC110
            await asyncio.sleep(LOOK_S)
        url = tomllib.loads((home / "config.toml").read_text())["lark"]["domain"]
        watching = tasks.create_task(watch(session, url, out))
        printed, _ = await process.communicate()
        watching.cancel()
    text = printed.decode()
    (out / "report.txt").write_text(text[text.index("\nJourney ") + 1 :])
    return process.returncode


if __name__ == "__main__":
    journey, folder, drawn = (sys.argv[1:] + ["research", ".shots", "2"][len(sys.argv) - 1 :])[:3]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    sys.exit(asyncio.run(main(journey, folder, int(drawn))))
