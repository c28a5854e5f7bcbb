"""Whether a document has the shape that a JSON Schema describes: the few words of the schemas kept beside this file.

A runtime that is not installed cannot say whether it would read a configuration. Its documentation can: what it says is
written down as a schema, and every configuration is held against it before it is written. A word of a schema that is
not known here is a mistake of ours and raises, so that nothing passes unlooked-at.
"""

import json
from importlib.resources import files
from typing import cast

Schema = dict[str, object]
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
}
_KNOWN = frozenset(
    {
        "$schema", "title", "description", "type", "required", "properties", "additionalProperties", "items", "enum",
        "minLength", "minItems", "minimum",
    }
)  # fmt: skip


def schema_named(name: str) -> Schema:
    """One of the schemas of this package."""
    text = files("daemon.agents").joinpath("schemas", f"{name}.schema.json").read_text(encoding="utf-8")
    return cast("Schema", json.loads(text))


def problems(document: object, schema: Schema, path: str = "") -> list[str]:
    """Each place where the document is not as described, in words; none when it is."""
    assert schema.keys() <= _KNOWN, f"a schema says {sorted(schema.keys() - _KNOWN)}, which nobody looks at"
    where = path or "the document"
    if "enum" in schema and document not in cast("list[object]", schema["enum"]):
        return [f"{where} is not one of {schema['enum']}"]
    expected = schema.get("type")
    if isinstance(expected, str) and (isinstance(document, bool) or not isinstance(document, _TYPES[expected])):
        return [f"{where} is not of the type {expected}"]
    if isinstance(document, dict):
        return _of_object(document, schema, path)
    if isinstance(document, list):
        items = cast("Schema", schema.get("items", {}))
        short = [f"{where} has too few items"] if len(document) < cast("int", schema.get("minItems", 0)) else []
        return short + [one for at, item in enumerate(document) for one in problems(item, items, f"{path}[{at}]")]
    if isinstance(document, str) and len(document) < cast("int", schema.get("minLength", 0)):
        return [f"{where} is too short"]
    if isinstance(document, int | float) and "minimum" in schema and document < cast("float", schema["minimum"]):
        return [f"{where} is too small"]
    return []


def _of_object(document: dict[str, object], schema: Schema, path: str) -> list[str]:
    described = cast("dict[str, Schema]", schema.get("properties", {}))
    other = schema.get("additionalProperties", True)
    found = [f"{path or 'the document'} lacks {name}" for name in cast("list[str]", schema.get("required", []))
             if name not in document]  # fmt: skip
    for name, value in document.items():
        inner = f"{path}.{name}" if path else name
        if name in described:
            found += problems(value, described[name], inner)
        elif other is False:
            found.append(f"{inner} is not known")
        elif isinstance(other, dict):
            found += problems(value, other, inner)
    return found
