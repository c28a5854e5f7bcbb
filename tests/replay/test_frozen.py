"""What was stored once is read for ever: frozen bytes of every kind, and the state they make together."""

import json

import pytest

from ledger import reduce, wire
from ledger.chain import link, words_digest
from ledger.codec import CodecError, decode_body, decode_event, decode_row
from ledger.events import ERASED, Body, Facts, Recorded, Words
from ledger.receipts import params_digest, receipt_key
from ledger.reduce import folded_types
from ledger.verify import verify_events
from ledger.wire import KIND_OF, all_kinds, kind_named
from tests.replay.frozen import (
    ERA,
    FIXTURES,
    RECEIPTS,
    folded,
    history_of,
    missing,
    path_of,
    read,
    state_of,
)
from tests.replay.script import everything
from tests.support.dump import dump
from tests.support.world import parse

RECEIPTS_MIN = 60
KINDS = [pytest.param(kind, id=f"{kind.name}.v{kind.version}") for kind in all_kinds()]


@pytest.fixture(scope="module")
def history():
    return read(history_of(1))


@pytest.fixture(scope="module")
def histories():
    return {era: read(history_of(era)) for era in ERAS}


@pytest.fixture(scope="module")
def played():
    return list(everything().store.events(0))


ERAS = range(1, ERA + 1)
WRITTEN = [param for param in KINDS if param.values[0].upcast is None]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_frozen_event_that_reads_as_that_kind(kind):
    (row,) = read(path_of(kind.name, kind.version))
    event = decode_event(row.body, row.words, row.hash)
    assert (event.kind, event.seq, event.goal_id) == (kind.name, row.seq, row.goal_id)
    assert type(event.facts) is kind.facts
    assert event.words is None or type(event.words) is kind.words
    body = decode_body(row.body)
    assert body.words_digest == (None if row.words is None else words_digest(row.words, row.salt))


@pytest.mark.parametrize("kind", KINDS)
def test_a_frozen_event_is_chained_where_a_history_has_it(kind, histories):
    (row,) = read(path_of(kind.name, kind.version))
    history = next(rows for rows in histories.values() if row in rows)
    before = history[row.seq - 2].hash if row.seq > 1 else bytes(32)
    assert link(before, row.body) == row.hash
    assert history[row.seq - 1] == row


@pytest.mark.parametrize("kind", WRITTEN)
def test_the_program_still_writes_the_frozen_bytes(kind, played):
    """A kind whose bytes differ is another version, with a name, an upcast and a fixture of its own."""
    version = f'"version":{kind.version},'.encode()
    row = next(row for row in read(history_of(ERA)) if row.kind == kind.name and version in row.body)
    assert played[row.seq - 1] == row


def test_no_fixture_is_of_a_kind_that_can_no_longer_be_read():
    kept = (
        {path.name for path in FIXTURES.glob("*.json")}
        - {path(era).name for path in (history_of, state_of) for era in ERAS}
        - {RECEIPTS.name}
    )
    assert kept == {path_of(kind.name, kind.version).name for kind in all_kinds()}


@pytest.mark.parametrize("era", ERAS)
def test_a_frozen_history_holds_and_makes_its_frozen_state(era, histories):
    assert verify_events(histories[era]).holds
    assert dump(folded(histories[era])) == json.loads(state_of(era).read_text(encoding="utf-8"))


def test_the_history_of_now_has_every_kind_at_its_present_version(histories):
    assert {row.kind for row in histories[ERA]} == {kind.name for kind in all_kinds()}


def test_the_program_still_plays_the_history_of_now(histories, played):
    """What comes later is added at the end of the script."""
    assert played[: len(histories[ERA])] == histories[ERA]


def test_a_retry_after_an_upgrade_is_still_the_same_request():
    """The digest of what was asked is stored: another spelling would turn every retry into a conflict."""
    kept = json.loads(RECEIPTS.read_text(encoding="utf-8"))
    assert len(kept) >= RECEIPTS_MIN
    for one in kept:
        assert receipt_key(one["actor"], one["request_key"]).hex() == one["key"]
        assert params_digest(one["action"], parse(one["action"], one["params"])).hex() == one["params_digest"], one


def test_freezing_again_would_write_nothing():
    assert missing(everything()) == {}


def test_the_reducer_knows_exactly_the_kinds_of_the_wire_table():
    assert folded_types() == {kind.facts for kind in all_kinds()}


