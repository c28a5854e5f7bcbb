"""The tools that agents are offered, and the calls that help after a refusal, as tables."""

import json
import logging
import re
import subprocess
import sys
from itertools import product

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.agents.mcp_next import next_after_misunderstanding, next_call
from daemon.agents.mcp_resources import found, resources
from daemon.agents.mcp_server import _Templates
from daemon.agents.mcp_tools import (
    ASKED_OF_OTHERS,
    DAILY,
    LOOKED_AT,
    NOW_AND_THEN,
    Asked,
    NotUnderstood,
    actions,
    offered,
    understood,
)
from daemon.cli.spawn import module_environment
from ledger.catalogue import ACTIONS
from ledger.refusals import GeneralRefusal
from ledger.text.reference import FAMILIES
from tests.tidy.sources import ROOT

TOOLS_MAX = 12
TOOLS_CHARS_MAX = 22_000
"""About 5,500 tokens, at four characters each."""
CODES = sorted({code.value for family in FAMILIES.values() for code in family} | {"daemon_unreachable"})
KNOWN = {
    "goal_id": "docs", "todo_id": "todo_a", "gate_id": "gate_a", "plan_id": "plan_a", "amendment_id": "amendment_a",
    "request_id": "request_a", "agent_id": "builder", "idempotency_key": "turn-1",
}  # fmt: skip
TWELVE = offered(full=False)
EVERY = offered(full=True)


def wire(tool):
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}


def test_twelve_tools_are_short_enough_to_be_read_each_time():
    said = json.dumps([wire(tool) for tool in TWELVE.values()], separators=(",", ":"))
    assert len(TWELVE) <= TOOLS_MAX
    assert len(said) <= TOOLS_CHARS_MAX


def test_what_is_offered_is_what_an_agent_may_call():
    may = {action.name for action in ACTIONS.values() if not action.hidden and action.who & {"agent", "anyone"}}
    assert set(actions()) == may
    assert {tool.actions[0] for tool in EVERY.values()} == may
    several = [*DAILY, *ASKED_OF_OTHERS, *NOW_AND_THEN, *LOOKED_AT]
    assert len(several) == len(set(several))
    assert set(several) <= may


def test_no_tool_mixes_what_writes_with_what_reads():
    for tool in (*TWELVE.values(), *EVERY.values()):
        assert {actions()[name].writes for name in tool.actions} == {tool.writes}


@pytest.mark.parametrize("tool", [*TWELVE.values(), *EVERY.values()], ids=lambda tool: tool.name)
def test_a_schema_is_one_that_every_client_takes(tool):
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf", "$ref", "$defs"} & set(tool.schema)
    assert re.fullmatch(r"[a-z_]{1,64}", tool.name)
    assert tool.description


@pytest.mark.parametrize("name", actions())
def test_a_schema_is_the_tables_own_so_that_an_example_holds_by_both(name):
    """Every parameter that the model has, and no other; what it requires, and no more."""
    model, action = ACTIONS[name].params, actions()[name]
    assert set(action.fields) == set(model.model_fields)
    assert set(action.required) == {field for field, info in model.model_fields.items() if info.is_required()}
    assert action.schema["additionalProperties"] is False
    checked = jsonschema.Draft202012Validator(EVERY[name.replace(".", "_").replace("-", "_")].schema)
    assert list(checked.iter_errors({"nonsense": 1}))
    if action.required:
        assert list(checked.iter_errors({}))


@pytest.mark.parametrize("tool", [tool for tool in TWELVE.values() if tool.grouped], ids=lambda tool: tool.name)
def test_a_tool_of_several_says_every_parameter_of_each(tool):
    for name in tool.actions:
        action = actions()[name]
        assert f"- {action.signature()}: {action.summary}" in tool.description
        for field, required in ((field, field in action.required) for field in action.fields):
            assert re.search(rf"[(, ]{field}{'' if required else '[?]'}[,)]", action.signature())
        given = {field: example(schema) for field, schema in action.fields.items()}
        jsonschema.validate({"action": name, "params": given}, tool.schema)


