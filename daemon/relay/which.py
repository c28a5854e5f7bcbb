"""Which goal: goals that may be meant, and the question which of them is.

Asking changes nothing, and choosing changes nothing either: the goal's own card comes as the answer, and what it offers
is pressed there.
"""

from collections.abc import Iterable, Iterator

from daemon.relay.commands import ABOUT_ONE_GOAL
from daemon.relay.shown import Asked, Shown, button_name
from ledger.ids import GoalId, MemberId
from ledger.outlines import outline_of
from ledger.projections.chat_views import WhichRow, WhichView
from ledger.projections.privacy import clip
from ledger.records import CLOSED, Outline
from ledger.rules.common import decides
from ledger.state import Goal, Workspace

GOALS_SHOWN_MAX = 10
TITLE_CHARS_MAX = 120
NOBODY = "-"
"""No member's name: the question was asked in a group, whose goals are meant."""


def in_chat(workspace: Workspace, chat_id: str) -> list[Outline]:
    """The goals that a chat shows, oldest first."""
    return [outline_of(held) for held in workspace.goals.held() if shows(workspace, chat_id, held)]


def shows(workspace: Workspace, chat_id: str, held: Goal | Outline) -> bool:
    """Whether the chat shows the goal: by itself, or with the workspace unless it is private or was let go there."""
    if chat_id in held.channels:
        return True
    is_private = held.private if isinstance(held, Outline) else held.intent.private
    was_let_go = isinstance(held, Goal) and chat_id in held.left_chats.since
    return chat_id in workspace.identity.channels and not is_private and not was_let_go


def of_member(workspace: Workspace, member_id: MemberId) -> list[Outline]:
    """The goals that a person owns or approves, oldest first."""
    return [one for one in map(outline_of, workspace.goals.held()) if has_say(workspace, one, member_id)]


def has_say(workspace: Workspace, goal: Outline, member_id: MemberId) -> bool:
    """Whether the person decides on the goal, or approves what is asked in it."""
    return decides(goal.owners, member_id, workspace) or member_id in goal.approvers


def meant(workspace: Workspace, chat_id: str, member_id: str) -> list[Outline]:
    """The goals that somebody can mean in this place: those of the chat; in private, their own where it has none."""
    here = in_chat(workspace, chat_id)
    return here if here or member_id == NOBODY else of_member(workspace, MemberId(member_id))


def going_on(goals: Iterable[Outline]) -> list[Outline]:
    """Those that are not closed."""
    return [one for one in goals if one.state not in CLOSED]


def visible(workspace: Workspace, asked: Asked, name: str) -> Goal | None:
    """The goal of this name, if it may be shown to this person in this place."""
    goal = workspace.goals.get(GoalId(name))
    if goal is None:
        return None
    mine = asked.is_direct and asked.member_id is not None
    theirs = mine and has_say(workspace, outline_of(goal), MemberId(asked.member_id or ""))
    return goal if theirs or shows(workspace, asked.chat_id, goal) else None


def subject_of(verb: str, asked: Asked) -> str:
    """The question's subject: what is asked for, in whose behalf, and the message that it answers."""
    member_id = (asked.member_id or NOBODY) if asked.is_direct else NOBODY
    return f"which:{verb}:{member_id}:{asked.message_id}"


def shown(workspace: Workspace, subject: str, chat_id: str) -> Shown | None:
    """The question as it is now."""
    _, verb, rest = (subject.split(":", 2) + [""] * 3)[:3]
    member_id, _, message_id = rest.rpartition(":")
    if verb not in ABOUT_ONE_GOAL or not member_id or not message_id:
        return None
    goals = going_on(meant(workspace, chat_id, member_id))[::-1]
    rows = tuple(_rows(goals[:GOALS_SHOWN_MAX]))
    view = WhichView(verb=verb, rows=rows, left_out=len(goals) - len(rows))
    return Shown(view, {row.button: row.goal_id for row in rows})


def _rows(goals: Iterable[Outline]) -> Iterator[WhichRow]:
    for one in goals:
        title = clip(one.title, TITLE_CHARS_MAX)
        yield WhichRow(goal_id=one.goal_id, title=title, state=one.state, button=button_name(one.goal_id))
