"""The goal channel: one live card per goal and chat, in any of its ten states."""

from cards import actions, sections, theme, typed
from cards.budget import Clipper, fit
from cards.elements import Card, Clock, Columns, Form, Inner, Input, Paragraph, Part, Rule, Select
from cards.text import Copy, Moment, Text, Words, copy, name_of, named, people
from ledger.projections.views import CardView, GoalView, QuestionView, TodoView
from ledger.text.say import Locale, one_line

OBJECTIVE_CHARS_MAX = 300
TODOS_MAX = 6
GATES_MAX = 4
PROPOSALS_MAX = 3
OPTIONS_MAX = 8
ANSWER_CHARS_MAX = 1000
SUGGESTION_CHARS_MAX = 40


def goal_card(view: CardView, goal: GoalView, *, locale: Locale, now_ms: int) -> Card:
    """Draw a goal as everyone in the chat may see it."""
    state = named("state", goal.state)

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = sections.header(
            goal,
            clip,
            subtitle=copy("card.subtitle.goal", state=state),
            template=theme.GOAL[goal.state],
            revision=goal.revision,
        )
        asking = None if goal.state in theme.CLOSED else goal.question
        parts: list[Part] = [
            sections.need(view, goal),
            *typed.unsent(view, clip),
            *sections.facts(goal, clip, now_ms=now_ms),
            Rule(),
        ]
        if asking is not None:
            parts += _question(asking, clip)
        if goal.decision is not None:
            parts += [
                sections.label(copy("field.decision")),
                *sections.decision(goal.decision, clip, family="state"),
            ]
        parts += _gates(goal, clip)
        parts += _objective(goal, clip)
        parts += _todos(goal, clip)
        parts += _proposals(goal, clip)
        parts += sections.evidence_list(goal.artifacts, clip, title=copy("field.evidence"))
        parts += clip.note(goal.goal_id, color="grey")
        parts += [sections.label(copy("field.next")), Paragraph(text=_next(goal))]
        if asking is not None:
            parts += _answer(view, asking, clip)
        parts += actions.rows(view, without=frozenset({"goal.clarify"}))
        parts += sections.foot(goal.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.goal", goal_id=goal.goal_id, state=state),
        )

    return fit(draw)


def _gates(goal: GoalView, clip: Clipper) -> tuple[Part, ...]:
    """Decisions that work waits for, and a quota that is used up: why nothing may seem to happen."""
    parts: list[Part] = []
    if goal.quota_state == "throttled":
        parts.append(Paragraph(text=copy("card.goal.over_quota"), color="orange"))
    if not goal.gates:
        return tuple(parts)
    shown, hidden = clip.rows(goal.gates, GATES_MAX)
    parts.append(sections.label(copy("card.goal.gates", n=len(goal.gates))))
    for gate in shown:
        key = "card.goal.gate.all" if gate.blocks_goal else "card.goal.gate"
        question = clip.line(gate.question, 200)
        parts.append(Paragraph(text=copy(key, question=question, people=people(gate.people)), color="orange"))
    return (*parts, *sections.more(hidden))


def _objective(goal: GoalView, clip: Clipper) -> tuple[Part, ...]:
    if not goal.objective:
        return ()
    return (
        sections.label(copy("field.objective")),
        Paragraph(text=clip.text(goal.objective, OBJECTIVE_CHARS_MAX)),
    )


def _question(question: QuestionView, clip: Clipper) -> tuple[Part, ...]:
    """The one open question, with the answers it suggests."""
    asked = copy("card.question.asked_by", who=name_of(question.asked_by))
    parts: list[Part] = [sections.label(asked), Paragraph(text=clip.text(question.text))]
    if question.options:
        shown, hidden = clip.rows(question.options, OPTIONS_MAX)
        lines = "\n".join(f"{place}. {clip.line(option, 200)}" for place, option in enumerate(shown, start=1))
        parts += [sections.label(copy("card.question.options")), Paragraph(text=Words(lines)), *sections.more(hidden)]
    return tuple(parts)


