"""What is wrong with a value, as a sentence in the reader's language.

Models and readers say it in the words of a program, and the parser has words of its own for each kind of mistake. Each
kind has a sentence of ours here. What nobody foresaw is said in general to whoever reads another language.
"""

import re

from ledger.text.say import Locale, one_line, say

CHARS_MAX = 200

_PROBLEMS = (
    ("problem.chars_max", re.compile(r"(String|Value) should have at most (?P<limit>\d+) (characters?|items?.*)")),
    ("problem.items_max", re.compile(r"Tuple should have at most (?P<limit>\d+) items? after validation.*")),
    (
        "problem.empty",
        re.compile(r"(String|Value) should have at least 1 (character|item.*)|(Value error, )?must not be blank"),
    ),
    ("problem.chars_min", re.compile(r"String should have at least (?P<limit>\d+) characters")),
    ("problem.items_min", re.compile(r"(Tuple|Value) should have at least (?P<limit>\d+) items? after validation.*")),
    ("problem.at_least", re.compile(r"Input should be greater than or equal to (?P<limit>-?\d+)")),
    ("problem.at_most", re.compile(r"Input should be less than or equal to (?P<limit>-?\d+)")),
    ("problem.integer", re.compile(r"Input should be a valid integer.*")),
    ("problem.text", re.compile(r"Input should be a valid string.*")),
    ("problem.true_or_false", re.compile(r"Input should be a valid boolean.*")),
    ("problem.twice", re.compile(r"given more than once")),
    ("problem.one_of", re.compile(r"Input should be (?P<choices>'[^']*'(?:(?:, | or )'[^']*')*)")),
    ("problem.pattern", re.compile(r"String should match pattern '(?P<pattern>.*)'")),
    ("problem.missing", re.compile(r"Field required")),
    ("problem.unknown", re.compile(r"Extra inputs are not permitted")),
)
"""What the parser says of a value, and our own sentence for it."""

