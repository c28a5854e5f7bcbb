"""The members: a row for each person and agent, with their role, how near they are to work, and what they hold.

The card only tells. A row stays where it is; the end of a lease is an absolute time, and nothing here has an age.
"""

from cards import sections
from cards.budget import GOAL_ID_CHARS_MAX, Clipper, fit
from cards.elements import Card, Clock, Header, Paragraph, Part, Rule
from cards.text import Copy, Moment, Words, copy, name_of, named
from ledger.projections.member_views import HeldView, MembersView, MemberView
from ledger.text.say import Locale, one_line

ROWS_MAX = 12
SCOPES_MAX = 3


def members_card(members: MembersView, *, locale: Locale, now_ms: int) -> Card:
    """Draw everybody who has a part here. The moment says only which leases have ended."""

    def draw(clip: Clipper) -> Card:
        counts = copy("card.members.counts", people=members.people, agents=members.agents)
        shown, hidden = clip.rows(members.rows, ROWS_MAX)
        hidden += members.total - len(members.rows)
        parts: list[Part] = [Paragraph(text=_first(members, now_ms), size="heading"), *_about(members, clip)]
        for kind in ("person", "agent"):
            rows = [one for one in shown if one.kind == kind]
            if rows:
                parts += [Rule(), sections.label(copy(f"card.members.{kind}"))]
            for one in rows:
                parts += _row(one, clip, now_ms)
        if hidden:
            parts.append(sections.note(copy("card.members.more", n=hidden, command="frontstage member list")))
        if clip.chars_cut:
            parts.append(sections.note(copy("card.cut.chars", command="frontstage member show --agent-id AGENT")))
        if clip.withheld:
            parts.append(sections.note(copy("card.members.withheld")))
        parts.append(sections.note(copy("card.members.again")))
        if members.cause is not None:
            parts += sections.foot(members.cause)
        return Card(
            locale=locale,
            header=Header(title=copy("card.members.title"), subtitle=counts, template="wathet"),
            parts=tuple(parts),
            summary=copy("card.summary.members", counts=counts),
        )

    return fit(draw)


def _first(members: MembersView, now_ms: int) -> Copy:
    """How many have work in hand now."""
    busy = sum(any(_in_force(one, now_ms) for one in row.held) for row in members.rows)
    return copy("card.members.busy", n=busy) if busy else copy("card.members.idle")


def _about(members: MembersView, clip: Clipper) -> tuple[Paragraph, ...]:
    if members.goals_seen < members.goals_total:
        return (sections.note(copy("card.members.newest", n=members.goals_seen, total=members.goals_total)),)
    if not members.goals and not members.rows:
        return ()
    if not members.goals:
        return (sections.note(copy("card.members.everywhere")),)
    shown, hidden = clip.rows(members.goals, 6)
    names = [one_line(one)[:GOAL_ID_CHARS_MAX] for one in shown] + ([f"+{hidden}"] if hidden else [])
    return (sections.note(copy("card.members.of", goals=", ".join(names))),)


def _row(row: MemberView, clip: Clipper, now_ms: int) -> tuple[Part, ...]:
    held = [one for one in row.held if _in_force(one, now_ms)]
    parts: list[Part] = [
        Paragraph(text=Words(name_of(row.name)), apart=True),
        sections.note(_said_of(row)),
    ]
    for one in held:
        parts += _held(one, clip)
    if row.held_total > len(row.held):
        parts.append(sections.note(copy("card.more", n=row.held_total - len(row.held))))
    return tuple(parts)


def _in_force(held: HeldView, now_ms: int) -> bool:
    return held.until_ms is None or now_ms < held.until_ms


def _said_of(row: MemberView) -> Copy:
    """Role, presence, and of an agent whose connection is on record whether it was seen to work."""
    presence = named("card.members.presence", row.presence)
    if row.binding != "none":
        presence = copy(
            "card.members.and_binding", presence=presence, binding=named("card.members.binding", row.binding)
        )
    if not row.roles:
        return presence
    roles = [named("card.members.role", one) for one in row.roles]
    together = Copy(", ".join(one.en for one in roles), "、".join(one.zh for one in roles))
    return copy("card.members.role_and_presence", roles=together, presence=presence)


def _held(one: HeldView, clip: Clipper) -> tuple[Part, ...]:
    """One todo in hand: what, where it may write, and until when."""
    text = clip.text(one.title, 160)
    shown, hidden = clip.rows(one.write_scopes, SCOPES_MAX)
    scopes = ", ".join([*(clip.line(scope, 80) for scope in shown), *([f"+{hidden}"] if hidden else [])])
    writes = copy("card.members.writes", scopes=scopes) if scopes else copy("card.members.writes_nothing")
    what = (Paragraph(text=text, inset=True), Paragraph(text=writes, size="notation", color="grey", inset=True))
    if one.until_ms is None:
        return (sections.pair(what, (sections.note(copy("card.members.claim")),)),)
    return (sections.pair(what, (sections.note(copy("card.members.lease")), Clock(moment=Moment(one.until_ms)))),)
