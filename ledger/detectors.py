"""What text gives away: a credential, a private address, a path of somebody's machine, a way to reach a person.

Text is looked at as it reads, then as it reads where it was percent-encoded, and a credential also where lines cut it.
"""

import re
from functools import lru_cache
from itertools import combinations
from typing import Final

from ledger.as_read import as_read
from ledger.credential_shapes import ASSIGNED, CREDENTIALS, NAMES
from ledger.place_shapes import CONTACTS, PLACES
from ledger.shapes import Reason, Shape

SHORT_CHARS_MAX: Final = 256
SHORT_REMEMBERED_MAX: Final = 32_768
LONG_REMEMBERED_MAX: Final = 1_024
ENCODED_TIMES_MAX: Final = 3
"""How often a text is decoded: an address in an address in an address."""
_SIGNS: Final = "_-=:/\\.@"
_ENCODED: Final = re.compile(r"%([2-7][0-9a-fA-F])")
_CUT: Final = re.compile(r"[\r\n]{1,4}[ \t]{0,16}")
_WHOLE: Final = tuple(shape for shape in CREDENTIALS if shape.whole)
_BySigns = dict[str, tuple[Shape, ...]]


def _by_signs(detectors: tuple[Shape, ...]) -> _BySigns:
    """The detectors that a text could interest, by the signs that stand in it."""
    every = ["".join(some) for size in range(len(_SIGNS) + 1) for some in combinations(_SIGNS, size)]
    return {
        signs: tuple(one for one in detectors if not one.signs or not one.signs.isdisjoint(signs)) for signs in every
    }


_SECRET: Final = _by_signs(CREDENTIALS)
_SHOWN: Final = _by_signs((*CREDENTIALS, *PLACES))
_CONFIDENTIAL: Final = _by_signs((*CREDENTIALS, *PLACES, *CONTACTS))


def credential_in(text: str) -> bool:
    """Whether a credential stands in the text."""
    return _found(text, _SECRET) is not None


def reason_of(text: str, *, confidential: bool = False) -> Reason | None:
    """Why this text is withheld, or None; a confidential one is also withheld for ways to reach a person."""
    if len(text) <= SHORT_CHARS_MAX:
        return _short(text, confidential)
    return _long(text, confidential)


def forget() -> None:
    """Remember no text that was looked at: some of them may have been erased."""
    _short.cache_clear()
    _long.cache_clear()


@lru_cache(maxsize=SHORT_REMEMBERED_MAX)
def _short(text: str, confidential: bool) -> Reason | None:  # noqa: FBT001  (remembered by place)
    return _found(text, _CONFIDENTIAL if confidential else _SHOWN)


@lru_cache(maxsize=LONG_REMEMBERED_MAX)
def _long(text: str, confidential: bool) -> Reason | None:  # noqa: FBT001  (remembered by place)
    return _found(text, _CONFIDENTIAL if confidential else _SHOWN)


def _found(text: str, detectors: _BySigns) -> Reason | None:
    shown = as_read(text)
    found = _standing_in(shown, detectors)
    for _ in range(ENCODED_TIMES_MAX):
        if found is not None or "%" not in shown or not _ENCODED.search(shown):
            break
        shown = as_read(_ENCODED.sub(_decoded, shown))
        found = _standing_in(shown, detectors)
    return "credential" if found is None and "\n" in shown and _is_cut_credential(shown) else found


def _decoded(code: re.Match[str]) -> str:
    return chr(int(code[1], 16))


def _standing_in(shown: str, detectors: _BySigns) -> Reason | None:
    small = shown.lower()
    signs = "".join([sign for sign in _SIGNS if sign in small])
    for shape in detectors[signs]:
        for word in shape.words:
            if word in small:
                if shape.pattern.search(shown if shape.cased else small):
                    return shape.reason
                break
    return None


def _is_cut_credential(shown: str) -> bool:
    """Whether a credential, or the name of one that is set, stands there once the lines are put together."""
    joined = _CUT.sub("", shown)
    small, apart = joined.lower(), shown.lower()
    for shape in _WHOLE:
        if any(word in small for word in shape.words) and shape.pattern.search(joined if shape.cased else small):
            return True
    return any(small.count(name) > apart.count(name) for name in NAMES) and ASSIGNED.search(small) is not None
