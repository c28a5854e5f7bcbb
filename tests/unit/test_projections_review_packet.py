"""A review packet: the question, what to read, the evidence, the ways to answer, and whether it is still fresh."""

import json

import msgspec
import pytest

from ledger.catalogue import ACTIONS
from ledger.projections.documents import valid_until_ms
from ledger.refusals import Refusal
from tests.support.views import basis, busy, try_view, view
from tests.support.world import World, digest


def packet(world: World, **params: object) -> dict:
    return view(world, "review-packet.show", **({"goal_id": "docs"} | params))


def active(**changes: object) -> World:
    world = World()
    world.activate(**changes)
    world.add("todo_one")
    return world


def gate(world: World, **given: object) -> None:
    asked = {"goal_id": "docs", "gate_id": "gate_a", "question": "May it?", "blocks_todo": ["todo_one"]}
    world.do("builder", "gate.open", **(asked | given))


def codes(document: dict) -> list[str]:
    warning = document["decision_freshness_warning"]
    return [] if warning is None else warning["codes"]


CONTRACT = {
    "kind", "question", "suggested_decision", "actions", "required_reads", "evidence", "decision_freshness_warning",
}  # fmt: skip


def test_a_packet_has_every_field_of_the_contract_whatever_waits():
    for world in (active(), busy()):
        assert packet(world).keys() >= CONTRACT


def test_where_nothing_waits_the_packet_says_so_and_offers_nothing():
    document = packet(active())
    assert (document["kind"], document["status"], document["actions"]) == ("nothing", "none", [])
    assert document["suggested_decision"]["because"] == "nothing_waits"


def _offered(document: dict, action: str, **more: object) -> dict[str, object]:
    (found,) = [one for one in document["actions"] if one["action"] == action]
    return {**found["subject"], "basis": found["basis"], **more}


def _asked(world: World) -> None:
    world.propose()
    world.do("builder", "goal.clarify", goal_id="docs", question="Which folder?", option=["docs", "site"])


def _planned(world: World) -> None:
    world.activate()
    world.do("builder", "plan.propose", goal_id="docs", lane=[{"lane_id": "links", "title": "Links"}])


def _amended(world: World) -> None:
    world.activate()
    world.add("todo_one")
    operation = {"op": "restate", "todo_id": "todo_one", "acceptance": "All of them"}
    given = {"amendment_class": "shared_acceptance", "why": "Clearer", "operation": [operation]}
    world.do("builder", "amendment.submit", goal_id="docs", **given)


@pytest.mark.parametrize(
    ("prepare", "kind", "action", "more"),
    [
        (_asked, "question", "goal.clarify", {"answer": "docs"}),
        (lambda world: world.propose(), "confirmation", "goal.confirm", {}),
        (lambda world: world.propose(), "confirmation", "goal.decline", {"reason": "No"}),
        (lambda world: world.delivered(), "acceptance", "goal.accept", {}),
        (lambda world: world.delivered(), "acceptance", "goal.request-changes", {"reason": "More"}),
        (_planned, "plan", "plan.confirm", {}),
        (_planned, "plan", "plan.reject", {"reason": "No"}),
        (_amended, "amendment", "amendment.commit", {}),
    ],
)
def test_an_answer_that_is_offered_is_taken_as_it_stands(prepare, kind, action, more):
    """Names, subject and basis are all that the command needs beside the person's own words."""
    world = World()
    prepare(world)
    document = packet(world)
    assert document["kind"] == kind
    assert "ann" in document["waits_for"]
    world.do("ann", action, **_offered(document, action, **more))


@pytest.mark.parametrize("action", ["gate.approve", "gate.reject", "gate.defer", "gate.cancel"])
def test_every_answer_to_a_gate_is_taken_as_it_stands(action):
    world = active()
    gate(world)
    document = packet(world, gate_id="gate_a")
    assert (document["kind"], document["gate_kind"], document["asked"]) == ("gate", "owner_decision", "May it?")
    assert document["blocks"] == ["todo_one"]
    world.do("ann", action, **_offered(document, action))


def test_no_packet_carries_a_command_line():
    world = busy()
    for goal_id in ("docs", "done", "asked"):
        text = json.dumps(json.loads(msgspec.json.encode(packet(world, goal_id=goal_id))))
        assert "frontstage " not in text
        assert "--" not in text


def test_what_is_to_be_read_first_can_be_asked_for_as_it_stands():
    world = busy()
    for goal_id in ("docs", "done", "asked"):
        for read in packet(world, goal_id=goal_id)["required_reads"]:
            assert not ACTIONS[read["action"]].writes
            assert view(world, read["action"], **read["subject"])


def test_the_most_urgent_decision_goes_first_and_a_gate_may_be_named():
    world = busy()
    assert packet(world)["kind"] == "confirmation"
    document = packet(world, gate_id="gate_publish")
    assert (document["kind"], document["gate_id"]) == ("gate", "gate_publish")
    assert document["waits_for"] == ["ann", "bob"]


def test_a_gate_that_is_decided_offers_no_answer_and_says_by_whom():
    world = active()
    gate(world)
    world.do("ann", "gate.approve", goal_id="docs", gate_id="gate_a", basis=basis(world, "gate_a"))
    document = packet(world, gate_id="gate_a")
    assert (document["status"], document["resolved_by"], document["actions"]) == ("approved", "ann", [])
    assert codes(document) == ["already_decided"]


def test_the_askers_own_choice_is_a_suggestion_and_silence_is_none():
    world = active()
    gate(world, default="Publish it", option=["Publish it", "Wait"])
    suggested = packet(world)["suggested_decision"]
    assert suggested == {"action": None, "because": "asker_suggests", "text": "Publish it"}
    assert packet(world)["options"] == ["Publish it", "Wait"]
    world = active()
    gate(world)
    assert packet(world)["suggested_decision"] == {"action": None, "because": "yours_to_judge", "text": ""}


