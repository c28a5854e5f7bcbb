"""The daemon's composition root: takes the lock, opens the ledger, and serves it until told to stop.

`--once` serves one inherited connection instead of a socket: it is how a command works when no daemon runs, so that
there is one write path.
"""

import argparse
import asyncio
import gc
import hmac
import logging
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec
from aiohttp import web

from daemon import config, jobs, listen, lock, logs
from daemon.api.actions import ActionRoutes
from daemon.api.batch import Batch
from daemon.api.direct import Direct
from daemon.api.feed import Feed
from daemon.api.meta import Meta
from daemon.api.metrics import Metrics, Sources
from daemon.api.past import Past
from daemon.api.routes import Routes
from daemon.buttons import ButtonKeys
from daemon.clock import LedgerClock, SystemClock
from daemon.codes import Codes
from daemon.hooks.hooks import Hooks
from daemon.hooks.routes import HookRoutes
from daemon.init import SECRET_BYTES, write_secret
from daemon.listen import Guard, Watch, bind, connections_max, still_ours
from daemon.local.proof import Proof
from daemon.paths import Home, find_home
from daemon.reducer import reducer_digest
from daemon.relay.answers import Answers
from daemon.relay.asked import AskedCards
from daemon.relay.deliveries import Deliveries
from daemon.relay.drafts import Drafts
from daemon.relay.forms import Forms
from daemon.relay.heard import HeardEvents
from daemon.relay.leader import Leader
from daemon.relay.message import Messages
from daemon.relay.posting import Posting
from daemon.relay.press import Presses
from daemon.relay.routes import RelayRoutes
from daemon.relay.view import Views
from daemon.service import Service, Snapshot, replay
from daemon.web.door import Door
from ledger.codec import decode_body
from ledger.ports import SnapshotRow, Store, StoreUnusable, Term
from ledger.snapshot import WORKSPACE, restore
from ledger.state import Workspace
from ledger.store.sqlite import open_existing_sqlite
from ledger.writer import SNAPSHOTS_AT_ONCE_MAX

EXIT_REFUSED, EXIT_FAULT, EXIT_HELD = 1, 8, 7
LOCK_WAIT_S = 10.0
"""How long a daemon, or a single call, waits for another single call to finish with the ledger."""
STOP_WAIT_S = 2.0
"""How long the end waits for a reader that takes nothing; commands have been answered by then."""
GIL_SWITCH_S = 0.0005
"""Writer and event loop share one interpreter lock; a short turn keeps a commit from waiting for a busy loop."""
REQUEST_BYTES_MAX = 300 * 1024
KEEPALIVE_S = 86_400.0
"""The guard closes what rests; the server's own clock does not see the requests that the guard answers."""
BUTTON_SECRET_BYTES_MIN = 32

_log = logging.getLogger("frontstage.daemon")


@dataclass
class Parts:
    """What a running daemon is made of."""

    service: Service
    routes: Routes
    watch: Watch
    relay: RelayRoutes
    hooks: Hooks
    posting: Posting
    past: Past
    health: Callable[[], dict[str, object]]
    page: Door


def build(home: Home, service: Service, clock: SystemClock, settings: config.Config) -> Parts:
    """Put routes, relay and guard around a service."""
    watch = Watch(clock, connections_max())
    service.codes = Codes(_code_secret(home), service.clock)
    service.heard = lambda: watch.heard
    own_uid = os.getuid()
    routes = Routes(service, watch)
    started_at_ms = clock.wall_ms()
    meta = Meta(service, started_at_ms)
    meta.add_to(routes)
    past = Past(service)
    ActionRoutes(service, own_uid, past, meta.channel_line).add_to(routes)
    Batch(service, own_uid).add_to(routes)
    watch.direct = Direct(service, own_uid)
    feed = Feed(service, own_uid)
    routes.add("GET", "/v1/feed", feed.follow)
    keys, forms, drafts, deliveries = ButtonKeys(_button_secret(home)), Forms(), Drafts(), Deliveries(service)
    hooks = Hooks(home, service, settings.hooks)
    HookRoutes(service, own_uid, hooks).add_to(routes)
    meta.hooks = hooks.summary
    sources = Sources(started_at_ms, lambda: feed.readers, deliveries.states, Path(home.ledger), hooks.lags)
    Metrics(service, sources).add_to(routes)
    app_id, asked = settings.lark.app_id, AskedCards()
    answers = Answers(service, forms, deliveries, asked)
    leader = Leader(service)
    relay = RelayRoutes(
        service,
        own_uid,
        Presses(service, keys, forms, drafts, asked, deliveries, answers, app_id),
        Messages(service, answers, drafts, asked, app_id),
        HeardEvents(service, asked, deliveries, app_id),
        Views(service, keys, forms, drafts, answers, asked),
        deliveries,
        leader,
        meta,
        tenant_key="",
    )
    relay.add_to(routes)
    posting = Posting(service, deliveries, answers.attention, leader)
    page = Door(home, service, past, clock, meta.health_document, settings.page.port)
    return Parts(service, routes, watch, relay, hooks, posting, past, meta.health_document, page)