def _answer(view: CardView, question: QuestionView, clip: Clipper) -> tuple[Form, ...]:
    """A field for the answer. A suggestion that is chosen fills it in; nothing is sent before the button is pressed."""
    name = actions.offered(view, "goal.clarify")
    if name is None:
        return ()
    field = Input(
        name="answer",
        label=copy("card.question.own" if question.options else "card.question.answer"),
        placeholder=copy("card.question.placeholder"),
        chars_max=ANSWER_CHARS_MAX,
        value=typed.value(view, "answer", ANSWER_CHARS_MAX, "goal.clarify"),
        rows=2,
        required=not question.options,
    )
    parts: tuple[Inner, ...] = (*_suggestions(view, question, clip), field, actions.button(view, name, submits=True))
    return (Form(name="answer_form", parts=(*typed.problem(view, "goal.clarify"), *parts)),)


def _suggestions(view: CardView, question: QuestionView, clip: Clipper) -> tuple[Inner, ...]:
    if not question.options:
        return ()
    options: tuple[tuple[str, Text], ...] = tuple(
        (str(place), Words(f"{place}. {name_of(option, min(SUGGESTION_CHARS_MAX, clip.limits.chars))}"))
        for place, option in enumerate(clip.rows(question.options, OPTIONS_MAX)[0], start=1)
    )
    before = typed.value(view, "option", 1, "goal.clarify")
    chosen = tuple(value for value, _ in options if before is not None and value == before.text)
    return (Select(name="option", placeholder=copy("card.question.choose"), options=options, chosen=chosen),)


def _todos(goal: GoalView, clip: Clipper) -> tuple[Part, ...]:
    """Todos with who holds them until when; how many more there are is said."""
    if not goal.todos_total and not goal.todos:
        return ()
    parts: list[Part] = [
        sections.label(copy("card.todos.progress", done=goal.todos_done, total=goal.todos_total)),
    ]
    shown, _ = clip.rows(goal.todos, TODOS_MAX)
    for todo in shown:
        parts += _todo(todo, clip)
    hidden = max(goal.todos_total, len(goal.todos)) - len(shown)
    if hidden > 0:
        clip.rows_cut = True
    # With none shown the count above says it all.
    return (*parts, *sections.more(max(0, hidden) if shown else 0))


def _proposals(goal: GoalView, clip: Clipper) -> tuple[Part, ...]:
    """What was only proposed, apart from the work: it is nobody's until somebody who may decide lets it in."""
    if not goal.proposals or goal.state in theme.CLOSED:
        return ()
    parts: list[Part] = [sections.label(copy("card.goal.proposals", n=goal.proposals_total))]
    if clip.limits.rows <= PROPOSALS_MAX:
        # Where room is short the count stands for them: what is nobody's work yet makes way for what is.
        clip.rows_cut = True
        return tuple(parts)
    shown, _ = clip.rows(goal.proposals, PROPOSALS_MAX)
    for one in shown:
        meta = copy("card.goal.proposal.meta", priority=one_line(one.priority)[:8], who=name_of(one.proposed_by))
        parts += [Paragraph(text=Words(clip.line(one.title, 160) or one.todo_id), apart=True), sections.note(meta)]
    return (*parts, *sections.more(goal.proposals_total - len(shown)))


def _todo(todo: TodoView, clip: Clipper) -> tuple[Part, ...]:
    title = Paragraph(text=Words(clip.line(todo.title, 160) or todo.todo_id), apart=True)
    meta = sections.note(_meta(todo))
    until_ms = todo.claimed_until_ms
    second: Part = meta
    if until_ms is not None and todo.claim != "none":
        second = Columns(columns=((meta,), (Clock(moment=Moment(until_ms), size="notation"),)))
    if todo.status == "blocked" and todo.blocked_reason:
        reason = copy("card.todo.blocked", reason=clip.line(todo.blocked_reason, 200))
        return (title, second, Paragraph(text=reason, size="notation", color="orange"))
    return (title, second)


def _meta(todo: TodoView) -> Copy:
    """Priority, status and holder of a todo, on one line."""
    values = {"priority": one_line(todo.priority)[:8], "status": named("state.todo", todo.status)}
    if todo.claim == "none" or todo.claimed_by is None:
        meta = copy("card.todo.meta", **values)
    else:
        meta = copy(f"card.todo.meta.{todo.claim}", **values, who=name_of(todo.claimed_by))
    if todo.role == "user":
        meta = copy("card.todo.for_person", meta=meta)
    if todo.waiting_for:
        meta = copy("card.todo.waits", meta=meta, todos=people(todo.waiting_for))
    return meta


def _next(goal: GoalView) -> Copy:
    return copy("card.next.closed") if goal.state in theme.CLOSED else copy(f"card.next.{goal.state}")
