"""People: from a platform identity to the member whom the ledger knows.

A person is keyed by tenant and union id, or by the open id of one app where there is none. The ledger keeps a digest;
being in a chat grants nothing.
"""

import hashlib

from ledger.events import Proof
from ledger.ids import BOT, MemberId
from ledger.rules.common import Caller
from ledger.state import Workspace


def identity_digest(tenant_key: str, app_id: str, open_id: str, union_id: str) -> str:
    """The digest a person's Lark identity is known by."""
    who = f"union\0{tenant_key}\0{union_id}" if union_id else f"open\0{tenant_key}\0{app_id}\0{open_id}"
    return hashlib.sha256(who.encode()).hexdigest()


def person_behind(workspace: Workspace, digest: str) -> MemberId | None:
    """The member of an identity, unless unknown or revoked."""
    member_id = workspace.identities.get(digest)
    return None if member_id is None or workspace.members[member_id].revoked else member_id


def home_tenant(workspace: Workspace) -> str:
    """The tenant of this workspace's people, or nothing while nobody is paired."""
    return next((address.tenant_key for address in workspace.addresses.values()), "")


def lark_proof(event_id: str) -> Proof:
    """Proof that the platform named the person: a digest of its event, relayed by the bot."""
    return Proof(kind="lark", reference=hashlib.sha256(event_id.encode()).hexdigest()[:32], relayed_by=BOT)


def person_caller(member_id: MemberId, channel_id: str | None) -> Caller:
    """A person acting from a chat."""
    return Caller(member_id=member_id, kind="person", surface="lark", channel_id=channel_id)


def bot_caller() -> Caller:
    """The bot itself, which may bind an identity and nothing else."""
    return Caller(member_id=BOT, kind="bot", surface="lark")
