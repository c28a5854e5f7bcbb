"""What a reader is shown: plain frozen values, the one shape that cards, page and command line draw from.

A view carries names and numbers, never markup, a command line, a Lark id or a secret. Times are integer
milliseconds since the epoch. Ledger text in it is data: whoever draws it must show it literally.
"""

from typing import ClassVar, Literal, TypeAlias

import msgspec

from ledger.projections.amendment_views import AmendmentView
from ledger.projections.causes import Cause, DecisionView
from ledger.projections.chat_views import AttentionView, DigestView, HelpView, MissedView, WhichView
from ledger.projections.form_views import FormView, TypedView
from ledger.projections.gate_views import GateView, WaitingGateView
from ledger.projections.identity_views import IdentityView
from ledger.projections.member_views import MembersView
from ledger.projections.plan_views import PlanView
from ledger.projections.promise_views import BeforeView
from ledger.projections.request_views import RequestView
from ledger.projections.summary_views import SummaryView
from ledger.projections.told_views import ToldView

FieldClass = Literal["enforced", "retained", "advisory"]
GoalStateName = Literal[
    "proposed",
    "clarifying",
    "active",
    "paused",
    "delivered",
    "changes_requested",
    "accepted",
    "declined",
    "withdrawn",
    "stopped",
]

ENDED: frozenset[GoalStateName] = frozenset({"accepted", "declined", "withdrawn", "stopped"})


class FieldView(msgspec.Struct, frozen=True, kw_only=True):
    """One field of the intent: `name` is its key in the shared texts (`field.<name>`)."""

    name: str
    field_class: FieldClass
    items: tuple[str, ...]


