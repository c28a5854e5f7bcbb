"""What the platform says of people and chats, relayed by the bot: who left or came, and where the bot is no more.

None of it is anybody's request, and none of it ends a right. A member who left is noted once, the owners are told, and
nothing is sent to them until they are back; a chat that is lost is noted once, and its cards wait. Whoever opens the
direct chat for the first time is told how they come to be known.
"""

from daemon.relay.asked import PAIRING, AskedCards, name_here
from daemon.relay.deliveries import Deliveries
from daemon.relay.people import bot_caller, home_tenant, lark_proof
from daemon.relay.slots import addressee, split
from daemon.relay.wire import Heard, HeardPerson
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.ids import MemberId
from ledger.rules.bindings import ReportMember
from ledger.rules.channels import ReportChannel, is_known
from ledger.rules.identities import member_of
from ledger.writer import Request

WELCOME = "welcome"
Document = dict[str, object]
NOTHING: Document = {"reply": None}


class HeardEvents:
    """Events that nobody asked for."""

    def __init__(self, service: Service, asked: AskedCards, deliveries: Deliveries, app_id: str | None) -> None:
        self._service = service
        self._asked = asked
        self._deliveries = deliveries
        self._app_id = app_id

    async def heard(self, ask: Heard) -> Document:
        """Note what is to be noted; a reply only for whoever looks in for the first time."""
        if self._app_id is not None and ask.app_id and ask.app_id != self._app_id:
            return NOTHING
        match ask.kind:
            case "left" if is_known(self._service.committed, ask.chat_id):
                await self._people(ask, "left_chat")
            case "joined":
                await self._people(ask, "back")
            case "resigned":
                member_id = addressee(split(ask.slot)[1])
                if member_id is not None and member_id in self._service.committed.members:
                    await self._report(ask, member_id, "resigned")
            case "removed" | "added" | "dissolved" if is_known(self._service.committed, ask.chat_id):
                await self._chat(ask)
            case "entered":
                return self._welcome(ask)
            case _:
                pass
        return NOTHING

    async def _people(self, ask: Heard, change: str) -> None:
        for person in ask.people:
            member_id = self._member(ask, person)
            away = member_id in self._service.committed.identity.away
            if member_id is not None and away == (change == "back"):
                await self._report(ask, member_id, change)

    def _member(self, ask: Heard, person: HeardPerson) -> MemberId | None:
        tenant_key = person.tenant_key or ask.tenant_key
        return member_of(self._service.committed, tenant_key, ask.app_id, person.open_id, person.union_id)

    async def _report(self, ask: Heard, member_id: MemberId, change: str) -> None:
        params = ReportMember.model_validate({"member_id": member_id, "change": change})
        await self._submit("member.report", params, ask.event_id)

    async def _chat(self, ask: Heard) -> None:
        params = ReportChannel.model_validate({"channel_id": ask.chat_id, "change": ask.kind})
        lost = ask.chat_id in self._service.committed.identity.lost
        if lost == (ask.kind == "added"):
            await self._submit("channel.report", params, ask.event_id)

    async def _submit(self, name: str, params: ReportMember | ReportChannel, event_id: str) -> None:
        job = Request(
            action=ACTIONS[name], params=params, caller=bot_caller(), proof=lark_proof(event_id), request_key=None
        )
        await self._service.submit(job)

    def _welcome(self, ask: Heard) -> Document:
        """Who somebody is here, said once in their direct chat; afterwards only what they ask."""
        slot = f"{PAIRING}{WELCOME}@{ask.chat_id}"
        if not ask.people or self._deliveries.is_there(slot):
            return NOTHING
        person, home = ask.people[0], home_tenant(self._service.committed)
        member_id = self._member(ask, person)
        if member_id is not None:
            name = name_here(self._service.committed, member_id)
            self._asked.pairing(ask.chat_id, WELCOME, "already", name)
        else:
            is_foreign = bool(home) and (person.tenant_key or ask.tenant_key or home) != home
            self._asked.pairing(ask.chat_id, WELCOME, "foreign" if is_foreign else "how")
        return {"reply": {"kind": "card", "slot": slot}}
