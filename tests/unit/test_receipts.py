"""Receipts: a key belongs to one caller, its digest to what was asked, and it decides nothing by the time in it."""

import re
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from ledger.catalogue import ACTIONS
from ledger.ids import KEY_PATTERN, is_request_key
from ledger.params import Params
from ledger.receipts import RECEIPT_KEY_BYTES, RecentKeys, params_digest, receipt_id, receipt_key
from tests.support.world import parse

KEYS = st.from_regex(KEY_PATTERN, fullmatch=True)
MEMBERS = st.sampled_from(["ann", "an", "builder", "a:b@c"])


@given(st.lists(st.tuples(MEMBERS, KEYS), unique=True, max_size=20))
def test_no_two_callers_and_no_two_keys_ever_meet(pairs):
    assert len({receipt_key(actor, key) for actor, key in pairs}) == len(pairs)


@given(MEMBERS, KEYS)
def test_every_key_has_the_length_that_stores_keep_and_a_name_that_hides_it(actor, key):
    stored = receipt_key(actor, key)
    assert len(stored) == RECEIPT_KEY_BYTES
    assert re.fullmatch(r"r_[0-9a-f]{24}", receipt_id(stored))


@pytest.mark.parametrize(
    ("key", "prefix"),
    [
        ("k0192f0c1d2e3-00112233445566778899aabbccddeeff", "0192f0c1d2e3"),
        ("k0192f0c1d2e3-0011223344556677", "0192f0c1d2e3"),
        ("k0192f0c1d2e3-0011", "000000000000"),
        ("K0192f0c1d2e3-0011223344556677", "000000000000"),
        ("run-1", "000000000000"),
    ],
)
def test_keys_that_begin_with_a_time_are_stored_in_its_order(key, prefix):
    assert receipt_key("ann", key)[:6].hex() == prefix


@pytest.mark.parametrize(
    ("text", "is_key"),
    [("k-1", True), ("a" * 160, True), ("a" * 161, False), ("", False), ("a b", False), ("a\n", False), ("é", False)],
)
def test_what_may_name_a_request(text, is_key):
    assert is_request_key(text) is is_key


def test_what_was_asked_makes_the_digest_and_how_it_was_spelled_does_not():
    spelled = [
        {"goal_id": "docs", "todo_id": "todo_one"},
        {"todo_id": "todo_one", "goal_id": "docs"},
        {"goal_id": "docs", "todo_id": "todo_one", "agent_id": None},
    ]
    digests = {params_digest("todo.claim", parse("todo.claim", params)) for params in spelled}
    assert len(digests) == 1
    assert params_digest("todo.claim", parse("todo.claim", spelled[0] | {"agent_id": "builder"})) not in digests
    assert params_digest("todo.release", parse("todo.release", spelled[0])) not in digests


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("name", [name for name, action in ACTIONS.items() if action.writes])
def test_every_parameter_of_every_action_reaches_the_digest(name):
    """A parameter that the digest missed could be changed under a key that was used."""
    model = ACTIONS[name].params
    base = {field: _value(field) for field in model.model_fields}
    digests = {params_digest(name, model.model_construct(**base))}
    for field in model.model_fields:
        digests.add(params_digest(name, model.model_construct(**(base | {field: _value(f"other-{field}")}))))
    assert len(digests) == len(model.model_fields) + 1


def _value(text: str) -> str:
    return f"value of {text}"


def test_a_parameter_that_is_added_later_changes_no_older_digest():
    class Before(Params):
        goal_id: str

    class After(Params):
        goal_id: str
        colour: Annotated[str, Field(description="New.")] = "grey"

    assert params_digest("goal.paint", Before(goal_id="docs")) == params_digest("goal.paint", After(goal_id="docs"))


def timed(at: int, number: int = 0) -> bytes:
    """A stored key whose request key said when it was made."""
    return receipt_key("ann", f"k{at:012x}-{number:016x}")


def test_only_a_key_newer_than_all_that_were_stored_before_the_start_is_known_to_be_new():
    keys = RecentKeys(timed(1_000))
    assert keys.may_include(timed(999))
    assert keys.may_include(timed(1_000, 7))
    assert not keys.may_include(timed(1_001))
    assert keys.may_include(receipt_key("ann", "run-1")), "a key that says no time may have been stored at any time"


def test_an_empty_store_has_no_timed_key():
    keys = RecentKeys(None)
    assert not keys.may_include(timed(1))
    assert keys.may_include(receipt_key("ann", "run-1"))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.integers(1, 5))
def test_a_stored_key_is_never_taken_for_new_however_few_are_remembered(times, kept_max):
    keys, stored = RecentKeys(None, kept_max=kept_max), []
    for number, at in enumerate(times):
        keys.add(timed(at, number))
        stored.append(timed(at, number))
        assert all(keys.may_include(key) for key in stored)
    assert len(keys) <= 2 * kept_max
