"""Summaries: what changed, told once in each chat, with the ledger's head as it was then.

A summary says what it says in its own event: the material facts that are new to the chats, up to its head. Where
nothing material changed since the last one, a chat is left alone. Posting makes it wait for the bot, chat by chat; that
it arrived, or did not and why, is an event of its own, so that a sink which fails blocks nobody and everybody sees it.
What failed to arrive counts as not told: the next one begins before it.
"""

from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from ledger.events import Draft
from ledger.ids import GoalId
from ledger.parts.summaries import (
    About,
    Because,
    ChatFate,
    FactRow,
    GoalRows,
    Mark,
    in_chat,
    told_key,
)
from ledger.records import Outline
from ledger.refusals import Refusal
from ledger.rules.authority import holds_kind
from ledger.rules.channels import channel_name
from ledger.rules.common import Caller, Decision, Held, granted, is_owner, next_seq, refuse, registered
from ledger.rules.material import Fact, digest_of, facts_of, facts_of_workspace
from ledger.rules.summary_events import PostedWords, SummaryPosted, SummarySettled
from ledger.rules.summary_params import PostSummary, SettleSummary
from ledger.state import Goal, Workspace

GOALS_TOLD_MAX = 8
ROWS_OF_GOAL_MAX = 6
QUEUED_MAX = 200
"""Summaries that wait for the bot, counted by chat: a bot that is away for long is not to post for hours."""
QUEUED_MS_MAX = 24 * 3_600_000
"""What could not be posted for so long is no news any more, and is written off."""
HEAD_BYTES = 4
ACTION_KIND = "summary"
"""The kind of action that a grant names to let an agent post."""
STEWARD = "steward"


class SummaryRefusal(StrEnum):
    """Why nothing was posted or written down, in order of precedence."""

    SUMMARY_TARGET_REQUIRED = "summary_target_required"
    GOAL_NOT_FOUND = "goal_not_found"
    NOT_AN_OWNER = "not_an_owner"
    POSTING_NOT_GRANTED = "posting_not_granted"
    SUMMARY_TEXT_PRIVATE = "summary_text_private"
    NO_CHAT_SHOWS_IT = "no_chat_shows_it"
    NO_CHAT_REACHABLE = "no_chat_reachable"
    TOO_MANY_QUEUED = "too_many_queued"
    SUMMARY_NOT_FOUND = "summary_not_found"


class Target(NamedTuple):
    """What is told of."""

    about: About
    goal_id: GoalId | None
    goals: tuple[Goal | Outline, ...]
    beside: tuple[Fact, ...]
    """The facts that are about no goal, where the whole workspace is told of."""


class Planned(NamedTuple):
    """A summary as it would be posted now."""

    facts: SummaryPosted
    queued: int


