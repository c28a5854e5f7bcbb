"""Erasing words: what people wrote in recorded events goes for good, while the events stay and the chain holds.

The chain covers facts themselves and only a salted digest of the words, and no rule reads words: so nothing that was
decided changes, and nothing that will be, but that a promise whose words are gone is confirmed by nobody. What was
erased, by whom and for which reason is an event like any other.
Which events there are and which of them still have words is in the log and not in the state; whoever asks this family
looks them up first and hands them over.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from ledger.events import Draft, Facts, Kind
from ledger.ids import GoalId
from ledger.params import GoalIdText, Params
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, is_owner, refuse, registered
from ledger.rules.goals import GoalRefusal
from ledger.state import Workspace

SEQS_MAX = 64
SEQ_MAX = 10**15
ReasonCode = Literal["personal_data", "credential", "confidential", "mistake", "legal"]


class EraseWords(Params):
    """Erase for good what people wrote in recorded events; the events, their facts and the chain stay."""

    seq: Annotated[
        tuple[Annotated[int, Field(ge=1, le=SEQ_MAX)], ...],
        Field(min_length=1, max_length=SEQS_MAX, description="The event whose words go."),
    ]
    goal_id: Annotated[
        GoalIdText | None, Field(description="The goal of these events; absent for events of the workspace.")
    ] = None
    reason_code: Annotated[ReasonCode, Field(description="Why; it is kept, so it is a code and no text.")]


class WordsErased(Facts, frozen=True, kw_only=True):
    """The words of these events are gone."""

    seqs: tuple[int, ...]
    reason_code: ReasonCode


class ErasureRefusal(StrEnum):
    """Why no words were erased, in order of precedence."""

    NOT_AN_OWNER = "not_an_owner"
    EVENT_NOT_FOUND = "event_not_found"
    NOTHING_TO_ERASE = "nothing_to_erase"


class Mentioned(NamedTuple):
    """What the log says of an event that a command names."""

    goal_id: str | None
    has_words: bool


def decide_erase(
    workspace: Workspace, caller: Caller, ask: EraseWords, _now_ms: int, mentioned: Mapping[int, Mentioned]
) -> Decision:
    """Erase what is there to erase; an owner of the goal decides, or of the workspace where no goal is named."""
    if (broken := _not_an_owner(workspace, caller, ask)) is not None:
        return broken
    asked = sorted(set(ask.seq))
    unknown = [seq for seq in asked if seq not in mentioned or mentioned[seq].goal_id != ask.goal_id]
    if unknown:
        return refuse(ErasureRefusal.EVENT_NOT_FOUND, seqs=unknown, goal_id=ask.goal_id)
    worded = tuple(seq for seq in asked if mentioned[seq].has_words)
    if not worded:
        return refuse(ErasureRefusal.NOTHING_TO_ERASE, seqs=asked)
    goal_id = None if ask.goal_id is None else GoalId(ask.goal_id)
    return (Draft(facts=WordsErased(seqs=worded, reason_code=ask.reason_code), goal_id=goal_id),)


def _not_an_owner(workspace: Workspace, caller: Caller, ask: EraseWords) -> Refusal | None:
    if ask.goal_id is None:
        member = registered(workspace, caller.member_id)
        owns = member is not None and "owner" in member.roles
        return None if owns else refuse(ErasureRefusal.NOT_AN_OWNER)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    return None if is_owner(goal, caller.member_id, workspace) else refuse(ErasureRefusal.NOT_AN_OWNER)


KINDS = (Kind("words.erased", 1, WordsErased),)