def _button_secret(home: Home) -> bytes:
    """What buttons are signed with. Raises ConfigError."""
    return _secret(Path(home.button_key))


def _code_secret(home: Home) -> bytes:
    """What one-time codes follow from. A home without it gets one, and whoever was enrolled must be enrolled anew."""
    path = Path(home.code_key)
    if not path.exists():
        write_secret(path, secrets.token_hex(SECRET_BYTES))
    return _secret(path)


def _secret(path: Path) -> bytes:
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not the hexadecimal text that init wrote"
        raise config.ConfigError(f"{path.name} cannot be used: {why}: put it back from a backup") from error
    if len(secret) < BUTTON_SECRET_BYTES_MIN:
        raise config.ConfigError(f"{path.name} cannot be used: it is too short: put it back from a backup")
    return secret


async def serve(home: Home, *, once_fd: int | None, settings: config.Config) -> int:
    """Serve until a signal, a fault, or the end of the one connection; the exit code."""
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    clock = SystemClock()
    store = open_existing_sqlite(Path(home.ledger))
    incarnation = store.incarnation()
    if incarnation is None or not store.head().seq:
        store.close()
        print("frontstage: there is no ledger here: run `frontstage init`", file=sys.stderr)  # noqa: T201
        return EXIT_REFUSED
    term = store.open_term(incarnation)
    # Named with the home's own secret: a snapshot that somebody else wrote into the file is not ours.
    reducer = hmac.digest(_button_secret(home), reducer_digest().encode(), "sha256").hex()
    committed, snapshot = _state_of(store, term, reducer, Path(home.ledger))
    # All that was made until now stays for as long as the daemon runs.
    gc.freeze()
    gc.enable()
    service = Service(
        store,
        term,
        committed,
        LedgerClock(clock, committed.at_ms),
        os.urandom,
        reducer,
        lambda _: stopping.set(),
        snapshot,
    )
    service.start()
    parts = build(home, service, clock, settings)
    server = parts.routes.server(REQUEST_BYTES_MAX, 0 if once_fd is not None else KEEPALIVE_S)
    runner = web.ServerRunner(server, shutdown_timeout=STOP_WAIT_S)
    await runner.setup()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopping.set)
    try:
        if once_fd is not None:
            await _serve_one(runner, once_fd, stopping)
        else:
            await _serve_socket(home, runner, parts, stopping)
    finally:
        # In this order every command that was taken is answered, every follower of the feed sees its end, and only then
        # are the connections closed.
        await service.finish()
        await runner.cleanup()
        service.close()
    return EXIT_FAULT if service.fatal is not None else 0


def _state_of(store: Store, term: Term, reducer: str, ledger: Path) -> tuple[Workspace, Snapshot | None]:
    """The state of the store's head, and the snapshot it began with, if that was of use.

    A snapshot that cannot be read costs time and nothing else. Raises StoreUnusable where the history does not hold.
    """
    passed_over: list[str] = []
    rows: list[SnapshotRow] = []

    def pass_over(why: str) -> None:
        passed_over.append(why)
        _log.info("snapshot passed over", extra={"why": why})

    try:
        with Proof(ledger) as proof:
            committed = restore(store, reducer, pass_over, rows.extend, proof.begin)
    except msgspec.MsgspecError as error:
        _log.warning("a snapshot cannot be read", exc_info=error)
        return replay(store), None
    # What was made of a history is kept when the history is proved, and not before.
    for start in range(0, len(rows), SNAPSHOTS_AT_ONCE_MAX):
        store.save_snapshots(term, rows[start : start + SNAPSHOTS_AT_ONCE_MAX])
    row = store.snapshot(WORKSPACE)
    if row is None or passed_over:
        return committed, None
    return committed, Snapshot(row.seq, decode_body(next(store.events(row.seq - 1, limit=1)).body).at_ms)