class ArtifactView(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence: what was handed in, by whom, with its digest."""

    artifact_id: str
    todo_id: str | None
    kind: str
    label: str
    summary: str
    sha256: str
    size_bytes: int
    submitted_by: str
    status: str = "submitted"
    """What became of it: submitted, accepted, rejected, superseded or invalidated."""
    reviewed_by: str = ""
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    """Validators by what each said last."""


class CriterionView(msgspec.Struct, frozen=True, kw_only=True):
    """One acceptance criterion and the evidence that names it."""

    criterion_id: str
    text: str
    artifacts: tuple[ArtifactView, ...] = ()


class TodoView(msgspec.Struct, frozen=True, kw_only=True):
    """One todo; a soft claim and a hard lease are one row that says which it is."""

    todo_id: str
    title: str
    status: Literal["open", "done", "blocked", "deferred", "cancelled", "proposed"]
    role: Literal["user", "agent"]
    priority: str
    claim: Literal["none", "soft", "lease"]
    claimed_by: str | None
    claimed_until_ms: int | None
    write_scopes: tuple[str, ...]
    waiting_for: tuple[str, ...]
    blocked_reason: str


class ProposedView(msgspec.Struct, frozen=True, kw_only=True):
    """Work that somebody only proposed: a lane of its own, nobody's until whoever may decide lets it in."""

    todo_id: str
    title: str
    priority: str
    proposed_by: str


class QuestionView(msgspec.Struct, frozen=True, kw_only=True):
    """The one open question of a goal that is being clarified."""

    question_id: str
    text: str
    options: tuple[str, ...]
    asked_by: str


class ReviewView(msgspec.Struct, frozen=True, kw_only=True):
    """One revision of the intent as put before its owners."""

    revision: int
    status: Literal["open", "confirmed", "declined", "withdrawn", "superseded"]
    fields: tuple[FieldView, ...]
    criteria: tuple[CriterionView, ...]
    proposed_by: str
    basis: str
    decision: DecisionView | None
    cause: Cause
    before: BeforeView | None = None

    @property
    def open(self) -> bool:
        """Whether somebody may still act on it."""
        return self.status == "open"


class AcceptanceView(msgspec.Struct, frozen=True, kw_only=True):
    """One delivery as put before its owners."""

    delivery: int
    status: Literal["open", "accepted", "changes_requested", "superseded"]
    summary: str
    criteria: tuple[CriterionView, ...]
    other_artifacts: tuple[ArtifactView, ...]
    delivered_by: str
    basis: str
    decision: DecisionView | None
    cause: Cause

    @property
    def open(self) -> bool:
        """Whether somebody may still act on it."""
        return self.status == "open"


class NeedView(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed next and from whom; `code` is its key in the shared texts (`need.<code>`).

    Codes: confirm, answer, plan, work, deliver, resume, accept, rework, nothing.
    """

    code: str
    people: tuple[str, ...]


class GoalView(msgspec.Struct, frozen=True, kw_only=True):
    """A goal as everyone may see it."""

    tells: ClassVar[bool] = True

    goal_id: str
    title: str
    state: GoalStateName
    revision: int
    priority: str
    objective: str
    need: NeedView
    responsible: tuple[str, ...]
    claimed_until_ms: int | None
    write_scopes: tuple[str, ...]
    quota_state: str
    quota_allowed_slots: int
    quota_spent_slots: int
    todos: tuple[TodoView, ...]
    todos_total: int
    todos_done: int
    artifacts: tuple[ArtifactView, ...]
    question: QuestionView | None
    decision: DecisionView | None
    cause: Cause
    seq: int
    gates: tuple[WaitingGateView, ...] = ()
    """Decisions that work waits for."""
    proposals: tuple[ProposedView, ...] = ()
    proposals_total: int = 0
    """What was only proposed; it is counted in none of the todos."""

    @property
    def open(self) -> bool:
        """Whether the goal goes on."""
        return self.state not in ENDED


class ResultView(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one attempt: committed, or refused with a code from the shared texts."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = True

    ok: bool
    action: str
    code: str
    details: dict[str, str]
    goal_id: str | None
    title: str


CardPart: TypeAlias = (
    FormView
    | ReviewView
    | GoalView
    | AcceptanceView
    | GateView
    | PlanView
    | AmendmentView
    | RequestView
    | MembersView
    | ToldView
    | ResultView
    | AttentionView
    | DigestView
    | HelpView
    | MissedView
    | WhichView
    | IdentityView
    | SummaryView
)
"""What a card is of. Each says whether somebody may still act on it (`open`); what `tells` is posted closed as well."""
CardKind = Literal[
    "form",
    "review",
    "goal",
    "acceptance",
    "gate",
    "plan",
    "amendment",
    "request",
    "members",
    "revise",
    "identity",
    "told",
    "result",
    "attention",
    "digest",
    "help",
    "missed",
    "which",
    "status",
    "summary",
]


class CardView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one card is drawn from: the slot's subject, its view, and a token for each offered action.

    `tokens` maps an action name (`goal.confirm`) to the opaque signed token that its button carries.
    An action without a token is not offered: no button is drawn for it.
    """

    kind: CardKind
    audience: Literal["group", "direct"]
    tokens: dict[str, str]
    goal: GoalView | None = None
    review: ReviewView | None = None
    acceptance: AcceptanceView | None = None
    gate: GateView | None = None
    plan: PlanView | None = None
    amendment: AmendmentView | None = None
    request: RequestView | None = None
    members: MembersView | None = None
    form: FormView | None = None
    result: ResultView | None = None
    revise: FormView | None = None
    identity: IdentityView | None = None
    told: ToldView | None = None
    typed: tuple[TypedView, ...] = ()
    """What the one person who sees this card typed into its forms, and what came of it; never on a shared card."""
    attention: AttentionView | None = None
    digest: DigestView | None = None
    help: HelpView | None = None
    missed: MissedView | None = None
    which: WhichView | None = None
    status: GoalView | None = None
    """A goal's own card as the answer to whoever asked about it."""
    summary: SummaryView | None = None
    mentions: tuple[str, ...] = ()
    """The platform's ids of whom a new message names; for the bot alone, and in no projection."""
    button_key: int = 0
    """The key that its tokens are signed with. Nobody sees it, but a card under a key of before is to be drawn anew."""

    @property
    def part(self) -> CardPart:
        """The view of the slot's subject. Raises ValueError where the kind says one thing and the parts another."""
        found: CardPart | None = getattr(self, self.kind)
        if found is None:
            raise ValueError(f"a view of this kind carries its {self.kind}")
        return found

    @property
    def open(self) -> bool:
        """Whether somebody may still act on this card."""
        return self.part.open

    @property
    def tells(self) -> bool:
        """Whether the card is worth posting although nobody can act on it."""
        return bool(self.typed) or getattr(self.part, "tells", False)