def test_a_criterion_without_evidence_is_a_reason_to_ask_for_changes():
    world = World()
    world.activate()
    world.add("todo_one")
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    proof = world.submit("todo_one", criterion=["c1"])
    world.do("builder", "todo.complete", goal_id="docs", todo_id="todo_one", evidence=[proof])
    world.deliver()
    document = packet(world)
    assert document["suggested_decision"] == {
        "action": "goal.request-changes",
        "because": "criterion_without_evidence",
        "text": "c2",
    }
    assert [one["artifact_id"] for one in document["evidence"]] == [proof]


@pytest.mark.parametrize(
    ("criteria", "because"), [(["c1", "c2"], "yours_to_judge"), ([], "evidence_names_no_criterion")]
)
def test_whether_evidence_convinces_is_the_owners_to_say(criteria, because):
    world = active()
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    proof = world.submit("todo_one", criterion=criteria)
    world.do("builder", "todo.complete", goal_id="docs", todo_id="todo_one", evidence=[proof])
    world.deliver()
    assert packet(world)["suggested_decision"] == {"action": None, "because": because, "text": ""}


def test_evidence_that_was_undone_is_said_beside_the_gate_that_rests_on_it():
    world = active()
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    artifact_id = world.submit("todo_one", sha256=digest("report"))
    gate(world, evidence_digest=digest("report"))
    document = packet(world)
    assert (document["evidence"][0]["artifact_id"], codes(document)) == (artifact_id, [])
    about = {"goal_id": "docs", "artifact_id": artifact_id}
    world.do("helper", "artifact.review", **about, verdict="reject", reason="Three links are broken")
    document = packet(world)
    assert codes(document) == ["evidence_undone"]
    assert document["evidence"][0]["status"] == "rejected"


def test_a_digest_that_nobody_handed_in_is_shown_as_missing():
    world = active()
    gate(world, evidence_digest=digest("elsewhere"))
    document = packet(world)
    assert [(one["missing"], one["sha256"]) for one in document["evidence"]] == [(True, digest("elsewhere"))]
    assert codes(document) == ["evidence_missing"]


def test_a_gate_that_asks_anew_or_whose_work_is_over_says_so():
    world = active()
    gate(world)
    world.do("builder", "gate.revise", goal_id="docs", gate_id="gate_a", question="May it now?")
    assert codes(packet(world)) == ["asked_again"]
    world.do("ann", "todo.cancel", goal_id="docs", todo_id="todo_one")
    assert codes(packet(world)) == ["waiting_work_over", "asked_again"]


def test_a_gate_whose_time_is_over_and_still_waits_says_so():
    world = active()
    gate(world, expires_in_seconds=60, on_expiry="wait")
    assert codes(packet(world)) == []
    assert valid_until_ms(world.state, "docs", world.now_ms) == world.now_ms + 60_000
    world.now_ms += 60_000
    assert codes(packet(world)) == ["time_over"]


def test_evidence_of_an_earlier_revision_is_a_warning():
    world = World()
    world.activate()
    world.add("todo_one")
    world.finish("todo_one")
    world.do("ann", "goal.revise", goal_id="docs", budget="less")
    world.confirm()
    world.do("builder", "goal.adopt", goal_id="docs", revision=2)
    world.deliver()
    assert codes(packet(world)) == ["evidence_of_earlier_revision"]


def test_a_revision_beside_work_says_that_the_work_goes_on():
    world = active()
    world.do("ann", "goal.revise", goal_id="docs", budget="less")
    assert codes(packet(world)) == []
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    assert codes(packet(world)) == ["work_goes_on"]


def test_a_plan_that_nobody_could_staff_is_one_to_reject():
    world = World()
    world.activate()
    lane = {"lane_id": "links", "title": "Links", "agent": "stranger"}
    world.do("builder", "plan.propose", goal_id="docs", lane=[lane])
    assert packet(world)["suggested_decision"]["because"] == "no_lane_can_be_staffed"
    lanes = [lane, {"lane_id": "pages", "title": "Pages"}]
    world = World()
    world.activate()
    world.do("builder", "plan.propose", goal_id="docs", lane=lanes)
    assert packet(world)["suggested_decision"] == {"action": None, "because": "some_lanes_have_gaps", "text": "links"}


def test_unknown_subjects_are_not_found():
    world = active()
    for params, code in (({"goal_id": "nowhere"}, "goal_not_found"), ({"gate_id": "gate_x"}, "gate_not_found")):
        found = try_view(world, "review-packet.show", **({"goal_id": "docs"} | params))
        assert isinstance(found, Refusal)
        assert found.code == code


def test_a_private_question_is_withheld_and_said():
    world = active()
    gate(world, question="May I read https://acme.feishu.cn/docx/abc?")
    document = packet(world)
    assert "feishu" not in msgspec.json.encode(document).decode()
    assert [warning["field_path"] for warning in document["source_warnings"]] == ["asked"]


def test_a_gate_whose_time_has_ended_it_offers_no_answer_before_that_is_written():
    world = active()
    gate(world, expires_in_seconds=60, on_expiry="deny")
    assert packet(world)["kind"] == "gate"
    world.now_ms += 60_000
    assert packet(world)["kind"] == "nothing"
    document = packet(world, gate_id="gate_a")
    assert (document["actions"], codes(document)) == ([], ["time_over"])
    world.do("daemon", "gate.expire", goal_id="docs", gate_id="gate_a")
    assert (packet(world, gate_id="gate_a")["status"], codes(packet(world, gate_id="gate_a"))) == (
        "expired",
        ["already_decided"],
    )
