"""Requests between peers: five facts kept apart, one return, and nobody who waits for himself."""

import pytest

from ledger.projections.documents import READERS
from ledger.rules.common import Caller
from ledger.rules.request_params import BRIEF_BYTES_MAX
from ledger.rules.request_returns import returns_due
from ledger.rules.requests import RequestRefusal as R
from tests.support.ladder import cases, check, check_order, untested
from tests.support.request_ladders import LADDERS, ONE, adopt, brief, commit, send, submit
from tests.support.world import DOCS, World, digest, parse, replay

CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=[ladder.action for ladder in LADDERS])
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    assert untested(R, *LADDERS) == {R.TOO_MANY_REQUESTS, R.TOO_MANY_TODOS}


@pytest.fixture
def world():
    made = World()
    made.activate(owner=["ann"])
    for todo_id in ("todo_one", "todo_two"):
        made.add(todo_id)
    return made


def finish(world, by, todo_id):
    world.do(by, "todo.claim", goal_id=DOCS, todo_id=todo_id)
    evidence = [submit(world, by, todo_id)]
    return world.do(by, "todo.complete", goal_id=DOCS, todo_id=todo_id, evidence=evidence, note="Two are broken")


def request(world, request_id="request_one"):
    return world.goal().requests.by_id[request_id]


def show(world, request_id="request_one", who="ann"):
    asked = parse("request.show", {"goal_id": DOCS, "request_id": request_id})
    return READERS["request.show"](world.state, world.caller(who), asked, world.now_ms)


def facts(world):
    return {name for name, mark in show(world)["facts"].items() if mark is not None}


def code(answer):
    return None if answer.refusal is None else answer.refusal.code.value


def test_received_adopted_committed_returned_and_delivered_are_five_facts(world):
    send(world)
    assert facts(world) == set()
    world.do("helper", "request.receive", **ONE)
    assert facts(world) == {"received"}
    adopt(world)
    assert facts(world) == {"received", "adopted"}
    todo_id = commit(world)
    assert facts(world) == {"received", "adopted", "committed"}
    finish(world, "helper", todo_id)
    assert facts(world) == {"received", "adopted", "committed", "returned"}
    world.do("builder", "request.acknowledge", **ONE)
    found = show(world)["facts"]
    assert [found[name]["actor"] for name in found] == ["helper"] * 4 + ["builder"]
    seqs = [found[name]["seq"] for name in found]
    assert seqs == sorted(set(seqs))


def test_an_answer_without_reading_first_says_that_it_was_read(world):
    send(world)
    kinds = [event.kind for event in world.do("helper", "request.respond", **ONE, decision="adopt")]
    assert kinds == ["request.received", "request.answered"]


@pytest.mark.parametrize(("decision", "outcome"), [("reject", "rejected"), ("no_change", "no_change")])
def test_a_refusal_goes_back_to_whoever_asked(world, decision, outcome):
    send(world)
    world.do("helper", "request.respond", **ONE, decision=decision, reason="Not mine")
    (due,) = returns_due(world.goal())
    assert (due.returned.outcome, due.returned.summary) == (outcome, "Not mine")
    assert world.outcome("helper", "request.commit", **ONE, text="x") == "request_closed"


def test_a_deferral_is_seen_and_may_be_answered_again(world):
    send(world)
    world.do("helper", "request.respond", **ONE, decision="defer", reason="After lunch")
    assert show(world)["status"] == "deferred"
    assert show(world)["answer_reason"] == "After lunch"
    assert world.outcome("helper", "request.commit", **ONE, text="x") == "request_not_adopted"
    adopt(world)
    assert world.outcome("helper", "request.respond", **ONE, decision="reject", reason="x") == "request_answered"


def test_finished_work_returns_its_request_once_and_in_the_same_group(world):
    send(world)
    adopt(world)
    todo_id = commit(world)
    kinds = [event.kind for event in finish(world, "helper", todo_id)]
    assert kinds == ["todo.completed", "request.returned"]
    back = show(world)["return"]
    assert back["automatic"] is True
    assert [one["sha256"] for one in back["artifacts"]] == [digest("found")]
    again = {"artifact": [back["artifacts"][0]["artifact_id"]], "summary": "Again"}
    assert world.outcome("helper", "request.return", **ONE, **again) == "held"


