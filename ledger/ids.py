"""Identifiers: what each one may look like, in one place.

Identity never comes from a timestamp. An id that nobody chose is made from the ledger's own sequence.
"""

import re
from typing import NewType

GoalId = NewType("GoalId", str)
TodoId = NewType("TodoId", str)
MemberId = NewType("MemberId", str)
ArtifactId = NewType("ArtifactId", str)
TokenId = NewType("TokenId", str)
ReceiptId = NewType("ReceiptId", str)

GOAL_ID_PATTERN = r"^[a-z0-9][a-z0-9_.-]{0,63}$"
TODO_ID_PATTERN = r"^todo_[a-z0-9_-]{3,64}$"
MEMBER_ID_PATTERN = r"^[a-z][a-z0-9_.:@-]{0,79}$"
ARTIFACT_ID_PATTERN = r"^art_[a-z0-9_-]{1,64}$"
KEY_PATTERN = r"^[A-Za-z0-9_.:@/-]{1,160}$"
CAPABILITY_PATTERN = r"^[a-z][a-z0-9_:-]{0,63}$"
SHA256_PATTERN = r"^[0-9a-f]{64}$"
BASIS_PATTERN = r"^b1:[0-9a-f]{32}$"

OPERATOR = MemberId("operator")
DAEMON = MemberId("daemon")
BOT = MemberId("bot")
RESERVED_MEMBER_IDS = frozenset({OPERATOR, DAEMON, BOT})
PRONOUNS = frozenset({"all", "anybody", "anyone", "everybody", "everyone", "me", "nobody", "system"})
"""Words that stand for others than one member: as somebody's id they would be misread wherever it is shown."""

_KEY = re.compile(KEY_PATTERN)


def is_request_key(text: str) -> bool:
    """Whether `text` can name a request."""
    return _KEY.fullmatch(text) is not None
