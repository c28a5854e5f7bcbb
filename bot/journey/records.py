"""The ledger's own export, read for a report: who did what when, and what was refused."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Event:
    """One recorded event, without words."""

    seq: int
    at_ms: int
    kind: str
    goal_id: str
    actor: str
    surface: str
    proof: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Refused:
    """One attempt that changed nothing, and how often it was made again within a minute."""

    at_ms: int
    actor: str
    action: str
    goal_id: str
    code: str
    times: int


@dataclass(frozen=True, kw_only=True)
class Records:
    """All that the ledger knows of a journey."""

    events: tuple[Event, ...]
    refusals: tuple[Refused, ...]
    head: str

    def of(self, kind: str, goal_id: str | None = None) -> Iterator[Event]:
        """Events of one kind, of one goal where it is named."""
        return (one for one in self.events if one.kind == kind and goal_id in {None, one.goal_id})


def read_export(path: Path) -> Records:
    """An export as `ledger export` writes it. Raises ValueError where it has no end."""
    events: list[Event] = []
    refusals: list[Refused] = []
    head = ""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            match row["record"]:
                case "event":
                    events.append(_event(row["body"]))
                case "refusal":
                    refusals.append(_refused(row["at_ms"], row["body"]))
                case "end":
                    head = str(row["head"])
                case _:
                    continue
    if not head:
        raise ValueError("the export is not whole")
    return Records(events=tuple(events), refusals=tuple(refusals), head=head)


def _event(body: Mapping[str, Any]) -> Event:
    return Event(
        seq=body["seq"],
        at_ms=body["at_ms"],
        kind=body["kind"],
        goal_id=body.get("goal_id") or "",
        actor=body["actor"],
        surface=body["surface"],
        proof=body["proof"]["kind"],
        facts=body["facts"],
    )


def _refused(at_ms: int, body: Mapping[str, Any]) -> Refused:
    return Refused(
        at_ms=at_ms,
        actor=body["actor"],
        action=body["action"],
        goal_id=body.get("goal_id") or "",
        code=body["code"],
        times=1 + int(body.get("repeated") or 0),
    )
