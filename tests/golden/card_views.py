"""One view for every state of every card: what the goldens, the budget tests and the screenshots draw from."""

import msgspec

from ledger.projections.causes import Cause, DecisionView
from ledger.projections.outlet import shown_in_chat
from ledger.projections.views import (
    AcceptanceView,
    ArtifactView,
    CardView,
    CriterionView,
    FieldView,
    GoalView,
    NeedView,
    QuestionView,
    ResultView,
    ReviewView,
    TodoView,
)
from ledger.state import Workspace
from tests.golden.amendment_card_views import amendments
from tests.golden.chat_card_views import chat_cards
from tests.golden.form_card_views import form_cards, kept
from tests.golden.gate_card_views import gate_cards
from tests.golden.identity_card_views import identity_cards
from tests.golden.member_card_views import members
from tests.golden.plan_card_views import plans
from tests.golden.promise_card_views import promises
from tests.golden.request_card_views import requests
from tests.golden.summary_card_views import summary_cards

NOW_MS = 1_764_500_000_000
HOUR_MS = 3_600_000


def tokens(*actions: str) -> dict[str, str]:
    """A token of the usual size for each action."""
    return {action: f"v1.{action.replace('.', '-')}.".ljust(100, "x") for action in actions}


def cause(kind: str, *, seq: int = 41, actor: str = "Ann Li") -> Cause:
    return Cause(
        seq=seq,
        kind=kind,
        actor_id="ann",
        actor_name=actor,
        at_ms=NOW_MS - HOUR_MS,
        short_hash="9f3a1c0b77e2",
    )


REPORT = ArtifactView(
    artifact_id="artifact_7",
    todo_id="todo_check_links",
    kind="report",
    label="link-report.md",
    summary="214 links checked, 0 broken",
    sha256="3f2a91c0d4be77a1" + "0" * 48,
    size_bytes=12_412,
    submitted_by="link-checker",
)
LOG = ArtifactView(
    artifact_id="artifact_8",
    todo_id="todo_check_links",
    kind="log",
    label="commands.log",
    summary="every command with its exit code",
    sha256="b81c77d2e09f4455" + "0" * 48,
    size_bytes=2_310_004,
    submitted_by="link-checker",
)
CRITERIA = (
    CriterionView(criterion_id="c1", text="Every link in docs/ answers, or is listed with its reason"),
    CriterionView(criterion_id="c2", text="Every command in the guide runs on a fresh machine"),
)
TODOS = (
    TodoView(
        todo_id="todo_check_links",
        title="Check every link and heading in docs/",
        status="open",
        role="agent",
        priority="P1",
        claim="lease",
        claimed_by="link-checker",
        claimed_until_ms=NOW_MS + HOUR_MS,
        write_scopes=("docs/**",),
        waiting_for=(),
        blocked_reason="",
    ),
    TodoView(
        todo_id="todo_run_commands",
        title="Run every command of the guide",
        status="open",
        role="agent",
        priority="P2",
        claim="none",
        claimed_by=None,
        claimed_until_ms=None,
        write_scopes=(),
        waiting_for=("todo_check_links",),
        blocked_reason="",
    ),
    TodoView(
        todo_id="todo_name_host",
        title="Name the host the guide may use",
        status="blocked",
        role="user",
        priority="P1",
        claim="soft",
        claimed_by="ben",
        claimed_until_ms=None,
        write_scopes=(),
        waiting_for=(),
        blocked_reason="The test host is being replaced this week",
    ),
)

GOAL = GoalView(
    goal_id="goal-3",
    title="Keep the documentation free of broken links",
    state="active",
    revision=2,
    priority="P1",
    objective="A newcomer can follow every page of docs/ from top to bottom "
    "without meeting a dead link or a command that fails.",
    need=NeedView(code="work", people=("link-checker",)),
    responsible=("link-checker",),
    claimed_until_ms=NOW_MS + HOUR_MS,
    write_scopes=("docs/**", "reports/links/**"),
    quota_state="eligible",
    quota_allowed_slots=48,
    quota_spent_slots=3,
    todos=TODOS,
    todos_total=5,
    todos_done=2,
    artifacts=(),
    question=None,
    decision=None,
    cause=cause("lease.acquired", actor="link-checker"),
    seq=41,
)
QUESTION = QuestionView(
    question_id="question_1",
    text="Should links to sites that ask for a login count as broken?",
    options=("No, list them separately", "Yes"),
    asked_by="steward",
)


