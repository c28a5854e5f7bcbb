"""Agents and people: who is here, how near each is to work, what they hold and what came of it."""

from collections.abc import Mapping, Sequence

from daemon.web.agent_lines import line_for_work
from daemon.web.agent_reads import (
    books_of,
    given,
    goals_worked_in,
    leases_of,
    presences,
    refused_of,
    unplaced,
)
from daemon.web.agent_shapes import (
    KINDS,
    PRESENCES,
    Listed,
    because_line,
    choice_of,
    holds_of,
    page_of,
    role_line,
    waiting_for,
)
from daemon.web.asked import Asked
from daemon.web.reads import Reads
from daemon.web.tones import tone_of_presence
from daemon.web.views import agent_one, person_one
from daemon.web.workload import load_of
from ledger.projections.documents import Document
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.members import MemberRefusal
from ledger.text.pieces import Doc, number, rows_of

WAITS_MAX = 200
HOLDS_SHOWN_MAX = 4
UNPLACED_SHOWN_MAX = 6
NOT_ON_A_CARD = frozenset({"goals", "current_claims", "source_warnings"})
"""What a card of the list does not draw, and by which it need not be told from another."""


async def view(reads: Reads, asked: Asked, _names: Mapping[str, str]) -> Document | Refusal:
    """Everybody, a page at a time, with what the agents of this page carry and what no agent may take."""
    reads = reads.of_many_goals()
    choice = choice_of(asked.query)
    if isinstance(choice, Refusal):
        return choice
    listed = await reads.document("member.list")
    if isinstance(listed, Refusal):
        return listed
    members = rows_of(listed, "members")
    known = await presences(reads) if choice.presence else {}
    page, people = (page_of(members, choice, known, kind) for kind in KINDS)
    if isinstance(page, Refusal):
        return page
    if isinstance(people, Refusal):
        return people
    agents = [one.member for one in page.rows]
    shown = [await given(reads, "member.show", agent_id=one.get("member_id")) for one in agents]
    books = await books_of(reads, goals_worked_in(shown))
    refused, left, past = await refused_of(reads), await unplaced(reads, members), asked.at is not None
    return {
        "choice": choice,
        "kinds": KINDS,
        "presences": PRESENCES,
        "tones": {one: tone_of_presence(one) for one in PRESENCES},
        "page": page,
        "people_page": people,
        "agents": await _agents(reads, asked, shown),
        "people": await _people(reads, people.rows),
        "loads": [load_of(one, books, refused) for one in shown],
        "books": books,
        "unplaced": left,
        "unplaced_shown": [(one, None if past else line_for_work(one)) for one in left.rows[:UNPLACED_SHOWN_MAX]],
    }


async def _agents(reads: Reads, asked: Asked, shown: Sequence[Doc]) -> list[Document]:
    leases = await leases_of(reads, shown)
    rows: list[Document] = []
    for one in shown:
        holds = holds_of(one, leases)
        rows.append(
            {
                "doc": {name: value for name, value in one.items() if name not in NOT_ON_A_CARD},
                "role": role_line(one.get("profile_role"), asked.locale),
                "because": because_line(one.get("presence_because"), asked.locale),
                "tone": tone_of_presence(str(one.get("presence"))),
                "holds": holds[:HOLDS_SHOWN_MAX],
                "holds_more": max(0, number(one.get("claims_total")) - HOLDS_SHOWN_MAX),
            }
        )
    return rows


async def _people(reads: Reads, people: Sequence[Listed]) -> Document:
    """The people of this page, and how much of what was read waits for each."""
    if not people:
        return {"rows": [], "waits": {}, "partly": False}
    attention = await given(reads, "attention.show", everybody=True, limit=WAITS_MAX)
    items = rows_of(attention, "items")
    return {
        "rows": people,
        "waits": waiting_for(items),
        "partly": number(attention.get("total")) > len(items),
    }


async def view_one(reads: Reads, asked: Asked, names: Mapping[str, str]) -> Document | Refusal:
    """One member: an agent as its peers see it, a person by what waits for them and what they decided."""
    reads = reads.of_many_goals()
    listed = await reads.document("member.list")
    if isinstance(listed, Refusal):
        return listed
    wanted = names["agent_id"]
    members = rows_of(listed, "members")
    at = next((at for at, one in enumerate(members) if one.get("member_id") == wanted), None)
    if at is None:
        return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=wanted)
    member = members[at]
    if member.get("kind") == "agent":
        return await agent_one.view(reads, asked, member)
    return await person_one.view(reads, asked, member, f"members[{at}]")
