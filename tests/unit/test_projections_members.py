"""`agent_member_v1` and presence: what the ledger can vouch for of an agent, word by word, and nothing beyond it."""

import msgspec
import pytest

from ledger.projections.documents import valid_until_ms
from ledger.refusals import Refusal
from tests.support.views import basis, credential, try_view, view
from tests.support.world import World, digest

CONTRACT = {
    "schema_version", "agent_id", "agent_model", "profile_role", "profile_role_is_advisory", "goal_id",
    "current_claims", "last_action", "handoff_assignment_status", "presence",
}  # fmt: skip


def active(todos: int = 1) -> World:
    world = World()
    world.activate()
    for number in range(todos):
        world.add(f"todo_{number:03}")
    return world


def show(world: World, agent_id: str = "builder", **params: object) -> dict:
    return view(world, "member.show", agent_id=agent_id, **params)


def presence(world: World, agent_id: str = "builder") -> tuple[str | None, str | None]:
    document = show(world, agent_id, goal_id="docs")
    return document["presence"], document["presence_because"]


def acted(world: World, agent_id: str = "builder") -> World:
    """The agent can be reached and has done something here of its own."""
    credential(world, agent_id)
    world.do(agent_id, "todo.claim", goal_id="docs", todo_id="todo_000")
    world.do(agent_id, "todo.release", goal_id="docs", todo_id="todo_000")
    return world


def test_the_document_has_every_field_of_the_contract():
    document = show(active(), goal_id="docs")
    assert document.keys() >= CONTRACT
    assert (document["schema_version"], document["agent_model"]) == ("agent_member_v1", "peer_v1")
    assert document["profile_role_is_advisory"] is True
    assert (document["agent_id"], document["goal_id"]) == ("builder", "docs")


def test_without_a_credential_a_member_is_only_registered_whatever_it_did():
    world = active()
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_000")
    assert presence(world) == ("registered", "no_credential")


def test_a_credential_of_another_goal_reaches_nobody_here():
    world = active()
    world.activate("site")
    credential(world, "builder", goal_id=["site"])
    assert presence(world) == ("registered", "no_credential")
    assert show(world)["presence"] == "addressable"


def test_a_credential_that_ended_or_was_revoked_reaches_nobody():
    world = acted(active())
    credential(world, "helper", ttl_seconds=3_600)
    assert presence(world, "helper")[0] == "addressable"
    world.now_ms += 3_600_000
    assert presence(world, "helper") == ("registered", "no_credential")
    (token,) = [one for one in world.state.tokens.values() if one.member_id == "builder"]
    world.do("operator", "token.revoke", token_id=token.token_id)
    assert presence(world) == ("registered", "no_credential")


def test_a_document_of_one_goal_is_kept_no_longer_than_its_agents_credential():
    world = active()
    credential(world, "builder", ttl_seconds=60)
    assert valid_until_ms(world.state, "docs", world.now_ms) == world.now_ms + 60_000


def test_a_binding_that_never_ran_is_not_claimed():
    """A grant and ready work say what somebody intended; only an event of its own says that the agent was there."""
    world = active()
    credential(world, "builder")
    assert view(world, "quota.should-run", goal_id="docs", agent_id="builder")["should_run"]
    assert presence(world) == ("addressable", "never_acted_here")
    # What another did with its name does not count: the lease was made over to it, and nothing came from it.
    credential(world, "helper")
    world.lease("todo_000", by="helper")
    moved = {"new_owner": "builder", "new_idempotency_key": "run-2", "expected_version": 1}
    world.do("helper", "task-lease.transfer", goal_id="docs", todo_id="todo_000", idempotency_key="run-1", **moved)
    assert world.goal().leases["todo_000"].owner == "builder"
    assert presence(world) == ("addressable", "never_acted_here")
    document = show(world, goal_id="docs")
    assert [claim["todo_id"] for claim in document["current_claims"]] == ["todo_000"]


def test_a_goal_that_is_not_granted_binds_nobody():
    world = active()
    credential(world, "stranger")
    assert presence(world, "stranger") == ("addressable", "goal_not_granted")


def test_an_agent_that_acted_is_launchable_while_a_turn_may_begin_and_bound_while_none_may():
    world = acted(active())
    assert presence(world) == ("launchable", "work_ready")
    world.do("helper", "todo.claim", goal_id="docs", todo_id="todo_000")
    assert presence(world)[0] == "bound"


def test_a_lease_is_a_promise_to_execute_until_it_ends_and_a_soft_claim_is_none():
    world = acted(active())
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_000")
    assert presence(world) == ("launchable", "work_ready")
    world.do("builder", "todo.release", goal_id="docs", todo_id="todo_000")
    world.lease("todo_000", ttl_seconds=60)
    assert presence(world) == ("executing", "lease_in_force")
    world.now_ms += 60_000
    assert presence(world) == ("launchable", "work_ready")


def test_an_admission_is_a_promise_too():
    world = acted(active())
    turn = {"turn_instance_id": "turn-1", "slots": 1, "ttl_seconds": 60}
    world.do("builder", "quota.reserve", goal_id="docs", **turn)
    assert presence(world) == ("executing", "admission_in_force")
    world.now_ms += 60_000
    assert presence(world) == ("launchable", "work_ready")


