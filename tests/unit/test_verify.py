"""A history is either whole or the first row that is not is named, with what is wrong about it."""

from dataclasses import replace

import msgspec
import pytest

from ledger.canonical import canonical
from ledger.chain import link, words_digest
from ledger.ports import GENESIS, Head
from ledger.receipts import receipt_id
from ledger.testing import event_row, event_rows, receipt_row, refusal_rows
from ledger.verify import (
    REDACTED_SEQS_MAX,
    Break,
    Defect,
    Named,
    Report,
    verify,
    verify_events,
    verify_named,
    verify_receipts,
)

LENGTH = 6
AT = 4
"""The event that is tampered with."""


def chain():
    return event_rows(LENGTH, goal_id="goal-1", text="walk the dog")


def with_row(**changes):
    rows = chain()
    rows[AT - 1] = rows[AT - 1]._replace(**changes)
    return rows


def rechained(rows):
    """The same bodies under hashes that fit: a forger who owns the whole file."""
    last_hash = bytes(32)
    result = []
    for row in rows:
        last_hash = link(last_hash, row.body)
        result.append(row._replace(hash=last_hash))
    return result


def body_with(**changes):
    body = msgspec.json.decode(chain()[AT - 1].body)
    return canonical({**body, **changes})


def without_words(row):
    body = canonical({**msgspec.json.decode(row.body), "words_digest": None})
    return row._replace(body=body)


TAMPERED = {
    "an event is missing": (lambda: [*chain()[:3], *chain()[4:]], AT, Defect.NOT_CONTIGUOUS),
    "an event comes twice": (lambda: [*chain()[:3], *chain()[2:]], AT, Defect.NOT_CONTIGUOUS),
    "two events change places": (lambda: [chain()[0], chain()[2], chain()[1], *chain()[3:]], 2, Defect.NOT_CONTIGUOUS),
    "it starts too late": (lambda: chain()[1:], 1, Defect.NOT_CONTIGUOUS),
    "a body is changed": (lambda: with_row(body=body_with(actor="mallory")), AT, Defect.HASH_BROKEN),
    "a hash is changed": (lambda: with_row(hash=bytes(32)), AT, Defect.HASH_BROKEN),
    "a body and its hash are changed": (
        lambda: with_row(body=body_with(actor="m"), hash=link(chain()[AT - 2].hash, body_with(actor="m"))),
        AT + 1,
        Defect.HASH_BROKEN,
    ),
    "a body is not JSON": (lambda: rechained(with_row(body=b"{")), AT, Defect.BODY_UNREADABLE),
    "a body lacks a field": (lambda: rechained(with_row(body=canonical({"seq": AT}))), AT, Defect.BODY_UNREADABLE),
    "the body says another seq": (lambda: rechained(with_row(body=body_with(seq=9))), AT, Defect.COLUMNS_DISAGREE),
    "the row says another goal": (lambda: with_row(goal_id="goal-2"), AT, Defect.COLUMNS_DISAGREE),
    "the row says no goal": (lambda: with_row(goal_id=None), AT, Defect.COLUMNS_DISAGREE),
    "the row says another kind": (lambda: with_row(kind="goal.accepted"), AT, Defect.COLUMNS_DISAGREE),
    "words are changed": (lambda: with_row(words=b'{"text":"feed the cat"}'), AT, Defect.WORDS_CHANGED),
    "a salt is changed": (lambda: with_row(salt=bytes(16)), AT, Defect.WORDS_CHANGED),
    "words are gone and the salt is not": (lambda: with_row(words=None), AT, Defect.WORDS_HALF_ERASED),
    "the salt is gone and the words are not": (lambda: with_row(salt=None), AT, Defect.WORDS_HALF_ERASED),
    "words are added where none were": (
        lambda: rechained([*chain()[:3], without_words(chain()[3]), *chain()[4:]]),
        AT,
        Defect.WORDS_UNCOVERED,
    ),
}


