"""What a projection withholds: text that carries a credential, a private address or a path of somebody's machine.

The channel is shown to everyone in it and read by programs. A value in which one of these is found is withheld
whole, and a warning names the field and the reason, never the value. Ordinary text yields no warning. Those who
must decide on a text read all of it: the review and the acceptance show it as it was written.
"""

import functools
import re
from typing import Final

WITHHELD: Final = "[withheld]"
WARNING_KIND: Final = "raw_or_private_material_omitted"

_DETECTORS: Final[dict[str, str]] = {
    "credential": (
        r"\bbearer\s+[a-z0-9._~+/=-]{16,}"
        r"|\bgh[pousr]_[a-z0-9]{16,}|\bgithub_pat_[a-z0-9_]{16,}"
        r"|\bsk-[a-z0-9_-]{16,}|\bakia[0-9a-z]{16}\b"
        r"|\beyj[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}\.[a-z0-9_-]*"
        r"|-----begin [a-z ]*key-----"
        r"|\b(?:password|passwd|api[_-]?key|client[_-]?secret|app[_-]?secret|secret|access[_-]?token|token)\s*=\s*\S"
    ),
    "private_url": (
        r"\bhttps?://[^\s/]*\.(?:feishu\.cn|larksuite\.com|larkoffice\.com)/\S"
        r"|\bhttps?://(?:[^\s/@]*@)?(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
        r"|\bhttps?://[^\s/:]*\.(?:internal|intranet|corp|local|lan)\b"
    ),
    "absolute_path": (
        r"(?<![\w./~:-])/(?:home|root|users|tmp|var|etc|opt|srv|mnt|media|private|volumes|usr)/\S"
        r"|\bfile://"
        r"|(?<!\w)[a-z]:\\\S|(?<!\S)\\\\[\w.-]+\\\S"
    ),
}
_PRIVATE = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _DETECTORS.items()), re.IGNORECASE)


@functools.lru_cache(maxsize=4096)
def private_reason(text: str) -> str | None:
    """Why this text is withheld, or None where there is nothing to withhold."""
    found = _PRIVATE.search(text)
    return None if found is None else found.lastgroup


class Screen:
    """Screens the texts of one projection and keeps what it withheld, without the values."""

    __slots__ = ("warnings",)

    def __init__(self) -> None:
        self.warnings: list[dict[str, object]] = []

    def show(self, text: str, chars_max: int, field_path: str) -> str:
        """The text within its limit, or a mark where it is withheld."""
        reason = private_reason(text)
        if reason is not None:
            self.warnings.append({"kind": WARNING_KIND, "field_path": field_path, "reason": reason})
            return WITHHELD
        return clip(text, chars_max)


def clip(text: str, chars_max: int) -> str:
    """Display copy within its limit; an ellipsis marks where it was cut."""
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"