def goal(state: str, **changes: object) -> GoalView:
    """The sample goal in this state; the rest as given."""
    unclaimed: dict[str, object] = {} if state == "active" else {"claimed_until_ms": None, "responsible": ()}
    return msgspec.structs.replace(GOAL, state=state, **(unclaimed | changes))


def decided(outcome: str, reason: str = "", name: str = "Ben Ortiz") -> DecisionView:
    return DecisionView(outcome=outcome, by_name=name, at_ms=NOW_MS - HOUR_MS, reason=reason)


def need(code: str, *people: str) -> NeedView:
    return NeedView(code=code, people=people)


OWNERS = ("Ann Li", "Ben Ortiz")
NOTHING = need("nothing")
BARE = {"todos": (), "todos_total": 0, "todos_done": 0}

GOALS: dict[str, tuple[GoalView, dict[str, str]]] = {
    "proposed": (
        goal("proposed", need=need("confirm", *OWNERS), cause=cause("goal.proposed"), **BARE),
        {},
    ),
    "clarifying": (
        goal(
            "clarifying",
            need=need("answer", "Ann Li"),
            question=QUESTION,
            cause=cause("goal.question_asked", actor="steward"),
            **BARE,
        ),
        tokens("goal.clarify"),
    ),
    "active": (GOAL, tokens("goal.pause", "goal.stop", "goal.revise")),
    "paused": (
        goal("paused", need=need("resume", *OWNERS), quota_state="paused", cause=cause("goal.paused")),
        tokens("goal.resume", "goal.stop", "goal.revise"),
    ),
    "delivered": (
        goal(
            "delivered",
            need=need("accept", *OWNERS),
            artifacts=(REPORT, LOG),
            todos_done=5,
            todos=(),
            cause=cause("goal.delivered", actor="steward"),
        ),
        tokens("goal.stop"),
    ),
    "changes_requested": (
        goal(
            "changes_requested",
            need=need("rework", "link-checker"),
            artifacts=(REPORT,),
            decision=decided("changes_requested", "Two links in install.md still time out."),
            cause=cause("goal.changes_requested", actor="Ben Ortiz"),
        ),
        tokens("goal.pause", "goal.stop", "goal.revise"),
    ),
    "accepted": (
        goal(
            "accepted",
            need=NOTHING,
            todos=(),
            todos_done=5,
            artifacts=(REPORT, LOG),
            decision=decided("accepted"),
            cause=cause("goal.accepted", actor="Ben Ortiz"),
        ),
        {},
    ),
    "declined": (
        goal(
            "declined",
            need=NOTHING,
            decision=decided("declined", "Not before the move."),
            cause=cause("goal.declined", actor="Ben Ortiz"),
            **BARE,
        ),
        {},
    ),
    "withdrawn": (goal("withdrawn", need=NOTHING, cause=cause("goal.withdrawn"), **BARE), {}),
    "stopped": (
        goal(
            "stopped",
            need=NOTHING,
            decision=decided("stopped", "The docs move elsewhere."),
            cause=cause("goal.stopped", actor="Ben Ortiz"),
        ),
        {},
    ),
}

FIELDS = (
    FieldView(name="title", field_class="retained", items=(GOAL.title,)),
    FieldView(name="objective", field_class="retained", items=(GOAL.objective,)),
    FieldView(name="criteria", field_class="retained", items=tuple(one.text for one in CRITERIA)),
    FieldView(name="non_goals", field_class="advisory", items=("Rewriting pages", "Translating them")),
    FieldView(name="write_scopes", field_class="enforced", items=GOAL.write_scopes),
    FieldView(name="handoff_mode", field_class="enforced", items=("optional_lease",)),
    FieldView(name="budget", field_class="advisory", items=("48 slots a day",)),
    FieldView(name="stop_conditions", field_class="advisory", items=("A page would have to be deleted",)),
)
REVIEW = ReviewView(
    revision=2,
    status="open",
    fields=FIELDS,
    criteria=CRITERIA,
    proposed_by="Ann Li",
    basis="sha256:aa11",
    decision=None,
    cause=cause("goal.revised"),
)
ACCEPTANCE = AcceptanceView(
    delivery=1,
    status="open",
    summary="All pages checked. Two external sites ask for a login and are listed apart.",
    criteria=(msgspec.structs.replace(CRITERIA[0], artifacts=(REPORT,)), CRITERIA[1]),
    other_artifacts=(LOG,),
    delivered_by="steward",
    basis="sha256:bb22",
    decision=None,
    cause=cause("goal.delivered", actor="steward"),
)