@pytest.mark.parametrize(("tampered", "number", "defect"), TAMPERED.values(), ids=TAMPERED)
def test_the_first_event_that_does_not_hold_is_named(tampered, number, defect):
    report = verify(tampered())
    assert report.first_break == Break(part="event", number=number, defect=defect)
    assert not report.holds
    # What came before it was proved.
    assert report.head.seq == report.events == number - 1


def test_no_byte_of_an_event_can_change_unseen():
    rows = event_rows(2, goal_id="goal-1", text="dog")
    tried = 0
    for column in ("body", "words", "salt", "hash"):
        content = getattr(rows[0], column)
        for at in range(len(content)):
            changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            report = verify([rows[0]._replace(**{column: changed}), rows[1]])
            assert report.first_break is not None, (column, at)
            assert report.first_break.number == 1
            tried += 1
    assert tried > 300


def test_a_whole_history_reports_where_it_ends():
    rows, refusals = chain(), refusal_rows(3)
    receipts = [receipt_row(1, 4), receipt_row(5, LENGTH)]
    assert verify(rows, receipts=receipts, refusals=refusals) == Report(
        head=Head(LENGTH, rows[-1].hash),
        refusals_head=Head(3, refusals[-1].hash),
        events=LENGTH,
        receipts=2,
        refusals=3,
    )
    assert verify(()) == Report()


def test_a_history_can_be_checked_from_a_trusted_head_on():
    rows = chain()
    trusted = Head(2, rows[1].hash)
    report = verify(rows[2:], after=trusted)
    assert report.holds
    assert (report.head.seq, report.events) == (LENGTH, LENGTH - 2)
    assert verify(rows[2:], after=Head(2, bytes(32))).first_break == Break(
        part="event", number=3, defect=Defect.HASH_BROKEN
    )


def test_erased_words_are_named_and_the_chain_still_holds():
    rows = [row._replace(words=None, salt=None) if row.seq in (2, 5) else row for row in chain()]
    rows.append(event_row(Head(LENGTH, rows[-1].hash)))  # This one never had words.
    report = verify(rows)
    assert report.holds
    assert (report.redacted, report.redacted_seqs) == (2, (2, 5))


def test_a_report_counts_more_redactions_than_it_names():
    rows = [row._replace(words=None, salt=None) for row in event_rows(REDACTED_SEQS_MAX + 3, text="x")]
    report = verify(rows)
    assert report.redacted == REDACTED_SEQS_MAX + 3
    assert report.redacted_seqs == tuple(range(1, REDACTED_SEQS_MAX + 1))


@pytest.mark.parametrize(("first_seq", "last_seq"), [(0, 1), (3, 2), (LENGTH, LENGTH + 1), (LENGTH + 1, LENGTH + 1)])
def test_a_receipt_names_events_that_exist(first_seq, last_seq):
    receipts = [receipt_row(1, LENGTH), receipt_row(1)._replace(first_seq=first_seq, last_seq=last_seq)]
    report = verify(chain(), receipts=receipts, refusals=refusal_rows(1))
    assert report.first_break == Break(part="receipt", number=first_seq, defect=Defect.EVENTS_MISSING)
    assert (report.events, report.receipts, report.refusals) == (LENGTH, 1, 0)


KEYS = [bytes(6) + bytes([number]) * 16 for number in range(1, 5)]


def named_chain(*names):
    """Events that name receipts: one for each place, by the number of its key, or None."""
    rows, last = [], GENESIS
    for number in names:
        row = event_row(last)
        cause = None if number is None else receipt_id(KEYS[number])
        body = canonical({**msgspec.json.decode(row.body), "cause": cause})
        rows.append(row._replace(body=body, hash=link(last.hash, body)))
        last = Head(row.seq, rows[-1].hash)
    return rows


def bound(rows, receipts):
    named = Named()
    return verify_named(named, verify_receipts(receipts, verify_events(rows, named=named), named))


def receipt(number, first_seq, last_seq):
    return receipt_row(first_seq, last_seq, key=KEYS[number])


def test_receipts_and_the_events_that_name_them_belong_together():
    rows = named_chain(None, 0, 1, 1, None, 2)
    report = bound(rows, [receipt(0, 2, 2), receipt(1, 3, 4), receipt(2, 6, 6)])
    assert (report.holds, report.receipts, report.events) == (True, 3, 6)