def example(schema):
    match schema["type"]:
        case "integer":
            return 1
        case "boolean":
            return True
        case "array":
            return [example(schema["items"])]
        case "object":
            return {name: example(inner) for name, inner in schema["properties"].items()}
        case _:
            return schema.get("enum", ["x"])[0]


@pytest.mark.parametrize("code", CODES)
def test_every_refusal_names_a_call_that_can_be_made(code):
    for tools, name in product((TWELVE, EVERY), ("todo.complete", "goal.show", "gate.open")):
        tool = next(one for one in tools.values() if name in one.actions)
        action = actions()[name]
        params = {field: KNOWN.get(field, example(action.fields[field])) for field in action.required}
        asked = Asked(action=action, params=params, request_key="k-1" if action.writes else None)
        call = next_call(tools, tool, asked, code, {"field": "todo_id"})
        assert call.why
        following = tools[call.tool]
        meant = understood(following, call.arguments)
        if call.schema:  # The same call without what is wrong with it.
            assert meant.action == action
            assert meant.request_key is None
        else:
            jsonschema.Draft202012Validator(following.schema).validate(call.arguments)
            assert set(meant.action.required) <= set(meant.params)


@pytest.mark.parametrize(
    ("code", "action"),
    [
        ("lease_fence_required", "task-lease.inspect"),
        ("version_mismatch", "task-lease.inspect"),
        ("lease_not_active", "task-lease.inspect"),
        ("todo_lease_conflict", "todo.ready"),
        ("claim_owner_mismatch", "todo.ready"),
        ("todo_not_found", "todo.list"),
        ("goal_not_found", "goal.list"),
        ("gate_not_found", "gate.list"),
        ("request_not_found", "request.list"),
        ("artifact_not_found", "artifact.list"),
        ("member_not_found", "member.list"),
        ("plan_not_found", "goal.show"),
        ("stale_basis", "plan.show"),
        ("gate_blocks", "gate.show"),
        ("validator_failed", "artifact.list"),
        ("evidence_not_sound", "artifact.list"),
        ("slots_exhausted", "quota.status"),
        ("run_not_reported", "run.list"),
        ("goal_not_granted", "member.show"),
        ("nothing_free", "quota.should-run"),
        ("dependency_unmet", "todo.list"),
        ("not_permitted", "quota.should-run"),
        ("handoff_mode_forbids_lease", "todo.claim"),
    ],
)
def test_the_call_after_a_code_is_the_one_that_shows_what_it_is_about(code, action):
    asked = Asked(action=actions()["todo.complete"], params=KNOWN, request_key="k-1")
    call = next_call(EVERY, EVERY["todo_complete"], asked, code, {})
    assert call.tool == action.replace(".", "_").replace("-", "_")


@pytest.mark.parametrize("code", ["daemon_unreachable", "busy", "shutting_down", "storage_full", "fault"])
def test_what_may_have_been_done_is_asked_again_under_its_own_key(code):
    params = {"goal_id": "docs", "text": "Look again"}
    asked = Asked(action=actions()["todo.add"], params=params, request_key="k-1")
    call = next_call(TWELVE, TWELVE["act"], asked, code, {})
    assert call.document()["arguments"] == {"action": "todo.add", "params": params, "request_key": "k-1"}