def test_work_for_two_requests_returns_both(world):
    send(world)
    send(world, by="ann", name="two")
    for request_id in ("request_one", "request_two"):
        adopt(world, request_id=request_id)
        commit(world, request_id=request_id, todo_id="todo_two")
    kinds = [event.kind for event in finish(world, "helper", "todo_two")]
    assert kinds == ["todo.completed", "request.returned", "request.returned"]


def test_a_return_is_owed_to_its_origin_until_it_is_delivered_even_after_a_restart(world):
    send(world, origin="thread/7")
    adopt(world)
    world.do("helper", "request.return", **ONE, artifact=[submit(world, "helper")], summary="Two are broken")
    world.restart()
    (due,) = returns_due(world.goal())
    assert (due.origin.surface, due.origin.key) == ("cli", "thread/7")
    world.do("builder", "request.acknowledge", **ONE)
    assert world.outcome("builder", "request.acknowledge", **ONE) == "held"
    world.restart()
    assert returns_due(world.goal()) == ()


def test_the_origin_is_the_chat_that_the_request_came_from(world):
    caller = Caller(member_id="builder", kind="agent", surface="lark", channel_id="oc_1")
    asked = world.request("builder", "request.send", **brief())
    world.drain(type(asked)(**{name: getattr(asked, name) for name in asked.__struct_fields__} | {"caller": caller}))
    assert (request(world).origin.surface, request(world).origin.channel_id) == ("lark", "oc_1")
    assert "oc_1" not in str(show(world))


def test_only_the_sender_or_the_channel_says_that_a_return_arrived(world):
    send(world)
    assert world.outcome("builder", "request.acknowledge", **ONE) == "request_not_returned"
    world.do("helper", "request.respond", **ONE, decision="no_change", reason="All fine")
    assert world.outcome("helper", "request.acknowledge", **ONE) == "request_not_yours"
    assert world.outcome("bot", "request.acknowledge", **ONE) == "committed"


def test_a_brief_that_is_too_large_is_refused_whole_and_the_largest_is_kept_whole(world):
    inputs = [{"ref": "r", "description": "d" * 800, "sha256": digest(n), "relation": "uses"} for n in range(12)]
    asked = brief(context="c" * 6_000, purpose="p" * 2_000, input=inputs)
    before = world.state.seq
    answer = world.ask("builder", "request.send", **asked)
    assert code(answer) == "request_too_large"
    size_bytes = answer.refusal.details["size_bytes"]
    assert size_bytes > BRIEF_BYTES_MAX
    assert world.state.seq == before
    world.do("builder", "request.send", **(asked | {"context": "c" * (6_000 - (size_bytes - BRIEF_BYTES_MAX))}))
    assert show(world)["inputs"][11]["description"] == "d" * 800
    assert world.outcome("builder", "request.send", **brief("two", context="中" * 5_500)) == "request_too_large"


def test_a_waits_for_b_waits_for_a_through_parents_is_refused(world):
    send(world)
    adopt(world)
    answer = world.ask("helper", "request.send", **brief("two", to="builder", parent_id="request_one"))
    assert code(answer) == "request_cycle"
    assert answer.refusal.details["requests"] == ["request_one"]
    send(world, by="helper", name="two", to="ann", parent_id="request_one")
    assert (
        world.outcome("ann", "request.send", **brief("three", to="builder", parent_id="request_two")) == "request_cycle"
    )
    assert (
        world.outcome("ann", "request.send", **brief("three", to="helper", parent_id="request_two")) == "request_cycle"
    )


def test_a_question_outside_the_chain_is_no_cycle(world):
    send(world)
    assert world.outcome("helper", "request.send", **brief("two", to="builder")) == "committed"


def test_a_waits_for_b_waits_for_a_through_the_work_is_refused(world):
    send(world, blocks_todo_id="todo_one")
    adopt(world)
    work = commit(world)
    asked = brief("two", to="builder", blocks_todo_id=work)
    assert world.outcome("helper", "request.send", **asked) == "request_cycle"
    world.add("todo_before")
    assert world.outcome("helper", "request.send", **(asked | {"blocks_todo_id": "todo_before"})) == "committed"


