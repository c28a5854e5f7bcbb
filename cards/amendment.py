"""The amendment: what changes from what to what, what becomes of work in hand, and the decision on it.

Where the work has moved since, that comes first: such a change cannot be made before its author looked again.
"""

import msgspec

from cards import actions, sections, theme, typed
from cards.budget import Clipper, fit
from cards.elements import Card, Paragraph, Part, Rule
from cards.reasons import reason_form
from cards.text import Copy, Words, copy, name_of, named
from ledger.projections.amendment_views import AmendmentView, ChangeView, MovedView, OperationView
from ledger.projections.views import CardView, GoalView, NeedView
from ledger.text.say import Locale

FAMILY = "state.amendment"
OPERATIONS_MAX = 12
MOVED_MAX = 8
VALUES_MAX = 4


def amendment_card(view: CardView, goal: GoalView, amendment: AmendmentView, *, locale: Locale) -> Card:
    """Draw an amendment as it is put before those who decide on it."""
    goal = msgspec.structs.replace(goal, need=_need(amendment))
    state = named(FAMILY, amendment.status)
    asked = f"--goal-id {goal.goal_id} --amendment-id {amendment.amendment_id}"

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = sections.header(
            goal,
            clip,
            subtitle=copy("card.subtitle.amendment", state=state),
            template=theme.AMENDMENT[amendment.status],
            revision=None,
            waits=amendment.open,
        )
        parts: list[Part] = [
            *sections.first(view, goal, clip, state, amendment.decision, family=FAMILY, is_open=amendment.open),
            *typed.unsent(view, clip),
            sections.pair(
                sections.fact("submitted_by", Paragraph(text=Words(name_of(amendment.submitted_by)))),
                sections.fact("reach", Paragraph(text=named("card.amendment.class", amendment.amendment_class))),
            ),
            *_rebased(amendment),
            Rule(),
            sections.label(copy("field.why")),
            Paragraph(text=clip.text(amendment.why)),
            *_moved(amendment, clip),
            *_operations(amendment, clip),
            *_dispositions(amendment, clip),
            *clip.note(goal.goal_id, command=f"frontstage amendment show {asked}"),
        ]
        if amendment.open:
            parts += [sections.label(copy("field.next")), Paragraph(text=_next(view, amendment))]
            parts += actions.rows(view, without=frozenset({"amendment.reject"}))
            parts += reason_form(view, "amendment.reject", label="card.reason.plan.label", required=False)
        parts += sections.foot(amendment.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.amendment", goal_id=goal.goal_id, state=state),
            basis=amendment.basis,
        )

    return fit(draw)


def _need(amendment: AmendmentView) -> NeedView:
    if amendment.status == "needs_rebase":
        return NeedView(code="amendment_rebase", people=amendment.people)
    if amendment.waits_for_gate:
        return NeedView(code="amendment_gate", people=())
    return NeedView(code="amendment_decision", people=amendment.people)


def _next(view: CardView, amendment: AmendmentView) -> Copy:
    if amendment.status == "needs_rebase":
        return copy("card.next.amendment.rebase")
    if amendment.waits_for_gate:
        return copy("card.next.amendment.gate")
    if actions.offered(view, "amendment.commit") is None:
        return copy("card.next.amendment.cannot")
    return copy("card.next.amendment", n=len(amendment.operations))


def _rebased(amendment: AmendmentView) -> tuple[Part, ...]:
    if not amendment.rebased_seq:
        return ()
    return (sections.note(copy("card.amendment.rebased", seq=amendment.rebased_seq)),)


def _moved(amendment: AmendmentView, clip: Clipper) -> tuple[Part, ...]:
    """What is different from what the amendment was made for."""
    if not amendment.moved:
        return ()
    shown, hidden = clip.rows(amendment.moved, MOVED_MAX)
    parts: list[Part] = [sections.label(copy("card.amendment.moved"))]
    parts += [Paragraph(text=_moved_line(one, clip), color="orange") for one in shown]
    return (*parts, *sections.more(hidden))


def _moved_line(one: MovedView, clip: Clipper) -> Copy:
    change = copy(
        "card.amendment.change",
        name=named("card.amendment.field", one.name),
        was=_values(one.was, clip),
        becomes=_values(one.becomes, clip),
    )
    return copy("card.amendment.of", todo=name_of(one.todo_id), change=change) if one.todo_id else change


def _operations(amendment: AmendmentView, clip: Clipper) -> tuple[Part, ...]:
    shown, hidden = clip.rows(amendment.operations, OPERATIONS_MAX)
    parts: list[Part] = [sections.label(copy("card.amendment.operations", n=len(amendment.operations)))]
    for one in shown:
        parts += _operation(one, clip)
    return (*parts, *sections.more(hidden))


def _operation(one: OperationView, clip: Clipper) -> tuple[Part, ...]:
    """What is done to which todo, and each value before and after."""
    head = copy("card.amendment.op", op=named("card.amendment.op", one.op), todo=name_of(one.todo_id))
    if one.title:
        head = copy("card.amendment.op.title", op=head, title=clip.line(one.title))
    parts: list[Part] = [Paragraph(text=head, apart=True)]
    if one.changes:
        shown, hidden = clip.rows(one.changes)
        lines = [_change(change, clip) for change in shown]
        lines += [copy("card.more", n=hidden)] if hidden else []
        both = Copy("\n".join(line.en for line in lines), "\n".join(line.zh for line in lines))
        parts.append(Paragraph(text=both, size="notation", inset=True))
    return tuple(parts)


def _change(change: ChangeView, clip: Clipper) -> Copy:
    name = named("card.amendment.field", change.name)
    if change.was is None:
        return copy("card.amendment.new", name=name, becomes=_values(change.becomes, clip))
    return copy(
        "card.amendment.change", name=name, was=_values(change.was, clip), becomes=_values(change.becomes, clip)
    )


def _values(items: tuple[str, ...], clip: Clipper) -> str | Copy:
    if not items:
        return copy("card.none")
    shown, hidden = clip.rows(items, VALUES_MAX)
    return ", ".join((*(clip.line(item) for item in shown), *((f"+{hidden}",) if hidden else ())))


def _dispositions(amendment: AmendmentView, clip: Clipper) -> tuple[Part, ...]:
    """Work that somebody has in hand: whether it goes on, is rebased first, or stops, and whose it is."""
    if not amendment.dispositions:
        return ()
    shown, hidden = clip.rows(amendment.dispositions, OPERATIONS_MAX)
    parts: list[Part] = [sections.label(copy("card.amendment.hand"))]
    for one in shown:
        told = named("card.amendment.choice", one.choice)
        line = copy("card.amendment.hand.one", todo=name_of(one.todo_id), agent=name_of(one.agent), choice=told)
        parts.append(Paragraph(text=line, color="orange" if one.choice == "stop" else "default"))
    return (*parts, *sections.more(hidden))
