"""Which names of fields mean material that is never shown, whatever its value looks like.

A name is taken apart where a word of it ends (`apiKey`, `api_key`, `API-KEY` are one name). A family is a run of words:
some mean it anywhere in a name (`agent_transcript_tail`), others only where the name ends with them (`github_token` is
one, `token_cap` and `token_id` are not). A word is compared whole: `backlog`, `catalog` and `tokenizer` are none.
"""

import re
from functools import lru_cache
from typing import Final, Literal

from ledger.as_read import as_read

KeyReason = Literal["credential", "raw_material"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CREDENTIAL_ANYWHERE: Final = (
    "password", "passwd", "passphrase", "apikey", "api key", "private key", "secret key", "access key",
)  # fmt: skip
_CREDENTIAL_AT_THE_END: Final = (
    "secret", "secrets", "token", "credential", "credentials", "authorization", "cookie", "cookies", "bearer",
    "api keys", "apikeys", "pwd",
)  # fmt: skip
_RAW_ANYWHERE: Final = (
    "transcript", "transcripts", "trajectory", "trajectories", "stdout", "stderr", "raw log", "raw logs", "raw output",
    "raw text", "raw task", "raw prompt", "raw message", "raw messages", "production log", "production logs",
    "chat history", "chat log", "chat logs",
)  # fmt: skip
_DIGEST_OF = frozenset({"digest", "hash", "id", "ids", "count", "total", "bytes", "chars", "max", "ref"})
"""A name that ends with one of these means something about the material, not the material."""


@lru_cache(maxsize=8_192)
def key_reason(name: str) -> KeyReason | None:
    """Why the value under this name is withheld, or None."""
    words = [word.lower() for word in _WORD.findall(as_read(name))]
    if not words or words[-1] in _DIGEST_OF or words[-2:] == ["sha", "256"]:
        return None
    spaced = f" {' '.join(words)} "
    if any(f" {family} " in spaced for family in _RAW_ANYWHERE):
        return "raw_material"
    if any(f" {family} " in spaced for family in _CREDENTIAL_ANYWHERE):
        return "credential"
    return "credential" if spaced.endswith(tuple(f" {family} " for family in _CREDENTIAL_AT_THE_END)) else None
