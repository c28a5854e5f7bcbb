"""Timers: what is due because time passed, and nothing else.

The moments are in the state (a lease knows its end), so a missed tick is caught up and a restart forgets none. An
apscheduler trigger says when the sweep runs; one loop with the injected clock fires it.
"""

import asyncio
import logging
from collections.abc import Iterator

from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import DAEMON, GoalId, TodoId
from ledger.rules.common import Caller
from ledger.rules.leases import ExpireLease
from ledger.writer import Request

SWEEP_EVERY_S = 1.0
SWEEP_MAX = 500
"""Leases written off in one sweep; the rest follow in the next."""

_log = logging.getLogger("frontstage.jobs")
_CALLER = Caller(member_id=DAEMON, kind="daemon", surface="daemon")
_PROOF = Proof(kind="daemon", reference="sweep")


def lapsed(service: Service, now_ms: int) -> Iterator[tuple[GoalId, TodoId]]:
    """Leases past their end that nobody has written off yet."""
    for goal in service.committed.goals.values():
        for todo_id in goal.lapsed(now_ms):
            yield goal.goal_id, todo_id


async def sweep(service: Service) -> int:
    """Write off what has lapsed; returns how many."""
    due = [pair for pair, _ in zip(lapsed(service, service.clock.now_ms()), range(SWEEP_MAX), strict=False)]
    for goal_id, todo_id in due:
        params = ExpireLease(goal_id=goal_id, todo_id=todo_id)
        await service.submit(
            Request(action=ACTIONS["task-lease.expire"], params=params, caller=_CALLER, proof=_PROOF, request_key=None)
        )
    return len(due)


async def run(service: Service) -> None:
    """Sweep for as long as the daemon runs."""
    while True:
        await asyncio.sleep(SWEEP_EVERY_S)
        if service.writable:
            count = await sweep(service)
            if count:
                _log.info("leases expired", extra={"count": count})
