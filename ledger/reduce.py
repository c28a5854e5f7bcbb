"""The reducer: the one place where state changes, and only by recorded events.

Folding never fails on a rule: what is recorded happened. The same function serves the writer, the readers and the
replay, so that a state rebuilt from the log equals the one that grew event by event.
"""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded, Words
from ledger.folds import (
    agents,
    amendments,
    authority,
    erasures,
    gates,
    goals,
    grants,
    handoffs,
    identity,
    plans,
    requests,
    reviews,
    runs,
    slots,
    summaries,
    work,
)
from ledger.folds.goals import note_of
from ledger.ids import MemberId
from ledger.records import Member, Pairing, Token
from ledger.rules import goal_events, member_events
from ledger.rules.erasures import WordsErased
from ledger.rules.identity_events import ChannelUnbound
from ledger.state import Goal, Workspace

_ONLY_SHOWN = frozenset({goal_events.ChannelBound, ChannelUnbound, WordsErased})
"""Where a goal is shown, and what of it can be read, makes nothing about it true."""


def fold(workspace: Workspace, event: Recorded) -> None:
    """Apply one recorded event to the state."""
    goal_id, kind = event.goal_id, type(event.facts)
    if goal_id is None:
        _WORKSPACE_FOLDS[kind](workspace, event)
    else:
        if kind is goal_events.GoalProposed:
            goal = workspace.goals[goal_id] = Goal(goal_id, event.actor, event.seq)
        else:
            goal = workspace.goals[goal_id]
        goal.last_seq = event.seq
        _GOAL_FOLDS[kind](goal, event)
        note = note_of(event)
        goal.recent.append(note)
        goal.acts[event.actor] = note
        if kind not in _ONLY_SHOWN:
            goal.cause = note
    if event.proof.code_step is not None:
        steps = workspace.authority.code_steps
        steps[event.actor] = max(event.proof.code_step, steps.get(event.actor, 0))
    workspace.seq = event.seq
    workspace.hash = event.hash
    workspace.at_ms = event.at_ms


def _created(workspace: Workspace, event: Recorded) -> None:
    workspace.created = True
    workspace.name = _word(event.words, "name")


def _added(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.MemberAdded", event.facts)
    workspace.members[facts.member_id] = Member(
        member_id=facts.member_id,
        kind=facts.member_kind,
        roles=facts.roles,
        profile_role=facts.profile_role,
        capabilities=facts.capabilities,
        goals=facts.goals,
        display_name=_word(event.words, "display_name"),
    )


def _revoked(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.MemberRevoked", event.facts)
    identity.unbind(workspace, facts.member_id)
    workspace.members[facts.member_id] = replace(workspace.members[facts.member_id], revoked=True)
    _forget_pairings(workspace, facts.member_id)
    for digest, token in workspace.tokens.items():
        if token.member_id == facts.member_id:
            workspace.tokens[digest] = replace(token, revoked=True)


def _token_issued(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.TokenIssued", event.facts)
    workspace.tokens[facts.secret_digest] = Token(
        token_id=facts.token_id,
        member_id=facts.member_id,
        secret_digest=facts.secret_digest,
        expires_at_ms=facts.expires_at_ms,
        actions=facts.actions,
        goal_ids=facts.goal_ids,
    )
    workspace.tokens_by_id[facts.token_id] = facts.secret_digest


def _token_rotated(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.TokenRotated", event.facts)
    digest = workspace.tokens_by_id[facts.replaces]
    old = workspace.tokens[digest]
    workspace.tokens[digest] = replace(old, expires_at_ms=facts.replaced_until_ms)
    workspace.tokens[facts.secret_digest] = replace(
        old, token_id=facts.token_id, secret_digest=facts.secret_digest, expires_at_ms=facts.expires_at_ms
    )
    workspace.tokens_by_id[facts.token_id] = facts.secret_digest
    agents.token_rotated(workspace, facts.member_id, facts.replaces)


def _token_revoked(workspace: Workspace, event: Recorded) -> None:
    digest = workspace.tokens_by_id[cast("member_events.TokenRevoked", event.facts).token_id]
    workspace.tokens[digest] = replace(workspace.tokens[digest], revoked=True)


def _pairing_offered(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.PairingOffered", event.facts)
    _forget_pairings(workspace, facts.member_id)
    workspace.pairings[facts.code_digest] = Pairing(
        member_id=facts.member_id, code_digest=facts.code_digest, expires_at_ms=facts.expires_at_ms
    )
    workspace.identity.offered_by[facts.code_digest] = event.actor


def _forget_pairings(workspace: Workspace, member_id: MemberId) -> None:
    """A person has one code at a time: a newer one voids the older."""
    for digest in [code.code_digest for code in workspace.pairings.values() if code.member_id == member_id]:
        del workspace.pairings[digest]
        workspace.identity.offered_by.pop(digest, None)


def _paired(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.MemberPaired", event.facts)
    workspace.pairings.pop(facts.code_digest, None)
    offered_by = workspace.identity.offered_by.pop(facts.code_digest, event.actor)
    identity.bind(workspace, event, facts.identity_digest, "code", offered_by)


def _key_rotated(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.ButtonKeyRotated", event.facts)
    workspace.button_keys[facts.key_id - 1] = facts.previous_until_ms
    workspace.button_keys[facts.key_id] = None


def _word(words: Words | None, name: str) -> str:
    return ERASED if words is None else str(getattr(words, name))


_WORKSPACE_FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {
    member_events.WorkspaceCreated: _created,
    member_events.MemberAdded: _added,
    member_events.MemberRevoked: _revoked,
    member_events.TokenIssued: _token_issued,
    member_events.TokenRevoked: _token_revoked,
    member_events.TokenRotated: _token_rotated,
    member_events.PairingOffered: _pairing_offered,
    member_events.MemberPaired: _paired,
    member_events.ButtonKeyRotated: _key_rotated,
    **agents.FOLDS,
    **authority.FOLDS,
    **grants.FOLDS,
    **identity.FOLDS,
    **summaries.FOLDS,
    WordsErased: erasures.of_workspace,
}
_GOAL_FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    **goals.FOLDS,
    **work.FOLDS,
    **amendments.FOLDS,
    **gates.FOLDS,
    **handoffs.FOLDS,
    **identity.GOAL_FOLDS,
    **plans.FOLDS,
    **requests.FOLDS,
    **reviews.FOLDS,
    **runs.FOLDS,
    **slots.FOLDS,
    WordsErased: erasures.of_goal,
}


def folded_types() -> frozenset[type[Facts]]:
    """Every facts type that the reducer knows; a test holds it against the wire table."""
    return frozenset(_WORKSPACE_FOLDS) | frozenset(_GOAL_FOLDS)
