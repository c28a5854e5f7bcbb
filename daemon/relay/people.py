"""People: from a platform identity to the member whom the ledger knows.

A person is keyed by tenant and union id, or by the open id of one app where there is none. The ledger keeps a digest;
being in a chat grants nothing.
"""

import hashlib

from daemon.relay.wire import Person
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import BOT, MemberId
from ledger.rules.bindings import ReportMember, UpgradeIdentity
from ledger.rules.channels import ReportChannel, is_known
from ledger.rules.common import Caller
from ledger.rules.identities import home_address, identity_digest, member_of
from ledger.state import Workspace
from ledger.writer import Request


class People:
    """Who is behind an event of the platform."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def reached(self, member_id: MemberId, event_id: str) -> None:
        """Somebody wrote to the bot themselves: if they were away, they are back."""
        if member_id in self._service.committed.identity.away:
            asked = ReportMember(member_id=member_id, change="back")
            await self._submit("member.report", asked, event_id)

    async def heard_in(self, chat_id: str, event_id: str) -> None:
        """Something came from a chat just now: if it was lost, it is found, in whatever order that was told."""
        workspace = self._service.committed
        if chat_id in workspace.identity.lost and is_known(workspace, chat_id):
            await self._submit("channel.report", ReportChannel(channel_id=chat_id, change="added"), event_id)

    async def known(self, tenant_key: str, app_id: str, person: Person, event_id: str) -> MemberId | None:
        """The member of this person, unless unknown or revoked.

        Who was bound by an open id and is named by a union id now is known by that from here on.
        """
        workspace = self._service.committed
        who = (tenant_key, app_id, person.open_id, person.union_id)
        member_id = member_of(workspace, *who)
        if member_id is not None and person.union_id and workspace.identities.get(identity_digest(*who)) is None:
            asked = UpgradeIdentity(
                tenant_key=tenant_key, app_id=app_id, open_id=person.open_id, union_id=person.union_id
            )
            await self._submit("member.upgrade-identity", asked, event_id)
        return member_id

    async def _submit(self, name: str, asked: UpgradeIdentity | ReportMember | ReportChannel, event_id: str) -> None:
        job = Request(
            action=ACTIONS[name], params=asked, caller=bot_caller(), proof=lark_proof(event_id), request_key=None
        )
        await self._service.submit(job)


def home_tenant(workspace: Workspace) -> str:
    """The tenant of this workspace's people, or nothing while nobody is paired."""
    home = home_address(workspace)
    return "" if home is None else home.tenant_key


def lark_proof(event_id: str) -> Proof:
    """Proof that the platform named the person: a digest of its event, relayed by the bot."""
    return Proof(kind="lark", reference=hashlib.sha256(event_id.encode()).hexdigest()[:32], relayed_by=BOT)


def person_caller(member_id: MemberId, channel_id: str | None) -> Caller:
    """A person acting from a chat."""
    return Caller(member_id=member_id, kind="person", surface="lark", channel_id=channel_id)


def bot_caller() -> Caller:
    """The bot itself, which may bind an identity and nothing else."""
    return Caller(member_id=BOT, kind="bot", surface="lark")
