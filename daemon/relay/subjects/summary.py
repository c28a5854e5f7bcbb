"""The summary: one message in each chat that it was posted to, and then it is done.

    summary:<summary>

It is shown while the chat waits for it. Once it is there, or was given up, nothing is drawn for it any more: what was
posted is never changed, and a chat that comes back days later is not told of old news. There is one exception: where
the writer's words were erased, the card that has them is drawn without.
"""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted
from ledger.events import ERASED
from ledger.parts.summaries import in_chat, parted
from ledger.projections.cards import Offer
from ledger.projections.summaries import summary_view
from ledger.projections.summary_views import SummaryView
from ledger.state import Workspace

KIND: Final = "summary"


def _wanted(workspace: Workspace, _now_ms: int) -> Iterator[Wanted]:
    waiting: dict[str, list[str]] = {}
    for key in workspace.summaries.queued:
        summary_id, channel_id = parted(key)
        waiting.setdefault(summary_id, []).append(channel_id)
    for summary_id, channels in waiting.items():
        yield Wanted(subject=f"{KIND}:{summary_id}", open=False, urgent=False, only=tuple(channels))


def _find(workspace: Workspace, rest: str) -> Target | None:
    if rest not in workspace.summaries.by_id:
        return None
    return Target(kind=KIND, subject=f"{KIND}:{rest}", key=rest)


def _shows(workspace: Workspace, target: Target) -> bool:
    part, key = workspace.summaries, in_chat(target.key, target.place)
    if key in part.queued:
        return True
    outcome, summary = part.outcomes.get(key), part.by_id[target.key]
    is_there = outcome is not None and outcome.status == "sent"
    return is_there and summary.has_text and summary.text == ERASED


def _view(workspace: Workspace, target: Target, _now_ms: int) -> SummaryView:
    return summary_view(workspace, workspace.summaries.by_id[target.key])


def _offers(_workspace: Workspace, _target: Target, _now_ms: int) -> tuple[Offer, ...]:
    return ()


FAMILY = Family(kind=KIND, of_workspace=_wanted, find=_find, view=_view, offers=_offers, shows=_shows)
