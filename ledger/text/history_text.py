"""What happened, and why something is as it is, as lines for a terminal."""

from collections.abc import Callable, Mapping

from ledger.text.say import Locale, one_line, say
from ledger.text.tables import table
from ledger.text.times import second_utc

Doc = Mapping[str, object]


def _list(doc: Doc, locale: Locale) -> list[str]:
    lines = [line for event in _rows(doc, "events") for line in _event(event, locale)]
    if doc.get("next_after") is not None:
        lines.append(say("history.more", locale, after=doc.get("next_after")))
    return lines or [say("history.none", locale)]


def _event(event: Doc, locale: Locale) -> list[str]:
    proof = event.get("proof")
    behalf = event.get("on_behalf_of")
    return [
        say(
            "history.row",
            locale,
            seq=event.get("seq"),
            at=second_utc(str(event.get("at"))),
            sentence=event.get("sentence"),
        ),
        # The indent is not the sentence's, which says nothing of where it stands.
        "    "
        + say(
            "history.by",
            locale,
            actor=event.get("actor"),
            proof=_proved(proof, locale),
            surface=event.get("surface"),
            hash=event.get("hash"),
        )
        + (" · " + say("history.behalf", locale, member=behalf) if behalf else ""),
    ]


def _proved(proof: object, locale: Locale) -> str:
    """How the actor was proved, and whether a one-time code was given besides."""
    found = proof if isinstance(proof, Mapping) else {}
    said = say(f"history.proof.{found.get('kind', 'daemon')}", locale)
    return say("history.proof.stepped_up", locale, proof=said) if found.get("stepped_up") else said


def _explained(doc: Doc, locale: Locale) -> list[str]:
    chain = [_event(event, locale)[0] for event in _rows(doc, "chain")]
    if doc.get("left_out"):
        chain.insert(1, "  … " + say("history.left_out", locale, n=doc.get("left_out")))
    needs = [say("history.next", locale, sentence=one.get("sentence")) for one in _rows(doc, "next")]
    return [one_line(str(doc.get("sentence"))), *chain, *needs]


def _found(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [one.get("kind"), _which(one), f"#{one.get('seq')}", _where(one), one.get("snippet")]
        for one in _rows(doc, "hits")
    ]
    lines = table(rows) or [say("search.none", locale)]
    if not doc.get("complete"):
        lines.append(say("search.behind", locale, seq=doc.get("indexed_through")))
    if doc.get("next_after") is not None:
        lines.append(say("history.more", locale, after=doc.get("next_after")))
    return lines


def _refused(doc: Doc, locale: Locale) -> list[str]:
    rows = [
        [
            f"#{one.get('number')}",
            second_utc(str(one.get("at"))),
            one.get("actor"),
            one.get("action"),
            say("refused.times", locale, n=one.get("times")),
            one.get("statement"),
        ]
        for one in _rows(doc, "refusals")
    ]
    lines = table(rows) or [say("refused.none", locale)]
    if doc.get("next_after") is not None:
        lines.append(say("history.more", locale, after=doc.get("next_after")))
    return lines


def _which(hit: Doc) -> object:
    """What was found: a thing by its id, an event by what it is."""
    return hit.get("event_kind") if hit.get("kind") == "event" else hit.get("id")


def _where(hit: Doc) -> object:
    """The goal, where it is not said yet."""
    return "-" if hit.get("kind") == "goal" else hit.get("goal_id") or "-"


def _rows(doc: Doc, name: str) -> list[Doc]:
    found = doc.get(name)
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list | tuple) else []


RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {
    "history.list": _list,
    "history.explain": _explained,
    "search.find": _found,
    "refusal.list": _refused,
}
"""By the name of the action."""
