"""What a summary's card is drawn from: the poster's text, and beside it the digest as it was decided on."""

from typing import ClassVar

import msgspec

from ledger.projections.chat_views import DigestView


class SummaryView(msgspec.Struct, frozen=True, kw_only=True):
    """One summary in one chat. `scheduled`: nobody posted it, it was time for it.

    Rows of the digest that are about no goal stand under a goal without a name.
    """

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = False

    summary_id: str
    goal_id: str | None
    text: str
    posted_by: str
    scheduled: bool
    digest: DigestView
