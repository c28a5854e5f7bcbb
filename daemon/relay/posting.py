"""Posting: the work behind summaries that nobody asks for.

Three things are looked at again and again, each from what is recorded and nothing else, so that a restart forgets none
of them: which times of a schedule have come, what became of the summaries that wait for the bot, and whose list of what
needs them was held back until now. A fault of the platform is none here: what cannot be posted is written down, and
everything else goes on.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from daemon.calendars import is_quiet, latest_due, next_due
from daemon.relay.attention import Attention
from daemon.relay.deliveries import Deliveries
from daemon.relay.leader import Leader
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import DAEMON
from ledger.parts.summaries import Because, Schedule, Summary, parted
from ledger.ports import DeliveryRow
from ledger.rules.channels import is_known
from ledger.rules.common import Caller
from ledger.rules.summaries import QUEUED_MS_MAX, because_lost
from ledger.state import Workspace
from ledger.writer import Request

KIND: Final = "summary"
IN_DOUBT_MS_MAX: Final = 50 * 60_000
"""The platform knows a message by its key for an hour: until then it may be sent again, and is the same message."""
THERE: Final = frozenset({"live", "reposted"})
_CALLER = Caller(member_id=DAEMON, kind="daemon", surface="daemon")
_PROOF = Proof(kind="daemon", reference="posting")


class Posting:
    """One per daemon."""

    def __init__(self, service: Service, deliveries: Deliveries, attention: Attention, leader: Leader) -> None:
        self._service = service
        self._deliveries = deliveries
        self._attention = attention
        self._leader = leader
        self.jobs: Mapping[str, Callable[[], Awaitable[int]]] = {
            "digest times": self.tick,
            "summaries settled": self.settle,
            "lists let go": self.remind,
        }
        self._next: dict[tuple[str, int, int | None], int | None] = {}
        """By schedule as it stands: when it is due next; not worked out again until something is decided on it."""

    async def tick(self) -> int:
        """Decide on the times that have come; returns how many were."""
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        decided = 0
        for one in list(workspace.summaries.schedules.values()):
            if not self._is_due(one, now_ms) or is_quiet(one, now_ms):
                continue  # What comes in quiet hours waits until they end, and is then one time, however many came.
            due_ms = latest_due(one, now_ms)
            if due_ms is not None:
                decided += await self._ask(
                    "channel.tick-digest", channel_id=one.channel_id, due_at_ms=due_ms, schedule_seq=one.seq
                )
        return decided

    async def settle(self) -> int:
        """Write down what became of the summaries that wait; returns of how many something is known."""
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        settled = 0
        for key in list(workspace.summaries.queued):
            summary_id, channel_id = parted(key)
            row = self._deliveries.get(f"{KIND}:{summary_id}@{channel_id}")
            found = fate_of(workspace, workspace.summaries.by_id[summary_id], channel_id, row, now_ms)
            if found is not None:
                outcome, because = found
                settled += await self._ask(
                    "summary.settle", summary_id=summary_id, channel_id=channel_id, outcome=outcome, because=because
                )
        return settled

    async def remind(self) -> int:
        """Have lists looked at that were held back until now; returns how many. Whoever leads makes them messages."""
        slots = self._attention.let_go(self._service.committed, self._service.clock.now_ms())
        self._leader.touched(slots)
        return len(slots)

    def _is_due(self, one: Schedule, now_ms: int) -> bool:
        key = (one.channel_id, one.seq, one.due_at_ms)
        if key not in self._next:
            self._next = {known: due for known, due in self._next.items() if known[0] != one.channel_id}
            self._next[key] = next_due(one, one.at_ms if one.due_at_ms is None else one.due_at_ms)
        due_ms = self._next[key]
        return due_ms is not None and due_ms <= now_ms

    async def _ask(self, name: str, **asked: object) -> bool:
        action = ACTIONS[name]
        params = action.params.model_validate(asked)
        answer = await self._service.submit(
            Request(action=action, params=params, caller=_CALLER, proof=_PROOF, request_key=None)
        )
        return bool(answer.events)


def fate_of(
    workspace: Workspace, summary: Summary, channel_id: str, row: DeliveryRow | None, now_ms: int
) -> tuple[str, Because | None] | None:
    """What became of a summary in a chat, as the bot left it; None while it still may come there."""
    if row is not None:
        if row.message_id and row.state in {*THERE, "gone", "paused"}:
            return "sent", None
        if row.state in {"text", "gone"}:
            return "failed", "refused"
        if row.state == "paused":
            return "failed", because_lost(workspace, channel_id) or "unreachable"
        if now_ms - row.sent_at_ms >= IN_DOUBT_MS_MAX:
            return "failed", "in_doubt"
    if (lost := because_lost(workspace, channel_id)) is not None:
        return "failed", lost
    if not _shows(workspace, summary, channel_id):
        return "failed", "unbound"
    if now_ms - summary.at_ms >= QUEUED_MS_MAX:
        return "failed", "expired"
    return None


def _shows(workspace: Workspace, summary: Summary, channel_id: str) -> bool:
    """Whether the chat still shows what the summary is of."""
    if summary.goal_id is None:
        return is_known(workspace, channel_id)
    goal = workspace.goals.peek(summary.goal_id)
    return channel_id in workspace.identity.channels or (goal is not None and channel_id in goal.channels)
