"""A text as it reads, not as it is spelled.

Wide letters are ordinary ones here, letters of other scripts that look like ours are ours, and what nobody sees
(joiners, marks of direction, variation selectors, accents, control characters) is not there at all. Nothing is shown
or stored in this form: it is what a text is looked at in.
"""

import re
import unicodedata
from typing import Final

_UNSEEN: Final = (
    (0x0000, 0x0008), (0x000E, 0x001B), (0x007F, 0x0084), (0x0086, 0x009F), (0x00AD, 0x00AD), (0x0300, 0x036F),
    (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x20D0, 0x20FF), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F), (0xE0100, 0xE01EF),
)  # fmt: skip
_WIDE: Final = (
    (0x00A0, 0x00AA), (0x00B2, 0x00BA), (0x0132, 0x0133), (0x017F, 0x017F), (0x01C7, 0x01CC), (0x01F1, 0x01F3),
    (0x02B0, 0x02B8), (0x02E1, 0x02E3), (0x1D2C, 0x1D65), (0x1D9C, 0x1DBB), (0x2000, 0x200A), (0x2024, 0x2024),
    (0x202F, 0x202F), (0x203C, 0x2049), (0x205F, 0x205F), (0x2070, 0x209F), (0x20A8, 0x20A8), (0x2100, 0x214F),
    (0x2160, 0x217F), (0x2460, 0x24FF), (0x2A74, 0x2A76), (0x2C7C, 0x2C7D), (0x3000, 0x3000), (0x3250, 0x325F),
    (0x32B1, 0x32CF), (0x3371, 0x33FF), (0xA7F2, 0xA7F4), (0xFB00, 0xFB06), (0xFE10, 0xFE18), (0xFE33, 0xFE6F),
    (0xFF01, 0xFF5E), (0x1D400, 0x1D7FF), (0x1F100, 0x1F190), (0x1FBF0, 0x1FBF9),
)  # fmt: skip
"""Where the letters are that are ordinary ones in another dress."""
_ACCENTED: Final = ((0x00C0, 0x017F), (0x01CD, 0x01F0), (0x01F4, 0x024F), (0x1E00, 0x1EFF))
_ALIKE: Final = {
    "/": "\u2044\u2215\u29f8",
    "\\": "\u2216\u29f5\u29f9",
    ":": "\u02d0\u2236\ua789",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    ".": "\u3002\uff61",
    "\n": "\x0b\x0c\x85\u2028\u2029",
    # Cyrillic, Greek, Armenian and phonetic letters that nobody can tell from ours.
    "a": "\u0430\u03b1\u0251\u1d00", "b": "\u0432\u044c", "c": "\u0441\u03f2\u1d04", "d": "\u0501\u1d05",
    "e": "\u0435\u03b5\u1d07", "g": "\u0261", "h": "\u043d\u04bb\u0570", "i": "\u0456\u03b9\u0131\u026a",
    "j": "\u0458", "k": "\u043a\u03ba\u1d0b", "m": "\u043c\u1d0d", "n": "\u0578\u0274", "o": "\u043e\u03bf\u0585\u1d0f",
    "p": "\u0440\u03c1\u1d18", "q": "\u051b", "r": "\u0433\u0280", "s": "\u0455\ua731", "t": "\u0442\u03c4\u1d1b",
    "u": "\u03c5\u057d\u1d1c", "v": "\u03bd\u0475", "w": "\u051d\u1d21\u03c9", "x": "\u0445\u03c7",
    "y": "\u0443\u03b3\u028f",
    "A": "\u0410\u0391", "B": "\u0412\u0392", "C": "\u0421\u03f9", "E": "\u0415\u0395", "H": "\u041d\u0397",
    "I": "\u0406\u0399\u04c0", "J": "\u0408", "K": "\u041a\u039a", "M": "\u041c\u039c", "N": "\u039d",
    "O": "\u041e\u039f", "P": "\u0420\u03a1", "S": "\u0405", "T": "\u0422\u03a4", "X": "\u0425\u03a7",
    "Y": "\u04ae\u03a5", "Z": "\u0396",
}  # fmt: skip


def _folding() -> dict[int, str | None]:
    """What each odd character is read as: an ordinary one, or nothing where nobody sees it."""
    folding: dict[int, str | None] = {}
    for first, last in _WIDE:
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKC", chr(code))
            if plain.isascii():
                folding[code] = plain
    for first, last in _ACCENTED:
        for code in range(first, last + 1):
            bare = unicodedata.normalize("NFKD", chr(code))[0]
            if bare.isascii():
                folding[code] = bare
    for first, last in _UNSEEN:
        folding |= dict.fromkeys(range(first, last + 1))
    return folding | {ord(odd): plain for plain, odds in _ALIKE.items() for odd in odds}


_FOLDING: Final = _folding()
_CONTROL: Final = re.compile(r"[^\t\n\r -~]")


def as_read(text: str) -> str:
    """The text as it reads to whoever looks for something in it."""
    if text.isascii() and (text.isprintable() or _CONTROL.search(text) is None):
        return text
    return text.translate(_FOLDING)
