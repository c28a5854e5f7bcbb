"""Members: who there is, how they prove it, and how a person's Lark identity is bound.

A secret never reaches the ledger or the wire: whoever needs one makes it and hands in its digest. Being in a
chat grants nothing; only a pairing code that an operator gave to that person binds an identity.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledger.events import Draft
from ledger.ids import BOT, PRONOUNS, RESERVED_MEMBER_IDS, MemberId, TokenId
from ledger.params import Capabilities, GoalIdText, MemberIdText, Params, Sha256Text, Title
from ledger.records import Member
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, next_seq, refuse, registered
from ledger.rules.holdings import everything_held
from ledger.rules.identities import member_at
from ledger.rules.member_events import (
    ButtonKeyRotated,
    CodeEnrolled,
    IdentityWords,
    MemberAdded,
    MemberPaired,
    MemberRevoked,
    MemberWords,
    PairingOffered,
    TokenIssued,
    WorkspaceCreated,
    WorkspaceWords,
)
from ledger.state import Workspace

PAIRING_TTL_SECONDS_DEFAULT = 900
PAIRING_TTL_SECONDS_MAX = 86_400
BUTTON_KEY_GRACE_SECONDS_DEFAULT = 2 * 86_400
BUTTON_KEY_GRACE_SECONDS_MAX = 14 * 86_400

Role = Literal["owner", "approver", "viewer"]
ProfileRole = Literal["executor", "reviewer", "monitor", "critic", "dreaming_proposer", "steward"]


class MemberRefusal(StrEnum):
    """Why a member action is refused, in order of precedence."""

    WORKSPACE_EXISTS = "workspace_exists"
    MEMBER_ID_RESERVED = "member_id_reserved"
    TOKEN_ACTION_UNKNOWN = "token_action_unknown"  # noqa: S105  (the name of a rule)
    MEMBER_NOT_FOUND = "member_not_found"
    MEMBER_EXISTS = "member_exists"
    MEMBER_REVOKED = "member_revoked"
    NOT_A_PERSON = "not_a_person"
    ROLE_NEEDS_PERSON = "role_needs_person"
    LAST_OWNER = "last_owner"
    TOKEN_NOT_FOUND = "token_not_found"  # noqa: S105
    TOKEN_ALREADY_REVOKED = "token_already_revoked"  # noqa: S105
    TOKEN_GOAL_UNKNOWN = "token_goal_unknown"  # noqa: S105
    TOKEN_BEYOND_ITS_ISSUER = "token_beyond_its_issuer"  # noqa: S105
    SECRET_IN_USE = "secret_in_use"  # noqa: S105
    PAIRING_CODE_UNKNOWN = "pairing_code_unknown"
    PAIRING_CODE_EXPIRED = "pairing_code_expired"
    IDENTITY_BOUND_TO_ANOTHER = "identity_bound_to_another"


class CreateWorkspace(Params):
    """Begin a ledger: its name and its first owner."""

    name: Annotated[Title, Field(description="What the workspace is called.")]
    incarnation: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="Which life of the ledger this is.")]
    owner: Annotated[MemberIdText, Field(description="Member id of the first owner.")]
    owner_name: Annotated[Title, Field(description="What the first owner is called.")]
    owner_secret_digest: Annotated[Sha256Text, Field(description="SHA-256 of the first owner's secret.")]
    bot_secret_digest: Annotated[Sha256Text, Field(description="SHA-256 of the bot's secret.")]


class AddMember(Params):
    """Register a person or an agent."""

    member_id: Annotated[MemberIdText, Field(description="Id of the new member, lower case.")]
    kind: Annotated[Literal["person", "agent"], Field(description="What the member is.")]
    display_name: Annotated[Title, Field(description="What the member is called.")]
    role: Annotated[tuple[Role, ...], Field(max_length=3, description="Roles of a person in the workspace.")] = ()
    profile_role: Annotated[ProfileRole | None, Field(description="Advisory role of an agent; grants nothing.")] = None
    capability: Annotated[Capabilities, Field(description="What an agent is able to do.")] = ()
    goal_id: Annotated[
        tuple[GoalIdText, ...], Field(max_length=64, description="Goals an agent may act on; all when absent.")
    ] = ()


class RevokeMember(Params):
    """End a member's rights, credentials and Lark binding at once."""

    member_id: Annotated[MemberIdText, Field(description="Who is revoked.")]


