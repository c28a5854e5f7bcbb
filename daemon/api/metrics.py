"""Metrics: what a monitoring system scrapes, in the exposition format of the library that defines it.

Every label is one of a few names that the program itself has (actions, surfaces, classes of refusal, states of a card):
an id or a text never becomes one, so that the number of series does not grow with the ledger. The library is loaded at
the first scrape, beside the loop; a daemon that nobody scrapes never pays for it. The registry is made for one answer,
so that nothing is counted twice and nothing of the process is shown that was not asked for.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from aiohttp import web

from daemon.api.routes import Routes
from daemon.api.whole import Whole
from daemon.service import Service
from daemon.tally import Histogram

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

PATH = "/metrics"
MEDIA = "text/plain; version=1.0.0; charset=utf-8"
DELIVERY_STATES = ("posting", "reposting", "live", "reposted", "text", "paused", "gone")
OTHER = "other"


class HookLag(Protocol):
    """One after-commit hook in numbers. Its name is from the settings, of which there are few."""

    @property
    def name(self) -> str:
        """As the settings name it."""
        ...

    @property
    def state(self) -> str:
        """Following, retrying or parked."""
        ...

    @property
    def behind_events(self) -> int:
        """Events it has not looked at."""
        ...

    @property
    def behind_seconds(self) -> float:
        """How old the event is that it stands before."""
        ...

    @property
    def delivered(self) -> int:
        """Deliveries that arrived."""
        ...


class Sources(NamedTuple):
    """What is known beside the service."""

    started_at_ms: int
    feed_readers: Callable[[], int]
    delivery_states: Callable[[], Iterable[str]]
    ledger_file: Path | None
    hooks: Callable[[], Iterable[HookLag]] = tuple


class Metrics:
    """The route."""

    def __init__(self, service: Service, sources: Sources) -> None:
        self._service = service
        self._sources = sources

    def add_to(self, routes: Routes) -> None:
        """Add the route."""
        routes.add("GET", PATH, self.scrape)

    async def scrape(self, _request: web.Request) -> Whole:
        """Everything at this moment. Whoever may ask for health may ask for this: it is numbers of the same kind."""
        await asyncio.to_thread(_load)
        return Whole(exposition(self._service, self._sources), media=MEDIA)


def _load() -> None:
    import prometheus_client.exposition  # noqa: F401, PLC0415  (loaded by the first scrape, and not on the event loop)


def exposition(service: Service, sources: Sources) -> bytes:
    """The text of one scrape."""
    from prometheus_client import CollectorRegistry, generate_latest  # noqa: PLC0415  (see the module)
    from prometheus_client.registry import Collector  # noqa: PLC0415

    class OneScrape(Collector):
        """The service at this moment."""

        def collect(self) -> Iterator["Metric"]:
            """Every family of metrics."""
            yield from _counted(service)
            yield from _measured(service, sources)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(OneScrape())
    return generate_latest(registry)


def _counted(service: Service) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily  # noqa: PLC0415

    tally, counters = service.tally, service.counters
    commits = CounterMetricFamily(
        "frontstage_commits", "Commands that became events, since the start.", labels=("action", "surface")
    )
    for labels, count in sorted(tally.commits.items()):
        commits.add_metric(labels, count)
    yield commits
    refusals = CounterMetricFamily(
        "frontstage_refusals", "Commands that were refused, since the start.", labels=("class", "surface")
    )
    for labels, count in sorted(tally.refusals.items()):
        refusals.add_metric(labels, count)
    yield refusals
    for name, text, count in (
        ("busy", "Commands turned away because the queue was full.", counters.busy),
        ("malformed", "Requests by a proved caller that could not be read.", counters.malformed),
        ("unauthenticated", "Requests whose caller was not proved.", counters.unauthenticated),
    ):
        yield CounterMetricFamily(f"frontstage_{name}", text, value=count)

    def histogram(name: str, text: str, seen: Histogram) -> "Metric":
        buckets = [
            ("+Inf" if bound == float("inf") else str(float(bound)), count) for bound, count in seen.cumulative()
        ]
        return HistogramMetricFamily(name, text, buckets=buckets, sum_value=seen.total)

    read_back = "Goals that were read back into memory, by readers and by the writer."
    yield CounterMetricFamily("frontstage_goal_loads", read_back, value=service.loads)
    yield histogram("frontstage_group_size", "Commands that shared one durable commit.", tally.group_sizes)
    yield histogram("frontstage_commit_seconds", "How long one durable commit took.", tally.commit_seconds)


def _measured(service: Service, sources: Sources) -> Iterator["Metric"]:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

    for name, text, value in _gauges(service, sources):
        yield GaugeMetricFamily(f"frontstage_{name}", text, value=value)
    cards = GaugeMetricFamily("frontstage_cards", "Cards by the state of their delivery.", labels=("state",))
    states = [state if state in DELIVERY_STATES else OTHER for state in sources.delivery_states()]
    for state in (*DELIVERY_STATES, OTHER):
        cards.add_metric((state,), states.count(state))
    yield cards
    yield from _hooks(list(sources.hooks()))


def _hooks(lags: list[HookLag]) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415

    gauges: tuple[tuple[str, str, Callable[[HookLag], float]], ...] = (
        ("hook_behind_events", "Events that a hook has not looked at.", lambda lag: lag.behind_events),
        ("hook_behind_seconds", "How old the event is that a hook stands before.", lambda lag: lag.behind_seconds),
        ("hook_parked", "Whether a hook is tried no more.", lambda lag: lag.state == "parked"),
    )
    for name, text, value in gauges:
        gauge = GaugeMetricFamily(f"frontstage_{name}", text, labels=("hook",))
        for lag in lags:
            gauge.add_metric((lag.name,), value(lag))
        yield gauge
    deliveries = CounterMetricFamily("frontstage_hook_deliveries", "Deliveries that arrived.", labels=("hook",))
    for lag in lags:
        deliveries.add_metric((lag.name,), lag.delivered)
    yield deliveries


def _gauges(service: Service, sources: Sources) -> Iterator[tuple[str, str, float]]:
    state, now_ms = service.committed, service.clock.now_ms()
    yield "start_time_seconds", "When the daemon started.", sources.started_at_ms / 1000
    yield "head_seq", "The last event.", state.seq
    yield "last_event_time_seconds", "When the last event was recorded, in ledger time.", state.at_ms / 1000
    yield "queue_depth", "Commands that wait or are being written.", service.waiting
    yield "writable", "Whether the last commit was possible.", service.writable
    yield "feed_readers", "Readers that follow the feed.", sources.feed_readers()
    yield "clock_jumped", "Whether the wall clock jumped and is not believed yet.", service.clock.jumped
    yield "clock_skew_seconds", "How far the wall clock is ahead of ledger time.", service.clock.skew_ms / 1000
    yield "goals", "Goals of the ledger.", len(state.goals)
    yield "goals_in_memory", "Goals that are not put away.", len(state.goals.resident())
    yield "events_since_snapshot", "Events that a start would fold again.", service.since_snapshot
    if service.snapshot_at_ms is not None:
        age_s = max(0, now_ms - service.snapshot_at_ms) / 1000
        yield "snapshot_age_seconds", "How old the state of the kept snapshot is.", age_s
    if sources.ledger_file is not None:
        yield "ledger_bytes", "Size of the ledger's file.", _size(sources.ledger_file)
        log = sources.ledger_file.with_name(sources.ledger_file.name + "-wal")
        yield "write_ahead_log_bytes", "Size of the write-ahead log.", _size(log)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
