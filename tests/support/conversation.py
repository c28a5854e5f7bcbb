"""A conversation in a test: who says what where, what a card says to its reader, and goals that a chat shows."""

import msgspec
import orjson

from cards.draw import draw, encode
from ledger.projections.views import CardView
from tests.support.homes import CHAT, activate
from tests.support.presses import STRANGER, everybody

GROUP = {"chat_type": "group", "mentioned": True}
DIRECT_CHAT = "oc_between_two"


async def said(daemon, text, who="ann", **changes):
    """What a message is answered with, or None."""
    by = {"sender": STRANGER} if who == "stranger" else {}
    answer = await daemon.message(text, who=who, **(by | changes))
    assert answer.status == 200, answer.document
    return answer.document["reply"]


async def card(daemon, slot):
    """What a person reads on a card in each language, line by line, and its view."""
    view = msgspec.convert(await daemon.view(slot), CardView)
    return view, [read(view, locale) for locale in ("en", "zh")]


def read(view, locale):
    tag = {"en": "en_us", "zh": "zh_cn"}[locale]
    found = []

    def walk(node):
        if isinstance(node, list):
            for one in node:
                walk(one)
        elif isinstance(node, dict):
            if node.get("tag") == "plain_text":
                found.append(node["i18n_content"][tag] if "i18n_content" in node else node["content"])
            for one in node.values():
                walk(one)

    walk(orjson.loads(encode(draw(view, locale=locale, now_ms=0))))
    return found


async def press(table, who, slot, name, **changes):
    """Press a button of a card by what it is called, where the card is shown."""
    view = await table.daemon.view(slot)
    return await table.press(who, view["tokens"][name], chat_id=slot.rpartition("@")[2], **changes)


def two_goals(scribe):
    everybody(scribe)
    scribe.chat = CHAT
    for goal_id in ("docs", "site"):
        activate(scribe, goal_id)
    scribe.chat = None


async def delivered(daemon, slot, message_id):
    """The bot tells that a card is up."""
    row = {
        "slot": slot,
        "chat_id": slot.rpartition("@")[2],
        "message_id": message_id,
        "digest": "d",
        "version": daemon.seq,
        "sent_at_ms": daemon.service.clock.now_ms(),
        "state": "live",
    }
    answer = await daemon.relay("deliveries", row, method="PUT")
    assert answer.status == 200, answer.document
