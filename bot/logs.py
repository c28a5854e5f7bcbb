"""The bot's log: one JSON object a line on standard error, cleaned of credentials and of the platform's ids."""

import json
import logging
import sys
from typing import Final

from bot.lark_log import redacted
from ledger.detectors import credential_in

LINE_CHARS_MAX: Final = 500
PLACES_MAX: Final = 4


class JsonLines(logging.Formatter):
    """A record as one line; of an exception only its type and place, as its text may be a person's."""

    def format(self, record: logging.LogRecord) -> str:
        """Render the record."""
        line = {
            "at": f"{self.formatTime(record, '%Y-%m-%dT%H:%M:%S')}.{int(record.msecs):03d}",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _told(record.getMessage()),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = where(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def _told(message: str) -> str:
    """The message without what is struck out, or only the word that something was."""
    text = redacted(message)
    return "[redacted]" if credential_in(text) else text[:LINE_CHARS_MAX]


def where(error: BaseException) -> str:
    """The kind of an exception and where it came from, without its text."""
    places: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        places.append(f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' > '.join(places[-PLACES_MAX:])}"


def configure(level: str) -> None:
    """Send everything there."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