async def _serve_one(runner: web.ServerRunner, fd: int, stopping: asyncio.Event) -> None:
    connection = socket.socket(fileno=fd)
    connection.setblocking(False)  # noqa: FBT003  (the socket's own signature)
    assert runner.server is not None, "the runner was set up"
    make_protocol: Callable[[], asyncio.Protocol] = runner.server
    watch = Watch(SystemClock())

    class Once(Guard):
        """The one connection; the daemon ends with it."""

        def __init__(self) -> None:
            super().__init__(make_protocol(), watch)

        def connection_lost(self, exc: Exception | None) -> None:
            """There will be no other."""
            super().connection_lost(exc)
            stopping.set()

    await asyncio.get_running_loop().connect_accepted_socket(Once, connection)
    await stopping.wait()


async def _serve_socket(home: Home, runner: web.ServerRunner, parts: Parts, stopping: asyncio.Event) -> None:
    assert runner.server is not None, "the runner was set up"
    listener = bind(home.socket)
    bound = Path(home.socket).stat()  # noqa: ASYNC240  (before anything is served)
    server = await listen.serve(listener, parts.watch.factory(runner.server))
    parts.page.add_to(parts.routes, os.getuid())
    await parts.page.resume()
    _log.info("ready", extra={"seq": parts.service.committed.seq, "pid": os.getpid()})
    try:
        async with asyncio.TaskGroup() as group:
            timers = jobs.run(parts.service, parts.posting.jobs)
            background = [group.create_task(one) for one in (parts.watch.run(), timers, parts.hooks.run())]
            await stopping.wait()
            for task in background:
                task.cancel()
    finally:
        server.close()
        await parts.page.close()
        if still_ours(home.socket, bound):
            Path(home.socket).unlink(missing_ok=True)  # noqa: ASYNC240  (nothing is served any more)


def take_lock(home: Home, wait_s: float) -> IO[bytes]:
    """The ledger's lock, waiting for a single call to finish. Raises LedgerHeld when it is held for longer."""
    give_up_at = time.monotonic() + wait_s
    seen: lock.Holder | None = None
    while True:
        try:
            return lock.take(Path(home.lock), started_at_ms=SystemClock().wall_ms(), socket_path=home.socket)
        except lock.LedgerHeld as held:
            # Seen twice, because whoever has just taken the lock may not have written its name over the last one's yet.
            lasting = held.holder is not None and held.holder.socket != "" and held.holder == seen
            if lasting or time.monotonic() >= give_up_at:
                raise
            seen = held.holder
            time.sleep(0.02)


def main(argv: list[str] | None = None) -> int:
    """`python -m daemon.app`: serve the ledger of a home."""
    parser = argparse.ArgumentParser(prog="frontstage daemon", description="Serve the ledger of a home.")
    parser.add_argument("--home")
    parser.add_argument("--socket")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fd", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    home = find_home(options.home, options.socket)
    if not Path(home.ledger).exists():
        print("frontstage: there is no ledger here: run `frontstage init`", file=sys.stderr)  # noqa: T201
        return EXIT_REFUSED
    try:
        settings = config.load(home)
        logs.configure("ERROR" if options.once else settings.daemon.log_level)
        sys.setswitchinterval(GIL_SWITCH_S)
        with _locked(home, once=options.once):
            return asyncio.run(serve(home, once_fd=options.fd if options.once else None, settings=settings))
    except lock.LedgerHeld as held:
        print(f"frontstage: {held}", file=sys.stderr)  # noqa: T201
        return EXIT_HELD
    except (StoreUnusable, config.ConfigError, ValueError) as error:
        print(f"frontstage: {error}", file=sys.stderr)  # noqa: T201
        return EXIT_REFUSED


def _locked(home: Home, *, once: bool) -> IO[bytes]:
    """A single call names no socket in the lock, so that a daemon knows it will be gone in a moment."""
    held_by = Home(home.path, "") if once else home
    if once:
        held_by.socket = ""
    return take_lock(held_by, LOCK_WAIT_S)


if __name__ == "__main__":
    sys.exit(main())
