"""Identities: what a person of the platform is known by, and which member that is.

A person is keyed by tenant and union id, or by the open id of one app where the platform names no union id. The ledger
keeps a digest. A person who was bound by an open id and is named by a union id later is the same person.
"""

import hashlib

from ledger.ids import MemberId
from ledger.records import Address
from ledger.rules.common import registered
from ledger.state import Workspace


def open_digest(tenant_key: str, app_id: str, open_id: str) -> str:
    """The digest of a person as one app knows them."""
    return hashlib.sha256(f"open\0{tenant_key}\0{app_id}\0{open_id}".encode()).hexdigest()


def identity_digest(tenant_key: str, app_id: str, open_id: str, union_id: str) -> str:
    """The digest a person's identity is bound by."""
    if not union_id:
        return open_digest(tenant_key, app_id, open_id)
    return hashlib.sha256(f"union\0{tenant_key}\0{union_id}".encode()).hexdigest()


def member_of(workspace: Workspace, tenant_key: str, app_id: str, open_id: str, union_id: str) -> MemberId | None:
    """The member behind a person as the platform names them now, unless unknown or revoked.

    The union id counts first. Where it is not known, or not said, it is the open id, in the app it belongs to.
    """
    found = workspace.identities.get(identity_digest(tenant_key, app_id, open_id, union_id))
    if found is None:
        found = workspace.identities.get(open_digest(tenant_key, app_id, open_id))
    if found is None and not union_id:
        found = next((who for who, at in workspace.addresses.items() if _is_at(at, tenant_key, app_id, open_id)), None)
    return None if found is None or registered(workspace, found) is None else found


def member_at(workspace: Workspace, tenant_key: str, app_id: str, open_id: str) -> MemberId | None:
    """The member who was bound with this open id, by whatever their identity is keyed."""
    by_open_id = workspace.identities.get(open_digest(tenant_key, app_id, open_id))
    if by_open_id is not None:
        return by_open_id
    return next((who for who, at in workspace.addresses.items() if _is_at(at, tenant_key, app_id, open_id)), None)


def home_address(workspace: Workspace) -> Address | None:
    """An address that says which tenant and app this workspace's people are in, if anybody is paired."""
    return next(iter(workspace.addresses.values()), None)


def _is_at(address: Address, tenant_key: str, app_id: str, open_id: str) -> bool:
    return (address.tenant_key, address.app_id, address.open_id) == (tenant_key, app_id, open_id)
