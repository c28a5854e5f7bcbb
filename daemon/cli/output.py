"""What is said to the person or program that called: answers on standard output, everything else on standard error."""

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.parse import UsageError

STDOUT = 1
STDERR = 2
EXIT_USAGE = 2
EXIT_UNREACHABLE = 7
EXIT_FAULT = 8


class OutputLost(Exception):
    """What was to be printed could not be, for another reason than a reader who left."""


def write(descriptor: int, data: bytes) -> None:
    """Write it all. A reader who left is no fault: the exit code still tells. Raises OutputLost."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise OutputLost(f"cannot write the answer: {error.strerror}") from error


def line(data: bytes) -> bytes:
    """Bytes that end with a line's end."""
    return data if data.endswith(b"\n") else data + b"\n"


def tell(text: str) -> None:
    """One remark to the person, on standard error."""
    try:
        write(STDERR, line(text.encode("utf-8", "replace")))
    except OutputLost:
        return  # There is nobody left to tell; the exit code says the rest.


def tell_usage(error: "UsageError", *, as_json: bool) -> int:
    """Say what is wrong with a command line; as the refusal envelope where JSON was asked for."""
    if as_json:
        return refuse(
            error.code,
            error.message,
            error.hint,
            action=error.action,
            details=_details(error),
            exit_code=EXIT_USAGE,
        )
    tell(f"frontstage: {error.message}" + (f"\n  {error.hint}" if error.hint else ""))
    return EXIT_USAGE


def _details(error: "UsageError") -> dict[str, object]:
    """As the daemon names a field that does not hold."""
    if error.field is None:
        return {}
    problem = {"field": error.field, "problem": error.message}
    return {"fields": [problem], **problem}


def refuse(
    code: str,
    message: str,
    hint: str,
    *,
    action: str | None,
    details: dict[str, object],
    exit_code: int,
) -> int:
    """Print a refusal that was made here as the envelope the daemon would send."""
    from json import dumps  # noqa: PLC0415  (only for a refusal made here)

    envelope = {
        "schema_version": "frontstage_result_v1",
        "ok": False,
        "action": action,
        "outcome": "rejected",
        "code": code,
        "message": message,
        "hint": hint,
        "details": details,
        "basis": None,
        "seq": None,
    }
    write(STDOUT, line(dumps(envelope).encode("ascii")))
    return exit_code
