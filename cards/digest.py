"""The digest: what changed since the last one, one row a subject, and the ledger's head as it was then.

It is the one card that shows the head: whoever keeps it can say later which ledger they were shown.
"""

from cards.answers import line, lines
from cards.budget import Clipper, fit
from cards.elements import Card, Clock, Header, Paragraph, Part, Rule
from cards.sections import label, note
from cards.text import Copy, Moment, copy, name_of, named
from ledger.projections.chat_views import DigestGoal, DigestRow, DigestView
from ledger.text.say import Locale
from ledger.text.views_text import STATES

TITLE_CHARS_MAX = 80
TEXT_CHARS_MAX = 120
COMMAND = "frontstage digest --since {since}"


def digest_card(digest: DigestView, *, locale: Locale) -> Card:
    """Draw one digest."""
    command = COMMAND.format(since=digest.since)

    def draw(clip: Clipper) -> Card:
        shown = digest.goals[: clip.limits.rows]
        said = copy("card.digest.changes", n=digest.total)
        parts: list[Part] = [Paragraph(text=said, size="heading")]
        if digest.needs_somebody:
            parts.append(Paragraph(text=copy("card.digest.waits", n=digest.needs_somebody)))
        for goal in shown:
            parts += [Rule(), *goal_rows(goal, clip)]
        hidden = digest.goals_left_out + len(digest.goals) - len(shown)
        if hidden:
            parts += [Rule(), note(copy("card.digest.more", n=hidden, command=command))]
        if shown:
            parts += clip.note(shown[0].goal_id, color="grey")
        head = copy("card.digest.head", seq=digest.head_seq, hash=name_of(digest.head_hash))
        parts += [Rule(), note(head), Clock(moment=Moment(digest.head_at_ms), size="notation")]
        since = copy("card.digest.since", seq=digest.since) if digest.since else copy("card.digest.first")
        return Card(
            locale=locale,
            header=Header(title=copy("card.digest.title"), subtitle=since, template="blue"),
            parts=tuple(parts),
            summary=said,
        )

    return fit(draw)


def goal_rows(goal: DigestGoal, clip: Clipper) -> tuple[Part, ...]:
    """One goal: its name, and a line for each thing that changed, the newest last."""
    shown = goal.rows[-clip.limits.rows :]
    earlier = goal.earlier + len(goal.rows) - len(shown)
    name = line(name_of(goal.goal_id), named("state", goal.state), clip.line(goal.title, TITLE_CHARS_MAX))
    more = [copy("cli.digest.earlier", n=earlier)] if earlier else []
    return (label(name), Paragraph(text=lines([*more, *(row_line(row, clip) for row in shown)])))


def row_line(row: DigestRow, clip: Clipper) -> Copy:
    """One thing that changed."""
    return line(
        named("cli.kind", row.kind),
        name_of(row.subject),
        named(STATES.get(row.kind, "state"), row.now),
        clip.line(row.text, TEXT_CHARS_MAX),
        name_of(row.actor),
        f"#{row.seq}",
    )
