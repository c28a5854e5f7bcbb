"""The writer: one durable commit before any answer, the same answer for the same key, and nothing half done."""

import json

import pytest

from ledger import writer as writer_module
from ledger.canonical import canonical
from ledger.chain import words_digest
from ledger.codec import decode_body
from ledger.events import ERASED
from ledger.ports import DeliveryRow, JournalRow, StoreFault, StoreFull, WriterFenced
from ledger.refusals import GeneralRefusal as G
from ledger.rules.common import refuse
from ledger.testing import Failure
from ledger.writer import Keep, Request, Writer
from tests.support.world import DOCS, World, replay

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}
FULL = Failure(StoreFull("no space"))


@pytest.fixture
def world():
    world = World()
    world.activate()
    world.add("todo_one")
    return world


def test_a_command_is_stored_before_it_is_answered_with_its_receipt_and_its_cause(world):
    answer = world.ask("builder", "todo.claim", "claim-1", **ONE)
    (row,) = list(world.store.events(answer.seq - 1))
    body = decode_body(row.body)
    assert (body.seq, body.kind, body.actor, body.cause) == (answer.seq, "todo.claimed", "builder", answer.receipt_id)
    assert (body.proof.kind, body.proof.reference, body.surface, body.at_ms) == (
        "token",
        "tok-builder",
        "cli",
        world.now_ms,
    )
    assert len(world.records.receipts) > 0
    assert world.proved().holds


def test_words_are_stored_beside_the_body_under_a_salt_of_their_own(world):
    bodies = [(decode_body(row.body), row) for row in world.store.events(0) if row.words is not None]
    assert len({row.salt for _, row in bodies}) == len(bodies)
    for body, row in bodies:
        assert body.words_digest == words_digest(row.words, row.salt)
        assert row.words not in row.body


def test_the_same_key_reads_the_first_answer_back_whatever_happened_since(world):
    first = world.ask("builder", "todo.claim", "claim-1", **ONE)
    world.do("builder", "todo.release", **ONE)
    world.do("ann", "todo.cancel", **ONE)
    head = world.store.head()
    again = world.ask("builder", "todo.claim", "claim-1", **ONE)
    assert (again.events, again.receipt_id, again.replayed) == (first.events, first.receipt_id, True)
    assert (world.store.head(), again.seq) == (head, head.seq)


def test_the_same_key_reads_its_answer_back_after_a_restart(world):
    first = world.ask("builder", "todo.claim", "claim-1", **ONE)
    world.restart()
    again = world.ask("builder", "todo.claim", "claim-1", **ONE)
    assert (again.events, again.receipt_id, again.replayed) == (first.events, first.receipt_id, True)


def test_the_same_key_for_something_else_is_a_conflict_and_writes_nothing_but_its_audit_line(world):
    first = world.ask("builder", "todo.claim", "key", **ONE)
    head = world.store.head()
    for action, params in (("todo.claim", {"agent_id": "builder"}), ("todo.release", {})):
        refusal = world.ask("builder", action, "key", **ONE, **params).refusal
        assert refusal.code == G.IDEMPOTENCY_CONFLICT
        assert refusal.details == {"receipt_id": first.receipt_id}
    assert world.store.head() == head
    assert world.codes() == ["idempotency_conflict"] * 2


def test_a_key_belongs_to_its_caller(world):
    world.do("builder", "todo.claim", "key", **ONE)
    assert world.ask("helper", "todo.claim", "key", **ONE).refusal.code == "claim_owner_mismatch"


def test_a_command_of_the_daemon_has_no_key_and_no_receipt(world):
    world.lease("todo_one", ttl_seconds=60)
    world.now_ms += 60_000
    keyed = world.request("daemon", "task-lease.expire", **ONE)
    fields = {name: getattr(keyed, name) for name in Request.__struct_fields__}
    before = len(world.records.receipts)
    (answer,) = world.drain(Request(**(fields | {"request_key": None})))
    assert ([event.kind for event in answer.events], answer.receipt_id) == (["lease.expired"], None)
    assert len(world.records.receipts) == before


