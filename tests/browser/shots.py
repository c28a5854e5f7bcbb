"""Pictures of the chat page as a person sees it, from one goal's life in the simulator.

    python -m tests.browser.shots [FOLDER]

Starts the demo's processes on a fresh ledger, lets a program play the owner step by step and takes a picture after
each: the proposal form, the review card, the goal's card at work, the acceptance card, and the goal's card at its end;
in English and Chinese, light and dark, wide and on a phone.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from bot import demo, demo_owner, stage
from tests.api.simulator_browser import Browser, browser

WIDE, PHONE = (1180, 1120), (390, 844)


async def shoot(page: Browser, url: str, person: str, chat: str, path: Path, *, size=WIDE, dark=False) -> None:
    scheme = "dark" if dark else "light"
    await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await page.open(f"{url}/#{urlencode({'person': person, 'chat': chat})}", *size, mobile=size == PHONE)
    await page.until("document.querySelectorAll('.card').length > 0")
    await page.run("[...document.querySelectorAll('.card')].at(-1).scrollIntoView({block: 'end'})")
    await page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await page.picture(path)
    assert not page.errors, page.errors


async def pictures(url: str, code: str, chat_id: str, out: Path) -> None:
    owner = demo_owner.Person(url, stage.OWNER)
    say = demo_owner
    private = next(one for one in owner.chats() if one["kind"] == "p2p")["chat_id"]

    def paired():
        owner.write(private, code)
        say.message_saying(owner, private, "paired")

    def proposed():
        owner.write(stage.CHAT, "propose", mention_bot=True)
        return say.card_with(owner, stage.CHAT, "Submit")

    def submitted(form):
        inputs = {
            "Title": say.TITLE,
            "Objective": say.OBJECTIVE,
            "Acceptance criteria": say.CRITERIA,
            "May write": say.SCOPES,
        }
        owner.press(form, "Submit", say.labelled(form, inputs))
        return say.card_with(owner, stage.CHAT, "Confirm", say.TITLE)

    async with browser() as page:
        await asyncio.to_thread(paired)
        form = await asyncio.to_thread(proposed)
        await shoot(page, url, "ann", chat_id, out / "form.png")
        review = await asyncio.to_thread(submitted, form)
        await shoot(page, url, "ann", chat_id, out / "chat.png")
        await shoot(page, url, "bo", chat_id, out / "review-zh-dark.png", dark=True)
        await shoot(page, url, "ann", chat_id, out / "review-phone.png", size=PHONE)
        await asyncio.to_thread(owner.press, review, "Confirm")
        await asyncio.to_thread(say.card_with, owner, stage.CHAT, "Pause", say.TITLE)
        await shoot(page, url, "ann", chat_id, out / "goal-active.png")
        acceptance = await asyncio.to_thread(say.card_with, owner, stage.CHAT, "Accept", say.TITLE)
        await shoot(page, url, "ann", chat_id, out / "acceptance.png")
        await shoot(page, url, "bo", chat_id, out / "acceptance-zh-dark.png", dark=True)
        await shoot(page, url, "ann", chat_id, out / "acceptance-phone.png", size=PHONE)
        await asyncio.to_thread(owner.press, acceptance, "Accept")
        await asyncio.to_thread(say.message_saying, owner, stage.CHAT, "Accepted")
        await shoot(page, url, "ann", chat_id, out / "goal-accepted.png")


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="fs-", dir="/tmp"))
    docs = demo._sample_docs(root / "docs")
    place = stage.Place(home=root / "home", work=root / "work")
    place.home.mkdir(mode=0o700)
    processes = stage.Processes(place)
    try:
        url = stage.begin(place, processes, 0)
        demo._employ(place, processes, docs, demo.AGENT, "executor")
        demo._employ(place, processes, docs, demo.REVIEWER, "reviewer")
        stage.wait_connected(url, processes)
        code = stage.pairing_code(place)
        chat = next(one for one in demo_owner.Person(url, stage.OWNER).chats() if one["name"] == stage.CHAT)["chat_id"]
        asyncio.run(pictures(url, code, chat, out))
    finally:
        processes.stop()
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FRONTSTAGE_SHOTS", ".shots")))