def test_work_that_waits_for_the_request_cannot_be_what_fulfils_it(world):
    send(world, blocks_todo_id="todo_one")
    adopt(world)
    world.add("todo_after", depends_on=["todo_one"])
    for todo_id in ("todo_one", "todo_after"):
        assert world.outcome("helper", "request.commit", **ONE, todo_id=todo_id) == "request_cycle"
    assert world.outcome("helper", "request.commit", **ONE, todo_id="todo_two") == "committed"


def test_two_requests_cannot_be_fulfilled_by_each_others_waiting_work(world):
    send(world, blocks_todo_id="todo_one")
    send(world, by="helper", name="two", to="builder", blocks_todo_id="todo_two")
    adopt(world)
    adopt(world, "builder", "request_two")
    commit(world, todo_id="todo_two")
    assert world.outcome("builder", "request.commit", goal_id=DOCS, request_id="request_two", todo_id="todo_one") == (
        "request_cycle"
    )


def test_a_child_of_the_request_is_waited_for_as_well(world):
    send(world, blocks_todo_id="todo_one")
    adopt(world)
    send(world, by="helper", name="two", to="ann", parent_id="request_one")
    adopt(world, "ann", "request_two")
    assert world.outcome("ann", "request.commit", goal_id=DOCS, request_id="request_two", todo_id="todo_one") == (
        "request_cycle"
    )


def test_nobody_makes_anothers_work_wait(world):
    world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    assert world.outcome("builder", "request.send", **brief(blocks_todo_id="todo_one")) == "claim_owner_mismatch"
    assert world.outcome("ann", "request.send", **brief(blocks_todo_id="todo_one")) == "committed"


def test_new_work_for_a_request_is_bound_to_whoever_took_it_on(world):
    send(world)
    adopt(world)
    todo = world.todo(commit(world))
    assert (todo.bound_agent, todo.acceptance) == ("helper", "Each broken link is named")
    assert world.outcome("helper", "request.commit", **ONE, text="Again") == "held"
    assert world.outcome("helper", "request.commit", **ONE, todo_id="todo_two") == "request_committed"
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id=todo.todo_id, reason="No")
    assert world.outcome("helper", "request.commit", **ONE, todo_id="todo_two") == "committed"


def test_a_person_answers_a_request_with_a_todo_of_their_own(world):
    send(world, to="ann")
    adopt(world, "ann")
    todo = world.todo(commit(world, "ann"))
    assert (todo.role, todo.task_class) == ("user", "user_action")


def test_an_input_that_names_an_artifact_must_have_its_digest(world):
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    ref = submit(world, "builder", "todo_one")
    given = {"ref": ref, "sha256": digest("other"), "relation": "revises"}
    assert world.outcome("builder", "request.send", **brief(input=[given])) == "input_digest_mismatch"
    assert world.outcome("builder", "request.send", **brief(input=[given | {"sha256": digest("found")}])) == "committed"


def test_evidence_of_somebody_else_is_not_handed_back(world):
    send(world)
    adopt(world)
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    theirs = submit(world, "builder", "todo_one")
    asked = {**ONE, "artifact": [theirs], "summary": "x"}
    assert world.outcome("helper", "request.return", **asked) == "artifact_of_another"


def test_the_list_is_of_whom_and_what_is_asked_for(world):
    send(world)
    send(world, by="ann", name="two", to="builder")
    world.do("ann", "request.withdraw", goal_id=DOCS, request_id="request_two")

    def listed(**asked):
        found = READERS["request.list"](
            world.state, world.caller("ann"), parse("request.list", {"goal_id": DOCS, **asked}), world.now_ms
        )
        return [row["request_id"] for row in found["requests"]]

    assert listed() == ["request_two", "request_one"]
    assert listed(to="builder") == ["request_two"]
    assert listed(sender="builder") == ["request_one"]
    assert listed(status="closed") == ["request_two"]


def test_replay_makes_the_same_requests(world):
    send(world, blocks_todo_id="todo_one", origin="thread/7")
    adopt(world)
    finish(world, "helper", commit(world))
    assert replay(world.stored).goals[DOCS].requests == world.goal().requests
