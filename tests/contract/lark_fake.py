"""A Lark without a network: what the bot's own tests stand on. It passes the same contract suite as the adapter.

It keeps messages, the table of send keys and who can be reached; a test plans faults (`fail_next`), plays the people
(`press`, `say`, `other`) and looks at what is shown (`messages`). Faults of the app itself (`fatal`) are set by hand.
"""

import asyncio
import re
from collections import deque
from dataclasses import dataclass, replace

import orjson

from bot.lark import (
    PRESS_ANSWER_MS_MAX,
    PRESS_FAILED,
    STILL_WORKING,
    BotInfo,
    InboundMessage,
    InboundPress,
    LarkFault,
    LarkFaultKind,
    LarkHealth,
    LarkUser,
    SentMessage,
    checked_message,
    checked_reply,
    checked_send,
)
from bot.lark_text import literal_text

CARD_BYTES_MAX = 30 * 1024
_MENTION = re.compile(r"(?i)<\s*at\b|@_all|@_user_\d")


@dataclass(kw_only=True)
class FakeMessage:
    message_id: str
    chat_id: str
    kind: str
    versions: list[dict]
    reply_to: str = ""
    in_thread: bool = False
    recalled: bool = False
    mentions: int = 0

    @property
    def shown(self):
        return self.versions[-1]


@dataclass(kw_only=True)
class _Planned:
    fault: LarkFault
    after_commit: bool


