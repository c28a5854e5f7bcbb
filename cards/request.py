"""The request: what one asks of another, which of its five facts are true, and what came back.

Whoever is asked answers here, word for word what the rules take; whoever asked reads the result and says that it
arrived. Between agents the card has no buttons and says who waits for whom.
"""

import msgspec

from cards import actions, sections, theme, typed
from cards.budget import GOAL_ID_CHARS_MAX, Clipper, fit
from cards.elements import (
    MENTIONS_MAX,
    OPTION_CHARS_MAX,
    Card,
    Clock,
    Form,
    Inner,
    Input,
    Mentions,
    Panel,
    Paragraph,
    Part,
    Rule,
    Select,
)
from cards.reasons import REASON_CHARS_MAX
from cards.text import Copy, Moment, Words, copy, name_of, named, short_digest
from ledger.projections.request_views import EvidenceView, RequestView
from ledger.projections.views import CardView, GoalView, NeedView
from ledger.text.say import Locale, one_line

FAMILY = "state.request"
ANSWERS = ("adopt", "defer", "reject", "no_change")
INPUTS_MAX = 6
EVIDENCE_MAX = 12
FACTS_MAX = 5
RETURNABLE_MAX = 20
ARTIFACT_ID_CHARS_MAX = 80
TODO_CHARS_MAX = 300
LAST = frozenset({"request.withdraw"})
"""What takes it back stands after what moves it along."""
FORMS = frozenset({"request.respond", "request.commit", "request.return"})


def request_card(view: CardView, goal: GoalView, request: RequestView, *, locale: Locale) -> Card:
    """Draw one request as it is put before those who take part in it."""
    goal = _asking(goal, request)
    state = named(FAMILY, request.status)

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = sections.header(
            goal,
            clip,
            subtitle=copy("card.subtitle.request", state=state),
            template=theme.REQUEST[request.status],
            revision=None,
            waits=request.open,
        )
        parts: list[Part] = [*_first(view, request, state, clip), *typed.unsent(view, clip)]
        if request.open and view.audience == "group" and view.mentions:
            parts.append(Mentions(open_ids=view.mentions[:MENTIONS_MAX]))
        parts += [*_facts(request, clip), Rule(), *_brief(request, clip), *_progress(request, clip)]
        parts += clip.note(goal.goal_id, command=_command(goal, request))
        parts += [sections.label(named("field", "next")), Paragraph(text=_next(request))]
        parts += actions.rows(view, without=FORMS | LAST)
        parts += [*_respond(view), *_commit(view), *_return(view, request)]
        parts += actions.rows(view, without=frozenset(map(actions.key_of, view.tokens)) - LAST)
        parts += sections.foot(request.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.request", goal_id=goal.goal_id, state=state),
        )

    return fit(draw)


def _asking(goal: GoalView, request: RequestView) -> GoalView:
    """The goal with what its request needs in place of what it needs itself."""
    people = (request.waits_for,) if request.waits_for else ()
    return msgspec.structs.replace(goal, need=NeedView(code=f"request_{request.need}", people=people))


def _command(goal: GoalView, request: RequestView) -> str:
    goal_id = one_line(goal.goal_id)[:GOAL_ID_CHARS_MAX]
    return f"frontstage request show --goal-id {goal_id} --request-id {name_of(request.request_id, 64)}"


def _first(view: CardView, request: RequestView, state: Copy, clip: Clipper) -> tuple[Part, ...]:
    """Whose move it is, or what came of it; what came back stands first, for that is what was asked for."""
    what, who = named("need", f"request_{request.need}"), name_of(request.waits_for)
    parts: list[Part] = []
    if not request.open:
        parts.append(Paragraph(text=state, size="heading"))
    elif request.between_agents:
        said = copy("card.request.agents", sender=name_of(request.sender), receiver=name_of(request.receiver))
        parts.append(Paragraph(text=said, size="heading"))
    elif view.audience == "direct" and _is_asked(view):
        parts.append(Paragraph(text=copy("card.need.you", need=what), size="heading", color="blue"))
    else:
        parts.append(Paragraph(text=copy("card.need.from", people=who, need=what), size="heading"))
    return (*parts, *_result(request, clip))


