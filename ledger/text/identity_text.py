"""Identities and chats as a terminal shows them."""

from collections.abc import Callable, Mapping

from ledger.text.pieces import Doc, as_map, joined, listed, moment, named, rows_of
from ledger.text.say import Locale, say
from ledger.text.tables import table


def _invitations(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            one.get("invitation_id"),
            one.get("member_id"),
            one.get("display_name"),
            named("state.invitation", one.get("status"), locale),
            joined(one.get("roles"), locale),
            moment(one.get("expires_at")),
            one.get("invited_by"),
        ]
        for one in rows_of(doc, "invitations")
    ]
    return listed(table(rows), doc, "cli.empty.invitations", locale)


def _bindings(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            one.get("member_id"),
            one.get("identity"),
            moment(one.get("since")),
            named("cli.binding.how", one.get("how"), locale),
            one.get("bound_by"),
            _away(one, locale),
        ]
        for one in rows_of(doc, "bindings")
    ]
    return listed(table(rows), doc, "cli.empty.bindings", locale)


def _away(row: Mapping[str, object], locale: Locale) -> str:
    why = row.get("away")
    return "" if why is None else named("state.away", why, locale)


def _channels(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            one.get("channel"),
            one.get("goal_id") or say("cli.channel.workspace", locale),
            say("cli.channel.reachable" if one.get("reachable") else "cli.channel.lost", locale),
            _digest(as_map(one.get("digest")), locale),
        ]
        for one in rows_of(doc, "channels")
    ]
    return listed(table(rows), doc, "cli.empty.channels", locale)


def _digest(one: Doc, locale: Locale) -> str:
    if not one:
        return ""
    told = say("cli.channel.digest", locale, cron=one.get("cron"), time_zone=one.get("time_zone"))
    if one.get("quiet_from") is None:
        return told
    quiet = say("cli.channel.quiet", locale, quiet_from=one.get("quiet_from"), quiet_until=one.get("quiet_until"))
    return f"{told} · {quiet}"


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "member.invitations": _invitations,
    "member.bindings": _bindings,
    "channel.list": _channels,
}
"""By the name of the action."""
