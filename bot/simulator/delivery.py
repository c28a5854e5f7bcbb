"""Pushing events, over the long connection or to the app's own address, until they are acknowledged.

An event that is not acknowledged with 200 within three seconds is pushed again after 15 seconds, 5 minutes, 1 hour
and 6 hours, and then given up. Card callbacks are not events: nobody re-pushes a press.
"""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field

from bot.simulator.changes import Changes
from bot.simulator.clock import SimClock
from bot.simulator.documented import ACK_WITHIN_MS, REPUSH_AFTER_MS
from bot.simulator.longlink import Ack, LongLink
from bot.simulator.model import App
from bot.simulator.webhook import Webhooks
from bot.simulator.wire import JsonObject, dump, object_at, text_at

DELIVERIES_MAX = 2_000


@dataclass(kw_only=True)
class Delivery:
    """One event on its way: when it was pushed, and `acked`, `code 500`, `timeout`, `lost` or `offline` each time."""

    app_id: str
    event_id: str
    event_type: str
    body: JsonObject
    pushed_at_ms: list[int] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        """Acknowledged, or given up."""
        return self.outcomes[-1:] == ["acked"] or len(self.outcomes) > len(REPUSH_AFTER_MS)

    def view(self) -> JsonObject:
        """As the control interface shows it."""
        return {
            "app_id": self.app_id, "event_id": self.event_id, "event_type": self.event_type,
            "body": self.body, "pushed_at_ms": self.pushed_at_ms, "outcomes": self.outcomes, "settled": self.settled,
        }  # fmt: skip


class Deliveries:
    """Hands events to the app's transport, each in a task of its own."""

    def __init__(self, link: LongLink, webhooks: Webhooks, clock: SimClock, tasks: asyncio.TaskGroup) -> None:
        self._link = link
        self._webhooks = webhooks
        self._clock = clock
        self._tasks = tasks
        self._running: set[asyncio.Task[None]] = set()
        self.log: deque[Delivery] = deque(maxlen=DELIVERIES_MAX)
        self.counters: Counter[str] = Counter()
        self.changes = Changes()

    def emit(self, app: App, body: JsonObject) -> None:
        """Deliver an event the app has subscribed to."""
        header = object_at(body, "header")
        event_type = text_at(header, "event_type")
        if event_type not in app.events:
            self.counters["not_subscribed"] += 1
            return
        self.start(app, body)

    def start(self, app: App, body: JsonObject) -> Delivery:
        """Deliver an event whatever the app has subscribed to."""
        header = object_at(body, "header")
        event_id, event_type = text_at(header, "event_id"), text_at(header, "event_type")
        delivery = Delivery(app_id=app.app_id, event_id=event_id, event_type=event_type, body=body)
        self.log.append(delivery)
        task = self._tasks.create_task(self._deliver(app, dump(body), delivery))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return delivery

    def stop(self) -> None:
        """Give up everything that is still on its way."""
        for task in tuple(self._running):
            task.cancel()

    async def _deliver(self, app: App, payload: bytes, delivery: Delivery) -> None:
        started_ms = self._clock.now_ms()
        for after_ms in (0, *REPUSH_AFTER_MS):
            await self._clock.sleep_until(started_ms + after_ms)
            delivery.pushed_at_ms.append(self._clock.now_ms())
            outcome = await self.push_once(app, payload)
            said = outcome if isinstance(outcome, str) else f"code {outcome.code}"
            delivery.outcomes.append("acked" if said == "code 200" else said)
            self.counters[f"event:{delivery.outcomes[-1]}"] += 1
            self.changes.bump()
            if delivery.settled:
                return

    async def call_back(self, app: App, body: JsonObject) -> Ack | str:
        """Deliver a card callback, once: the ack, or why there is none (`offline`, `timeout`, `lost`)."""
        outcome = await self.push_once(app, dump(body))
        self.counters[f"callback:{outcome if isinstance(outcome, str) else outcome.code}"] += 1
        return outcome

    async def push_once(self, app: App, payload: bytes) -> Ack | str:
        """Push to one connection, or to the app's address, and wait for the ack: the ack, or why there is none."""
        if app.webhook is not None:
            return await self._webhooks.push(app, app.webhook, payload)
        connection = self._link.choose(app)
        if connection is None:
            return "offline"
        with self._link.pushed(connection) as (message_id, waiter):
            try:
                await self._link.push(connection, message_id, payload)
            except ConnectionError:
                return "lost"
            if not await self._clock.within(waiter, ACK_WITHIN_MS):
                return "timeout"
            ack = waiter.result()
        return "lost" if ack is None else ack
