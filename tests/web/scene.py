"""A workspace with life in it, to look at the page with.

    python -m tests.web.scene HOME [--big-graph]

Makes the home unless it is there, starts its daemon, prints where the page is and stays until it is interrupted.
"""

import argparse
import json
from pathlib import Path

from daemon.clock import SystemClock
from daemon.init import create_home
from daemon.paths import Home
from ledger.store.sqlite import open_sqlite
from tests.support.daemons import DaemonProcess
from tests.support.homes import Made, Scribe, secret_of
from tests.web.story import AGENTS, BUSY, HOUR_MS, PEOPLE, STORY_MS, handed_in, now_under_way, tell

NAME, OWNER_NAME = "Handbook team 手册组", "Ann Li 李安"
GRAPH_TODOS, GRAPH_LAYERS = 50, 9
"""As many todos as the work graph must show legibly, and how deep they lie."""


def scene_home(folder: Path, *, big_graph: bool = False, more: object = None) -> Made:
    """The home, with everything in it and nobody serving it yet; `more` may add to it, given the scribe."""
    folder.mkdir(mode=0o700, exist_ok=True, parents=True)
    home = Home(str(folder))
    store = open_sqlite(Path(home.ledger))
    try:
        now_ms = SystemClock().wall_ms()
        create_home(home, store, name=NAME, owner="ann", owner_name=OWNER_NAME, now_ms=now_ms - STORY_MS)
        scribe = Scribe(store, now_ms - STORY_MS)
        tell(scribe)
        assert scribe.now_ms <= now_ms - HOUR_MS, "the story ends an hour before now"
        if big_graph:
            _graph(scribe)
        scribe.now_ms = now_ms - HOUR_MS
        now_under_way(scribe)
        if callable(more):
            more(scribe)
    finally:
        store.close()
    return Made(home, {who: secret_of(who) for who in ("ann", *PEOPLE, *AGENTS)})


def _graph(scribe: Scribe) -> None:
    """A goal of its own whose work hangs together in many layers."""
    words = {"title": "Rebuild the site from its sources", "criterion": ("Every page is built from one source",)}
    scribe.do("ann", "goal.propose", goal_id="rebuild", objective="The site is built in one command", **words)
    scribe.do("ann", "goal.confirm", goal_id="rebuild", basis=str(scribe.state.goals["rebuild"].intents[-1].basis))
    wide = GRAPH_TODOS // GRAPH_LAYERS + 1
    for number in range(GRAPH_TODOS):
        layer, place = divmod(number, wide)
        before = {(layer - 1) * wide + place, (layer - 1) * wide + (place * 3 + 1) % wide} if layer else set()
        after = tuple(f"todo_step_{one:02d}" for one in sorted(before))
        text = f"Build part {number + 1} of the site, layer {layer + 1} 第{layer + 1}层"
        scribe.do("ann", "todo.add", goal_id="rebuild", todo_id=f"todo_step_{number:02d}", text=text, depends_on=after)
    for number in range(2 * wide):
        todo = {"goal_id": "rebuild", "todo_id": f"todo_step_{number:02d}"}
        who = ("builder", "linker", "translator")[number % 3]
        scribe.do(who, "todo.claim", **todo)
        if number < wide:
            part = handed_in(scribe, who, "rebuild", f"part-{number + 1}.tar", todo_id=todo["todo_id"])
            scribe.do(who, "todo.complete", **todo, evidence=(part,))


def page_of(daemon: DaemonProcess) -> str:
    """Where the owner is told the page is."""
    reply = daemon.client("ann").post("/v1/page", {}).or_raise()
    return str(reply.body["url"])


def main() -> None:
    """Make it, serve it, and stay."""
    parser = argparse.ArgumentParser(prog="python -m tests.web.scene", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--big-graph", action="store_true")
    asked = parser.parse_args()
    there = (asked.home / "ledger.sqlite3").exists()
    tokens = {who: secret_of(who) for who in ("ann", *PEOPLE, *AGENTS)}
    made = Made(Home(str(asked.home)), tokens) if there else scene_home(asked.home, big_graph=asked.big_graph)
    with DaemonProcess(made) as daemon:
        print(json.dumps({"home": made.home.path, "url": page_of(daemon), "goal": BUSY}), flush=True)
        try:
            daemon.process.wait()
        except KeyboardInterrupt:
            daemon.stop()


if __name__ == "__main__":
    main()
