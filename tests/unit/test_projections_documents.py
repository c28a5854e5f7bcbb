"""Documents of reads: pages, lists, lease records and status."""

from typing import get_args

import msgspec
import pytest

from ledger.catalogue import ACTIONS
from ledger.projections.documents import READERS, valid_until_ms
from ledger.projections.status import goal_row
from ledger.projections.stored import STORED_READERS
from ledger.records import GoalState
from ledger.refusals import Refusal
from tests.support.ledger_script import START_MS, Script, script_in

STATES = get_args(GoalState)


def with_todos(count):
    script = Script()
    script.add_agent("builder", "Builder")
    script.activate()
    return script, [script.add_todo(f"Work {number}", priority=f"P{number % 3}") for number in range(count)]


def pages(script, action, list_name, id_name, **params):
    """Every id of a list, read page by page; each page says the total."""
    seen, after = [], None
    while True:
        document = script.read("ann", action, **params, **({} if after is None else {"after": after}))
        seen += [row[id_name] for row in document[list_name]]
        assert document["total"] >= len(document[list_name])
        after = document["next_after"]
        if after is None:
            assert document["total"] == len(seen)
            return seen
        assert after == seen[-1]


def test_every_reading_action_has_a_reader_and_no_other_has():
    assert READERS.keys() | STORED_READERS.keys() == {name for name, action in ACTIONS.items() if not action.writes}


@pytest.mark.parametrize("state", STATES)
def test_every_document_names_its_schema_and_leaves_room_for_the_seq(state):
    script = script_in(state)
    todo_id = next(iter(script.goal().todos), None)
    about = {"goal_id": "docs"}
    asked = {
        "goal.show": about,
        "goal.list": {},
        "todo.list": about,
        "todo.ready": about,
        "artifact.list": about,
        "member.list": {},
        "quota.should-run": about,
        "status.show": {},
        "task-lease.inspect": about | {"todo_id": todo_id},
    }
    for action, params in asked.items():
        if action == "task-lease.inspect" and todo_id is None:
            continue
        document = msgspec.json.decode(msgspec.json.encode(script.read("ann", action, **params)))
        assert document["schema_version"]
        assert not {"ok", "seq"} & document.keys(), action


@pytest.mark.parametrize("action", ["goal.show", "todo.list", "todo.ready", "artifact.list", "quota.should-run"])
def test_a_goal_that_is_not_there_is_not_found(action):
    found = Script().try_read("ann", action, goal_id="nowhere")
    assert isinstance(found, Refusal)
    assert (found.code, found.details) == ("goal_not_found", {"goal_id": "nowhere"})


def test_todos_come_in_pages_in_the_order_of_creation():
    script, ids = with_todos(7)
    assert pages(script, "todo.list", "todos", "todo_id", goal_id="docs", limit=3) == ids
    assert pages(script, "todo.list", "todos", "todo_id", goal_id="docs", limit=7) == ids


def test_open_todos_come_by_urgency():
    script, ids = with_todos(7)
    script.finish(ids[0], "builder")
    by_urgency = [todo_id for place in range(3) for number, todo_id in enumerate(ids) if number % 3 == place][1:]
    assert pages(script, "todo.list", "todos", "todo_id", goal_id="docs", status="open", limit=2) == by_urgency


def test_a_page_goes_on_after_a_todo_that_left_the_list():
    script, ids = with_todos(4)
    first = script.read("ann", "todo.list", goal_id="docs", status="open", limit=2)
    last = first["next_after"]
    script.finish(last, "builder")
    rest = script.read("ann", "todo.list", goal_id="docs", status="open", limit=5, after=last)
    seen = [row["todo_id"] for row in (*first["todos"], *rest["todos"])]
    assert sorted(seen) == sorted(ids)


