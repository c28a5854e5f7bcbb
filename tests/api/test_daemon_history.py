"""History over the socket and from the command line, with and without a daemon."""

import asyncio
import json
import threading

from daemon.api import past
from ledger.projections import history
from tests.api.test_daemon_past import GOAL
from tests.support.daemons import fresh_home
from tests.support.homes import sha256
from tests.support.served import Served, served


async def _begun(running: Served) -> None:
    await running.do("goal.propose", GOAL)
    basis = running.service.committed.goals["docs"].intents[-1].basis
    await running.do("goal.confirm", {"goal_id": "docs", "basis": basis})
    await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_links", "text": "Check links"})


async def test_events_are_listed_newest_first_in_the_readers_language():
    async with served() as running:
        await _begun(running)
        english = (await running.read("history.list", "?goal_id=docs")).document
        assert (english["ok"], english["seq"], english["next_after"]) == (True, running.seq, None)
        assert [event["kind"] for event in english["events"]] == ["todo.added", "goal.confirmed", "goal.proposed"]
        assert english["events"][0]["sentence"] == "ann added todo_links (P2). “Check links”"
        locale = {"X-Frontstage-Locale": "zh", "Accept": "text/plain"}
        chinese = await running.ask("GET", "/v1/actions/history.list?goal_id=docs&limit=1", headers=locale)
        assert "ann 添加了待办 todo_links" in chinese.body.decode()
        assert "--after" in chinese.body.decode()


async def test_history_of_a_moment_and_an_explanation_of_then():
    async with served() as running:
        await _begun(running)
        before = running.seq
        claim = {"goal_id": "docs", "todo_id": "todo_links"}
        await running.do("todo.claim", claim, who="builder")
        query = "?goal_id=docs&todo_id=todo_links"
        now = (await running.read("history.explain", query)).document
        then = (await running.read("history.explain", f"{query}&at={before}")).document
        assert [one["code"] for one in now["next"]] == ["hold"]
        assert [one["code"] for one in then["next"]] == ["take"]
        assert [event["seq"] for event in then["chain"]] == [before]
        assert (await running.read("history.list", f"?at={before}")).document["events"][0]["seq"] == before
        assert (await running.read("history.list", f"?at={before + 9}")).code == "seq_not_reached"


async def test_a_narrow_credential_reads_the_history_of_its_goal_alone():
    async with served() as running:
        await _begun(running)
        narrow = {"member_id": "builder", "secret_digest": sha256("fs_narrow"), "goal_id": ["docs"]}
        await running.do("token.issue", narrow, who=None)
        running.made.tokens["narrow"] = "fs_narrow"
        assert (await running.read("history.list", "?goal_id=docs", who="narrow")).status == 200
        assert (await running.read("history.list", who="narrow")).code == "token_scope_forbids"


async def test_the_log_is_read_beside_the_loop_and_few_may_wait(monkeypatch):
    opened, threads = threading.Event(), set()
    listed = history._listed

    def slow(*asked):
        threads.add(threading.current_thread() is threading.main_thread())
        assert opened.wait(60)
        return listed(*asked)

    monkeypatch.setattr(history, "_listed", slow)
    monkeypatch.setattr(past, "WAITING_MAX", 2)
    async with served() as running:
        async with asyncio.TaskGroup() as group:
            waiting = [group.create_task(running.read("history.list")) for _ in range(3)]
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=60)
            turned_away = [task.result().code for task in done]
            opened.set()
        assert turned_away == ["busy"]
        assert threads == {False}


def test_without_a_daemon_the_command_line_tells_it_all_the_same(capfd):
    from daemon.cli.main import run  # noqa: PLC0415  (its environment is the test's)

    def seed(scribe):
        lists = {name: tuple(value) for name, value in GOAL.items() if isinstance(value, list)}
        scribe.do("ann", "goal.propose", **(GOAL | lists))

    with fresh_home(seed) as made:
        assert run(["history", "--goal-id", "docs", "--home", made.home.path, "--locale", "en"]) == 0
        assert "ann proposed goal docs." in capfd.readouterr().out
        asked = ["history", "explain", "--goal-id", "docs", "--home", made.home.path, "--json"]
        assert run(asked) == 0
        document = json.loads(capfd.readouterr().out)
        assert (document["state"], [event["kind"] for event in document["chain"]]) == ("proposed", ["goal.proposed"])
        assert document["next"][0]["code"] == "goal.confirm"
