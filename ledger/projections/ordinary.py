"""Names and texts in which nothing was found, remembered so that a document of what was seen before costs little.

What is remembered follows from the text alone and is bounded: when it is full it begins anew. A long text is left to
the detectors' own memory, so that this one stays small.
"""

from typing import Final

from ledger.detectors import SHORT_CHARS_MAX, forget, reason_of
from ledger.key_families import key_reason

NAMES_MAX: Final = 4_096
TEXTS_MAX: Final = 32_768
MARK: Final = "[withheld]"
"""What stands where something was withheld. A text with it in it was made from one that is not ordinary."""

ordinary_names: Final[set[str]] = set()
ordinary_texts: Final[set[str]] = set()


def forget_texts() -> None:
    """Remember no text: some of them may have been erased, and what is erased is nowhere."""
    ordinary_texts.clear()
    forget()


def is_ordinary_name(name: str) -> bool:
    """Whether a name of a field means nothing that is withheld."""
    if name in ordinary_names:
        return True
    if key_reason(name) is not None:
        return False
    if len(ordinary_names) >= NAMES_MAX:
        ordinary_names.clear()
    ordinary_names.add(name)
    return True


def is_ordinary(text: str) -> bool:
    """Whether nothing in the text is withheld from any reader of a goal that is not private."""
    if text in ordinary_texts:
        return True
    if reason_of(text) is not None or MARK in text:
        return False
    if len(text) <= SHORT_CHARS_MAX:
        if len(ordinary_texts) >= TEXTS_MAX:
            ordinary_texts.clear()
        ordinary_texts.add(text)
    return True
