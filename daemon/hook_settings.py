"""`[[hooks]]`: programs and addresses that are told of what was committed.

Whoever may write the settings of a home is its owner, so a hook runs what it says. What can be wrong with one is found
when the daemon starts, and not when the first delivery fails at night: names, kinds of events, numbers, addresses.
Secrets are named by their files and are read by whoever delivers, so that the daemon never has them.
"""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ledger.ids import GOAL_ID_PATTERN
from ledger.wire import all_kinds

HOOKS_MAX = 32
WORDS_MAX, WORD_CHARS_MAX = 64, 4_096
FILTERS_MAX = 64
HEADERS_MAX = 16
URL_CHARS_MAX = 2_048
ATTEMPTS_DEFAULT, ATTEMPTS_MAX = 20, 1_000
SECONDS_DEFAULT, SECONDS_MAX = 30.0, 600.0
RETRY_SECONDS_DEFAULT, RETRY_SECONDS_MIN, RETRY_SECONDS_MAX = 1.0, 0.05, 300.0
_HEADER_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9-]{0,63}$")
_OURS = ("authorization", "connection", "content-length", "content-type", "host", "transfer-encoding", "user-agent")
_OURS_BEGIN = "frontstage-"

Word = Annotated[str, Field(min_length=1, max_length=WORD_CHARS_MAX)]
FileName = Annotated[str, Field(min_length=1, max_length=1_024)]


class HookSection(BaseModel):
    """One hook. It has a command or an address, and never both."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
    command: Annotated[tuple[Word, ...], Field(min_length=1, max_length=WORDS_MAX)] | None = None
    url: Annotated[str, Field(max_length=URL_CHARS_MAX)] | None = None
    kinds: Annotated[tuple[str, ...], Field(max_length=FILTERS_MAX)] = ()
    goals: Annotated[tuple[str, ...], Field(max_length=FILTERS_MAX)] = ()
    begin: Annotated[Literal["now", "start"] | Annotated[int, Field(ge=0)], Field(alias="from")] = "now"
    timeout_seconds: Annotated[float, Field(gt=0, le=SECONDS_MAX)] = SECONDS_DEFAULT
    attempts: Annotated[int, Field(ge=1, le=ATTEMPTS_MAX)] = ATTEMPTS_DEFAULT
    retry_seconds: Annotated[float, Field(ge=RETRY_SECONDS_MIN, le=RETRY_SECONDS_MAX)] = RETRY_SECONDS_DEFAULT
    env: Annotated[tuple[str, ...], Field(max_length=FILTERS_MAX)] = ()
    secret_file: FileName | None = None
    authorization_file: FileName | None = None
    ca_file: FileName | None = None
    headers: Annotated[dict[str, str], Field(max_length=HEADERS_MAX)] = {}

    @field_validator("kinds")
    @classmethod
    def _kinds_exist(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        """A kind that is none would be waited for in vain."""
        for kind in given:
            if not any(_means(kind, one.name) for one in all_kinds()):
                raise ValueError(f"there is no kind of event {kind!r}; `frontstage hook list --kinds` names them")
        return given

    @field_validator("goals")
    @classmethod
    def _goals_are_ids(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for goal_id in given:
            if not re.fullmatch(GOAL_ID_PATTERN, goal_id):
                raise ValueError(f"{goal_id[:64]!r} is no id of a goal")
        return given

    @field_validator("env")
    @classmethod
    def _names_of_variables(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for name in given:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", name) or name.startswith("FRONTSTAGE_"):
                raise ValueError(f"{name[:64]!r} is no variable that may be passed on")
        return given

    @field_validator("url")
    @classmethod
    def _https_alone(cls, given: str | None) -> str | None:
        """What is wrong is said without the address, which may be a secret."""
        if given is None:
            return None
        if not given.isascii() or not given.isprintable() or " " in given:
            raise ValueError("is written in printable ASCII, without spaces")
        parts = urlsplit(given)
        if parts.scheme != "https" or not parts.hostname:
            raise ValueError("must begin with https:// and name a host")
        if parts.username is not None or parts.password is not None:
            raise ValueError("must have no user and no password; authorization_file names a file for them")
        if parts.fragment:
            raise ValueError("must have no fragment")
        _ = parts.port  # It raises ValueError where it is no number.
        return given

    @field_validator("headers")
    @classmethod
    def _plain_headers(cls, given: dict[str, str]) -> dict[str, str]:
        for name, value in given.items():
            if not _HEADER_NAME.match(name) or name.lower() in _OURS or name.lower().startswith(_OURS_BEGIN):
                raise ValueError(f"{name[:64]!r} is no header that may be set here")
            if len(value) > 1_024 or not value.isascii() or not value.isprintable():
                raise ValueError(f"the value of {name!r} is not one line of printable ASCII")
        return given

    @model_validator(mode="after")
    def _one_way(self) -> "HookSection":
        if (self.command is None) == (self.url is None):
            raise ValueError("a hook has either a command or a url")
        if self.url is not None and self.secret_file is None:
            raise ValueError("a hook with a url needs a secret_file: each delivery is signed with it")
        if self.url is not None and self.env:
            raise ValueError("env is for a command")
        if self.command is not None and (self.secret_file or self.authorization_file or self.ca_file or self.headers):
            raise ValueError("secret_file, authorization_file, ca_file and headers are for a url")
        return self

    def asks_for(self, kind: str, goal_id: str | None) -> bool:
        """Whether an event of this kind and goal is delivered. One of no goal is delivered where no goal is named."""
        if self.goals and goal_id not in self.goals:
            return False
        return not self.kinds or any(_means(one, kind) for one in self.kinds)

    @property
    def target(self) -> str:
        """Where it goes, as it may be shown: the program's name or the host, for the rest may be a secret."""
        if self.command is not None:
            return self.command[0].rsplit("/", 1)[-1]
        return f"https://{urlsplit(self.url or '').hostname}"


def _means(asked: str, kind: str) -> bool:
    return kind.startswith(asked[:-1]) if asked.endswith("*") else kind == asked