def test_every_facts_and_words_type_has_a_wire_name_of_its_own():
    def below(of):
        return {kind for one in of.__subclasses__() for kind in ({one} | below(one))}

    assert below(Facts) == {kind.facts for kind in all_kinds()} == set(KIND_OF)
    assert below(Words) == {kind.words for kind in all_kinds() if kind.words is not None}
    assert len({(kind.name, kind.version) for kind in all_kinds()}) == len(all_kinds())


def test_wire_names_are_no_import_paths():
    for kind in all_kinds():
        assert kind.name == kind.name.lower()
        assert kind.facts.__module__ not in kind.name
        assert kind_named(kind.name, kind.version) is kind


def test_a_kind_or_version_nobody_wrote_is_an_error_and_never_skipped(history):
    row = next(row for row in history if row.kind == "todo.claimed")
    for body in (row.body.replace(b"todo.claimed", b"todo.painted"), row.body.replace(b'"version":1', b'"version":2')):
        with pytest.raises(CodecError, match="unknown event kind"):
            decode_event(body, row.words, row.hash)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"agent_id":"', b'"agent_ix":"'),
        (b'"agent_id":"helper"', b'"agent_id":7'),
        (b'{"actor"', b'["actor"'),
        (b'"seq":', b'"seq":"x","was":'),
    ],
)
def test_bytes_of_another_shape_are_an_error(history, old, new):
    row = next(row for row in history if row.kind == "todo.claimed")
    assert old in row.body
    with pytest.raises(CodecError):
        decode_event(row.body.replace(old, new, 1), row.words, row.hash)


def test_the_short_way_of_reading_a_row_gives_the_same_event(history):
    for row in history:
        short, long = decode_row(row), decode_event(row.body, row.words, row.hash)
        for name in Recorded.__struct_fields__:
            assert getattr(short, name) == getattr(long, name), (row.seq, name)


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [
        ("body", b"todo.claimed", b"todo.painted"),
        ("body", b'"version":1', b'"version":2'),
        ("body", b'"agent_id":"', b'"agent_ix":"'),
        ("kind", "todo.claimed", "todo.painted"),
    ],
)
def test_the_short_way_takes_nothing_that_the_long_one_does_not(history, column, old, new):
    row = next(row for row in history if row.kind == "todo.claimed")
    changed = row._replace(**{column: getattr(row, column).replace(old, new, 1)})
    if column == "kind":
        assert decode_row(changed).kind == "todo.claimed"  # The column is where a row is found by, not what it says.
        return
    with pytest.raises(CodecError):
        decode_row(changed)


def test_what_a_body_says_of_its_own_hash_and_words_is_not_believed(history):
    row = next(row for row in history if row.kind == "todo.claimed")
    claimed = row._replace(body=row.body[:-1] + b',"hash":"AAAA","words":{}}')
    assert (decode_row(claimed).hash, decode_row(claimed).words) == (row.hash, None)


def test_words_of_another_shape_are_an_error(history):
    row = next(row for row in history if row.kind == "todo.added")
    with pytest.raises(CodecError):
        decode_event(row.body, b'{"title":7}', row.hash)
    with pytest.raises(CodecError):
        decode_row(row._replace(words=b'{"title":7}'))


def test_every_event_can_be_read_with_its_words_erased(history):
    """Erasing takes words and salt away; the state then says so, and no fact of it changes."""
    erased = folded([row._replace(words=None, salt=None) for row in history])
    whole = folded(history)
    assert (erased.seq, erased.hash) == (whole.seq, whole.hash)
    for goal_id, goal in whole.goals.items():
        twin = erased.goals[goal_id]
        assert twin.state == goal.state
        assert [intent.basis for intent in twin.intents] == [intent.basis for intent in goal.intents]
        assert [delivery.basis for delivery in twin.deliveries] == [delivery.basis for delivery in goal.deliveries]
        assert {todo.status for todo in twin.todos.values()} == {todo.status for todo in goal.todos.values()}
        assert {todo.title for todo in twin.todos.values()} <= {ERASED}
    assert erased.addresses == {}
    assert {member.display_name for member in erased.members.values()} == {ERASED}


def test_the_body_has_no_field_that_the_chain_does_not_cover(history):
    """All of an event but its words is inside the hashed bytes."""
    for row in history:
        assert set(json.loads(row.body)) == set(Body.__struct_fields__)


def test_the_table_names_what_the_reducer_imports():
    """Both are made of the same classes and not of look-alikes."""
    assert reduce.folded_types() <= set(wire.KIND_OF)
