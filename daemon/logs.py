"""Logs: one JSON object a line, with nothing in it that a stranger should not read.

Fields are named, values of secret-sounding fields are never written, anything that looks like a credential or a Lark id
is struck out wherever it stands, and an error that may quote its input is named and not quoted.
"""

import json
import logging
import re
import sys

from ledger.detectors import credential_in
from ledger.key_families import key_reason

_SECRET_NAME = re.compile(
    r"(token|secret|password|authorization|api_?key|ticket|access_key|open_id|union_id|text|words)$", re.IGNORECASE
)
_SECRET_VALUE = re.compile(
    r"Bearer\s+\S+|\b(?:fs_[A-Za-z0-9_-]{16,}|t-[A-Za-z0-9]{16,}|c-[A-Za-z0-9]{16,}|o[unc]_[A-Za-z0-9]{6,})"
)
STRUCK = "[redacted]"
_PLAIN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
VALUE_CHARS_MAX = 500
_QUOTING_NOTHING = frozenset({"daemon", "ledger", "apsw"})
"""Packages whose errors say what happened and never what somebody wrote."""


def redact(value: object) -> object:
    """The value with credentials and Lark ids struck out, and no longer than a line should be."""
    if isinstance(value, bool | int) or value is None:
        return value
    text = _SECRET_VALUE.sub(STRUCK, str(value))
    # What the ledger would not take is not written down here either, nor a part of it.
    return STRUCK if credential_in(text) else text[:VALUE_CHARS_MAX]


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Render the record; extra fields are redacted by name and by look."""
        line: dict[str, object] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03d}",
            "level": record.levelname.lower(),
            "event": redact(record.getMessage()),
        }
        for name, value in record.__dict__.items():
            if name not in _PLAIN:
                line[name] = STRUCK if _SECRET_NAME.search(name) or key_reason(name) else redact(value)
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = redact(_told(record.exc_info[1]))
            line["where"] = redact(_where(record))
        return json.dumps(line, ensure_ascii=False)


def _told(error: BaseException) -> str:
    """What an error says of itself; of one that may quote what it could not read, its kind alone."""
    kind = type(error)
    quotes_nothing = isinstance(error, OSError) or kind.__module__.partition(".")[0] in _QUOTING_NOTHING
    return f"{kind.__name__}: {error}" if quotes_nothing else kind.__name__


def _where(record: logging.LogRecord) -> str:
    trace = record.exc_info[2] if record.exc_info else None
    places: list[str] = []
    while trace is not None:
        places.append(f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " > ".join(places[-6:])


def configure(level: str = "INFO") -> None:
    """Send everything to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("aiohttp.access").setLevel("WARNING")
