"""Which values in a document are the ledger's own, and which are what people wrote.

For a reader without a part in a private goal every text is taken for people's words unless its name says otherwise:
a projection made tomorrow withholds too much before it shows too much. Ids, states, moments and digests are the
ledger's own. The promise itself (title, objective, criteria and the other fields of a review) stays: it is put before
its owners in the very chat whose cards show it.
"""

import re
from collections.abc import Collection
from typing import Final

_ENDINGS: Final = (
    "_id", "_ids", "_at", "_by", "_ms", "_seq", "_class", "_status", "_state", "_kind", "_kinds", "_digest", "_hash",
    "_agent", "_agents", "_sha256", "_code", "_codes", "_cause", "_from", "_until", "_outcome", "_action",
    "_scope", "_scopes", "_since", "_capabilities",
)  # fmt: skip
_OWN: Final = frozenset(
    {
        "about", "action", "actor", "actor_name", "affects", "agent", "agent_model", "answer", "approvers", "at",
        "audience", "authority", "basis", "because", "blocks", "by", "by_name", "capabilities", "capability",
        "channel", "choice", "claim", "classification", "code", "criteria", "cron", "decision", "default_task_classes",
        "delegate", "depends_on", "digest", "end", "escalated_to", "for", "gap", "goal_id", "goals", "handoff_mode",
        "hash", "how", "id", "kind", "latest_status", "members", "mode", "name", "names", "next_action", "notify",
        "now", "on_behalf_of", "on_expiry", "op", "order", "outcome", "owner", "owners", "people", "presence",
        "presence_because", "priority", "profile_role", "receiver", "recommended_action", "relation", "responsible",
        "review", "reviewer", "revises", "role", "roles", "schema_version", "seat", "sender", "seq", "severity",
        "sha256", "source", "spend_policy", "state", "statement", "status", "subject", "surface", "task_class",
        "time_zone", "until", "validator", "validators", "verdict", "voter", "waiting_for", "waiting_on", "waits_for",
        "words_erased",
    }
)  # fmt: skip
_OWN_BESIDE: Final = {
    "reason": (frozenset({"reason_codes"}), frozenset({"spend_policy"}), frozenset({"lane_id", "names"})),
    "summary": (frozenset({"classification", "generated_at"}),),
}
"""What is a sentence of ours, or a word of a closed list, in a document with these fields, and people's words else."""
CLOSED: Final = frozenset({"field_class"})
"""Documents that name fields, and say of each a word of a closed list."""
_PROMISE: Final = frozenset(
    {
        ("", "objective"), ("", "display_name"),
        ("GoalView", "title"), ("GoalView", "objective"),
        ("FieldView", "items"), ("CriterionView", "text"), ("RevisedView", "was"), ("RevisedView", "becomes"),
        ("QuestionView", "text"), ("QuestionView", "options"), ("ResultView", "title"),
        ("AttentionRow", "title"), ("DigestGoal", "title"), ("WhichRow", "title"),
    }
)  # fmt: skip
_MADE_ID: Final = re.compile(r"[a-z]{1,12}_[0-9]{1,16}")
"""What the ledger calls a thing that nobody named."""


def is_ledger_made(name: str, owner: str, text: str, beside: Collection[str] = ()) -> bool:
    """Whether a text under this name, in a value of the type `owner` (empty for a document), is not people's words.

    `beside` are the names of all fields of the document that the text stands in.

    Of a private goal's work, that is: the words of its promise count as the ledger's own.
    """
    if name in _OWN or name.endswith(_ENDINGS) or is_promise(name, owner):
        return True
    if any(fields.issubset(beside) for fields in _OWN_BESIDE.get(name, ())):
        return True
    return _MADE_ID.fullmatch(text) is not None


def is_promise(name: str, owner: str) -> bool:
    """Whether a text under this name belongs to what the owners are asked to promise."""
    return (owner, name) in _PROMISE
