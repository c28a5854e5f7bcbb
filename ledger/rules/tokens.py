"""Credentials: issued with the scope they are good for, rotated, and ended at once.

A secret never reaches the ledger: whoever needs one makes it and hands in its digest. A scope can only narrow what the
member may do: it names actions (or whole nouns) and goals, and what it does not name is refused wherever the token is
shown, before any rule is asked. Whoever makes a credential by another makes none that is good for more, or for longer.
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from ledger.events import Draft
from ledger.ids import GoalId, TokenId
from ledger.params import LIST_MAX, GoalIdText, MemberIdText, Params, Sha256Text
from ledger.records import Token
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, Decision, refuse
from ledger.rules.member_events import TokenIssued, TokenRevoked, TokenRotated
from ledger.rules.members import MemberRefusal, living, token_id
from ledger.state import Workspace

TOKEN_TTL_SECONDS_MAX = 400 * 86_400
TOKEN_GRACE_SECONDS_MAX = 14 * 86_400

ScopeName = Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,31}(\.[a-z][a-z-]{0,31})?$")]
TokenIdText = Annotated[str, Field(pattern=r"^tok_[0-9]{1,16}$")]


class IssueToken(Params):
    """Give a member a credential; the secret stays with whoever made it."""

    member_id: Annotated[MemberIdText, Field(description="Whose credential it is.")]
    secret_digest: Annotated[
        Sha256Text, Field(description="SHA-256 of the secret; the command line makes the secret and prints it once.")
    ]
    ttl_seconds: Annotated[
        int | None, Field(ge=1, le=TOKEN_TTL_SECONDS_MAX, description="Life in seconds; without end when absent.")
    ] = None
    allowed_action: Annotated[
        tuple[ScopeName, ...],
        Field(max_length=LIST_MAX, description="Actions, or nouns of actions, it is good for; all when absent."),
    ] = ()
    goal_id: Annotated[
        tuple[GoalIdText, ...], Field(max_length=LIST_MAX, description="Goals it is good for; all when absent.")
    ] = ()


class RotateToken(Params):
    """Replace a credential's secret; the older one ends after a grace, or at once."""

    token_id: Annotated[TokenIdText, Field(description="Which credential is replaced.")]
    secret_digest: Annotated[
        Sha256Text,
        Field(description="SHA-256 of the new secret; the command line makes the secret and prints it once."),
    ]
    grace_seconds: Annotated[
        int, Field(ge=0, le=TOKEN_GRACE_SECONDS_MAX, description="How long the older secret stays good; 0 for at once.")
    ] = 0
    ttl_seconds: Annotated[
        int | None,
        Field(
            ge=1,
            le=TOKEN_TTL_SECONDS_MAX,
            description="Life in seconds; the old one's end when absent.",
        ),
    ] = None


class ListTokens(Params):
    """The credentials, without their secrets."""

    member_id: Annotated[MemberIdText | None, Field(description="Only this member's.")] = None


class RevokeToken(Params):
    """End a credential at once."""

    token_id: Annotated[TokenIdText, Field(description="Which credential ends.")]


def decide_issue_token(workspace: Workspace, caller: Caller, ask: IssueToken, now_ms: int) -> Decision:
    """Record a credential by its digest."""
    member = living(workspace, ask.member_id)
    if isinstance(member, Refusal):
        return member
    if unknown := [goal_id for goal_id in ask.goal_id if goal_id not in workspace.goals]:
        return refuse(MemberRefusal.TOKEN_GOAL_UNKNOWN, field="goal_id", goal_id=unknown[0])
    expires_at_ms = None if ask.ttl_seconds is None else now_ms + ask.ttl_seconds * 1000
    if (beyond := _beyond(workspace, caller, ask.allowed_action, ask.goal_id, expires_at_ms)) is not None:
        return beyond
    if ask.secret_digest in workspace.tokens:
        return refuse(MemberRefusal.SECRET_IN_USE)
    return (
        Draft(
            facts=TokenIssued(
                token_id=token_id(workspace, 0),
                member_id=member.member_id,
                secret_digest=ask.secret_digest,
                expires_at_ms=expires_at_ms,
                actions=tuple(dict.fromkeys(ask.allowed_action)),
                goal_ids=tuple(dict.fromkeys(map(GoalId, ask.goal_id))),
            )
        ),
    )


def decide_revoke_token(workspace: Workspace, _caller: Caller, ask: RevokeToken, _now_ms: int) -> Decision:
    """End a credential."""
    digest = workspace.tokens_by_id.get(TokenId(ask.token_id))
    if digest is None:
        return refuse(MemberRefusal.TOKEN_NOT_FOUND, token_id=ask.token_id)
    if workspace.tokens[digest].revoked:
        return refuse(MemberRefusal.TOKEN_ALREADY_REVOKED, token_id=ask.token_id)
    return (Draft(facts=TokenRevoked(token_id=TokenId(ask.token_id))),)


