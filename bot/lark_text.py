"""Makes a text message show its words and nothing else.

The platform reads `<at user_id="…">` inside a plain text message as a mention, of everybody if it says `all`. Words
that come from the ledger or from people must not be able to do that, so the tag is broken by a character that is
not seen.
"""

import re
from typing import Final

_WORD_JOINER: Final = "\u2060"
_TAG: Final = re.compile(r"<(?=\s*/?\s*at\b)", re.IGNORECASE)
# The platform also understands the bare key in a text.
_KEY: Final = re.compile(r"@(?=_(?:all|user_\d))")


def literal_text(text: str) -> str:
    """Return the text with every mention in it broken; it looks the same."""
    return _KEY.sub("@" + _WORD_JOINER, _TAG.sub("<" + _WORD_JOINER, text))
