"""Workers among each other: evidence that is reviewed, rejected and made anew; requests that are answered once."""

import asyncio

import pytest

from tests.support.worker import GOOD
from tests.support.worker_place import GOAL, worker_place

REVIEW = """
(one,) = packet["inputs"]
seen = pathlib.Path(one["path"]).read_text()
good = "41" in seen
end("done", summary="Looked at it.", reviews=[{"artifact_id": one["artifact_id"],
    "decision": "accept" if good else "reject", "reason": "" if good else "It counts 40.",
    "checks": [{"name": "count", "argv": ["grep", "41"], "exit_code": 0 if good else 1, "duration_ms": 3}]}])
"""
POOR = 'end("done", artifacts=[hand("report.txt", "40 links", criteria=["c1"])])'


@pytest.fixture
async def place(tmp_path):
    async with worker_place(tmp_path, review="independent") as made:
        made.helper = made.of("helper")
        # Evidence of both is in one store, as on one machine.
        made.helper.folder = made.seat.folder
        yield made


async def ask_review(place):
    artifact = (await place.artifacts())[-1]
    named = {"ref": artifact["artifact_id"], "sha256": artifact["sha256"], "relation": "responds_to"}
    words = {"purpose": "Review it", "acceptance": ["a word"], "return_requirement": "the word", "input": [named]}
    return await place.daemon.do("request.send", {**GOAL, "to": "helper", **words}, who="builder")


async def review(place, text=REVIEW):
    return await asyncio.to_thread(place.helper.turn, text)


async def test_what_was_rejected_is_made_anew_by_its_author_and_accepted(place):
    await place.turn(POOR)
    await ask_review(place)
    assert (await review(place))["close"] == "done"
    first, answer = await place.artifacts()
    said = first["review"]
    assert (first["status"], said["reviewer"], said["reason"]) == ("rejected", "helper", "It counts 40.")
    (check,) = first["checks"]
    assert (check["name"], check["passed"], check["recorded_by"]) == ("count", False, "helper")
    assert answer["submitted_by"] == "helper"
    assert answer["label"].startswith("request_")

    told = f"pathlib.Path({str(place.seat.folder / 'told.json')!r}).write_text(json.dumps(packet['rejected']));"
    again = await place.turn(told + GOOD)
    assert (again["kind"], again["close"], again["notes"]) == ("rework", "done", [])
    (rejected,) = place.seat.told()
    assert (rejected["reason"], rejected["by"], rejected["artifact_id"]) == (
        "It counts 40.",
        "helper",
        first["artifact_id"],
    )
    assert rejected["checks"] == [{"name": "count", "passed": False, "exit_code": 1, "timed_out": False}]
    newest = (await place.artifacts())[-1]
    assert (newest["revises"], newest["status"]) == (first["artifact_id"], "submitted")
    assert await place.turn() is None

    await ask_review(place)
    await review(place)
    assert (await place.artifacts())[-2]["status"] == "accepted"
    # Two deliveries of different bytes: each is paid for once.
    assert (await place.daemon.read("quota.status", "?goal_id=docs")).document["spent_slots"] == 2


async def test_after_a_few_rejections_somebody_else_has_to_look(place):
    for number in range(4):
        turn = await place.turn(f'end("done", artifacts=[hand("report.txt", "{number} links")])')
        assert turn["close"] == "done"
        await place.daemon.do(
            "artifact.review",
            {**GOAL, "artifact_id": (await place.artifacts())[-1]["artifact_id"], "verdict": "reject", "reason": "No."},
            who="helper",
        )
    assert await place.turn() is None
    assert place.seat.desk.told()["waits"] == {"docs": "rejected_too_often"}


async def test_a_request_is_returned_once_where_it_was_asked(place):
    await place.turn()
    await ask_review(place)
    await review(place)
    assert await review(place) is None
    (request,) = await place.rows("request.list", "requests")
    assert (request["status"], request["outcome"]) == ("returned", "result")
    kinds = await place.kinds()
    assert (kinds.count("request.returned"), kinds.count("artifact.reviewed")) == (1, 1)


@pytest.mark.parametrize("decision", ["defer", "reject", "no_change"])
async def test_what_is_not_taken_on_is_said_with_its_reason(place, decision):
    await place.turn()
    await ask_review(place)
    turn = await review(place, f'end("done", decision="{decision}", reason="Not now.")')
    (request,) = await place.rows("request.list", "requests")
    assert (turn["close"], request["answer"], request["answer_reason"]) == ("done", decision, "Not now.")
    assert await review(place) is None


