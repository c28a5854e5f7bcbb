"""What may be searched for."""

from typing import Annotated, Literal

from pydantic import Field

from ledger.params import GoalIdText, Line, Params
from ledger.rules.history_params import SEQ_MAX

QUERY_CHARS_MAX = 200
TERMS_MAX = 8
HITS_MAX = 50
HITS_DEFAULT = 20


class FindWords(Params):
    """Find goals, todos, gates, artifacts and events by words; every word must occur, as it is typed."""

    query: Annotated[Line, Field(max_length=QUERY_CHARS_MAX, description="The words; none of them is syntax.")]
    goal_id: Annotated[GoalIdText | None, Field(description="In this goal alone.")] = None
    kind: Annotated[
        Literal["goal", "todo", "gate", "artifact", "event"] | None,
        Field(description="Only such things; everything when absent."),
    ] = None
    after: Annotated[
        int | None, Field(ge=1, le=SEQ_MAX, description="Go on behind this event, which ended the last page.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=HITS_MAX, description="How many are found at most.")] = HITS_DEFAULT
