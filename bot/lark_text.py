"""Makes a text message show its words and nothing else.

The platform reads `<at user_id="…">` inside a plain text message as a mention, of everybody if it says `all`; it also
knows a few tags of style, and links as in Markdown, whose shown words may be another address. Words that come from the
ledger or from people must not be able to do that, so all of it is broken by a character that is not seen.
"""

import re
from typing import Final

_WORD_JOINER: Final = "\u2060"
_TAG: Final = re.compile(r"<(?=\s*/?\s*(?:(?:at|person)\b|[bius]\s*>))", re.IGNORECASE)
_LINK: Final = re.compile(r"\](?=\()")
# The platform also understands the bare key in a text.
_KEY: Final = re.compile(r"@(?=_(?:all|user_\d))")


def literal_text(text: str) -> str:
    """Return the text with every mention and all markup in it broken; it looks the same."""
    untagged = _LINK.sub("]" + _WORD_JOINER, _TAG.sub("<" + _WORD_JOINER, text))
    return _KEY.sub("@" + _WORD_JOINER, untagged)
