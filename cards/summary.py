"""The summary: what somebody wrote for the chat, and beside it what the ledger says changed, with its head.

The two are kept apart: the writer's text is theirs, and every line under it is made from the ledger alone. A digest
that comes at its time is the same card without a writer.
"""

from cards.answers import lines
from cards.budget import Clipper, fit
from cards.digest import goal_rows, row_line
from cards.elements import Card, Clock, Header, Paragraph, Part, Rule
from cards.sections import label, note
from cards.text import Moment, copy, name_of
from ledger.projections.chat_views import DigestGoal
from ledger.projections.summary_views import SummaryView
from ledger.text.say import Locale

TEXT_CHARS_MAX = 2_000
DIGEST = "frontstage digest --since {since}"
COMMAND = "frontstage summary show --summary-id {summary_id}"


def summary_card(summary: SummaryView, *, locale: Locale) -> Card:
    """Draw one summary. Nobody presses anything on it, and it never changes."""
    digest, command = summary.digest, COMMAND.format(summary_id=name_of(summary.summary_id))
    rest = DIGEST.format(since=digest.since)

    def draw(clip: Clipper) -> Card:
        shown, hidden = clip.rows(digest.goals)
        said = copy("card.digest.changes", n=digest.total) if digest.total else copy("card.posted.nothing")
        parts: list[Part] = []
        if summary.text:
            parts += [Paragraph(text=clip.text(summary.text, TEXT_CHARS_MAX)), Rule()]
        parts.append(Paragraph(text=said, size="heading"))
        for goal in shown:
            parts += [Rule(), *(goal_rows(goal, clip) if goal.goal_id else _beside(goal, clip))]
        if hidden + digest.goals_left_out:
            parts += [Rule(), note(copy("card.posted.more", n=hidden + digest.goals_left_out, command=rest))]
        parts += [*clip.note(summary.goal_id or "", color="grey", command=command), Rule()]
        if summary.posted_by:
            parts.append(note(copy("card.posted.by", who=name_of(summary.posted_by))))
        head = copy("card.digest.head", seq=digest.head_seq, hash=name_of(digest.head_hash))
        parts += [note(head), Clock(moment=Moment(digest.head_at_ms), size="notation")]
        return Card(locale=locale, header=_header(summary), parts=tuple(parts), summary=said)

    return fit(draw)


def _header(summary: SummaryView) -> Header:
    title = copy("card.posted.title.digest" if summary.scheduled else "card.posted.title")
    since = summary.digest.since
    subtitle = copy("card.posted.since", seq=since) if since else copy("card.posted.first")
    return Header(title=title, subtitle=subtitle, template="blue")


def _beside(goal: DigestGoal, clip: Clipper) -> tuple[Part, ...]:
    """What changed that is about no goal."""
    rows = goal.rows[-clip.limits.rows :]
    earlier = goal.earlier + len(goal.rows) - len(rows)
    more = [copy("cli.digest.earlier", n=earlier)] if earlier else []
    told = lines([*more, *(row_line(row, clip) for row in rows)])
    return (label(copy("card.posted.workspace")), Paragraph(text=told))
