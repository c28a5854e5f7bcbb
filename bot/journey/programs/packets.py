"""How a program in a seat is spoken to: the packet it reads, and the one result it writes."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RESULT = "frontstage_worker_result_v0"
Packet = dict[str, Any]


def read_packet() -> Packet:
    """The packet on standard input."""
    packet = json.load(sys.stdin)
    if not isinstance(packet, dict):
        raise TypeError("the packet is not an object")
    return packet


def hand_in(outcome: str, summary: str, **more: object) -> int:
    """Write the result where it is expected; the exit code that says so."""
    document = {"schema_version": RESULT, "outcome": outcome, "summary": summary[:2_000], **more}
    Path(os.environ["FRONTSTAGE_RESULT"]).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return 0


def out_folder() -> Path:
    """Where files to hand in are put."""
    return Path(os.environ["FRONTSTAGE_OUT"])


def criteria_of(packet: Packet, number: int) -> list[str]:
    """The id of one of the goal's criteria, counted from 1; none where there are fewer."""
    criteria: Sequence[Mapping[str, str]] = packet["goal"]["criteria"]
    return [criteria[number - 1]["criterion_id"]] if 0 < number <= len(criteria) else []


def input_of(packet: Packet, kind: str) -> Packet | None:
    """The newest input of a kind that work may build on and whose bytes are here."""
    usable = [one for one in packet["inputs"] if one["kind"] == kind and one["counts"] and one["path"]]
    return usable[-1] if usable else None
