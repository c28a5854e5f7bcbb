"""Cards of identities and chats: an invitation on both its sides, pairing, what a chat shows, and who left.

None of them shows an id of the platform, and none is about a goal's work: what is needed stands first, what it means in
plain words below, and what cannot be undone asks before it is done.
"""

from typing import assert_never

from cards import actions, sections
from cards.budget import Clipper, fit
from cards.elements import (
    Card,
    Clock,
    Form,
    Header,
    Inner,
    Input,
    Paragraph,
    Part,
    PersonPicker,
    Rule,
    Select,
    Template,
)
from cards.text import Copy, Moment, Text, Words, copy, name_of, named, refused
from ledger.projections.identity_views import (
    AwayView,
    ChannelView,
    IdentityView,
    InvitationView,
    InviteView,
    PairingView,
    ShownView,
    UnshownView,
)
from ledger.projections.views import CardView
from ledger.text.say import Locale, plain

TITLE_CHARS_MAX = 80
NAME_CHARS_MAX = 120
ID_CHARS_MAX = 80
ROLES = ("viewer", "approver", "owner")
WORKSPACE = "*"
INPUT_OF = {"channel.bind": "shows", "channel.unbind": "shows_no_more"}
"""What is chosen for each action; the names on one card are all different."""
_INVITATION: dict[str, Template] = {"open": "blue", "accepted": "green"}
_PAIRING: dict[str, Template] = {
    "how": "blue",
    "paired": "green",
    "already": "green",
    "wait": "grey",
    "foreign": "grey",
}


def identity_card(view: CardView, part: IdentityView, *, locale: Locale) -> Card:
    """Draw whichever it is."""

    def draw(clip: Clipper) -> Card:
        match part:
            case InvitationView():
                return _invitation(view, part, clip, locale)
            case InviteView():
                return _invite(view, part, clip, locale)
            case PairingView():
                return _pairing(part, locale)
            case ChannelView():
                return _channel(view, part, clip, locale)
            case UnshownView():
                return _unshown(part, clip, locale)
            case AwayView():
                return _away(part, locale)
            case _:
                assert_never(part)

    return fit(draw)


def _card(locale: Locale, title: Text, subtitle: Copy, template: Template, parts: list[Part], summary: Copy) -> Card:
    header = Header(title=title, subtitle=subtitle, template=template)
    return Card(locale=locale, header=header, parts=tuple(parts), summary=summary)


def _invitation(view: CardView, part: InvitationView, clip: Clipper, locale: Locale) -> Card:
    state = named("state.invitation", part.state)
    parts: list[Part] = []
    if part.open:
        parts += [
            Paragraph(text=copy("card.invitation.need"), size="heading", color="blue"),
            Paragraph(text=copy("card.invitation.by", name=name_of(part.invited_by))),
            *_place(part, clip, "card.invitation.as"),
            sections.note(copy("card.invitation.what")),
            *actions.rows(view),
        ]
    else:
        said = copy(f"card.invitation.done.{part.state}", name=name_of(part.name))
        parts += [Paragraph(text=said, size="heading")]
    parts += sections.foot(part.cause)
    return _card(
        locale,
        copy("card.invitation.title", workspace=name_of(part.workspace)),
        copy("card.invitation.subtitle", state=state),
        _INVITATION.get(part.state, "grey"),
        parts,
        copy("card.summary.invitation", state=state),
    )


def _place(part: InvitationView, clip: Clipper, label: str) -> tuple[Part, ...]:
    """What is offered: name and id, roles, and until when, as long as it can be answered."""
    name = Words(f"{clip.line(part.name, NAME_CHARS_MAX)} · {clip.line(part.member_id, ID_CHARS_MAX)}")
    facts = (
        sections.pair(
            (sections.label(copy(label)), Paragraph(text=name)),
            (sections.label(copy("card.invitation.roles")), Paragraph(text=_roles(part.roles))),
        ),
    )
    if not part.open:
        return facts
    return (*facts, sections.label(copy("card.invitation.until")), Clock(moment=Moment(part.expires_at_ms)))


