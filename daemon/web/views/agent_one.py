"""One agent: what it is for, what it may do, what it has, what came of its turns, and what an owner may do about it."""

from collections.abc import Mapping, Sequence
from typing import Final

from daemon.web.agent_lines import lines_for_agent
from daemon.web.agent_reads import GOALS_MAX, binding_of, books_of, given, goals_worked_in, lease_events, leases_of
from daemon.web.agent_shapes import because_line, holds_of, role_line
from daemon.web.agent_work import artifacts_of, requests_of, runs_of, usage_of
from daemon.web.asked import Asked
from daemon.web.lease_terms import terms_of
from daemon.web.reads import Reads
from daemon.web.time_line import time_line
from daemon.web.tones import tone_of_presence
from daemon.web.workload import Books, spent_by
from ledger.projections.documents import Document
from ledger.refusals import Refusal
from ledger.text.pieces import Doc, as_map, number, rows_of

GOALS_FIRST: Final = 10
"""Goals that are shown unfolded."""
ACTS_MAX: Final = 20
USAGE_MAX: Final = 200
REQUESTS_MAX: Final = 20
TOKENS_MAX: Final = 20
REFUSED_MAX: Final = 20


async def view(reads: Reads, asked: Asked, member: Doc) -> Document | Refusal:
    """Everything about one agent that the documents say."""
    agent_id = str(member.get("member_id"))
    shown = await reads.document("member.show", agent_id=agent_id)
    if isinstance(shown, Refusal):
        return shown
    acts = await given(reads, "history.list", actor=agent_id, limit=ACTS_MAX)
    goal_ids = list(dict.fromkeys([*_goals_of_acts(acts), *goals_worked_in([shown])]))
    books = await books_of(reads, goal_ids)
    usage = {one: await given(reads, "usage.show", goal_id=one, limit=USAGE_MAX) for one in books}
    plan = await given(reads, "quota.plan", agent_id=agent_id, limit=USAGE_MAX)
    holds = holds_of(shown, await leases_of(reads, [shown]))
    leases = await lease_events(reads, goal_ids)
    moment = await reads.moment()
    refused = await given(reads, "refusal.list", actor=agent_id, limit=REFUSED_MAX)
    binding = await binding_of(reads, agent_id)
    tokens = rows_of(await given(reads, "token.list", member_id=agent_id), "tokens")
    grants = rows_of(await given(reads, "member.grants", member_id=agent_id), "grants")
    return {
        "member": member,
        "doc": shown,
        "role": role_line(shown.get("profile_role"), asked.locale),
        "because": because_line(shown.get("presence_because"), asked.locale),
        "tone": tone_of_presence(str(shown.get("presence"))),
        "holds": holds,
        "goals": sorted(_goals(asked, shown, books, plan), key=_interest),
        "goals_first": GOALS_FIRST,
        "goals_read": {"shown": len(books), "total": len(goal_ids), "max": GOALS_MAX},
        "acts": acts,
        "runs": runs_of(agent_id, books),
        "usage": usage_of(agent_id, usage),
        "requests": requests_of(agent_id, await _requests(reads, agent_id, books)),
        "artifacts": artifacts_of(agent_id, books),
        "refused": refused,
        "time_line": time_line(terms_of(leases.events, moment, agent_id), moment),
        "leases_from": leases.from_seq,
        "binding": binding,
        "tokens": list(enumerate(tokens))[-TOKENS_MAX:],
        "tokens_more": max(0, len(tokens) - TOKENS_MAX),
        "grants": list(enumerate(grants))[-TOKENS_MAX:],
        "grants_more": max(0, len(grants) - TOKENS_MAX),
        "actions": []
        if member.get("revoked") or asked.at is not None
        else lines_for_agent(agent_id, binding, tokens, grants, holds),
    }


def _goals_of_acts(acts: Doc) -> list[str]:
    return [str(one["goal_id"]) for one in rows_of(acts, "events") if one.get("goal_id") is not None]


def _goals(asked: Asked, shown: Doc, books: Mapping[str, Books], plan: Doc) -> list[Document]:
    """Its goals, each with how near it is to work there, what it would do next and its part of what was spent."""
    verdicts = {str(row.get("goal_id")): row for row in rows_of(plan, "goals")}
    agent_id, rows = str(shown.get("agent_id")), []
    for at, row in enumerate(rows_of(shown, "goals")):
        goal_id = str(row.get("goal_id"))
        quota = books[goal_id].quota if goal_id in books else {}
        rows.append(
            {
                "path": f"goals[{at}]",
                "doc": row,
                "tone": tone_of_presence(str(row.get("presence"))),
                "because": because_line(row.get("presence_because"), asked.locale),
                "verdict": as_map(verdicts.get(goal_id)),
                "spent": spent_by(quota, agent_id) if quota else None,
                "spent_by_all": quota.get("spent_slots"),
                "allowed": quota.get("allowed_slots"),
                "partly": number(quota.get("receipts_total")) > len(rows_of(quota, "receipts")),
            }
        )
    return rows


def _interest(row: Document) -> tuple[bool, bool]:
    """Goals in which the agent has something come first, then those in which it ever did something."""
    doc = as_map(row["doc"])
    return (not doc.get("current_claims"), doc.get("last_action") is None)


async def _requests(reads: Reads, agent_id: str, goal_ids: Mapping[str, object]) -> Sequence[Doc]:
    """What was asked of it and what it asked of others, in the goals that were read."""
    found: list[Doc] = []
    for goal_id in goal_ids:
        for side in ({"to": agent_id}, {"sender": agent_id}):
            found += rows_of(
                await given(reads, "request.list", goal_id=goal_id, limit=REQUESTS_MAX, **side), "requests"
            )
    return found
