"""A message: commands open cards, a pairing code binds a person, and nothing that is written changes a goal.

Free text opens a form with the text already in it. A command that comes too late is shown, not run.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from daemon.relay.drafts import Drafts
from daemon.relay.forms import Forms
from daemon.relay.people import bot_caller, home_tenant, identity_digest, lark_proof, person_behind
from daemon.relay.refusals import RelayRefusal
from daemon.relay.wire import Message
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.outlines import outline_of
from ledger.projections.outlet import title_in_chat
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import first_line
from ledger.rules.members import BindIdentity
from ledger.text.explain import explain
from ledger.text.say import Locale, one_line, plain, say
from ledger.writer import Request

FRESH_MS_MAX = 10 * 60_000
"""A command older than this is shown, not run: after a reconnect the platform delivers in bursts."""
LATE_SHOWN_CHARS = 80
PAIR_TRIES_MAX = 5
PAIR_WINDOW_MS = 10 * 60_000
TRACKED_MAX = 10_000
GOALS_SHOWN_MAX = 10
_CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{8}")
_LOOKS_LIKE = str.maketrans("OIL", "011")
"""Letters that no code has, and the digits they are taken for."""
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015]+")
_SHAPE = re.compile(r"[0-9A-Z]{4}[\s\-\u2010-\u2015]?[0-9A-Z]{4}")
_COMMAND = re.compile(r"/?(?P<word>\w+)(?:[\s:：,，]+(?P<rest>.*))?", re.DOTALL)
_COMMANDS = {
    "help": "help", "帮助": "help", "propose": "propose", "提议": "propose", "goals": "goals", "目标": "goals",
    "status": "goals", "状态": "goals", "pair": "pair", "配对": "pair",
}  # fmt: skip
_ALONE = frozenset({"help", "goals"})
"""Commands that take nothing: a sentence that begins with such a word is a sentence."""
Document = dict[str, object]


@dataclass
class _Tries:
    since_ms: int
    count: int


class Messages:
    """Messages relayed by the bot."""

    def __init__(self, service: Service, forms: Forms, drafts: Drafts, app_id: str | None) -> None:
        self._service = service
        self._forms = forms
        self._drafts = drafts
        self._app_id = app_id
        self._tries: dict[str, _Tries] = {}

    async def message(self, ask: Message) -> Document:
        """What to reply, if anything."""
        if self._app_id is not None and ask.app_id != self._app_id:
            return {"reply": None}
        if ask.chat_type == "p2p":
            self._drafts.heard_in_private(ask.chat_id)
        if ask.chat_type == "group" and not ask.mentioned:
            return {"reply": None}
        if ask.kind != "text":
            return _text("chat.unsupported")
        if self._service.clock.now_ms() - ask.create_time_ms > FRESH_MS_MAX:
            return _text("chat.late", said=_shortened(one_line(ask.text), LATE_SHOWN_CHARS))
        command, rest = _command(ask.text)
        digest = identity_digest(ask.tenant_key, ask.app_id, ask.sender.open_id, ask.sender.union_id)
        known = person_behind(self._service.committed, digest) is not None
        code = self._code(command, rest, known=known)
        if code is not None:
            return await self._pair(ask, code, digest)
        if command == "help" or not ask.text.strip():
            return _text("chat.help")
        if not known:
            foreign = self._foreign(ask)
            return _text("chat.unpaired") if foreign is None else _refusal(foreign)
        if command == "goals":
            return self._goals(ask)
        return self._form(ask, rest if command == "propose" else ask.text.strip())

    def _code(self, command: str, rest: str, *, known: bool) -> str | None:
        """The pairing code that a message is, or is meant to be."""
        code = _normalised(rest)
        if command == "pair":
            # Who is paired already may well write a sentence that begins with the word.
            return None if known and rest and not _CODE.fullmatch(code) else code
        if command != "text" or not _CODE.fullmatch(code) or not _has_shape(rest):
            return None
        # Eight letters are a code to whoever needs one; to everybody else only if such a code was given out.
        return code if not known or _digest(code) in self._service.committed.pairings else None

    def _foreign(self, ask: Message) -> Refusal | None:
        home = home_tenant(self._service.committed)
        return refuse(RelayRefusal.TENANT_FOREIGN) if home and ask.tenant_key != home else None

    async def _pair(self, ask: Message, code: str, digest: str) -> Document:
        if ask.chat_type != "p2p":
            return _text("chat.pair_in_private")
        if not _CODE.fullmatch(code):
            return _text("chat.pair_how")
        if not self._may_try(digest):
            return _text("chat.pair_wait")
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
        return _text("chat.paired", name=one_line(name))

    def _may_try(self, digest: str) -> bool:
        now_ms = self._service.clock.now_ms()
        tries = self._tries.get(digest)
        if tries is None or now_ms - tries.since_ms >= PAIR_WINDOW_MS:
            if len(self._tries) >= TRACKED_MAX:
                del self._tries[next(iter(self._tries))]
            tries = self._tries[digest] = _Tries(now_ms, 0)
        tries.count += 1
        return tries.count <= PAIR_TRIES_MAX

    def _goals(self, ask: Message) -> Document:
        here = [held for held in self._service.committed.goals.held() if ask.chat_id in held.channels]
        shown = here[-GOALS_SHOWN_MAX:]
        if not shown:
            return _text("chat.no_goals")

        titles = {one.goal_id: title_in_chat(self._service.committed, one) for one in map(outline_of, shown)}

        def lines(locale: Locale) -> str:
            rows = [
                f"{one.goal_id} · {say(f'state.{one.state}', locale)} · {one_line(titles[one.goal_id])}"
                for one in map(outline_of, reversed(shown))
            ]
            return "\n".join([say("chat.goals", locale, shown=len(shown), total=len(here)), *rows])

        return {"reply": {"kind": "text", "en": lines("en"), "zh": lines("zh")}}

    def _form(self, ask: Message, text: str) -> Document:
        slot = f"form:{ask.message_id}@{ask.chat_id}"
        # All of it: what does not fit into the form is counted on the card, not dropped in silence.
        self._forms.open(slot, {"objective": text, "title": first_line(text)} if text else {})
        return {"reply": {"kind": "card", "slot": slot}}


def _command(text: str) -> tuple[str, str]:
    """What a message asks for, and the rest of it; all of it where it is only text."""
    said = text.strip()
    found = _COMMAND.fullmatch(said)
    command = "text" if found is None else _COMMANDS.get(found["word"].lower(), "text")
    if found is None or command == "text" or (command in _ALONE and found["rest"]):
        return "text", said
    return command, (found["rest"] or "").strip()


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


def _text(key: str, **values: object) -> Document:
    return {"reply": {"kind": "text", "en": say(key, "en", **values), "zh": say(key, "zh", **values)}}


def _refusal(refusal: Refusal) -> Document:
    en, zh = explain(refusal, "en"), explain(refusal, "zh")
    text = {"kind": "text", "en": " ".join(filter(None, en)), "zh": "".join(filter(None, zh))}
    return {"reply": text, "code": refusal.code.value}