def test_what_was_wrong_is_left_out_and_its_key_with_it_and_nothing_long_is_said_again():
    params = {"goal_id": "docs", "text": "x" * 9_000, "priority": "P9"}
    asked = Asked(action=actions()["todo.add"], params=params, request_key="k-1")
    details = {"fields": [{"field": "priority", "problem": "none of these"}]}
    call = next_call(TWELVE, TWELVE["act"], asked, "malformed_params", details).document()
    assert call["arguments"] == {"action": "todo.add", "params": {"goal_id": "docs"}}
    assert call["as_before"] == ["text"]
    assert call["schema"] == "frontstage://actions/todo.add"


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "helps"),
    [
        ("read", {"action": "todo.add"}, "action", ("act", "todo.add")),
        ("act", {"action": "todo.claim", "params": {"goal_id": "docs"}}, "action", ("todo_claim", None)),
        ("act", {"action": "todo.ad"}, "action", ("act", "todo.add")),
        ("act", {"action": "qqqqqqqq"}, "action", ("act", "todo.add")),
        ("read", {}, "action", ("read", "goal.list")),
        ("read", {"params": {"goal_id": "docs"}}, "action", ("read", "agent.inbox")),
        ("read", {"action": ["x"]}, "action", ("read", "goal.list")),
    ],
)
def test_who_names_no_action_is_told_the_one_that_was_probably_meant(tool, arguments, field, helps):
    with pytest.raises(NotUnderstood) as caught:
        understood(TWELVE[tool], arguments)
    assert caught.value.field == field
    call = next_after_misunderstanding(TWELVE, TWELVE[tool], arguments, field)
    assert (call.tool, call.arguments.get("action")) == helps


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(list(actions())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["action", "params", "request_key", "at", "goal_id", "todo_id"]) | st.text(max_size=80)


@given(st.sampled_from(list(TWELVE)), st.dictionaries(NAMES, ANYTHING, max_size=5))
def test_whatever_a_call_says_it_is_understood_or_answered_with_one_that_is(name, arguments):
    tool = TWELVE[name]
    field = None
    try:
        asked = understood(tool, arguments)
    except NotUnderstood as error:
        field = error.field
    if field is not None:
        call = next_after_misunderstanding(TWELVE, tool, arguments, field)
        json.dumps(call.document())
        assert call.tool in TWELVE
        assert len(field) <= 64
        return
    assert asked.action.name in tool.actions
    assert (asked.request_key is None) or asked.action.writes
    assert (asked.at is None) or not asked.action.writes
    for code in ("malformed_params", "busy", "goal_not_found"):
        json.dumps(next_call(TWELVE, tool, asked, code, {}).document())


def test_every_resource_is_a_read_whose_holes_are_all_that_it_needs():
    for resource in resources():
        if not resource.action:
            continue
        action = actions()[resource.action]
        holes = set(re.findall(r"\{(\w+)\}", resource.path))
        assert not action.writes
        assert set(action.required) <= holes <= set(action.fields)
        address = re.sub(r"\{\w+\}", "some%2Fid", resource.uri)
        assert found(address) == (resource, dict.fromkeys(holes, "some/id"))


@pytest.mark.parametrize("uri", ["", "frontstage://", "frontstage://goals/", "http://goals", "frontstage://status/x"])
def test_an_address_of_another_form_is_none(uri):
    assert found(uri) is None


def test_a_log_line_has_no_values():
    error = ValueError("fs_secret")
    told = {"name": "sdk", "levelname": "ERROR", "msg": "handler for %r raised", "args": ("fs_x",)}
    record = logging.makeLogRecord({**told, "exc_info": (ValueError, error, None)})
    assert _Templates().format(record) == "error sdk: handler for %r raised (ValueError)"


def test_without_its_extra_the_command_says_what_to_install():
    script = (
        "import sys; sys.modules['mcp'] = None; sys.modules['anyio'] = None; sys.argv = ['frontstage', 'mcp']\n"
        "from daemon.cli.main import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], env=module_environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (8, "")
    assert "pip install 'frontstage[mcp]'" in done.stderr


def test_the_page_has_the_tools_and_the_addresses():
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_]+)` \|", page, re.MULTILINE)
    assert listed == list(TWELVE)
    for tail in (resource.path.rpartition("/")[2] for resource in resources()):
        assert tail in page
    assert GeneralRefusal.MALFORMED_PARAMS.value in page
