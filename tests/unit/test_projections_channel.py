"""`goal_channel_projection_v0`: the published schema, true at one event, the same from a replay, and nothing private.

`UPDATE_GOLDENS=1 pytest tests/unit/test_projections_channel.py` writes the goldens anew.
"""

import os
from pathlib import Path
from typing import get_args

import msgspec
import orjson
import pytest

from ledger.projections.channel import TRUTH_CONTRACT, channel_projection
from ledger.projections.privacy import WARNING_KIND, WITHHELD, screened
from ledger.records import GoalState
from tests.support.ledger_script import START_MS, Script, script_in

FOLDER = Path(__file__).parents[1] / "golden" / "projections"
UPDATE = os.environ.get("UPDATE_GOLDENS") == "1"
STATES = get_args(GoalState)

# The published schema: every key of it, and what stands in the rows of its lists.
SCHEMA = {
    "schema_version": None,
    "goal_id": None,
    "display_name": None,
    "generated_at": None,
    "source_refs": {
        "status_generated_at",
        "active_state_updated_at",
        "latest_run_generated_at",
        "review_packet_generated_at",
    },
    "waiting_on": None,
    "latest_status": None,
    "next_action": None,
    "decision_frame": {"user_action_required", "agent_action_required", "quiet_noop_allowed"},
    "quota": {"state", "reason", "spend_policy"},
    "user_todos": {"todo_id", "title", "status", "priority"},
    "agent_todos": {"todo_id", "title", "status", "priority", "claimed_by"},
    "open_gates": {"gate_id", "kind", "status", "blocks"},
    "artifacts": {"kind", "label", "path"},
    "active_leases": {"todo_id", "owner_agent", "lease_until", "write_scope"},
    "recent_events": {"generated_at", "classification", "summary"},
    "source_warnings": {"kind", "field_path", "reason"},
}
OURS = {
    "mode",
    "truth_contract",
    "state",
    "revision",
    "priority",
    "objective",
    "next_safe_action",
    "responsible",
    "claimed_until",
    "write_scopes",
    "todo_totals",
    "proposals",
    "proposals_total",
    "artifacts_total",
    "cause",
}
HOME_PATH = "/home/ann/notes.md"


def project(script, goal_id="docs"):
    return screened(channel_projection(script.seen, script.goal(goal_id), script.now_ms), lambda _goal_id: "open")


def wire(document):
    return msgspec.json.decode(msgspec.json.encode(document))


def busy_script():
    """A goal with everything a projection can list, and one text that must not be in it."""
    script = script_in("active")
    leased = script.add_todo("Run every command", priority="P1")
    script.do(
        "builder",
        "task-lease.acquire",
        goal_id="docs",
        todo_id=leased,
        idempotency_key="run-1",
        write_scope=("reports/commands/**",),
        ttl_seconds=900,
    )
    script.do("builder", "todo.claim", goal_id="docs", todo_id=script.add_todo("Check the spelling"))
    script.do("ann", "todo.block", goal_id="docs", todo_id=script.add_todo("Ask the host"), reason="The host is down.")
    script.add_todo("Name the host", role="user", task_class="user_action")
    script.add_todo("Write it up", depends_on=(leased,))
    script.add_todo(f"Read {HOME_PATH} first")
    script.do("ann", "goal.revise", goal_id="docs", criterion=("Every link and anchor works",))
    return script


@pytest.mark.parametrize("state", STATES)
def test_the_projection_of_a_state_is_what_it_was(state):
    document = wire(project(script_in(state)))
    file = FOLDER / f"channel_{state}.json"
    if UPDATE:
        file.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    assert document == orjson.loads(file.read_bytes())


def test_the_projection_of_a_busy_goal_is_what_it_was():
    document = wire(project(busy_script()))
    file = FOLDER / "channel_busy.json"
    if UPDATE:
        file.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    assert document == orjson.loads(file.read_bytes())


def test_there_is_no_golden_without_its_state():
    assert {file.stem for file in FOLDER.glob("channel_*.json")} == {f"channel_{name}" for name in (*STATES, "busy")}


@pytest.mark.parametrize("state", [*STATES, "busy"])
def test_it_has_the_keys_of_the_schema_and_the_declared_ones_beside_them(state):
    document = project(busy_script() if state == "busy" else script_in(state))
    assert set(document) == SCHEMA.keys() | OURS
    for name, keys in SCHEMA.items():
        if keys is None:
            continue
        rows = document[name] if isinstance(document[name], list) else [document[name]]
        for row in rows:
            assert keys <= row.keys(), name


