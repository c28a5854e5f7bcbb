"""The gate: one question that named people decide, what waits for it, and how far the decision is.

What an approver says yes to is what stands here. A gate for which a button is not enough asks for a one-time code too.
"""

from cards import actions, sections, theme, typed
from cards.budget import GOAL_ID_CHARS_MAX, Clipper, fit
from cards.elements import (
    MENTIONS_MAX,
    Button,
    Card,
    Clock,
    Form,
    Header,
    Inner,
    Input,
    Mentions,
    Paragraph,
    Part,
    PersonPicker,
    Rule,
    Select,
    TagColor,
)
from cards.reasons import REASON_CHARS_MAX
from cards.text import Copy, Moment, Text, Words, copy, name_of, named, people
from ledger.projections.gate_views import GateCause, GateView, GateVoteView
from ledger.projections.views import CardView, GoalView
from ledger.text.say import Locale, one_line

WORK_MAX = 6
OPTIONS_MAX = 8
VOTES_MAX = 16
DELEGATES_MAX = 4
DIGEST_CHARS_MAX = 64
CODE_CHARS_MAX = 16
SECONDS = (3_600, 4 * 3_600, 86_400, 3 * 86_400, 7 * 86_400)
"""For how long a vote may be delegated by a button."""
REASONED = ("gate.defer", "gate.reject")
FORMS = frozenset({"gate.reject", "gate.defer", "gate.delegate"})


def gate_card(view: CardView, goal: GoalView, gate: GateView, *, locale: Locale) -> Card:
    """Draw one generation of a gate as it is put before its approvers."""
    state = _state(gate)

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = _header(goal, gate, state, clip)
        parts: list[Part] = [*_first(gate, state, clip), *typed.unsent(view, clip)]
        if gate.open and view.audience == "group" and view.mentions:
            parts.append(Mentions(open_ids=view.mentions[:MENTIONS_MAX]))
        parts += [*_facts(gate, clip), Rule(), *_question(gate, clip), *_votes(gate, clip), *_delegates(gate, clip)]
        parts += clip.note(goal.goal_id)
        parts += [sections.label(named("field", "next")), Paragraph(text=_next(gate))]
        if gate.open:
            parts += _step_up(view, goal, gate)
            parts += actions.rows(view, without=FORMS | ({"gate.approve"} if gate.step_up else frozenset()))
            parts += _reason(view)
            parts += _delegate(view)
        parts += _foot(gate.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.gate", goal_id=goal.goal_id, state=state),
            basis=gate.basis,
        )

    return fit(draw)


def _state(gate: GateView) -> Copy:
    if gate.asked_anew:
        return copy("card.gate.anew")
    if not gate.open and gate.status in theme.UNDECIDED:
        return copy("card.gate.over")
    return named("state.gate", gate.status)


def _header(goal: GoalView, gate: GateView, state: Copy, clip: Clipper) -> Header:
    """The goal, the gate's state, how much depends on it, whom it waits for, and which generation it is."""
    tags: list[tuple[Text, TagColor]] = [
        (copy("card.gate.severity", severity=named("cli.severity", gate.severity)), theme.SEVERITY[gate.severity])
    ]
    if gate.open and gate.waits_for:
        tags.append((copy("card.tag.waiting", people=people(gate.waits_for, 1)), "blue"))
    if gate.generation > 1:
        tags.append((copy("card.gate.generation", generation=gate.generation), "neutral"))
    title = Words(clip.line(goal.title, sections.TITLE_CHARS_MAX) or goal.goal_id)
    template = theme.GATE[gate.status] if gate.open or gate.status not in theme.UNDECIDED else "grey"
    return Header(title=title, subtitle=copy("card.subtitle.gate", state=state), template=template, tags=tuple(tags))


