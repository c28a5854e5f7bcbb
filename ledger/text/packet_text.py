"""A review packet as text that fits on a card or a screen: at most sixteen lines and 1,800 characters.

The question, the answers and the warnings come whole before anything else; what is to be read and the evidence get what
is left, and where something has no room it is said how much. Here, and only here, an answer becomes a command line.
"""

from collections.abc import Callable, Mapping
from itertools import islice

from ledger.text.lines import need_line, step_line, warning_line
from ledger.text.pieces import COLON, Doc, as_list, as_map, head, joined, label, moment, named, number, rows_of, short
from ledger.text.say import Locale, one_line, say

LINES_MAX = 16
CHARS_MAX = 1_800
WITHHELD_CHARS_MAX = 120
LINE_CHARS_MAX = 160
COMMANDS_MAX = 2
"""Answers that are drawn as command lines; the others are named."""
READS_MAX = 2
OPTIONS_MAX = 3


def _packet(doc: Doc, locale: Locale) -> list[str]:
    kind = named(
        "cli.gate.kind" if doc.get("gate_kind") else "cli.kind", doc.get("gate_kind") or doc.get("kind"), locale
    )
    state = named("state", doc.get("state"), locale)
    if doc.get("kind") == "nothing":
        named_so = _cut(head(doc.get("goal_id"), state, doc.get("display_name")))
        return [named_so, *(_people_step(doc, locale) or [say("cli.because.nothing_waits", locale)])]
    first = [_cut(head(doc.get("goal_id"), state, kind, doc.get("display_name")))]
    must = [*first, *_question(doc, locale), *_suggested(doc, locale), *_warning(doc, locale)]
    answers = _answers(doc, locale)
    rest = [*_options(doc, locale), *_reads(doc, locale), *_evidence(doc, locale)]
    # A packet with something withheld gets one more line, that says so.
    lines_max = LINES_MAX - bool(as_list(doc.get("source_warnings")))
    return _fitted(must, rest, answers, lines_max, locale)


def _fitted(must: list[str], rest: list[str], answers: list[str], lines_max: int, locale: Locale) -> list[str]:
    """All that must be there, and of the rest as much as there is room for, with a word for what there is not."""
    used = sum(len(line) + 1 for line in (*must, *answers))
    lines_left, chars_left = lines_max - len(must) - len(answers), CHARS_MAX - WITHHELD_CHARS_MAX - used
    kept: list[str] = []
    for at, line in enumerate(rest):
        last = at == len(rest) - 1
        more = say("card.more", locale, n=len(rest) - at)
        # The line that says how much is missing needs room of its own, unless nothing is missing.
        need = len(line) + 1 + (0 if last else len(more) + 1)
        if lines_left < (1 if last else 2) or chars_left < need:
            if lines_left >= 1 and chars_left > len(more):
                kept.append(more)
            break
        kept.append(line)
        lines_left, chars_left = lines_left - 1, chars_left - len(line) - 1
    return [*must, *kept, *answers]


def _cut(text: str, chars_max: int = LINE_CHARS_MAX) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def _question(doc: Doc, locale: Locale) -> list[str]:
    kind = str(doc.get("kind"))
    lines = [] if doc.get("status") != "open" else [need_line(kind, _code(doc), as_map(doc.get("subject")), locale)]
    if doc.get("asked"):
        # What somebody wrote is quoted: it must not be taken for one of the answers below it.
        lines.append(f"> {one_line(str(doc.get('asked')))}")
    if doc.get("resolved_by"):
        how = named("cli.gate.status", doc.get("status"), locale)
        lines.append(head(how, doc.get("resolved_by"), moment(doc.get("resolved_at"))))
    waits = joined(doc.get("waits_for"), locale)
    if waits != "-":
        lines.append(f"{label('waits_for', locale)}{COLON[locale]}{waits}")
    return [_cut(line) for line in lines]


def _code(doc: Doc) -> str | None:
    code = doc.get("reason_code")
    return None if code is None else str(code)