def decide_post(workspace: Workspace, caller: Caller, ask: PostSummary, now_ms: int) -> Decision:
    """Post into each chat that does not know it yet; a preview says the same and does nothing."""
    if (ask.goal_id is None) != ask.workspace:
        return refuse(SummaryRefusal.SUMMARY_TARGET_REQUIRED)
    goal = None if ask.goal_id is None else workspace.goals.get(GoalId(ask.goal_id))
    if ask.goal_id is not None and goal is None:
        return refuse(SummaryRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    if (broken := _may_not_post(workspace, caller, goal, now_ms)) is not None:
        return broken
    if ask.text is not None and goal is not None and goal.intent.private:
        return refuse(SummaryRefusal.SUMMARY_TEXT_PRIVATE, goal_id=goal.goal_id)
    chats = tuple(workspace.identity.channels) if goal is None else chats_of(workspace, goal)
    if not chats:
        return refuse(SummaryRefusal.NO_CHAT_SHOWS_IT, goal_id=ask.goal_id)
    target = of_workspace(workspace) if goal is None else Target("goal", goal.goal_id, (goal,), ())
    planned = plan(workspace, target, chats, scheduled_for_ms=None, has_text=ask.text is not None)
    if ask.preview:
        return Held(seq=workspace.seq, facts=said_of(planned.facts, preview=True, text=ask.text or ""))
    if not planned.queued:
        return _nobody_new(workspace, planned.facts)
    if len(workspace.summaries.queued) + planned.queued > QUEUED_MAX:
        return refuse(SummaryRefusal.TOO_MANY_QUEUED, limit=QUEUED_MAX)
    words = None if ask.text is None else PostedWords(text=ask.text)
    return (Draft(facts=planned.facts, words=words),)


def decide_settle(workspace: Workspace, _caller: Caller, ask: SettleSummary, _now_ms: int) -> Decision:
    """Write down once what became of a summary in a chat."""
    known = workspace.summaries.outcomes.get(in_chat(ask.summary_id, ask.channel_id))
    if known is None:
        return refuse(SummaryRefusal.SUMMARY_NOT_FOUND, summary_id=ask.summary_id)
    if known.status != "queued":
        return Held(seq=known.seq, facts={"summary_id": ask.summary_id, "status": known.status})
    because = ask.because if ask.outcome == "failed" else None
    facts = SummarySettled(summary_id=ask.summary_id, channel_id=ask.channel_id, outcome=ask.outcome, because=because)
    return (Draft(facts=facts),)


def chats_of(workspace: Workspace, goal: Goal) -> tuple[str, ...]:
    """The chats a goal's summary goes to: its own, or those of the workspace where it has none."""
    return tuple(goal.channels) or tuple(workspace.identity.channels)


def of_workspace(workspace: Workspace) -> Target:
    """All goals, and what is about none."""
    return Target("workspace", None, tuple(workspace.goals.held()), tuple(facts_of_workspace(workspace)))


def of_chat(workspace: Workspace, channel_id: str) -> Target:
    """Whatever a chat shows."""
    if channel_id in workspace.identity.channels:
        return of_workspace(workspace)._replace(about="chat")
    shown = tuple(held for held in workspace.goals.held() if channel_id in held.channels)
    return Target("chat", None, shown, ())


def plan(
    workspace: Workspace, target: Target, chats: tuple[str, ...], *, scheduled_for_ms: int | None, has_text: bool
) -> Planned:
    """What would be posted now, and what becomes of it in each chat; it begins where the least informed one ended."""
    material = digest_of(target.goals, target.beside)
    key = told_key(target.about, target.goal_id)
    marks = {chat: last_mark(workspace, key, chat) for chat in chats}
    fates = tuple(_fate(workspace, chat, marks[chat], material) for chat in chats)
    told = [marks[one.channel_id] for one in fates if one.fate == "queued"] or list(marks.values())
    since = min(0 if mark is None else mark.until for mark in told)
    by_goal, total = _rows(target, since)
    facts = SummaryPosted(
        summary_id=f"sum_{next_seq(workspace)}",
        about=target.about,
        goal_id=target.goal_id,
        fates=fates,
        since=since,
        until=workspace.seq,
        head_hash=workspace.hash[:HEAD_BYTES].hex(),
        head_at_ms=workspace.at_ms,
        material=material,
        total=total,
        goals=by_goal[:GOALS_TOLD_MAX],
        goals_left_out=max(0, len(by_goal) - GOALS_TOLD_MAX),
        scheduled_for_ms=scheduled_for_ms,
        has_text=has_text,
    )
    return Planned(facts, sum(one.fate == "queued" for one in fates))


def last_mark(workspace: Workspace, key: str, channel_id: str) -> Mark | None:
    """Up to where a chat was told."""
    marks = workspace.summaries.marks.get(in_chat(key, channel_id))
    return marks[-1] if marks else None


def said_of(facts: SummaryPosted, *, preview: bool, text: str = "") -> dict[str, object]:
    """A summary as an answer says it: chats by their short names, and nothing that the ledger does not know."""
    return {
        "preview": preview,
        "summary_id": None if preview else facts.summary_id,
        "goal_id": facts.goal_id,
        "channels": [
            {"channel": channel_name(one.channel_id), "status": one.fate, "because": one.because} for one in facts.fates
        ],
        "since": facts.since,
        "head": {"seq": facts.until, "short_hash": facts.head_hash},
        "total": facts.total,
        "text": text,
        "goals": facts.goals,
        "goals_left_out": facts.goals_left_out,
    }


def because_lost(workspace: Workspace, channel_id: str) -> Because | None:
    """Why a chat cannot be reached, as far as that was heard; None where it can."""
    return None if channel_id not in workspace.identity.lost else workspace.identity.loss.get(channel_id, "removed")


def _may_not_post(workspace: Workspace, caller: Caller, goal: Goal | None, now_ms: int) -> Refusal | None:
    member = registered(workspace, caller.member_id)
    assert member is not None, "only members are asked"
    if member.kind == "person":
        owns = "owner" in member.roles if goal is None else is_owner(goal, member.member_id, workspace)
        return None if owns else refuse(SummaryRefusal.NOT_AN_OWNER)
    has_it = "*" in member.goals if goal is None else granted(member, goal.goal_id)
    goal_id = None if goal is None else goal.goal_id
    named = member.profile_role == STEWARD or holds_kind(workspace, member.member_id, goal_id, ACTION_KIND, now_ms)
    return None if has_it and named else refuse(SummaryRefusal.POSTING_NOT_GRANTED, goal_id=goal_id)


def _nobody_new(workspace: Workspace, facts: SummaryPosted) -> Decision:
    """No chat is to get it: those that can be reached know it already, or none can be reached."""
    if any(one.fate == "unchanged" for one in facts.fates):
        return Held(seq=workspace.seq, facts=said_of(facts, preview=False) | {"summary_id": None})
    chats = [channel_name(one.channel_id) for one in facts.fates]
    return refuse(SummaryRefusal.NO_CHAT_REACHABLE, channels=chats, because=facts.fates[0].because)


def _fate(workspace: Workspace, channel_id: str, mark: Mark | None, material: str) -> ChatFate:
    if (because := because_lost(workspace, channel_id)) is not None:
        return ChatFate(channel_id=channel_id, fate="failed", because=because)
    unchanged = mark is not None and mark.material == material
    return ChatFate(channel_id=channel_id, fate="unchanged" if unchanged else "queued")


def _rows(target: Target, since: int) -> tuple[tuple[GoalRows, ...], int]:
    """What is new, by goal, the goal that something happened to last first; and how many facts that are in all."""
    found = [(goal.goal_id, fact) for goal in target.goals for fact in _new(facts_of(goal), since)]
    by_goal = [
        _of_goal(goal_id, [fact for _, fact in rows]) for goal_id, rows in groupby(found, key=lambda row: row[0])
    ]
    beside = _new(target.beside, since)
    if beside:
        by_goal.append(_of_goal(None, beside))
    by_goal.sort(key=lambda one: one.rows[-1].seq, reverse=True)
    return tuple(by_goal), len(found) + len(beside)


def _new(facts: Iterable[Fact], since: int) -> list[Fact]:
    return sorted((fact for fact in facts if fact.seq > since), key=lambda fact: fact[:4])


def _of_goal(goal_id: GoalId | None, facts: list[Fact]) -> GoalRows:
    newest = facts[-ROWS_OF_GOAL_MAX:]
    rows = tuple(
        FactRow(seq=one.seq, kind=one.kind, subject=one.subject, now=one.now, actor=one.actor) for one in newest
    )
    return GoalRows(goal_id=goal_id, rows=rows, earlier=len(facts) - len(newest))