def _first(gate: GateView, state: Copy, clip: Clipper) -> tuple[Part, ...]:
    """What is needed and from whom, while it is open; afterwards who decided, when, and in which words."""
    parts: list[Part] = []
    if gate.open:
        key = "card.gate.need" if gate.waits_for else "card.gate.need.nobody"
        parts.append(Paragraph(text=copy(key, people=people(gate.waits_for)), size="heading"))
        if gate.status == "deferred":
            parts.append(Paragraph(text=copy("card.gate.deferred"), color="orange"))
    elif gate.decided_by is None or gate.status == "expired":
        parts.append(Paragraph(text=state, size="heading"))
    else:
        said = copy("card.decision.by", outcome=state, who=_pair(gate.on_behalf_of, gate.decided_by))
        parts.append(Paragraph(text=said, size="heading"))
    if gate.decided_at_ms is not None:
        parts.append(Clock(moment=Moment(gate.decided_at_ms), size="notation"))
    if gate.reason:
        parts += [sections.label(named("field", "reason")), Paragraph(text=clip.text(gate.reason, 1000))]
    return tuple(parts)


def _facts(gate: GateView, clip: Clipper) -> tuple[Part, ...]:
    """What kind of decision, who asks, what waits for it, and until when."""
    counts = copy("cli.gate.votes", votes=gate.votes_counted, quorum=gate.quorum)
    return (
        sections.pair(
            (sections.label(copy("card.gate.kind")), Paragraph(text=named("cli.gate.kind", gate.kind))),
            (sections.label(copy("card.gate.asked_by")), Paragraph(text=Words(name_of(gate.opened_by)))),
        ),
        sections.pair(
            (sections.label(copy("card.gate.blocks")), _blocks(gate, clip)),
            (sections.label(copy("card.gate.votes")), Paragraph(text=counts)),
        ),
        *_expiry(gate),
    )


def _blocks(gate: GateView, clip: Clipper) -> Paragraph:
    if gate.blocks_goal:
        return Paragraph(text=copy("card.gate.whole_goal"))
    if not gate.waiting_work:
        return Paragraph(text=copy("card.gate.by_scope"))
    shown, hidden = clip.rows(gate.waiting_work, WORK_MAX)
    return Paragraph(
        text=Words("\n".join([*(clip.line(one, 160) for one in shown), *([f"+{hidden}"] if hidden else [])]))
    )


def _expiry(gate: GateView) -> tuple[Part, ...]:
    if gate.expires_at_ms is None:
        return ()
    then = named("cli.gate.on_expiry", gate.on_expiry)
    return (
        sections.label(copy("card.gate.expires", then=then)),
        Clock(moment=Moment(gate.expires_at_ms)),
    )


def _question(gate: GateView, clip: Clipper) -> tuple[Part, ...]:
    """What is asked, what could be chosen, and what the answer rests on."""
    if gate.asked_anew:
        return (Paragraph(text=copy("card.gate.anew.note")),)
    parts: list[Part] = [sections.label(copy("card.gate.question")), Paragraph(text=clip.text(gate.question))]
    if gate.options:
        shown, hidden = clip.rows(gate.options, OPTIONS_MAX)
        lines = "\n".join(f"{place}. {clip.line(option, 200)}" for place, option in enumerate(shown, start=1))
        parts += [sections.label(copy("card.question.options")), Paragraph(text=Words(lines)), *sections.more(hidden)]
    if gate.default:
        parts += [sections.label(copy("card.gate.default")), Paragraph(text=clip.text(gate.default, 500))]
    if gate.evidence_digest is not None:
        digest = Words(one_line(gate.evidence_digest)[:DIGEST_CHARS_MAX])
        parts += [sections.label(copy("card.gate.evidence")), Paragraph(text=digest, size="notation")]
    return tuple(parts)


def _votes(gate: GateView, clip: Clipper) -> tuple[Part, ...]:
    """Who said yes, and in whose place."""
    if not gate.votes:
        return ()
    shown, hidden = clip.rows(gate.votes, VOTES_MAX)
    lines = [copy("card.gate.yes", who=_voter(vote)) for vote in shown]
    text = Copy("\n".join(one.en for one in lines), "\n".join(one.zh for one in lines))
    return (Paragraph(text=text, apart=True), *sections.more(hidden))


def _voter(vote: GateVoteView) -> Copy:
    return _pair(None if vote.voter == vote.seat else vote.seat, vote.voter)


def _pair(seat: str | None, who: str) -> Copy:
    """One name, or both where somebody acted in another's place."""
    voter = name_of(who)
    return Copy(voter, voter) if seat is None else copy("cli.gate.for_seat", voter=voter, seat=name_of(seat))