_FORMS = (
    ("problem.form.number", re.compile(r"\^(?P<prefix>[a-z]+_)\[0-9\]\{(?P<low>\d+),(?P<high>\d+)\}\$")),
    ("problem.form.prefixed", re.compile(r"\^(?P<prefix>[a-z]+_)\[a-z0-9_?-\]\{(?P<low>\d+),(?P<high>\d+)\}\$")),
    ("problem.form.id", re.compile(r"\^\[a-z0-9\]\[a-z0-9_\.-\]\{0,63\}\$")),
    ("problem.form.name", re.compile(r"\^\[a-z\]\[a-z0-9_:-\]\{0,63\}\$")),
    ("problem.form.key", re.compile(r"\^\[A-Za-z0-9_\.:@/-\]\{1,(?P<high>\d+)\}\$")),
    ("problem.form.open_id", re.compile(r"\^ou_\[A-Za-z0-9_-\]\{1,157\}\$")),
    ("problem.form.clock", re.compile(r"\^\(\[01\]\[0-9\]\|2\[0-3\]\):\[0-5\]\[0-9\]\$")),
    ("problem.form.cron", re.compile(r"\^\[0-9A-Za-z\*,/ -\]\+\$")),
    ("problem.form.zone", re.compile(r"\^\[A-Za-z0-9_\+/-\]\+\$")),
    ("problem.form.digest", re.compile(r"\^\[0-9a-f\]\{64\}\$")),
    ("problem.form.basis", re.compile(r"\^b1:\[0-9a-f\]\{32\}\$")),
    ("problem.form.member", re.compile(r"\^\[A-Za-z\]\[A-Za-z0-9_\.:@ -\]\{0,79\}\$")),
    ("problem.form.actor", re.compile(r"\^\[a-z\]\[a-z0-9_\.:@-\]\{0,79\}\$")),
    ("problem.form.any_name", re.compile(r"\^\(\\\*\|\[a-z\]\[a-z0-9_:-\]\{0,63\}\)\$")),
    ("problem.form.chat", re.compile(r"\^\(oc_\[A-Za-z0-9_-\]\{1,64\}\|chat_\[0-9a-f\]\{12\}\)\$")),
    ("problem.form.some_id", re.compile(r"\^\[a-z\]\+_\[a-z0-9_-\]\{1,64\}\$")),
    ("problem.form.action", re.compile(r"\^\[a-z-\]\+\\\.\[a-z-\]\+\$")),
    (
        "problem.form.action_or_noun",
        re.compile(r"\^\[a-z\]\[a-z-\]\{0,31\}\(\\\.\[a-z\]\[a-z-\]\{0,31\}\)\?\$"),
    ),
    ("problem.form.code", re.compile(r"\^\[a-z_\]\+\$")),
    ("problem.form.event_kind", re.compile(r"\^\[a-z_\]\+\(\\\.\[a-z_\]\+\)\?\$")),
    ("problem.own.resume_when", re.compile(r"\^\(todo_done:.*\|capability_available:.*\|pr_merged:.*\|time:.*\)\$")),
    ("problem.one_of", re.compile(r"\^\((?P<choices>[a-z_]+(?:\|[a-z_]+)*)\)\?\$")),
    ("problem.form.proven", re.compile(r"\^\((?P<choices>[a-z_]+(?:\|[a-z_]+)*)\)=\[0-9a-f\]\{64\}\$")),
    (
        "problem.form.decision_scope",
        re.compile(
            r"\^\[a-z\]\[a-z0-9_-\]\{0,31\}:\((?P<choices>[a-z_]+(?:\|[a-z_]+)*)\)"
            r":\(\\\*\|\[A-Za-z0-9_\./-\]\{1,80\}\)\$"
        ),
    ),
)
"""Patterns of parameters, and the same in words. Any other is named as it is."""
_OWN = (
    ("problem.own.dates_order", re.compile(r"must not be after to_seq")),
    ("problem.own.nothing_to_find", re.compile(r"has nothing to look for")),
    ("problem.own.words_max", re.compile(r"has more than (?P<limit>\d+) words")),
    ("problem.own.after_last", re.compile(r"is after the last event")),
    ("problem.own.beside_member", re.compile(r"is given beside a member")),
    ("problem.own.one_explained", re.compile(r"one thing is explained at a time")),
    ("problem.own.needs", re.compile(r"needs (?:a )?(?P<name>[a-z_]+)")),
    ("problem.own.needs_either", re.compile(r"needs (?P<one>[a-z_]+) or (?P<other>[a-z_]+)")),
    ("problem.own.takes_no", re.compile(r"(?P<op>[a-z_]+) takes no (?P<name>[a-z_]+)")),
    ("problem.own.seq", re.compile(r"must be (?:a seq|the seq of an event)")),
    ("problem.own.write_now", re.compile(r"a write happens now; only a read may name a seq")),
    ("problem.own.amount", re.compile(r"is no amount")),
    ("problem.own.body_late", re.compile(r"the body did not arrive in time")),
    ("problem.own.not_decoded", re.compile(r"cannot be decoded")),
    ("problem.own.not_http", re.compile(r"is not HTTP as it should be")),
    (
        "problem.own.batch",
        re.compile(r"is an object with 1 to (?P<limit>\d+) actions, each with action, request_key and params"),
    ),
    ("problem.own.states", re.compile(r"must be one of (?P<choices>[a-z_]+(?:, [a-z_]+)*)")),
    ("problem.own.rejection_why", re.compile(r"(?:reason: )?a rejection says why")),
    (
        "problem.own.exit_code",
        re.compile(r"(?:exit_code: )?a validator ends by itself with an exit code, or by the time-out without one"),
    ),
    ("problem.own.gate_role", re.compile(r"(?:task_class: )?a user_gate is decided by a person: its role is user")),
    ("problem.own.gate_unblocks", re.compile(r"(?:unblocks_todo_id: )?only a user_gate unblocks work")),
    ("problem.own.monitor_cadence", re.compile(r"only a monitor has a cadence")),
    ("problem.own.monitor_agent", re.compile(r"a monitor is looked at by an agent")),
    ("problem.own.successor", re.compile(r"(?:continuation: )?`successor` and next_agent_todo go together")),
    (
        "problem.own.follow_nobody",
        re.compile(r"names who takes the work that follows, but next_agent_todo names no work"),
    ),
    (
        "problem.own.resume_when",
        re.compile(r"must be todo_done:TODO_ID, time:RFC3339, capability_available:NAME or pr_merged:REFERENCE"),
    ),
    ("problem.own.slots_either", re.compile(r"(?:unset_allowed_slots: )?a number is either set or forgotten")),
    ("problem.own.compute_differs", re.compile(r"(?:compute: )?it is not the share that compute_permille gives")),
    (
        "problem.own.unicode",
        re.compile(
            r"must be valid Unicode text|Input should be a valid string, unable to parse raw data as a unicode string"
        ),
    ),
    ("problem.own.field_twice", re.compile(r"the field (?P<name>\S+) is given more than once")),
    ("problem.own.json", re.compile(r"Invalid JSON: .*")),
    (
        "problem.own.object",
        re.compile(r"Input should be (?:a valid dictionary(?: or .*)?|an object|a dictionary.*|an instance of .*)"),
    ),
    ("problem.own.list", re.compile(r"Input should be a valid (?:tuple|list|array|set|frozenset)")),
    ("problem.own.number", re.compile(r"Input should be (?:a valid number.*|a finite number)")),
    ("problem.own.fields_max", re.compile(r"Dictionary should have at most (?P<limit>\d+) items? after validation.*")),
    ("problem.own.name_is_text", re.compile(r"Keys should be strings")),
    ("problem.own.above", re.compile(r"Input should be greater than (?P<limit>-?[0-9.]+)")),
    ("problem.own.below", re.compile(r"Input should be less than (?P<limit>-?[0-9.]+)")),
)
"""What our own models and readers say of a value, and what the parser says rarely."""
_OURS = "Value error, "
"""What the parser puts before the words of our models."""


def problem_line(text: str, locale: Locale) -> str:
    """The sentence for what is wrong; the field's name stands before it."""
    said = text.removeprefix(_OURS)
    for key, known in (*_PROBLEMS, *_OWN):
        if (found := known.fullmatch(text) or known.fullmatch(said)) is None:
            continue
        parts = {name: value for name, value in found.groupdict().items() if value is not None}
        if key == "problem.pattern":
            return _form(parts["pattern"], locale)
        if key == "problem.one_of":
            parts["choices"] = ("、" if locale == "zh" else ", ").join(re.findall(r"'([^']*)'", parts["choices"]))
        elif "choices" in parts and locale == "zh":
            parts["choices"] = parts["choices"].replace(", ", "、")
        return say(key, locale, **parts)
    return say("problem.other", locale) if locale == "zh" else _clipped(one_line(said))


def _form(pattern: str, locale: Locale) -> str:
    for key, known in _FORMS:
        if found := known.fullmatch(pattern):
            parts = found.groupdict()
            if "choices" in parts:
                parts["choices"] = parts["choices"].replace("|", "、" if locale == "zh" else ", ")
            return say(key, locale, **parts)
    return say("problem.pattern", locale, pattern=_clipped(pattern))


def _clipped(text: str) -> str:
    return text if len(text) <= CHARS_MAX else text[: CHARS_MAX - 1] + "…"
