"""Forms in every state they can be in, and cards with what one person typed into them, for the goldens."""

from collections.abc import Callable

import msgspec

from ledger.projections.form_views import ChoiceView, FormView, TypedView
from ledger.projections.views import CardView, CriterionView, GoalView

PEOPLE = (
    ChoiceView(member_id="ann", name="Ann Li"),
    ChoiceView(member_id="ben", name="Ben Ortiz"),
    ChoiceView(member_id="chen", name="陈博"),
)
BLANK = FormView(status="open", values={}, problem_code=None, problem_details={}, goal_id=None)


def form_cards(
    goal: GoalView, criteria: tuple[CriterionView, ...], tokens: Callable[..., dict[str, str]]
) -> dict[str, CardView]:
    """The proposal in a group and between two, refused and submitted; the revision from its opening to its end."""
    values = {
        "title": goal.title,
        "objective": goal.objective,
        "criteria": "\n".join(one.text for one in criteria),
        "write_scopes": "docs/**\n/etc/**",
    }
    refused = msgspec.structs.replace(
        BLANK, values=values, problem_code="invalid_write_scope", problem_details={"write_scope": "/etc/**"}
    )
    done = msgspec.structs.replace(BLANK, status="submitted", values=values, goal_id="goal-3")
    again = msgspec.structs.replace(
        refused, values=values | {"approvers": "chen\nben", "priority": "P1", "cost_cap": "12.50"}, people=PEOPLE
    )
    long = msgspec.structs.replace(
        BLANK,
        values={"title": goal.title, "objective": goal.title},
        people=PEOPLE,
        material_chars=3_412,
        material_sha256="3f2a" * 16,
    )
    return {
        "form_open": _card("form", tokens("goal.propose"), form=BLANK),
        "form_refused": _card("form", tokens("goal.propose"), form=refused),
        "form_refused_direct": _card("form", tokens("goal.propose"), "direct", form=again),
        "form_material": _card("form", tokens("goal.propose"), "direct", form=long),
        "form_submitted": _card("form", form=done),
        **_revisions(goal, values, tokens),
    }


def _revisions(goal: GoalView, values: dict[str, str], tokens: Callable[..., dict[str, str]]) -> dict[str, CardView]:
    held = values | {"write_scopes": "docs/**", "budget": "48 slots a day", "priority": "P1", "allowed_slots": "48"}
    opened = msgspec.structs.replace(BLANK, values=held, goal_id=goal.goal_id, revision=2)
    long = msgspec.structs.replace(
        opened,
        values={name: text for name, text in held.items() if name != "objective"},
        left_as_they_are=("objective",),
    )
    refused = msgspec.structs.replace(
        opened,
        values=held | {"criteria": " "},
        problem_code="form_field_emptied",
        problem_details={"field": "criteria"},
    )
    over = {"tokens": {}, "kind": "revise", "audience": "direct", "goal": goal}
    offered = tokens("goal.revise")
    return {
        "revise_open": _card("revise", offered, "direct", goal=goal, revise=opened),
        "revise_long": _card("revise", offered, "direct", goal=goal, revise=long),
        "revise_refused": _card("revise", offered, "direct", goal=goal, revise=refused),
        "revise_submitted": CardView(**over, revise=msgspec.structs.replace(opened, status="submitted")),
        "revise_over": CardView(**over, revise=msgspec.structs.replace(opened, status="over")),
    }


def kept(views: dict[str, CardView]) -> dict[str, CardView]:
    """Cards as they come back to one person: filled in where they can still be sent, and shown where not."""

    def back(name: str, action: str, code: str, **values: str) -> CardView:
        typed = TypedView(action=action, values=values, problem_code=code, problem_details={})
        return msgspec.structs.replace(views[name], audience="direct", typed=(typed,))

    return {
        "review_kept": back("review_open", "goal.decline", "button_expired", reason="Not before the move."),
        "acceptance_kept": back(
            "acceptance_open", "goal.request_changes", "button_expired", reason="Two links still time out."
        ),
        "acceptance_unsent": back(
            "acceptance_accepted", "goal.request_changes", "goal_state_forbids", reason="Two links still time out."
        ),
        "goal_kept": back(
            "goal_clarifying", "goal.clarify", "button_expired", answer="Only the public ones.", option="1"
        ),
    }


def _card(kind: str, offered: dict[str, str] | None = None, audience: str = "group", **parts: object) -> CardView:
    return CardView(kind=kind, audience=audience, tokens=offered or {}, **parts)