def test_lists_of_one_status_hold_that_status_alone():
    script, ids = with_todos(4)
    script.finish(ids[0], "builder")
    script.do("ann", "todo.block", goal_id="docs", todo_id=ids[1], reason="Stuck")
    script.do("ann", "todo.cancel", goal_id="docs", todo_id=ids[2])
    for status, expected in (("done", ids[:1]), ("blocked", ids[1:2]), ("cancelled", ids[2:3]), ("open", ids[3:])):
        document = script.read("ann", "todo.list", goal_id="docs", status=status)
        assert [row["todo_id"] for row in document["todos"]] == expected
        assert document["total"] == 1
    totals = script.read("ann", "goal.show", goal_id="docs")["todo_totals"]
    assert totals == {"open": 1, "blocked": 1, "deferred": 0, "done": 1, "cancelled": 1, "all": 4, "listed": 2}
    script.do("ann", "todo.defer", goal_id="docs", todo_id=ids[3], resume_when="pr_merged:one")
    totals = script.read("ann", "goal.show", goal_id="docs")["todo_totals"]
    assert totals == {"open": 0, "blocked": 1, "deferred": 1, "done": 1, "cancelled": 1, "all": 4, "listed": 1}


def test_an_unknown_place_to_go_on_from_is_an_error_and_not_a_first_page():
    script, _ = with_todos(1)
    found = script.try_read("ann", "todo.list", goal_id="docs", after="todo_nothere")
    assert isinstance(found, Refusal)
    assert found.code == "todo_not_found"
    found = script.try_read("ann", "goal.list", after="nowhere")
    assert isinstance(found, Refusal)
    assert found.code == "goal_not_found"


def test_goals_come_in_pages_and_by_state():
    script = Script()
    for name in ("one", "two", "three", "four", "five"):
        script.propose(name)
    script.confirm("two")
    script.confirm("five")
    assert pages(script, "goal.list", "goals", "goal_id", limit=2) == ["one", "two", "three", "four", "five"]
    assert pages(script, "goal.list", "goals", "goal_id", state="active", limit=1) == ["two", "five"]
    rest = script.read("ann", "goal.list", state="active", after="three")
    assert [row["goal_id"] for row in rest["goals"]] == ["five"]


def test_a_state_that_there_is_not_names_the_field():
    found = Script().try_read("ann", "goal.list", state="finished")
    assert isinstance(found, Refusal)
    assert (found.code, found.details["field"]) == ("malformed_params", "state")


def test_ready_work_is_what_this_agent_could_begin_its_own_first():
    script, ids = with_todos(3)
    browse = script.add_todo("Browse", priority="P0", required_capability=("browser",))
    script.add_todo("Later", depends_on=(ids[0],))
    script.add_todo("Not yours", excluded_agent=("builder",))
    script.do("builder", "todo.claim", goal_id="docs", todo_id=ids[2])
    ready = script.read("builder", "todo.ready", goal_id="docs")
    assert [row["todo_id"] for row in ready["todos"]] == [ids[2], ids[0], ids[1]]
    assert (ready["agent_id"], ready["total"], ready["more"]) == ("builder", 3, False)
    free = script.read("ann", "todo.ready", goal_id="docs")
    assert free["agent_id"] is None
    assert browse in [row["todo_id"] for row in free["todos"]]
    assert ids[2] not in [row["todo_id"] for row in free["todos"]]


def test_ready_work_says_when_there_is_more():
    script, ids = with_todos(3)
    ready = script.read("builder", "todo.ready", goal_id="docs", limit=2)
    assert (len(ready["todos"]), ready["more"], ready["total"]) == (2, True, None)
    ready = script.read("builder", "todo.ready", goal_id="docs", limit=3)
    assert (len(ready["todos"]), ready["more"], ready["total"]) == (3, False, 3)
    script.do("ann", "goal.pause", goal_id="docs")
    assert script.read("builder", "todo.ready", goal_id="docs")["todos"] == []
    assert ids


def test_work_whose_lease_lapsed_is_ready_again_for_others():
    script, ids = with_todos(1)
    script.add_agent("second")
    script.do("builder", "task-lease.acquire", goal_id="docs", todo_id=ids[0], idempotency_key="run-1", ttl_seconds=60)
    assert script.read("second", "todo.ready", goal_id="docs")["todos"] == []
    script.pass_ms(60_000)
    (row,) = script.read("second", "todo.ready", goal_id="docs")["todos"]
    assert (row["todo_id"], row["claimed_by"]) == (ids[0], None)