class PairMember(Params):
    """Offer a code that binds a person's Lark identity."""

    member_id: Annotated[MemberIdText, Field(description="Which person the code is for.")]
    code_digest: Annotated[
        Sha256Text, Field(description="SHA-256 of the code; the command line makes the code and prints it.")
    ]
    ttl_seconds: Annotated[
        int, Field(ge=60, le=PAIRING_TTL_SECONDS_MAX, description="How long the code is good, in seconds.")
    ] = PAIRING_TTL_SECONDS_DEFAULT


class BindIdentity(Params):
    """Bind the Lark identity that sent a pairing code; relayed by the bot alone."""

    code_digest: Sha256Text
    identity_digest: Sha256Text
    tenant_key: Annotated[str, Field(min_length=1, max_length=160)]
    app_id: Annotated[str, Field(min_length=1, max_length=160)]
    open_id: Annotated[str, Field(min_length=1, max_length=160)]
    union_id: Annotated[str, Field(max_length=160)]


class RotateButtonKey(Params):
    """Sign new buttons with a new key and honour the old one for a grace time."""

    grace_seconds: Annotated[
        int,
        Field(
            ge=0, le=BUTTON_KEY_GRACE_SECONDS_MAX, description="How long cards already sent keep working, in seconds."
        ),
    ] = BUTTON_KEY_GRACE_SECONDS_DEFAULT


class EnrolCode(Params):
    """Let a person give one-time codes; an earlier enrolment of theirs ends."""

    member_id: Annotated[MemberIdText, Field(description="Which person the codes are for.")]


class ListMembers(Params):
    """Everyone who is registered."""


def decide_create(workspace: Workspace, _caller: Caller, ask: CreateWorkspace, _now_ms: int) -> Decision:
    """Begin the ledger: workspace, first owner, bot, and a credential for each."""
    if workspace.created:
        return refuse(MemberRefusal.WORKSPACE_EXISTS)
    owner = MemberId(ask.owner)
    if owner in RESERVED_MEMBER_IDS | PRONOUNS:
        return refuse(MemberRefusal.MEMBER_ID_RESERVED, member_id=owner)
    if ask.owner_secret_digest == ask.bot_secret_digest:
        return refuse(MemberRefusal.SECRET_IN_USE)
    return (
        Draft(facts=WorkspaceCreated(incarnation=ask.incarnation), words=WorkspaceWords(name=ask.name)),
        _added(owner, "person", ask.owner_name, roles=("owner",)),
        Draft(
            facts=TokenIssued(
                token_id=token_id(workspace, 2),
                member_id=owner,
                secret_digest=ask.owner_secret_digest,
                expires_at_ms=None,
            )
        ),
        _added(BOT, "bot", "Frontstage"),
        Draft(
            facts=TokenIssued(
                token_id=token_id(workspace, 4), member_id=BOT, secret_digest=ask.bot_secret_digest, expires_at_ms=None
            )
        ),
    )


def decide_add(workspace: Workspace, _caller: Caller, ask: AddMember, _now_ms: int) -> Decision:
    """Register a member once; roles belong to people only."""
    member_id = MemberId(ask.member_id)
    if member_id in RESERVED_MEMBER_IDS | PRONOUNS:
        return refuse(MemberRefusal.MEMBER_ID_RESERVED, member_id=member_id)
    if member_id in workspace.members:
        return refuse(MemberRefusal.MEMBER_EXISTS, member_id=member_id)
    if ask.role and ask.kind != "person":
        return refuse(MemberRefusal.ROLE_NEEDS_PERSON, member_id=member_id)
    facts = MemberAdded(
        member_id=member_id,
        member_kind=ask.kind,
        roles=tuple(dict.fromkeys(ask.role)),
        profile_role=ask.profile_role,
        capabilities=tuple(dict.fromkeys(ask.capability)),
        goals=tuple(dict.fromkeys(ask.goal_id)) or ("*",),
    )
    return (Draft(facts=facts, words=MemberWords(display_name=ask.display_name)),)


