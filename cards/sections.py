"""What all cards about a goal share, in the same place on each, so that an eye learns it once."""

from cards.budget import Clipper
from cards.elements import Clock, Columns, Header, Inner, Paragraph, Part, Rule, Size, TagColor, Template
from cards.text import Copy, Moment, Text, Words, copy, name_of, named, people, short_digest
from cards.text import size as size_of
from cards.theme import CLOSED, PRIORITY
from ledger.ids import RESERVED_MEMBER_IDS
from ledger.projections.causes import Cause, DecisionView
from ledger.projections.views import ArtifactView, CardView, CriterionView, GoalView
from ledger.text.say import one_line

TITLE_CHARS_MAX = 120
SCOPES_MAX = 4
EVIDENCE_MAX = 6
VALIDATORS_MAX = 2
# Which token shows that the reader of a direct message is the one who is needed.
ACTION_OF_NEED = {
    "confirm": "goal.confirm",
    "answer": "goal.clarify",
    "resume": "goal.resume",
    "accept": "goal.accept",
    "plan_decision": "plan.confirm",
    "plan_gaps": "plan.reject",
    "amendment_decision": "amendment.commit",
}


def label(text: Copy) -> Paragraph:
    """The small grey name above a value."""
    return Paragraph(text=text, size="notation", color="grey", apart=True)


def note(text: Copy) -> Paragraph:
    """Small and grey, close to what it is about."""
    return Paragraph(text=text, size="notation", color="grey")


def header(
    goal: GoalView, clip: Clipper, *, subtitle: Copy, template: Template, revision: int | None, waits: bool = True
) -> Header:
    """Subject, state, and at most three tags: priority, waiting on, revision. What is decided waits on nobody."""
    tags: list[tuple[Text, TagColor]] = []
    if goal.priority:
        tags.append((Words(one_line(goal.priority)[:8]), PRIORITY.get(goal.priority, "neutral")))
    if waits and goal.need.people and goal.need.code != "nothing" and goal.state not in CLOSED:
        tags.append((copy("card.tag.waiting", people=people(goal.need.people, 1)), "blue"))
    if revision is not None:
        tags.append((copy("card.tag.revision", revision=revision), "neutral"))
    title = Words(clip.line(goal.title, TITLE_CHARS_MAX) or goal.goal_id)
    return Header(title=title, subtitle=subtitle, template=template, tags=tuple(tags))


def need(view: CardView, goal: GoalView) -> Paragraph:
    """The first line: what is needed and from whom, or that nothing is."""
    code = goal.need.code
    if code == "nothing" or goal.state in CLOSED:
        return Paragraph(text=copy("card.need.nothing"), size="heading")
    what = named("need", code)
    token = ACTION_OF_NEED.get(code, "")
    if view.audience == "direct" and token in view.tokens:
        return Paragraph(text=copy("card.need.you", need=what), size="heading", color="blue")
    if not goal.need.people:
        return Paragraph(text=copy("card.need.anyone", need=what), size="heading")
    return Paragraph(text=copy("card.need.from", people=people(goal.need.people), need=what), size="heading")


def first(
    view: CardView,
    goal: GoalView,
    clip: Clipper,
    state: Copy,
    made: DecisionView | None,
    *,
    family: str,
    is_open: bool,
) -> tuple[Part, ...]:
    """The first lines of a card that asks for a decision: the need while it is open, then who decided what."""
    if is_open:
        return (need(view, goal),)
    if made is None:
        return (Paragraph(text=state, size="heading"),)
    if named(family, made.outcome) == state:
        return decision(made, clip, family=family, size="heading")
    # A revision that was confirmed once and replaced since says first that it is replaced.
    return (Paragraph(text=state, size="heading"), *decision(made, clip, family=family))


def fact(name: str, value: Paragraph | Clock) -> tuple[Inner, ...]:
    """One fact: its name above its value."""
    return (label(named("field", name)), value)


def pair(left: tuple[Inner, ...], right: tuple[Inner, ...]) -> Columns:
    """Two facts side by side."""
    return Columns(columns=(left, right))


def names(values: tuple[str, ...]) -> Paragraph:
    """People, or that there is nobody yet."""
    return Paragraph(text=people(values) if values else copy("card.nobody"))


def facts(goal: GoalView, clip: Clipper, *, now_ms: int) -> tuple[Part, ...]:
    """Responsible, claimed until, may write, quota. That a claim has ended is the only thing the moment changes."""
    until_ms = goal.claimed_until_ms
    if until_ms is None:
        claim = fact("claimed_until", Paragraph(text=copy("card.not_claimed")))
    else:
        name = "claimed_until" if until_ms > now_ms else "claim_ended"
        claim = fact(name, Clock(moment=Moment(until_ms)))
    return (
        pair(fact("responsible", names(goal.responsible)), claim),
        pair(fact("write_scopes", scopes(goal.write_scopes, clip)), fact("quota", Paragraph(text=quota(goal)))),
    )


def scopes(write_scopes: tuple[str, ...], clip: Clipper) -> Paragraph:
    """Where work may write, a few lines at most."""
    if not write_scopes:
        return Paragraph(text=copy("card.no_writes"))
    shown, hidden = clip.rows(write_scopes, SCOPES_MAX)
    lines = [clip.line(scope, 160) for scope in shown] + ([f"+{hidden}"] if hidden else [])
    return Paragraph(text=Words("\n".join(lines)))


