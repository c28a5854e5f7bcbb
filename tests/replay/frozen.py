"""Frozen events: the bytes of every kind and version, kept as files, and the state that the whole history makes.

`python -m tests.replay.frozen` adds what is missing and changes no event that is there: a stored event is read for as
long as the project lives, so its bytes are never written anew. A changed shape is a new version with its own file, and
a changed rule begins another era: the histories of earlier eras are only read, the one of now is also played. The
states are derived: when the reducer learns to keep more, they alone are written again, and the difference is read.
"""

import json
import sys
from pathlib import Path

from ledger.codec import decode_event
from ledger.ports import EventRow
from ledger.receipts import receipt_key
from ledger.reduce import fold
from ledger.state import Workspace
from ledger.wire import all_kinds
from tests.replay.script import everything
from tests.support.dump import dump
from tests.support.world import World

FIXTURES = Path(__file__).parent / "fixtures"
ERA = 2
"""The era that the program of now plays; one more when a rule would refuse what an earlier history did."""
RECEIPTS = FIXTURES / "receipts.json"


def history_of(era: int) -> Path:
    """Where the history of an era is."""
    return FIXTURES / f"history-{era}.json"


def state_of(era: int) -> Path:
    """Where the state that the history of an era makes is."""
    return FIXTURES / f"state-{era}.json"


def path_of(kind: str, version: int) -> Path:
    """Where the frozen event of a kind is."""
    return FIXTURES / f"{kind}.v{version}.json"


def to_json(row: EventRow) -> dict[str, object]:
    """A stored event as people can read it; text stands for its UTF-8 bytes."""
    return {
        "seq": row.seq,
        "goal_id": row.goal_id,
        "kind": row.kind,
        "body": row.body.decode(),
        "words": None if row.words is None else row.words.decode(),
        "salt": None if row.salt is None else row.salt.hex(),
        "hash": row.hash.hex(),
    }


def from_json(kept: dict[str, object]) -> EventRow:
    """The stored event again."""
    words, salt = kept["words"], kept["salt"]
    return EventRow(
        seq=int(str(kept["seq"])),
        goal_id=None if kept["goal_id"] is None else str(kept["goal_id"]),
        kind=str(kept["kind"]),
        body=str(kept["body"]).encode(),
        words=None if words is None else str(words).encode(),
        salt=None if salt is None else bytes.fromhex(str(salt)),
        hash=bytes.fromhex(str(kept["hash"])),
    )


def read(path: Path) -> list[EventRow]:
    """The events of a fixture."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return [from_json(entry) for entry in (kept if isinstance(kept, list) else [kept])]


def receipts_of(world: World) -> list[dict[str, object]]:
    """The requests that got a receipt, with its key and digest: what a retry is held against as long as it is kept.

    What was asked is kept with it: it names bases, and a later program may well draw another basis.
    """
    kept = []
    for request in world.asked:
        key = receipt_key(request.caller.member_id, request.request_key or "")
        row = world.records.receipts.get(key)
        if row is not None:
            asked = json.loads(request.params.model_dump_json(exclude_unset=True))
            who = {"actor": request.caller.member_id, "request_key": request.request_key, "action": row.action}
            kept.append(who | {"params": asked, "key": key.hex(), "params_digest": row.params_digest.hex()})
    return kept


def folded(rows: list[EventRow]) -> Workspace:
    """The state that stored events make."""
    workspace = Workspace()
    for row in rows:
        fold(workspace, decode_event(row.body, row.words, row.hash))
    return workspace


def _differs(path: Path, text: str, *, derived: bool) -> bool:
    return not path.exists() or (derived and path.read_text(encoding="utf-8") != text)


def missing(world: World) -> dict[Path, str]:
    """What is not kept yet: one event of each kind, the history, and its state."""
    rows = list(world.store.events(0))
    wanted: list[tuple[Path, object, bool]] = []
    for kind in all_kinds():
        version = f'"version":{kind.version},'.encode()
        first = next((row for row in rows if row.kind == kind.name and version in row.body), None)
        if first is not None:
            wanted.append((path_of(kind.name, kind.version), to_json(first), False))
    wanted.append((history_of(ERA), [to_json(row) for row in rows], False))
    wanted.append((RECEIPTS, receipts_of(world), False))
    for era in range(1, ERA + 1):
        path = history_of(era)
        wanted.append((state_of(era), dump(folded(read(path) if path.exists() else rows)), True))
    texts = {
        path: (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n", derived)
        for path, value, derived in wanted
    }
    return {path: text for path, (text, derived) in texts.items() if _differs(path, text, derived=derived)}


def freeze(world: World) -> None:
    """Keep it."""
    for path, text in missing(world).items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"frozen: {path.name}\n")


if __name__ == "__main__":
    freeze(everything())