def _delegates(gate: GateView, clip: Clipper) -> tuple[Part, ...]:
    shown, hidden = clip.rows(gate.delegates, DELEGATES_MAX)
    parts: list[Part] = []
    for one in shown:
        said = copy("card.gate.delegated", who=_pair(one.seat, one.delegate))
        parts += [sections.label(said), Clock(moment=Moment(one.until_ms), size="notation")]
    return (*parts, *sections.more(hidden))


def _next(gate: GateView) -> Copy:
    if gate.asked_anew:
        return copy("card.gate.next.anew")
    if not gate.open and gate.status in theme.UNDECIDED:
        return copy("card.next.closed")
    if not gate.open:
        return copy("card.gate.next.closed" if gate.status == "approved" else "card.gate.next.no")
    return copy("card.gate.next.step_up" if gate.step_up else "card.gate.next.open")


def _step_up(view: CardView, goal: GoalView, gate: GateView) -> tuple[Part, ...]:
    """A yes that no plain button gives: with a one-time code here, or in a shell."""
    if not gate.step_up:
        return ()
    named_by = f"--goal-id {one_line(goal.goal_id)[:GOAL_ID_CHARS_MAX]} --gate-id {name_of(gate.gate_id, 64)}"
    said = copy("card.gate.step_up", command=f"frontstage gate show {named_by}")
    if "gate.approve" not in view.tokens:
        return (Paragraph(text=said, color="orange"),)
    field = Input(
        name="code",
        label=copy("card.gate.code"),
        placeholder=copy("card.gate.code.hint"),
        chars_max=CODE_CHARS_MAX,
        required=True,
    )
    form = Form(name="code_form", parts=(field, actions.button(view, "gate.approve", submits=True)))
    return (Paragraph(text=said, color="orange"), form)


def _reason(view: CardView) -> tuple[Form, ...]:
    """One field for the reason, and the buttons that need none but take it."""
    buttons: list[Button] = [actions.button(view, name, submits=True) for name in REASONED if name in view.tokens]
    if not buttons:
        return ()
    field = Input(
        name="reason",
        label=copy("card.gate.reason"),
        placeholder=copy("card.reason.placeholder"),
        chars_max=REASON_CHARS_MAX,
        value=typed.value(view, "reason", REASON_CHARS_MAX, *REASONED),
        rows=2,
    )
    return (Form(name="reason_form", parts=(*typed.problem(view, *REASONED), field, *buttons)),)


def _delegate(view: CardView) -> tuple[Part, ...]:
    """Whom to let vote in one's place, and for how long."""
    if "gate.delegate" not in view.tokens:
        return ()
    if view.audience == "direct":
        # Nobody else is here who could be picked.
        return (sections.note(copy("card.gate.delegate.elsewhere")),)
    spans = tuple((str(seconds), copy(f"card.gate.for.{seconds}")) for seconds in SECONDS)
    parts: tuple[Inner, ...] = (
        sections.label(copy("card.gate.delegate")),
        PersonPicker(name="person_to", placeholder=copy("card.gate.delegate.to"), required=True),
        Select(name="for_seconds", placeholder=copy("card.gate.delegate.for"), options=spans),
        actions.button(view, "gate.delegate", submits=True),
    )
    return (Form(name="delegate_form", parts=parts),)


def _foot(cause: GateCause) -> tuple[Part, ...]:
    """The event that made this true, as far as the gate keeps it; always its place in the ledger."""
    event = named("event", cause.kind) if cause.kind else copy("card.gate.changed")
    key = "card.gate.foot" if cause.actor_name else "card.gate.foot.bare"
    said = copy(key, event=event, who=sections.actor(cause.actor_name, cause.actor_name), seq=cause.seq)
    mark = f" · {one_line(cause.short_hash)[:16]}" if cause.short_hash else ""
    parts: list[Part] = [Rule(), sections.note(Copy(said.en + mark, said.zh + mark))]
    if cause.at_ms is not None:
        parts.append(Clock(moment=Moment(cause.at_ms), size="notation"))
    return tuple(parts)