async def test_a_program_that_fails_on_a_request_is_tried_again_and_then_it_is_put_off(place):
    await place.turn()
    await ask_review(place)
    worker = place.helper.worker("sys.exit(1)")
    lookout = worker._lookout
    for _ in range(3):
        lookout.not_before_s.clear()
        await asyncio.to_thread(worker.run)
    (request,) = await place.rows("request.list", "requests")
    assert request["answer"] is None
    lookout.not_before_s.clear()
    await asyncio.to_thread(worker.run)
    (request,) = await place.rows("request.list", "requests")
    assert (request["answer"], request["answer_reason"]) == ("defer", "The program failed 3 times on it.")


async def test_nobody_says_a_word_on_what_came_after_what_they_saw(place):
    await place.turn(POOR)
    await ask_review(place)
    (first,) = await place.artifacts()
    # Before the reviewer looks, its author hands in another.
    newer = {**GOAL, "label": "report.txt", "sha256": "1" * 64, "size_bytes": 1, "revises": first["artifact_id"]}
    await place.daemon.do("artifact.submit", newer, who="builder")
    await review(place, REVIEW.replace('"41" in seen', "True"))
    assert [one["status"] for one in (await place.artifacts())[:2]] == ["superseded", "submitted"]
    (request,) = await place.rows("request.list", "requests")
    assert request["status"] == "returned"
    shown = (
        await place.daemon.read("request.show", f"?goal_id=docs&full=true&request_id={request['request_id']}")
    ).document
    assert "artifact_superseded" in str(shown["return"])


async def test_what_was_made_from_something_that_was_revised_is_made_anew(place):
    later = {**GOAL, "todo_id": "todo_note", "text": "Write the note", "depends_on": ["todo_links"]}
    await place.daemon.do("todo.add", {**later, "bound_agent": "helper"})
    await place.turn()
    # It does not begin on what nobody has accepted.
    assert await review(place) is None
    await accept(place)
    note = 'seen = pathlib.Path(packet["inputs"][0]["path"]).read_text();'
    note += 'end("done", artifacts=[hand("note.txt", "It says: " + seen)])'
    assert (await review(place, note))["close"] == "done"
    first, second = await place.artifacts()
    assert [one["artifact_id"] for one in second["inputs"]] == [first["artifact_id"]]

    newer = place.seat.store.put(b"42 links")
    words = {**GOAL, "label": "report.txt", "sha256": newer.sha256, "size_bytes": newer.size_bytes}
    await place.daemon.do("artifact.submit", {**words, "revises": first["artifact_id"]}, who="builder")
    assert (await place.artifacts())[1]["status"] == "invalidated"
    # Nor does it go on from what nobody has accepted yet.
    assert await review(place, note) is None
    assert place.helper.desk.told()["waits"] == {"docs": "inputs_not_accepted"}
    await accept(place)
    again = await review(place, note)
    newest = (await place.artifacts())[-1]
    assert (again["kind"], again["close"], newest["revises"]) == ("rework", "done", second["artifact_id"])
    assert place.seat.store.path_of(newest["sha256"]).read_bytes() == b"It says: 42 links"


async def accept(place):
    artifact = [one for one in await place.artifacts() if one["submitted_by"] == "builder"][-1]
    said = {**GOAL, "artifact_id": artifact["artifact_id"], "sha256": artifact["sha256"], "verdict": "accept"}
    await place.daemon.do("artifact.review", said)


async def test_what_is_made_anew_under_another_name_takes_the_place_of_the_one_thing(place):
    await place.turn(POOR)
    (first,) = await place.artifacts()
    await place.daemon.do(
        "artifact.review", {**GOAL, "artifact_id": first["artifact_id"], "verdict": "reject", "reason": "No."}
    )
    await place.turn(GOOD.replace("report.txt", "better.txt"))
    assert (await place.artifacts())[-1]["revises"] == first["artifact_id"]
    assert await place.turn() is None


async def test_while_the_owners_decide_on_the_delivery_nothing_is_begun(place):
    await place.turn()
    await accept(place)
    words = {"purpose": "Look again", "acceptance": ["a word"], "return_requirement": "the word"}
    await place.daemon.do("request.send", {**GOAL, "to": "helper", **words})
    await place.daemon.do("goal.deliver", {**GOAL, "summary": "All checked."}, who="builder")
    assert await review(place) is None
    assert place.helper.desk.told()["waits"] == {"docs": "delivery_waits"}


async def test_rework_that_fails_is_tried_a_few_times_and_no_more(place):
    await place.turn(POOR)
    (first,) = await place.artifacts()
    said = {**GOAL, "artifact_id": first["artifact_id"], "verdict": "reject", "reason": "No."}
    await place.daemon.do("artifact.review", said)
    worker = place.seat.worker("sys.exit(1)")
    for _ in range(6):
        worker._lookout.not_before_s.clear()
        await asyncio.to_thread(worker.run)
    assert len(await place.runs()) == 4
    assert place.seat.desk.told()["waits"] == {"docs": "rejected_too_often"}
