"""Which reducer this is: a digest of the source that folds events into state.

A snapshot made by any other source is not used, so that a changed rule can never meet a state of the old one.
"""

import hashlib
from pathlib import Path

import ledger

_OTHER = (
    "canonical.py",
    "chain.py",
    "codec.py",
    "events.py",
    "goal_map.py",
    "ids.py",
    "outlines.py",
    "records.py",
    "reduce.py",
    "replay.py",
    "scope_case.py",
    "scope_index.py",
    "scopes.py",
    "snapshot.py",
    "state.py",
    "wire.py",
)


def reducer_digest() -> str:
    """SHA-256 of every file that has a part in folding."""
    root = Path(ledger.__file__).parent
    folders = (root.glob(f"{name}/*.py") for name in ("folds", "parts", "rules"))
    files = sorted([*(file for folder in folders for file in folder), *(root / name for name in _OTHER)])
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
