"""JSON as the simulator reads it: objects of unknown content, opened only through checked getters.

Everything that comes in from a bot, a browser or a test is somebody else's bytes. These few functions turn them
into typed values or say plainly what is wrong, so that no other module has to guess.
"""

from collections.abc import Mapping
from typing import TypeAlias

import orjson

JsonObject: TypeAlias = dict[str, object]


def dump(value: object) -> bytes:
    """Serialise compactly, in UTF-8, in the order given."""
    return orjson.dumps(value)


def dump_text(value: object) -> str:
    """Serialise to a string, for JSON that travels inside JSON."""
    return orjson.dumps(value).decode()


def parse_object(raw: bytes | str) -> JsonObject:
    """Read one JSON object; anything else is a ValueError that says what it was."""
    value: object = orjson.loads(raw)
    if not isinstance(value, dict):
        raise ValueError(f"a JSON object is wanted, not {type(value).__name__}")  # noqa: TRY004 - bad bytes are a ValueError here, whatever their type
    return value


def object_at(source: Mapping[str, object], key: str) -> JsonObject:
    """The object under a key, or an empty one where there is none."""
    value = source.get(key)
    return value if isinstance(value, dict) else {}


def list_at(source: Mapping[str, object], key: str) -> list[object]:
    """The list under a key, or an empty one."""
    value = source.get(key)
    return value if isinstance(value, list) else []


def objects_at(source: Mapping[str, object], key: str) -> list[JsonObject]:
    """The objects in the list under a key; other items are left out."""
    return [item for item in list_at(source, key) if isinstance(item, dict)]


def text_at(source: Mapping[str, object], key: str, default: str = "") -> str:
    """The string under a key, or the default where it is absent or of another type."""
    value = source.get(key)
    return value if isinstance(value, str) else default


def number_at(source: Mapping[str, object], key: str, default: int = 0) -> int:
    """The integer under a key; booleans and floats do not count as integers."""
    value = source.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def flag_at(source: Mapping[str, object], key: str, *, default: bool = False) -> bool:
    """The boolean under a key, or the default."""
    value = source.get(key)
    return value if isinstance(value, bool) else default
