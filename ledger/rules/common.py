"""What every family shares: who asks, what a decision looks like, and the checks that come first.

A decider is a pure function of the workspace, the caller, the parameters and the moment. It yields all events
of one command, or says that the wish already holds and which event made it so, or refuses.
"""

from enum import StrEnum
from typing import Literal

import msgspec

from ledger.events import Draft, Surface
from ledger.ids import GoalId, MemberId, TodoId, TokenId
from ledger.records import Member, Todo
from ledger.refusals import GeneralRefusal, Refusal
from ledger.state import Goal, Workspace


class CodeCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What the daemon made of a one-time code: the step that it is of, or what is wrong with it; never the code."""

    step: int | None = None
    problem: Literal["not_enrolled", "wait", "wrong"] | None = None
    retry_after_s: int | None = None


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """The proved actor of a command, and the surface it came by."""

    member_id: MemberId
    kind: str
    surface: Surface
    channel_id: str | None = None
    """The chat a press came from; None elsewhere."""
    token_id: TokenId | None = None
    """The credential that proved it; None where it was no token."""
    code: CodeCheck | None = None
    """What came of the one-time code that was given; None where none was."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing to do: the wish already holds, made so by the event `seq`."""

    seq: int
    facts: dict[str, object]


Decision = tuple[Draft, ...] | Held | Refusal


def refuse(code: StrEnum, /, *, basis: str | None = None, **details: object) -> Refusal:
    """A refusal with its details; None details are left out."""
    given = {name: value for name, value in details.items() if value is not None}
    return Refusal(code=code, details=given, basis=basis)


def next_seq(workspace: Workspace, offset: int = 0) -> int:
    """The seq that the command's event number `offset` will get."""
    return workspace.seq + 1 + offset


def is_owner(goal: Goal, member_id: MemberId, workspace: Workspace) -> bool:
    """Whether this person decides for the goal, as `owners_of` says."""
    return decides(goal.intent.owners, member_id, workspace)


def decides(named: tuple[MemberId, ...], member_id: MemberId, workspace: Workspace) -> bool:
    """Whether this person decides where these owners are named."""
    member = registered(workspace, member_id)
    if member is None:
        return False
    if any(registered(workspace, owner) is not None for owner in named):
        return member_id in named
    return "owner" in member.roles


def owners_of(goal: Goal, workspace: Workspace) -> tuple[MemberId, ...]:
    """The people who decide for the goal: those it names, or the workspace's owners where it names none.

    A named owner who was revoked decides nothing. Where all of them were, the workspace's owners decide: a goal that
    nobody could ever end would be lost.
    """
    named = tuple(owner for owner in goal.intent.owners if registered(workspace, owner) is not None)
    return named or tuple(m.member_id for m in workspace.members.values() if "owner" in m.roles and not m.revoked)


def registered(workspace: Workspace, member_id: MemberId) -> Member | None:
    """The member, unless unknown or revoked."""
    member = workspace.members.get(member_id)
    return None if member is None or member.revoked else member


def granted(member: Member, goal_id: GoalId) -> bool:
    """Whether the member may act on this goal."""
    return "*" in member.goals or goal_id in member.goals


def must_review(goal: Goal, agent_id: MemberId) -> bool:
    """Whether the promise has changed since the one this agent works by: the first, until it adopts another."""
    return goal.adopted.get(agent_id, goal.first_confirmed) < goal.confirmed


def lacking(goal: Goal, todo: Todo, member: Member) -> list[str]:
    """The capabilities that the goal or the todo asks for and the member has not."""
    needed = dict.fromkeys((*goal.intent.capabilities, *todo.required_capabilities))
    return [capability for capability in needed if capability not in member.capabilities]


def needs(goal: Goal, todo: Todo) -> tuple[TodoId, ...]:
    """All that has to be met before this work may begin: its dependencies, and decisions that unblock it."""
    decisions = goal.reviews.unblockers.get(todo.todo_id, ())
    return tuple(dict.fromkeys((*todo.depends_on, *decisions))) if decisions or todo.depends_on else ()


def is_met(goal: Goal, todo: Todo) -> bool:
    """Whether what depends on this todo may begin: it is done, its evidence counts, and a decision was a yes."""
    if todo.status != "done":
        return False
    if todo.task_class == "user_gate":
        return todo.decision_outcome == "approve"
    if goal.intent.review != "independent":
        return True
    return all(goal.reviews.holds(artifact_id, independent=True) for artifact_id in todo.evidence)


def unmet(goal: Goal, todo: Todo) -> list[TodoId]:
    """What this work needs and is not met."""
    if not goal.unmet.get(todo.todo_id):
        return []
    return [other for other in needs(goal, todo) if not is_met(goal, goal.todos[other])]


def check_basis(given: str | None, current: str, changed: tuple[str, ...], *, required: bool) -> Refusal | None:
    """Compare what was seen with what is: a decision applies to exactly what was on the card."""
    if given is None:
        return refuse(GeneralRefusal.BASIS_REQUIRED, basis=current) if required else None
    if given != current:
        return refuse(GeneralRefusal.STALE_BASIS, given=given, changed=list(changed), basis=current)
    return None


def todo_ids(ids: tuple[str, ...]) -> tuple[TodoId, ...]:
    """Validated texts as ids."""
    return tuple(TodoId(text) for text in ids)
