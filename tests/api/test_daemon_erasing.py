"""Erasing words in a daemon: every copy in memory and on disk loses them, readers never see a mixture."""

import json
import sqlite3
from pathlib import Path

from daemon import service as service_module
from daemon.cli.main import run
from ledger.codec import decode_row
from ledger.ports import StoreFull
from ledger.reduce import fold
from ledger.state import Workspace
from ledger.testing import Failure
from tests.api.test_daemon_past import GOAL
from tests.support.daemons import DaemonProcess, fresh_home, proved
from tests.support.dump import state_digest
from tests.support.served import Served, served

SECRET = "Meet-at-the-old-pier-0142"


async def _begun(running: Served) -> int:
    await running.do("goal.propose", GOAL)
    basis = running.service.committed.goals["docs"].intents[-1].basis
    await running.do("goal.confirm", {"goal_id": "docs", "basis": basis})
    await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_links", "text": SECRET})
    return running.seq


def _replayed(running: Served) -> Workspace:
    workspace = Workspace()
    for row in running.store.events(0):
        fold(workspace, decode_row(row))
    return workspace


def _erasing(*seqs: int, **about: str) -> dict[str, object]:
    return {"seq": list(seqs), "reason_code": "personal_data", **about}


async def test_readers_the_writer_the_feed_and_the_past_lose_the_words_at_once():
    async with served() as running:
        seq = await _begun(running)
        about = "?goal_id=docs"
        kept = [await running.read("todo.list", query) for query in (about, f"{about}&at={seq}")]
        assert all(SECRET in answer.body.decode() for answer in kept)
        done = await running.do("words.erase", _erasing(seq, goal_id="docs"))
        assert done["result"]["seqs"] == [seq]
        service = running.service
        assert state_digest(service.committed) == state_digest(_replayed(running))
        assert state_digest(service._writer._ahead) == state_digest(service.committed)
        assert SECRET not in repr(service.recent)
        for action in ("todo.list", "goal.show", "history.list", "todo.ready"):
            for query in (about, f"{about}&at={seq}"):
                assert SECRET not in (await running.read(action, query)).body.decode(), action
        told = (await running.read("history.list", f"{about}&from_seq={seq}&to_seq={seq}")).document
        assert told["events"][0]["words_erased"] == ["title", "acceptance"]


async def test_work_goes_on_from_the_state_that_lost_them():
    async with served() as running:
        seq = await _begun(running)
        await running.do("words.erase", _erasing(seq, goal_id="docs"))
        await running.do("todo.claim", {"goal_id": "docs", "todo_id": "todo_links"}, who="builder")
        assert state_digest(running.service.committed) == state_digest(_replayed(running))
        assert state_digest(running.service._writer._ahead) == state_digest(running.service.committed)


async def test_words_of_the_workspace_go_from_every_document_that_shows_them():
    async with served() as running:
        await running.do("member.add", {"member_id": "carl", "kind": "person", "display_name": SECRET}, who=None)
        seq = running.seq
        assert SECRET in (await running.read("member.list")).body.decode()
        await running.do("words.erase", _erasing(seq))
        assert SECRET not in (await running.read("member.list")).body.decode()
        assert running.service.registry_seq == running.seq
        assert state_digest(running.service.committed) == state_digest(_replayed(running))


async def test_a_goal_that_was_put_away_loses_them_too(monkeypatch):
    monkeypatch.setattr(service_module, "CLOSED_RESIDENT_MAX", 0)
    async with served() as running:
        await running.do("goal.propose", GOAL | {"objective": SECRET})
        seq = running.seq
        basis = running.service.committed.goals["docs"].intents[-1].basis
        await running.do("goal.decline", {"goal_id": "docs", "basis": basis})
        assert await running.service.let_go() == 1
        assert SECRET in (await running.read("goal.list")).body.decode()
        await running.do("words.erase", _erasing(seq, goal_id="docs"))
        assert SECRET not in (await running.read("goal.list")).body.decode()
        assert await running.service.let_go() == 1
        for action, about in (("goal.list", ""), ("goal.show", "?goal_id=docs"), ("status.show", "")):
            assert SECRET not in (await running.read(action, about)).body.decode(), action


async def test_a_full_disk_erases_nothing():
    async with served() as running:
        seq = await _begun(running)
        running.store.fail(Failure(StoreFull("full")))
        assert (await running.act("words.erase", _erasing(seq, goal_id="docs"))).code == "storage_full"
        assert SECRET in (await running.read("todo.list", "?goal_id=docs")).body.decode()
        assert running.service.erasures == 0


def _bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("ledger.sqlite3*"))


def test_nothing_of_it_is_left_in_the_files_and_the_next_daemon_knows_no_more():
    def seed(scribe):
        scribe.do("ann", "goal.propose", **(GOAL | {name: tuple(GOAL[name]) for name in ("criterion", "write_scope")}))

    with fresh_home(seed) as made:
        with DaemonProcess(made) as daemon:
            client = daemon.client()
            basis = client.read("goal.show", {"goal_id": "docs"}).body["basis"]["confirm"]
            client.act("goal.confirm", {"goal_id": "docs", "basis": basis})
            seq = client.act("todo.add", {"goal_id": "docs", "todo_id": "todo_links", "text": SECRET}).body["seq"]
            assert SECRET.encode() in _bytes_of(made.path)
            assert client.act("words.erase", _erasing(seq, goal_id="docs")).ok
            assert SECRET.encode() not in _bytes_of(made.path)
            assert daemon.stop() == 0
        report = proved(made)
        assert (report.holds, report.redacted_seqs) == (True, (seq,))
        with DaemonProcess(made) as daemon:
            document = daemon.client().read("todo.list", {"goal_id": "docs"}).body
            assert [todo["title"] for todo in document["todos"]] == ["[erased]"]
        connection = sqlite3.connect(made.home.ledger)
        assert connection.execute("SELECT count(*) FROM event WHERE words IS NULL AND seq = ?", (seq,)).fetchone() == (
            1,
        )
        connection.close()


def test_verify_and_export_say_what_is_gone_and_an_import_holds(capfd, tmp_path):
    def seed(scribe):
        scribe.do("ann", "goal.propose", **(GOAL | {name: tuple(GOAL[name]) for name in ("criterion", "write_scope")}))
        seq = scribe.state.seq
        scribe.do("ann", "words.erase", goal_id="docs", seq=(seq,), reason_code="legal")

    with fresh_home(seed) as made:
        at = ["--home", made.home.path]
        assert run(["ledger", "verify", *at, "--json"]) == 0
        report = json.loads(capfd.readouterr().out)
        assert (report["redacted"], len(report["redacted_seqs"])) == (1, 1)
        exported = tmp_path / "ledger.jsonl"
        assert run(["ledger", "export", *at, "--output", str(exported)]) == 0
        lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
        (gone,) = [line for line in lines if line.get("seq") == report["redacted_seqs"][0]]
        assert gone["words"] is None
        assert "Every page" not in exported.read_text(encoding="utf-8")
        capfd.readouterr()
        copy = ["--home", str(tmp_path / "copy")]
        assert run(["ledger", "import", "--input", str(exported), *copy]) == 0
        capfd.readouterr()
        assert run(["ledger", "verify", *copy, "--json"]) == 0
        assert json.loads(capfd.readouterr().out)["redacted_seqs"] == report["redacted_seqs"]
