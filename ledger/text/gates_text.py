"""Gates as lines for a terminal: what is asked, of whom, what waits for it, and how it came out."""

from collections.abc import Callable

from ledger.text.pieces import (
    Doc,
    Fact,
    as_list,
    as_map,
    facts,
    head,
    joined,
    label,
    listed,
    moment,
    named,
    paragraph,
    rows_of,
    short,
    text_lines,
)
from ledger.text.say import Locale, one_line, say
from ledger.text.tables import table


def _list(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            gate.get("gate_id"),
            named("cli.gate.status", gate.get("status"), locale),
            named("cli.severity", gate.get("severity"), locale),
            f"{gate.get('votes_counted')}/{gate.get('quorum')}",
            _blocks(gate, locale),
            gate.get("question"),
        ]
        for gate in rows_of(doc, "gates")
    ]
    return [*listed(table(rows), doc, "cli.empty.gates", locale)]


def _show(doc: Doc, locale: Locale) -> list[str]:
    policy = as_map(doc.get("policy"))
    kind = named("cli.gate.kind", doc.get("kind"), locale)
    severity = named("cli.severity", doc.get("severity"), locale)
    first = head(doc.get("gate_id"), kind, severity, named("cli.gate.status", doc.get("status"), locale))
    digest = doc.get("evidence_digest")
    given: list[Fact] = [
        (label("options", locale), [f"- {one_line(str(option))}" for option in as_list(doc.get("options"))]),
        (label("default", locale), one_line(str(doc.get("default") or ""))),
        (label("blocks", locale), _blocks(doc, locale)),
        (label("decision_scope", locale), doc.get("decision_scope")),
        (label("evidence", locale), f"sha256 {short(digest)}" if digest else None),
        (label("waits_for", locale), joined(doc.get("waits_for"), locale)),
        (label("votes", locale), _votes(doc, locale)),
        (label("delegates", locale), _delegates(doc, locale)),
        (label("policy", locale), _policy(policy, locale)),
        (label("asked_by", locale), head(doc.get("opened_by"), moment(doc.get("opened_at")))),
        (label("decision", locale), _decision(doc, locale)),
        (label("standing_grants", locale), _grants(doc, locale)),
        (label("basis", locale), doc.get("basis")),
    ]
    return [first, *paragraph(doc.get("question")), *facts(given)]


def _blocks(gate: Doc, locale: Locale) -> str:
    blocks = as_list(gate.get("blocks"))
    if blocks == [gate.get("goal_id")]:
        return say("cli.gate.whole_goal", locale)
    return joined(blocks, locale, 3)


def _votes(doc: Doc, locale: Locale) -> list[str]:
    """How many there are of how many, and who gave each; a delegate beside the seat that they fill."""
    lines = [say("cli.gate.votes", locale, votes=doc.get("votes_counted"), quorum=doc.get("quorum"))]
    for vote in rows_of(doc, "votes"):
        voter, seat = vote.get("voter"), vote.get("seat")
        who = voter if voter == seat else say("cli.gate.for_seat", locale, voter=voter, seat=seat)
        void = None if vote.get("counts", True) else say("cli.gate.vote_void", locale)
        lines.append(head(who, moment(vote.get("at")), void))
    return lines


def _delegates(doc: Doc, locale: Locale) -> list[str]:
    return [
        say(
            "cli.gate.delegate.over" if one.get("over") else "cli.gate.delegate",
            locale,
            seat=one.get("seat"),
            delegate=one.get("delegate"),
            until=moment(one.get("until")),
        )
        for one in rows_of(doc, "delegates")
    ]


def _policy(policy: Doc, locale: Locale) -> list[str]:
    lines = [say("cli.gate.approvers", locale, people=joined(policy.get("approvers"), locale))]
    if policy.get("expires_at"):
        then = named("cli.gate.on_expiry", policy.get("on_expiry"), locale)
        lines.append(say("cli.gate.expires", locale, until=moment(policy.get("expires_at")), then=then))
    if policy.get("step_up"):
        lines.append(say("cli.gate.step_up", locale))
    if policy.get("delegable") is False:
        lines.append(say("cli.gate.in_person", locale))
    return lines


def _decision(doc: Doc, locale: Locale) -> list[str]:
    if not doc.get("resolved_by"):
        return []
    who, behalf = doc.get("resolved_by"), doc.get("on_behalf_of")
    name = who if not behalf else say("cli.gate.for_seat", locale, voter=who, seat=behalf)
    first = head(named("cli.gate.status", doc.get("status"), locale), name, moment(doc.get("resolved_at")))
    return [first, *(text_lines(doc.get("reason")) if doc.get("reason") else [])]


def _grants(doc: Doc, locale: Locale) -> list[str]:
    return [
        head(
            grant.get("grant_id"),
            grant.get("decision_scope"),
            named("cli.grant.verdict", "revoked" if grant.get("revoked") else grant.get("verdict"), locale),
        )
        for grant in rows_of(doc, "standing_grants")
    ]


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {"gate.list": _list, "gate.show": _show}
"""By the name of the action."""
