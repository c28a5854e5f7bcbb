"""The end of a gate's time: denied, asked of the owners, or waited for, and never a silent yes."""

import pytest

from ledger.projections.gates import open_gate_rows
from ledger.projections.privacy import Screen
from ledger.rules.common import Held
from ledger.rules.gates import (
    gate_due,
    gates_over,
)
from ledger.rules.quota import decide_should_run
from tests.support.gates import GATE, blocks, code, decide, gate, gates_world, opened
from tests.support.world import DOCS


@pytest.fixture
def world():
    return gates_world()


def test_a_gate_that_denies_at_its_end_is_no_silent_yes(world):
    opened(world, on_expiry="deny", expires_in_seconds=60)
    assert world.outcome("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE) == "held"
    world.now_ms += 60_000
    assert code(decide(world, "ann", "approve")) == "gate_expired"
    assert list(gates_over(world.goal(), world.now_ms)) == [("gate.expire", GATE)]
    world.do("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE)
    assert isinstance(world.decide("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE), Held)
    assert gate(world).status == "expired"
    assert blocks(world) == GATE
    assert code(decide(world, "ann", "approve")) == "gate_expired"


def test_a_gate_that_escalates_asks_the_owners_in_a_new_generation(world):
    opened(world, by="ann", approver=["bob", "cara"], quorum=2, on_expiry="escalate", expires_in_seconds=60)
    decide(world, "bob", "approve")
    world.now_ms += 60_000
    world.do("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE)
    assert gate(world).policy.approvers == ("bob", "cara", "ann")
    assert (gate(world).generation, gate(world).votes, gate(world).status) == (2, (), "waiting_on_user")
    assert blocks(world) == GATE


def test_a_gate_that_waits_never_comes_to_an_end_by_itself(world):
    opened(world, expires_in_seconds=60)
    world.now_ms += 60_000
    assert gate_due(world.goal()) is None
    assert world.outcome("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE) == "held"
    assert code(decide(world, "ann", "approve")) is None


def test_missed_reminders_are_caught_up_once(world):
    opened(world, remind_every_seconds=300)
    assert gate_due(world.goal()) == world.now_ms + 300_000
    world.now_ms += 1_000_000
    world.do("daemon", "gate.remind", goal_id=DOCS, gate_id=GATE)
    assert world.outcome("daemon", "gate.remind", goal_id=DOCS, gate_id=GATE) == "held"
    assert gate(world).reminders == 1


def test_a_gate_that_escalates_to_nobody_waits_on_with_its_votes_and_says_so(world):
    approvers = ["bob", "cara", "ann"]
    opened(world, by="ann", approver=approvers, quorum=2, on_expiry="escalate", expires_in_seconds=60)
    decide(world, "bob", "approve")
    seen = gate(world).content_digest
    world.now_ms += 60_000
    (event,) = world.do("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE)
    assert event.facts.added == ()
    found = gate(world)
    assert (found.status, found.generation, len(found.votes)) == ("waiting_on_user", 1, 1)
    assert (found.content_digest, found.escalated_to, found.policy.on_expiry) == (seen, (), "wait")
    (row,) = open_gate_rows(world.state, world.goal(), Screen(), world.now_ms)
    assert (row["escalated_to"], row["waits_for"]) == ([], ["cara"])
    decide(world, "cara", "approve")
    assert gate(world).status == "approved"


def test_a_gate_that_nobody_is_left_to_decide_says_so_in_should_run(world):
    opened(world, by="ann", approver=["bob"], blocks_todo=[], blocks_goal=True)
    verdict = decide_should_run(world.state, DOCS, "builder", world.now_ms)
    assert verdict.reason_codes == ("gate_blocks",)
    world.do("operator", "member.revoke", member_id="bob")
    verdict = decide_should_run(world.state, DOCS, "builder", world.now_ms)
    assert verdict.reason_codes == ("gate_waits_for_nobody", "gate_blocks")
    assert verdict.gate_id == GATE