def decide_revoke(workspace: Workspace, _caller: Caller, ask: RevokeMember, _now_ms: int) -> Decision:
    """End a member, except the last owner: a workspace nobody can decide for is lost.

    What the member holds is given back with it, or it would wait for ever for somebody who cannot come.
    """
    if ask.member_id in RESERVED_MEMBER_IDS:
        return refuse(MemberRefusal.MEMBER_ID_RESERVED, member_id=ask.member_id)
    member = living(workspace, ask.member_id)
    if isinstance(member, Refusal):
        return member
    owners = [m for m in workspace.members.values() if "owner" in m.roles and not m.revoked]
    if owners == [member]:
        return refuse(MemberRefusal.LAST_OWNER, member_id=member.member_id)
    claimed = workspace.goals.claimed_by(member.member_id)
    held = (draft for goal in claimed for draft in everything_held(goal, member.member_id))
    return (Draft(facts=MemberRevoked(member_id=member.member_id)), *held)


def decide_pair(workspace: Workspace, _caller: Caller, ask: PairMember, now_ms: int) -> Decision:
    """Offer a code for one person."""
    member = living(workspace, ask.member_id)
    if isinstance(member, Refusal):
        return member
    if member.kind != "person":
        return refuse(MemberRefusal.NOT_A_PERSON, member_id=member.member_id)
    if ask.code_digest in workspace.pairings:
        return refuse(MemberRefusal.SECRET_IN_USE)
    return (
        Draft(
            facts=PairingOffered(
                member_id=member.member_id, code_digest=ask.code_digest, expires_at_ms=now_ms + ask.ttl_seconds * 1000
            )
        ),
    )


def decide_bind(workspace: Workspace, _caller: Caller, ask: BindIdentity, now_ms: int) -> Decision:
    """Bind the identity that sent the code, once; a code is spent by its use."""
    # Where the platform says no union id this time, the open id still tells who it is.
    bound = workspace.identities.get(ask.identity_digest) or member_at(
        workspace, ask.tenant_key, ask.app_id, ask.open_id
    )
    pairing = workspace.pairings.get(ask.code_digest)
    if pairing is None or registered(workspace, pairing.member_id) is None:
        return refuse(MemberRefusal.PAIRING_CODE_UNKNOWN)
    if now_ms >= pairing.expires_at_ms:
        return refuse(MemberRefusal.PAIRING_CODE_EXPIRED)
    if bound is not None and bound != pairing.member_id:
        return refuse(MemberRefusal.IDENTITY_BOUND_TO_ANOTHER)
    return (
        Draft(
            facts=MemberPaired(
                member_id=pairing.member_id, identity_digest=ask.identity_digest, code_digest=ask.code_digest
            ),
            words=IdentityWords(
                tenant_key=ask.tenant_key, app_id=ask.app_id, open_id=ask.open_id, union_id=ask.union_id
            ),
        ),
    )


def decide_rotate(workspace: Workspace, _caller: Caller, ask: RotateButtonKey, now_ms: int) -> Decision:
    """Begin a new button key."""
    return (
        Draft(
            facts=ButtonKeyRotated(
                key_id=workspace.button_key_id + 1, previous_until_ms=now_ms + ask.grace_seconds * 1000
            )
        ),
    )


def decide_enrol_code(workspace: Workspace, _caller: Caller, ask: EnrolCode, _now_ms: int) -> Decision:
    """Begin the next enrolment of one person; what its secret is follows from its number and the home's key."""
    member = living(workspace, ask.member_id)
    if isinstance(member, Refusal):
        return member
    if member.kind != "person":
        return refuse(MemberRefusal.NOT_A_PERSON, member_id=member.member_id)
    number = workspace.authority.codes.get(member.member_id, 0) + 1
    return (Draft(facts=CodeEnrolled(member_id=member.member_id, number=number)),)


def living(workspace: Workspace, member_id: str) -> Member | Refusal:
    """The member, or why they are none any more."""
    member = workspace.members.get(MemberId(member_id))
    if member is None:
        return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=member_id)
    return refuse(MemberRefusal.MEMBER_REVOKED, member_id=member_id) if member.revoked else member


def token_id(workspace: Workspace, offset: int) -> TokenId:
    """The id of a credential that the command's event number `offset` makes."""
    return TokenId(f"tok_{next_seq(workspace, offset)}")


def _added(member_id: MemberId, kind: Literal["person", "bot"], name: str, roles: tuple[str, ...] = ()) -> Draft:
    facts = MemberAdded(
        member_id=member_id, member_kind=kind, roles=roles, profile_role=None, capabilities=(), goals=("*",)
    )
    return Draft(facts=facts, words=MemberWords(display_name=name))
