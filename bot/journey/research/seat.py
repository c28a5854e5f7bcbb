"""What every program in a seat does: read its packet, read inputs by their digest, write its result."""

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.journey.research.measurement import Document, written

RESULT_SCHEMA = "frontstage_worker_result_v0"
PACKET_SCHEMA = "frontstage_worker_packet_v0"
SUMMARY_CHARS_MAX = 2_000


class NoPacket(Exception):
    """Standard input holds nothing that this program was made for."""


class NotTheInput(Exception):
    """An input is not there, or is not what its digest says."""


def packet() -> Document:
    """The packet on standard input. Raises NoPacket."""
    try:
        document = json.load(sys.stdin)
    except ValueError as error:
        raise NoPacket("standard input is not JSON") from error
    if not isinstance(document, dict) or document.get("schema_version") != PACKET_SCHEMA:
        raise NoPacket(f"standard input is no {PACKET_SCHEMA}")
    return document


def mapping(holder: Mapping[str, object], name: str) -> Document:
    """An object in a document, empty where it has none."""
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def rows(holder: Mapping[str, object], name: str) -> list[Document]:
    """The objects of a list in a document."""
    value = holder.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def objective(given: Mapping[str, object]) -> str:
    """The goal's objective, in which the protocol stands."""
    return str(mapping(given, "goal").get("objective", ""))


def bytes_of(one: Mapping[str, object]) -> bytes:
    """An input's bytes, compared with its digest once more. Raises NotTheInput."""
    name, path = one.get("artifact_id"), one.get("path")
    if not isinstance(path, str):
        raise NotTheInput(f"the store has no copy of {name}")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise NotTheInput(f"{name} cannot be read: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != one.get("sha256"):
        raise NotTheInput(f"{name} is not what its digest says")
    return data


def hand_in(document: Document, label: str, criteria: Sequence[str]) -> Document:
    """Write a document where files to hand in are expected; the row of the result that names it."""
    (Path(os.environ["FRONTSTAGE_OUT"]) / label).write_bytes(written(document))
    return {"path": label, "label": label, "kind": "report", "criteria": list(criteria)}


def finish(outcome: str, summary: str, **more: object) -> int:
    """Write the result; 0, for a result was written, whatever it says."""
    result = {"schema_version": RESULT_SCHEMA, "outcome": outcome, "summary": summary[:SUMMARY_CHARS_MAX], **more}
    Path(os.environ["FRONTSTAGE_RESULT"]).write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    return 0