def _is_asked(view: CardView) -> bool:
    """Whether the reader of this copy can take the step that is waited for."""
    asked = ("request.respond", "request.commit", "request.return", "request.acknowledge")
    return any(name in view.tokens for name in asked)


def _result(request: RequestView, clip: Clipper) -> tuple[Part, ...]:
    """What came back, or why nothing will."""
    if request.withdrawn_reason:
        return (sections.label(named("field", "reason")), Paragraph(text=clip.text(request.withdrawn_reason, 1000)))
    if request.status == "deferred" and request.answer_reason:
        return (sections.label(copy("card.request.put_off")), Paragraph(text=clip.text(request.answer_reason, 1000)))
    parts: list[Part] = []
    if request.summary:
        label = copy("card.request.result", who=name_of(request.receiver))
        parts += [sections.label(label), Paragraph(text=clip.text(request.summary, 2000))]
    shown, hidden = clip.rows(request.evidence, EVIDENCE_MAX)
    if shown:
        parts.append(sections.label(copy("card.request.evidence")))
        parts += [Paragraph(text=_evidence(one, clip)) for one in shown]
    if request.automatic:
        parts.append(sections.note(copy("card.request.automatic")))
    return (*parts, *sections.more(hidden))


def _evidence(one: EvidenceView, clip: Clipper) -> Words:
    label = clip.line(one.label, 160) or name_of(one.artifact_id)
    return Words(f"{label} · {short_digest(one.sha256)}")


def _facts(request: RequestView, clip: Clipper) -> tuple[Part, ...]:
    """Who asks, who is asked, since when, and what waits for it."""
    waiting: Paragraph = Paragraph(text=copy("card.request.nothing_waits"))
    if request.waiting_work:
        waiting = Paragraph(text=Words(clip.line(request.waiting_work, 160)))
    return (
        sections.pair(
            (sections.label(copy("card.request.sender")), Paragraph(text=Words(name_of(request.sender)))),
            (sections.label(copy("card.request.receiver")), Paragraph(text=Words(name_of(request.receiver)))),
        ),
        sections.pair(
            (sections.label(copy("card.request.sent")), Clock(moment=Moment(request.sent_at_ms))),
            (sections.label(copy("card.request.waiting_work")), waiting),
        ),
    )


def _brief(request: RequestView, clip: Clipper) -> tuple[Part, ...]:
    """What is asked, whole as it was sent as far as there is room for it."""
    parts: list[Part] = [sections.label(copy("card.request.purpose")), Paragraph(text=clip.text(request.purpose, 2000))]
    if request.acceptance:
        good = Words(sections.bullets(request.acceptance, clip))
        parts += [sections.label(copy("card.request.acceptance")), Paragraph(text=good)]
    if request.return_requirement:
        text = clip.text(request.return_requirement, 1000)
        parts += [sections.label(copy("card.request.return_requirement")), Paragraph(text=text)]
    if request.constraints:
        kept = Words(sections.bullets(request.constraints, clip))
        parts += [sections.label(copy("card.request.constraints")), Paragraph(text=kept)]
    return (*parts, *_background(request, clip))


def _background(request: RequestView, clip: Clipper) -> tuple[Part, ...]:
    """What there is to know and to work from, folded away: it is read once, by whoever does the work."""
    parts: list[Inner] = []
    if request.context:
        parts += [sections.label(copy("card.request.context")), Paragraph(text=clip.text(request.context, 2000))]
    shown, hidden = clip.rows(request.inputs, INPUTS_MAX)
    if shown:
        parts.append(sections.label(copy("card.request.inputs")))
        parts += [_input(one.ref, one.description, one.sha256, one.relation, clip) for one in shown]
        parts += sections.more(hidden)
    return (Panel(title=copy("card.request.background"), parts=tuple(parts)),) if parts else ()


def _input(ref: str, description: str, sha256: str, relation: str, clip: Clipper) -> Paragraph:
    text = copy(
        "card.request.input",
        ref=clip.line(ref, 120),
        digest=short_digest(sha256),
        relation=named("card.request.relation", relation),
    )
    said = clip.line(description, 300)
    return Paragraph(text=Copy(f"{text.en}\n{said}", f"{text.zh}\n{said}") if said else text)


