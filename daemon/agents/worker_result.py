"""What a program said of its turn, read with suspicion: a result is as the contract says, or there is none.

A field that nobody knows, a text that is too long, a number where a word belongs: each makes the whole result void.
To take the half that is understood would be to guess what the program meant, and evidence does not rest on guesses.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

RESULT_SCHEMA = "frontstage_worker_result_v0"
RESULT_BYTES_MAX = 262_144
TEXT_CHARS_MAX = 2_000
LABEL_CHARS_MAX = 120
ARTIFACTS_MAX, REVIEWS_MAX, CHECKS_MAX, LIST_MAX = 16, 16, 32, 64
NUMBER_MAX = 9_007_199_254
PATH_CHARS_MAX = 4_096

Outcome = Literal["done", "progress", "no_progress", "blocked", "failed"]
Decision = Literal["adopt", "defer", "reject", "no_change"]
DELIVERY_OUTCOMES = ("outcome_progress", "primary_goal_outcome", "surface_only", "outcome_gap", "no_progress")
EARNS = frozenset({"outcome_progress", "primary_goal_outcome"})


class ResultRefused(Exception):
    """The result is not as the contract says; the words name the field and never what stood in it."""


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A file that the program hands in."""

    path: str
    label: str
    kind: str = "report"
    criteria: tuple[str, ...] = ()
    summary: str = ""
    inputs: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class SaidCheck:
    """How a validator ended that the program ran."""

    name: str
    argv: tuple[str, ...] = ()
    argv_sha256: str = ""
    exit_code: int | None = None
    duration_ms: int = 0
    timed_out: bool = False