@pytest.mark.parametrize(
    ("receipts", "part", "number", "defect"),
    [
        ([(0, 2, 2)], "event", 3, Defect.RECEIPT_MISSING),
        ([], "event", 2, Defect.RECEIPT_MISSING),
        ([(0, 2, 2), (1, 3, 3)], "receipt", 3, Defect.RECEIPT_DISAGREES),
        ([(0, 2, 2), (1, 4, 4)], "receipt", 4, Defect.RECEIPT_DISAGREES),
        ([(0, 2, 3)], "receipt", 2, Defect.RECEIPT_DISAGREES),
        ([(1, 2, 2)], "receipt", 2, Defect.RECEIPT_DISAGREES),
        ([(0, 1, 1)], "receipt", 1, Defect.RECEIPT_DISAGREES),
        ([(0, 1, 2)], "receipt", 1, Defect.RECEIPT_DISAGREES),
        ([(0, 2, 2), (0, 2, 2)], "receipt", 2, Defect.RECEIPT_DISAGREES),
    ],
)
def test_a_receipt_that_is_not_the_one_that_its_events_name_is_found(receipts, part, number, defect):
    report = bound(named_chain(None, 0, 1, 1), [receipt(*row) for row in receipts])
    assert report.first_break == Break(part=part, number=number, defect=defect)


@pytest.mark.parametrize(
    "cause", ["", "r_", "r_00", "x", "r_" + "zz" * 12, "r_" + "AB" * 12, "0" * 24, "r_" + "0" * 26]
)
def test_an_event_that_names_what_is_no_receipt_does_not_hold(cause):
    body = canonical({**msgspec.json.decode(event_row(GENESIS).body), "cause": cause})
    row = event_row(GENESIS)._replace(body=body, hash=link(bytes(32), body))
    assert bound([row], []).first_break == Break(part="event", number=1, defect=Defect.BODY_UNREADABLE)


@pytest.mark.parametrize(
    ("refusals", "after", "number", "defect"),
    [
        (refusal_rows(3)[1:], GENESIS, 1, Defect.NOT_CONTIGUOUS),
        ([*refusal_rows(3)[:1], *refusal_rows(3)[2:]], GENESIS, 2, Defect.NOT_CONTIGUOUS),
        ([*refusal_rows(2), refusal_rows(3)[2]._replace(body=b"{}")], GENESIS, 3, Defect.HASH_BROKEN),
        (refusal_rows(3)[2:], Head(2, bytes(32)), 3, Defect.HASH_BROKEN),
        ([refusal_rows(1)[0]._replace(at_ms=7)], GENESIS, 1, Defect.COLUMNS_DISAGREE),
        ([refusal_rows(1)[0]._replace(body=b"[]", hash=link(bytes(32), b"[]"))], GENESIS, 1, Defect.BODY_UNREADABLE),
    ],
    ids=[
        "pruned without an anchor",
        "one is missing",
        "a body is changed",
        "another anchor",
        "the row says another time",
        "a body is something else",
    ],
)
def test_the_refusals_chain_holds_from_its_anchor(refusals, after, number, defect):
    report = verify(chain(), refusals=refusals, refusals_after=after)
    assert report.first_break == Break(part="refusal", number=number, defect=defect)
    assert report.events == LENGTH


def test_rows_are_taken_one_by_one_and_nothing_after_the_break():
    rows = with_row(hash=bytes(32))
    taken = []

    def stream():
        for row in rows:
            taken.append(row.seq)
            yield row

    assert not verify(stream()).holds
    assert taken == [1, 2, 3, AT]


def test_the_rows_made_for_tests_are_chained_like_real_ones():
    rows = chain()
    assert rows[0].hash == link(bytes(32), rows[0].body)
    assert msgspec.json.decode(rows[0].body)["words_digest"] == words_digest(rows[0].words, rows[0].salt)
    assert replace(verify(rows), head=GENESIS, events=0) == Report()