def number(value: int) -> Paragraph:
    """A bare number."""
    return Paragraph(text=Words(str(value)))


def slots(goal: GoalView) -> Copy:
    """Slots spent of those allowed."""
    return copy("card.quota.slots", spent=goal.quota_spent_slots, allowed=goal.quota_allowed_slots)


def quota(goal: GoalView) -> Copy:
    """Slots spent of those allowed, and what the gate would say."""
    if not goal.quota_state or goal.state in CLOSED:
        return slots(goal)
    spent, allowed = goal.quota_spent_slots, goal.quota_allowed_slots
    return copy("card.quota.slots.state", spent=spent, allowed=allowed, state=named("state.quota", goal.quota_state))


def bullets(items: tuple[str, ...], clip: Clipper) -> str:
    """Items one a line. An item cannot start a line of its own, so it cannot pass for two."""
    shown, hidden = clip.rows(items)
    lines = [f"• {clip.line(item)}" for item in shown]
    return "\n".join([*lines, *([f"• […+{hidden}]"] if hidden else [])])


def evidence(artifact: ArtifactView, clip: Clipper, *, inset: bool = False) -> tuple[Paragraph, ...]:
    """One artifact: what it is called, and enough of its digest to compare by eye."""
    name = clip.line(artifact.label, 160) or name_of(artifact.artifact_id)
    meta = copy(
        "card.evidence.meta",
        kind=name_of(artifact.kind),
        size=size_of(artifact.size_bytes),
        digest=short_digest(artifact.sha256),
        who=name_of(artifact.submitted_by),
    )
    return (
        Paragraph(text=Words(name), inset=inset, apart=not inset),
        Paragraph(text=meta, size="notation", color="grey", inset=inset),
        *_checked(artifact, inset=inset),
    )


def _checked(artifact: ArtifactView, *, inset: bool) -> tuple[Paragraph, ...]:
    """Who reviewed it with which word, and what the validators said; nothing where nobody has said anything."""
    said: list[Copy] = []
    if artifact.status != "submitted":
        verdict = named("card.evidence.status", artifact.status)
        said.append(
            copy("card.evidence.reviewed", verdict=verdict, who=name_of(artifact.reviewed_by))
            if artifact.reviewed_by and artifact.status in {"accepted", "rejected"}
            else verdict
        )
    if artifact.failed:
        said.append(copy("card.evidence.failed", names=people(artifact.failed, VALIDATORS_MAX)))
    if artifact.passed:
        said.append(copy("card.evidence.passed", names=people(artifact.passed, VALIDATORS_MAX)))
    if not said:
        return ()
    text = Copy(" · ".join(one.en for one in said), " · ".join(one.zh for one in said))
    bad = bool(artifact.failed) or artifact.status not in {"submitted", "accepted"}
    return (Paragraph(text=text, size="notation", color="orange" if bad else "green", inset=inset),)


def evidence_list(artifacts: tuple[ArtifactView, ...], clip: Clipper, *, title: Copy) -> tuple[Part, ...]:
    """A section of evidence; nothing where there is none."""
    if not artifacts:
        return ()
    shown, hidden = clip.rows(artifacts, EVIDENCE_MAX)
    parts: list[Part] = [label(title)]
    for artifact in shown:
        parts.extend(evidence(artifact, clip))
    return (*parts, *more(hidden))


def criterion(view: CriterionView, clip: Clipper) -> Words:
    """A criterion with its id, on one line."""
    return Words(f"{name_of(view.criterion_id)}  {clip.line(view.text)}")


def more(hidden: int) -> tuple[Paragraph, ...]:
    """How many rows of a list are not shown."""
    return (note(copy("card.more", n=hidden)),) if hidden else ()


def decision(made: DecisionView, clip: Clipper, *, family: str, size: Size = "normal") -> tuple[Part, ...]:
    """Who decided, when, and in which words."""
    by = copy("card.decision.by", outcome=named(family, made.outcome), who=name_of(made.by_name))
    parts: list[Part] = [Paragraph(text=by, size=size), Clock(moment=Moment(made.at_ms), size="notation")]
    if made.reason:
        parts += [label(named("field", "reason")), Paragraph(text=clip.text(made.reason, 1000))]
    return tuple(parts)


def actor(name: str, member_id: str) -> Copy | str:
    """Who did it; our own programs, which have no name of their own, by what they are."""
    return copy(f"card.actor.{member_id}") if member_id in RESERVED_MEMBER_IDS else name_of(name or member_id)


def foot(cause: Cause) -> tuple[Part, ...]:
    """The event that made this true: what, by whom, its place in the ledger, and when in the reader's zone."""
    values = {"event": named("event", cause.kind), "who": actor(cause.actor_name, cause.actor_id), "seq": cause.seq}
    short_hash = one_line(cause.short_hash)[:16]
    said = copy("card.foot", hash=short_hash, **values) if short_hash else copy("card.foot.bare", **values)
    return (Rule(), note(said), Clock(moment=Moment(cause.at_ms), size="notation"))
