"""The workspace: every goal, what waits for whom, who could work, and how the ledger is."""

from collections.abc import Mapping

from daemon.web.asked import Asked
from daemon.web.reads import Reads
from ledger.projections.documents import Document
from ledger.refusals import Refusal

GOALS_MAX = 50


async def view(reads: Reads, asked: Asked, _names: Mapping[str, str]) -> Document | Refusal:
    """The overview, a page of goals at a time."""
    closed = asked.query.get("closed") == "1"
    overview = await reads.document("overview.show", limit=GOALS_MAX, after=asked.query.get("after"), closed=closed)
    if isinstance(overview, Refusal):
        return overview
    return {"overview": overview, "closed": closed}
