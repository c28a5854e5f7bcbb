"""The workspace: what waits for whom, every goal with its next safe step, who could work, and how the ledger is."""

from collections.abc import Mapping

from daemon.web.asked import Asked
from daemon.web.lines import left_open, line
from daemon.web.reads import Reads
from daemon.web.tones import tone_of_goal, tone_of_presence, tone_of_severity
from ledger.projections.documents import Document
from ledger.refusals import Refusal
from ledger.text.lines import need_line, reason_line, step_line
from ledger.text.pieces import Doc, as_list, as_map, number, rows_of
from ledger.text.say import Locale, has, say
from ledger.text.views_text import age

GOALS_MAX = 40
NEEDS_MAX = 5
NEEDS_ALL_MAX = 200
"""As many as the document lists; whoever asks for all of them gets these."""
AGENTS_MAX = 8
CLAIMS_MAX = 2
CONNECT_LINE = f"frontstage agent connect generic --agent-id {left_open('--agent-id')}"
_BUSY_FIRST = ("executing", "blocked", "launchable", "bound", "addressable", "registered")


async def view(reads: Reads, asked: Asked, _names: Mapping[str, str]) -> Document | Refusal:
    """The overview, a page of goals at a time."""
    closed = asked.query.get("closed") == "1"
    every = asked.query.get("needs") == "all"
    overview = await reads.document("overview.show", limit=GOALS_MAX, after=asked.query.get("after"), closed=closed)
    if isinstance(overview, Refusal):
        return overview
    agents = await _agents(reads, overview, asked.locale)
    people = [one for one in rows_of(overview, "members") if one.get("kind") == "person"]
    queue = as_map(overview.get("attention_queue"))
    if every:
        attention = await reads.document("attention.show", everybody=True, limit=NEEDS_ALL_MAX)
        if isinstance(attention, Refusal):
            return attention
        queue = attention
    needs = rows_of(queue, "items")[: None if every else NEEDS_MAX]
    return {
        "overview": overview,
        "closed": closed,
        "first_page": "after" not in asked.query,
        "goals": [_goal(row, asked.locale) for row in rows_of(overview, "goals")],
        "needs": [_need(row, asked.locale) for row in needs],
        "needs_more": max(0, number(queue.get("total")) - len(needs)),
        "propose_line": line("goal.propose", {}),
        "connect_line": CONNECT_LINE,
        "agents": agents,
        "agents_total": number(overview.get("members_total")) - len(people),
    }


def _goal(row: Doc, locale: Locale) -> Document:
    step = as_map(row.get("next_safe_action"))
    return {
        **row,
        "age_seconds": None,  # It is another one each second, and what is shown is not.
        "tone": tone_of_goal(str(row.get("state")), str(row.get("severity"))),
        "step": step_line(str(step.get("code")), as_map(step.get("subject")), locale),
        "by": [str(one) for one in as_list(step.get("members"))],
        "age": age(number(row.get("age_seconds")), locale),
    }


def _need(row: Doc, locale: Locale) -> Document:
    code = row.get("reason_code")
    subject = as_map(row.get("subject"))
    return {
        **row,
        "tone": tone_of_severity(str(row.get("severity"))),
        "line": need_line(str(row.get("kind")), None if code is None else str(code), subject, locale),
    }


async def _agents(reads: Reads, overview: Doc, locale: Locale) -> list[Document]:
    """Those who are nearest to work, each with what it holds and did last."""
    listed = [one for one in rows_of(overview, "members") if one.get("kind") == "agent"]
    listed.sort(key=_busy_first)
    shown: list[Document] = []
    for row in listed[:AGENTS_MAX]:
        member = await reads.document("member.show", agent_id=row["member_id"])
        if isinstance(member, Refusal):
            continue  # It left between the two looks; the list says how many there are.
        # What is held under a lease first: it is why the agent counts as being at work.
        claims = sorted(rows_of(member, "current_claims"), key=lambda claim: claim.get("claimed_until") is None)
        shown.append(
            {
                **row,
                "tone": tone_of_presence(str(row.get("presence"))),
                "because": presence_because(row, locale),
                "claims": claims[:CLAIMS_MAX],
                "claims_more": max(0, number(member.get("claims_total")) - CLAIMS_MAX),
                "last_action": member.get("last_action"),
            }
        )
    return shown


def _busy_first(row: Doc) -> int:
    presence = row.get("presence")
    return _BUSY_FIRST.index(str(presence)) if presence in _BUSY_FIRST else len(_BUSY_FIRST)


def presence_because(row: Doc, locale: Locale) -> str:
    """Why an agent is as near to work as it is."""
    if row.get("presence") is None:
        return say("cli.presence.none", locale)
    because = str(row.get("presence_because"))
    known = f"cli.presence.because.{because}"
    return say(known, locale) if has(known) else reason_line(because, locale)
