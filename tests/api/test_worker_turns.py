"""Turns of a worker at a daemon: what is asked, what is handed in, and what is left behind."""

import asyncio
import errno

import pytest

from daemon.agents.store import ArtifactStore
from daemon.agents.worker_desk import Desk
from daemon.local.worker_status import ladder
from tests.support.served import until
from tests.support.worker import GOOD
from tests.support.worker_place import GOAL, worker_place


@pytest.fixture
async def place(request, tmp_path):
    async with worker_place(tmp_path, **getattr(request, "param", {})) as made:
        yield made


async def test_a_turn_is_taken_done_handed_in_and_paid_for_once(place):
    turn = await place.turn()
    assert (turn["close"], turn["problem"], turn["notes"]) == ("done", "", [])
    (artifact,) = await place.rows("artifact.list", "artifacts")
    assert (artifact["label"], artifact["criterion_ids"]) == ("report.txt", ["c1"])
    assert place.seat.store.path_of(artifact["sha256"]).read_bytes() == b"41 links"
    (todo,) = await place.rows("todo.list", "todos")
    assert (todo["status"], todo["completed_by"], todo["evidence"]) == ("done", "builder", [artifact["artifact_id"]])
    (run,) = await place.rows("run.list", "runs")
    assert (run["delivery_outcome"], run["turn_instance_id"]) == ("outcome_progress", turn["turn_id"])
    assert (await place.daemon.read("quota.status", "?goal_id=docs")).document["spent_slots"] == 1
    assert await place.turn() is None
    assert place.daemon.audited() == []

    assert list(place.seat.desk.leftovers()) == []
    assert (await place.lease())["status"] == "released"