def test_ready_work_of_a_member_who_is_not_there_is_refused():
    script, _ = with_todos(1)
    found = script.try_read("ann", "todo.ready", goal_id="docs", agent_id="nobody")
    assert isinstance(found, Refusal)
    assert found.code == "actor_not_registered"


LEASE_KEYS = {
    "schema_version",
    "goal_id",
    "todo_id",
    "owner",
    "idempotency_key",
    "write_scopes",
    "acquire_ttl_seconds",
    "version",
    "lease_epoch",
    "acquired_at",
    "updated_at",
    "expires_at",
    "status",
    "released_at",
}


def test_a_lease_record_is_task_lease_v0_and_its_key_is_its_holders():
    script, ids = with_todos(1)
    about = {"goal_id": "docs", "todo_id": ids[0]}
    missing = script.read("ann", "task-lease.inspect", **about)
    assert (missing["schema_version"], missing["missing"], missing["effective"]) == ("task_lease_v0", True, False)
    script.do(
        "builder", "task-lease.acquire", **about, idempotency_key="run-1", ttl_seconds=900, write_scope=("reports/a",)
    )
    record = script.read("builder", "task-lease.inspect", **about)
    assert record.keys() == LEASE_KEYS | {"missing", "effective", "end"}
    assert record["idempotency_key"] == "run-1"
    assert script.read("ann", "task-lease.inspect", **about) == record | {"idempotency_key": None}
    assert (record["acquired_at"], record["expires_at"]) == ("2026-05-28T20:26:40Z", "2026-05-28T20:41:40Z")
    assert (record["status"], record["released_at"], record["effective"]) == ("active", None, True)
    assert (record["version"], record["lease_epoch"], record["acquire_ttl_seconds"]) == (1, 1, 900)


def test_a_lapsed_lease_is_not_effective_before_and_after_it_is_written_off():
    script, ids = with_todos(1)
    about = {"goal_id": "docs", "todo_id": ids[0]}
    script.do("builder", "task-lease.acquire", **about, idempotency_key="run-1", ttl_seconds=60)
    script.pass_ms(60_001)
    lapsed = script.read("builder", "task-lease.inspect", **about)
    assert (lapsed["status"], lapsed["effective"]) == ("active", False)
    script.do("daemon", "task-lease.expire", **about)
    written = script.read("builder", "task-lease.inspect", **about)
    assert (written["status"], written["end"], written["effective"]) == ("released", "expired", False)
    assert written["released_at"] == "2026-05-28T20:27:40Z"


def test_the_lease_of_a_todo_that_is_not_there_is_not_found():
    script, _ = with_todos(1)
    found = script.try_read("ann", "task-lease.inspect", goal_id="docs", todo_id="todo_nothere")
    assert isinstance(found, Refusal)
    assert found.code == "todo_not_found"


def test_documents_stay_true_until_the_next_lease_ends():
    script, ids = with_todos(3)
    assert valid_until_ms(script.seen, "docs", script.now_ms) is None
    assert valid_until_ms(script.seen, "nowhere", script.now_ms) is None
    for todo_id, seconds in zip(ids, (90, 60), strict=False):
        script.do(
            "builder",
            "task-lease.acquire",
            goal_id="docs",
            todo_id=todo_id,
            idempotency_key=todo_id,
            ttl_seconds=seconds,
        )
    assert valid_until_ms(script.seen, "docs", START_MS) == START_MS + 60_000
    before = script.read("ann", "goal.show", goal_id="docs")
    script.now_ms = START_MS + 59_999
    assert script.read("ann", "goal.show", goal_id="docs") == before
    script.now_ms = START_MS + 60_000
    assert script.read("ann", "goal.show", goal_id="docs") != before
    assert valid_until_ms(script.seen, "docs", script.now_ms) == START_MS + 90_000
    assert valid_until_ms(script.seen, "docs", START_MS + 90_000) is None


def test_a_document_is_good_until_a_gate_of_its_goal_ends():
    script, _ = with_todos(1)
    asked = {"goal_id": "docs", "gate_id": "gate_one", "question": "May it?", "blocks_goal": True}
    script.do("builder", "gate.open", **asked, on_expiry="deny", expires_in_seconds=60)
    ends_ms = script.now_ms + 60_000
    assert valid_until_ms(script.seen, "docs", script.now_ms) == ends_ms
    assert valid_until_ms(script.seen, "docs", ends_ms) is None