def decide_rotate_token(workspace: Workspace, caller: Caller, ask: RotateToken, now_ms: int) -> Decision:
    """A new secret with the same scopes and owner. An agent may rotate its own; others' are an owner's to rotate."""
    digest = workspace.tokens_by_id.get(TokenId(ask.token_id))
    if digest is None or (caller.kind == "agent" and workspace.tokens[digest].member_id != caller.member_id):
        return refuse(MemberRefusal.TOKEN_NOT_FOUND, token_id=ask.token_id)
    old = workspace.tokens[digest]
    if old.revoked or (old.expires_at_ms is not None and now_ms >= old.expires_at_ms):
        return refuse(MemberRefusal.TOKEN_ALREADY_REVOKED, token_id=ask.token_id)
    # A rotation makes no credential live longer than it was issued for, unless whoever may issue one says so.
    asked_ms = None if ask.ttl_seconds is None else now_ms + ask.ttl_seconds * 1000
    if caller.kind == "agent" and old.expires_at_ms is not None:
        expires_at_ms: int | None = min(asked_ms or old.expires_at_ms, old.expires_at_ms)
    else:
        expires_at_ms = asked_ms or old.expires_at_ms
    if (beyond := _beyond(workspace, caller, old.actions, old.goal_ids, expires_at_ms)) is not None:
        return beyond
    if ask.secret_digest in workspace.tokens:
        return refuse(MemberRefusal.SECRET_IN_USE)
    ends_ms = now_ms + ask.grace_seconds * 1000
    facts = TokenRotated(
        token_id=token_id(workspace, 0),
        replaces=old.token_id,
        member_id=old.member_id,
        secret_digest=ask.secret_digest,
        expires_at_ms=expires_at_ms,
        replaced_until_ms=ends_ms if old.expires_at_ms is None else min(ends_ms, old.expires_at_ms),
    )
    return (Draft(facts=facts),)


def _beyond(
    workspace: Workspace, caller: Caller, actions: tuple[str, ...], goal_ids: tuple[str, ...], expires_at_ms: int | None
) -> Refusal | None:
    """In what a new credential would be good for more, or for longer, than the one that it is made by."""
    if caller.token_id is None:
        return None
    issuer = workspace.tokens[workspace.tokens_by_id[caller.token_id]]
    ends_ms = issuer.expires_at_ms
    wider = {
        "allowed_action": bool(issuer.actions) and not (actions and all(_covers(issuer, name) for name in actions)),
        "goal_id": bool(issuer.goal_ids) and not (goal_ids and {*goal_ids} <= {*issuer.goal_ids}),
        "ttl_seconds": ends_ms is not None and (expires_at_ms is None or expires_at_ms > ends_ms),
    }
    if (field := next((field for field, is_wider in wider.items() if is_wider), None)) is None:
        return None
    return refuse(MemberRefusal.TOKEN_BEYOND_ITS_ISSUER, field=field, token_id=issuer.token_id)


def _covers(issuer: Token, name: str) -> bool:
    return name in issuer.actions or name.partition(".")[0] in issuer.actions


def unknown_action(named: tuple[str, ...], known: Iterable[str]) -> Refusal | None:
    """A credential for an action that nobody can ask for is good for nothing, and is not issued."""
    names = {*known}
    names |= {name.partition(".")[0] for name in names}
    unknown = next((name for name in named if name not in names), None)
    return (
        None if unknown is None else refuse(MemberRefusal.TOKEN_ACTION_UNKNOWN, field="allowed_action", action=unknown)
    )


def scope_allows(token: Token, action_name: str, goal_id: str | None) -> bool:
    """Whether a credential is good for this action on this goal; one for some goals is good for nothing beside them."""
    named = not token.actions or _covers(token, action_name)
    return named and (not token.goal_ids or goal_id in token.goal_ids)


def out_of_scope(workspace: Workspace, caller: Caller, action_name: str, goal_id: object) -> Refusal | None:
    """Why the credential that was shown is no good for this, as things stand now; None where it was no token."""
    if caller.token_id is None:
        return None
    token = workspace.tokens[workspace.tokens_by_id[caller.token_id]]
    if token.revoked:
        return refuse(GeneralRefusal.CREDENTIAL_REVOKED)
    if scope_allows(token, action_name, goal_id if isinstance(goal_id, str) else None):
        return None
    return refuse(GeneralRefusal.TOKEN_SCOPE_FORBIDS, action=action_name, token_id=token.token_id)


def is_scoped(workspace: Workspace, caller: Caller) -> bool:
    """Whether the caller came with a credential that is not good for everything."""
    if caller.token_id is None:
        return False
    token = workspace.tokens[workspace.tokens_by_id[caller.token_id]]
    return bool(token.actions or token.goal_ids)