async def test_the_program_is_given_all_that_it_needs_and_nothing_of_ours(place, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_HOME", "/nowhere")
    text = (
        f"TOLD = pathlib.Path({str(place.seat.folder / 'told.json')!r})"
        """
told = {"packet": packet, "env": {k: v for k, v in os.environ.items() if k.startswith("FRONTSTAGE")},
        "cwd": os.getcwd(), "there": os.listdir(), "file": json.load(open(os.environ["FRONTSTAGE_PACKET"])) == packet}
TOLD.write_text(json.dumps(told))
"""
    )
    turn = await place.turn(text + GOOD)
    told = place.seat.told()
    packet = told["packet"]
    assert (told["file"], told["there"]) == (True, [])
    assert told["env"].keys() == {
        f"FRONTSTAGE_{name}"
        for name in ("SOCKET", "TOKEN", "GOAL_ID", "TODO_ID", "TURN_ID", "AGENT_ID", "PACKET", "RESULT", "OUT")
    }
    assert packet["schema_version"] == "frontstage_worker_packet_v0"
    assert packet["goal"]["criteria"] == [{"criterion_id": "c1", "text": "Every link leads somewhere"}]
    assert set(packet["goal"]["write_scopes"]) == {"src/**", "reports/**"}
    assert (packet["kind"], packet["todo"]["todo_id"], packet["turn_instance_id"]) == (
        "todo",
        "todo_links",
        turn["turn_id"],
    )
    assert packet["lease"]["idempotency_key"] == turn["turn_id"]
    assert (packet["inputs"], packet["rejected"]) == ([], [])


FAILURES = {
    "exit code": ("sys.exit(3)", "program_failed"),
    "signal": ("os.kill(os.getpid(), 9)", "program_failed"),
    "good result, bad exit": (GOOD + "; sys.exit(1)", "program_failed"),
    "no result": ("pass", "no_result"),
    "result is a link": ("result.symlink_to(os.environ['FRONTSTAGE_PACKET'])", "no_result"),
    "result is a folder": ("result.mkdir()", "no_result"),
    "not JSON": ("result.write_text('{')", "result_malformed"),
    "unknown field": ('end("done", mood="good")', "result_malformed"),
    "unknown outcome": ('end("finished")', "result_malformed"),
    "too long a summary": ('end("no_progress", summary="x" * 2001)', "result_malformed"),
    "too large a result": ("result.write_bytes(b' ' * 300_000)", "result_malformed"),
    "done without evidence": ('end("done")', "no_evidence"),
    "a path that leads out": ('end("done", artifacts=[{"path": "../packet.json"}])', "artifact_outside"),
    "a whole path": ('end("done", artifacts=[{"path": "/etc/hostname"}])', "artifact_outside"),
    "a link that leads out": (
        '(out / "it").symlink_to("/etc/hostname"); end("done", artifacts=[{"path": "it"}])',
        "artifact_outside",
    ),
    "a folder": ('(out / "it").mkdir(); end("done", artifacts=[{"path": "it"}])', "artifact_refused"),
    "a pipe": ('os.mkfifo(out / "it"); end("done", artifacts=[{"path": "it"}])', "artifact_refused"),
    "nothing there": ('end("done", artifacts=[{"path": "it"}])', "artifact_outside"),
    "too large": (
        '(out / "it").open("wb").truncate(65 * 1024 * 1024); end("done", artifacts=[{"path": "it"}])',
        "artifact_refused",
    ),
    "unknown criterion": ('end("done", artifacts=[hand("it", "x", criteria=["c9"])])', "criterion_not_found"),
}


@pytest.mark.parametrize(("text", "problem"), FAILURES.values(), ids=FAILURES)
async def test_what_is_no_result_hands_in_nothing_and_leaves_the_work_to_be_done(place, text, problem):
    turn = await place.turn(text)
    assert (turn["close"], turn["problem"]) == ("failed", problem)
    assert await place.artifacts() == []
    (run,) = await place.runs()
    assert (run["classification"], run["delivery_outcome"], problem in run["summary"]) == (
        "failed",
        "no_progress",
        True,
    )
    todo, lease = await place.todo(), await place.lease()
    assert (todo["status"], todo["claim"], lease["status"]) == ("open", "none", "released")
    assert list(place.seat.desk.leftovers()) == []
    # Nobody is kept from it: not by a claim, a lease or a reservation.
    other = place.of("helper")
    assert (await asyncio.to_thread(other.turn))["close"] == "done"


async def test_a_program_that_takes_too_long_is_ended(place):
    turn = await place.turn("time.sleep(60)", timeout_seconds=1)
    assert (turn["close"], turn["problem"]) == ("failed", "timed_out")
    assert (await place.todo())["status"] == "open"


@pytest.mark.parametrize(
    ("place", "kinds"),
    [
        ({"mode": "hard_lease"}, {"lease.acquired", "lease.released"}),
        ({"mode": "soft_claim"}, {"todo.claimed"}),
    ],
    indirect=["place"],
    ids=["hard lease", "soft claim"],
)
async def test_work_is_held_as_the_goal_says(place, kinds):
    assert (await place.turn("sys.exit(1)"))["problem"] == "program_failed"
    assert (await place.todo())["claim"] == "none"
    assert (await place.turn())["close"] == "done"
    assert kinds <= set(await place.kinds())


async def test_progress_is_handed_in_and_the_work_goes_on(place):
    text = 'end("progress", artifacts=[hand("draft.txt", "20 links")], usage={"tokens_in": 7})'
    turn = await place.turn(text)
    assert (turn["close"], (await place.todo())["status"], (await place.todo())["claim"]) == (
        "progress",
        "open",
        "none",
    )
    usage = (await place.daemon.read("usage.show", "?goal_id=docs")).document
    assert usage["tokens_known"] == 7
    done = await place.turn('end("done", artifacts=[hand("draft.txt", "41 links")])')
    first, second = await place.artifacts()
    assert (second["revises"], first["status"], done["close"]) == (first["artifact_id"], "superseded", "done")


async def test_work_that_is_blocked_says_why_and_is_nobodys(place):
    turn = await place.turn('end("blocked", reason="There are no links.")')
    todo = await place.todo()
    assert (turn["close"], todo["status"], todo["reason"], todo["claim"]) == (
        "blocked",
        "blocked",
        "There are no links.",
        "none",
    )


async def test_who_is_blocked_may_ask_somebody_else_and_waits_for_the_answer(place):
    ask = '{"to": "helper", "purpose": "Which links?", "acceptance": ["a list"], "return_requirement": "the list"}'
    turn = await place.turn(f'end("blocked", ask={ask})')
    (request,) = await place.rows("request.list", "requests")
    assert (turn["close"], request["receiver"], request["blocks_todo_id"]) == ("blocked", "helper", "todo_links")
    assert await place.turn() is None
    helper = place.of("helper")
    answer = await asyncio.to_thread(helper.turn, 'end("done", summary="These 41.")')
    assert (answer["kind"], answer["close"]) == ("request", "done")
    assert (await place.turn())["close"] == "done"


async def test_a_store_that_is_full_fails_the_turn_and_the_work_goes_on_later(place, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ArtifactStore, "_put", full)
        turn = await place.turn()
    assert (turn["close"], turn["problem"]) == ("failed", "store_failed")
    assert (await place.todo())["status"] == "open"
    assert (await place.turn())["close"] == "done"


async def test_where_the_turn_cannot_be_saved_the_program_does_not_go_on(place, monkeypatch):
    true, count = Desk.save, 0

    def full(self, turn):
        nonlocal count
        count += 1
        if turn.phase == "running":
            raise OSError(errno.ENOSPC, "No space left on device")
        true(self, turn)

    with monkeypatch.context() as patch:
        patch.setattr(Desk, "save", full)
        with pytest.raises(OSError, match="No space"):
            await place.turn()
    assert await place.artifacts() == []
    # The next one knows of it, and nothing waits for the lease to run out.
    assert (await place.turn())["close"] == "done"
    assert [turn.problem for turn in place.seat.turns] == ["worker_ended", ""]


async def test_two_workers_of_one_agent_in_two_homes_take_nothing_from_each_other(place):
    go = place.seat.folder / "go"
    text = f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(0.01)\n" + GOOD
    first = asyncio.get_running_loop().run_in_executor(None, place.seat.turn, text)
    await until(lambda: place.seat.desk.told().get("how") == "running")
    second = place.of("helper")
    second.agent_id, second.token = place.seat.agent_id, place.seat.token
    before = place.daemon.seq
    assert await asyncio.to_thread(second.turn) is None
    assert second.desk.told()["waits"] == {"docs": "leased_to_this_agent"}
    assert place.daemon.seq == before
    go.touch()
    assert (await first)["close"] == "done"


async def test_work_that_is_handed_over_is_gone_on_with(place):
    lease = {**GOAL, "todo_id": "todo_links", "idempotency_key": "mine", "ttl_seconds": 3600}
    await place.daemon.do("task-lease.acquire", lease, who="helper")
    assert await place.turn() is None
    over = {"to_agent": "builder", "context": "Half of it is done.", "remaining_work": "The other half."}
    fence = {"task_lease_idempotency_key": "mine", "task_lease_expected_version": 1}
    await place.daemon.do("todo.handoff", {**GOAL, "todo_id": "todo_links", **over, **fence}, who="helper")
    told = f"pathlib.Path({str(place.seat.folder / 'told.json')!r}).write_text(json.dumps(packet['todo']));"
    assert (await place.turn(told + GOOD))["close"] == "done"
    assert place.seat.told()["handoff"]["context"] == "Half of it is done."
    assert (await place.todo())["completed_by"] == "builder"


async def test_a_credential_of_somebody_else_is_told_and_takes_nothing(place):
    place.seat.token = place.daemon.made.tokens["helper"]
    before = place.daemon.seq
    turn = await place.turn()
    assert (turn["close"], turn["problem"]) == ("refused", "claim_actor_mismatch")
    assert place.daemon.seq == before


async def test_it_does_all_there_is_in_every_goal_and_then_waits(place):
    words = {"objective": "Another", "criterion": ["It is done"]}
    await place.daemon.do("goal.propose", {"goal_id": "other", **words})
    shown = (await place.daemon.read("goal.show", "?goal_id=other")).document
    await place.daemon.do("goal.confirm", {"goal_id": "other", "basis": shown["basis"]["confirm"]})
    await place.daemon.do("todo.add", {"goal_id": "other", "text": "One"})
    worker = place.seat.worker(GOOD, once=False, goal_id=None)
    running = asyncio.get_running_loop().run_in_executor(None, worker.run)
    await until(lambda: len(place.seat.turns) == 2)
    await place.daemon.do("todo.add", {"goal_id": "other", "text": "Two"})
    await until(lambda: len(place.seat.turns) == 3)
    worker.stop()
    await running
    assert {turn.close for turn in place.seat.turns} == {"done"}


@pytest.mark.parametrize(
    ("presence", "claims", "expected"),
    [
        ("registered", [], (1, 0, 0, 0, 0, 0)),
        ("addressable", [], (1, 1, 0, 0, 0, 0)),
        ("bound", [], (1, 1, 1, 0, 0, 0)),
        ("launchable", [], (1, 1, 1, 1, 0, 0)),
        ("executing", ["x"], (1, 1, 1, 1, 1, 0)),
        ("blocked", [], (1, 1, 1, 0, 0, 1)),
        ("blocked", ["x"], (1, 1, 1, 0, 1, 1)),
        (None, [], (0, 0, 0, 0, 0, 0)),
    ],
)
def test_each_word_of_the_ladder_is_said_apart(presence, claims, expected):
    assert tuple(ladder({"presence": presence, "current_claims": claims}).values()) == expected