def test_artifacts_are_listed_in_order_with_digest_and_maker():
    script, ids = with_todos(2)
    made = [script.finish(todo_id, "builder") for todo_id in ids]
    document = script.read("ann", "artifact.list", goal_id="docs")
    assert [row["artifact_id"] for row in document["artifacts"]] == made
    assert (
        document["artifacts"][0].items()
        >= {
            "todo_id": ids[0],
            "submitted_by": "builder",
            "criterion_ids": ["c1"],
            "revision": 1,
            "size_bytes": 812,
            "submitted_at": "2026-05-28T20:26:40Z",
        }.items()
    )


def test_members_are_listed_without_credentials_or_lark_ids():
    script = script_in("active")
    document = script.read("ann", "member.list")
    assert [row["member_id"] for row in document["members"]] == ["ann", "bot", "builder"]
    text = msgspec.json.encode(document).decode()
    assert not any(word in text for word in ("digest", "token", "open_id", "union_id", "tenant"))


def test_status_puts_what_needs_somebody_first_and_carries_each_channel():
    script = Script()
    script.add_agent("builder", "Builder")
    script.activate("running")
    script.add_todo(goal_id="running")
    script.activate("urgent", priority="P0")
    script.do("ann", "todo.block", goal_id="urgent", todo_id=script.add_todo(goal_id="urgent"), reason="Stuck")
    script.propose("waiting")
    script.propose("gone")
    script.do("ann", "goal.withdraw", goal_id="gone")
    script.activate("idle")
    script.do("ann", "goal.pause", goal_id="idle")
    document = script.read("ann", "status.show")
    queue = document["attention_queue"]
    assert [(item["goal_id"], item["severity"], item["waiting_on"]) for item in queue["items"]] == [
        ("urgent", "high", "user_or_controller"),
        ("waiting", "action", "user_or_controller"),
        ("idle", "watch", "user_or_controller"),
        ("running", "info", "codex"),
    ]
    assert (queue["total"], queue["needing_somebody"]) == (4, 3)
    for item in queue["items"]:
        assert item["goal_channel_projection"]["goal_id"] == item["goal_id"]
        assert item["recommended_action"] == item["goal_channel_projection"]["next_action"]
    assert queue["items"][1]["gate_id"] == "waiting:revision:1"
    assert document["goals_by_state"] == {"active": 2, "proposed": 1, "withdrawn": 1, "paused": 1}
    assert document["goals_total"] == 5
    assert document["workspace"] == {"name": "Docs team", "members": 2}


def test_a_limit_never_hides_the_urgent_behind_the_calm():
    script = Script()
    script.add_agent("builder")
    for number in range(3):
        script.activate(f"calm-{number}")
        script.add_todo(goal_id=f"calm-{number}")
    script.propose("waiting")
    document = script.read("ann", "status.show", limit=1)
    assert [item["goal_id"] for item in document["attention_queue"]["items"]] == ["waiting"]
    assert document["attention_queue"]["total"] == 4
    assert document["attention_queue"]["needing_somebody"] == 1


def test_a_row_of_a_goal_names_the_event_it_rests_on():
    script = script_in("active")
    row = goal_row(script.goal())
    assert row["cause"] == {"seq": script.seen.seq, "kind": "todo.added", "actor": "ann", "at": "2026-05-28T20:26:40Z"}
    assert row["todos"] == {"open": 1, "blocked": 0, "done": 1, "total": 2}


def test_a_revision_that_waits_stands_beside_the_promise_in_force():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", criterion=("Every anchor works",))
    document = script.read("ann", "goal.show", goal_id="docs")
    assert [one.text for one in document["review"].criteria] == ["Every link works", "Every command runs"]
    assert [one.text for one in document["pending_review"].criteria] == ["Every anchor works"]
    assert document["basis"]["confirm"] == document["pending_review"].basis
    script.confirm()
    document = script.read("ann", "goal.show", goal_id="docs")
    assert [one.text for one in document["review"].criteria] == ["Every anchor works"]
    assert (document["pending_review"], document["basis"]["confirm"]) == (None, None)
