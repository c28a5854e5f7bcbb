"""What may be asked of the views across goals: members, the workspace, what waits, what changed, one decision."""

from typing import Annotated

from pydantic import Field

from ledger.canonical import INTEGER_MAX
from ledger.params import Full, GoalIdText, MemberIdText, Params
from ledger.rules.gate_params import GateIdText

ROWS_MAX = 200
ROWS_DEFAULT = 50


class ShowMember(Params):
    """An agent as its peers see it: what it holds, what it last did, and how near it is to work."""

    agent_id: Annotated[MemberIdText, Field(description="The agent.")]
    goal_id: Annotated[GoalIdText | None, Field(description="In this goal alone; in every open goal when absent.")] = (
        None
    )


class ShowOverview(Params):
    """The whole workspace: its goals with what is next, what waits for somebody, and its members."""

    limit: Annotated[int, Field(ge=1, le=ROWS_MAX, description="How many goals, and of what waits, at most.")] = (
        ROWS_DEFAULT
    )
    after: Annotated[GoalIdText | None, Field(description="Go on after this goal.")] = None
    closed: Annotated[bool, Field(description="With the goals that are closed.")] = False


class ShowDigest(Params):
    """What changed since an event, as plain rows, and how much of what waits is yours."""

    since: Annotated[int, Field(ge=0, le=INTEGER_MAX, description="The seq after which to begin; 0 is the start.")] = 0
    goal_id: Annotated[GoalIdText | None, Field(description="Of this goal alone; of every goal when absent.")] = None
    limit: Annotated[int, Field(ge=1, le=ROWS_MAX, description="How many rows at most, the newest ones.")] = (
        ROWS_DEFAULT
    )


class ShowReviewPacket(Params):
    """All that one decision needs on one page: the question, what to read first, the evidence, the ways to answer."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    gate_id: Annotated[
        GateIdText | None, Field(description="This gate; what waits longest for the goal's owners when absent.")
    ] = None
    full: Full = False


class ShowAttention(Params):
    """What waits for you, most urgent first; an owner may ask for somebody else or for everybody."""

    member_id: Annotated[MemberIdText | None, Field(description="Whom it waits for; the caller when absent.")] = None
    everybody: Annotated[bool, Field(description="Whatever waits for anybody.")] = False
    limit: Annotated[int, Field(ge=1, le=ROWS_MAX, description="How many items at most.")] = ROWS_DEFAULT
