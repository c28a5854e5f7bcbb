"""Timers: what is due because time passed, and nothing else.

What is due is in the state (a lease knows its end), so a missed tick is caught up and a restart forgets none. A trigger
of apscheduler says when each job runs next; one loop with the injected clock fires it, so that virtual time works.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from daemon.due import Agenda
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import DAEMON
from ledger.ports import JournalRow, StoreFault, WriterFenced
from ledger.rules.common import Caller
from ledger.writer import Keep, Request

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

SWEEP_EVERY_S = 1
LET_GO_EVERY_S = 1
PRUNE_EVERY_S = 3_600
SLEEP_S_MAX = 1.0
"""The clock is asked at least this often, for it may have been set or stopped meanwhile."""
SWEEP_MAX = 500
"""Things done in one sweep; the rest follow in the next."""
REFUSALS_KEPT_MAX = 100_000

_log = logging.getLogger("frontstage.jobs")
_CALLER = Caller(member_id=DAEMON, kind="daemon", surface="daemon")
_PROOF = Proof(kind="daemon", reference="sweep")


@dataclass
class Job:
    """Something to do again and again."""

    name: str
    trigger: "BaseTrigger"
    act: Callable[[], Awaitable[int]]
    due: datetime | None = None

    def plan(self, now: datetime) -> None:
        """When it is due next; however many ticks were missed, it runs once for them."""
        self.due = self.trigger.get_next_fire_time(self.due, now)


async def sweep(service: Service, agenda: Agenda | None = None) -> int:
    """Ask for what is due; returns how much was recorded. Without an agenda everything is looked at."""
    agenda = agenda or Agenda()
    agenda.refresh(service.committed, service.registry_seq, service.recent)
    recorded = 0
    for asked in agenda.take(service.committed, service.clock.now_ms(), SWEEP_MAX):
        action = ACTIONS[asked.action]
        params = action.params.model_validate(asked.params)
        answer = await service.submit(
            Request(action=action, params=params, caller=_CALLER, proof=_PROOF, request_key=None)
        )
        recorded += bool(answer.events)
    return recorded


async def probe(service: Service) -> None:
    """Find out whether a disk that was full has room again; nobody else would, if all wait until it has."""
    row = JournalRow(app_id=DAEMON, event_key="probe", received_at_ms=service.clock.now_ms(), answer=None)
    answer = await service.submit(Keep(journal=(row,)))
    if answer.refusal is None:
        _log.info("the ledger can be written again")


async def run(service: Service, more: Mapping[str, Callable[[], Awaitable[int]]] | None = None) -> None:
    """Fire what is due for as long as the daemon runs; `more` is done as often as the sweep."""
    # A tenth of a second of imports that readiness need not wait for.
    from apscheduler.triggers.interval import IntervalTrigger  # noqa: PLC0415

    agenda = Agenda()
    jobs = [
        Job("due", IntervalTrigger(seconds=SWEEP_EVERY_S, timezone=UTC), lambda: sweep(service, agenda)),
        Job("goals put away", IntervalTrigger(seconds=LET_GO_EVERY_S, timezone=UTC), service.let_go),
        Job(
            "refusals pruned",
            IntervalTrigger(seconds=PRUNE_EVERY_S, timezone=UTC),
            lambda: service.prune_refusals(REFUSALS_KEPT_MAX),
        ),
    ]
    jobs += [Job(name, IntervalTrigger(seconds=SWEEP_EVERY_S, timezone=UTC), act) for name, act in (more or {}).items()]
    for job in jobs:
        job.plan(_now(service))
    while not service.ended:
        await asyncio.sleep(SLEEP_S_MAX if service.full else _pause_s(jobs, _now(service)))
        try:
            if service.full:
                await probe(service)
            elif service.writable:
                await fire(jobs, _now(service))
        except (StoreFault, WriterFenced):
            return  # The service has said so, and ends.


async def fire(jobs: list[Job], now: datetime) -> None:
    """Run every job that is due, and plan its next time."""
    for job in jobs:
        if job.due is not None and job.due <= now:
            count = await job.act()
            job.plan(now)
            if count:
                _log.info(job.name, extra={"count": count})


def _now(service: Service) -> datetime:
    return datetime.fromtimestamp(service.clock.now_ms() / 1000, UTC)


def _pause_s(jobs: list[Job], now: datetime) -> float:
    due = [job.due for job in jobs if job.due is not None]
    return min(SLEEP_S_MAX, max(0.0, (min(due) - now).total_seconds())) if due else SLEEP_S_MAX
