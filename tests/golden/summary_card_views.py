"""One view for every state of a summary's card."""

import msgspec

from ledger.projections.chat_views import DigestGoal, DigestRow, DigestView
from ledger.projections.summary_views import SummaryView
from ledger.projections.views import CardView
from tests.golden.chat_card_views import DIGEST

TEXT = "Two of three chapters are accepted.\nThe third waits for the link report.\n第三章在等链接报告。"
BESIDE = DigestGoal(
    goal_id="",
    title="",
    state="",
    rows=(DigestRow(seq=55, kind="grant", subject="grant_55", now="in_force", actor="Ann Li", text="builder"),),
    earlier=1,
)
DOCS = msgspec.structs.replace(DIGEST, goals=DIGEST.goals[:1], total=5, goals_left_out=0, needs_somebody=0)
WHOLE = msgspec.structs.replace(DIGEST, goals=(*DIGEST.goals, BESIDE), total=8, needs_somebody=0)
NOTHING: DigestView = msgspec.structs.replace(DOCS, goals=(), total=0)


def _summary(digest: DigestView, *, text: str = "", scheduled: bool = False) -> SummaryView:
    return SummaryView(
        summary_id="sum_59",
        goal_id=None if digest is WHOLE else "goal-3",
        text=text,
        posted_by="" if scheduled else "Steward",
        scheduled=scheduled,
        digest=digest,
    )


SUMMARIES = {
    "summary_with_text": _summary(DOCS, text=TEXT),
    "summary_bare": _summary(DOCS),
    "summary_workspace": _summary(WHOLE, text=TEXT),
    "summary_first": _summary(msgspec.structs.replace(DOCS, since=0)),
    "summary_scheduled": _summary(WHOLE, scheduled=True),
    "summary_text_alone": _summary(NOTHING, text=TEXT),
}


def summary_cards() -> dict[str, CardView]:
    """The views by name."""
    return {
        name: CardView(kind="summary", audience="group", tokens={}, summary=part) for name, part in SUMMARIES.items()
    }