class TestOneBatch:
    def test_the_same_key_twice_has_one_effect_and_two_equal_answers(self, world):
        request = world.request("builder", "todo.claim", "key", **ONE)
        first, again = world.drain(request, request)
        assert (again.events, again.receipt_id) == (first.events, first.receipt_id)
        assert (first.replayed, again.replayed) == (False, True)
        assert replay(world.store).seq == first.seq

    def test_the_same_key_for_something_else_is_a_conflict(self, world):
        claim, release = (world.request("builder", f"todo.{verb}", "key", **ONE) for verb in ("claim", "release"))
        first, second = world.drain(claim, release)
        assert first.events
        assert second.refusal.code == G.IDEMPOTENCY_CONFLICT

    def test_each_command_is_decided_upon_those_before_it(self, world):
        builder, helper = (world.request(who, "todo.claim", **ONE) for who in ("builder", "helper"))
        first, second = world.drain(builder, helper)
        assert first.events
        assert second.refusal.code == "claim_owner_mismatch"
        assert world.proved().holds

    def test_a_batch_is_one_append(self, world):
        appended = []
        append = world.store.append
        world.store.append = lambda term, group: (appended.append(group), append(term, group))
        world.drain(*(world.request("ann", "todo.add", goal_id=DOCS, text=f"Work {number}") for number in range(9)))
        assert [len(group.events) for group in appended] == [9]
        assert [len(group.receipts) for group in appended] == [9]

    def test_all_events_of_a_batch_have_one_time_that_never_goes_back(self, world):
        world.do("ann", "todo.add", goal_id=DOCS, text="Now")
        world.now_ms -= 3_600_000
        (event,) = world.do("ann", "todo.add", goal_id=DOCS, text="An hour ago")
        assert event.at_ms == world.now_ms + 3_600_000


class TestNothingChanged:
    def test_a_refusal_writes_its_line_and_consumes_no_key(self, world):
        world.do("helper", "todo.claim", **ONE)
        assert world.ask("builder", "todo.claim", "key", **ONE).refusal.code == "claim_owner_mismatch"
        world.do("helper", "todo.release", **ONE)
        answer = world.ask("builder", "todo.claim", "key", **ONE)
        assert ([event.kind for event in answer.events], answer.replayed) == (["todo.claimed"], False)
        assert world.codes() == ["claim_owner_mismatch"]

    def test_what_already_holds_says_so_with_its_event_and_is_audited(self, world):
        (event,) = world.do("builder", "todo.claim", **ONE)
        head = world.store.head()
        answer = world.ask("builder", "todo.claim", "key", **ONE)
        assert (answer.held.seq, answer.events, answer.receipt_id) == (event.seq, (), None)
        assert world.store.head() == head
        assert world.codes() == ["held"]

    def test_a_refusal_from_the_edge_is_audited_and_never_decided(self, world):
        request = world.request("builder", "todo.claim", **ONE)
        fields = {name: getattr(request, name) for name in Request.__struct_fields__}
        early = refuse(G.MALFORMED_PARAMS, field="todo_id")
        (answer,) = world.drain(Request(**(fields | {"refused": early})))
        assert answer.refusal == early
        assert world.codes() == ["malformed_params"]
        assert world.todo("todo_one").claimed_by is None

    def test_the_line_names_who_from_where_on_whose_behalf_on_which_basis_and_why(self, world):
        world.ask("builder", "goal.confirm", goal_id=DOCS, basis="b1:" + "0" * 32)
        (row,) = world.store.refusals(0)
        line = json.loads(row.body)
        assert {name: line[name] for name in ("actor", "action", "goal_id", "basis", "outcome", "code", "surface")} == {
            "actor": "builder",
            "action": "goal.confirm",
            "goal_id": DOCS,
            "basis": "b1:" + "0" * 32,
            "outcome": "denied",
            "code": "not_permitted",
            "surface": "cli",
        }

    def test_repeats_are_written_at_a_graceful_stop(self, world):
        for _ in range(5):
            world.ask("builder", "goal.confirm", goal_id=DOCS)
        world.writer.flush_audit()
        assert [json.loads(row.body)["repeated"] for row in world.store.refusals(0)] == [1, 4]
        assert world.proved().holds


class TestFullDisk:
    def test_the_whole_batch_is_taken_back_and_the_next_one_goes_on_as_if_it_had_never_been(self, world):
        head = world.store.head()
        world.store.fail(FULL)
        claim = world.request("builder", "todo.claim", "key", **ONE)
        answers = world.drain(claim, claim, world.request("ann", "todo.add", goal_id=DOCS, text="More"))
        assert [answer.refusal.code for answer in answers] == [G.STORAGE_FULL] * 3
        assert [answer.seq for answer in answers] == [head.seq] * 3
        assert (world.store.head(), world.writer.full) == (head, True)
        (answer,) = world.drain(claim)
        assert (answer.events[0].seq, answer.replayed, world.writer.full) == (head.seq + 1, False, False)
        assert world.proved().holds

    def test_what_an_older_commit_settled_is_still_answered_and_with_a_seq_that_exists(self, world):
        first = world.ask("builder", "todo.claim", "key", **ONE)
        head = world.store.head()
        world.store.fail(FULL)
        fresh = world.request("ann", "todo.add", goal_id=DOCS, text="More")
        refused, again = world.drain(fresh, world.request("builder", "todo.claim", "key", **ONE))
        assert refused.refusal.code == G.STORAGE_FULL
        assert (again.events, again.replayed, again.seq) == (first.events, True, head.seq)

    def test_a_refusal_that_rests_on_what_was_taken_back_is_not_given(self, world):
        world.store.fail(FULL)
        answers = world.drain(*(world.request(who, "todo.claim", **ONE) for who in ("builder", "helper")))
        assert [answer.refusal.code for answer in answers] == [G.STORAGE_FULL] * 2
        assert world.ask("helper", "todo.claim", **ONE).events

    def test_a_refusal_from_the_edge_stands_and_its_line_is_written_later(self, world):
        request = world.request("builder", "todo.claim", **ONE)
        fields = {name: getattr(request, name) for name in Request.__struct_fields__}
        early = refuse(G.MALFORMED_PARAMS, field="todo_id")
        world.store.fail(FULL)
        (answer,) = world.drain(Request(**(fields | {"refused": early})))
        assert (answer.refusal, world.codes()) == (early, [])
        world.writer.flush_audit()
        assert world.codes() == ["malformed_params"]
        assert world.proved().holds

    def test_rows_of_inbound_events_and_cards_are_not_said_to_be_kept(self, world):
        world.store.fail(FULL)
        journal = JournalRow("cli_1", "evt-1", 5, None)
        (answer,) = world.writer.drain([Keep(journal=(journal,))], world.now_ms)
        assert answer.refusal.code == G.STORAGE_FULL
        assert world.store.journal_entry("cli_1", "evt-1") is None
        world.writer.drain([Keep(journal=(journal,))], world.now_ms)
        assert world.store.journal_entry("cli_1", "evt-1") == journal

    def test_a_full_disk_at_the_graceful_stop_is_no_crash(self, world):
        for _ in range(2):
            world.ask("builder", "goal.confirm", goal_id=DOCS)
        world.store.fail(FULL)
        world.writer.flush_audit()
        assert world.writer.full
        world.writer.flush_audit()
        assert len(world.codes()) == 2


