"""Whom something waits for are those whom the rules let settle it, and nobody else is told that it waits for them."""

import random
from functools import cache

import pytest

from ledger.catalogue import ACTIONS
from ledger.projections.attention import read_open_goals
from ledger.refusals import Refusal
from tests.support.views import busy
from tests.support.walk import Walker
from tests.support.world import World

OWN_WORDS = {"goal.clarify": {"answer": "docs"}, "request.respond": {"decision": "adopt"}}
DECISIONS = {"question", "confirmation", "acceptance", "gate", "plan", "amendment", "proposal", "resume"}
NOT_YOURS = {
    "not_permitted",
    "not_an_owner",
    "not_the_proposer",
    "gate_not_yours",
    "not_an_approver",
    "gate_proposer_excluded",
    "proposal_needs_owner",
    "request_not_yours",
    "actor_not_registered",
    "credential_revoked",
}


def settle(world: World, need, who: str) -> str:
    """What would come of this member's settling it: `taken`, or the code of the refusal."""
    fields = ACTIONS[need.action].params.model_fields
    params = {name: value for name, value in need.subject.items() if name in fields}
    if "basis" in fields and need.basis is not None:
        params["basis"] = need.basis
    found = world.decide(who, need.action, **params, **OWN_WORDS.get(need.action, {}))
    return found.code.value if isinstance(found, Refusal) else "taken"


def needs(world: World):
    return [need for _, _, found in read_open_goals(world.state, world.now_ms) for need in found]


@cache
def walked(seed: int) -> World:
    """Only looked at, so that it can be shared."""
    world, generator = World(), random.Random(seed)
    walker = Walker(world, generator.choice)
    for _ in range(60 + 5 * seed):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
        world.now_ms += generator.choice((0, 1_000, 120_000))
    return world


def gated() -> World:
    """A gate of everybody: two approvers, one of them with a delegate, and one that its proposer may not decide."""
    world = World()
    world.do("operator", "member.add", member_id="carl", kind="person", display_name="Carl")
    world.activate(approver=["ann", "bob"])
    world.add("todo_one")
    asked = {"goal_id": "docs", "question": "May it?", "blocks_todo": ["todo_one"]}
    world.do("builder", "gate.open", **asked, gate_id="gate_a", approver=["ann", "bob"], quorum=2)
    world.do("bob", "gate.delegate", goal_id="docs", gate_id="gate_a", to="carl", for_seconds=600)
    world.do("ann", "gate.open", **asked, gate_id="gate_b", approver=["ann", "bob"])
    profile = {"kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    world.do("operator", "member.add", member_id="dreamer", **profile)
    world.do("dreamer", "todo.add", goal_id="docs", text="Check the anchors")
    return world


WORLDS = [pytest.param(busy, id="busy"), pytest.param(gated, id="gated")]
WORLDS += [pytest.param(lambda seed=seed: walked(seed), id=f"walk-{seed}") for seed in range(12)]


@pytest.mark.parametrize("make", WORLDS)
def test_whoever_something_waits_for_may_settle_it(make):
    world = make()
    for need in needs(world):
        if need.kind in DECISIONS | {"request"}:
            for who in need.waits_for:
                found = settle(world, need, who)
                # A plan or an amendment may have to be turned down, because its yes would be refused.
                assert found not in NOT_YOURS if need.kind in {"plan", "amendment"} else found == "taken", (need, who)


@pytest.mark.parametrize("make", WORLDS)
def test_a_decision_waits_for_everybody_who_may_make_it(make):
    world = make()
    for need in needs(world):
        if need.kind in DECISIONS - {"amendment"}:
            # Whoever lent their vote may still give it and is not waited for meanwhile.
            gate = world.goal(need.goal_id).gates.by_id.get(need.gate_id or "")
            lent = {one.seat for one in gate.delegates} if gate is not None else set()
            others = [one for one in world.state.members if one not in {*need.waits_for, *lent, "bot"}]
            assert {settle(world, need, who) for who in others} <= NOT_YOURS, need


def test_the_worlds_come_to_every_kind_of_decision():
    met = {need.kind for world in WORLDS for need in needs(world.values[0]())}
    assert met >= DECISIONS - {"resume"}
