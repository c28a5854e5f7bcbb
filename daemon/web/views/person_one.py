"""One person: their roles, what waits for them, the goals they have a part in, and what they decided and how."""

from typing import Final

from daemon.web.agent_lines import lines_for_person
from daemon.web.agent_reads import given
from daemon.web.agent_shapes import because_line
from daemon.web.asked import Asked
from daemon.web.person_shapes import decisions_in, parts_in
from daemon.web.reads import Reads
from daemon.web.tones import tone_of_presence
from ledger.projections.documents import Document
from ledger.refusals import Refusal
from ledger.text.lines import need_line
from ledger.text.pieces import Doc, as_map, rows_of

ITEMS_MAX: Final = 30
GOALS_MAX: Final = 100
ACTS_MAX: Final = 50
TOKENS_MAX: Final = 20


async def view(reads: Reads, asked: Asked, member: Doc, path: str) -> Document | Refusal:
    """Everything about one person that the documents say; no id of theirs on a platform is in any of them."""
    person_id = str(member.get("member_id"))
    attention = await reads.document("attention.show", member_id=person_id, limit=ITEMS_MAX)
    overview = await given(reads, "overview.show", limit=GOALS_MAX)
    acts = await given(reads, "history.list", actor=person_id, limit=ACTS_MAX)
    bindings = rows_of(await given(reads, "member.bindings", member_id=person_id), "bindings")
    tokens = rows_of(await given(reads, "token.list", member_id=person_id), "tokens")
    ended = bool(member.get("revoked")) or member.get("kind") == "bot" or asked.at is not None
    rows = rows_of(overview, "members")
    at, row = next(((at, one) for at, one in enumerate(rows) if one.get("member_id") == person_id), (0, {}))
    return {
        "member": member,
        "path": path,
        "row": row,
        "row_path": f"members[{at}].",
        "tone": tone_of_presence(str(row.get("presence"))),
        "because": because_line(row.get("presence_because"), asked.locale),
        "attention": None if isinstance(attention, Refusal) else attention,
        "items": [] if isinstance(attention, Refusal) else [_item(one, asked) for one in rows_of(attention, "items")],
        "parts_of": parts_in(person_id, rows_of(overview, "goals")),
        "overview": overview,
        "decisions": decisions_in(rows_of(acts, "events")),
        "acts": acts,
        "binding": as_map(bindings[-1]) if bindings else {},
        "tokens": list(enumerate(tokens))[-TOKENS_MAX:],
        "tokens_more": max(0, len(tokens) - TOKENS_MAX),
        "actions": lines_for_person(person_id, paired=bool(member.get("paired")), revoked=ended),
    }


def _item(item: Doc, asked: Asked) -> Document:
    code = item.get("reason_code")
    said = need_line(
        str(item.get("kind")), None if code is None else str(code), as_map(item.get("subject")), asked.locale
    )
    return {"doc": item, "said": said}