class TestTheOutcomeIsUnknown:
    @pytest.mark.parametrize("stored", [False, True])
    def test_a_fault_says_nothing_and_the_key_settles_it_after_the_restart(self, world, stored):
        head = world.store.head()
        world.store.fail(Failure(StoreFault("input/output error"), stored=stored))
        request = world.request("builder", "todo.claim", "key", **ONE)
        with pytest.raises(StoreFault):
            world.writer.drain([request], world.now_ms)
        world.restart()
        (answer,) = world.drain(request)
        assert (answer.replayed, answer.events[0].seq) == (stored, head.seq + 1)
        assert world.store.head().seq == head.seq + 1

    def test_a_writer_whose_term_ended_writes_nothing(self, world):
        head = world.store.head()
        world.stored.open_term("0" * 32)
        with pytest.raises(WriterFenced):
            world.writer.drain([world.request("builder", "todo.claim", **ONE)], world.now_ms)
        assert world.store.head() == head


def test_a_bug_in_a_rule_leaves_the_writer_on_what_is_stored(world, monkeypatch):
    def broken(*_):
        raise KeyError("a bug")

    good = world.request("ann", "todo.add", goal_id=DOCS, text="More")
    head = world.store.head()
    with monkeypatch.context() as patch:
        decided = writer_module.decide
        patch.setattr(
            writer_module, "decide", lambda *given: broken() if given[1].name == "todo.claim" else decided(*given)
        )
        with pytest.raises(KeyError):
            world.writer.drain([good, world.request("builder", "todo.claim", **ONE)], world.now_ms)
    assert world.store.head() == head
    assert world.ask("ann", "todo.add", goal_id=DOCS, text="More").events[0].seq == head.seq + 1
    assert world.proved().holds


def test_a_writer_on_another_state_than_the_stored_one_does_not_begin(world):
    term = world.store.open_term("0" * 32)
    behind = World().state
    with pytest.raises(AssertionError):
        Writer(world.store, term, behind, bytes, lambda: behind)


def test_operational_rows_are_no_events(world):
    head = world.store.head()
    card = DeliveryRow("goal:docs@oc_1", "oc_1", "om_1", "d", 1, 5, "sent")
    (answer,) = world.writer.drain([Keep(deliveries=(card,))], world.now_ms)
    assert (world.store.deliveries(), world.store.head(), answer.seq) == ([card], head, head.seq)


def test_erased_words_leave_the_chain_and_the_receipt_whole(world):
    world.ask("ann", "todo.add", "key", goal_id=DOCS, text="A secret name")
    rows = world.records.events
    rows[-1] = rows[-1]._replace(words=None, salt=None)
    report = world.proved()
    assert (report.holds, report.redacted) == (True, 1)
    world.restart()
    assert next(reversed(world.goal().todos.values())).title == ERASED
    assert world.ask("ann", "todo.add", "key", goal_id=DOCS, text="A secret name").replayed


def test_the_recorded_event_says_what_the_stored_bytes_say(world):
    """Readers fold what the writer handed out; a replay folds what was stored; the two may not differ."""
    world.finish("todo_one")
    stored = replay(world.store)
    assert (stored.seq, stored.hash, stored.at_ms) == (world.state.seq, world.state.hash, world.state.at_ms)
    assert canonical(list(stored.goals[DOCS].todos.values())) == canonical(list(world.goal().todos.values()))
