"""No secret becomes part of the ledger: what was recorded cannot be unsaid, and whoever reads the log would have it.

Every text of a command is looked at once, where every surface passes and before anything about its subject is. The
refusal names the field, never the value; whoever wrote it takes the secret out and asks again.
"""

from collections.abc import Iterator

from ledger.detectors import credential_in
from ledger.params import Params

CREDENTIAL_CHARS_MIN = 4
"""No credential that a detector knows is shorter; ids and words of an enumeration mostly are."""


def credential_field(params: Params) -> str | None:
    """The first field in which a credential stands, as it was given, or None."""
    given = params.model_fields_set
    # The fields as they were declared, without the steps that a model takes to tell them: this is asked of every write.
    for name, value in params.__dict__.items():
        if type(value) is str:
            if len(value) >= CREDENTIAL_CHARS_MIN and name in given and credential_in(value):
                return name
        elif (
            isinstance(value, str | tuple | Params)
            and name in given
            and (place := next(_places(value, name), None)) is not None
        ):
            return place
    return None


def _places(value: object, path: str) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= CREDENTIAL_CHARS_MIN and credential_in(value):
            yield path
    elif isinstance(value, tuple):
        for at, one in enumerate(value):
            yield from _places(one, f"{path}[{at}]")
    elif isinstance(value, Params) and (field := credential_field(value)) is not None:
        yield f"{path}.{field}"
