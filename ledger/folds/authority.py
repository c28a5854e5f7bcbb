"""Folds of the rights of members beyond their registration: profiles and grants.

The goals and capabilities that a member has now are kept in its record, where every rule looks; what it was registered
with is kept beside, so that a grant that ends takes away exactly what it gave.
"""

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.ids import MemberId
from ledger.parts.authority import MemberGrant, Profile, Registration
from ledger.rules import authority_events, member_events
from ledger.state import Workspace


def _granted(workspace: Workspace, event: Recorded) -> None:
    facts, authority = cast("authority_events.MemberGranted", event.facts), workspace.authority
    member = workspace.members[facts.member_id]
    authority.registrations.setdefault(
        facts.member_id, Registration(goals=member.goals, capabilities=member.capabilities)
    )
    authority.grants[facts.grant_id] = MemberGrant(
        grant_id=facts.grant_id,
        member_id=facts.member_id,
        goal_ids=facts.goal_ids,
        action_kinds=facts.action_kinds,
        write_scopes=facts.write_scopes,
        capabilities=facts.capabilities,
        until_ms=facts.until_ms,
        granted_by=event.actor,
        seq=event.seq,
    )
    authority.of_member[facts.member_id] = (*authority.of_member.get(facts.member_id, ()), facts.grant_id)
    if facts.until_ms is not None:
        insort(authority.until, (facts.until_ms, facts.grant_id))
    _count_again(workspace, facts.member_id)


def _grant_ended(workspace: Workspace, event: Recorded) -> None:
    facts, authority = cast("authority_events.GrantEnded", event.facts), workspace.authority
    grant = authority.grants[facts.grant_id]
    authority.grants[facts.grant_id] = replace(grant, ended=True)
    entry = (grant.until_ms or 0, grant.grant_id)
    at = bisect_left(authority.until, entry)
    if at < len(authority.until) and authority.until[at] == entry:
        del authority.until[at]
    _count_again(workspace, facts.member_id)


def _profiled(workspace: Workspace, event: Recorded) -> None:
    facts = cast("authority_events.MemberProfiled", event.facts)
    workspace.members[facts.member_id] = replace(workspace.members[facts.member_id], profile_role=facts.profile_role)
    workspace.authority.profiles[facts.member_id] = Profile(
        agent_id=facts.member_id,
        default_task_classes=facts.default_task_classes,
        preferred_action_kinds=facts.preferred_action_kinds,
        avoid_action_kinds=facts.avoid_action_kinds,
        scope_summary=event.words.scope_summary if isinstance(event.words, authority_events.ProfileWords) else ERASED,
        seq=event.seq,
    )


def _code_enrolled(workspace: Workspace, event: Recorded) -> None:
    facts = cast("member_events.CodeEnrolled", event.facts)
    workspace.authority.codes[facts.member_id] = facts.number


def _count_again(workspace: Workspace, member_id: MemberId) -> None:
    """What the member has: its registration, and what was granted and has not ended."""
    authority, member = workspace.authority, workspace.members[member_id]
    before = authority.registrations[member_id]
    grants = [authority.grants[grant_id] for grant_id in authority.of_member[member_id]]
    goals = dict.fromkeys(before.goals)
    capabilities = dict.fromkeys(before.capabilities)
    for grant in grants:
        if not grant.ended:
            goals |= dict.fromkeys(grant.goal_ids)
            capabilities |= dict.fromkeys(grant.capabilities)
    workspace.members[member_id] = replace(member, goals=tuple(goals), capabilities=tuple(capabilities))


FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {
    authority_events.MemberGranted: _granted,
    authority_events.GrantEnded: _grant_ended,
    authority_events.MemberProfiled: _profiled,
    member_events.CodeEnrolled: _code_enrolled,
}
