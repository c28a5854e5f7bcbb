"""`frontstage batch`: many actions, one JSON object a line, each answered for itself by one line.

Lines are sent as they come, several in a request where several have arrived, so that a program may write one and wait
for its answer. A line that is none is answered in its place and keeps no other from being asked. Every action has a
request key, its own or one made of `--request-key` and the line's number: with it, the same input can be given again
after whatever went wrong, and what was done is not done twice.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from daemon import wire
from daemon.cli.call import ask, headers_of
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, EXIT_USAGE, STDOUT, OutputLost, tell, write
from daemon.cli.parse import REQUEST_KEY_CHARS_MAX, Command, UsageError
from daemon.client import HTTP_OK, new_request_key
from daemon.local.homes import home_of
from daemon.paths import Home

ACTIONS_MAX = 64
"""In one request; what the daemon takes."""
BYTES_MAX = 250_000
"""Of one line, and of all in one request: below the daemon's limit with room for what is put around them."""
READ_BYTES = 65_536
NUMBER_CHARS_MAX = 12
_FIELDS = frozenset({"action", "params", "request_key"})


class Line(NamedTuple):
    """One line of the input: what is asked as JSON, or what is wrong with it."""

    number: int
    action: str | None = None
    request_key: str = ""
    body: bytes = b""
    problem: str = ""


class NoAction(ValueError):
    """A line that asks nothing; the text says why."""


@dataclass
class Told:
    """What was answered so far."""

    worst: int = 0
    last: int = 0
    """The last line that was answered."""
    stopped: bool = False

    def answer(self, line: Line, document: dict[str, object], exit_code: int) -> None:
        """Print the answer of one line. Raises OutputLost."""
        self.worst, self.last = max(self.worst, exit_code), line.number
        text = json.dumps({"line": line.number, **document, "exit_code": exit_code}, ensure_ascii=False)
        write(STDOUT, text.encode("utf-8", "replace") + b"\n")


def main(command: Command) -> int:
    """Ask every line; the exit code is the worst of theirs."""
    prefix = command.options.request_key
    if prefix is not None and len(prefix) + 1 + NUMBER_CHARS_MAX > REQUEST_KEY_CHARS_MAX:
        limit = REQUEST_KEY_CHARS_MAX - 1 - NUMBER_CHARS_MAX
        raise UsageError(f"--request-key of a batch has at most {limit} characters", field="request_key")
    command.options.json = True
    home, told = home_of(command), Told()
    descriptor = _opened(command)
    try:
        for arrived in _arriving(descriptor, prefix):
            for lines in _requests(arrived):
                _ask(command, home, lines, told)
                if told.stopped:
                    tell(f"frontstage: nothing after line {told.last} was asked")
                    return told.worst
    except OutputLost as error:
        tell(f"frontstage: {error}; the last line that was answered is {told.last}")
        return EXIT_FAULT
    except KeyboardInterrupt:
        tell(f"frontstage: interrupted; the last line that was answered is {told.last}")
        raise
    finally:
        if descriptor:
            os.close(descriptor)
    return told.worst