def test_work_in_hand_that_may_not_go_on_is_blocked():
    world = acted(active())
    world.lease("todo_000")
    world.do("ann", "goal.pause", goal_id="docs")
    assert presence(world) == ("blocked", "goal_paused")


def test_a_gate_a_revision_and_a_missing_capability_block_as_well():
    world = acted(active())
    world.do("builder", "gate.open", goal_id="docs", gate_id="gate_a", question="May it?", blocks_goal=True)
    assert presence(world) == ("blocked", "gate_blocks")
    world.do("ann", "gate.approve", goal_id="docs", gate_id="gate_a", basis=basis(world, "gate_a"))
    assert presence(world)[0] == "launchable"
    world.do("ann", "goal.revise", goal_id="docs", budget="less")
    world.confirm()
    assert presence(world) == ("blocked", "revision_not_adopted")


def test_over_all_goals_the_word_is_the_one_nearest_to_work():
    world = acted(active())
    world.activate("site")
    world.add("todo_site", "site")
    world.do("ann", "goal.pause", goal_id="docs")
    assert show(world)["presence"] == "blocked"
    world.do("builder", "todo.claim", goal_id="site", todo_id="todo_site")
    document = show(world)
    assert {row["goal_id"]: row["presence"] for row in document["goals"]} == {"docs": "blocked", "site": "launchable"}
    assert document["presence"] == "launchable"
    assert document["last_action"] == document["goals"][0]["last_action"]
    assert document["last_action"]["kind"] == "todo.claimed"


def test_nothing_is_said_of_a_member_who_was_revoked_and_of_a_goal_that_is_closed():
    world = acted(active())
    world.do("ann", "goal.stop", goal_id="docs")
    assert show(world, goal_id="docs")["presence"] is None
    assert show(world)["goals"] == []
    world.do("operator", "member.revoke", member_id="builder")
    document = show(world)
    assert (document["presence"], document["revoked"]) == (None, True)


def test_people_are_registered_until_they_can_be_reached():
    world = World()
    rows = {row["member_id"]: row["presence"] for row in view(world, "overview.show")["members"]}
    assert (rows["ann"], rows["bob"]) == ("addressable", "registered")
    world.do("operator", "member.pair", member_id="bob", code_digest=digest("code"))
    identity = {"tenant_key": "t1", "app_id": "cli_1", "open_id": "ou_1", "union_id": "on_1"}
    world.do("bot", "member.bind", code_digest=digest("code"), identity_digest=digest("on_1"), **identity)
    document = view(world, "overview.show")
    assert {row["member_id"]: row["presence"] for row in document["members"]}["bob"] == "addressable"
    assert not any(secret in msgspec.json.encode(document).decode() for secret in ("ou_1", "on_1", digest("on_1")))


def test_claims_say_until_when_and_never_by_which_key():
    world = active(2)
    credential(world, "builder")
    world.lease("todo_000", ttl_seconds=600, key="secret-run")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_001")
    document = show(world)
    assert [(one["todo_id"], one["kind"], one["claimed_until"] is None) for one in document["current_claims"]] == [
        ("todo_000", "hard_lease", False),
        ("todo_001", "soft_claim", True),
    ]
    assert "secret-run" not in msgspec.json.encode(document).decode()
    world.now_ms += 600_000
    assert [one["todo_id"] for one in show(world)["current_claims"]] == ["todo_001"]


def test_a_profile_is_shown_as_advice():
    world = active()
    profile = {"scope_summary": "Docs only", "preferred_action_kind": ["check"], "default_task_class": []}
    world.do("builder", "member.profile", **profile)
    document = show(world)
    assert document["profile"]["schema_version"] == "agent_profile_v1"
    assert (document["profile"]["scope_summary"], document["profile"]["preferred_action_kinds"]) == (
        "Docs only",
        ["check"],
    )
    assert document["profile_role_is_advisory"] is True


def test_handing_over_is_told_from_both_sides_until_it_is_taken_up():
    world = active()
    credential(world, "helper")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_000")
    notes = {"context": "Two pages are checked", "remaining_work": "Check install.md"}
    world.do("builder", "todo.handoff", goal_id="docs", todo_id="todo_000", to_agent="helper", **notes)
    assert show(world, "helper")["handoff_assignment_status"] == "assigned"
    assert show(world)["handoff_assignment_status"] == "none"
    world.do("helper", "todo.update", goal_id="docs", todo_id="todo_000", note="Going on")
    assert show(world, "helper")["handoff_assignment_status"] == "adopted"


@pytest.mark.parametrize("agent_id", ["nobody", "ann"])
def test_only_agents_are_shown(agent_id):
    found = try_view(active(), "member.show", agent_id=agent_id)
    assert isinstance(found, Refusal)
    assert found.code == "member_not_found"


def test_a_goal_that_is_not_there_is_not_found():
    found = try_view(active(), "member.show", agent_id="builder", goal_id="nowhere")
    assert isinstance(found, Refusal)
    assert found.code == "goal_not_found"


def test_what_is_private_in_a_title_is_withheld_and_said():
    world = active()
    world.add("todo_secret", text="Look at /home/ann/site")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_secret")
    document = show(world)
    assert "/home/ann" not in msgspec.json.encode(document).decode()
    assert {warning["reason"] for warning in document["source_warnings"]} == {"absolute_path"}
