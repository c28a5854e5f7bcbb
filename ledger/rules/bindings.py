"""Bindings: which platform identity stands for which member, how it ends, and what the platform says of people.

That somebody left a chat or the organisation ends no right: an owner decides that. Until they are back, nothing is
sent to them. A binding that ends makes every button of that person inert at once, for nobody is behind them any more.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledger.events import Draft
from ledger.params import MemberIdText, Params
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, refuse, registered
from ledger.rules.identities import identity_digest, member_at
from ledger.rules.identity_events import IdentityUpgraded, MemberAway, MemberBack, MemberUnbound
from ledger.rules.invitations import PlatformId
from ledger.rules.member_events import IdentityWords
from ledger.rules.members import living
from ledger.state import Workspace


class BindingRefusal(StrEnum):
    """Why a binding does not change, in order of precedence."""

    MEMBER_NOT_FOUND = "member_not_found"
    MEMBER_REVOKED = "member_revoked"
    BINDING_NOT_YOURS = "binding_not_yours"
    NOT_BOUND = "not_bound"
    IDENTITY_BOUND_TO_ANOTHER = "identity_bound_to_another"


class ListBindings(Params):
    """Whose Lark identity is bound: since when, by whom, and who is away."""

    member_id: Annotated[MemberIdText | None, Field(description="Only this member's.")] = None


class UnbindMember(Params):
    """End the binding of a person's Lark identity; their buttons do nothing from then on."""

    member_id: Annotated[MemberIdText | None, Field(description="Whose binding ends; the caller's when absent.")] = None


class UpgradeIdentity(Params):
    """Know a bound person by the union id that the platform names now; relayed by the bot alone."""

    tenant_key: PlatformId
    app_id: PlatformId
    open_id: PlatformId
    union_id: PlatformId


class ReportMember(Params):
    """What the platform says of a member who left or is back; relayed by the bot alone."""

    member_id: MemberIdText
    change: Literal["left_chat", "resigned", "back"]


def decide_unbind(workspace: Workspace, caller: Caller, ask: UnbindMember, _now_ms: int) -> Decision:
    """End a binding: one's own, or anybody's where one administers."""
    member = living(workspace, ask.member_id or caller.member_id)
    if isinstance(member, Refusal):
        return member
    actor = registered(workspace, caller.member_id)
    administers = caller.kind == "operator" or (actor is not None and "owner" in actor.roles)
    if not administers and member.member_id != caller.member_id:
        return refuse(BindingRefusal.BINDING_NOT_YOURS)
    if member.identity_digest is None:
        return refuse(BindingRefusal.NOT_BOUND, member_id=member.member_id)
    return (Draft(facts=MemberUnbound(member_id=member.member_id, identity_digest=member.identity_digest)),)


def decide_upgrade(workspace: Workspace, _caller: Caller, ask: UpgradeIdentity, _now_ms: int) -> Decision:
    """The same member under the better name; another member's name is never taken."""
    digest = identity_digest(ask.tenant_key, ask.app_id, ask.open_id, ask.union_id)
    member_id = member_at(workspace, ask.tenant_key, ask.app_id, ask.open_id)
    member = None if member_id is None else registered(workspace, member_id)
    if member is None or member.identity_digest is None:
        return refuse(BindingRefusal.NOT_BOUND)
    if member.identity_digest == digest:
        return Held(seq=workspace.seq, facts={"member_id": member.member_id})
    bound = workspace.identities.get(digest)
    if bound is not None:
        return refuse(BindingRefusal.IDENTITY_BOUND_TO_ANOTHER, member_id=bound)
    facts = IdentityUpgraded(member_id=member.member_id, identity_digest=digest, replaces=member.identity_digest)
    words = IdentityWords(tenant_key=ask.tenant_key, app_id=ask.app_id, open_id=ask.open_id, union_id=ask.union_id)
    return (Draft(facts=facts, words=words),)


def decide_report(workspace: Workspace, _caller: Caller, ask: ReportMember, _now_ms: int) -> Decision:
    """Write down once that somebody left, and once that they are back."""
    member = living(workspace, ask.member_id)
    if isinstance(member, Refusal):
        return member
    if member.identity_digest is None:
        return refuse(BindingRefusal.NOT_BOUND, member_id=member.member_id)
    away = workspace.identity.away.get(member.member_id)
    if ask.change == "back":
        if away is None:
            return Held(seq=workspace.seq, facts={"member_id": member.member_id})
        return (Draft(facts=MemberBack(member_id=member.member_id)),)
    if away is not None:
        return Held(seq=away.seq, facts={"member_id": member.member_id})
    return (Draft(facts=MemberAway(member_id=member.member_id, because=ask.change)),)
