"""Acceptance: one delivery, each criterion beside the evidence that names it, and the owners' decision."""

from cards import actions, sections, theme, typed
from cards.budget import Clipper, fit
from cards.elements import Card, Paragraph, Part, Rule
from cards.reasons import reason_form
from cards.text import Words, copy, name_of, named
from ledger.projections.views import AcceptanceView, CardView, GoalView
from ledger.text.say import Locale

ARTIFACTS_A_CRITERION_MAX = 3


def acceptance_card(view: CardView, goal: GoalView, delivery: AcceptanceView, *, locale: Locale) -> Card:
    """Draw one delivery as it is put before its owners."""
    is_open = delivery.status == "open"

    state = named("state.acceptance", delivery.status)

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = sections.header(
            goal,
            clip,
            subtitle=copy("card.subtitle.acceptance", delivery=delivery.delivery, state=state),
            template=theme.ACCEPTANCE[delivery.status],
            revision=goal.revision if is_open else None,
            waits=is_open,
        )
        parts: list[Part] = [
            *sections.first(view, goal, clip, state, delivery.decision, family="state.acceptance", is_open=is_open),
            *typed.unsent(view, clip),
            sections.pair(
                sections.fact("delivered_by", Paragraph(text=Words(name_of(delivery.delivered_by)))),
                sections.fact("evidence", sections.number(_evidence_count(delivery))),
            ),
            Rule(),
        ]
        if delivery.summary:
            parts += [sections.label(copy("field.summary")), Paragraph(text=clip.text(delivery.summary))]
        parts += _criteria(delivery, clip)
        parts += sections.evidence_list(delivery.other_artifacts, clip, title=copy("card.evidence.other"))
        parts += clip.note(goal.goal_id)
        if is_open:
            parts += [sections.label(copy("field.next")), Paragraph(text=copy("card.next.delivered"))]
            parts += actions.rows(view, without=frozenset({"goal.request_changes"}))
            parts += reason_form(view, "goal.request_changes", label="card.reason.changes.label", required=True)
        parts += sections.foot(delivery.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.acceptance", goal_id=goal.goal_id, state=state),
            basis=delivery.basis,
        )

    return fit(draw)


def _evidence_count(delivery: AcceptanceView) -> int:
    """How many different artifacts the delivery rests on; one may stand under several criteria."""
    named_by = (artifact for one in delivery.criteria for artifact in one.artifacts)
    return len({artifact.artifact_id for artifact in (*named_by, *delivery.other_artifacts)})


def _criteria(delivery: AcceptanceView, clip: Clipper) -> tuple[Part, ...]:
    """Criteria and their evidence; a criterion without any says so, before the others."""
    covered = sum(1 for one in delivery.criteria if one.artifacts)
    parts: list[Part] = [
        sections.label(copy("card.criteria.count", covered=covered, total=len(delivery.criteria))),
    ]
    # What is missing comes first: that is what a decision hangs on.
    shown, hidden = clip.rows(sorted(delivery.criteria, key=lambda one: bool(one.artifacts)))
    for one in shown:
        parts.append(Paragraph(text=sections.criterion(one, clip), apart=True))
        if not one.artifacts:
            parts.append(Paragraph(text=copy("card.evidence.missing"), size="notation", color="orange", inset=True))
        artifacts, left = clip.rows(one.artifacts, ARTIFACTS_A_CRITERION_MAX)
        for artifact in artifacts:
            parts += sections.evidence(artifact, clip, inset=True)
        parts += sections.more(left)
    return (*parts, *sections.more(hidden))
