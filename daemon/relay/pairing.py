"""Pairing: a code that was sent in private binds whoever sent it, and a card says what came of it.

Tries are counted for each identity, so that nobody finds a code by trying. Who is known is told so, and as whom.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from daemon.relay.asked import AskedCards, name_here
from daemon.relay.commands import Command
from daemon.relay.people import bot_caller, home_tenant, lark_proof
from daemon.relay.refusals import RelayRefusal
from daemon.relay.wire import Message
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.ids import MemberId
from ledger.projections.identity_views import PairingState
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.identities import identity_digest, member_of
from ledger.rules.members import BindIdentity, MemberRefusal
from ledger.text.explain import explain
from ledger.text.say import one_line, plain, say
from ledger.writer import Request

PAIR_TRIES_MAX = 5
PAIR_WINDOW_MS = 10 * 60_000
TRACKED_MAX = 10_000
_CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{8}")
_LOOKS_LIKE = str.maketrans("OIL", "011")
"""Letters that no code has, and the digits they are taken for."""
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015]+")
_SHAPE = re.compile(r"[0-9A-Z]{4}[\s\-\u2010-\u2015]?[0-9A-Z]{4}")
_STATES: dict[str, PairingState] = {
    MemberRefusal.PAIRING_CODE_UNKNOWN: "wrong",
    MemberRefusal.PAIRING_CODE_EXPIRED: "expired",
    MemberRefusal.IDENTITY_BOUND_TO_ANOTHER: "elsewhere",
    RelayRefusal.TENANT_FOREIGN: "foreign",
}
Document = dict[str, object]


@dataclass
class _Tries:
    since_ms: int
    count: int


class Pairing:
    """Codes that people send, and the card that answers them."""

    def __init__(self, service: Service, asked: AskedCards) -> None:
        self._service = service
        self._asked = asked
        self._tries: dict[str, _Tries] = {}

    def code_in(self, command: Command, *, known: bool) -> str | None:
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

    def foreign(self, tenant_key: str) -> Refusal | None:
        """Why somebody of another organisation is not let in."""
        home = home_tenant(self._service.committed)
        return refuse(RelayRefusal.TENANT_FOREIGN) if home and tenant_key != home else None

    def unknown(self, ask: Message) -> Document:
        """Whoever is not known is told how they come to be; in a group by a line, in private by the card."""
        foreign = self.foreign(ask.tenant_key)
        if ask.chat_type != "p2p":
            return _text("chat.unpaired") if foreign is None else _refusal(foreign)
        if foreign is not None:
            return self._card(ask, "foreign", _refusal(foreign))
        return self._card(ask, "how", _text("chat.unpaired"))

    async def pair(self, ask: Message, code: str) -> Document:
        """Bind whoever sent a code, or say why not."""
        if ask.chat_type != "p2p":
            return _text("chat.pair_in_private")
        who = (ask.tenant_key, ask.app_id, ask.sender.open_id, ask.sender.union_id)
        before = member_of(self._service.committed, *who)
        if not _CODE.fullmatch(code):
            if before is not None and not code:
                return self._card(ask, "already", _text("chat.pair_how"), before)
            return self._card(ask, "how" if before is None and not code else "wrong", _text("chat.pair_how"), before)
        digest = identity_digest(*who)
        if not self._may_try(digest):
            return self._card(ask, "wait", _text("chat.pair_wait"))
        params = BindIdentity(
            code_digest=_digest(code),
            identity_digest=digest,
            tenant_key=ask.tenant_key,
            app_id=ask.app_id,
            open_id=ask.sender.open_id,
            union_id=ask.sender.union_id,
        )
        answer = await self._service.submit(
            Request(
                action=ACTIONS["member.bind"],
                params=params,
                caller=bot_caller(),
                proof=lark_proof(ask.message_id),
                request_key="pair-" + hashlib.sha256(ask.message_id.encode()).hexdigest()[:32],
                refused=self.foreign(ask.tenant_key),
            )
        )
        if answer.refusal is not None:
            said, state = _refusal(answer.refusal), _STATES.get(answer.refusal.code.value)
            return said if state is None else self._card(ask, state, said, before)
        after = member_of(self._service.committed, *who)
        name = name_here(self._service.committed, after)
        return self._card(ask, "paired", _text("chat.paired", name=one_line(name)), after)

    def _card(self, ask: Message, state: PairingState, said: Document, member_id: MemberId | None = None) -> Document:
        """The card of this state, with what it says as text beside it for whoever cannot be shown one."""
        name = name_here(self._service.committed, member_id)
        slot = self._asked.pairing(ask.chat_id, ask.message_id, state, name)
        reply = said["reply"]
        assert isinstance(reply, dict), "a text is a reply"
        return {**said, "reply": {**reply, "kind": "card", "slot": slot}}

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


def _text(key: str, **values: object) -> Document:
    return {"reply": {"kind": "text", "en": say(key, "en", **values), "zh": say(key, "zh", **values)}}


def _refusal(refusal: Refusal) -> Document:
    en, zh = explain(refusal, "en"), explain(refusal, "zh")
    text = {"kind": "text", "en": " ".join(filter(None, en)), "zh": "".join(filter(None, zh))}
    return {"reply": text, "code": refusal.code.value}
