"""The plan: what cannot be staffed and why, every lane, and the decision on all of them together.

The gaps come first: a yes to a plan with gaps starts the other lanes alone, and whoever says it must have seen so.
"""

import msgspec

from cards import actions, sections, theme, typed
from cards.budget import Clipper, fit
from cards.elements import Card, Paragraph, Part, Rule
from cards.reasons import reason_form
from cards.text import Copy, Words, copy, name_of, named
from ledger.projections.plan_views import LaneView, PlanView
from ledger.projections.views import CardView, GoalView, NeedView
from ledger.text.say import Locale

FAMILY = "state.plan"
NAMES_MAX = 4


def plan_card(view: CardView, goal: GoalView, plan: PlanView, *, locale: Locale) -> Card:
    """Draw one revision of a plan as it is put before those who decide on it."""
    goal = _asking(goal, plan)
    state = named(FAMILY, plan.status)

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = sections.header(
            goal,
            clip,
            subtitle=copy("card.subtitle.plan", state=state),
            template=theme.PLAN[plan.status],
            revision=plan.revision,
            waits=plan.open,
        )
        parts: list[Part] = [
            *sections.first(view, goal, clip, state, plan.decision, family=FAMILY, is_open=plan.open),
            *typed.unsent(view, clip),
            sections.pair(
                sections.fact("proposed_by", Paragraph(text=Words(name_of(plan.proposed_by)))),
                sections.fact("plan_id", Paragraph(text=Words(name_of(plan.plan_id)))),
            ),
            *_outcome(plan),
            Rule(),
            *_gaps(plan, clip),
            *_lanes(plan, clip),
            *clip.note(goal.goal_id, command=f"frontstage plan show --goal-id {goal.goal_id} --plan-id {plan.plan_id}"),
        ]
        if plan.open:
            parts += [sections.label(copy("field.next")), Paragraph(text=_next(view, plan))]
            parts += actions.rows(view, without=frozenset({"plan.reject"}))
            parts += reason_form(view, "plan.reject", label="card.reason.plan.label", required=False)
        parts += sections.foot(plan.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.plan", goal_id=goal.goal_id, state=state),
            basis=plan.basis,
        )

    return fit(draw)


def _asking(goal: GoalView, plan: PlanView) -> GoalView:
    """The goal with what its plan needs in place of what it needs itself."""
    code = "plan_gaps" if len(plan.gaps) == len(plan.lanes) else "plan_decision"
    return msgspec.structs.replace(goal, need=NeedView(code=code, people=plan.people))


def _next(view: CardView, plan: PlanView) -> Copy:
    if actions.offered(view, "plan.confirm") is None:
        return copy("card.next.plan.gaps")
    if plan.gaps:
        return copy("card.next.plan.partial", n=len(plan.lanes) - len(plan.gaps), total=len(plan.lanes))
    return copy("card.next.plan", n=len(plan.lanes))


def _outcome(plan: PlanView) -> tuple[Part, ...]:
    if plan.status == "superseded":
        return (Paragraph(text=copy("card.plan.superseded", revision=plan.newest)),)
    if plan.status in {"committed", "partial"}:
        return (Paragraph(text=copy("card.plan.todos", n=plan.todos, total=len(plan.lanes))),)
    return ()


def _gaps(plan: PlanView, clip: Clipper) -> tuple[Part, ...]:
    """Why lanes cannot be staffed, each with what is missing."""
    if not plan.gaps:
        return ()
    shown, hidden = clip.rows(plan.gaps)
    key = "card.plan.gaps" if plan.open else "card.plan.gaps.then"
    parts: list[Part] = [sections.label(copy(key, n=len(plan.gaps), total=len(plan.lanes)))]
    for lane in shown:
        because = named("card.gap", lane.gap or "")
        missing = _listed(lane.names, clip)
        told = copy("card.plan.gap", lane=name_of(lane.lane_id), reason=because)
        if missing:
            told = copy("card.plan.gap.names", lane=name_of(lane.lane_id), reason=because, names=missing)
        parts.append(Paragraph(text=told, color="orange"))
    return (*parts, *sections.more(hidden))


def _lanes(plan: PlanView, clip: Clipper) -> tuple[Part, ...]:
    if not plan.lanes:
        return ()
    shown, hidden = clip.rows(plan.lanes)
    parts: list[Part] = [sections.label(copy("card.plan.lanes", n=len(plan.lanes)))]
    for lane in shown:
        parts += _lane(lane, clip, is_open=plan.open)
    return (*parts, *sections.more(hidden))


def _lane(lane: LaneView, clip: Clipper, *, is_open: bool) -> tuple[Part, ...]:
    """One lane: what is to be done, by whom and after what, when it is good, what it may write and what it needs."""
    title = Words(f"{name_of(lane.lane_id)}  {clip.line(lane.title)}")
    parts: list[Part] = [
        Paragraph(text=title, apart=True),
        Paragraph(text=_meta(lane, clip, is_open=is_open), size="notation", color="grey", inset=True),
    ]
    if lane.acceptance:
        parts.append(_detail("card.lane.acceptance", clip.line(lane.acceptance)))
    parts.append(_detail("card.lane.writes", _listed(lane.write_scopes, clip) or copy("card.no_writes")))
    needs = (*((lane.action_kind,) if lane.action_kind else ()), *lane.capabilities)
    if needs:
        parts.append(_detail("card.lane.needs", _listed(needs, clip)))
    if lane.validators:
        parts.append(_detail("card.lane.checks", _listed(lane.validators, clip)))
    return tuple(parts)


def _detail(key: str, value: str | Copy) -> Paragraph:
    return Paragraph(text=copy(key, value=value), size="notation", inset=True)


def _meta(lane: LaneView, clip: Clipper, *, is_open: bool) -> Copy:
    agent = name_of(lane.agent) if lane.agent else copy("card.lane.anybody")
    meta = copy("card.lane.meta", priority=name_of(lane.priority), agent=agent)
    if lane.depends_on:
        meta = copy("card.lane.after", meta=meta, lanes=_listed(lane.depends_on, clip))
    if lane.todo_status is not None:
        return copy("card.lane.status", meta=meta, status=named("state.todo", lane.todo_status))
    if lane.gap is None:
        return meta
    return copy("card.lane.status", meta=meta, status=copy("card.lane.gap" if is_open else "card.lane.gap.then"))


def _listed(items: tuple[str, ...], clip: Clipper) -> str:
    """A few of a list on one line, and how many more there are."""
    shown, hidden = clip.rows(items, NAMES_MAX)
    return ", ".join((*(clip.line(item, 120) for item in shown), *((f"+{hidden}",) if hidden else ())))
