"""A message: commands open cards, a pairing code binds a person, and nothing that is written changes a goal.

Free text opens a form with the text already in it. A command that comes too late is shown, not run.
"""

import hashlib
import re
from dataclasses import dataclass

from daemon.relay.forms import Forms
from daemon.relay.people import bot_caller, identity_digest, lark_proof, person_behind
from daemon.relay.wire import Message
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.refusals import Refusal
from ledger.rules.goals import first_line
from ledger.rules.members import BindIdentity
from ledger.text.explain import explain
from ledger.text.say import Locale, one_line, say
from ledger.writer import Request

FRESH_MS_MAX = 10 * 60_000
"""A command older than this is shown, not run: after a reconnect the platform delivers in bursts."""
PAIR_TRIES_MAX = 5
PAIR_WINDOW_MS = 10 * 60_000
TRACKED_MAX = 10_000
OBJECTIVE_CHARS_MAX = 1_000
_CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}-?[0-9A-HJKMNP-TV-Z]{4}")
_COMMANDS = {
    "help": "help", "帮助": "help", "propose": "propose", "提议": "propose", "goals": "goals", "目标": "goals",
    "status": "goals", "状态": "goals", "pair": "pair", "配对": "pair",
}  # fmt: skip
Document = dict[str, object]


@dataclass
class _Tries:
    since_ms: int
    count: int


class Messages:
    """Messages relayed by the bot."""

    def __init__(self, service: Service, forms: Forms, app_id: str | None) -> None:
        self._service = service
        self._forms = forms
        self._app_id = app_id
        self._tries: dict[str, _Tries] = {}

    async def message(self, ask: Message) -> Document:
        """What to reply, if anything."""
        if self._app_id is not None and ask.app_id != self._app_id:
            return {"reply": None}
        if ask.chat_type == "group" and not ask.mentioned:
            return {"reply": None}
        if ask.kind != "text":
            return _text("chat.unsupported")
        if self._service.clock.now_ms() - ask.create_time_ms > FRESH_MS_MAX:
            return _text("chat.late", said=one_line(ask.text)[:80])
        word, _, rest = ask.text.strip().lstrip("/").partition(" ")
        command = _COMMANDS.get(word.lower(), "text")
        bare = ask.text.strip().upper()
        if command == "pair" or (ask.chat_type == "p2p" and _CODE.fullmatch(bare)):
            return await self._pair(ask, rest.strip().upper() if command == "pair" else bare)
        if command == "help":
            return _text("chat.help")
        digest = identity_digest(ask.tenant_key, ask.app_id, ask.sender.open_id, ask.sender.union_id)
        if person_behind(self._service.committed, digest) is None:
            return _text("chat.unpaired")
        if command == "goals":
            return self._goals(ask)
        return self._form(ask, rest.strip() if command == "propose" else ask.text.strip())

    async def _pair(self, ask: Message, code: str) -> Document:
        if ask.chat_type != "p2p":
            return _text("chat.pair_in_private")
        if not _CODE.fullmatch(code):
            return _text("chat.pair_how")
        digest = identity_digest(ask.tenant_key, ask.app_id, ask.sender.open_id, ask.sender.union_id)
        if not self._may_try(digest):
            return _text("chat.pair_wait")
        params = BindIdentity(
            code_digest=hashlib.sha256(code.replace("-", "").encode()).hexdigest(),
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
        here = [goal for goal in self._service.committed.goals.values() if ask.chat_id in goal.channels]
        shown = here[-10:]
        if not shown:
            return _text("chat.no_goals")

        def lines(locale: Locale) -> str:
            rows = [
                f"{goal.goal_id} · {say(f'state.{goal.state}', locale)} · {one_line(goal.intent.title)}"
                for goal in reversed(shown)
            ]
            return "\n".join([say("chat.goals", locale, shown=len(shown), total=len(here)), *rows])

        return {"reply": {"kind": "text", "en": lines("en"), "zh": lines("zh")}}

    def _form(self, ask: Message, text: str) -> Document:
        slot = f"form:{ask.message_id}@{ask.chat_id}"
        values = {"objective": text[:OBJECTIVE_CHARS_MAX], "title": first_line(text)} if text else {}
        self._forms.open(slot, values)
        reply: Document = {"kind": "card", "slot": slot}
        if len(text) > OBJECTIVE_CHARS_MAX:
            # What does not fit is said, not dropped in silence.
            reply["note"] = {
                "en": say("chat.too_long", "en", limit=OBJECTIVE_CHARS_MAX),
                "zh": say("chat.too_long", "zh", limit=OBJECTIVE_CHARS_MAX),
            }
        return {"reply": reply}


def _text(key: str, **values: object) -> Document:
    return {"reply": {"kind": "text", "en": say(key, "en", **values), "zh": say(key, "zh", **values)}}


def _refusal(refusal: Refusal) -> Document:
    en, zh = explain(refusal, "en"), explain(refusal, "zh")
    return {"reply": {"kind": "text", "en": " ".join(filter(None, en)), "zh": "".join(filter(None, zh))}}
