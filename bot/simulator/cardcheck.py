"""Stub, completed next."""

from bot.simulator.errors import CardRefusedError
from bot.simulator.wire import JsonObject, object_at


def check_card(card: JsonObject) -> None:
    if card.get("schema") != "2.0":
        raise CardRefusedError(200621, "only schema 2.0", "/schema")


def check_update(old: JsonObject, new: JsonObject) -> None:
    for card in (old, new):
        if object_at(card, "config").get("update_multi") is not True:
            raise CardRefusedError(200830, "update_multi", "/config/update_multi")