def review(status: str, decision: DecisionView | None = None) -> ReviewView:
    made_true = REVIEW.cause if decision is None else cause(f"goal.{decision.outcome}", actor=decision.by_name)
    return msgspec.structs.replace(REVIEW, status=status, decision=decision, cause=made_true)


def acceptance(status: str, decision: DecisionView | None = None) -> AcceptanceView:
    made_true = ACCEPTANCE.cause if decision is None else cause(f"goal.{decision.outcome}", actor=decision.by_name)
    return msgspec.structs.replace(ACCEPTANCE, status=status, decision=decision, cause=made_true)


def card(kind: str, offered: dict[str, str] | None = None, audience: str = "group", **parts: object) -> CardView:
    return CardView(kind=kind, audience=audience, tokens=offered or {}, **parts)


def reviews() -> dict[str, CardView]:
    before, after = GOALS["proposed"][0], GOALS["active"][0]
    decide = tokens("goal.confirm", "goal.decline", "goal.revise", "goal.withdraw")
    return {
        "review_open": card("review", decide, goal=before, review=review("open")),
        "review_open_direct": card("review", decide, "direct", goal=before, review=review("open")),
        "review_confirmed": card("review", goal=after, review=review("confirmed", decided("confirmed"))),
        "review_declined": card(
            "review", goal=GOALS["declined"][0], review=review("declined", decided("declined", "Not before the move."))
        ),
        "review_withdrawn": card(
            "review", goal=GOALS["withdrawn"][0], review=review("withdrawn", decided("withdrawn", name="Ann Li"))
        ),
        "review_superseded": card("review", goal=before, review=review("superseded", decided("confirmed"))),
    }


def acceptances() -> dict[str, CardView]:
    waiting = GOALS["delivered"][0]
    back = decided("changes_requested", "Two links in install.md still time out.")
    return {
        "acceptance_open": card(
            "acceptance", tokens("goal.accept", "goal.request_changes"), goal=waiting, acceptance=acceptance("open")
        ),
        "acceptance_accepted": card(
            "acceptance", goal=GOALS["accepted"][0], acceptance=acceptance("accepted", decided("accepted"))
        ),
        "acceptance_changes_requested": card(
            "acceptance", goal=GOALS["changes_requested"][0], acceptance=acceptance("changes_requested", back)
        ),
        "acceptance_superseded": card("acceptance", goal=waiting, acceptance=acceptance("superseded")),
    }


def results() -> dict[str, CardView]:
    done = ResultView(
        ok=True,
        action="goal.confirm",
        code="",
        details={},
        goal_id="goal-3",
        title=GOAL.title,
    )
    refused = msgspec.structs.replace(done, ok=False, code="stale_basis", details={"changed": "criteria"})
    return {"result_ok": card("result", result=done), "result_refused": card("result", result=refused)}


def withheld() -> dict[str, CardView]:
    """Cards with private places in their texts, as a chat gets them."""
    path = "See /home/ann/plans.md"
    criteria = (CriterionView(criterion_id="c1", text=path), *CRITERIA[1:])
    shown = reviews()["review_open"]
    assert shown.review is not None, "it is a review"
    fields = tuple(
        msgspec.structs.replace(field, items=(path,)) if field.name == "objective" else field
        for field in shown.review.fields
    )
    private = FieldView(name="private", field_class="enforced", items=("yes",))
    review = msgspec.structs.replace(shown.review, criteria=criteria, fields=(*fields, private))
    goal, offered = GOALS["active"]
    todos = tuple(msgspec.structs.replace(one, title=path) for one in goal.todos[:1])
    views = {
        "review_withheld": msgspec.structs.replace(shown, review=review),
        "goal_withheld": card("goal", offered, goal=msgspec.structs.replace(goal, objective=path, todos=todos)),
    }
    return {name: shown_in_chat(Workspace(), view) for name, view in views.items()}


SAMPLES: dict[str, CardView] = {
    **form_cards(GOAL, CRITERIA, tokens),
    **reviews(),
    **{f"goal_{state}": card("goal", offered, goal=view) for state, (view, offered) in GOALS.items()},
    **acceptances(),
    **gate_cards(GOAL, tokens),
    **plans(GOAL, tokens, NOW_MS),
    **amendments(GOAL, tokens, NOW_MS),
    **requests(GOAL, tokens, NOW_MS),
    **members(NOW_MS),
    **results(),
    **chat_cards(tokens),
    **identity_cards(tokens, NOW_MS),
    **summary_cards(),
    **withheld(),
}
SAMPLES |= kept(SAMPLES) | promises(SAMPLES, decided("declined", "Not before the move."))
