"""Search over the socket: caught up when somebody asks, and after words were erased they are found nowhere."""

from pathlib import Path

from daemon.api import past
from ledger.ports import StoreFull
from tests.api.test_daemon_past import GOAL
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.served import Served, served

SECRET = "Zeppelin-at-the-old-pier"


async def _begun(running: Served) -> int:
    await running.do("goal.propose", GOAL)
    basis = running.service.committed.goals["docs"].intents[-1].basis
    await running.do("goal.confirm", {"goal_id": "docs", "basis": basis})
    await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_links", "text": SECRET})
    return running.seq


async def test_what_was_just_said_is_found_and_no_write_waits_for_it():
    async with served() as running:
        await _begun(running)
        assert running.store.search_state().through_seq == 0
        found = (await running.read("search.find", "?query=zeppelin")).document
        assert [(hit["kind"], hit["id"], hit["snippet"]) for hit in found["hits"]] == [("todo", "todo_links", SECRET)]
        assert (found["complete"], found["seq"], found["indexed_through"]) == (True, running.seq, running.seq)
        await running.do("goal.pause", {"goal_id": "docs", "reason": "Zeppelins are out of season"})
        both = (await running.read("search.find", "?query=zeppelin&limit=1")).document
        assert [hit["kind"] for hit in both["hits"]] == ["event"]
        rest = (await running.read("search.find", f"?query=zeppelin&limit=1&after={both['next_after']}")).document
        assert ([hit["id"] for hit in rest["hits"]], rest["next_after"]) == (["todo_links"], None)


async def test_a_search_of_then_and_what_cannot_be_asked():
    async with served() as running:
        seq = await _begun(running)
        assert (await running.read("search.find", f"?query=zeppelin&at={seq - 1}")).document["hits"] == []
        assert (await running.read("search.find", f"?query=zeppelin&at={seq}")).document["seq"] == seq
        for query in ("", "%20", "x" * 201, "a+b+c+d+e+f+g+h+i", "%00"):
            assert (await running.read("search.find", f"?query={query}")).code == "malformed_params", query
        assert (await running.read("search.find", "?query=%22%20OR%20*")).status == 200


async def test_one_search_makes_so_much_searchable_and_the_next_goes_on(monkeypatch):
    monkeypatch.setattr(past, "PIECE_EVENTS", 5)
    monkeypatch.setattr(past, "PIECES_MAX", 2)
    async with served() as running:
        await _begun(running)
        first = (await running.read("search.find", "?query=zeppelin")).document
        assert (first["complete"], first["indexed_through"], first["hits"]) == (False, 10, [])
        while not (answer := (await running.read("search.find", "?query=zeppelin")).document)["complete"]:
            assert answer["indexed_through"] > first["indexed_through"]
        assert [hit["id"] for hit in answer["hits"]] == ["todo_links"]


async def test_a_full_disk_leaves_what_is_searchable(monkeypatch):
    async with served() as running:
        await _begun(running)

        def full(*_):
            raise StoreFull("full")

        monkeypatch.setattr(running.store, "keep_searched", full)
        answer = (await running.read("search.find", "?query=zeppelin")).document
        assert (answer["complete"], answer["hits"]) == (False, [])
        assert running.service.fatal is None


def test_erased_words_are_in_no_index_and_in_no_file():
    def seed(scribe):
        scribe.do("ann", "goal.propose", **(GOAL | {name: tuple(GOAL[name]) for name in ("criterion", "write_scope")}))

    with fresh_home(seed) as made, DaemonProcess(made) as daemon:
        client = daemon.client()
        basis = client.read("goal.show", {"goal_id": "docs"}).body["basis"]["confirm"]
        client.act("goal.confirm", {"goal_id": "docs", "basis": basis})
        seq = client.act("todo.add", {"goal_id": "docs", "todo_id": "todo_links", "text": SECRET}).body["seq"]
        assert client.read("search.find", {"query": "zeppelin"}).body["hits"]
        erased = {"goal_id": "docs", "seq": [seq], "reason_code": "personal_data"}
        assert client.act("words.erase", erased).ok
        assert client.read("search.find", {"query": "zeppelin"}).body["hits"] == []
        left = b"".join(path.read_bytes().lower() for path in Path(made.home.path).glob("ledger.sqlite3*"))
        assert SECRET.lower().encode() not in left
        assert b"zep" not in left
        assert daemon.stop() == 0
