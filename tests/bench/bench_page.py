"""The local page over a wide ledger, against an aiohttp echo that answers with a body of exactly that size.

Two hundred goals under way, five thousand todos, a hundred thousand events. Each page is asked for as a browser does,
over loopback, one request after another on a connection that stays: as it is kept, and made anew because something was
committed since. What is compared is what either server computes for an answer; what the commit costs is measured beside
it and taken off. Page and echo take turns in each round.

    python -m tests.bench.bench_page
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.bench.asked import action, answer, post
from tests.bench.loopback import Asker, computed_s, echo
from tests.bench.preload import copy_of
from tests.bench.processes import Processes, Server
from tests.bench.row import Row
from tests.bench.wide import BUSY, EVENTS, GOALS, TODOS, wide

PAGES = {
    "workspace": "",
    "goal of a thousand todos": f"goals/{BUSY}",
    "goal": "goals/g000007",
    "history": "history",
    "agents": "agents",
    "agent": "agents/builder",
    "compose": "compose",
}
ROUNDS = 9
KEPT_ASKED, ANEW_ASKED = 40, 7
RATIO_MAX = 10.0
SIZE_KIB_MAX = 512.0
RESTS_S, SETTLES_S_MAX = 2.0, 120.0
BESIDE = f"{GOALS} goals, {TODOS:,} todos, {EVENTS:,} events"


@dataclass
class Seen:
    """What one page came to: what the server computed for an answer, median of each round, and how large it was."""

    kept_s: list[float] = field(default_factory=list)
    anew_s: list[float] = field(default_factory=list)
    echo_s: list[float] = field(default_factory=list)
    waited_s: list[float] = field(default_factory=list)
    """How long a reader waited for a page that was made anew."""
    size: int = 0


def run() -> list[Row]:
    """Ratios by page, and the largest page."""
    with tempfile.TemporaryDirectory() as folder:
        home = copy_of(wide(), Path(folder) / "home")
        with Processes(Path(folder)) as processes:
            daemon = processes.daemon(home.path)
            url = opened(daemon)
            settled(daemon)
            with Asker.of(url) as asker:
                seen = {name: _measured(daemon, asker, urlsplit(url).path + page) for name, page in PAGES.items()}
    return [row for name, one in seen.items() for row in _rows(name, one)] + [_largest(seen)]


def opened(daemon: Server) -> str:
    """Where the page is."""
    return str(_door(daemon)["url"])


def settled(daemon: Server) -> None:
    """Wait until the daemon has ended what time had ended before it was started, and the ledger rests."""
    give_up_at_s, seq = time.monotonic() + SETTLES_S_MAX, None
    while seq != (seq := _door(daemon)["seq"]):
        assert time.monotonic() < give_up_at_s, "the ledger does not come to rest"
        time.sleep(RESTS_S)


def _door(daemon: Server) -> dict[str, object]:
    status, body = answer(daemon.socket, b"POST /v1/page HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
    assert status == 200, body
    found: dict[str, object] = json.loads(body)
    return found


def _measured(daemon: Server, asker: Asker, path: str) -> Seen:
    seen, pid = Seen(), daemon.process.pid
    with ExitStack() as stack:
        for number in range(ROUNDS):
            tags = iter([f"{path}-{number}-{step}" for step in range(2 * ANEW_ASKED)])
            write_s = _each(pid, ANEW_ASKED, lambda tags=tags: moved(daemon, next(tags)))

            def made_anew(tags: Iterator[str] = tags) -> None:
                moved(daemon, next(tags))
                seen.waited_s.append(_asked(asker, path))

            seen.anew_s.append(_each(pid, ANEW_ASKED, made_anew) - write_s)
            size = len(asker.get(path).body)
            seen.kept_s.append(_each(pid, KEPT_ASKED, partial(_asked, asker, path)))
            if seen.size != size:
                stack.close()
                other, other_pid = stack.enter_context(echo(size))
                seen.size = size
            seen.echo_s.append(_each(other_pid, KEPT_ASKED, partial(_asked, other, "/echo")))
    return seen


def _each(pid: int, times: int, ask: Callable[[], object]) -> float:
    """What a process computes for each of these."""
    before_s = computed_s(pid)
    for _ in range(times):
        ask()
    return (computed_s(pid) - before_s) / times


def _asked(asker: Asker, path: str) -> float:
    found = asker.get(path)
    assert found.status == 200, found.body[-2_000:]
    return found.took_s


def moved(daemon: Server, tag: str) -> None:
    """Commit something to the goal that has most."""
    asked = {"goal_id": BUSY, "todo_id": "todo_0900", "note": f"Step {tag}"}
    status, body = answer(daemon.socket, post(action("todo.update"), tag, **asked))
    assert status == 200, body


def _rows(name: str, seen: Seen) -> list[Row]:
    rows = []
    for how, took_s in (("kept", seen.kept_s), ("made anew", seen.anew_s)):
        ratio = median(mine / theirs for mine, theirs in zip(took_s, seen.echo_s, strict=True))
        waited = f", waited for {median(seen.waited_s) * 1e3:.1f} ms" if took_s is seen.anew_s else ""
        note = (
            f"{median(took_s) * 1e3:.2f} / {median(seen.echo_s) * 1e3:.2f} ms computed for each{waited}; "
            f"against an aiohttp echo of {seen.size:,} bytes; {BESIDE}"
        )
        rows.append(Row(f"page: {name}, {how}", ratio, RATIO_MAX, "at most", note))
    return rows


def _largest(seen: dict[str, Seen]) -> Row:
    name = max(seen, key=lambda one: seen[one].size)
    return Row(
        "page: largest answer", seen[name].size / 1_024, SIZE_KIB_MAX, "at most", f"{name}; {BESIDE}", unit="KiB"
    )


if __name__ == "__main__":
    for row in run():
        print(row)