def _people_step(doc: Doc, locale: Locale) -> list[str]:
    """What people are asked for where nothing is put before them to decide."""
    user = as_map(as_map(doc.get("interaction_contract")).get("user_channel"))
    return [
        _cut(step_line(str(step.get("code")), as_map(step.get("subject")), locale)) for step in rows_of(user, "actions")
    ]


def _suggested(doc: Doc, locale: Locale) -> list[str]:
    found = as_map(doc.get("suggested_decision"))
    action = found.get("action")
    name = named("action", action, locale) if action else "-"
    return [_cut(say(f"cli.because.{found.get('because')}", locale, action=name, text=found.get("text") or "-"))]


def _warning(doc: Doc, locale: Locale) -> list[str]:
    codes = as_list(as_map(doc.get("decision_freshness_warning")).get("codes"))
    said = " ".join(warning_line(str(code), locale) for code in codes)
    return [_cut(f"! {said}")] if codes and doc.get("status") == "open" else []


def _options(doc: Doc, locale: Locale) -> list[str]:
    options = [one_line(str(option)) for option in as_list(doc.get("options"))]
    if not options:
        return []
    more = [say("card.more", locale, n=len(options) - OPTIONS_MAX)] if len(options) > OPTIONS_MAX else []
    return [_cut(f"{label('options', locale)}{COLON[locale]}{' | '.join([*options[:OPTIONS_MAX], *more])}")]


def _reads(doc: Doc, locale: Locale) -> list[str]:
    """What to read first, each as the line that shows it."""
    said = say("cli.packet.read", locale) + ("" if locale == "zh" else " ")
    return [
        _cut(said + command_line(str(read.get("action")), as_map(read.get("subject"))))
        for read in islice(rows_of(doc, "required_reads"), READS_MAX)
    ]


def _evidence(doc: Doc, locale: Locale) -> list[str]:
    lines = []
    for one in rows_of(doc, "evidence"):
        name = (
            say("cli.packet.missing", locale) if one.get("missing") else head(one.get("artifact_id"), one.get("label"))
        )
        status = "" if one.get("missing") else named("cli.artifact.status", one.get("status"), locale)
        lines.append(_cut(head(f"{label('evidence', locale)} {name}", status, f"sha256 {short(one.get('sha256'))}")))
    unsaid = number(doc.get("evidence_total")) - len(lines)
    return [*lines, *([say("card.more", locale, n=unsaid)] if unsaid > 0 else [])]


def _answers(doc: Doc, locale: Locale) -> list[str]:
    """The first answers as command lines, never cut: half a line is a wrong one. The others are named."""
    actions = rows_of(doc, "actions")
    lines = [
        command_line(str(one.get("action")), {**as_map(one.get("subject")), "basis": one.get("basis")})
        + _OWN_WORDS.get(str(one.get("action")), "")
        for one in actions[:COMMANDS_MAX]
    ]
    others = [one_line(str(one.get("action")).replace(".", " ")) for one in actions[COMMANDS_MAX:]]
    return [*lines, *([say("cli.packet.or", locale, others=", ".join(others))] if others else [])]


def command_line(action: str, subject: Mapping[str, object]) -> str:
    """A line for a shell. Every value is an id, a number or a basis; one that is not is left out, whatever it is."""
    noun, _, verb = action.partition(".")
    words = ["frontstage", noun, *([] if verb == "show" and noun in _ALONE else [verb])]
    for name, value in subject.items():
        text = str(value)
        if value is not None and text.isascii() and text and not set(text) - _PLAIN and not text.startswith("-"):
            words += ["--" + name.replace("_", "-"), text]
    return " ".join(words)


_OWN_WORDS = {"goal.clarify": " --answer '…'", "goal.request-changes": " --reason '…'"}
"""What an answer says in the person's own words, where it is none without them."""
_ALONE = frozenset({"status", "overview", "digest", "attention", "review-packet"})
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@/-")

RENDERERS: dict[str, Callable[[Doc, Locale], list[str]]] = {"review-packet.show": _packet}
"""By the name of the action."""