def _progress(request: RequestView, clip: Clipper) -> tuple[Part, ...]:
    """The five facts, each for itself: none of them says anything of the next."""
    parts: list[Part] = [sections.label(copy("card.request.progress"))]
    for fact in request.facts[:FACTS_MAX]:
        name = named("card.request.fact", fact.fact)
        if fact.fact == "answered" and request.answer is not None:
            name = named("card.request.answered", request.answer)
        if fact.at_ms is None:
            parts.append(sections.pair((Paragraph(text=name, color="grey"),), (_not_yet(request),)))
        else:
            who = copy("card.request.fact.by", fact=name, who=name_of(fact.actor_name))
            parts.append(sections.pair((Paragraph(text=who),), (Clock(moment=Moment(fact.at_ms)),)))
    if request.work:
        status = named("state.todo", request.work_status)
        text = copy("card.request.work", work=clip.line(request.work, 160), status=status)
        parts.append(Paragraph(text=text))
    return tuple(parts)


def _not_yet(request: RequestView) -> Paragraph:
    return Paragraph(text=copy("card.request.not_yet" if request.open else "card.request.never"), color="grey")


def _next(request: RequestView) -> Copy:
    if not request.open:
        return copy("card.next.request.closed")
    who = name_of(request.waits_for)
    if request.between_agents:
        return copy("card.next.request.agents", who=who)
    return copy(f"card.next.request.{request.need}", who=who)


def _respond(view: CardView) -> tuple[Form, ...]:
    """One answer and the words that go with it."""
    if "request.respond" not in view.tokens:
        return ()
    options = tuple((answer, copy(f"card.request.answer.{answer}")) for answer in ANSWERS)
    parts: tuple[Inner, ...] = (
        Select(name="decision", placeholder=copy("card.request.decide"), options=options, required=True),
        Input(
            name="reason",
            label=copy("card.request.reason"),
            placeholder=copy("card.request.reason.hint"),
            chars_max=REASON_CHARS_MAX,
            value=typed.value(view, "reason", REASON_CHARS_MAX, "request.respond"),
            rows=3,
        ),
        actions.button(view, "request.respond", submits=True),
    )
    return (Form(name="answer_form", parts=(*typed.problem(view, "request.respond"), *parts)),)


def _commit(view: CardView) -> tuple[Form, ...]:
    """The work that will fulfil it, in a sentence."""
    if "request.commit" not in view.tokens:
        return ()
    text = Input(
        name="text",
        label=copy("card.request.todo"),
        placeholder=copy("card.request.todo.hint"),
        chars_max=TODO_CHARS_MAX,
        value=typed.value(view, "text", TODO_CHARS_MAX, "request.commit"),
        required=True,
    )
    button = actions.button(view, "request.commit", submits=True)
    return (Form(name="work_form", parts=(*typed.problem(view, "request.commit"), text, button)),)


def _return(view: CardView, request: RequestView) -> tuple[Form, ...]:
    """Which evidence is handed back, and what it says."""
    known = {one.artifact_id: one for one in request.returnable if len(one.artifact_id) <= ARTIFACT_ID_CHARS_MAX}
    options = tuple((artifact_id, Words(_option(one))) for artifact_id, one in known.items())[:RETURNABLE_MAX]
    if "request.return" not in view.tokens or not options:
        return ()
    parts: tuple[Inner, ...] = (
        Select(name="artifact", placeholder=copy("card.request.artifact"), options=options, required=True),
        Input(
            name="summary",
            label=copy("card.request.summary"),
            placeholder=copy("card.request.summary.hint"),
            chars_max=REASON_CHARS_MAX,
            value=typed.value(view, "summary", REASON_CHARS_MAX, "request.return"),
            rows=3,
            required=True,
        ),
        actions.button(view, "request.return", submits=True),
    )
    return (Form(name="return_form", parts=(*typed.problem(view, "request.return"), *parts)),)


def _option(one: EvidenceView) -> str:
    said = f"{name_of(one.label, 60) or name_of(one.artifact_id)} · {short_digest(one.sha256)}"
    return said[:OPTION_CHARS_MAX]
