"""Keeps the SDK's loggers quiet and clean.

The SDK prints the connection's URL, with its access key and ticket, at INFO, and payloads at DEBUG; its HTTP client
names message ids in request lines. None of that may reach a log: the levels are raised, and whatever is still said
passes a filter that takes out credentials and the platform's ids, tracebacks included.
"""

import logging
import re
from typing import Final

SDK_LOGGER: Final = "Lark"
_QUIET_LOGGERS: Final = (SDK_LOGGER, "websockets", "websockets.client", "httpx", "httpcore", "urllib3")

_SECRETS: Final = re.compile(
    r"(?i)\b(?:(access_?key|ticket|device_id|[a-z_]*secret|[a-z_]*token|authorization)"
    r"(?:\\?[\"']?\s*[=:]\s*\\?[\"']?)(?:bearer\s+)?|(bearer)\s+)[^\s\"'&,;}\\)]+"
)
# Bare tokens (tenant, user, app, callback), and the ids of people, chats, messages, threads and apps.
_IDS: Final = re.compile(r"\b(?:[tuac]-[0-9A-Za-z_.-]{8,}|(?:ou|on|oc|om|omt|cli)_[0-9A-Za-z_-]{3,})")


def redacted(text: str) -> str:
    """Take credentials and ids out of a text, leaving their names."""
    return _IDS.sub("…", _SECRETS.sub(lambda found: f"{found[1] or found[2]}=…", text))


class RedactingFilter(logging.Filter):
    """Rewrites each record in place; a traceback may quote a payload, so only its last line's type survives."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean the record, and let it pass."""
        text = redacted(record.getMessage())
        if record.exc_info and record.exc_info[0] is not None:
            text = f"{text} ({record.exc_info[0].__name__})"
        record.msg, record.args, record.exc_info, record.exc_text, record.stack_info = text, (), None, None, None
        return True


def silence_sdk() -> None:
    """Raise the levels, take the SDK's own stdout handler away, and put the filter on; twice is once."""
    sdk = logging.getLogger(SDK_LOGGER)
    for handler in tuple(sdk.handlers):
        # The SDK adds it at import and also propagates, so that every line came twice.
        sdk.removeHandler(handler)
    for name in _QUIET_LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.WARNING)
        if not any(isinstance(known, RedactingFilter) for known in logger.filters):
            logger.addFilter(RedactingFilter())
