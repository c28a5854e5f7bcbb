"""The workspace that the page is looked at with has what the page is to show."""

from pathlib import Path

from ledger.store.sqlite import open_sqlite_reader
from tests.web.story import BUSY

GOAL = {"goal_id": BUSY}


def test_the_scene_has_every_kind_of_thing_that_the_page_shows(looked):
    client = looked.client()
    states = {one["state"] for one in client.read("goal.list").body["goals"]}
    assert states == {"proposed", "active", "delivered", "accepted", "stopped"}
    todos = client.read("todo.list", GOAL).body["todos"]
    assert {one["status"] for one in todos} == {"open", "done", "proposed"}
    held = {(one["claim"], one["claimed_by"]) for one in todos if one["claim"] != "none"}
    assert held == {
        ("lease", "builder"), ("lease", "linker"), ("lease", "translator"), ("soft", "checker"),
    }  # fmt: skip
    assert {one["status"] for one in client.read("gate.list", GOAL).body["gates"]} == {"rejected", "waiting_on_user"}
    assert len(client.read("run.list", GOAL).body["runs"]) == 6
    assert {one["status"] for one in client.read("amendment.list", GOAL).body["amendments"]} == {"open"}
    assert {one["status"] for one in client.read("request.list", GOAL).body["requests"]} >= {"returned"}
    store = open_sqlite_reader(Path(looked.daemon.made.home.ledger))
    assert len(list(store.refusals(0))) == 4
    store.close()