def _roles(roles: tuple[str, ...]) -> Copy:
    if not roles:
        return copy("card.invitation.no_role")
    said = [named("role", one) for one in roles]
    return Copy(", ".join(one.en for one in said), "、".join(one.zh for one in said))


def _invite(view: CardView, part: InviteView, clip: Clipper, locale: Locale) -> Card:
    if part.sent is not None:
        return _sent(view, part.sent, clip, locale)
    parts: list[Part] = []
    if part.problem_code is None:
        parts.append(Paragraph(text=copy("card.invite.need"), size="heading"))
    else:
        message = refused(part.problem_code, "message", part.problem_details)
        parts += [
            Paragraph(text=copy("card.form.problem", message=message), size="heading", color="red"),
            Paragraph(text=refused(part.problem_code, "hint", part.problem_details)),
        ]
    parts += [sections.note(copy("card.invite.note")), *_invite_form(view, part)]
    return _card(
        locale,
        copy("card.invite.title"),
        copy("card.invite.subtitle.open"),
        "blue" if part.problem_code is None else "orange",
        parts,
        copy("card.summary.invite"),
    )


def _invite_form(view: CardView, part: InviteView) -> tuple[Part, ...]:
    """The inputs and the button that sends them; without a token the form is inert, so it is not drawn."""
    name = actions.offered(view, "member.invite")
    if name is None:
        return ()
    chosen = part.values.get("role", "")
    fields: tuple[Inner, ...] = (
        sections.label(copy("card.invite.pick")),
        PersonPicker(name="open_id", placeholder=copy("card.invite.pick"), required=True),
        _input("display_name", part, NAME_CHARS_MAX),
        _input("member_id", part, ID_CHARS_MAX),
        sections.label(copy("card.invite.role")),
        Select(
            name="role",
            placeholder=copy("card.invite.role.none"),
            options=tuple((role, named("role", role)) for role in ROLES),
            chosen=(chosen,) if chosen in ROLES else (),
        ),
        actions.button(view, name, submits=True),
    )
    return (Form(name="invite", parts=fields),)


def _input(field: str, part: InviteView, chars_max: int) -> Input:
    return Input(
        name=field,
        label=copy(f"card.invite.{field}"),
        placeholder=copy(f"card.invite.{field}.hint"),
        chars_max=chars_max,
        value=Words(plain(part.values.get(field, ""))[:chars_max]),
        required=True,
    )


def _sent(view: CardView, sent: InvitationView, clip: Clipper, locale: Locale) -> Card:
    """What the sender sees: who was invited as what, and how it stands."""
    state = named("state.invitation", sent.state)
    said = copy("card.invite.sent", name=name_of(sent.name), member_id=name_of(sent.member_id))
    parts: list[Part] = [Paragraph(text=said, size="heading"), *_place(sent, clip, "card.invite.as")]
    if sent.open:
        parts += [sections.note(copy("card.invite.sent.note")), *actions.rows(view)]
    parts += sections.foot(sent.cause)
    return _card(
        locale,
        copy("card.invite.title"),
        copy("card.invite.subtitle.sent", state=state),
        _INVITATION.get(sent.state, "grey"),
        parts,
        copy("card.summary.invitation", state=state),
    )


def _pairing(part: PairingView, locale: Locale) -> Card:
    subtitle = copy(f"card.pairing.subtitle.{part.state}")
    who = name_of(part.name, NAME_CHARS_MAX)
    parts: list[Part] = [
        Paragraph(text=copy(f"card.pairing.need.{part.state}", name=who), size="heading"),
        Paragraph(text=copy(f"card.pairing.text.{part.state}")),
    ]
    template = _PAIRING.get(part.state, "orange")
    return _card(
        locale, copy("card.pairing.title"), subtitle, template, parts, copy("card.summary.pairing", state=subtitle)
    )


