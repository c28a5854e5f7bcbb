"""What stands about a member, shaped out of documents: who is listed, what is held, why somebody is where they are.

Everything here is a function of documents. A document is data: what is missing in it is shown as missing, and what is
over is not shown as held.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, get_args

from ledger.projections.presence import PresenceName
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.members import MemberRefusal
from ledger.text.lines import reason_line
from ledger.text.pieces import Doc, as_list, as_map, named, rows_of
from ledger.text.say import Locale, has, say

PAGE_MAX: Final = 20
"""Agents on one page, and people on one page."""
KINDS: Final = ("agent", "person")
PRESENCES: Final[tuple[str, ...]] = get_args(PresenceName)


def because_line(code: object, locale: Locale) -> str:
    """Why somebody is where they are, as a sentence."""
    if code is None:
        return say("cli.presence.none", locale)
    known = f"cli.presence.because.{code}"
    return say(known, locale) if has(known) else reason_line(str(code), locale)


def role_line(profile_role: object, locale: Locale) -> str | None:
    """What an agent says it is. It never stands alone: that a role grants nothing is part of what is said."""
    if profile_role is None:
        return None
    return say("page.agents.role", locale, role=named("card.members.role", profile_role, locale))


class Choice(NamedTuple):
    """Which members are wanted: what a reader typed into the filter."""

    words: str = ""
    kind: str = ""
    presence: str = ""
    after: str = ""
    """The last agent of the page before."""
    people_after: str = ""
    """The last person of the page before."""
    revoked: bool = False

    def takes(self, member: Doc, presences: Mapping[str, object]) -> bool:
        """Whether a member is one of those; where a presence is wanted, one of an unknown presence is not."""
        if member.get("kind") not in KINDS or (self.kind and member.get("kind") != self.kind):
            return False
        if bool(member.get("revoked")) != self.revoked:
            return False
        if self.presence and presences.get(str(member.get("member_id"))) != self.presence:
            return False
        said = f"{member.get('member_id')} {member.get('display_name')}".casefold()
        return self.words.casefold() in said


def choice_of(query: Mapping[str, str]) -> Choice | Refusal:
    """The filter in an address, or what is wrong with it."""
    for name, known in (("kind", KINDS), ("presence", PRESENCES), ("revoked", ("1",))):
        if query.get(name) and query[name] not in known:
            return refuse(GeneralRefusal.MALFORMED_PARAMS, field=name, problem="must be one of " + ", ".join(known))
    return Choice(
        words=query.get("q", "").strip(),
        kind=query.get("kind", ""),
        presence=query.get("presence", ""),
        after=query.get("after", ""),
        people_after=query.get("people_after", ""),
        revoked=query.get("revoked") == "1",
    )


class Listed(NamedTuple):
    """A member, with where the list of members says so."""

    path: str
    member: Doc


class MemberPage(NamedTuple):
    """A page of agents or of people, in the order in which they joined."""

    rows: list[Listed]
    first: int
    """The place of the first row in the list, counted from 1."""
    total: int
    next_after: str | None
    previous_after: str | None
    """What the page before goes on after; empty for the first page, None where this is the first."""


def page_of(members: Sequence[Doc], choice: Choice, presences: Mapping[str, object], kind: str) -> MemberPage | Refusal:
    """The members of one kind that are wanted, a page of them."""
    after = choice.after if kind == "agent" else choice.people_after
    found = [
        Listed(f"members[{at}]", one)
        for at, one in enumerate(members)
        if one.get("kind") == kind and choice.takes(one, presences)
    ]
    ids = [str(one.member.get("member_id")) for one in found]
    if after and after not in ids:
        return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=after[:80])
    start = ids.index(after) + 1 if after else 0
    rows = found[start : start + PAGE_MAX]
    before = None if start == 0 else ids[start - PAGE_MAX - 1] if start > PAGE_MAX else ""
    return MemberPage(
        rows=rows,
        first=start + 1,
        total=len(found),
        next_after=ids[start + PAGE_MAX - 1] if start + PAGE_MAX < len(found) else None,
        previous_after=before,
    )


class Hold(NamedTuple):
    """One thing that an agent has now, with where the document says it."""

    path: str
    goal_id: str
    todo_id: str
    title: str
    kind: str
    until: str | None
    write_scopes: list[str] | None
    """None where a claim reserves nothing, or nobody can tell."""
    epoch: int | None
    acquired_at: str | None


def holds_of(shown: Doc, leases: Mapping[tuple[str, str], Doc]) -> list[Hold]:
    """What an agent has now. A lease that ended while the page was read is not held, whatever was read before."""
    found: list[Hold] = []
    for at, claim in enumerate(rows_of(shown, "current_claims")):
        goal_id, todo_id = str(claim.get("goal_id")), str(claim.get("todo_id"))
        lease = as_map(leases.get((goal_id, todo_id))) if claim.get("kind") == "hard_lease" else {}
        if lease and (not lease.get("effective") or lease.get("owner") != shown.get("agent_id")):
            continue
        epoch, acquired = lease.get("lease_epoch"), lease.get("acquired_at")
        found.append(
            Hold(
                path=f"current_claims[{at}]",
                goal_id=goal_id,
                todo_id=todo_id,
                title=str(claim.get("title")),
                kind=str(claim.get("kind")),
                until=None if claim.get("claimed_until") is None else str(claim["claimed_until"]),
                write_scopes=[str(one) for one in as_list(lease.get("write_scopes"))] if lease else None,
                epoch=epoch if isinstance(epoch, int) else None,
                acquired_at=None if acquired is None else str(acquired),
            )
        )
    return found


def leased(shown: Doc) -> list[tuple[str, str]]:
    """The goal and todo of each lease that an agent is shown to hold."""
    return [
        (str(claim.get("goal_id")), str(claim.get("todo_id")))
        for claim in rows_of(shown, "current_claims")
        if claim.get("kind") == "hard_lease"
    ]


def waiting_for(items: Sequence[Doc]) -> dict[str, int]:
    """How many of these things wait for each member."""
    counted: dict[str, int] = {}
    for item in items:
        for member_id in as_list(item.get("waits_for")):
            counted[str(member_id)] = counted.get(str(member_id), 0) + 1
    return counted
