"""Identities: one person is one member, only the invited join, and nobody who left lost a right by that."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.known import Asked


def _offered(case: Case) -> None:
    facts, known = case.facts, case.model.known
    assert case.event.actor == "operator" or "owner" in case.model.members[case.event.actor].roles
    clash = [one for one in known.asked.values() if one.open]
    assert all(one.open_digest != facts.open_digest for one in clash), "a person was invited twice at once"
    assert all(one.member_id != facts.member_id for one in clash), "a place was offered twice at once"
    assert facts.open_digest not in known.behind, "a member was invited to become another"
    assert facts.joins == (facts.member_id not in case.model.members)
    known.asked[facts.invitation_id] = Asked(
        facts.member_id, facts.open_digest, facts.roles, facts.expires_at_ms, case.event.actor
    )


def _accepted(case: Case) -> None:
    facts, known = case.facts, case.model.known
    asked = known.asked[facts.invitation_id]
    assert asked.open, "an invitation was answered twice"
    assert case.event.at_ms < asked.until_ms, "an invitation was accepted too late"
    assert asked.member_id == facts.member_id
    assert case.event.actor == "bot"
    assert facts.member_id not in known.behind.values(), "a member got a second identity"
    asked.open = False
    _bind(case, facts.identity_digest)


def _ended(case: Case) -> None:
    asked = case.model.known.asked[case.facts.invitation_id]
    assert asked.open
    if case.facts.because == "expired":
        assert asked.until_ms <= case.event.at_ms
    asked.open = False


def _bind(case: Case, digest: str) -> None:
    known, member = case.model.known, case.facts.member_id
    assert known.behind.get(digest, member) == member, "one person is two members"
    assert not case.model.members[member].revoked, "a revoked member was bound"
    for other in [one for one, who in known.behind.items() if who == member]:
        del known.behind[other]
    known.behind[digest] = member
    known.away.discard(member)


def _paired(case: Case) -> None:
    _bind(case, case.facts.identity_digest)


def _upgraded(case: Case) -> None:
    known, away = case.model.known, case.facts.member_id in case.model.known.away
    assert known.behind[case.facts.replaces] == case.facts.member_id
    _bind(case, case.facts.identity_digest)
    if away:
        known.away.add(case.facts.member_id)


def _unbound(case: Case) -> None:
    known = case.model.known
    assert known.behind.pop(case.facts.identity_digest) == case.facts.member_id
    known.away.discard(case.facts.member_id)


def _away(case: Case) -> None:
    known = case.model.known
    assert case.facts.member_id in known.behind.values()
    assert case.facts.member_id not in known.away, "somebody left twice"
    known.away.add(case.facts.member_id)


def _back(case: Case) -> None:
    case.model.known.away.remove(case.facts.member_id)


def _shown(case: Case) -> None:
    place = (str(case.event.goal_id or ""), case.facts.channel_id)
    assert place not in case.model.known.shown, "a chat was bound twice"
    if not place[0]:
        assert "owner" in case.model.members[case.event.actor].roles, "shown by somebody who does not own it"
    elif case.request.action.name == "channel.bind":
        assert case.event.actor in case.model.owners(case.promise), "shown by somebody who does not own it"
    case.model.known.shown.add(place)


def _let_go(case: Case) -> None:
    case.model.known.shown.remove((str(case.event.goal_id or ""), case.facts.channel_id))


def _lost(case: Case) -> None:
    known = case.model.known
    assert case.facts.channel_id not in known.lost, "a chat was lost twice"
    known.lost.add(case.facts.channel_id)


def _found(case: Case) -> None:
    case.model.known.lost.remove(case.facts.channel_id)


def member_gone(case: Case) -> None:
    """Nobody is behind the identity of a revoked member."""
    known, member = case.model.known, case.facts.member_id
    for digest in [one for one, who in known.behind.items() if who == member]:
        del known.behind[digest]
    known.away.discard(member)


CHECKS: dict[str, Callable[[Case], None]] = {
    "invitation.offered": _offered,
    "invitation.accepted": _accepted,
    "invitation.ended": _ended,
    "member.paired": _paired,
    "member.unbound": _unbound,
    "member.identity_upgraded": _upgraded,
    "member.away": _away,
    "member.back": _back,
    "channel.bound": _shown,
    "channel.unbound": _let_go,
    "channel.lost": _lost,
    "channel.found": _found,
}