def test_every_list_of_the_schema_has_a_row_in_the_busy_goal():
    document = project(busy_script())
    assert all(document[name] for name, keys in SCHEMA.items() if keys is not None)


@pytest.mark.parametrize("state", STATES)
def test_a_replayed_ledger_projects_the_same(state):
    script = script_in(state)
    again = script.replayed()
    assert channel_projection(again, again.goals[script.goal().goal_id], script.now_ms) == project(script)


def test_it_is_true_at_an_event_and_never_reads_the_clock():
    script = script_in("active")
    before = project(script)
    script.pass_ms(86_400_000)
    assert project(script) == before
    assert before["generated_at"] == before["cause"]["at"] == "2026-05-28T20:26:40Z"
    assert before["cause"]["seq"] == before["truth_contract"]["goal_seq"] == script.goal().last_seq
    script.propose("other")
    assert project(script) == before


def test_it_says_that_it_is_a_view():
    document = project(script_in("active"))
    assert document["mode"] == "read_only"
    assert document["truth_contract"].items() >= TRUTH_CONTRACT.items()
    assert document["truth_contract"]["source"] == "ledger"


def test_a_claim_and_a_lease_on_one_todo_are_one_row_that_says_which():
    script = script_in("active")
    todo_id = script.goal().by_priority[0][2]
    script.do("builder", "todo.claim", goal_id="docs", todo_id=todo_id)
    (soft,) = project(script)["active_leases"]
    assert (soft["kind"], soft["lease_until"]) == ("soft_claim", None)
    script.do("builder", "task-lease.acquire", goal_id="docs", todo_id=todo_id, idempotency_key="run-1", ttl_seconds=60)
    (hard,) = project(script)["active_leases"]
    assert (hard["kind"], hard["lease_until"]) == ("hard_lease", "2026-05-28T20:27:40Z")
    assert (hard["todo_id"], hard["owner_agent"], hard["version"]) == (todo_id, "builder", 1)


def test_a_lease_that_passed_its_end_is_gone_though_nobody_wrote_it_off():
    script = script_in("active")
    todo_id = script.goal().by_priority[0][2]
    script.do("builder", "task-lease.acquire", goal_id="docs", todo_id=todo_id, idempotency_key="run-1", ttl_seconds=60)
    script.pass_ms(59_999)
    assert project(script)["claimed_until"] == "2026-05-28T20:27:40Z"
    script.pass_ms(1)
    gone = project(script)
    assert (gone["active_leases"], gone["claimed_until"], gone["responsible"]) == ([], None, [])
    assert gone["agent_todos"][0]["claimed_by"] is None


def test_the_execution_key_never_appears():
    script = busy_script()
    assert b"run-1" not in msgspec.json.encode(script.read("ann", "goal.show", goal_id="docs"))
    assert b"run-1" not in msgspec.json.encode(script.read("ann", "status.show"))


def test_a_revoked_member_holds_nothing():
    script = busy_script()
    script.do("ann", "member.revoke", member_id="builder")
    document = project(script)
    assert document["active_leases"] == []
    assert [person["member_id"] for person in document["responsible"]] == ["ann"]


def test_no_lark_id_is_in_a_projection():
    script = script_in("active")
    document = msgspec.json.encode(script.read("ann", "goal.show", goal_id="docs"))
    assert b"ou_" not in document
    assert b"oc_" not in document


def test_display_copy_is_clipped_and_numbers_stay_numbers():
    script = Script()
    script.activate(title="T" * 120, objective="O" * 9_000)
    for number in range(7):
        script.add_todo("字" * 500, role="user", task_class="user_action")
        script.add_todo(f"{number} " + "w" * 498)
    document = project(script)
    assert len(document["display_name"]) == 120
    assert len(document["objective"]) == 2_000
    assert {len(row["title"]) for row in document["agent_todos"]} == {220}
    assert document["agent_todos"][0]["title"].endswith("…")
    assert len(document["user_todos"]) == 3
    assert len(document["recent_events"]) == 5
    assert len(document["next_action"]) <= 260
    assert len(document["waiting_on"]) <= 80
    assert len(document["latest_status"]) <= 160
    assert document["todo_totals"] == {
        "open": 14,
        "blocked": 0,
        "deferred": 0,
        "done": 0,
        "cancelled": 0,
        "all": 14,
        "listed": 10,
    }


def test_the_first_fifty_open_todos_are_listed_by_urgency_with_the_totals_beside():
    script = Script()
    script.activate()
    for number in range(60):
        script.add_todo(f"Work {number}", priority="P1" if number == 59 else "P2")
    document = project(script)
    titles = [row["title"] for row in document["agent_todos"]]
    assert titles == ["Work 59", *(f"Work {number}" for number in range(49))]
    assert document["todo_totals"]["open"] == 60
    assert document["todo_totals"]["listed"] == 50


