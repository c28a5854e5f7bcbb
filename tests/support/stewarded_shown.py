"""What people see of a stewarded goal: what the command line prints, and the text of its card."""

import asyncio
import os
import sys
from urllib.parse import quote

import msgspec

from cards.draw import draw
from ledger.projections.views import CardView
from tests.support.homes import CHAT
from tests.tidy.sources import ROOT


async def command(there, *words, who="ann"):
    """What the command line prints for a person."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", *words, "--goal-id", "docs", "--socket", there.daemon.made.home.socket,
        cwd=ROOT, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "FRONTSTAGE_TOKEN": there.daemon.made.tokens[who], "LANG": "C"},
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()


async def card(there, locale="en"):
    """The goal's card in the chat, as text."""
    slot = quote(f"goal:docs@{CHAT}", safe="")
    view = msgspec.convert(await there.daemon.view(slot), CardView)
    return str(draw(view, locale=locale, now_ms=there.daemon.service.clock.now_ms()).json())
