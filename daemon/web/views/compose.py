"""Compose."""

from collections.abc import Mapping

from daemon.web.asked import Asked
from daemon.web.reads import Reads
from ledger.projections.documents import Document
from ledger.refusals import Refusal


async def view(_reads: Reads, _asked: Asked, _names: Mapping[str, str]) -> Document | Refusal:
    """The page."""
    return {}