def test_newest_events_come_first():
    seqs = [row["seq"] for row in project(busy_script())["recent_events"]]
    assert seqs == sorted(seqs, reverse=True)


def test_hostile_text_stays_data():
    text = "**b** <at id=all></at> `x` \u202egnp.exe \x1b[31m\nInjected: true"
    script = Script()
    script.activate(title=text, objective=text)
    script.add_todo(text)
    document = wire(project(script))
    assert (document["display_name"], document["objective"], document["agent_todos"][0]["title"]) == (text,) * 3
    assert document["source_warnings"] == []


def test_a_private_text_is_withheld_and_said_to_be():
    document = project(busy_script())
    place = next(number for number, row in enumerate(document["agent_todos"]) if row["title"] == WITHHELD)
    assert document["source_warnings"] == [
        {"kind": WARNING_KIND, "field_path": f"agent_todos[{place}].title", "reason": "absolute_path"}
    ]
    assert HOME_PATH.encode() not in msgspec.json.encode(document)


def test_a_decision_that_waits_is_a_gate_with_the_work_it_blocks():
    assert [(gate["kind"], gate["blocks"]) for gate in project(script_in("proposed"))["open_gates"]] == [
        ("owner_decision", ["docs"])
    ]
    assert [(gate["kind"], gate["blocks"]) for gate in project(script_in("delivered"))["open_gates"]] == [
        ("acceptance", ["docs"])
    ]
    assert [(gate["kind"], gate["blocks"]) for gate in project(busy_script())["open_gates"]] == [("amendment", [])]
    assert project(script_in("active"))["open_gates"] == []


@pytest.mark.parametrize(
    ("state", "action", "by", "waiting_on"),
    [
        ("proposed", "goal.confirm", "owner", "user_or_controller"),
        ("clarifying", "goal.clarify", "owner", "user_or_controller"),
        ("active", "todo.claim", "agent", "codex"),
        ("paused", "goal.resume", "owner", "user_or_controller"),
        ("delivered", "goal.accept", "owner", "user_or_controller"),
        ("changes_requested", "todo.add", "agent", "codex"),
        ("accepted", None, "nobody", "nobody"),
        ("declined", None, "nobody", "nobody"),
        ("withdrawn", None, "nobody", "nobody"),
        ("stopped", None, "nobody", "nobody"),
    ],
)
def test_the_next_safe_action_of_every_state(state, action, by, waiting_on):
    document = project(script_in(state))
    step = document["next_safe_action"]
    assert (step["action"], step["by"], document["waiting_on"]) == (action, by, waiting_on)
    assert step["subject"]["goal_id"] == "docs"


def test_the_next_safe_action_of_a_decision_can_be_taken_as_it_stands():
    script = script_in("proposed")
    for expected in ("goal.confirm", "todo.add"):
        step = project(script)["next_safe_action"]
        assert step["action"] == expected
        if expected == "goal.confirm":
            script.do("ann", "goal.confirm", goal_id="docs", basis=step["basis"])
    script.finish(script.add_todo(), "builder")
    assert project(script)["next_safe_action"]["action"] == "goal.deliver"
    script.deliver()
    step = project(script)["next_safe_action"]
    script.do("ann", step["action"], goal_id="docs", basis=step["basis"])
    assert script.goal().state == "accepted"


def test_what_unlocks_a_goal_is_named():
    script = script_in("active")
    todo_id = script.goal().by_priority[0][2]
    script.do("ann", "todo.block", goal_id="docs", todo_id=todo_id, reason="The host is down.")
    step = project(script)["next_safe_action"]
    assert (step["action"], step["subject"]["todo_id"]) == ("todo.update", todo_id)
    user = script.add_todo("Name the host", role="user", task_class="user_action")
    step = project(script)["next_safe_action"]
    assert (step["action"], step["by"], step["subject"]["todo_id"]) == ("todo.complete", "owner", user)


def test_work_that_no_agent_can_do_asks_for_one():
    script = Script()
    script.activate()
    script.add_todo("Check", required_capability=("browser",))
    document = project(script)
    assert (document["next_safe_action"]["action"], document["waiting_on"]) == ("member.add", "controller")
    script.add_agent("builder")
    document = project(script)
    assert document["quota"]["state"] == "capability_missing"
    assert document["next_safe_action"]["subject"]["capabilities"] == ["browser"]


def test_the_script_begins_when_it_says():
    assert START_MS == 1_780_000_000_000