def _channel(view: CardView, part: ChannelView, clip: Clipper, locale: Locale) -> Card:
    nothing = not part.may_bind and not part.may_let_go
    parts: list[Part] = [
        Paragraph(text=copy("card.channel.need.none" if nothing else "card.channel.need"), size="heading"),
        sections.label(copy("card.channel.shown")),
        _shown(part.shown, clip),
        sections.note(copy("card.channel.note.none" if nothing else "card.channel.note")),
        *_choice(view, "channel.bind", part.may_bind, clip, "card.channel.pick"),
        *_choice(view, "channel.unbind", part.may_let_go, clip, "card.channel.drop"),
    ]
    if part.more:
        parts.append(sections.note(copy("card.channel.more", n=part.more)))
    return _card(
        locale,
        copy("card.channel.title"),
        copy("card.channel.subtitle"),
        "grey" if nothing else "blue",
        parts,
        copy("card.summary.channel"),
    )


def _shown(shown: tuple[ShownView, ...], clip: Clipper) -> Paragraph:
    if not shown:
        return Paragraph(text=copy("card.channel.shown.none"))
    rows, hidden = clip.rows(shown)
    said = [_option(one, clip) for one in rows]
    more = [f"• […+{hidden}]"] if hidden else []
    return Paragraph(
        text=Copy(
            "\n".join([*(f"• {_in(one, 'en')}" for one in said), *more]),
            "\n".join([*(f"• {_in(one, 'zh')}" for one in said), *more]),
        )
    )


def _in(text: Text, locale: Locale) -> str:
    return text.text if isinstance(text, Words) else text.in_language(locale)


def _option(one: ShownView, clip: Clipper) -> Text:
    if one.goal_id == WORKSPACE:
        return copy("card.channel.workspace")
    # Two goals may have one title, or none that may be read here.
    return Words(clip.line(f"{one.goal_id} · {one.title}" if one.title else one.goal_id, TITLE_CHARS_MAX))


def _choice(
    view: CardView, action: str, options: tuple[ShownView, ...], clip: Clipper, placeholder: str
) -> tuple[Part, ...]:
    """One choice and the button that sends it; nothing where there is nothing to choose."""
    name = actions.offered(view, action)
    if name is None or not options:
        return ()
    parts: tuple[Inner, ...] = (
        Select(
            name=INPUT_OF[action],
            placeholder=copy(placeholder),
            options=tuple((one.goal_id, _option(one, clip)) for one in options),
            required=True,
        ),
        actions.button(view, name, submits=True),
    )
    return (Form(name=action.replace(".", "_"), parts=parts),)


def _unshown(part: UnshownView, clip: Clipper, locale: Locale) -> Card:
    said = copy("card.unshown.subtitle")
    parts: list[Part] = [
        Paragraph(text=copy("card.unshown.need"), size="heading"),
        sections.note(copy("card.unshown.note")),
    ]
    return _card(locale, Words(clip.line(part.title, 120)), said, "grey", parts, copy("card.summary.unshown"))


def _away(part: AwayView, locale: Locale) -> Card:
    name = name_of(part.name)
    ended = "back" if part.bound else "gone"
    need = copy(f"card.away.need.{part.why or ended}", name=name)
    parts: list[Part] = [
        Paragraph(text=need, size="heading"),
        Paragraph(text=copy("card.away.text" if part.open else f"card.away.text.{ended}")),
    ]
    if part.cause is not None:
        parts += sections.foot(part.cause)
    else:
        parts.append(Rule())
    return _card(
        locale,
        copy("card.away.title" if part.open else f"card.away.title.{ended}", name=name),
        copy("card.away.subtitle.away" if part.open else "card.away.subtitle.back"),
        "orange" if part.open else "grey",
        parts,
        copy("card.summary.away" if part.open else f"card.away.title.{ended}", name=name),
    )
