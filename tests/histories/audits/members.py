"""Members: who there is, what they were granted, and that nothing of a member outlives its revocation."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.identity import member_gone
from tests.histories.audits.model import Being, Right, Word


def _added(case: Case) -> None:
    facts = case.facts
    assert facts.member_id not in case.model.members
    case.model.members[facts.member_id] = Being(
        facts.member_kind, frozenset(facts.roles), facts.profile_role, facts.goals, facts.capabilities
    )


def _revoked(case: Case) -> None:
    case.model.members[case.facts.member_id].revoked = True
    member_gone(case)
    for digest, (member, actions, goals, _) in case.model.tokens.items():
        if member == case.facts.member_id:
            case.model.tokens[digest] = (member, actions, goals, True)


def _granted(case: Case) -> None:
    facts, model = case.facts, case.model
    being = model.living(case.event.actor)
    assert being is not None
    assert being.kind == "person", "an agent granted"
    owned = [case.event.actor in model.owners(model.promises[goal_id]) for goal_id in facts.goal_ids]
    assert "owner" in being.roles or (owned and all(owned)), "granted by somebody who does not own it"
    model.rights[facts.grant_id] = Right(
        facts.member_id, facts.goal_ids, facts.action_kinds, facts.write_scopes, facts.capabilities, facts.until_ms
    )


def _grant_ended(case: Case) -> None:
    right = case.model.rights[case.facts.grant_id]
    assert not right.ended
    if case.facts.lapsed:
        assert right.until_ms is not None
        assert right.until_ms <= case.event.at_ms
    right.ended = True


def _profiled(case: Case) -> None:
    being = case.model.members[case.facts.member_id]
    actor = case.model.members.get(case.event.actor)
    if actor is not None and actor.kind == "agent":
        assert case.event.actor == case.facts.member_id
        assert case.facts.profile_role == being.role, "an agent gave itself a rank"
    being.role = case.facts.profile_role


def _token(case: Case) -> None:
    facts = case.facts
    case.model.tokens[facts.token_id] = (facts.member_id, facts.actions, facts.goal_ids, False)


def _rotated(case: Case) -> None:
    member, actions, goals, revoked = case.model.tokens[case.facts.replaces]
    assert not revoked
    assert member == case.facts.member_id
    case.model.tokens[case.facts.token_id] = (member, actions, goals, False)


def _token_revoked(case: Case) -> None:
    member, actions, goals, _ = case.model.tokens[case.facts.token_id]
    case.model.tokens[case.facts.token_id] = (member, actions, goals, True)


def credential(case: Case) -> None:
    """Nothing was done by a credential that is not good for it, nor by somebody who is a member no more."""
    caller = case.request.caller
    if caller.kind in {"person", "agent"}:
        assert case.model.living(caller.member_id) is not None, "a revoked member acted"
    if caller.token_id is None:
        return
    member, actions, goals, revoked = case.model.tokens[caller.token_id]
    name = case.request.action.name
    assert (member, revoked) == (caller.member_id, False)
    assert not actions or name in actions or name.partition(".")[0] in actions, "beyond its credential's actions"
    assert not goals or getattr(case.params, "goal_id", None) in goals, "beyond its credential's goals"


def _standing(case: Case) -> None:
    facts = case.facts
    gate = case.model.promises[facts.from_goal].gates[facts.gate_id]
    verdict = {"approved": "approved", "rejected": "denied", "cancelled": "denied", "expired": "denied"}
    assert facts.verdict == verdict[gate.status], "a standing decision that nobody took"
    assert not gate.todos
    assert not gate.whole_goal
    assert facts.decision_scope == gate.scope
    beyond = (gate.scope or "").split(":")[1] in {"project", "global"}
    assert (facts.goal_id is None) == beyond
    if beyond and facts.verdict == "approved":
        assert all("owner" in case.model.members[seat].roles for seat in gate.votes), "one goal decided for all"
    case.model.standing[facts.grant_id] = Word(facts.goal_id, facts.decision_scope, facts.verdict == "approved", gate)


def _standing_revoked(case: Case) -> None:
    assert not case.model.standing[case.facts.grant_id].revoked
    case.model.standing[case.facts.grant_id].revoked = True


CHECKS: dict[str, Callable[[Case], None]] = {
    "member.added": _added,
    "member.revoked": _revoked,
    "member.granted": _granted,
    "member.grant_ended": _grant_ended,
    "member.profiled": _profiled,
    "token.issued": _token,
    "token.rotated": _rotated,
    "token.revoked": _token_revoked,
    "gate.grant_recorded": _standing,
    "gate.grant_revoked": _standing_revoked,
}