def _opened(command: Command) -> int:
    """The file's descriptor, or standard input's. Raises UsageError."""
    path = command.values.get("input")
    if path is None or path == "-":
        return 0
    try:
        return os.open(str(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", field="input") from error


def _arriving(descriptor: int, prefix: str | None) -> Iterator[list[Line]]:
    """The lines that have arrived, again and again until the input ends. Raises UsageError."""
    number, rest, dropping = 1, b"", False
    while True:
        try:
            data = os.read(descriptor, READ_BYTES)
        except OSError as error:
            raise UsageError(f"the input cannot be read: {error.strerror}", field="input") from error
        *whole, rest = (rest + data).split(b"\n")
        found: list[Line] = []
        for text in whole if data else [*whole, rest]:
            line = (
                Line(number, problem=_too_long()) if dropping or len(text) > BYTES_MAX else _line(number, text, prefix)
            )
            dropping = False
            number += 1
            if line is not None:
                found.append(line)
        if len(rest) > BYTES_MAX:
            # What is left of it is read and forgotten, so that the lines after it are found.
            rest, dropping = b"", True
        yield found
        if not data:
            return


def _too_long() -> str:
    return f"is longer than {BYTES_MAX} bytes"


def _line(number: int, text: bytes, prefix: str | None) -> Line | None:
    """One line read; None for a blank one."""
    if not text.strip():
        return None
    try:
        return _read(number, text, prefix)
    except NoAction as error:
        return Line(number, problem=str(error))
    except RecursionError:
        return Line(number, problem="is nested too deeply")
    except ValueError:
        # Neither text nor JSON, or half of a character.
        return Line(number, problem="is not JSON in UTF-8")


def _read(number: int, text: bytes, prefix: str | None) -> Line:
    asked = json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    if not isinstance(asked, dict) or not isinstance(asked.get("action"), str):
        raise NoAction('is not an object like {"action": "todo.claim", "params": {…}}')
    if beyond := sorted(asked.keys() - _FIELDS):
        raise NoAction(f"has a field {beyond[0][:40]}; there are action, params and request_key")
    if not isinstance(asked.setdefault("params", {}), dict):
        raise NoAction("has params that are no object")
    key = asked.setdefault("request_key", new_request_key() if prefix is None else f"{prefix}/{number}")
    if not isinstance(key, str):
        raise NoAction("has a request_key that is no text")
    body = json.dumps(asked, ensure_ascii=False).encode("utf-8")
    return Line(number, asked["action"], key, body)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NoAction("names a field twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise NoAction(f"holds {name}, which is no number of JSON")


def _requests(lines: list[Line]) -> Iterator[list[Line]]:
    """Lines that go into one request together; one that asks nothing stands alone."""
    group: list[Line] = []
    size = 0
    for line in lines:
        apart = bool(line.problem) or len(group) == ACTIONS_MAX or size + len(line.body) > BYTES_MAX
        if group and apart:
            yield group
            group, size = [], 0
        if line.problem:
            yield [line]
        else:
            group.append(line)
            size += len(line.body)
    if group:
        yield group


def _ask(command: Command, home: Home, lines: list[Line], told: Told) -> None:
    """Ask one request and print what came of each line of it. Raises OutputLost and UsageError."""
    stops = bool(command.values.get("stop_on_refusal"))
    if lines[0].problem:
        (line,) = lines
        told.answer(line, _refusal(line, "malformed_params", f"line {line.number} {line.problem}"), EXIT_USAGE)
        told.stopped = stops
        return
    body = b'{"stop_on_refusal":%s,"actions":[%s]}' % (
        b"true" if stops else b"false",
        b",".join(line.body for line in lines),
    )
    request = wire.request_bytes("POST", "/v1/batch", headers_of(command, home), body)
    try:
        answer = _twice(command, home, request)
        document, exit_code = _document(answer), answer.exit_code
        answers = _answers(document, lines) if answer.status == HTTP_OK else []
    except wire.WireFault as error:
        _unknown(lines, error, told)
        return
    if answer.status != HTTP_OK:
        # Nothing of it was asked: who asks is not known, or the daemon is busy.
        for line in lines:
            told.answer(line, {**document, "action": line.action}, exit_code)
        told.stopped = stops
        return
    for line, one in zip(lines, answers, strict=False):
        told.answer(line, one, one["exit_code"])
    told.stopped = stops and not document["ok"]


def _twice(command: Command, home: Home, request: bytes) -> wire.Answer:
    """Ask, and once more where no whole answer came: the keys make sure that nothing is done twice."""
    try:
        return ask(command, home, request)
    except (wire.Dropped, wire.TooSlow):
        return ask(command, home, request)


def _document(answer: wire.Answer) -> dict[str, object]:
    if not answer.body:
        # A connection too many is turned away before anybody reads it.
        return {"ok": False, "code": "busy", "message": "the daemon has too many connections and read nothing"}
    try:
        document = json.loads(answer.body)
    except ValueError as error:
        raise wire.NotOurs("the answer is not JSON") from error
    if not isinstance(document, dict):
        raise wire.NotOurs("the answer is not an object")
    return document


def _answers(document: dict[str, object], lines: list[Line]) -> list[dict[str, Any]]:
    """The answer of each line; what was left out after a refusal has none. Raises wire.NotOurs."""
    answers, left_out = document.get("answers"), document.get("not_asked")
    if not isinstance(answers, list) or not isinstance(left_out, int) or len(answers) + left_out != len(lines):
        raise wire.NotOurs("the answer does not say what came of each line")
    return answers


def _unknown(lines: list[Line], error: wire.WireFault, told: Told) -> None:
    """Nobody can say what of it was done; the keys are the way to find out. What follows would fare no better."""
    fault = isinstance(error, wire.NotOurs)
    for line in lines:
        document = _refusal(line, "fault" if fault else "daemon_unreachable", str(error))
        told.answer(line, document, EXIT_FAULT if fault else EXIT_UNREACHABLE)
    told.stopped = True


def _refusal(line: Line, code: str, message: str) -> dict[str, object]:
    """A refusal that is made here, as the envelope that the daemon would send."""
    details: dict[str, object] = {"line": line.number, "problem": line.problem}
    hint = (
        'one JSON object a line, like {"action": "todo.claim", "params": {"goal_id": "docs", "todo_id": "todo_000012"}}'
    )
    if not line.problem:
        details, hint = {"request_key": line.request_key}, "ask again with the same request_key"
    return {
        "schema_version": "frontstage_result_v1",
        "ok": False,
        "action": line.action,
        "outcome": "rejected",
        "code": code,
        "message": message,
        "hint": hint,
        "details": details,
        "basis": None,
        "seq": None,
    }
