"""A message: commands open cards, a pairing code binds a person, and nothing that is written changes a goal.

Free text opens a form with the text already in it. A command that comes too late is shown, not run.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from daemon.relay.answers import Answers, text
from daemon.relay.commands import Command, command_of
from daemon.relay.drafts import Drafts
from daemon.relay.missed import Late
from daemon.relay.people import bot_caller, home_tenant, identity_digest, lark_proof, person_behind
from daemon.relay.refusals import RelayRefusal
from daemon.relay.shown import Asked
from daemon.relay.wire import Message
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.ids import MemberId
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.members import BindIdentity
from ledger.text.explain import explain
from ledger.text.say import one_line, plain
from ledger.writer import Request

FRESH_MS_MAX = 10 * 60_000
"""A command older than this is shown, not run: after a reconnect the platform delivers in bursts."""
LATE_SHOWN_CHARS = 80
PAIR_TRIES_MAX = 5
PAIR_WINDOW_MS = 10 * 60_000
TRACKED_MAX = 10_000
HINT_EVERY_MS = 3_600_000
READ = frozenset({"text", "post"})
"""The kinds of messages that have a text."""
_CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{8}")
_LOOKS_LIKE = str.maketrans("OIL", "011")
"""Letters that no code has, and the digits they are taken for."""
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015]+")
_SHAPE = re.compile(r"[0-9A-Z]{4}[\s\-\u2010-\u2015]?[0-9A-Z]{4}")
Document = dict[str, object]


@dataclass
class _Tries:
    since_ms: int
    count: int


class Messages:
    """Messages relayed by the bot."""

    def __init__(self, service: Service, answers: Answers, drafts: Drafts, app_id: str | None) -> None:
        self._service = service
        self._answers = answers
        self._drafts = drafts
        self._app_id = app_id
        self._hinted: dict[str, int] = {}
        self._tries: dict[str, _Tries] = {}

    async def message(self, ask: Message) -> Document:
        """What to reply, if anything."""
        if self._app_id is not None and ask.app_id != self._app_id:
            return {"reply": None}
        if ask.chat_type == "p2p":
            self._drafts.heard_in_private(ask.chat_id)
        if ask.chat_type == "group" and not ask.mentioned:
            return {"reply": None}
        is_late = self._service.clock.now_ms() - ask.create_time_ms > FRESH_MS_MAX
        if ask.kind not in READ:
            return {"reply": None} if is_late else self._hint(ask)
        command = command_of(ask.text)
        digest = identity_digest(ask.tenant_key, ask.app_id, ask.sender.open_id, ask.sender.union_id)
        member_id = person_behind(self._service.committed, digest)
        code = self._code(command, known=member_id is not None)
        asked = Asked(ask.message_id, ask.chat_id, is_direct=ask.chat_type == "p2p", member_id=member_id)
        if is_late:
            return self._late(ask, asked, is_code=code is not None)
        if code is not None:
            return await self._pair(ask, code, digest)
        if command.name == "help" or not command.said:
            return self._answers.help(asked, paired=member_id is not None)
        if member_id is None:
            foreign = self._foreign(ask)
            return text("chat.unpaired") if foreign is None else _refusal(foreign)
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

    def _code(self, command: Command, *, known: bool) -> str | None:
        """The pairing code that a message is, or is meant to be."""
        rest = command.rest
        code = _normalised(rest)
        if command.name == "pair":
            # Who is paired already may well write a sentence that begins with the word.
            return None if known and rest and not _CODE.fullmatch(code) else code
        if command.name != "text" or not _CODE.fullmatch(code) or not _has_shape(rest):
            return None
        # Eight letters are a code to whoever needs one; to everybody else only if such a code was given out.
        return code if not known or _digest(code) in self._service.committed.pairings else None

    def _foreign(self, ask: Message) -> Refusal | None:
        home = home_tenant(self._service.committed)
        return refuse(RelayRefusal.TENANT_FOREIGN) if home and ask.tenant_key != home else None

    async def _pair(self, ask: Message, code: str, digest: str) -> Document:
        if ask.chat_type != "p2p":
            return text("chat.pair_in_private")
        if not _CODE.fullmatch(code):
            return text("chat.pair_how")
        if not self._may_try(digest):
            return text("chat.pair_wait")
        params = BindIdentity(
            code_digest=_digest(code),
            identity_digest=digest,
            tenant_key=ask.tenant_key,
            app_id=ask.app_id,
            open_id=ask.sender.open_id,
            union_id=ask.sender.union_id,
        )
        key = "pair-" + hashlib.sha256(ask.message_id.encode()).hexdigest()[:32]
        job = Request(
            action=ACTIONS["member.bind"],
            params=params,
            caller=bot_caller(),
            proof=lark_proof(ask.message_id),
            request_key=key,
            refused=self._foreign(ask),
        )
        answer = await self._service.submit(job)
        if answer.refusal is not None:
            return _refusal(answer.refusal)
        member_id = person_behind(self._service.committed, digest)
        name = "" if member_id is None else self._service.committed.members[member_id].display_name
        return text("chat.paired", name=one_line(name))

    def _may_try(self, digest: str) -> bool:
        now_ms = self._service.clock.now_ms()
        tries = self._tries.get(digest)
        if tries is None or now_ms - tries.since_ms >= PAIR_WINDOW_MS:
            if len(self._tries) >= TRACKED_MAX:
                del self._tries[next(iter(self._tries))]
            tries = self._tries[digest] = _Tries(now_ms, 0)
        tries.count += 1
        return tries.count <= PAIR_TRIES_MAX


def _normalised(text: str) -> str:
    """A code as it was given out, however it was typed or pasted."""
    return _SEPARATORS.sub("", _upper(text)).translate(_LOOKS_LIKE)


def _has_shape(text: str) -> bool:
    """Whether a text looks like a code by itself; a word with letters that no code has does not."""
    shown = _upper(text)
    letters = _SEPARATORS.sub("", shown)
    has_digit = any(sign in "0123456789" for sign in letters)
    return _SHAPE.fullmatch(shown) is not None and (has_digit or _CODE.fullmatch(letters) is not None)


def _upper(text: str) -> str:
    return unicodedata.normalize("NFKC", plain(text)).strip().upper()


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _shortened(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def _refusal(refusal: Refusal) -> Document:
    en, zh = explain(refusal, "en"), explain(refusal, "zh")
    said = {"kind": "text", "en": " ".join(filter(None, en)), "zh": "".join(filter(None, zh))}
    return {"reply": said, "code": refusal.code.value}
