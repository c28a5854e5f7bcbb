"""The token that each press carries: for half an hour its app may update the card by it, twice, after having answered.

It is not the message's id, lives apart from it, and is refused with codes of its own.
"""

from collections import OrderedDict
from dataclasses import dataclass

from bot.simulator import mentions
from bot.simulator.cardcheck import check_card, check_update
from bot.simulator.documented import CARD_BYTES_MAX, UPDATE_TOKEN_LIFE_MS, UPDATE_TOKEN_USES_MAX
from bot.simulator.errors import PlatformError
from bot.simulator.model import App, Version
from bot.simulator.wire import JsonObject, object_at, text_at
from bot.simulator.world import World

UPDATE_TOKENS_MAX = 10_000


@dataclass(kw_only=True)
class UpdateToken:
    """Whose press it came with, and how often it was used."""

    app_id: str
    message_id: str
    minted_ms: int
    answered: bool = False
    uses: int = 0


class DelayedUpdates:
    """All tokens of all presses; the oldest are forgotten when there are too many."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tokens: OrderedDict[str, UpdateToken] = OrderedDict()

    def minted(self, token: str, app_id: str, message_id: str) -> None:
        """A press was sent out with this token."""
        now_ms = self._world.clock.now_ms()
        self._tokens[token] = UpdateToken(app_id=app_id, message_id=message_id, minted_ms=now_ms)
        while len(self._tokens) > UPDATE_TOKENS_MAX:
            self._tokens.popitem(last=False)

    def answered(self, token: str) -> None:
        """The press is over, whatever came of it; from now on the token may be used."""
        if token in self._tokens:
            self._tokens[token].answered = True

    def update(self, app: App, body: JsonObject, body_bytes: int) -> JsonObject:
        """Replace the card that was pressed."""
        held = self._usable(app, text_at(body, "token"))
        message = self._world.messages.get(held.message_id)
        if message is None or message.recalled:
            raise PlatformError(200000, "the message has been recalled")
        card = object_at(body, "card")
        if not card:
            raise PlatformError(10002, "invalid param: card")
        if body_bytes > CARD_BYTES_MAX:
            raise PlatformError(230025, "The length of the message content reaches its limit.")
        check_update(message.content, card)
        check_card(card)
        held.uses += 1
        message.mentions = mentions.of_card(card)
        self._world.revise(message, Version(at_ms=self._world.clock.now_ms(), content=card, by="delayed"))
        return {}

    def _usable(self, app: App, token: str) -> UpdateToken:
        held = self._tokens.get(token)
        if held is None:
            raise PlatformError(300020, "invalid token")
        if held.app_id != app.app_id:
            raise PlatformError(200310, "the token belongs to another app")
        if not held.answered:
            raise PlatformError(11310, "the card is in interaction")
        if self._world.clock.now_ms() - held.minted_ms >= UPDATE_TOKEN_LIFE_MS:
            raise PlatformError(300030, "the token has expired")
        if held.uses >= UPDATE_TOKEN_USES_MAX:
            raise PlatformError(300040, "the token is used up")
        return held
