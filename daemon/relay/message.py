"""A message: commands open cards, a pairing code binds a person, and nothing that is written changes a goal.

Free text opens a form with the text already in it. A command that comes too late is shown, not run.
"""

from daemon.relay.answers import Answers, text
from daemon.relay.asked import AskedCards
from daemon.relay.commands import command_of
from daemon.relay.drafts import Drafts
from daemon.relay.missed import Late
from daemon.relay.pairing import Pairing
from daemon.relay.people import People
from daemon.relay.shown import Asked
from daemon.relay.wire import Message
from daemon.service import Service
from ledger.ids import MemberId
from ledger.text.say import one_line

FRESH_MS_MAX = 10 * 60_000
"""A command older than this is shown, not run: after a reconnect the platform delivers in bursts."""
LATE_SHOWN_CHARS = 80
TRACKED_MAX = 10_000
HINT_EVERY_MS = 3_600_000
Document = dict[str, object]


class Messages:
    """Messages relayed by the bot."""

    def __init__(
        self, service: Service, answers: Answers, drafts: Drafts, asked: AskedCards, app_id: str | None
    ) -> None:
        self._service = service
        self._answers = answers
        self._drafts = drafts
        self._app_id = app_id
        self._hinted: dict[str, int] = {}
        self._people = People(service)
        self._pairing = Pairing(service, asked)

    async def message(self, ask: Message) -> Document:
        """What to reply, if anything."""
        if self._app_id is not None and ask.app_id != self._app_id:
            return {"reply": None}
        if ask.chat_type == "p2p":
            self._drafts.heard_in_private(ask.chat_id)
        if ask.chat_type == "group" and not ask.mentioned:
            return {"reply": None}
        is_late = self._service.clock.now_ms() - ask.create_time_ms > FRESH_MS_MAX
        if not is_late:
            await self._people.heard_in(ask.chat_id, ask.message_id)
        if ask.kind != "text":
            return {"reply": None} if is_late else self._hint(ask)
        command = command_of(ask.text)
        member_id = await self._people.known(ask.tenant_key, ask.app_id, ask.sender, ask.message_id)
        if member_id is not None and ask.chat_type == "p2p":
            await self._people.reached(member_id, ask.message_id)
        code = self._pairing.code_in(command, known=member_id is not None)
        asked = Asked(ask.message_id, ask.chat_id, is_direct=ask.chat_type == "p2p", member_id=member_id)
        if is_late:
            return self._late(ask, asked, is_code=code is not None)
        if code is not None:
            return await self._pairing.pair(ask, code)
        if command.name == "help" or not command.said:
            return self._answers.help(asked, paired=member_id is not None)
        if member_id is None:
            return self._pairing.unknown(ask)
        return self._answers.reply(asked, command)

    def _hint(self, ask: Message) -> Document:
        """What can be read, said once in a while to each person: a row of pictures gets one answer."""
        now_ms = self._service.clock.now_ms()
        who = f"{ask.chat_id}\0{ask.sender.open_id}"
        hinted_ms = self._hinted.pop(who, None)
        is_due = hinted_ms is None or now_ms - hinted_ms >= HINT_EVERY_MS
        if hinted_ms is None and len(self._hinted) >= TRACKED_MAX:
            del self._hinted[next(iter(self._hinted))]
        self._hinted[who] = now_ms if hinted_ms is None or is_due else hinted_ms
        return text("chat.unsupported") if is_due else {"reply": None}

    def _late(self, ask: Message, asked: Asked, *, is_code: bool) -> Document:
        """What came too late to act on: shown to the one who wrote it, with a way to do it now."""
        if asked.member_id is None:
            # Nobody whom the ledger knows: nothing could be opened for them, and a code is to be sent again.
            said = "…" if is_code else _shortened(one_line(ask.text), LATE_SHOWN_CHARS)
            return text("chat.late", said=said)
        name = self._service.committed.members[MemberId(asked.member_id)].display_name
        late = Late(
            message_id=ask.message_id,
            text="" if is_code else ask.text,
            name=name,
            at_ms=ask.create_time_ms,
            is_direct=asked.is_direct,
            is_code=is_code,
        )
        return self._answers.late(asked, ask.thread_id or "", late)


def _shortened(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"
