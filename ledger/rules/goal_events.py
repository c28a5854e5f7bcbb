"""What happened to a goal: the facts its rules decide on, and the words beside them."""

from ledger.events import Facts, Kind, Words
from ledger.ids import ArtifactId, GoalId, MemberId


class GoalProposed(Facts, frozen=True, kw_only=True):
    """A promise is put before its owners."""

    goal_id: GoalId
    revision: int
    priority: str
    criterion_ids: tuple[str, ...]
    write_scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    owners: tuple[MemberId, ...]
    approvers: tuple[MemberId, ...]
    handoff_mode: str
    allowed_slots: int | None
    enforce: tuple[str, ...]
    review: str
    plan_approval: str
    token_cap: int | None
    cost_cap_micros: int | None
    fold_case: bool
    private: bool


class GoalRevised(GoalProposed, frozen=True, kw_only=True):
    """Another version of the promise is put before its owners."""


class IntentWords(Words, frozen=True, kw_only=True):
    """The promise in words."""

    title: str
    objective: str
    criteria: tuple[str, ...]
    non_goals: tuple[str, ...]
    constraints: tuple[str, ...]
    budget: str
    stop_conditions: tuple[str, ...]


class ChannelBound(Facts, frozen=True, kw_only=True):
    """The goal is shown in this chat."""

    channel_id: str


class ClarificationAsked(Facts, frozen=True, kw_only=True):
    """One question is open."""

    question_id: str


class QuestionWords(Words, frozen=True, kw_only=True):
    """The question and what could be answered."""

    question: str
    options: tuple[str, ...]


class ClarificationAnswered(Facts, frozen=True, kw_only=True):
    """The open question was answered."""

    question_id: str


class AnswerWords(Words, frozen=True, kw_only=True):
    """The answer."""

    answer: str


class GoalConfirmed(Facts, frozen=True, kw_only=True):
    """An owner said yes to exactly this revision."""

    revision: int
    basis: str


class RevisionAdopted(Facts, frozen=True, kw_only=True):
    """An agent works by this revision from now on."""

    agent_id: MemberId
    revision: int


class GoalDeclined(Facts, frozen=True, kw_only=True):
    """An owner said no to a revision; a goal that was never confirmed ends with it."""

    revision: int


class GoalWithdrawn(Facts, frozen=True, kw_only=True):
    """The proposer took the proposal back."""

    revision: int


class GoalPaused(Facts, frozen=True, kw_only=True):
    """No new work for now."""


class GoalResumed(Facts, frozen=True, kw_only=True):
    """Work may go on."""


class GoalStopped(Facts, frozen=True, kw_only=True):
    """The goal ends without a result."""


class GoalDelivered(Facts, frozen=True, kw_only=True):
    """A result is put before the owners, with everything that proves it."""

    delivery: int
    revision: int
    artifacts: tuple[tuple[ArtifactId, str], ...]


class SummaryWords(Words, frozen=True, kw_only=True):
    """What was delivered, in words."""

    summary: str


class GoalAccepted(Facts, frozen=True, kw_only=True):
    """An owner accepted exactly this delivery."""

    delivery: int
    basis: str


class ChangesRequested(Facts, frozen=True, kw_only=True):
    """An owner sent the delivery back."""

    delivery: int
    basis: str


class GoalReasonWords(Words, frozen=True, kw_only=True):
    """Why, in the decider's words."""

    reason: str


def _intent_v1(facts: dict[str, object]) -> dict[str, object]:
    """A promise of the time when the owners' acceptance was the only review."""
    later: dict[str, object] = {
        "review": "owner",
        "plan_approval": "owner",
        "token_cap": None,
        "cost_cap_micros": None,
        "fold_case": False,
        "private": False,
    }
    return later | facts


KINDS = (
    Kind("goal.proposed", 1, GoalProposed, IntentWords, upcast=_intent_v1),
    Kind("goal.proposed", 2, GoalProposed, IntentWords),
    Kind("goal.revised", 1, GoalRevised, IntentWords, upcast=_intent_v1),
    Kind("goal.revised", 2, GoalRevised, IntentWords),
    Kind("goal.question_asked", 1, ClarificationAsked, QuestionWords),
    Kind("goal.question_answered", 1, ClarificationAnswered, AnswerWords),
    Kind("goal.confirmed", 1, GoalConfirmed),
    Kind("goal.revision_adopted", 1, RevisionAdopted),
    Kind("goal.declined", 1, GoalDeclined, GoalReasonWords),
    Kind("goal.withdrawn", 1, GoalWithdrawn, GoalReasonWords),
    Kind("goal.paused", 1, GoalPaused, GoalReasonWords),
    Kind("goal.resumed", 1, GoalResumed, GoalReasonWords),
    Kind("goal.stopped", 1, GoalStopped, GoalReasonWords),
    Kind("goal.delivered", 1, GoalDelivered, SummaryWords),
    Kind("goal.accepted", 1, GoalAccepted, GoalReasonWords),
    Kind("goal.changes_requested", 1, ChangesRequested, GoalReasonWords),
    Kind("channel.bound", 1, ChannelBound),
)
