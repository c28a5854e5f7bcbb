"""Parameters: parsed once, at the edge, into values that cannot be malformed.

Field types carry their own limits; a value that breaks one is refused by name before any rule runs. The text
types bound length only: text is data, and every surface that shows it shows it literally.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from ledger import ids
from ledger.canonical import INTEGER_MAX

TITLE_CHARS_MAX = 120
LINE_CHARS_MAX = 500
TEXT_CHARS_MAX = 10_000
REASON_CHARS_MAX = 2_000
LIST_MAX = 64
TTL_SECONDS_MAX = 86_400
SENT_MEMBER_ID_PATTERN = "^[A-Za-z][A-Za-z0-9_.:@ -]{0,79}$"


class Params(BaseModel):
    """Base of every action's parameters: exact types, no unknown field, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class NamedTwice(ValueError):
    """An object that names a field twice: readers differ in which of the two they take."""

    def __init__(self, field: str) -> None:
        super().__init__(f"the field {field[:64]} is given more than once")
        self.field = field[:64]


def require_named_once(text: bytes | str) -> None:
    """No object in a JSON text that was already read names a field twice. Raises NamedTwice."""
    json.loads(text, object_pairs_hook=_once, parse_int=str)


def _once(pairs: Sequence[tuple[str, object]]) -> None:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise NamedTwice(name.encode(errors="replace").decode())
        names.add(name)


def _not_blank(text: str) -> str:
    if not any(char.isprintable() and not char.isspace() for char in text):
        raise ValueError("must not be blank")
    return text


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("must be valid Unicode text") from error
    return text


def lower_name(text: str) -> str:
    """Names of members are lower case with dashes for spaces."""
    return text.strip().lower().replace(" ", "-")


_Text = Annotated[str, AfterValidator(_encodable)]
Title = Annotated[_Text, Field(min_length=1, max_length=TITLE_CHARS_MAX), AfterValidator(_not_blank)]
Line = Annotated[_Text, Field(min_length=1, max_length=LINE_CHARS_MAX), AfterValidator(_not_blank)]
Text = Annotated[_Text, Field(min_length=1, max_length=TEXT_CHARS_MAX), AfterValidator(_not_blank)]
OptionalText = Annotated[_Text, Field(max_length=TEXT_CHARS_MAX)]
Reason = Annotated[_Text, Field(min_length=1, max_length=REASON_CHARS_MAX), AfterValidator(_not_blank)]
OptionalReason = Annotated[_Text, Field(max_length=REASON_CHARS_MAX)]
Lines = Annotated[tuple[Line, ...], Field(max_length=LIST_MAX)]

GoalIdText = Annotated[str, Field(pattern=ids.GOAL_ID_PATTERN)]
TodoIdText = Annotated[str, Field(pattern=ids.TODO_ID_PATTERN)]
ArtifactIdText = Annotated[str, Field(pattern=ids.ARTIFACT_ID_PATTERN)]
MemberIdText = Annotated[
    str,
    AfterValidator(lower_name),
    Field(pattern=ids.MEMBER_ID_PATTERN),
    # What may be sent, before code has made it lower case: the pattern above is of what comes out.
    WithJsonSchema({"type": "string", "pattern": SENT_MEMBER_ID_PATTERN}),
]
KeyText = Annotated[str, Field(pattern=ids.KEY_PATTERN)]
CapabilityText = Annotated[str, Field(pattern=ids.CAPABILITY_PATTERN)]
Capabilities = Annotated[tuple[CapabilityText, ...], Field(max_length=LIST_MAX)]
ScopeText = Annotated[_Text, Field(min_length=1, max_length=400)]
Scopes = Annotated[tuple[ScopeText, ...], Field(max_length=LIST_MAX)]
Sha256Text = Annotated[str, Field(pattern=ids.SHA256_PATTERN)]
BasisText = Annotated[str, Field(pattern=ids.BASIS_PATTERN)]
Version = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
TtlSeconds = Annotated[int, Field(ge=1, le=TTL_SECONDS_MAX)]
Priority = Literal["P0", "P1", "P2", "P3", "P4"]
HandoffMode = Literal["optional_lease", "soft_claim", "hard_lease"]
Review = Literal["independent", "owner"]
PlanApproval = Literal["owner", "steward"]
Full = Annotated[bool, Field(description="Everything as it was written, for those who have a part in the goal.")]
"""What a read of one goal is asked with, where people's words in it may be withheld."""
