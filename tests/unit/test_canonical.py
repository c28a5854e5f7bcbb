"""Canonical bytes: on the domain of the ledger they equal RFC 8785, as an independent implementation spells it."""

import hashlib
from typing import Literal, NewType, get_args, get_origin, get_type_hints

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import INTEGER_MAX, basis_of, canonical, digest_hex
from ledger.events import Body, Facts, Proof, Words
from ledger.rules.goal_events import GoalDelivered, IntentWords

# Every text that UTF-8 can carry, the awkward ones often.
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\x00", "\x1f\x7f", "\b\t\n\f\r", '"\\/', "\u2028\u2029", "😀", "é", "e\u0301", "\ufeff", "\u202e", "</script>"]
)
KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-INTEGER_MAX, INTEGER_MAX) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_the_bytes_equal_rfc_8785(value):
    assert canonical(value) == rfc8785.dumps(value)


@given(VALUES)
def test_one_value_has_one_spelling_and_reads_back(value):
    assert msgspec.json.decode(canonical(value)) == value
    assert canonical(msgspec.json.decode(canonical(value))) == canonical(value)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=3))
def test_structs_are_spelled_like_the_mappings_they_stand_for(title, budget, criteria):
    words = IntentWords(
        title=title,
        objective="",
        criteria=tuple(criteria),
        non_goals=(),
        constraints=(),
        budget=budget,
        stop_conditions=(),
    )
    assert canonical(words) == rfc8785.dumps(msgspec.to_builtins(words))


def test_the_body_of_an_event_is_spelled_by_rfc_8785_too():
    body = Body(
        seq=INTEGER_MAX,
        at_ms=0,
        kind="goal.delivered",
        version=1,
        goal_id="docs",
        actor="builder",
        proof=Proof(kind="token", reference="tok_3"),
        surface="cli",
        on_behalf_of=None,
        cause="r_1",
        facts=GoalDelivered(delivery=1, revision=1, artifacts=(("art_1", "0" * 64),)),
        words_digest=None,
    )
    assert canonical(body) == rfc8785.dumps(msgspec.to_builtins(body))


def test_fields_are_sorted_however_they_were_declared_or_given():
    assert canonical({"b": 1, "a": {"d": 1, "c": 2}}) == b'{"a":{"c":2,"d":1},"b":1}'


@pytest.mark.parametrize("value", [{1: "a number is no key"}, "\ud800", {"lone": ["\udfff"]}, object()])
def test_what_has_no_spelling_is_an_error_and_never_made_up(value):
    with pytest.raises((TypeError, UnicodeEncodeError)):
        canonical(value)


def _types(of: type) -> set[type]:
    """The types of all fields of these classes and their subclasses."""
    found = set()
    for kind in of.__subclasses__():
        found |= _types(kind)
        for annotation in get_type_hints(kind).values():
            found |= _leaves(annotation)
    return found


def _leaves(annotation: object) -> set[type]:
    if isinstance(annotation, NewType):
        return _leaves(annotation.__supertype__)
    if get_origin(annotation) is Literal:
        return {type(value) for value in get_args(annotation)}
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return set().union(*map(_leaves, get_type_hints(annotation).values()))
    inner = [part for part in get_args(annotation) if part is not ...]
    return set().union(*map(_leaves, inner)) if inner else {annotation}


@pytest.mark.parametrize("base", [Facts, Words])
def test_every_field_of_every_event_is_of_the_domain(base):
    """No float, no bytes, no mapping with foreign keys can reach the chain."""
    assert _types(base) <= {str, int, bool, type(None)}


def test_a_digest_is_the_sha_256_of_the_bytes():
    assert digest_hex({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()


def test_a_basis_is_short_and_stands_for_its_parts_in_their_order():
    assert basis_of("confirm", 1) == "b1:" + hashlib.sha256(b'["confirm",1]').hexdigest()[:32]
    assert len({basis_of("a", "b"), basis_of("b", "a"), basis_of("ab"), basis_of("a", "b", None)}) == 4