class FakeLark:
    """The `Lark` port in memory. One event loop; times come from `now_ms`."""

    def __init__(
        self, *, now_ms=lambda: 0, answer_within_ms=PRESS_ANSWER_MS_MAX, app_id="cli_fake", tenant_key="tenant"
    ):
        self.app_id, self.tenant_key = app_id, tenant_key
        self.bot = BotInfo(open_id="ou_bot", name="Frontstage")
        self.messages: dict[str, FakeMessage] = {}
        self.calls: list[tuple[str, str]] = []
        self.lost_chats: set[str] = set()
        self._uuids: dict[str, str] = {}
        self._planned: deque[_Planned] = deque()
        self._now_ms = now_ms
        self._answer_within_s = answer_within_ms / 1_000
        self._health = LarkHealth()
        self._handlers = None
        self._group: asyncio.TaskGroup | None = None
        self._numbers = 0
        self.connected = asyncio.Event()

    # What the port offers.

    async def send_card(self, receive_id, receive_id_type, card, uuid):
        checked_send(receive_id, receive_id_type, uuid)
        return self._post("send_card", self._chat_of(receive_id, receive_id_type), _card(card), "card", uuid)

    async def reply_card(self, message_id, card, uuid, in_thread):
        checked_reply(message_id, uuid)
        return self._reply("reply_card", message_id, _card(card), "card", uuid, in_thread)

    async def send_text(self, receive_id, receive_id_type, text, uuid):
        checked_send(receive_id, receive_id_type, uuid)
        return self._post("send_text", self._chat_of(receive_id, receive_id_type), _text(text), "text", uuid)

    async def reply_text(self, message_id, text, uuid, in_thread):
        checked_reply(message_id, uuid)
        return self._reply("reply_text", message_id, _text(text), "text", uuid, in_thread)

    async def patch_card(self, message_id, card):
        checked_message(message_id)
        after = self._fail_before("patch_card", message_id)
        message = self.messages.get(message_id)
        if message is None:
            raise LarkFault(LarkFaultKind.GONE, code=230110)
        if message.recalled:
            raise LarkFault(LarkFaultKind.GONE, code=230011)
        self._reachable(message.chat_id)
        message.versions.append(_card(card))
        _fail_after(after)

    async def bot_info(self):
        _fail_after(self._fail_before("bot_info", ""))
        return self.bot

    def health(self):
        return self._health

    async def run(self, handlers):
        self._handlers = handlers
        try:
            async with asyncio.TaskGroup() as self._group:
                self._health = replace(self._health, connected=True, since_ms=self._now_ms(), fatal=None)
                self.connected.set()
                await asyncio.Event().wait()
        finally:
            self._handlers = self._group = None
            self.connected.clear()
            self._health = replace(self._health, connected=False, since_ms=self._now_ms())

    # What a test does.

    def fail_next(self, kind, *, code=1, retry_after_s=None, after_commit=False):
        """The next call fails so; `after_commit`: it is carried out, and its answer is lost."""
        self._planned.append(
            _Planned(fault=LarkFault(kind, code=code, retry_after_s=retry_after_s), after_commit=after_commit)
        )

    def recall(self, message_id):
        self.messages[message_id].recalled = True

    def fatal(self, text):
        self._health = replace(self._health, fatal=text)

    def person(self, name):
        return LarkUser(open_id=f"ou_{name}", union_id=f"on_{name}")

    async def press(self, message_id, token, *, who="ann", form=None, event_id=None, locale="en", **more):
        """Press a control and return the answer the presser's client would get."""
        event = InboundPress(
            event_id=event_id or self._next("ev"),
            app_id=self.app_id,
            tenant_key=self.tenant_key,
            operator=self.person(who),
            chat_id=self.messages[message_id].chat_id,
            message_id=message_id,
            token=token,
            locale=locale,
            form=form or {},
            **more,
        )
        return await self.deliver_press(event)

    async def deliver_press(self, event):
        """Deliver a press as it is given; twice is a redelivery."""
        self._health = replace(self._health, last_event_ms=self._now_ms(), last_callback_ms=self._now_ms())
        task = self._start(self._handlers.on_press(event))
        done, _ = await asyncio.wait({task}, timeout=self._answer_within_s)
        if not done:
            return STILL_WORKING
        result = task.result()
        if isinstance(result, BaseException):
            return PRESS_FAILED
        return dict(result) if isinstance(result, dict) else {}

    async def say(self, text, *, who="ann", chat_id="oc_group", chat_type="group", mentioned=True, **more):
        """Write a message and return whether it was acknowledged."""
        event = InboundMessage(
            **{
                "event_id": self._next("ev"),
                "message_id": self._next("om"),
                "app_id": self.app_id,
                "tenant_key": self.tenant_key,
                "sender": self.person(who),
                "chat_id": chat_id,
                "chat_type": chat_type,
                "thread_id": None,
                "kind": "text",
                "text": text,
                "mentioned": mentioned,
                "create_time_ms": self._now_ms(),
                "locale": "en",
                **more,
            }
        )
        return await self.deliver_message(event)

    async def deliver_message(self, event):
        """Deliver a message as it is given and return whether it was acknowledged."""
        self._health = replace(self._health, last_event_ms=self._now_ms())
        return not isinstance(await self._start(self._handlers.on_message(event)), BaseException)

    async def other(self, event_type, body=None, *, event_id=None):
        """Deliver another event; it is acknowledged whatever happens."""
        self._health = replace(self._health, last_event_ms=self._now_ms())
        task = self._start(self._handlers.on_other(event_type, event_id or self._next("ev"), body or {}))
        await asyncio.wait({task}, timeout=self._answer_within_s)
        return True

    # Inside.

    def _start(self, work):
        async def guarded():
            try:
                return await work
            except Exception as error:  # noqa: BLE001 - a handler's failure is an answer here
                return error

        return self._group.create_task(guarded())

    def _next(self, prefix):
        self._numbers += 1
        return f"{prefix}_{self._numbers}"

    def _chat_of(self, receive_id, receive_id_type):
        return receive_id if receive_id_type == "chat_id" else f"oc_p2p_{receive_id}"

    def _fail_before(self, call, subject):
        self.calls.append((call, subject))
        planned = self._planned.popleft() if self._planned else None
        if planned is not None and not planned.after_commit:
            raise planned.fault
        return planned

    def _reachable(self, chat_id):
        if chat_id in self.lost_chats:
            raise LarkFault(LarkFaultKind.CHAT_LOST, code=230002)

    def _reply(self, call, message_id, content, kind, uuid, in_thread):
        parent = self.messages.get(message_id)
        if parent is None or parent.recalled:
            raise LarkFault(LarkFaultKind.GONE, code=231003 if parent is None else 230011)
        return self._post(call, parent.chat_id, content, kind, uuid, reply_to=message_id, in_thread=in_thread)

    def _post(self, call, chat_id, content, kind, uuid, *, reply_to="", in_thread=False):
        after = self._fail_before(call, chat_id)
        message_id = self._uuids.get(uuid)
        if message_id is None:
            self._reachable(chat_id)
            message_id = self._uuids[uuid] = self._next("om")
            self.messages[message_id] = FakeMessage(
                message_id=message_id,
                chat_id=chat_id,
                kind=kind,
                versions=[content],
                reply_to=reply_to,
                in_thread=in_thread,
                mentions=len(_MENTION.findall(content["text"])) if kind == "text" else 0,
            )
        _fail_after(after)
        return SentMessage(message_id=message_id, chat_id=self.messages[message_id].chat_id)


def _fail_after(planned):
    if planned is not None:
        raise planned.fault


def _card(card):
    if len(card) > CARD_BYTES_MAX:
        raise LarkFault(LarkFaultKind.REFUSED_CARD, code=230025)
    try:
        content = orjson.loads(card)
    except orjson.JSONDecodeError:
        content = None
    if not isinstance(content, dict) or content.get("schema") != "2.0":
        raise LarkFault(LarkFaultKind.REFUSED_CARD, code=230099, sub_code=200621)
    return content


def _text(text):
    return {"text": literal_text(text)}
