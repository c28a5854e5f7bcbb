"""What somebody says in a chat about people and about the chat itself: each opens a card and changes nothing."""

from daemon.relay.asked import AskedCards
from daemon.relay.people import person_caller
from daemon.relay.shown import Asked
from daemon.relay.subjects.identity import channel_subject
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.decide import may_ask
from ledger.ids import MemberId
from ledger.refusals import GeneralRefusal
from ledger.rules.common import refuse
from ledger.text.explain import explain
from ledger.text.say import say

Document = dict[str, object]


class IdentityCommands:
    """Invitations and bindings, asked for from the chat that they are about."""

    def __init__(self, service: Service, cards: AskedCards) -> None:
        self._service = service
        self._cards = cards

    def card(self, asked: Asked, command: str) -> Document:
        """The card that was asked for, or why there is none."""
        member_id = MemberId(asked.member_id or "")
        if asked.is_direct:
            return _text(f"chat.{command}_in_group")
        if command == "bind":
            return _card(f"{channel_subject(member_id, asked.message_id)}@{asked.chat_id}")
        action = ACTIONS["member.invite"]
        if not may_ask(self._service.committed, action, person_caller(member_id, asked.chat_id)):
            refusal = refuse(GeneralRefusal.NOT_PERMITTED, action=action.name, needs=sorted(action.who))
            en, zh = explain(refusal, "en"), explain(refusal, "zh")
            return {"reply": {"kind": "text", "en": " ".join(en), "zh": "".join(zh)}, "code": refusal.code.value}
        return _card(self._cards.invite(asked.chat_id, asked.message_id))


def _card(slot: str) -> Document:
    return {"reply": {"kind": "card", "slot": slot}}


def _text(key: str) -> Document:
    return {"reply": {"kind": "text", "en": say(key, "en"), "zh": say(key, "zh")}}
