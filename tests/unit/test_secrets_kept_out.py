"""No credential becomes part of the ledger: every writing action refuses it and names the field, never the value."""

import pytest

from ledger.catalogue import ACTIONS
from ledger.refusals import GeneralRefusal, RefusalClass, class_of
from ledger.rules.secrets_kept_out import credential_field
from ledger.text.explain import explain
from tests.support.goal_ladders import ID
from tests.support.ordinary_prose import ALL
from tests.support.world import World, parse

SECRET = "ghp_" + "a1B2c3D4" * 5
R = GeneralRefusal.CREDENTIAL_IN_TEXT


@pytest.fixture
def world():
    world = World()
    world.activate()
    return world


@pytest.mark.parametrize(
    ("action", "params", "field"),
    [
        ("goal.propose", {"objective": f"Use {SECRET}", "criterion": ["Done"]}, "objective"),
        ("goal.propose", {"objective": "Use it", "criterion": ["Done", f"With {SECRET}"]}, "criterion[1]"),
        ("goal.revise", {**ID, "budget": "password=hunter2"}, "budget"),
        ("goal.stop", {**ID, "reason": "pwd=x"}, "reason"),
        ("goal.stop", {**ID, "reason": "ghp_a1B2c3D4\na1B2c3D4"}, "reason"),
        ("goal.stop", {**ID, "reason": f"Leaked {SECRET}"}, "reason"),
        ("todo.add", {**ID, "text": "Ask", "acceptance": "https://me:pw123@git.example.com answers"}, "acceptance"),
        ("todo.add", {**ID, "text": "Ask", "required_write_scope": [f"docs/{SECRET}"]}, "required_write_scope[0]"),
        (
            "plan.propose",
            {**ID, "lane": [{"lane_id": "a", "title": "One", "acceptance": f"Say {SECRET}", "action_kind": "check"}]},
            "lane[0].acceptance",
        ),
    ],
)
def test_the_field_is_named_and_the_value_is_not(world, action, params, field):
    seq = world.state.seq
    refusal = world.ask("ann", action, **params).refusal
    assert (refusal.code, refusal.details) == (R, {"field": field})
    assert world.state.seq == seq
    for locale in ("en", "zh"):
        assert SECRET not in repr(explain(refusal, locale))
    assert SECRET not in repr(list(world.store.refusals(0)))


def test_it_is_a_mistake_of_whoever_asks():
    assert class_of(R.value) is RefusalClass.USAGE


def test_a_stranger_learns_nothing_by_it(world):
    refused = world.ask("stranger", "goal.confirm", **ID, basis="b1:" + "0" * 32)
    assert refused.refusal.code is not R
    assert world.outcome("builder", "goal.confirm", **ID, basis="b1:" + "0" * 32) != R


def test_ordinary_text_is_taken(world):
    for number, text in enumerate(ALL):
        world.add(f"todo_text_{number}", text=text[:120], acceptance=text)


def test_every_text_of_every_writing_action_is_looked_at():
    """The place of a secret does not matter: each field that can hold text is asked about by its own name."""
    looked_at = 0
    for action in ACTIONS.values():
        if not action.writes:
            continue
        for name, field in action.params.model_fields.items():
            if field.annotation in (str, str | None):
                given = action.params.model_construct(_fields_set={name}, **{name: f"x {SECRET}"})
                assert credential_field(given) == name, (action.name, name)
                looked_at += 1
    assert looked_at > 60


def test_what_is_absent_is_not_looked_at():
    asked = parse("goal.propose", {"objective": "Fine", "criterion": ["Done"]})
    assert credential_field(asked) is None
