"""What a hook is told of an event: that it happened, where and by whom, and never a word of it.

Facts and words stay in the ledger. Whoever wants to know what an event means asks for the projection with a credential
of their own, which shows what that credential may see. What is told leaves through the same outlet as every document,
as to a reader with no part in any private goal.
"""

import msgspec

from daemon.hooks.course import delivery_id
from ledger.events import Recorded
from ledger.projections.outlet import rights_of
from ledger.projections.privacy import screened
from ledger.state import Workspace
from ledger.text.times import rfc3339

SCHEMA_VERSION = "frontstage_hook_delivery_v0"
SUBJECTS = ("todo_id", "gate_id", "artifact_id", "request_id", "plan_id", "amendment_id", "member_id")
"""Ids in an event's facts that say what it is about; they are names, and no words."""


def told(workspace: Workspace, hook: str, event: Recorded, attempt: int) -> dict[str, object]:
    """The document of one delivery."""
    ids = {name: getattr(event.facts, name, None) for name in SUBJECTS}
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "hook": hook,
        "delivery_id": delivery_id(hook, event.hash),
        "attempt": attempt,
        "seq": event.seq,
        "hash": event.hash.hex(),
        "kind": event.kind,
        "goal_id": event.goal_id,
        "actor": event.actor,
        "at": rfc3339(event.at_ms),
        "subject": {name: value for name, value in ids.items() if isinstance(value, str)},
    }
    return screened(document, rights_of(workspace, None), event.goal_id)


def body(document: dict[str, object]) -> bytes:
    """Its bytes, on one line."""
    return msgspec.json.encode(document)