@dataclass(frozen=True, kw_only=True)
class SaidReview:
    """A word on evidence of somebody else's."""

    artifact_id: str
    decision: Literal["accept", "reject"]
    reason: str = ""
    checks: tuple[SaidCheck, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Result:
    """A whole result."""

    outcome: Outcome
    summary: str
    artifacts: tuple[Offered, ...] = ()
    delivery_outcome: str | None = None
    usage: dict[str, int] = field(default_factory=dict)
    reviews: tuple[SaidReview, ...] = ()
    decision: Decision = "adopt"
    answer_summary: str = ""
    answer_artifacts: tuple[str, ...] = ()
    ask: dict[str, object] | None = None
    reason: str = ""


def read_result(data: bytes) -> Result:
    """The result in these bytes. Raises ResultRefused."""
    if len(data) > RESULT_BYTES_MAX:
        raise ResultRefused(f"it has more than {RESULT_BYTES_MAX} bytes")
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ResultRefused("it is no JSON document in UTF-8") from error
    table = _Table("the result", document, _FIELDS)
    if table.text("schema_version") != RESULT_SCHEMA:
        raise ResultRefused(f"schema_version is not {RESULT_SCHEMA}")
    answer = _Table("answer", table.given("answer", {}), ("summary", "artifact"))
    result = Result(
        outcome=_outcome(table.one_of("outcome", get_args(Outcome))),
        summary=table.text("summary", needed=True),
        artifacts=tuple(map(_offered, table.rows("artifacts", ARTIFACTS_MAX))),
        delivery_outcome=table.one_of("delivery_outcome", DELIVERY_OUTCOMES) or None,
        usage=_usage(table.given("usage", {})),
        reviews=tuple(map(_review, table.rows("reviews", REVIEWS_MAX))),
        decision=_decision(table.one_of("decision", get_args(Decision)) or "adopt"),
        answer_summary=answer.text("summary"),
        answer_artifacts=answer.words("artifact", LIST_MAX),
        ask=_ask(table.given("ask")),
        reason=table.text("reason"),
    )
    return _agreeing(result)


_FIELDS = (
    "schema_version", "outcome", "summary", "artifacts", "delivery_outcome", "usage", "reviews", "decision", "answer",
    "ask", "reason",
)  # fmt: skip


def _agreeing(result: Result) -> Result:
    """What says two things at once says nothing."""
    if result.decision != "adopt" and not result.reason:
        raise ResultRefused(f"decision {result.decision} needs a reason")
    if result.outcome == "blocked" and not result.reason and result.ask is None:
        raise ResultRefused("outcome blocked needs a reason or an ask")
    if result.delivery_outcome in EARNS and result.outcome not in {"done", "progress"}:
        raise ResultRefused(f"delivery_outcome {result.delivery_outcome} is not what outcome {result.outcome} comes to")
    for review in result.reviews:
        if review.decision == "reject" and not review.reason:
            raise ResultRefused("a rejection needs a reason")
    return result


def _offered(row: object) -> Offered:
    table = _Table("an artifact", row, ("path", "label", "kind", "criteria", "summary", "inputs"))
    path = table.text("path", PATH_CHARS_MAX, needed=True)
    return Offered(
        path=path,
        label=table.text("label", LABEL_CHARS_MAX) or path.rstrip("/").rpartition("/")[2][-LABEL_CHARS_MAX:],
        kind=table.text("kind", 64) or "report",
        criteria=table.words("criteria", LIST_MAX),
        summary=table.text("summary"),
        inputs=None if table.given("inputs") is None else table.words("inputs", LIST_MAX),
    )


def _review(row: object) -> SaidReview:
    table = _Table("a review", row, ("artifact_id", "decision", "reason", "checks"))
    decision = table.one_of("decision", ("accept", "reject"))
    return SaidReview(
        artifact_id=table.text("artifact_id", 80, needed=True),
        decision="accept" if decision == "accept" else "reject",
        reason=table.text("reason"),
        checks=tuple(map(_check, table.rows("checks", CHECKS_MAX))),
    )


def _check(row: object) -> SaidCheck:
    table = _Table("a check", row, ("name", "argv", "argv_sha256", "exit_code", "duration_ms", "timed_out"))
    timed_out = table.given("timed_out", absent=False)
    if type(timed_out) is not bool:
        raise ResultRefused("timed_out of a check is true or false")
    argv, digest = table.words("argv", LIST_MAX, PATH_CHARS_MAX), table.text("argv_sha256", 64)
    if bool(argv) == bool(digest):
        raise ResultRefused("a check has argv or argv_sha256, and not both")
    exit_code = table.number("exit_code", -NUMBER_MAX)
    if (exit_code is None) is not timed_out:
        raise ResultRefused("a check has an exit_code, unless it timed_out")
    return SaidCheck(
        name=table.text("name", 64, needed=True),
        argv=argv,
        argv_sha256=digest,
        exit_code=exit_code,
        duration_ms=table.number("duration_ms") or 0,
        timed_out=timed_out,
    )


def _usage(value: object) -> dict[str, int]:
    names = ("tokens_in", "tokens_out", "cost_micros")
    table = _Table("usage", value, names)
    figures = {name: table.number(name) for name in names}
    return {name: figure for name, figure in figures.items() if figure is not None}


def _ask(value: object) -> dict[str, object] | None:
    """What `request send` takes; the ledger judges it, and the goal and the work are the turn's own."""
    if value is None:
        return None
    names = ("to", "purpose", "acceptance", "return_requirement", "context", "constraint", "input")
    _Table("ask", value, names)
    assert isinstance(value, dict)
    return dict(value)


def _no_number(_name: str) -> object:
    raise ValueError("NaN and Infinity are no JSON")


def _outcome(word: str) -> Outcome:
    known: Mapping[str, Outcome] = {one: one for one in get_args(Outcome)}
    if word not in known:
        raise ResultRefused("outcome is missing")
    return known[word]


def _decision(word: str) -> Decision:
    known: Mapping[str, Decision] = {one: one for one in get_args(Decision)}
    return known[word]


class _Table:
    """One object of the result, with the fields that it may have."""

    def __init__(self, name: str, value: object, fields: Collection[str]) -> None:
        if not isinstance(value, dict):
            raise ResultRefused(f"{name} is no object")
        if beyond := value.keys() - set(fields):
            raise ResultRefused(f"{name} has {len(beyond)} fields beside {', '.join(fields)}")
        self._name, self._value = name, value

    def given(self, name: str, absent: object = None) -> object:
        """What stands there; null and absent are the same."""
        value = self._value.get(name)
        return absent if value is None else value

    def text(self, name: str, chars_max: int = TEXT_CHARS_MAX, *, needed: bool = False) -> str:
        """Words of a bounded length; too many are refused and never cut."""
        value = self.given(name, "")
        if not isinstance(value, str) or len(value) > chars_max or "\0" in value or not _encodes(value):
            raise ResultRefused(f"{name} of {self._name} is a text of up to {chars_max} characters")
        if needed and not value.strip():
            raise ResultRefused(f"{name} of {self._name} is missing")
        return value

    def one_of(self, name: str, words: Collection[str]) -> str:
        """One of these words, or none where it is absent."""
        value = self.text(name)
        if value and value not in words:
            raise ResultRefused(f"{name} of {self._name} is one of {', '.join(words)}")
        return value

    def rows(self, name: str, most: int) -> list[object]:
        """A list of a bounded length."""
        value = self.given(name, [])
        if not isinstance(value, list) or len(value) > most:
            raise ResultRefused(f"{name} of {self._name} is a list of up to {most}")
        return value

    def words(self, name: str, most: int, chars_max: int = 160) -> tuple[str, ...]:
        """A list of short texts."""
        holds: Callable[[object], bool] = lambda one: isinstance(one, str) and 0 < len(one) <= chars_max  # noqa: E731
        rows = self.rows(name, most)
        if not all(map(holds, rows)):
            raise ResultRefused(f"{name} of {self._name} is a list of short texts")
        return tuple(map(str, rows))

    def number(self, name: str, least: int = 0) -> int | None:
        """A whole number, or None where it is not known."""
        value = self.given(name)
        if value is not None and (type(value) is not int or not least <= value <= NUMBER_MAX):
            raise ResultRefused(f"{name} of {self._name} is a whole number")
        return value if isinstance(value, int) else None


def _encodes(text: str) -> bool:
    return not any(0xD800 <= ord(char) <= 0xDFFF for char in text)
