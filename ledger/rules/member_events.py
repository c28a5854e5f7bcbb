"""What happened to members and their credentials: the facts that rules decide on, and the words beside them."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import GoalId, MemberId, TokenId


class WorkspaceCreated(Facts, frozen=True, kw_only=True):
    """A ledger begins."""

    incarnation: str


class WorkspaceWords(Words, frozen=True, kw_only=True):
    """What the workspace is called."""

    name: str


class MemberAdded(Facts, frozen=True, kw_only=True):
    """Somebody may now be known here."""

    member_id: MemberId
    member_kind: Literal["person", "agent", "bot"]
    roles: tuple[str, ...]
    profile_role: str | None
    capabilities: tuple[str, ...]
    goals: tuple[str, ...]


class MemberWords(Words, frozen=True, kw_only=True):
    """What a member is called."""

    display_name: str


class MemberRevoked(Facts, frozen=True, kw_only=True):
    """A member, and every credential and binding of theirs, ends."""

    member_id: MemberId


class TokenIssued(Facts, frozen=True, kw_only=True):
    """A credential exists, known by its digest."""

    token_id: TokenId
    member_id: MemberId
    secret_digest: str
    expires_at_ms: int | None
    actions: tuple[str, ...] = ()
    """Names (`todo.claim`) or nouns (`todo`) of what it is good for; empty for everything."""
    goal_ids: tuple[GoalId, ...] = ()
    """The goals it is good for; empty for all."""


class TokenRotated(Facts, frozen=True, kw_only=True):
    """A new secret stands in for an older one, with the same scopes; the older one ends."""

    token_id: TokenId
    replaces: TokenId
    member_id: MemberId
    secret_digest: str
    expires_at_ms: int | None
    replaced_until_ms: int
    """Until when the older one is still good."""


class TokenRevoked(Facts, frozen=True, kw_only=True):
    """A credential ends at once."""

    token_id: TokenId


class PairingOffered(Facts, frozen=True, kw_only=True):
    """A code was given out for one person."""

    member_id: MemberId
    code_digest: str
    expires_at_ms: int


class MemberPaired(Facts, frozen=True, kw_only=True):
    """A person's Lark identity is bound; the identity itself is in the words."""

    member_id: MemberId
    identity_digest: str
    code_digest: str


class IdentityWords(Words, frozen=True, kw_only=True):
    """Where the person is reached."""

    tenant_key: str
    app_id: str
    open_id: str
    union_id: str


class ButtonKeyRotated(Facts, frozen=True, kw_only=True):
    """New buttons are signed with a new key; the old one is honoured until its grace ends."""

    key_id: int
    previous_until_ms: int


class CodeEnrolled(Facts, frozen=True, kw_only=True):
    """A person may give one-time codes of this enrolment; those of the one before are good no more."""

    member_id: MemberId
    number: int


KINDS = (
    Kind("workspace.created", 1, WorkspaceCreated, WorkspaceWords),
    Kind("member.added", 1, MemberAdded, MemberWords),
    Kind("member.revoked", 1, MemberRevoked),
    Kind("member.paired", 1, MemberPaired, IdentityWords),
    Kind("pairing.offered", 1, PairingOffered),
    Kind("token.issued", 1, TokenIssued, upcast=dict),
    Kind("token.issued", 2, TokenIssued),
    Kind("token.rotated", 1, TokenRotated),
    Kind("token.revoked", 1, TokenRevoked),
    Kind("button_key.rotated", 1, ButtonKeyRotated),
    Kind("member.code_enrolled", 1, CodeEnrolled),
)
