"""One view for every state of the cards of a conversation."""

import msgspec

from ledger.projections.chat_views import (
    AttentionRow,
    AttentionView,
    DigestGoal,
    DigestRow,
    DigestView,
    HelpView,
    MissedRow,
    MissedView,
    WhichRow,
    WhichView,
)
from ledger.projections.views import CardView

GATE_ROW = AttentionRow(
    goal_id="goal-3",
    title="Docs that can be followed",
    kind="gate",
    code=None,
    subject={"goal_id": "goal-3", "gate_id": "gate_000044"},
    text="May the checked pages be published on the public site?",
    severity="high",
    seq=44,
    until_ms=1_764_586_400_000,
    action="gate.approve",
    flags={"goal_id": "goal-3", "gate_id": "gate_000044"},
    button="open.gate",
)
REVIEW_ROW = AttentionRow(
    goal_id="goal-9",
    title="Faster first page",
    kind="confirmation",
    code=None,
    subject={"goal_id": "goal-9", "revision": "2"},
    text="",
    severity="action",
    seq=51,
    until_ms=None,
    action="goal.confirm",
    flags={"goal_id": "goal-9"},
    button="open.review",
)
TODO_ROW = AttentionRow(
    goal_id="goal-3",
    title="Docs that can be followed",
    kind="todo",
    code=None,
    subject={"goal_id": "goal-3", "todo_id": "todo_000021", "todos": "2"},
    text="Say who is called when the site is down",
    severity="action",
    seq=40,
    until_ms=None,
    action="todo.complete",
    flags={"goal_id": "goal-3", "todo_id": "todo_000021"},
)
STAFFING_ROW = msgspec.structs.replace(
    TODO_ROW,
    kind="staffing",
    subject={"goal_id": "goal-3"},
    flags={"goal_id": "goal-3"},
    text="",
    severity="watch",
    seq=0,
    action="goal.show",
)
ATTENTIONS: dict[str, tuple[AttentionView, tuple[str, ...]]] = {
    "attention_four": (
        AttentionView(rows=(GATE_ROW, REVIEW_ROW, TODO_ROW, STAFFING_ROW), total=4, high=1),
        ("open.gate", "open.review"),
    ),
    "attention_one": (AttentionView(rows=(REVIEW_ROW,), total=1, high=0), ("open.review",)),
    "attention_many": (AttentionView(rows=(TODO_ROW, STAFFING_ROW), total=14, high=0), ()),
    "attention_none": (AttentionView(rows=(), total=0, high=0), ()),
    "attention_before": (AttentionView(rows=(), total=2, high=0, superseded=True), ()),
}


def _changed(seq: int, kind: str, subject: str, now: str, actor: str = "Builder", text: str = "") -> DigestRow:
    return DigestRow(seq=seq, kind=kind, subject=subject, now=now, actor=actor, text=text)


DIGEST = DigestView(
    since=31,
    goals=(
        DigestGoal(
            goal_id="goal-3",
            title="Docs that can be followed",
            state="active",
            rows=(
                _changed(40, "todo", "todo_000021", "blocked", text="Say who is called when the site is down"),
                _changed(44, "gate", "gate_000044", "waiting_on_user", "Link checker", "May it be published?"),
                _changed(57, "artifact", "art_000057", "submitted", text="links-report.json"),
            ),
            earlier=2,
        ),
        DigestGoal(
            goal_id="goal-9",
            title="Faster first page",
            state="proposed",
            rows=(_changed(51, "revision", "2", "open", "Ann Li", "Faster first page"),),
            earlier=0,
        ),
    ),
    total=6,
    goals_left_out=1,
    needs_somebody=3,
    head_seq=58,
    head_hash="9c41d0aa",
    head_at_ms=1_764_500_000_000,
)
DIGESTS = {
    "digest_since": DIGEST,
    "digest_first": msgspec.structs.replace(
        DIGEST, since=0, goals=DIGEST.goals[1:], total=1, goals_left_out=0, needs_somebody=0
    ),
}
HELPS = {
    f"help_{'known' if paired else 'new'}_{'direct' if direct else 'group'}": HelpView(paired=paired, direct=direct)
    for paired in (True, False)
    for direct in (True, False)
}
LATE = MissedRow(
    text="propose Check every link of the docs",
    by="Ann Li",
    at_ms=1_764_490_000_000,
    is_code=False,
    done=False,
    button="open.om_1",
)
STATUS = msgspec.structs.replace(LATE, text="status", by="Ben Ortiz", button="open.om_2")
CODE = msgspec.structs.replace(LATE, text="", is_code=True, button="")
DONE = msgspec.structs.replace(LATE, done=True, button="")
MISSED: dict[str, tuple[MissedView, tuple[str, ...]]] = {
    "missed_one": (MissedView(rows=(LATE,), left_out=0), ("open.om_1",)),
    "missed_several": (MissedView(rows=(LATE, STATUS, CODE), left_out=2), ("open.om_1", "open.om_2")),
    "missed_opened": (MissedView(rows=(DONE, STATUS), left_out=0), ("open.om_2",)),
    "missed_forgotten": (MissedView(rows=(), left_out=0), ()),
    "missed_done": (MissedView(rows=(DONE,), left_out=0), ()),
}
ROWS = (
    WhichRow(goal_id="goal-9", title="Faster first page", state="proposed", button="open.goal_9"),
    WhichRow(goal_id="goal-3", title="Docs that can be followed", state="active", button="open.goal_3"),
)
WHICH: dict[str, tuple[WhichView, tuple[str, ...]]] = {
    **{
        f"which_{verb}": (WhichView(verb=verb, rows=ROWS, left_out=0), ("open.goal_3", "open.goal_9"))
        for verb in ("status", "pause", "resume", "stop")
    },
    "which_many": (WhichView(verb="status", rows=ROWS, left_out=7), ("open.goal_3", "open.goal_9")),
    "which_none": (WhichView(verb="status", rows=(), left_out=0), ()),
}


def chat_cards(tokens) -> dict[str, CardView]:
    """The views by name; how tokens are made comes from the other views."""

    def view(kind: str, part: msgspec.Struct, *offered: str) -> CardView:
        audience = "direct" if kind == "attention" else "group"
        return CardView(kind=kind, audience=audience, tokens=tokens(*offered), **{kind: part})

    return {
        **{name: view("attention", part, *offered) for name, (part, offered) in ATTENTIONS.items()},
        **{name: view("digest", part) for name, part in DIGESTS.items()},
        **{name: view("help", part) for name, part in HELPS.items()},
        **{name: view("missed", part, *offered) for name, (part, offered) in MISSED.items()},
        **{name: view("which", part, *offered) for name, (part, offered) in WHICH.items()},
    }
